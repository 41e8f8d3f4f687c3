"""The start rule: late deltas play without a gap, and not later than promised. Times are simulated."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.audio.playout import PlaybackGap, PlaybackStarted, Playout
from simulator.units import NS_PER_MS
from tests.audio.loudspeaker import Loudspeaker, at_times, of_kind, tone

MS = NS_PER_MS
DELTA_SAMPLES = 2400


def play(lateness_ms: list[float], phase_ms: float, speed: float = 1) -> tuple[float, list[PlaybackGap]]:
    """Play 100 ms deltas sent at `speed` times real time; return the ms from the first delta to the first sample
    handed, and the gaps. Deltas come over one connection, so none overtakes another."""
    playout = Playout()
    loudspeaker = Loudspeaker(playout, round(phase_ms * MS))
    arrivals: list[int] = []
    for number, late_ms in enumerate(lateness_ms):
        arrival_ns = round((number * 100 / speed + late_ms) * MS)
        arrivals.append(max(arrival_ns, arrivals[-1]) if arrivals else arrival_ns)
    at_times(
        [(at_ns, lambda at_ns=at_ns: playout.add("a", tone(1, DELTA_SAMPLES), at_ns)) for at_ns in arrivals],  # type: ignore[misc]
        loudspeaker,
    )
    playout.item_complete("a")
    loudspeaker.run_until(loudspeaker.next_ns + (len(lateness_ms) * 100 + 500) * MS)
    events = playout.progress()
    assert (loudspeaker.heard == 1).sum() == len(lateness_ms) * DELTA_SAMPLES
    started = of_kind(events, PlaybackStarted)[0]
    return (started.handed_ns - arrivals[0]) / MS, of_kind(events, PlaybackGap)


def test_a_thousand_random_latenesses_play_without_a_gap_and_with_at_most_200_ms_of_buffering() -> None:
    chance = random.Random(20240)
    for _ in range(1000):
        late = [chance.uniform(0, 180) for _ in range(20)]
        buffered_ms, gaps = play(late, chance.uniform(0, 20))
        assert gaps == []
        assert buffered_ms < 200


def test_a_thousand_sequences_of_the_extremes_play_without_a_gap() -> None:
    chance = random.Random(20241)
    for _ in range(1000):
        late = [chance.choice([0.0, 180.0]) for _ in range(12)]
        buffered_ms, gaps = play(late, chance.choice([0.0, 0.001, 10.0, 19.999]))
        assert gaps == []
        assert buffered_ms < 200


@given(st.lists(st.floats(0, 180), min_size=1, max_size=12), st.floats(0, 20), st.sampled_from([1, 1.5, 3, 10]))
def test_no_lateness_up_to_180_ms_makes_a_gap_at_any_speed(late: list[float], phase: float, speed: float) -> None:
    buffered_ms, gaps = play(late, phase, speed)
    assert gaps == []
    assert buffered_ms < 200


@pytest.mark.parametrize("phase_ms", [0, 0.5, 5, 10, 13.4, 19.9])
def test_at_three_times_real_time_playing_starts_within_100_ms(phase_ms: float) -> None:
    buffered_ms, gaps = play([0] * 30, phase_ms, speed=3)
    assert gaps == []
    assert buffered_ms <= 100


def test_at_three_times_real_time_with_a_network_that_wavers_by_10_ms_playing_starts_within_100_ms() -> None:
    chance = random.Random(20242)
    for _ in range(500):
        buffered_ms, gaps = play([chance.uniform(0, 10) for _ in range(20)], chance.uniform(0, 20), speed=3)
        assert gaps == []
        assert buffered_ms <= 100


def test_a_delta_later_than_allowed_makes_one_gap_that_is_reported() -> None:
    """Playing starts at 180 ms; delta 1 is needed at 280 ms and comes at 500, as do deltas 2 and 3.

    At 500 ms deltas 2 and 3 lead delta 1 by 200 ms, so playing goes on with the block at 500 ms: 220 ms of gap.
    """
    buffered_ms, gaps = play([0, 400, 300, 200, 0, 0], 0)
    assert buffered_ms == 180
    assert gaps == [PlaybackGap("a", 220 * 24)]
