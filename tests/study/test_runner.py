"""Running a study: what begins when, with time and events given by hand."""

from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.study.runner import ReplyEnd, StudyRunner
from simulator.study.steps import (
    AskQuestion,
    PushContext,
    RequestReply,
    Say,
    SetListening,
    Step,
    StepAction,
    Study,
    Wait,
    When,
)
from simulator.study.words import describe

S = 1_000_000_000
SCREEN = PushContext({"event": "screen", "type": "showtext", "text": "Hello."})
TYPED = PushContext({"event": "typed", "speaker": "Alex", "said": "hello?"}, asks_reply=True)
HELLO = Say("hello")
QUESTION = AskQuestion("textinput", {"question": "Why?"}, within_s=30)


def _study(*steps: StepAction | Step) -> Study:
    whole = [step if isinstance(step, Step) else Step(step, line=0) for step in steps]
    numbered = [msgspec.structs.replace(step, line=number) for number, step in enumerate(whole, start=1)]
    return Study("test", tuple(numbered))


def _lines(indices: Sequence[int]) -> list[int]:
    return [index + 1 for index in indices]


def test_steps_that_take_no_time_begin_together() -> None:
    runner = StudyRunner(_study(SCREEN, SetListening(on=False), SCREEN))
    assert _lines(runner.begin(5 * S)) == [1, 2, 3]
    assert runner.finished


def test_a_wait_holds_up_the_next_step() -> None:
    runner = StudyRunner(_study(Wait(2), SCREEN))
    assert _lines(runner.begin(5 * S)) == [1]
    assert runner.due_ns == 7 * S
    assert runner.tick(7 * S - 1) == []
    assert _lines(runner.tick(7 * S)) == [2]


def test_at_s_counts_from_the_start_of_the_study() -> None:
    runner = StudyRunner(_study(Step(SCREEN, line=0, at_s=1.5), Step(SCREEN, line=0, at_s=1)))
    assert runner.begin(10 * S) == []
    assert runner.due_ns == 11_500_000_000
    assert _lines(runner.tick(11_500_000_000)) == [1, 2]


def test_after_reply_waits_until_the_reply_was_heard() -> None:
    runner = StudyRunner(_study(TYPED, Step(SCREEN, line=0, when=When.AFTER_REPLY)))
    assert _lines(runner.begin(0)) == [1]
    assert runner.reply_began("r1", 1 * S) == []
    assert runner.tick(30 * S) == []
    assert _lines(runner.reply_over("r1", ReplyEnd.HEARD, 31 * S)) == [2]
    assert runner.finished
    assert runner.missed_replies == []


def test_an_interruption_begins_so_many_seconds_after_the_reply_is_first_heard() -> None:
    """Its first sound arrives at 1 s and is heard at 1.2 s; a gap in it changes nothing."""
    runner = StudyRunner(_study(TYPED, Step(HELLO, when=When.DURING_REPLY, after_s=2.5)))
    runner.begin(0)
    assert runner.reply_began("r1", 1 * S) == []
    assert runner.waits_for() == "2.5 s of the agent's reply"
    assert runner.agent_audible(True, 1_200_000_000) == []
    assert runner.agent_audible(False, 2 * S) == []
    assert runner.agent_audible(True, 2_100_000_000) == []
    assert runner.due_ns == 3_700_000_000
    assert runner.tick(3_700_000_000 - 1) == []
    assert _lines(runner.tick(3_700_000_000)) == [2]


def test_a_reply_that_is_too_short_to_be_interrupted_is_not_waited_for() -> None:
    runner = StudyRunner(_study(TYPED, Step(HELLO, when=When.DURING_REPLY, after_s=10)))
    runner.begin(0)
    runner.agent_audible(True, 1 * S)
    runner.reply_began("r1", 1 * S)
    assert _lines(runner.reply_over("r1", ReplyEnd.HEARD, 3 * S)) == [2]


def test_a_step_begins_so_many_seconds_after_the_reply_was_heard() -> None:
    runner = StudyRunner(_study(TYPED, Step(SCREEN, when=When.AFTER_REPLY, after_s=1.5)))
    runner.begin(0)
    runner.reply_began("r1", 1 * S)
    assert runner.reply_over("r1", ReplyEnd.HEARD, 4 * S) == []
    assert runner.waits_for() == "1.5 s after the agent's reply"
    assert not runner.finished
    assert runner.due_ns == 5_500_000_000
    assert _lines(runner.tick(5_500_000_000)) == [2]
    assert runner.finished


def test_after_reply_goes_on_at_once_where_no_reply_is_awaited() -> None:
    runner = StudyRunner(_study(SCREEN, Step(SCREEN, line=0, when=When.AFTER_REPLY)))
    assert _lines(runner.begin(0)) == [1, 2]


def test_a_recording_is_said_to_its_end_before_its_reply_is_awaited() -> None:
    runner = StudyRunner(_study(HELLO, Step(SCREEN, line=0, when=When.AFTER_REPLY)))
    assert _lines(runner.begin(0)) == [1]
    assert runner.tick(100 * S) == []
    assert runner.said(101 * S) == []
    assert runner.due_ns == 121 * S
    runner.reply_began("r1", 102 * S)
    assert _lines(runner.reply_over("r1", ReplyEnd.HEARD, 105 * S)) == [2]


def test_no_reply_is_awaited_to_what_could_not_be_said() -> None:
    runner = StudyRunner(_study(HELLO, Step(SCREEN, line=0, when=When.AFTER_REPLY)))
    runner.begin(0)
    assert _lines(runner.not_said(1 * S)) == [2]
    assert runner.missed_replies == []


def test_an_interruption_begins_after_a_second_of_the_reply_and_waits_for_its_own() -> None:
    runner = StudyRunner(
        _study(HELLO, Step(HELLO, line=0, when=When.DURING_REPLY), Step(SCREEN, line=0, when=When.AFTER_REPLY))
    )
    runner.begin(0)
    runner.said(1 * S)
    runner.reply_began("long", 2 * S)
    assert runner.agent_audible(True, 3 * S) == []
    assert runner.due_ns == 4 * S
    assert _lines(runner.tick(4 * S)) == [2]
    # The reply that was interrupted is over: it is not the answer to the interruption.
    assert runner.agent_audible(False, 5 * S) == []
    assert runner.reply_over("long", ReplyEnd.CUT, 5 * S) == []
    assert runner.said(6 * S) == []
    assert runner.reply_over("long", ReplyEnd.HEARD, 6 * S) == []
    runner.reply_began("answer", 7 * S)
    assert _lines(runner.reply_over("answer", ReplyEnd.HEARD, 8 * S)) == [3]


def test_a_cut_reply_leaves_the_wait_for_the_next_one() -> None:
    runner = StudyRunner(_study(HELLO, Step(SCREEN, line=0, when=When.AFTER_REPLY)))
    runner.begin(0)
    # A pause in the recording was taken for its end, and the reply to its first half was interrupted by the second.
    runner.reply_began("half", 1 * S)
    runner.reply_over("half", ReplyEnd.CUT, 2 * S)
    runner.said(3 * S)
    runner.reply_began("whole", 4 * S)
    assert _lines(runner.reply_over("whole", ReplyEnd.HEARD, 5 * S)) == [2]


def test_a_reply_that_does_not_come_is_missed_and_the_study_goes_on() -> None:
    runner = StudyRunner(_study(TYPED, Step(SCREEN, line=0, when=When.AFTER_REPLY)))
    runner.begin(0)
    assert runner.due_ns == 20 * S
    assert _lines(runner.tick(20 * S)) == [2]
    assert [(missed.line, missed.what) for missed in runner.missed_replies] == [(1, "no reply came")]


def test_a_failed_reply_is_missed() -> None:
    runner = StudyRunner(_study(TYPED))
    runner.begin(0)
    runner.reply_began("r1", 1 * S)
    runner.reply_over("r1", ReplyEnd.FAILED, 2 * S)
    assert runner.finished
    assert [missed.what for missed in runner.missed_replies] == ["the reply failed"]


def test_the_end_waits_for_the_last_reply() -> None:
    runner = StudyRunner(_study(RequestReply()))
    runner.begin(0)
    assert not runner.finished
    runner.reply_began("r1", 1 * S)
    runner.reply_over("r1", ReplyEnd.HEARD, 2 * S)
    assert runner.finished


def test_a_question_holds_up_the_study_until_it_is_answered() -> None:
    runner = StudyRunner(_study(QUESTION, SCREEN))
    assert _lines(runner.begin(0)) == [1]
    assert _lines(runner.answered(3 * S)) == [2]
    assert runner.unanswered == []


def test_a_question_without_an_answer_is_left_unanswered() -> None:
    runner = StudyRunner(_study(QUESTION, QUESTION, SCREEN))
    runner.begin(0)
    assert _lines(runner.tick(30 * S)) == [2]
    assert _lines(runner.not_answered("The agent did not answer.", 31 * S)) == [3]
    assert [(missed.line, missed.what) for missed in runner.unanswered] == [
        (1, "“Why?”: no answer within 30 s"),
        (2, "“Why?”: The agent did not answer."),
    ]


def test_a_silent_participant_says_nothing_and_waits_for_no_reply_to_it() -> None:
    runner = StudyRunner(
        _study(HELLO, Step(HELLO, line=0, when=When.DURING_REPLY), Step(TYPED, line=0, when=When.AFTER_REPLY)),
        speaks=False,
    )
    assert _lines(runner.begin(0)) == [3]
    assert not runner.finished


@pytest.mark.parametrize(
    "hides",
    [
        SetListening(on=False),
        PushContext(SCREEN.context, video_chat=False),
        AskQuestion("textinput", {"question": "Why?"}, video_chat=False),
    ],
)
def test_a_video_chat_that_is_hidden_ends_the_wait_for_a_reply(hides: StepAction) -> None:
    runner = StudyRunner(_study(HELLO, hides, Step(SCREEN, line=0, when=When.AFTER_REPLY)))
    runner.begin(0)
    assert _lines(runner.said(1 * S) + runner.answered(2 * S)) == [2, 3]
    assert runner.missed_replies == []


def test_a_reply_that_fails_without_a_sound_is_not_waited_for() -> None:
    runner = StudyRunner(_study(TYPED, Step(SCREEN, line=0, when=When.AFTER_REPLY)))
    runner.begin(0)
    assert _lines(runner.reply_over("r1", ReplyEnd.FAILED, 1 * S)) == [2]
    assert [missed.what for missed in runner.missed_replies] == ["the reply failed"]


def test_a_reply_that_fails_while_the_participant_speaks_leaves_the_wait_for_the_next_one() -> None:
    runner = StudyRunner(_study(HELLO, Step(SCREEN, line=0, when=When.AFTER_REPLY)))
    runner.begin(0)
    assert runner.reply_over("half", ReplyEnd.FAILED, 1 * S) == []
    runner.said(2 * S)
    runner.reply_began("whole", 3 * S)
    assert _lines(runner.reply_over("whole", ReplyEnd.HEARD, 4 * S)) == [2]
    assert runner.missed_replies == []


def test_from_a_step_in_the_middle_the_times_keep_their_distances() -> None:
    study = _study(Step(SCREEN, at_s=10), Step(SCREEN, at_s=60), Step(SCREEN), Step(SCREEN, at_s=62.5))
    runner = StudyRunner(study, first_step=1)
    assert _lines(runner.begin(100 * S)) == [2, 3]
    assert runner.due_ns == 102_500_000_000
    runner = StudyRunner(study, first_step=2)
    assert _lines(runner.begin(100 * S)) == [3]
    assert runner.due_ns == 102_500_000_000


def test_what_a_study_waits_for_is_said_in_words() -> None:
    runner = StudyRunner(
        _study(
            HELLO,
            Step(HELLO, when=When.DURING_REPLY),
            Step(QUESTION, when=When.AFTER_REPLY),
            Wait(2),
            Step(TYPED, at_s=60),
        )
    )
    said = []
    runner.begin(0)
    said.append(runner.waits_for())
    runner.said(1 * S)
    said.append(runner.waits_for())
    runner.reply_began("a", 2 * S)
    said.append(runner.waits_for())
    runner.agent_audible(True, 2 * S)
    runner.tick(3 * S)
    runner.said(4 * S)
    runner.reply_began("b", 5 * S)
    said.append(runner.waits_for())
    runner.reply_over("b", ReplyEnd.HEARD, 6 * S)
    said.append(runner.waits_for())
    runner.answered(7 * S)
    said.append(runner.waits_for())
    runner.tick(9 * S)
    said.append(runner.waits_for())
    runner.tick(60 * S)
    said.append(runner.waits_for())
    runner.reply_over("c", ReplyEnd.FAILED, 61 * S)
    said.append(runner.waits_for())
    assert said == [
        "the end of what is said",
        "the agent's reply",
        "a second of the agent's reply",
        "the end of the agent's reply",
        "the answer to “Why?”",
        "2 s to pass",
        "60 s after the start",
        "the agent's reply",
        "",
    ]
    assert runner.finished


def test_a_step_is_described_in_a_few_words() -> None:
    actions: list[StepAction] = [Say("hello"), Say("/a/b.wav"), Say(text="Hi."), Wait(1.5), RequestReply()]
    words = ["say hello", "say b.wav", "say “Hi.”", "wait 1.5 s", "ask for a reply"]
    assert list(map(describe, actions)) == words


_ACTIONS = st.sampled_from([SCREEN, TYPED, HELLO, QUESTION, SetListening(on=False), RequestReply(), Wait(1.0)])
_STEPS = st.lists(st.builds(Step, _ACTIONS, st.just(0), st.sampled_from(When), st.sampled_from([0.0, 3.0])), max_size=8)


@given(steps=_STEPS, speaks=st.booleans(), first=st.integers(0, 8))
def test_every_study_ends_by_time_alone_once_everything_was_said(steps: list[Step], speaks: bool, first: int) -> None:
    runner = StudyRunner(_study(*steps), speaks=speaks, first_step=first)
    now = 0
    begun = _lines(runner.begin(now))
    while not runner.finished:
        due = runner.due_ns
        if due is None:
            # Only a recording ends by an event.
            begun += _lines(runner.said(now))
        else:
            # Time never stands still: a due time that has passed would make its owner spin.
            assert due > now
            now = due
            begun += _lines(runner.tick(now))
    whole = enumerate(steps, start=1)
    assert begun == [at for at, step in whole if at > first and (speaks or not isinstance(step.action, Say))]
