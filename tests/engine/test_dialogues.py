"""Twenty conversations with the script: what the others say and do, and what each reply must refer to."""

import json
import re
from typing import Any

import pytest

from simulator.engine.conversation import spoken_item
from simulator.engine.mind import Call, Say
from simulator.profile.answers import question_text
from simulator.profile.tools import TOOLS
from tests.engine.test_mind import SETTINGS, Talk
from tests.engine.test_sight import png

WEATHER = {
    "type": "function",
    "name": "get_weather",
    "description": "Today's weather.",
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "unit": {"enum": ["celsius", "fahrenheit"]}},
        "required": ["city"],
    },
}
LIGHTS = {
    "type": "function",
    "name": "set_light_brightness",
    "parameters": {
        "type": "object",
        "properties": {"percent": {"type": "integer", "minimum": 0, "maximum": 100}},
        "required": ["percent"],
    },
}
JUICE_OR_WATER = question_text("multiplechoice", {"question": "Which drink?", "choices": ["Juice", "Water"]})
ONE_TO_SEVEN = question_text(
    "likertscale", {"question": "I enjoyed it.", "scale": 7, "minLabel": "no", "maxLabel": "yes"}
)
TOPICS = ["Coffee or tea", "Juice", "Water"]
ABOUT_DRINKS = question_text("multiplechoice", {"question": "Which drink was it about?", "choices": TOPICS})
DRINK = {"event": "question", "tool": "answer_choice", "question": JUICE_OR_WATER, "duringVideo": False}
SCALE = {"event": "question", "tool": "answer_scale", "question": ONE_TO_SEVEN, "duringVideo": False}

Line = tuple[str, Any]


def say(words: str) -> Line:
    return "say", words


def typed(words: str, speaker: str = "Alex") -> Line:
    return "context", {"event": "typed", "speaker": speaker, "said": words}


def screen(text: str, **more: Any) -> Line:
    return "context", {"event": "screen", "type": "showtext", "text": text, **more}


def told(**data: Any) -> Line:
    return "context", data


def reply(pattern: str) -> Line:
    return "reply", pattern


def call(name: str, **arguments: Any) -> Line:
    return "call", (name, arguments)


DIALOGUES: dict[str, list[Line]] = {
    "names": [
        say("Hello, my name is Maria."),
        reply(r"Maria.*Robin"),
        say("I grew up in a small village near the coast."),
        reply(r"village|nature|coast"),
        say("Do you remember my name?"),
        reply(r"Maria"),
    ],
    "a choice of drinks": [
        say("Would you rather have coffee or tea in the morning?"),
        reply(r"For me it would be (coffee|tea)\. .*\?"),
        say("Oh, really? Could you say that again?"),
        reply(r"I said: For me it would be (coffee|tea)"),
    ],
    "a favourite": [
        say("What is your favourite colour and why do you like it so much?"),
        reply(r"dark blue"),
        say("And which season of the year do you like best?"),
        reply(r"autumn"),
    ],
    "the family": [
        say("Yesterday I walked along the river with my sister and we bought apples from an old man in autumn."),
        reply(r"your sister"),
        say("We talked about the house where we lived when we were small."),
        reply(r"the house|home"),
        say("What did I tell you about yesterday?"),
        reply(r"the house|your sister|the river"),
    ],
    "a sad day": [
        say("I feel quite sad and lonely today."),
        reply(r"sorry|hard"),
        say("My old dog died last week."),
        reply(r"your old dog"),
        say("Thank you for listening."),
        reply(r"welcome|Not at all"),
    ],
    "a good day": [
        say("I am so happy, I passed my driving test!"),
        reply(r"smile|glad"),
        say("I want to buy a car now and drive to Italy."),
        reply(r"the car"),
    ],
    "what the screen shows": [
        screen("Please talk about your last holiday."),
        say("Hello!"),
        reply(r"travelling"),
        say("What does the screen say?"),
        reply(r"The screen says: Please talk about your last holiday"),
    ],
    "a picture": [
        ("image", (0, 0, 255)),
        say("What do you see there?"),
        reply(r"blue"),
        say("Okay."),
        reply(r"alike|thought so|Fine"),
    ],
    "the question, spoken and silent": [
        told(**SCALE),
        say("What is your answer?"),
        reply(r"\b[1-7]\b"),
        say("Please answer the question on the screen now."),
        call("answer_scale"),
    ],
    "the same value twice": [
        told(**DRINK),
        say("What would you choose?"),
        reply(r"Juice|Water"),
        say("Can you answer that question please?"),
        call("answer_choice"),
    ],
    "a line for the chat": [
        say("Could you send a chat message saying we are ready to begin?"),
        call("send_chat", message="We are ready to begin?"),
        told(event="typed", speaker="Sam", said="Thanks!"),
        reply(r"welcome|Not at all"),
    ],
    "a tool of somebody's own": [
        say("What is the weather like in New York today?"),
        call("get_weather", city="New York"),
        ("output", '{"temperature": 21, "sky": "clear"}'),
        reply(r"temperature 21, sky clear"),
        say("I hate this weather."),
        reply(r"weather"),
    ],
    "a tool with a number": [
        say("Please set the light brightness to 40 percent."),
        call("set_light_brightness", percent=40),
        ("output", '{"error": "The lamp is off."}'),
        reply(r"not accepted|did not work"),
    ],
    "an interruption": [
        say("Please tell me a long story about a ship."),
        reply(r"(?s)(river|fisherman).{400}"),
        ("cut", None),
        say("Wait a moment please, because I would like to say something."),
        reply(r"stop here|your turn"),
        say("I once lived by the sea."),
        reply(r"the sea|nature"),
    ],
    "time": [
        told(event="timer", secondsLeft=45),
        say("How much time do we have left?"),
        reply(r"45 seconds"),
        told(event="paused", waitingFor=["Alex (A)"]),
        say("Are you there?"),
        reply(r"wait"),
        told(event="resumed"),
        reply(r"go on|Where were we"),
    ],
    "the others": [
        told(event="participants", others=[{"name": "Alex", "role": "A"}, {"name": "Kim", "role": "B"}]),
        say("Who else is here?"),
        reply(r"Alex and Kim"),
        told(event="revealed", name="Kim", role="B", answer="Tea"),
        say("What did Kim answer?"),
        reply(r"Kim answered Tea"),
    ],
    "typed chat": [
        typed("hi"),
        reply(r"Alex"),
        typed("I love cooking for my friends"),
        reply(r"your friends|friends"),
        typed("Gotta go, bye!"),
        reply(r"(Goodbye|Bye), Alex"),
    ],
    "small talk": [
        say("Good morning. How are you today?"),
        reply(r"well|good"),
        say("I slept badly because of the neighbours."),
        reply(r"the neighbours|friends|sleep"),
        say("Have you ever been to the north of Scotland?"),
        reply(r"travelling|the north"),
    ],
    "something the script does not know": [
        say("My brother-in-law collects the strangest lampshades."),
        reply(r"your brother|family"),
        say("The exhibition opens on Tuesday."),
        reply(r"the exhibition"),
        say("Nobody expected it."),
        reply(r"your brother.*before"),
        say("Why would anybody do it?"),
        reply(r"question|Let me think|wondered"),
    ],
    "who it is": [
        say("What is your name?"),
        reply(r"I am Robin.*call you"),
        say("Sam."),
        reply(r"Nice to meet you, Sam"),
        say("Who am I?"),
        reply(r"You are Sam"),
        say("It was a long day at the office."),
        reply(r"the office"),
    ],
}


@pytest.mark.parametrize("name", DIALOGUES)
def test_dialogue(name: str) -> None:
    """Each reply refers to what was said or shown, and none repeats four words in a row of what was said last."""
    talk = Talk()
    last = ""
    for kind, value in DIALOGUES[name]:
        match kind:
            case "say":
                item = spoken_item(f"item_{len(talk.conversation.items)}", bytes(48 * 3000))
                item.wire["content"][0]["transcript"] = last = value
                talk.conversation.append(item)
            case "context":
                last = value.get("said", "")
                talk.context(**value)
            case "image":
                parts = [
                    {"type": "input_text", "text": '[context] {"event":"screen","type":"showimage","text":""}'},
                    {"type": "input_image", "image_url": png(2, bytes(value) * 8)},
                ]
                talk.conversation.create({"item": {"type": "message", "role": "user", "content": parts}})
            case "output":
                last = ""
                create = {"type": "function_call_output", "call_id": "call_1", "output": value}
                talk.conversation.create({"item": create})
            case "cut":
                talk.conversation.items[-1].wire["content"][0]["text"] = None
            case _:
                [step] = talk.plan(session={"tools": [*TOOLS, WEATHER, LIGHTS]})
                _check(talk, step, kind, value, last)


def _check(talk: Talk, step: Say | Call, kind: str, value: Any, last: str) -> None:
    if kind == "call":
        assert isinstance(step, Call), step
        assert step.name == value[0]
        assert value[1].items() <= step.arguments.items()
        arguments = json.dumps(step.arguments)
        item = {"type": "function_call", "call_id": "call_1", "name": step.name, "arguments": arguments}
        talk.conversation.create({"item": item})
    else:
        assert isinstance(step, Say), step
        assert re.search(value, step.text), step.text
        assert not _runs(last) & _runs(step.text), step.text
        talk.text(step.text, role="assistant")


def _runs(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"[a-z']+", text.lower())
    return {tuple(words[at : at + 4]) for at in range(len(words) - 3)}


def test_there_are_twenty() -> None:
    assert len(DIALOGUES) >= 20


def test_spoken_answer_is_the_silent_one() -> None:
    talk = Talk().context(**DRINK)
    said = talk.reply(session={"tools": [*TOOLS]})
    [called] = talk.plan(tools=[*TOOLS], tool_choice={"type": "function", "name": "answer_choice"})
    assert called.arguments["choice"] in said


@pytest.mark.parametrize(
    ("line", "choice"),
    [
        (say("Would you rather have coffee or tea in the morning?"), "Coffee or tea"),
        (typed("I would take tea. And you?"), "Coffee or tea"),
        (typed("Nothing beats fresh juice."), "Juice"),
        (say("I drink a lot of water."), "Water"),
    ],
)
def test_choice_is_what_the_conversation_was_about(line: Line, choice: str) -> None:
    talk = Talk()
    if line[0] == "context":
        talk.context(**line[1])
    else:
        item = spoken_item("item_1", bytes(48 * 2000))
        item.wire["content"][0]["transcript"] = line[1]
        talk.conversation.append(item)
    talk.context(event="question", tool="answer_choice", question=ABOUT_DRINKS, duringVideo=False)
    [called] = talk.plan(tools=[*TOOLS], tool_choice={"type": "function", "name": "answer_choice"})
    assert called.arguments == {"choice": choice}


def test_own_words_count_where_nobody_was_understood() -> None:
    talk = Talk().spoken(2000).text("For me it would be tea. How do you take yours?", role="assistant")
    talk.context(event="question", tool="answer_choice", question=ABOUT_DRINKS, duringVideo=False)
    [called] = talk.plan(tools=[*TOOLS], tool_choice={"type": "function", "name": "answer_choice"})
    assert called.arguments == {"choice": "Coffee or tea"}


def test_several_choices_and_an_order_begin_with_what_was_spoken_of() -> None:
    talk = Talk().context(**typed("Juice, juice and water!")[1])
    for component, config, tool, name in (
        ("multiplechoice", {"allowMultiple": True}, "answer_choices", "choices"),
        ("ranking", {}, "answer_ranking", "order"),
    ):
        question = question_text(component, {"question": "Which ones?", "choices": TOPICS, **config})
        talk.context(event="question", tool=tool, question=question, duringVideo=False)
        [called] = talk.plan(tools=[*TOOLS], tool_choice={"type": "function", "name": tool})
        assert called.arguments[name][0] == "Juice"
    assert sorted(called.arguments["order"]) == sorted(TOPICS)


def test_name_of_the_instructions() -> None:
    item = spoken_item("item_1", bytes(48 * 2000))
    item.wire["content"][0]["transcript"] = "Who are you?"
    talk = Talk()
    talk.conversation.append(item)
    assert "I am Toni." in talk.reply(session={**SETTINGS, "instructions": "You are Toni, a nurse. Be brief."})
