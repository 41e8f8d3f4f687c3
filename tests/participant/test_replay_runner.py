"""When a replay does what, with an event clock: the values are worked out by hand, in milliseconds."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.participant.replay_runner import LEAD_NS, ReplayRunner, Start
from simulator.record.replay.deeds import Act, Anchor, Ask, By, Deed, Listen, Plan, Push, Request, Say, Settings

MS = 1_000_000
S = 1000


def _say(milliseconds: int) -> Say:
    return Say(0, milliseconds * 24)


PUSH = Push({"event": "timer"})


def _act(deed: Deed, at: int, moment: str = "beginning", exchange: int = 0, after: int = 0) -> Act:
    return Act(deed, at * MS, Anchor(moment, exchange), after * MS)  # type: ignore[arg-type]


def _plan(*acts: Act, exchanges: int = 0, ends: int = 60 * S) -> Plan:
    return Plan(Path("session.jsonl"), Settings(), acts, exchanges, ends * MS)


class _Clock:
    """A runner whose times are told in milliseconds, ticked whenever it asks for it."""

    def __init__(self, plan: Plan, by: By = "replies") -> None:
        self.plan = plan
        self.runner = ReplayRunner(plan, by)
        self.now = 0
        self.begun: list[tuple[int, int, int]] = []
        """Index, when it is due, and when that was told."""
        self._keep(self.runner.begin(0))

    def _keep(self, starts: list[Start]) -> None:
        self.begun += [(act, due_ns // MS, self.now) for act, due_ns in starts]

    @property
    def acts(self) -> list[tuple[int, int]]:
        """Index and due time of what has begun."""
        return [(act, due) for act, due, _ in self.begun]

    def until(self, at: int) -> "_Clock":
        """Let time pass, ticking when the runner is due."""
        while (due := self.runner.due_ns) is not None and due <= at * MS:
            assert due // MS >= self.now - LEAD_NS // MS
            self.now = max(self.now, -(-due // MS))
            self._keep(self.runner.tick(self.now * MS))
            assert self.runner.due_ns is None or self.runner.due_ns > due, "it would be asked for ever"
        self.now = at
        return self

    def sounds(self, at: int, reply: str = "r") -> "_Clock":
        self.until(at)
        self._keep(self.runner.reply_sounds(reply, at * MS, at * MS))
        return self

    def over(self, at: int, reply: str = "r") -> "_Clock":
        self.until(at)
        self._keep(self.runner.reply_over(reply, at * MS, at * MS))
        return self

    def said(self, at: int) -> "_Clock":
        self.until(at)
        self._keep(self.runner.said(at * MS, at * MS))
        return self

    @property
    def missed(self) -> list[tuple[int, str]]:
        return [(each.exchange, each.what) for each in self.runner.missed]


# A question is said at 1.0 s for 2 s; 0.7 s after the reply the participant says "Yes." for 1 s.
TALK = _plan(
    _act(_say(2 * S), 1 * S, after=1 * S),
    _act(_say(1 * S), 9 * S, "reply ends", 1, 700),
    exchanges=2,
    ends=15 * S,
)


def test_a_speech_is_due_so_long_after_the_reply_as_it_was_and_is_told_of_200_ms_before() -> None:
    clock = _Clock(TALK).said(3 * S).sounds(4 * S).over(12 * S).until(14 * S)
    assert clock.begun == [(0, 1000, 800), (1, 12_700, 12_500)]


def test_the_replay_is_over_when_the_last_reply_was_heard() -> None:
    clock = _Clock(TALK).said(3 * S).sounds(4 * S, "a").over(12 * S, "a").said(13_700).sounds(15 * S, "b")
    assert "the reply to end" in clock.runner.waits_for()
    clock.over(18 * S, "b")
    assert clock.runner.finished
    assert clock.runner.due_ns is None
    assert clock.missed == []


def test_what_is_timed_from_the_beginning_of_a_reply_interrupts_it() -> None:
    plan = _plan(
        _act(_say(2 * S), 1 * S, after=1 * S),
        _act(_say(1 * S), 5 * S, "reply begins", 1, 1500),
        exchanges=2,
    )
    clock = _Clock(plan).said(3 * S).sounds(7 * S, "a").until(9 * S)
    assert clock.begun[1:] == [(1, 8500, 8300)]
    # The reply that is cut by it is not the one to it.
    clock.over(8700, "a").said(9500)
    assert clock.runner.waits_for() == "the reply to begin"
    clock.sounds(10 * S, "b").over(11 * S, "b")
    assert clock.runner.finished
    assert clock.missed == []


def test_what_follows_the_beginning_of_a_reply_that_is_over_already_is_done_all_the_same() -> None:
    plan = _plan(
        _act(_say(1 * S), 0, after=0),
        _act(PUSH, 7 * S, "reply begins", 1, 5 * S),
        exchanges=1,
    )
    clock = _Clock(plan).said(1 * S).sounds(2 * S).over(3 * S).until(20 * S)
    assert clock.acts[1:] == [(1, 7000)]
    assert clock.runner.finished


def test_a_premature_reply_that_was_cut_is_not_the_reply() -> None:
    # The participant thinks for 0.9 s in the middle; the engine begins, and is cut.
    clock = _Clock(TALK).sounds(2 * S, "early").over(2500, "early").said(3 * S)
    assert clock.runner.waits_for() == "the reply to begin"
    clock.sounds(4 * S, "a").over(6 * S, "a").until(7 * S)
    assert clock.acts == [(0, 1000), (1, 6700)]


def test_a_premature_reply_that_goes_on_beyond_the_speech_is_the_reply() -> None:
    clock = _Clock(TALK).sounds(2500, "early").said(3 * S).over(5 * S, "early").until(6 * S)
    assert clock.acts == [(0, 1000), (1, 5700)]


def test_a_reply_that_ended_with_the_speech_is_none() -> None:
    clock = _Clock(TALK).sounds(2500, "early").over(3 * S, "early").said(3 * S)
    assert clock.runner.waits_for() == "the reply to begin"


def test_a_second_reply_belongs_to_the_exchange_until_the_participant_speaks() -> None:
    clock = _Clock(TALK).said(3 * S).sounds(4 * S, "a").over(6 * S, "a").sounds(6400, "b").until(8 * S)
    assert clock.acts == [(0, 1000)]  # 6.7 s is over: the agent speaks again
    assert clock.runner.waits_for() == "the reply to end"
    clock.over(9 * S, "b").until(10 * S)
    assert clock.acts[1:] == [(1, 9700)]


def test_a_second_reply_that_comes_when_the_speech_was_told_of_moves_it_no_more() -> None:
    clock = _Clock(TALK).said(3 * S).sounds(4 * S, "a").over(6 * S, "a").sounds(6600, "b").over(7000, "b").said(7700)
    assert clock.acts == [(0, 1000), (1, 6700)]
    # It was cut by the speech, and so is not the reply to it.
    assert clock.runner.waits_for() == "the reply to begin"


def test_a_reply_that_does_not_come_is_missed_after_20_s_and_the_replay_goes_on() -> None:
    clock = _Clock(TALK).said(3 * S).until(22_999)
    assert clock.missed == []
    clock.until(25 * S)
    assert clock.missed == [(1, "no reply came")]
    assert clock.acts[1:] == [(1, 23_700)]
    clock.said(24_700).until(44_700)
    assert clock.missed == [(1, "no reply came"), (2, "no reply came")]
    assert clock.runner.finished


def test_a_reply_that_comes_after_it_was_missed_is_waited_for_all_the_same() -> None:
    plan = _plan(_act(_say(1 * S), 0), _act(_say(1 * S), 9 * S, "reply ends", 1, 5 * S), exchanges=1, ends=10 * S)
    clock = _Clock(plan).said(1 * S).sounds(22 * S).over(24 * S).until(40 * S)
    assert clock.acts[1:] == [(1, 29 * S)]


def test_a_reply_without_an_end_is_given_up_after_180_s() -> None:
    clock = _Clock(TALK).said(3 * S).sounds(4 * S).until(184_700)
    assert clock.missed == [(1, "the reply did not end")]
    assert clock.acts[1:] == [(1, 184_700)]


def test_a_request_is_followed_by_a_reply_that_begins_after_it() -> None:
    # Something is typed while the agent speaks: its reply comes when the present one is over.
    plan = _plan(
        _act(_say(1 * S), 0),
        _act(Request({}), 4 * S, "reply begins", 1, 2 * S),
        _act(PUSH, 12 * S, "reply ends", 2, 500),
        exchanges=2,
    )
    clock = _Clock(plan).said(1 * S).sounds(2 * S, "a").until(5 * S)
    assert clock.acts == [(0, 0), (1, 4000)]
    clock.over(6 * S, "a")
    assert clock.runner.waits_for() == "the reply to begin"
    clock.sounds(6200, "b").over(8 * S, "b").until(10 * S)
    assert clock.acts[2:] == [(2, 8500)]


def test_what_is_done_during_a_speech_waits_for_nothing_and_a_second_speech_does() -> None:
    plan = _plan(
        _act(_say(3 * S), 1 * S, after=1 * S),
        _act(Listen(False), 2 * S, after=2 * S),
        _act(_say(1 * S), 4500, after=4500),
        ends=6 * S,
    )
    clock = _Clock(plan).until(4400)
    assert clock.acts == [(0, 1000), (1, 2000)]
    assert clock.runner.waits_for() == "the speech to end"
    # The voice was held up: the first speech ends late, and the second begins at once.
    clock.said(5 * S)
    assert clock.begun[2:] == [(2, 4500, 5000)]


ASK = Ask("textinput", {"question": "Why?"})


def _questions() -> Plan:
    """Two questions after a reply, each answered after a second, and a push a second after the second answer."""
    return _plan(
        Act(ASK, 3 * S * MS, Anchor("reply ends", 1), 1 * S * MS, 4 * S * MS),
        Act(ASK, 4 * S * MS, Anchor("reply ends", 1), 2 * S * MS, 5 * S * MS),
        _act(PUSH, 6 * S, "reply ends", 1, 4 * S),
        exchanges=1,
    )


def _answered(clock: _Clock, act: int, at: int) -> None:
    clock.until(at)
    clock._keep(clock.runner.settled(act, at * MS))


def test_what_followed_an_answer_follows_it_again() -> None:
    clock = _Clock(_questions()).sounds(1 * S).over(2 * S).until(8 * S)
    assert clock.acts == [(0, 3000)]
    assert clock.runner.waits_for() == "the answer"
    _answered(clock, 0, 9 * S)  # 5 s later than in the record
    assert clock.acts == [(0, 3000), (1, 9000)]
    _answered(clock, 1, 9500)
    assert clock.runner.waits_for() == "4.0 s after the reply ended"
    clock.until(12 * S)
    assert clock.acts[2:] == [(2, 10_500)]


def test_an_answer_that_comes_sooner_brings_nothing_forward() -> None:
    clock = _Clock(_questions()).sounds(1 * S).over(2 * S)
    _answered(clock, 0, 3100)
    _answered(clock, 1, 4100)
    assert clock.until(8 * S).acts == [(0, 3000), (1, 4000), (2, 6000)]


def test_a_question_without_an_answer_holds_nothing_up_after_30_s() -> None:
    clock = _Clock(_questions()).sounds(1 * S).over(2 * S)
    _answered(clock, 0, 4 * S)
    clock.until(60 * S)
    # Asked at 4 s; the push a second after it was given up.
    assert clock.acts == [(0, 3000), (1, 4000), (2, 35_000)]


def _told_to_listen() -> Plan:
    """The engine is told to listen after 2 s and does after 2.1 s; a push comes with that, and a speech 0.1 s later."""
    return _plan(
        Act(Listen(True), 2 * S * MS, Anchor(), 2 * S * MS, 2100 * MS),
        _act(PUSH, 2100, after=2100),
        _act(_say(1 * S), 2200, after=2200),
        ends=3200,
    )


def test_a_speech_waits_until_the_engine_listens_and_a_push_does_not() -> None:
    clock = _Clock(_told_to_listen()).until(2900)
    assert clock.acts == [(0, 2000), (1, 2100)]
    assert clock.runner.waits_for() == "the engine to listen"
    _answered(clock, 0, 3 * S)
    assert clock.begun[2:] == [(2, 2200, 3000)]


def test_an_engine_that_listens_a_little_later_than_it_did_moves_no_speech() -> None:
    clock = _Clock(_told_to_listen()).until(2 * S)
    _answered(clock, 0, 2150)
    assert clock.begun[2:] == [(2, 2200, 2150)]


def test_an_engine_that_never_says_whether_it_listens_holds_no_speech_up_after_30_s() -> None:
    assert _Clock(_told_to_listen()).until(40 * S).begun[2:] == [(2, 2200, 32_000)]


def test_by_the_clock_nothing_waits_for_an_answer() -> None:
    assert _Clock(_questions(), "clock").until(8 * S).acts == [(0, 3000), (1, 4000), (2, 6000)]


def test_an_agent_that_speaks_first_is_awaited_from_the_beginning() -> None:
    plan = _plan(_act(_say(1 * S), 4 * S, "reply ends", 1, 1 * S), exchanges=2)
    clock = _Clock(plan)
    assert clock.runner.waits_for() == "the reply to begin"
    clock.sounds(1 * S).over(2 * S).until(3 * S)
    assert clock.acts == [(0, 3000)]
    assert _Clock(plan).until(21 * S).missed == [(1, "no reply came")]


def test_an_answer_to_what_was_said_last_is_heard_though_there_was_none_in_the_record() -> None:
    # In the record the session went on for 5 s without a reply.
    plan = _plan(_act(_say(1 * S), 1 * S, after=1 * S), ends=7 * S)
    clock = _Clock(plan).said(2 * S).sounds(6 * S)
    assert not clock.runner.finished
    assert clock.over(9 * S).runner.finished
    silent = _Clock(plan).said(2 * S).until(6_999)
    assert not silent.runner.finished
    assert silent.until(7 * S).runner.finished
    assert silent.missed == []


def test_nothing_is_waited_for_where_the_record_ends_with_the_speech() -> None:
    plan = _plan(_act(_say(1 * S), 1 * S, after=1 * S), ends=2 * S)
    assert _Clock(plan).said(2 * S).runner.finished


def test_an_empty_plan_is_over_at_once() -> None:
    assert _Clock(_plan()).runner.finished


def test_by_the_clock_everything_is_due_when_it_was_and_replies_move_nothing() -> None:
    plan = _plan(
        _act(_say(2 * S), 1 * S, after=1 * S),
        _act(PUSH, 6 * S, "reply begins", 1, 2 * S),
        _act(_say(1 * S), 9 * S, "reply ends", 1, 700),
        exchanges=2,
        ends=15 * S,
    )
    clock = _Clock(plan, "clock").until(2 * S)
    assert clock.runner.waits_for() == "6.0 s after the beginning"
    clock.sounds(5 * S).over(30 * S)
    assert clock.acts == [(0, 1000), (1, 6000), (2, 9000)]
    assert clock.runner.finished
    assert clock.missed == []


def test_by_the_clock_the_replay_ends_when_the_record_did() -> None:
    clock = _Clock(_plan(ends=15 * S), "clock").until(14_999)
    assert not clock.runner.finished
    assert clock.until(15 * S).runner.finished


def test_it_says_in_words_what_it_waits_for() -> None:
    clock = _Clock(TALK)
    assert clock.runner.waits_for() == "1.0 s after the beginning"
    assert clock.until(900).runner.waits_for() == "the speech to end"
    assert clock.said(3 * S).runner.waits_for() == "the reply to begin"
    assert clock.sounds(4 * S).runner.waits_for() == "the reply to end"
    assert clock.over(5 * S).runner.waits_for() == "0.7 s after the reply ended"
    assert clock.runner.done == 1
    clock.until(5600).said(6700).sounds(7 * S, "b")
    assert clock.runner.waits_for() == "the reply to end"
    assert clock.over(8 * S, "b").runner.waits_for() == ""
    barge_in = _plan(_act(_say(1 * S), 1 * S, "reply begins", 1, 1234), exchanges=1)
    assert _Clock(barge_in).sounds(500).runner.waits_for() == "1.2 s after the reply began"


_events = st.lists(
    st.tuples(st.sampled_from(["sounds", "over", "said", "settled", "pass"]), st.integers(0, 5), st.integers(0, 8000)),
    max_size=40,
)


@pytest.mark.parametrize("by", ["replies", "clock"])
@given(events=_events, kinds=st.lists(st.sampled_from("sprq"), max_size=8))
def test_whatever_an_engine_does_everything_is_done_once_in_order_and_never_before_its_time(
    by: By, events: list[tuple[str, int, int]], kinds: list[str]
) -> None:
    deeds: dict[str, Deed] = {"s": _say(500), "p": PUSH, "r": Request({}), "q": ASK}
    acts = [
        _act(deeds[kind], 3000 * number, "reply begins" if number % 2 else "reply ends", number // 2 + 1, 400)
        for number, kind in enumerate(kinds)
    ]
    acts = [msgspec.structs.replace(act, answered_ns=act.at_ns + 4000 * MS) if act.deed is ASK else act for act in acts]
    clock = _Clock(_plan(*acts, exchanges=len(acts) // 2 + 1), by)
    for kind, number, later in events:
        at = clock.now + later
        match kind:
            case "sounds":
                clock.sounds(at, f"r{number}")
            case "over":
                clock.over(at, f"r{number}")
            case "said":
                clock.said(at)
            case "settled":
                _answered(clock, number, at)
            case _:
                clock.until(at)
    for _ in range(2 * len(acts) + 5):  # nothing more comes but the ends of the speeches
        clock.said(clock.now + 250 * S)
    assert clock.runner.finished
    assert [act for act, _, _ in clock.begun] == list(range(len(acts)))
    speeches = {act for act, _, _ in clock.begun if by == "replies" and isinstance(acts[act].deed, Say)}
    assert all(told >= due - (200 if act in speeches else 0) for act, due, told in clock.begun)
