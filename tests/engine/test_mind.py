"""What the script says and which tool it calls, and that arguments fit the question. All of it pure."""

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.engine import script
from simulator.engine.answers import arguments_for, choices_in, range_in
from simulator.engine.configuration import defaults
from simulator.engine.conversation import Conversation, spoken_item
from simulator.engine.mind import Call, Say
from simulator.engine.request import response_request
from simulator.engine.script_mind import plan, wants_long
from simulator.engine.voice import Voice

SETTINGS = {**defaults("sess_1", "some-model", 0), "instructions": "Be friendly."}


def tool(name: str, argument: str, schema: dict[str, Any]) -> dict[str, Any]:
    parameters = {
        "type": "object",
        "properties": {argument: schema},
        "required": [argument],
        "additionalProperties": False,
    }
    return {"type": "function", "name": name, "description": "", "parameters": parameters}


TOOLS = {
    each["name"]: each
    for each in (
        tool("send_chat", "message", {"type": "string"}),
        tool("answer_choice", "choice", {"type": "string"}),
        tool("answer_choices", "choices", {"type": "array", "items": {"type": "string"}}),
        tool("answer_scale", "value", {"type": "number"}),
        tool("answer_ranking", "order", {"type": "array", "items": {"type": "string"}}),
        tool("answer_text", "text", {"type": "string"}),
        tool("answer_dimensions", "scores", {"type": "object", "additionalProperties": {"type": "number"}}),
    )
}
QUESTIONS = {
    "answer_choice": "Question: Which drink do you prefer?\nChoices:\n- Coffee\n- Tea, with milk\nPick one.",
    "answer_choices": "Question: Which colours do you like?\nSeveral may be chosen. Choices:\n- Red\n- Green\n- Blue",
    "answer_scale": "Question: I slept from 1 to 3 hours.\nA Likert scale from 1 to 7 (from “no” to “yes”).",
    "answer_ranking": "Question: Rank these activities.\nOptions: Reading, Hiking, Cooking",
    "answer_text": "Question: Describe your partner in one sentence.\nA text field.",
    "answer_dimensions": "A rating from 0 to 100 on each of these:\n- Calm (from “not” to “very”)\n- Happy",
}


class Talk:
    """A conversation and what the mind makes of it."""

    def __init__(self) -> None:
        self.conversation = Conversation()

    def text(self, text: str, role: str = "user") -> "Talk":
        kind = "output_text" if role == "assistant" else "input_text"
        item = {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}
        self.conversation.create({"item": item})
        return self

    def context(self, **data: Any) -> "Talk":
        return self.text("[context] " + json.dumps(data))

    def spoken(self, ms: int) -> "Talk":
        self.conversation.append(spoken_item(f"item_{len(self.conversation.items)}", bytes(48 * ms)))
        return self

    def plan(self, *, session: dict[str, Any] | None = None, **fields: Any) -> list[Any]:
        return list(plan(response_request(fields, {**SETTINGS, **(session or {})}, self.conversation)))

    def reply(self, *, session: dict[str, Any] | None = None, **fields: Any) -> str:
        [step] = self.plan(session=session, **fields)
        assert isinstance(step, Say)
        return step.text


@pytest.mark.parametrize("name", QUESTIONS)
def test_forced_tool_answers_the_question_on_screen(name: str) -> None:
    question = QUESTIONS[name]
    talk = Talk().context(event="question", tool=name, question=question, duringVideo=False)
    talk.context(event="timer", secondsLeft=30)
    [call] = talk.plan(
        tools=list(TOOLS.values()), tool_choice={"type": "function", "name": name}, output_modalities=["text"]
    )
    assert isinstance(call, Call)
    assert call.name == name
    jsonschema.validate(call.arguments, TOOLS[name]["parameters"])
    [value] = call.arguments.values()
    fits: dict[str, Any] = {
        "answer_choice": lambda: value in ("Coffee", "Tea, with milk"),
        "answer_choices": lambda: value != [] and set(value) <= {"Red", "Green", "Blue"},
        "answer_scale": lambda: 1 <= value <= 7 and isinstance(value, int),
        "answer_ranking": lambda: sorted(value) == ["Cooking", "Hiking", "Reading"],
        "answer_text": lambda: len(value.split()) > 3,
        "answer_dimensions": lambda: set(value) == {"Calm", "Happy"} and all(0 <= v <= 100 for v in value.values()),
    }
    assert fits[name]()


def test_narrow_range_is_kept() -> None:
    assert 0.2 <= arguments_for(TOOLS["answer_scale"], "A number from 0.2 to 0.4.")["value"] <= 0.4


def test_same_question_gets_the_same_answer_and_others_differ() -> None:
    questions = [f"How warm was partner {number}? From 0 to 100." for number in range(10)]
    answers = [arguments_for(TOOLS["answer_scale"], question)["value"] for question in questions]
    assert answers == [arguments_for(TOOLS["answer_scale"], question)["value"] for question in questions]
    assert len(set(answers)) > 5


def test_required_tool_is_the_one_that_the_question_names() -> None:
    talk = Talk().context(event="question", tool="answer_scale", question=QUESTIONS["answer_scale"])
    [call] = talk.plan(tools=list(TOOLS.values()), tool_choice="required")
    assert call.name == "answer_scale"


def test_chat_message_is_a_sentence() -> None:
    [call] = Talk().plan(tools=list(TOOLS.values()), tool_choice={"type": "function", "name": "send_chat"})
    assert call.arguments["message"] in script.CHAT_MESSAGES


_SCHEMAS = st.recursive(
    st.sampled_from(
        [
            {"type": "string"},
            {"type": "string", "enum": ["a", "b"]},
            {"type": "string", "maxLength": 5},
            {"type": "integer", "minimum": 3, "maximum": 5},
            {"type": "number", "minimum": 200},
            {"type": "number", "maximum": -7},
            {"type": "boolean"},
            {"type": "null"},
            {"const": 4},
            {"enum": [1, 2, 3]},
            {"type": ["string", "null"]},
            {},
        ]
    ),
    lambda inner: st.one_of(
        st.builds(lambda item, least: {"type": "array", "items": item, "minItems": least}, inner, st.integers(0, 3)),
        st.builds(lambda value: {"type": "object", "properties": {"a": value, "b": value}, "required": ["b"]}, inner),
        st.builds(lambda value: {"anyOf": [value, {"type": "null"}]}, inner),
    ),
    max_leaves=4,
)


@given(st.dictionaries(st.sampled_from(["x", "y", "order"]), _SCHEMAS), st.sampled_from([*QUESTIONS.values(), ""]))
def test_arguments_fit_any_declared_schema(properties: dict[str, Any], question: str) -> None:
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    arguments = arguments_for({"name": "anything", "parameters": parameters}, question)
    jsonschema.validate(arguments, parameters)


@pytest.mark.parametrize(
    ("question", "choices"),
    [
        ("Which?\n1. One\n2. Two", ["One", "Two"]),
        ("Which?\n* a (b)\n* c", ["a (b)", "c"]),
        ('Choices: "Yes, always", "No".', ["Yes, always", "No"]),
        ("The options are: Coffee; Tea", ["Coffee", "Tea"]),
        ('Pick "red" or "blue".', ["red", "blue"]),
        ("How do you feel?", []),
    ],
)
def test_choices_are_read_from_the_text(question: str, choices: list[str]) -> None:
    assert choices_in(question) == choices


@pytest.mark.parametrize(
    ("question", "bounds"),
    [
        ("A scale from 1 to 7.", (1, 7)),
        ("A number between -5 and 5.", (-5, 5)),
        ("From 0 to 10? Answer from 0 to 100.", (0, 100)),
        ("How many?", None),
    ],
)
def test_range_is_read_from_the_text(question: str, bounds: tuple[float, float] | None) -> None:
    assert range_in(question) == bounds


@pytest.mark.parametrize(
    ("text", "long"),
    [
        ("Please tell me a long story.", True),
        ("Answer at length.", True),
        ("Be brief. But now tell a story about the sea.", True),
        ("Talk for as long as you like.", False),
        ("Do not give long answers.", False),
        ("Never tell stories.", False),
        ("How long did it take?", False),
        ("Please count aloud from one to five hundred.", True),
        ("Keep it short.", False),
    ],
)
def test_asking_for_a_long_reply(text: str, long: bool) -> None:
    assert wants_long(text) is long


@pytest.mark.parametrize(
    "ask",
    [
        lambda talk: talk.text("Tell me a long story."),
        lambda talk: talk.context(event="typed", speaker="Alex", said="Could you tell me a story?"),
        lambda talk: talk.context(event="screen", type="showtext", text="Now tell a long story."),
        lambda talk: talk.context(event="experimenter_message", text="Please tell a long story."),
    ],
)
def test_story_is_told_when_it_is_asked_for(ask: Any) -> None:
    assert ask(Talk()).reply() in script.STORIES


def test_story_by_the_instructions() -> None:
    always = {"instructions": "Whatever is said, answer with a long story."}
    assert Talk().spoken(3000).reply(session=always) in script.STORIES
    assert Talk().reply(instructions="Tell a long story.") in script.STORIES
    # What was asked of one response, or typed once, does not last.
    assert Talk().text("Tell me a long story.").spoken(3000).reply() not in script.STORIES


async def test_stories_last_at_least_twenty_seconds() -> None:
    voice = Voice()
    for story in script.STORIES:
        sentences = await voice.sentences(story)
        assert sum([len(await voice.spoken(sentence, 1.5)) / 48_000 for sentence in sentences]) >= 20 / 1.5
    voice.close()


def test_replies_vary_with_what_happened() -> None:
    spoken = Talk()
    replies = []
    for ms in (1500, 4000, 12_000, 1500, 4000, 12_000):
        replies.append(spoken.spoken(ms).reply())
        spoken.text(replies[-1], role="assistant")
    assert replies[0] in script.GREETINGS
    assert replies[2] in script.LISTENED_LONG
    assert replies[3] in script.BRIEF
    assert replies[4] in script.LISTENED
    assert len(set(replies)) == 6


@pytest.mark.parametrize(
    ("data", "choices"),
    [
        ({"event": "paused", "waitingFor": ["Alex (A)"]}, script.PAUSED),
        ({"event": "resumed"}, script.RESUMED),
        ({"event": "experimenter_message", "text": "Be honest."}, script.EXPERIMENTER),
        ({"event": "screen", "type": "showtext", "text": "Please introduce yourselves."}, script.INTRODUCTION),
        ({"event": "screen", "type": "showtext", "text": "A picture."}, script.ON_SCREEN),
        ({"event": "something_new"}, script.GREETINGS),
    ],
)
def test_reply_to_what_the_study_says(data: dict[str, Any], choices: tuple[str, ...]) -> None:
    assert Talk().context(**data).reply() in choices


@pytest.mark.parametrize(
    ("said", "choices"),
    [
        ("hello?", script.HELLO),
        ("Goodbye!", script.GOODBYE),
        ("I would take tea. And you?", script.RETURNED),
        ("Do you like it here?", script.QUESTION),
    ],
)
def test_reply_to_what_is_typed_names_who_typed(said: str, choices: tuple[str, ...]) -> None:
    reply = Talk().context(event="typed", speaker="Alex", said=said).reply()
    assert reply == choices[0].format(name=", Alex")


def test_spoken_answer_is_the_value_that_the_tool_would_give() -> None:
    talk = Talk().context(event="question", tool="answer_scale", question=QUESTIONS["answer_scale"])
    value = arguments_for(TOOLS["answer_scale"], QUESTIONS["answer_scale"])["value"]
    assert str(value) in talk.reply(tools=list(TOOLS.values()))


def test_timer_and_revealed_say_the_facts() -> None:
    assert "30" in Talk().context(event="timer", secondsLeft=30).reply()
    reply = Talk().context(event="revealed", name="Alex", role="A", answer=70).reply()
    assert "Alex" in reply
    assert "70" in reply


@pytest.mark.parametrize("text", ["[context] {", "[context] []", "[context]", '[context] "x"'])
def test_broken_context_is_taken_as_text(text: str) -> None:
    assert Talk().text(text).reply()
