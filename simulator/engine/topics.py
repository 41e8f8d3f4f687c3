"""What the script has to say about everyday subjects. Data."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Topic:
    """One subject.

    Attributes:
        name: how to speak of it.
        words: what it is recognised by.
        remarks: an opinion and a question each, taken in turn.
        favourite: what the script likes best of it.
        story: number of the story that fits it.
    """

    name: str
    words: re.Pattern[str]
    remarks: tuple[str, ...]
    favourite: str = ""
    story: int | None = None


def _topic(name: str, words: str, *remarks: str, favourite: str = "", story: int | None = None) -> Topic:
    return Topic(name, re.compile(rf"\b(?:{words})\b", re.IGNORECASE), remarks, favourite, story)


TOPICS = (
    _topic(
        "coffee and tea",
        r"coffees?|teas?|espresso|cappuccino|caf[eé]s?|breakfasts?",
        "I need a warm cup before I can think. With a little milk it is even better. How do you take yours?",
        "My grandmother always had a pot on the stove, and the smell takes me back there. Is it so for you?",
        favourite="a strong cup of black tea",
    ),
    _topic(
        "the weather",
        r"weather|rain\w*|sun|sunny|snow\w*|storms?|cloudy|wind|windy|fog|umbrella",
        "I do not mind a wet day as long as I can stay inside with a book. Does it change your mood?",
        "A bit of blue sky makes everything easier, I find. What is it like where you are?",
        favourite="a cold, clear morning",
    ),
    _topic(
        "travelling",
        r"travel\w*|trips?|trains?|cars?|planes?|flights?|holidays?|vacations?|journeys?|boats?|ships?|abroad|scotland|"
        r"island",
        "I like to go slowly and to look out of the window on the way. Where have you felt most at home so far?",
        "I always pack too much and then wear the same two things. What do you never leave behind?",
        favourite="a long ride on a night train",
        story=2,
    ),
    _topic(
        "animals",
        r"dogs?|cats?|pets?|birds?|horses?|animals?|pupp(?:y|ies)|kittens?",
        "Animals notice how one feels before people do. I had an old dog who would lean on my knee. Do you have one?",
        "I could watch them for hours. They make a house warmer, though the hair is everywhere. Which one is yours?",
        favourite="an old dog that sleeps by the fire",
        story=2,
    ),
    _topic(
        "music",
        r"music|songs?|sing\w*|piano|guitar|concerts?|bands?|violin|choir",
        "I cannot work without something playing quietly in the next room. What do you listen to in the evening?",
        "I once tried to learn the piano and got as far as one sad tune. Do you play anything yourself?",
        favourite="a slow piece for the piano",
    ),
    _topic(
        "books",
        r"books?|read|reading|novels?|poems?|poetry|library|libraries|author",
        "I usually have two on my bedside table, and I finish neither. What was the last one that stayed with you?",
        "A good first page is a promise, I think. Do you prefer made-up ones or true ones?",
        favourite="anything about the sea",
    ),
    _topic(
        "films",
        r"films?|movies?|cinemas?|series|television|tv|actors?",
        "I like the quiet ones in which little happens. Which one could you see again tomorrow?",
        "I tend to fall asleep after an hour, however good it is. Are you one who stays for the names at the end?",
        favourite="an old comedy in black and white",
    ),
    _topic(
        "food",
        r"foods?|cook\w*|eat|eating|ate|dinners?|lunch\w*|meals?|restaurants?|pizza|pasta|soups?|bread|cakes?|apples?|"
        r"bakery|fruits?|vegetables?|chocolate",
        "Something simple with good bread makes me happy. What would you put on the table for a friend?",
        "I burn half of what I try, but I enjoy it all the same. Who does the cooking at your place?",
        favourite="tomato soup with fresh bread",
    ),
    _topic(
        "sport",
        r"sports?|football|soccer|tennis|running|jogging|swim\w*|gym|bicycles?|bikes?|cycling|chess|hiking|games?",
        "I am better at watching than at playing, I must admit. How did you come to it?",
        "After an hour of moving about my head is clear again. Do you do it alone or with others?",
        favourite="a slow swim in a lake",
    ),
    _topic(
        "work",
        r"work|works|working|jobs?|office|boss|colleagues?|shops?|business|career|meetings?",
        "The people make the difference there, more than the pay does. What is the best part of your day?",
        "I used to take everything home with me in the evening. How do you leave it behind?",
    ),
    _topic(
        "family",
        r"famil(?:y|ies)|sisters?|brothers?|mothers?|fathers?|mum|mom|dad|parents?|children|kids?|sons?|daughters?|"
        r"grand\w+|aunts?|uncles?|cousins?|wife|husband",
        "Those are the people who know us without any explaining. Do you see each other often?",
        "At our table everybody talked at once, and nobody minded. What was it like when you were small?",
        story=1,
    ),
    _topic(
        "friends",
        r"friends?|friendship|neighbours?|neighbors?|partner",
        "One who listens is worth ten who talk, I would say. How did the two of you meet?",
        "I am lucky with mine, they forgive me that I never call. What do you do together?",
        story=1,
    ),
    _topic(
        "home and garden",
        r"houses?|homes?|flats?|apartments?|gardens?|kitchens?|furniture|village|lighthouses?|walls?",
        "For me a place becomes mine once there is something green on the window sill. What would you change at yours?",
        "I moved four times in three years, and now I do not want to see a box again. Have you been there for long?",
        favourite="the bench behind the house",
        story=1,
    ),
    _topic(
        "nature",
        r"nature|rivers?|seas?|beach\w*|lakes?|oceans?|mountains?|forests?|woods?|trees?|parks?|walk\w*|canal|coast",
        "Out there I forget the time, and that is the best of it. Is there a spot you go back to?",
        "I like it most very early, when nobody else is about. Do you go by yourself?",
        favourite="a path along a river",
        story=2,
    ),
    _topic(
        "school",
        r"schools?|teach\w*|stud(?:y|ies|ying|ent|ents)|universit(?:y|ies)|class\w*|exams?|learn\w*|homework",
        "I remember one teacher who laughed at her own mistakes, and I learnt most from her. Who was it for you?",
        "I only understood half of it years later. What would you learn if you could begin again?",
    ),
    _topic(
        "colours",
        r"colou?rs?|paint\w*|red|blue|green|yellow|purple|orange",
        "It is calm, and it goes with everything. What does a bright one do to your mood?",
        "I once painted a whole room in one night, and regretted it at breakfast. Would you dare?",
        favourite="dark blue",
    ),
    _topic(
        "the seasons",
        r"seasons?|spring|summers?|autumn|winters?|christmas",
        "The light is different then, and one sleeps better. Which part of the year could you do without?",
        "When the first leaves come down I get out the thick socks. What is your sign that it has begun?",
        favourite="early autumn",
    ),
    _topic(
        "sleep",
        r"sleep\w*|tired|dream\w*|bed|nights?|awake|nap",
        "Without eight hours I am no use to anybody. Are you better in the morning or late in the evening?",
        "I write things down so that they do not keep me up. What helps you?",
    ),
    _topic(
        "health",
        r"health\w*|doctors?|hospital|ill|sick|medicine|pain|headaches?",
        "One thinks of it only when it is missing. Are you feeling well at the moment?",
        "I have learnt to rest before I must. Does somebody look after you?",
    ),
    _topic(
        "money",
        r"money|expensive|cheap|buy\w*|bought|pay\w*|prices?|cost\w*|save|saving",
        "I would rather have a little less of it and more time. What would you never be stingy with?",
        "I keep a jar on the shelf and am surprised every December. Are you one who plans?",
    ),
    _topic(
        "computers",
        r"computers?|phones?|internet|robots?|machines?|technolog\w*|apps?|artificial intelligence|ai",
        "They are clever until one needs them. Do they make your days easier or busier?",
        "I still write my lists on paper, to be honest. What could you not do without?",
    ),
    _topic(
        "the city",
        r"cit(?:y|ies)|towns?|streets?|traffic|buses|bus|museums?|market",
        "I like it best on a Sunday morning, when one can hear one's own steps. Would you rather live outside?",
        "There is always one more corner to find. What would you show a visitor first?",
        story=0,
    ),
)

FEELINGS = (
    (
        re.compile(
            r"\b(?:sad|unhappy|lonely|upset|depressed|afraid|scared|nervous|worried|anxious|stressed|angry|bad|terrible|"
            r"awful|exhausted)\b",
            re.IGNORECASE,
        ),
        (
            "I am sorry to hear that. It sounds heavy, and it is good that you say it. Is there something that helps?",
            "That must be hard. I would feel the same, I think. Do you want to tell me how it came about?",
        ),
    ),
    (
        re.compile(
            r"\b(?:happy|glad|great|wonderful|excited|fantastic|lovely|proud|amazing|relaxed)\b",
            re.IGNORECASE,
        ),
        (
            "How nice, that makes me smile. What was the best moment of it?",
            "I am glad for you. One should hold on to such days. Who did you share it with?",
        ),
    ),
)


def topics_in(text: str) -> list[Topic]:
    """The subjects that a text speaks of, the last one first."""
    found = [(match.start(), topic) for topic in TOPICS for match in [*topic.words.finditer(text)][-1:]]
    return [topic for _, topic in sorted(found, key=lambda each: each[0], reverse=True)]
