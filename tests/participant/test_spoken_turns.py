"""Which audio is a turn: cut by what the engine says, where that can be believed."""

from typing import Any

import numpy as np
import pytest

from simulator.participant.spoken_turns import LONGEST_SAMPLES, SpokenTurns
from simulator.record.entries import Direction, Entry, Track

S = 24_000


class Session:
    """A session whose every sample is the number of the half second in which it was sent."""

    def __init__(self) -> None:
        self.turns = SpokenTurns()
        self.halves = 0

    def send(self, seconds: float) -> None:
        for _ in range(round(seconds * 2)):
            self.turns.heard(Track.PARTICIPANT, np.full(S // 2, self.halves, np.int16))
            self.halves += 1

    def engine(self, kind: str, **event: Any) -> Any:
        return self.turns.take(Entry(0, 0, Direction.RECEIVED, f"input_audio_buffer.{kind}", event))


def test_a_turn_is_cut_where_the_engine_says() -> None:
    session = Session()
    session.send(2)
    assert session.engine("speech_started", item_id="u1", audio_start_ms=1500) is None
    session.turns.heard(Track.AGENT, np.ones(S, np.int16))
    session.send(2)
    turn = session.engine("speech_stopped", item_id="u1", audio_end_ms=3500)
    assert (turn.item_id, turn.from_sample, turn.to_sample) == ("u1", 36_000, 84_000)
    assert [int(turn.samples[at]) for at in (0, 12_000, 24_000, 36_000)] == [3, 4, 5, 6]
    assert len(turn.samples) == 48_000
    assert session.engine("committed", item_id="u1") is None


def test_a_commit_in_mid_speech_ends_the_turn() -> None:
    session = Session()
    session.send(1)
    session.engine("speech_started", item_id="u1", audio_start_ms=500)
    session.send(1)
    turn = session.engine("committed", item_id="u1")
    assert (turn.from_sample, turn.to_sample) == (S // 2, 2 * S)


@pytest.mark.parametrize("start_ms", [None, 5_500, 100, -1, 10**400, "soon"])
def test_a_beginning_that_cannot_be_is_taken_for_a_second_ago(start_ms: Any) -> None:
    session = Session()
    session.send(5)
    session.engine("speech_started", item_id="u1", audio_start_ms=start_ms)
    session.send(1)
    turn = session.engine("speech_stopped", item_id="u1", audio_end_ms=10**9)
    assert (turn.from_sample, turn.to_sample) == (4 * S, 6 * S)


def test_a_turn_without_an_item_or_without_a_beginning_is_none() -> None:
    session = Session()
    session.send(1)
    assert session.engine("speech_stopped", item_id="u1", audio_end_ms=900) is None
    session.engine("speech_started", audio_start_ms=0)
    assert session.engine("speech_stopped", audio_end_ms=900) is None


def test_of_a_very_long_turn_the_last_five_minutes_count() -> None:
    session = Session()
    session.engine("speech_started", item_id="u1", audio_start_ms=0)
    session.send(400)
    turn = session.engine("speech_stopped", item_id="u1", audio_end_ms=400_000)
    assert (turn.from_sample, turn.to_sample) == (400 * S - LONGEST_SAMPLES, 400 * S)
    assert int(turn.samples[0]) == 200
