"""Speeches of sessions written by hand: what is talk, what belongs to it, what it reacts to. Times are ms."""

from pathlib import Path

import numpy as np
import pytest

from simulator.record.replay.deeds import Say
from tests.record.export_record import MS
from tests.record.replay.replayed import SAMPLES_PER_MS, Session, said, timed


def test_a_speech_has_what_is_soft_before_and_behind_it(tmp_path: Path) -> None:
    planned = Session().says(1_000, 2_000).end(5_000).planned(tmp_path)
    (act,) = planned.acts
    assert act.deed == Say(800 * SAMPLES_PER_MS, 1_500 * SAMPLES_PER_MS)
    assert act.at_ns == 700 * MS
    assert timed(act) == ("beginning", 0, 700)


def test_a_speech_right_at_the_beginning_begins_with_it(tmp_path: Path) -> None:
    planned = Session().says(150, 1_000).end(5_000).planned(tmp_path)
    assert said(planned) == [(100, 1_300)]
    assert timed(planned.acts[0]) == ("beginning", 0, 0)


@pytest.mark.parametrize(("pause_ms", "speeches"), [(600, 1), (990, 1), (1_000, 2)])
def test_a_pause_of_less_than_a_second_lies_within_a_speech(tmp_path: Path, pause_ms: int, speeches: int) -> None:
    session = Session().says(1_000, 2_000).says(2_000 + pause_ms, 4_000).end(6_000)
    assert len(said(session.planned(tmp_path))) == speeches


def test_a_speech_begins_no_earlier_than_what_it_follows(tmp_path: Path) -> None:
    session = Session().says(1_000, 2_000)
    session.reply("1", 2_600, 4_000, latency_ms=30)
    planned = session.says(4_100, 5_000).end(8_000).planned(tmp_path)
    # The reply's last sound was over at 4,030 ms.
    assert said(planned) == [(800, 2_300), (4_030, 5_300)]
    assert timed(planned.acts[1]) == ("reply ends", 1, 0)


def test_a_reply_into_a_pause_of_a_speech_is_no_exchange(tmp_path: Path) -> None:
    session = Session().says(1_000, 2_000)
    session.reply("too early", 2_600, 2_750, cut="speech_started")
    session.says(2_700, 4_000)
    session.reply("1", 4_600, 6_000)
    planned = session.says(7_000, 8_000).end(9_000).planned(tmp_path)
    assert planned.exchanges == 1
    assert [timed(act) for act in planned.acts] == [("beginning", 0, 700), ("reply ends", 1, 800)]
    assert said(planned)[0] == (800, 4_300)


def test_a_pause_of_less_than_a_second_is_none_for_a_reply_that_was_cut(tmp_path: Path) -> None:
    session = Session().says(1_000, 2_000)
    session.reply("too early", 2_300, 2_950, cut="speech_started")
    planned = session.says(2_800, 4_000).end(9_000).planned(tmp_path)
    assert planned.exchanges == 0
    assert said(planned) == [(800, 4_300)]


@pytest.mark.parametrize(("begun_ms", "exchange"), [(2_790, 1), (2_810, 0)])
def test_who_had_time_to_react_to_a_reply_interrupts_it(tmp_path: Path, begun_ms: int, exchange: int) -> None:
    """After a longer pause: what begins sooner than 200 ms after the reply goes on with what was said before."""
    session = Session().says(1_000, 1_900)
    session.reply("1", begun_ms, 3_200, cut="speech_started")
    planned = session.says(3_000, 4_000).end(9_000).planned(tmp_path)
    assert planned.exchanges == exchange
    assert timed(planned.acts[1]) == (("reply begins", 1, 10) if exchange else ("beginning", 0, 2_700))


def test_a_recording_may_begin_with_a_reply(tmp_path: Path) -> None:
    session = Session().says(1_000, 1_900)
    session.reply("1", 2_810, 3_200, cut="speech_started")
    session.noted(2_830, "recording.started", name="one", first_sample=0, samples=96_000)
    planned = session.says(2_900, 4_000).end(9_000).planned(tmp_path)
    assert timed(planned.acts[1]) == ("reply begins", 1, 0)


def test_who_spoke_over_the_end_of_a_reply_and_answers_it_begins_another_speech(tmp_path: Path) -> None:
    session = Session().says(1_000, 2_000)
    session.reply("1", 3_000, 5_100)
    session.says(4_700, 5_000)
    planned = session.says(5_500, 6_000).end(9_000).planned(tmp_path)
    assert [timed(act) for act in planned.acts][1:] == [("reply begins", 1, 1_500), ("reply ends", 1, 200)]


def test_a_reply_that_the_participant_spoke_under_is_still_the_same_exchange(tmp_path: Path) -> None:
    """It began in the speech, and was audible at its end: it is what came of it."""
    session = Session().says(1_000, 3_000)
    session.reply("1", 2_500, 4_000)
    planned = session.says(6_000, 7_000).end(9_000).planned(tmp_path)
    assert planned.exchanges == 1
    assert timed(planned.acts[1]) == ("reply ends", 1, 1_800)


def test_a_recording_with_a_long_pause_is_one_speech_and_two_are_two(tmp_path: Path) -> None:
    session = Session()
    session.noted(1_020, "recording.started", name="one", first_sample=0, samples=96_000)
    session.says(1_000, 2_000).says(4_500, 5_000)
    session.noted(5_040, "recording.ended", name="one")
    session.noted(5_320, "recording.started", name="two", first_sample=120_000, samples=24_000)
    session.says(5_500, 6_000)
    session.noted(6_040, "recording.ended", name="two")
    planned = session.end(8_000).planned(tmp_path)
    assert said(planned) == [(800, 5_250), (5_300, 6_300)]


def test_a_recording_that_breaks_another_one_off_is_another_speech(tmp_path: Path) -> None:
    session = Session()
    session.noted(1_020, "recording.started", name="one", first_sample=0, samples=96_000)
    session.says(1_000, 2_000).says(2_600, 3_000)
    session.noted(2_520, "recording.started", name="two", first_sample=36_000, samples=24_000)
    session.noted(2_520, "recording.ended", name="one")
    session.noted(3_040, "recording.ended", name="two")
    planned = session.end(8_000).planned(tmp_path)
    assert said(planned) == [(800, 2_300), (2_400, 3_300)]


@pytest.mark.parametrize("deviation", [0, 400, 2_000])  # digital silence, -38 dBFS, -24 dBFS
def test_a_noisy_room_is_no_speech(tmp_path: Path, deviation: int) -> None:
    session = Session().says(2_000, 3_000).says(7_990, 8_000)
    noise = np.random.default_rng(1).normal(0, deviation, len(session.voice))
    session.voice = (session.voice + noise).astype(np.int16)
    assert said(session.end(8_000).planned(tmp_path)) == [(1_800, 3_300)]


@pytest.mark.parametrize(("divisor", "heard"), [(32, True), (128, True), (1_000, False)])
def test_who_talks_softly_is_heard_as_well(tmp_path: Path, divisor: int, heard: bool) -> None:
    """At -45 and -57 dBFS in a room of -72 dBFS; at -75 dBFS no more."""
    session = Session().says(2_000, 3_000).says(7_990, 8_000)
    noise = np.random.default_rng(1).normal(0, 8 if heard else 0, len(session.voice))
    session.voice = (session.voice / divisor + noise).astype(np.int16)
    assert said(session.end(8_000).planned(tmp_path)) == ([(1_800, 3_300)] if heard else [])


@pytest.mark.parametrize("deviation", [0, 15, 60])
def test_a_room_without_talk_is_none(tmp_path: Path, deviation: int) -> None:
    session = Session()
    noise = np.random.default_rng(1).normal(0, deviation, 8_000 * SAMPLES_PER_MS)
    noise[96_000:96_200] *= 5  # something falls
    session.voice = noise.astype(np.int16)
    assert said(session.end(8_000).planned(tmp_path)) == []


def test_a_record_of_hardly_anything_but_talk_is_talk(tmp_path: Path) -> None:
    assert said(Session().says(150, 7_900).end(8_000).planned(tmp_path)) == [(100, 8_000)]
