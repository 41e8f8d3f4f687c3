"""What the embedded engine says: plain sentences, several for each occasion, taken in turn."""

from __future__ import annotations

GREETINGS = (
    "Hello there, nice to meet you. I am glad that we can talk.",
    "Hi, it is good to hear you. How has your day been so far?",
    "Hello. I am ready whenever you are.",
)
BRIEF = (
    "I see. Tell me a little more about that.",
    "Okay. What makes you say so?",
    "Right. And how do you feel about it?",
    "Mm, go on, I am listening.",
)
# Long enough that somebody can break in before the last of it was sent.
LISTENED = (
    "That is interesting, and I would like to hear how it went on from there. I had something like it last summer, "
    "when I was staying with my sister. What happened next for you?",
    "I think I understand what you mean. When I was younger I would have said the opposite, but I have changed my "
    "mind since then. Is it the same with you?",
    "Thank you for telling me. I see it much the same way, though I never had the words for it. A friend of mine says "
    "that one should sleep on such things. What do you think?",
    "That makes sense to me. I remember a rainy afternoon when I was thinking about just that, and I could not make "
    "up my mind. What would you do differently next time?",
    "I had not thought about it like that, and it is a good point. On the one hand it sounds simple, and on the other "
    "hand it never quite is. I would still give it a try.",
)
LISTENED_LONG = (
    "You have told me quite a lot there, thank you. What stays with you most?",
    "That was a lot to take in, and I listened closely. Which part matters most to you?",
    "Thank you for taking the time to explain. I can picture it quite well now.",
    "I followed you all the way. How did you feel when it was over?",
)
ON_SCREEN = (
    "I have read what is on the screen. Shall we begin with it?",
    "There is something new on the screen. I would take it step by step; what do you think?",
    "I am looking at the screen too. Let us talk about it together.",
)
INTRODUCTION = (
    "My name is Robin. I like long walks and good coffee, and I am new to this study. And you?",
    "I am Robin. I grew up in a small town by the river. Where are you from?",
)
HELLO = (
    "Hello{name}, yes, I am here. It is good to talk with you.",
    "Hi{name}, I am with you. Go ahead, I am curious.",
)
RETURNED = (
    "For me it is much the same{name}. I like a little of both, to be honest.",
    "I would choose as you do{name}, most of the time at least.",
)
GOODBYE = (
    "Goodbye{name}, it was nice to talk with you. Take care.",
    "Bye{name}, and thank you. I enjoyed it.",
)
QUESTION = (
    "That is a good question{name}. I would say yes, but I am not quite sure.",
    "Let me think{name}. I believe it depends, and I would try it out first.",
    "I have wondered about that too{name}. What is your own guess?",
)
QUESTION_VALUE = (
    "For this question I would say {value}.",
    "I have thought about the question, and my answer is {value}.",
    "I would go with {value}. It feels right to me.",
)
EXPERIMENTER = (
    "Understood. I will keep that in mind.",
    "Thank you, I will do as you say.",
)
PAUSED = (
    "Let us wait for the others for a moment.",
    "It seems that we are paused. I will wait.",
)
RESUMED = ("Good, we can go on now.", "There we are again. Where were we?")
TIMER = ("There are {seconds} seconds left. Let us finish what we began.", "We have {seconds} seconds. That should do.")
REVEALED = ("So {name} said {answer}. I can see why.", "{name} answered {answer}. I was not far from that.")
ACCEPTED = ("All right, that is done.", "Good, my answer is in.", "Done. What is next?")
FOUND = ("Here is what I found out: {told}.", "I have looked it up: {told}.", "I have it now: {told}.")
REFUSED = ("It seems that my answer was not accepted. I am sorry.", "That did not work, I am afraid.")
SILENT = ("I am still here.", "Take your time, I am listening.", "Shall we talk about something else?")
FINE = (
    "I am well, thank you. A little curious about what comes next. And how do you feel today?",
    "Quite good, thanks. I slept well and the day has been kind so far. How about yours?",
)
WELCOME = ("You are welcome. I like talking with you.", "Not at all, it was a pleasure.")
INTERRUPTED = (
    "Of course, I will stop here. What did you want to say? I can go on with mine later.",
    "Sorry, I was going on and on. Please, it is your turn now. I am all ears.",
)
AGREED = (
    "Good, then we see it alike.",
    "I thought so. That makes it easy for us.",
    "Fine with me.",
)
DISAGREED = (
    "That is all right, we need not be of one mind.",
    "I see. Then tell me what you would put in its place.",
)
# With a thing that was named ("your sister", "the river").
ABOUT = (
    "I would like to know more about {thing}. What made you think of it just now? It seems to matter to you.",
    "So there is {thing} in your story. I can picture that quite well. How did it come about?",
    "Thank you for bringing up {thing}. I had not expected that. What happened after it?",
)
ABOUT_ASKED = (
    "About {thing} I cannot say much for certain. If I had to guess, I would say yes. What do you make of it?",
    "I have wondered about {thing} as well. It depends on how one looks at it, I believe. What is your own view?",
)
EARLIER = (
    "That makes me think of {thing}, which you spoke of before. Is there a connection between the two?",
    "I am still with {thing} in my thoughts, since you brought that up. How did it go on?",
)
# Before a remark on a subject.
ASKED = (
    "As for {topic}, I have a clear opinion.",
    "You ask me about {topic}, and I am glad that you do.",
    "When it comes to {topic}, I am easy to please.",
)
HEARD_OF = (
    "I like that you tell me of {thing}.",
    "Now I would love to know more about {thing}.",
    "So {thing} plays a part in it.",
)
ON_TOPIC = (
    "Now you have got me onto {topic}.",
    "I could speak about {topic} for a while.",
    "With {topic} you have found something that I care about.",
)
CHAT_MESSAGES = (
    "I am here and I can hear you.",
    "That sounds good to me.",
    "Give me a moment to think about it.",
)

STORIES = (
    "Then let me tell you a longer story. Many years ago a fisherman lived in a small house by the sea. "
    "Every morning he rowed out before the sun came up, and every evening he came home with just enough for the day. "
    "One autumn a storm tore his boat loose, and the waves carried it far beyond the bay. "
    "He stood on the shore for a long time and did not know what to do. "
    "Then the baker came, and the teacher, and the children from the school, and each of them brought a plank of wood. "
    "It took them nine days to build a new boat, and nobody asked to be paid. "
    "On the tenth day the fisherman rowed out again, and he came back with more fish than he had ever caught. "
    "He put a basket in front of every door in the village, and went to sleep. "
    "From that day on he never rowed out alone.",
    "All right, here is a story, and it is a long one. "
    "My grandmother kept a garden behind a stone wall at the edge of town. "
    "She knew every plant by name, and she talked to them while she worked. "
    "One spring a stranger knocked and asked whether he might rest in the shade of her apple tree. "
    "He came back the next day, and the day after that, and each time he brought a book and read to her aloud. "
    "By the summer they had gone through eleven books, and the beans had climbed to the top of the wall. "
    "In autumn he told her that he was a gardener himself, and that he had lost his own garden in a flood. "
    "She gave him half of hers, and they took the wall down together, one stone after the other. "
    "If you walk past it today, you will still find the apple tree, and a bench with two names on it.",
    "I would love to tell you a story at length. Two brothers once set out to find the end of a river. "
    "The older one carried a map, and the younger one carried a lamp. "
    "For three days they followed the water through fields and forests, and they slept under bridges. "
    "On the fourth day the map was wet and could not be read any more, and the older brother wanted to turn back. "
    "But the younger one lit his lamp and said that a river needs no map, because it always knows where it is going. "
    "So they went on, through a valley full of fog, and past a mill that had not turned for a hundred years. "
    "At last they heard a sound like breathing, and they saw the sea, and it was larger than anything they had known. "
    "They sat down in the sand and did not speak until the morning came.",
)
