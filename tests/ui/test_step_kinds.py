"""The forms of steps: each kind makes a step that its own form shows again, and says what is wrong."""

from typing import Any

import pytest

from simulator.errors import SimulatorError
from simulator.participant.messages import Ask, KeepOwnAnswer, Push, SetInstructions, Speak
from simulator.study.steps import AskQuestion, EnterPart, PushContext, Say, Step, StepAction, Study, Wait, When
from ui.models.deck_commands import commands_of
from ui.models.step_kind import StepKind
from ui.models.step_kinds import KINDS, OTHER_QUESTION, QUESTIONS, default_action, gist, kind_of, told


def named(name: str) -> StepKind:
    return next(kind for kind in KINDS if kind.name == name)


def values(kind: StepKind, **changes: Any) -> dict[str, Any]:
    return {field.name: field.default for field in kind.fields} | changes


def edited(action: StepAction, **changes: Any) -> StepAction:
    """Return the action after it went through its form with some fields changed."""
    kind = kind_of(action)
    return kind.action(kind.values(action) | changes, action)


@pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
def test_the_form_of_a_new_step_makes_a_step_of_its_kind_that_fills_it_again(kind: StepKind) -> None:
    action = default_action(kind)
    assert kind_of(action) is kind
    assert kind.action(kind.values(action), action) == action
    assert set(kind.values(action)) == {field.name for field in kind.fields}
    assert gist(action)


EDITED: list[StepAction] = [
    PushContext(
        {"event": "screen", "type": "code", "text": "x", "images": ["attached: the image (a cat)"]}, ("/c.png",)
    ),
    PushContext({"event": "screen", "type": "videochat", "text": ""}, video_chat=True),
    PushContext({"event": "screen", "type": "showtext", "text": "a", "extra": [1]}),
    PushContext({"event": "typed", "speaker": "Ada", "said": "“hi”\nyou"}, asks_reply=False),
    PushContext({"event": "revealed", "name": "Ada", "answer": {"Calm": 70}}),
    PushContext({"event": "revealed", "name": "Ada", "role": "B", "answer": "70 of them"}),
    PushContext({"event": "participants", "others": [{"name": "Ada"}, {"name": "Bo", "role": "B"}]}),
    PushContext({"event": "something new", "n": None}),
    AskQuestion("multiplechoice", {"prompt": "Which?", "options": [{"text": "A", "value": 1}, "B"], "layout": "row"}),
    AskQuestion(
        "multiplechoice", {"question": "Which?", "choices": ["A", "B"], "allowMultiple": True}, own_answer=["B"]
    ),
    AskQuestion("likertscale", {"question": "How?", "scalePoints": 3, "labels": ["no", "so", "yes"]}, own_answer=2),
    AskQuestion("vasrating", {"question": "How?", "minValue": -1.5, "maxValue": 1, "step": 0.5}, own_answer=0.5),
    AskQuestion("ranking", {"question": "Rank", "options": ["x", "y"], "lowLabel": "best", "highLabel": "worst"}),
    AskQuestion("textinput", {"question": "Why?", "required": False}, within_s=5, attempts=1, video_chat=False),
    AskQuestion(
        "rapidrate",
        {"prompt": "Now?", "dimensions": [{"label": "Calm", "minLabel": "no", "maxLabel": "yes", "id": "d1"}]},
        during_video=True,
        shown_on="rating pause",
        own_answer={"Calm": 70},
    ),
    AskQuestion("audiorecording", {"prompt": "Say", "maxRecordingTime": 20}, shown_on="rating pause"),
    EnterPart("Talk", "Be warm."),
    Say(text="Hello", voice="x"),
    Wait(0.25),
]


@pytest.mark.parametrize("action", EDITED, ids=lambda action: kind_of(action).name)
def test_a_step_that_is_opened_and_closed_again_is_the_same(action: StepAction) -> None:
    assert edited(action) == action


def test_what_the_form_does_not_know_is_kept_and_what_it_knows_is_changed() -> None:
    before = AskQuestion(
        "multiplechoice", {"prompt": "Which?", "options": [{"text": "A", "value": 1}, "B"], "layout": 2}
    )
    after = edited(before, question="Which one?", options=["A", "C"])
    assert isinstance(after, AskQuestion)
    assert after.config == {"prompt": "Which one?", "options": [{"text": "A", "value": 1}, "C"], "layout": 2}


@pytest.mark.parametrize(
    ("name", "changes", "sentence"),
    [
        ("Multiple choice", {"question": " "}, "The question is empty: write something first."),
        ("Multiple choice", {"options": []}, "has no choices"),
        ("Multiple choice", {"options": ["A", "A"]}, "twice"),
        ("Multiple choice", {"own_answer": ["Maybe"]}, "Your own answer: "),
        ("Multiple choice", {"own_answer": ["Yes", "No"]}, "Your own answer: "),
        ("Likert scale", {"labels": ["a", "b"]}, "A scale of 7 points has 2 labels"),
        ("Likert scale", {"own_answer": "8"}, "Your own answer: "),
        ("Likert scale", {"own_answer": "much"}, "Your own answer must be a number: “much” is none."),
        ("Visual analog scale", {"minValue": "low"}, "The lowest value must be a number: “low” is none."),
        ("Visual analog scale", {"minValue": "100"}, "must be less than"),
        ("Visual analog scale", {"maxValue": "inf"}, "The highest value must be a finite number."),
        ("Ranking", {"options": ["one"]}, "A ranking needs two items at least"),
        ("Rapid rating", {"dimensions": [("", "", "")]}, "A dimension has no label"),
        ("Rapid rating", {"dimensions": []}, "has no dimensions"),
        ("Rapid rating", {"own_answer": ["Calm = 70"]}, "Your own answer: "),
        ("Rapid rating", {"where": "on a screen"}, "rating pause only"),
        ("Typed chat", {"said": ""}, "The typed line is empty"),
        ("Participants", {"others": [("", "A")]}, "A participant has no name"),
        ("Say", {"recording": "a", "text": "b"}, "one of the two"),
        ("Say", {"recording": ""}, "one of the two"),
        ("Wait", {"seconds": "-1"}, "between 0 seconds and a day"),
        ("Other item", {"context": '{"event": NaN}'}, "it has no NaN"),
        ("Other item", {"context": "[]"}, "must be a JSON object"),
        ("Screen", {"text": ""}, "The screen is empty"),
    ],
)
def test_a_form_says_what_is_wrong(name: str, changes: dict[str, Any], sentence: str) -> None:
    kind = named(name)
    with pytest.raises(SimulatorError, match=sentence):
        kind.action(values(kind, **changes), None)


def test_the_seven_components_are_the_questions_that_can_be_added() -> None:
    components = [action.component for kind in QUESTIONS if isinstance(action := default_action(kind), AskQuestion)]
    assert components == [
        "multiplechoice",
        "likertscale",
        "vasrating",
        "ranking",
        "textinput",
        "rapidrate",
        "audiorecording",
    ]


def test_a_component_that_cannot_be_asked_is_shown_and_kept() -> None:
    action = AskQuestion("gazeoverlay", {"question": "Look"})
    assert kind_of(action) is OTHER_QUESTION
    assert edited(action) == action
    assert gist(action) == "gazeoverlay: Look"
    assert "gazeoverlay" in told(action)


def test_what_the_agent_is_told_stands_below_the_form() -> None:
    assert told(default_action(named("Timer"))) == '[context] {"event":"timer","secondsLeft":30}'
    assert '"tool":"answer_scale"' in told(default_action(named("Likert scale")))
    assert told(Wait(1)) == ""


STUDY = Study("S", (), instructions="Be kind.")


def test_a_question_is_asked_as_it_stands_and_the_own_answer_kept_after_it() -> None:
    config = {"question": "How?"}
    question = AskQuestion("likertscale", config, attempts=2, video_chat=False, own_answer=5)
    assert commands_of(Step(question), STUDY) == [
        Ask(id=0, component="likertscale", config=config, attempts=2, video_chat=False, adds_tool=True),
        KeepOwnAnswer(id=0, component="likertscale", config=config, value=5),
    ]


def test_a_part_sends_the_whole_instructions_and_a_screen_its_images() -> None:
    assert commands_of(Step(EnterPart("Talk", "Be brief.")), STUDY) == [
        SetInstructions(id=0, instructions="Be kind.\n\nBe brief.", part="Talk")
    ]
    context = {"event": "screen", "type": "showtext", "text": "a"}
    push = PushContext(context, ("a.png",), video_chat=True)
    assert commands_of(Step(push), STUDY) == [Push(id=0, context=context, images=["a.png"], video_chat=True)]


def test_what_is_said_is_spoken_and_a_part_without_guidance_only_named() -> None:
    assert commands_of(Step(Say("coffee_or_tea"), when=When.AFTER_REPLY), STUDY) == [
        Speak(id=0, recording="coffee_or_tea")
    ]
    assert commands_of(Step(Say(text="Hello", voice="v")), STUDY) == [Speak(id=0, text="Hello", voice="v")]
    assert commands_of(Step(EnterPart("Talk")), STUDY) == [SetInstructions(id=0, instructions=None, part="Talk")]
    assert commands_of(Step(Wait(5)), STUDY) == []
