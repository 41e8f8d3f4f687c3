"""What the script answers to words, spoken or typed. Pure.

The words are looked at for what they do (greet, thank, ask for a name, offer a choice, break in …), then for what they
are about: a subject that the script knows (topics), or a thing that they name ("my sister"). What was said before, what
the screen shows and what the instructions say is used where it is asked for. A reply never repeats the sentence.
"""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING

from simulator.engine import script
from simulator.engine.topics import FEELINGS, topics_in

if TYPE_CHECKING:
    from simulator.engine.context import StudyContext
    from simulator.engine.topics import Topic

_OWN_NAME = "Robin"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NAMED = re.compile(r"\b(?i:you are|your name is|you're|you play|act as)\s+([A-Z][a-z]{1,15})\b")
_INTRODUCES = re.compile(r"\b(?i:my name is|my name's|call me|i am called|i'm called)\s+([A-Za-z][a-z]{1,15})\b")
_IS_CALLED = re.compile(
    r"^\W*(?i:(?:hello|hi|hey)[,.!]*\s+)?(?i:i am|i'm|this is)\s+([A-Z][a-z]{1,15})\b(?=[.,!]|\s+(?:and|from)\b)"
)
_ASKED_FOR_NAME = ("what may I call you?", "What is your name?")
_ONLY_NAME = re.compile(r"^\W*(?i:(?:it is|it's|i am|i'm|just)\s+)?([A-Za-z]{2,16})\W*$")
_OR = re.compile(
    r"([\w' ]+?),?\s+or\s+([\w' ]+?)(?=\s+(?:in|on|at|for|when|if|with|to|by|of)\b|[,.?!]|$)", re.IGNORECASE
)
_BEFORE_CHOICE = re.compile(
    r"^.*\b(?:have|like|prefer|choose|take|want|be|is it|do you|say|pick|drink|eat|rather|by|to|a|an|the|in|on|with"
    r"|for)\b\s+",
    re.IGNORECASE,
)
# "my old sister", "the river": a noun behind a word that stands before nouns.
_THING = re.compile(
    r"\b(my|our|the|a|an|his|her|their)\s+((?:(?:old|new|little|big|small|young|whole|first|last|best|nice|small)\s+)?"
    r"[a-z]{3,}(?:ing)?)\b",
    re.IGNORECASE,
)
_NO_THINGS = _words(
    "same other others one ones way lot bit time day days thing things moment minute second rest morning evening week "
    "year years end most least best first last next only whole few couple kind sort question answer very really truth "
    "little old new big small young nice more long story stories"
)
_QUALITY = re.compile(r"(?:ly|ous|ful|(?<!for)(?<!inter)(?<!gu)(?<!ch)(?<!harv)(?<!w)est)$", re.IGNORECASE)
_SCREEN_LIMIT = 160


def reply_to(words: str, context: StudyContext, instructions: str) -> str:
    """The answer to these words, in this context; the words themselves are the last of what was said there."""
    for pattern, answer in _ACTS:
        if pattern.search(words):
            found = answer(words, context, instructions)
            if found is not None:
                return found
    return _to_subject(words, context)


def own_name(instructions: str) -> str:
    """The name that the instructions give, or the script's own."""
    match = _NAMED.search(instructions)
    return match[1] if match else _OWN_NAME


def speakers_name(context: StudyContext) -> str:
    """What the other one is called, as far as was said or told; else empty."""
    for said in reversed(context.said):
        match = _INTRODUCES.search(said.words) or _IS_CALLED.search(said.words)
        if match is None and said.after.endswith(_ASKED_FOR_NAME):
            match = _ONLY_NAME.search(said.words)
        if match:
            return match[1].capitalize()
    return context.partner


def things_in(text: str) -> list[str]:
    """What a text names, as the listener would name it, the last one first: "my sister" becomes "your sister"."""
    found = []
    for owner, thing in _THING.findall(text):
        if thing.lower().split()[-1] not in _NO_THINGS and not _QUALITY.search(thing):
            theirs = {"my": "your", "our": "your", "a": "the", "an": "the"}.get(owner.lower(), owner.lower())
            found.append(f"{theirs} {thing.lower()}")
    return found[::-1]


def in_turn(choices: tuple[str, ...], context: StudyContext) -> str:
    """One of these, another one with each reply."""
    return choices[context.turns % len(choices)]


def _addressed(choices: tuple[str, ...], context: StudyContext) -> str:
    """One of these, with the other one's name where it is known."""
    name = speakers_name(context)
    return in_turn(choices, context).format(name=f", {name}" if name else "")


# What words do. Each gives an answer, or None where it does not fit after all.


def _repeat(_words: str, context: StudyContext, _instructions: str) -> str | None:
    own = [text for text in context.own if text]
    if not own:
        return None
    return f"Of course. I said: {own[-1]}"


def _name(_words: str, context: StudyContext, instructions: str) -> str:
    name = own_name(instructions)
    asked = f"And {_ASKED_FOR_NAME[0]}" if not speakers_name(context) else "It is good to talk with you."
    return f"I am {name}. {asked}"


def _their_name(_words: str, context: StudyContext, _instructions: str) -> str:
    name = speakers_name(context)
    return f"You are {name}, I have not forgotten." if name else f"You have not told me yet. {_ASKED_FOR_NAME[1]}"


def _recall(_words: str, context: StudyContext, _instructions: str) -> str:
    earlier = context.said[:-1]
    for said in reversed(earlier):
        things = things_in(said.words) or [topic.name for topic in topics_in(said.words)]
        if things:
            return f"You told me about {things[0]}. I would like to hear more of it."
    return "You have not told me much yet. Please go ahead." if not earlier else "A few things. Tell me again, please."


def _see(_words: str, context: StudyContext, _instructions: str) -> str | None:
    seen = []
    colour = context.look()
    if colour:
        seen.append(f"I see a picture that is mostly {colour}.")
    if context.screen:
        text = " ".join(context.screen.split())
        seen.append(f"The screen says: {text[:_SCREEN_LIMIT].rstrip(' .')}.")
    return " ".join(seen) if seen else "There is nothing on my screen at the moment. What do you see?"


def _time_left(_words: str, context: StudyContext, _instructions: str) -> str:
    if context.seconds_left is None:
        return "I do not see a clock here, so I cannot tell. Let us just go on."
    return f"The clock said {context.seconds_left} seconds a moment ago. That should do for us."


def _who(_words: str, context: StudyContext, _instructions: str) -> str | None:
    if not context.others:
        return None
    return f"There is {' and '.join(context.others)}, and there is me. Have you talked to everybody?"


def _revealed(_words: str, context: StudyContext, _instructions: str) -> str | None:
    if not context.revealed:
        return None
    name, answer = context.revealed[-1]
    return f"{name} answered {answer}. I was not far from that. And you?"


def _value(_words: str, context: StudyContext, _instructions: str) -> str | None:
    if context.question is None or context.spoken_value is None:
        return None
    return in_turn(script.QUESTION_VALUE, context).format(value=context.spoken_value)


def _introduced(words: str, context: StudyContext, instructions: str) -> str | None:
    match = _INTRODUCES.search(words) or _IS_CALLED.search(words)
    if match is None and context.said and context.said[-1].after.endswith(_ASKED_FOR_NAME):
        match = _ONLY_NAME.search(words)
    if match is None:
        return None
    place = _place(words)
    more = f" {place} is a place I would like to see." if place else " What brings you to this study?"
    return f"Nice to meet you, {match[1].capitalize()}. I am {own_name(instructions)}.{more}"


def _place(words: str) -> str:
    match = re.search(r"\b(?:from|live in|grew up in|born in)\s+([A-Z][a-z]+(?:\s[A-Z][a-z]+)?)", words)
    return match[1] if match else ""


def _greeting(_words: str, context: StudyContext, _instructions: str) -> str:
    hello = _addressed(script.HELLO, context)
    about = [topic.name for topic in topics_in(context.screen)]
    return f"{hello} The screen wants us to speak about {about[0]}. Shall we?" if about else hello


def _fine(_words: str, context: StudyContext, _instructions: str) -> str:
    return in_turn(script.FINE, context)


def _thanks(_words: str, context: StudyContext, _instructions: str) -> str:
    return in_turn(script.WELCOME, context)


def _goodbye(_words: str, context: StudyContext, _instructions: str) -> str:
    return _addressed(script.GOODBYE, context)


def _broke_in(_words: str, context: StudyContext, _instructions: str) -> str:
    return in_turn(script.INTERRUPTED, context)


def _returned(_words: str, context: StudyContext, _instructions: str) -> str:
    return _addressed(script.RETURNED, context)


def _choice(words: str, context: StudyContext, _instructions: str) -> str | None:
    """One of two things that were offered, the same one whenever they are."""
    question = next((part for part in re.split(r"(?<=[.!?])\s+", words) if " or " in part.lower()), words)
    match = _OR.search(question)
    if match is None:
        return None
    options = [_BEFORE_CHOICE.sub("", f" {option.strip()}").strip().lower() for option in match.groups()]
    if not all(0 < len(option.split()) <= 3 for option in options):
        return None
    taken = options[zlib.crc32(" ".join(sorted(options)).encode()) % 2]
    about = topics_in(taken) or topics_in(question)
    remark = in_turn(about[0].remarks, context) if about else "It simply suits me better. And what is it for you?"
    return f"For me it would be {taken}. {remark}"


def _favourite(words: str, context: StudyContext, _instructions: str) -> str | None:
    about = [topic for topic in topics_in(words) if topic.favourite]
    if not about:
        return None
    return f"That would be {about[0].favourite}. {in_turn(about[0].remarks, context)}"


def _agreement(words: str, context: StudyContext, _instructions: str) -> str | None:
    """A word or two of answer: it belongs to what the script itself spoke of last."""
    if len(words.split()) > 5:
        return None
    about = topics_in(context.own[-1]) if context.own and context.own[-1] else []
    no = re.match(r"^\W*(?:no|nope|not really|never)\b", words, re.IGNORECASE)
    choices = script.DISAGREED if no else script.AGREED
    more = f" So much for {about[0].name}, then." if about else ""
    return in_turn(choices, context) + more


def _act(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


_SHOWN = r"(?:picture|image|screen|photo)"
# A few words may follow ("hello there, Robin"); more than that is about something.
_FEW = r"(?=\W*(?:[\w']+\W*){0,4}$)"

_ACTS = (
    (
        _act(
            r"\bsay (?:that|it) again\b",
            r"\brepeat (?:that|it|what)\b",
            r"^\W*(?:pardon|sorry|what)\W*$",
            r"\bwhat did you (?:just )?say\b",
        ),
        _repeat,
    ),
    (_act(r"\b(?:what is|what's|remember|know) my name\b", r"\bwho am i\b"), _their_name),
    (_act(r"\b(?:remember|recall)\b.*\bi\b", r"\bwhat (?:did|have) i (?:say|said|tell|told|talk)"), _recall),
    (
        _act(r"\bwhat(?: is|'s) your name\b", r"\bwho are you\b", r"\bintroduce yourself\b", r"\babout yourself\b"),
        _name,
    ),
    (
        _act(
            r"\b(?:what|anything)\b.*\b(?:do|can|could|did) you see\b",
            rf"\bwhat(?:'s| is| does)\b.*\b{_SHOWN}\b",
            rf"\bcolou?r\b.*\b{_SHOWN}\b",
            rf"\b{_SHOWN}\b.*\bcolou?r\b",
            rf"\bdescribe the {_SHOWN}\b",
        ),
        _see,
    ),
    (_act(r"\bhow (?:much time|long do we have|many seconds|many minutes)\b", r"\btime (?:is )?left\b"), _time_left),
    (_act(r"\bwho (?:else|is here|are the others|takes part|is with us)\b"), _who),
    (_act(r"\bwhat (?:did|was)\b.*\b(?:answer|say|choose|think)\b"), _revealed),
    (
        _act(
            r"\byour (?:answer|rating|choice)\b",
            r"\bwhat (?:would|will|did) you (?:answer|choose|pick|rate)\b",
            r"\bhow (?:would|will) you rate\b",
            r"\banswer (?:to )?the question\b",
        ),
        _value,
    ),
    (_act(r"."), _introduced),
    (
        _act(
            r"\bhow are you\b",
            r"\bhow(?:'s| is) it going\b",
            r"\bhow do you (?:do|feel)\b",
            r"\bhow (?:has|was) your day\b",
        ),
        _fine,
    ),
    (
        _act(
            r"^\W*(?:wait|stop|hold on|excuse me|just a (?:moment|second)|one moment|let me stop|enough)\b",
            r"^\W*(?:i am |i'm )?sorry to (?:interrupt|break)\b",
        ),
        _broke_in,
    ),
    (_act(r"\b(?:goodbye|good bye|bye|see you|farewell|have to go|must go)\b"), _goodbye),
    (_act(rf"^\W*(?:(?:no|yes|okay|oh|well)\W+)?(?:thank you|thanks)\b{_FEW}"), _thanks),
    (_act(r"\bor\b.*\?", r"\b(?:prefer|rather)\b.*\bor\b"), _choice),
    (_act(r"\bfavou?rite\b", r"\blike (?:best|most)\b", r"\bprefer\b"), _favourite),
    (_act(r"\b(?:and you|what about you|how about you|and yours)\s*\?"), _returned),
    (_act(rf"^\W*(?:hello|hi|hey|good (?:morning|afternoon|evening)|anyone there)\b{_FEW}"), _greeting),
    (
        _act(
            r"^\W*(?:yes|yeah|yep|no|nope|sure|right|okay|ok|exactly|indeed|maybe|never)\b",
            r"^\W*(?:not really|i see|all right|uh huh)\b",
        ),
        _agreement,
    ),
)


# What words are about.


def _to_subject(words: str, context: StudyContext) -> str:
    things = things_in(words)
    about = _subject(words, things)
    asks = "?" in words
    for pattern, replies in FEELINGS:
        if pattern.search(words) and not asks:
            return in_turn(replies, context)
    if about is not None:
        return _on_topic(about, things, asks, context)
    if things:
        return in_turn(script.ABOUT_ASKED if asks else script.ABOUT, context).format(thing=things[0])
    if asks:
        return _addressed(script.QUESTION, context)
    spoken_of = context.own[-1] if context.own else ""
    things = [thing for said in reversed(context.said[:-1]) for thing in things_in(said.words)]
    earlier = [thing for thing in things if thing not in spoken_of]
    if earlier:
        return in_turn(script.EARLIER, context).format(thing=earlier[0])
    return in_turn(script.BRIEF if len(words.split()) < 4 else script.LISTENED, context)


def _subject(words: str, things: list[str]) -> Topic | None:
    """What it is about: somebody or something of the speaker's own before anything else, then what came last."""
    own = [topic for thing in things if thing.startswith("your ") for topic in topics_in(thing)]
    return next(iter(own or topics_in(words)), None)


def _on_topic(topic: Topic, things: list[str], asks: bool, context: StudyContext) -> str:
    remark = in_turn(topic.remarks, context)
    if asks:
        return f"{in_turn(script.ASKED, context).format(topic=topic.name)} {remark}"
    thing = next((thing for thing in things if topic.words.search(thing)), None)
    if thing is not None:
        return f"{in_turn(script.HEARD_OF, context).format(thing=thing)} {remark}"
    return f"{in_turn(script.ON_TOPIC, context).format(topic=topic.name)} {remark}"
