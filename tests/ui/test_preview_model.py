"""What a participant sees follows from what is pushed, one action after the other; texts and scales have limits."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.participant.messages import Ask, Push, SetInstructions
from simulator.participant.messages import SetListening as SetListeningCommand
from simulator.profile import context_items
from simulator.study.steps import AskQuestion, EnterPart, PushContext, Say, SetListening, Step, StepAction, Wait
from ui.models.plain import LONGEST_TEXT, block, is_blank, line
from ui.models.preview import (
    ChatLine,
    Question,
    Screen,
    Timer,
    after,
    caption,
    chatted,
    question_problem,
    screen_of_steps,
    time_left,
    value_text,
)
from ui.models.scale_steps import MOST_STEPS, scale_steps

WARMTH: dict[str, Any] = {"question": "How warm was your partner?", "minValue": 0, "maxValue": 100}


def push(context: dict[str, Any], **more: Any) -> PushContext:
    return PushContext(context, **more)


def seen(*actions: Any) -> Screen:
    screen = Screen()
    for action in actions:
        screen = after(screen, action)
    return screen


def test_a_screen_replaces_what_belonged_to_the_one_before_and_nothing_else() -> None:
    screen = seen(
        push(context_items.participants([{"name": "Alex", "role": "A"}]), video_chat=True),
        push(context_items.screen("showimage", "Look.", ["attached: the image (Face 3)"]), images=("face_3.png",)),
        push(context_items.timer(30)),
        push(context_items.experimenter_message("Be honest.")),
        push(context_items.typed("Alex", "hello?")),
        push(context_items.revealed("Alex", "A", 70)),
    )
    assert screen.images == ("face_3.png",)
    assert screen.image_lines == ("attached: the image (Face 3)",)
    assert screen.timer == Timer(30.0, 0.0)
    assert screen.message == "Be honest."
    assert screen.revealed == ("Alex (A)", "70")
    later = after(screen, push(context_items.screen("showtext", "Thank you.")))
    assert later == Screen(
        component="showtext",
        text="Thank you.",
        video_chat=True,
        chat=(ChatLine("Alex", "hello?"),),
        others=("Alex (A)",),
    )


def test_a_question_keeps_the_images_of_the_screen_that_announced_it() -> None:
    announced = push(
        context_items.screen("vasrating", "How warm?", ["attached: the image (Face 3)"]), images=("f.png",)
    )
    assert seen(announced, AskQuestion("vasrating", WARMTH)).images == ("f.png",)
    assert seen(announced, AskQuestion("likertscale", {"question": "Fine?"})).images == ()


def test_a_rating_pause_lies_over_the_screen() -> None:
    video = push(context_items.screen("showvideo", "A film"))
    screen = seen(video, AskQuestion("vasrating", WARMTH, during_video=True, shown_on="rating pause"))
    assert (screen.component, screen.text, screen.kind) == ("showvideo", "A film", "Visual analog scale")
    assert screen.question == Question("vasrating", WARMTH, in_rating_pause=True, during_video=True)


def test_a_pause_says_who_is_waited_for_and_ends_with_resumed_alone() -> None:
    paused = seen(push(context_items.paused(["Alex (A)"])), push(context_items.screen("showtext", "Wait.")))
    assert paused.waiting_for == ("Alex (A)",)
    assert after(paused, push(context_items.resumed())).waiting_for is None


def test_commands_count_like_steps() -> None:
    text = context_items.screen("showtext", "Hi")
    assert seen(Push(id=1, context=text, video_chat=False)) == seen(push(text, video_chat=False))
    assert seen(Ask(id=1, component="vasrating", config=WARMTH)) == seen(AskQuestion("vasrating", WARMTH))
    assert seen(SetListeningCommand(id=1, on=True)) == seen(SetListening(on=True))
    assert seen(SetInstructions(id=1, instructions="x", part="Talk")) == seen(EnterPart("Talk"))
    assert seen(SetInstructions(id=1, instructions="x")) == Screen()


def test_the_timer_of_a_part_ends_with_it() -> None:
    screen = after(seen(EnterPart("Talk")), push(context_items.timer(30)))
    assert after(screen, EnterPart("Talk")).timer is not None
    assert after(screen, EnterPart("Rate")).timer is None


def test_the_steps_above_one_make_its_screen() -> None:
    steps: list[StepAction] = [
        EnterPart("Talk", guidance="Be kind."),
        push(context_items.screen("showtext", "Hi")),
        Wait(1.0),
    ]
    screen = screen_of_steps(Step(each) for each in steps)
    assert (screen.part, screen.text) == ("Talk", "Hi")


def test_what_is_not_seen_is_told_in_a_sentence() -> None:
    assert caption(Say(recording="coffee_or_tea")) == "The participant says: “coffee_or_tea”"
    assert caption(Wait(2.5)) == "Nothing happens for 2.5 s."
    assert caption(AskQuestion("vasrating", WARMTH, own_answer=7)) == "The study gives the participant's answer: 7"
    assert caption(push(context_items.resumed())) == ""


def test_the_agents_chat_is_told_apart() -> None:
    assert chatted(Screen(), "hi").chat == (ChatLine("Agent", "hi", by_agent=True),)


@pytest.mark.parametrize(
    "context",
    [
        {},
        {"event": "screen"},
        {"event": "screen", "type": 5, "text": None, "images": "no list"},
        {"event": "typed", "said": ["x"]},
        {"event": "timer", "secondsLeft": "soon"},
        {"event": "timer", "secondsLeft": True},
        {"event": "timer", "secondsLeft": -1},
        {"event": "timer", "secondsLeft": float("nan")},
        {"event": "paused", "waitingFor": {"a": 1}},
        {"event": "participants", "others": [None, 7, {"name": 3}]},
        {"event": "revealed", "answer": {"a": [1, None]}},
        {"event": "made up"},
    ],
)
def test_a_context_of_any_shape_is_taken(context: dict[str, Any]) -> None:
    screen = seen(push(context))
    assert screen.timer is None
    assert isinstance(screen.kind, str)


def test_a_timer_counts_begun_seconds_down_to_none() -> None:
    timer = Timer(30.0, since_s=100.0)
    assert [time_left(timer, now_s) for now_s in (99.0, 100.0, 100.2, 101.0, 129.5, 130.0, 500.0)] == [
        30,
        30,
        30,
        29,
        1,
        0,
        0,
    ]


@pytest.mark.parametrize(
    ("component", "config", "words"),
    [
        ("multiplechoice", {"question": "Which?"}, "no choices"),
        ("multiplechoice", {"question": "Which?", "choices": ["Tea", "Tea"]}, "twice"),
        ("likertscale", {"question": "Fine?", "scale": 12}, "11 points"),
        ("vasrating", {"question": "Warm?", "minValue": 5, "maxValue": 5}, "less than"),
        ("rapidrate", {"prompt": "Now?", "dimensions": ["Calm"]}, "in a rating pause only"),
        ("code", {"question": "x"}, "cannot be answered"),
    ],
)
def test_a_config_that_cannot_be_shown_says_why(component: str, config: dict[str, Any], words: str) -> None:
    assert words in str(question_problem(Question(component, config)))


def test_a_rapid_rating_without_dimensions_says_so() -> None:
    question = Question("rapidrate", {"prompt": "Now?"}, in_rating_pause=True)
    assert "no dimensions" in str(question_problem(question))


def test_a_block_keeps_its_letters_and_ends() -> None:
    assert block("<b>a</b>\r\n\tb\x00\u202e\ud800") == "<b>a</b>\n\tb\ufffd\u202e\ufffd"
    assert block("x" * (LONGEST_TEXT + 5)).endswith("x…\n(5 more characters)")


def test_a_line_has_no_breaks_and_turns_nothing_around() -> None:
    assert line("a\u202eb\nc\u2066 d") == "ab c d"
    assert line("abcdef", 4) == "abc…"
    assert is_blank(" \u200b\u2060\n")
    assert not is_blank("\u200b.")


def test_a_value_is_told_as_json_with_its_letters() -> None:
    assert value_text(["Grün", 'a"b']) == '["Grün", "a\\"b"]'


@pytest.mark.parametrize(
    ("low", "high", "step", "expected"),
    [
        (0, 100, 1, [0, 1, 2]),
        (0, 100, None, [0, 1, 2]),
        (0, 1, 0.1, [0, 0.1, 0.2]),
        (0, 1, None, [0, 0.01, 0.02]),
        (-5, 5, 2.5, [-5, -2.5, 0]),
        (0, 1_000_000, None, [0, 10_000, 20_000]),
        (0, 10, "much", [0, 1, 2]),
    ],
)
def test_a_scale_steps_exactly(low: float, high: float, step: Any, expected: list[float]) -> None:
    steps = scale_steps(low, high, step)
    assert [steps.value(place) for place in range(3)] == expected


NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=64) | st.integers(-(10**6), 10**6)


@given(NUMBERS, NUMBERS, st.none() | NUMBERS | st.just(float("nan")))
def test_no_step_leaves_its_scale(one: float, other: float, step: Any) -> None:
    low, high = sorted((one, other))
    if low == high:
        return
    steps = scale_steps(low, high, step)
    assert 1 <= steps.steps <= MOST_STEPS
    for place in (0, 1, steps.steps // 2, steps.steps):
        assert low <= steps.value(place) <= high
