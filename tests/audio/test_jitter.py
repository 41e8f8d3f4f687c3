"""The jitter buffer follows what a session shows. Times are simulated: 100 ms deltas, blocks of 20 ms."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.audio.jitter import Allowance, ArrivalPace, DevicePace, Lateness
from simulator.audio.playout import PlaybackEvent, PlaybackGap, PlaybackStarted, Playout
from simulator.units import NS_PER_MS, samples_to_ms
from tests.audio.loudspeaker import Loudspeaker, of_kind, tone

MS = NS_PER_MS

LateMs = Callable[[Random, int], float]
"""How late a delta comes, in ms, given its number in its reply."""


@dataclass
class Session:
    """Replies of 3 s, one after the other, on one playout."""

    lateness: LateMs
    speed: float = 1
    chance: Random = field(default_factory=lambda: Random(20_250))
    started_ms: list[float] = field(default_factory=list)
    gaps_ms: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.playout = Playout()
        self.loudspeaker = Loudspeaker(self.playout)

    def hear(self, replies: int) -> "Session":
        for _ in range(replies):
            self._reply()
        return self

    def _reply(self) -> None:
        name = str(len(self.started_ms))
        begin_ns = self.loudspeaker.next_ns + round(self.chance.uniform(0, 20) * MS)
        events: list[PlaybackEvent] = []
        arrivals: list[int] = []
        for number in range(30):
            at_ns = begin_ns + round((number * 100 / self.speed + self.lateness(self.chance, number)) * MS)
            arrivals.append(max(at_ns, arrivals[-1]) if arrivals else at_ns)
            self.loudspeaker.run_until(arrivals[-1])
            self.playout.add(name, tone(1, 2400), arrivals[-1])
            events += self.playout.progress()
        self.playout.item_complete(name)
        self.loudspeaker.run_until(self.loudspeaker.next_ns + 4_000 * MS)
        events += self.playout.progress()
        (started,) = of_kind(events, PlaybackStarted)
        self.started_ms.append((started.handed_ns - arrivals[0]) / MS)
        self.gaps_ms.append(sum(samples_to_ms(gap.gap_samples) for gap in of_kind(events, PlaybackGap)))


def test_a_punctual_engine_is_soon_heard_within_40_ms() -> None:
    """Ten seconds of speech are learnt from; then 2 ms less with each delta: 80 deltas from 180 to 20 ms."""
    session = Session(lambda chance, number: 0).hear(10)
    assert all(180 <= started <= 200 for started in session.started_ms[:3])
    assert all(20 <= started <= 40 for started in session.started_ms[-3:])
    assert session.gaps_ms == [0] * 10


@pytest.mark.parametrize(("most_ms", "allowed_ms"), [(10, 20), (50, 60), (110, 120), (180, 180)])
def test_the_buffer_becomes_as_large_as_the_jitter_and_no_larger(most_ms: float, allowed_ms: int) -> None:
    session = Session(lambda chance, number: chance.uniform(0, most_ms)).hear(20)
    assert session.playout.allowance_ns == allowed_ms * MS
    assert max(session.started_ms[-5:]) <= allowed_ms + 20
    assert session.gaps_ms == [0] * 20


def test_bursts_of_400_ms_make_a_gap_once_and_are_covered_from_then_on() -> None:
    """Every two seconds the network stands still for 400 ms, and gives at once what came meanwhile."""
    session = Session(lambda chance, number: 400 if number % 20 == 7 else 0).hear(12)
    assert session.gaps_ms[0] > 0
    assert session.gaps_ms[1:] == [0] * 11
    assert session.playout.allowance_ns == 400 * MS


def test_one_long_stall_makes_no_reply_slower_than_the_first_ones_and_is_forgotten() -> None:
    session = Session(lambda chance, number: 0).hear(8)
    session.lateness = lambda chance, number: 400 if number == 7 else 0
    session.hear(1)
    session.lateness = lambda chance, number: 0
    session.hear(13)
    assert [gap > 0 for gap in session.gaps_ms] == [number == 8 for number in range(22)]
    assert max(session.started_ms[9:]) <= 200
    assert session.started_ms[-1] <= 40


def test_the_buffer_shrinks_again_after_the_network_has_calmed_down() -> None:
    session = Session(lambda chance, number: 400 if number % 10 == 5 else 0).hear(8)
    assert session.playout.allowance_ns == 400 * MS
    session.lateness = lambda chance, number: 0
    before = session.playout.allowance_ns
    for _ in range(15):
        session.hear(1)
        assert before - 60 * MS <= session.playout.allowance_ns <= before, "slowly, and steadily"
        before = session.playout.allowance_ns
    assert session.playout.allowance_ns == 20 * MS


def test_a_pause_of_the_engine_in_the_middle_of_a_reply_is_no_jitter() -> None:
    session = Session(lambda chance, number: 3_000 if number >= 15 else 0).hear(10)
    assert session.playout.allowance_ns == 20 * MS
    assert all(gap > 2_900 for gap in session.gaps_ms)


def test_an_engine_three_times_as_fast_is_heard_within_100_ms_at_first_and_40_ms_later() -> None:
    session = Session(lambda chance, number: 0, speed=3).hear(30)
    assert max(session.started_ms) <= 100
    assert max(session.started_ms[-3:]) <= 40
    assert session.gaps_ms == [0] * 30


@settings(max_examples=30)
@given(st.lists(st.sampled_from([0.0, 1.0, 50.0, 180.0, 400.0, 2_000.0]), min_size=30, max_size=30))
def test_whatever_the_jitter_all_audio_is_played_and_the_buffer_keeps_its_bounds(late: list[float]) -> None:
    session = Session(lambda chance, number: late[number]).hear(5)
    assert (session.loudspeaker.heard == 1).sum() == 5 * 30 * 2400
    assert 20 * MS <= session.playout.allowance_ns <= 500 * MS


@pytest.mark.parametrize("delta_ms", [20, 50, 100, 400])
def test_the_buffer_shrinks_with_the_speech_whatever_its_deltas(delta_ms: int) -> None:
    """10 s are learnt from, then 20 ms with each second: 160 ms take 8 s more."""
    allowance, delta = Allowance(), Lateness(0, 24 * delta_ms)
    history = []
    for _ in range(20_000 // delta_ms):
        allowance.note(delta, 0)
        history.append(allowance.ns)
    heard_ms = [delta_ms * (number + 1) for number in range(len(history))]
    assert all(ns == 180 * MS for ns, at_ms in zip(history, heard_ms, strict=True) if at_ms < 10_000)
    reached_ms = next(at_ms for ns, at_ms in zip(history, heard_ms, strict=True) if ns == 20 * MS)
    assert 18_000 - delta_ms <= reached_ms <= 18_000 + delta_ms


def test_a_delta_is_late_against_those_on_both_sides_of_it() -> None:
    """Delta 2 comes at 350 instead of 200 ms, and delta 3 at 350 instead of 300 ms; delta 4 is punctual."""
    pace = ArrivalPace()
    arrivals = [0, 100, 350, 350, 400]
    known = [pace.arrived(at_ms * MS, 2400 * number, 2400) for number, at_ms in enumerate(arrivals)]
    late_ms = [[each.late_ns / MS for each in told] for told in known]
    assert late_ms == [[], [], [0], [], [150, 50]]
    assert pace.ended() == [Lateness(0, 2400)]


def test_audio_half_a_second_ahead_of_its_pace_tells_nothing() -> None:
    pace = ArrivalPace()
    told = [late for number in range(20) for late in pace.arrived(0, 2400 * number, 2400)]
    assert told == [Lateness(0, 2400)] * 5
    assert pace.arrived(1_500 * MS, 2400 * 20, 2400) == []


def test_a_device_that_takes_three_blocks_at_once_is_40_ms_ahead_and_the_buffer_knows() -> None:
    pace = DevicePace()
    for number in range(300):
        pace.asked(480, number // 3 * 60 * MS)
    assert 39 * MS < pace.largest_lead_ns <= 40 * MS
    allowance = Allowance()
    for _ in range(300):
        allowance.note(Lateness(0, 2400), pace.largest_lead_ns)
    assert allowance.ns == 60 * MS, "10 ms for what was not seen yet, in whole blocks"


def test_a_device_whose_clock_is_fast_by_200_ppm_gains_no_lead() -> None:
    pace = DevicePace()
    for number in range(180_000):
        pace.asked(480, round(number * 20 * MS * (1 - 200e-6)))
    assert pace.largest_lead_ns < MS
