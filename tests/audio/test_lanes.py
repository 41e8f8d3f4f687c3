"""Where what was said and heard lies on the session's clock, also where a device's clock is not the session's."""

from collections.abc import Iterator

import numpy as np
import pytest

from simulator.audio.lanes import CapturedTrack, HandedTrack
from simulator.audio.playout import AudioHanded

MS = 1_000_000
ORIGIN = 7_000 * MS
HOUR_BLOCKS = 180_000

LOUD = np.rint(8000 * np.sin(2 * np.pi * 250 * np.arange(480) / 24_000)).astype(np.int16)
QUIET = np.rint(LOUD / 80).astype(np.int16)


def captured(track: CapturedTrack, end_ms: float, *, begins: bool = False) -> int:
    return track.place(LOUD, ORIGIN + round(end_ms * MS), begins=begins).first_sample


def test_captured_blocks_are_joined_though_their_times_jitter() -> None:
    track = CapturedTrack(ORIGIN)
    # Blocks of 480 samples that end at 100, 120, 140… ms, reported up to 15 ms late.
    assert [captured(track, end) for end in (100, 135, 141, 160)] == [1920, 2400, 2880, 3360]


def test_what_was_captured_before_the_session_began_has_no_place() -> None:
    track = CapturedTrack(ORIGIN)
    assert not len(track.place(QUIET, ORIGIN - 5 * MS).samples)
    # Of the block in which it began, what lies in it has one: all that follow lie where they were captured.
    first = track.place(QUIET, ORIGIN + 15 * MS)
    assert first.first_sample == 0
    assert np.array_equal(first.samples, QUIET[120:])
    for number in range(1, 300):
        placed = track.place(LOUD, ORIGIN + (15 + 20 * number) * MS)
        assert placed.first_sample == 480 * number - 120
        assert placed.samples is LOUD


def test_a_voice_that_goes_on_into_the_session_is_kept_whole() -> None:
    track = CapturedTrack(ORIGIN)
    # It lies 5 ms too late, and so do the blocks that follow, up to a pause.
    for number in range(200):
        placed = track.place(LOUD, ORIGIN + (15 + 20 * number) * MS)
        assert placed.first_sample == 480 * number
        assert placed.samples is LOUD
    for number in range(200, 300):
        placed = track.place(QUIET, ORIGIN + (15 + 20 * number) * MS)
    assert abs(placed.first_sample + len(placed.samples) - 24 * (15 + 20 * 299)) <= 24


def test_blocks_that_were_held_up_and_come_at_once_are_no_gap() -> None:
    track = CapturedTrack(ORIGIN)
    # A sound server stood still from 40 to 240 ms: the ten blocks of that time come together.
    ends = [20, 40, *[240] * 10, 260]
    assert [captured(track, end) for end in ends] == [480 * number for number in range(13)]


def test_a_run_whose_first_block_came_late_is_moved_back_to_its_place() -> None:
    track = CapturedTrack(ORIGIN)
    assert captured(track, 120, begins=True) == 2400
    # It was captured at 40 ms, and so the next ones, told of in time, lie where the first was put.
    assert captured(track, 60) == 960
    assert captured(track, 80) == 1440


def test_another_source_begins_at_its_own_time() -> None:
    track = CapturedTrack(ORIGIN)
    assert captured(track, 20) == 0
    # 280 ms of nothing, while a microphone was opened.
    assert captured(track, 320, begins=True) == 7200


def test_samples_that_were_lost_are_a_gap_once_fifteen_blocks_agree() -> None:
    track = CapturedTrack(ORIGIN)
    assert captured(track, 20) == 0
    # 100 ms were lost: each block ends 100 ms later than it would otherwise.
    positions = [captured(track, 140 + 20 * number) for number in range(16)]
    assert abs(positions[-1] - (480 * 16 + 2400)) <= 24


def test_two_blocks_that_were_lost_are_made_up_for_to_10_ms_in_ten_seconds() -> None:
    track = CapturedTrack(ORIGIN)
    for number in range(500):
        assert captured(track, 20 * (number + 1)) == 480 * number
    for number in range(500, 1000):
        position = captured(track, 20 * (number + 1) + 40)
    assert abs(position - (480 * 999 + 960)) <= 24 * 10


def test_a_clock_that_runs_fast_does_not_lead_away_from_the_session() -> None:
    track = CapturedTrack(ORIGIN)
    # The device says 20 ms when 19 have passed: the place of block n must not lie 20 ms behind its time.
    for number in range(1, 500):
        end_ms = 19 * number
        placed = track.place(LOUD, ORIGIN + end_ms * MS)
        assert abs((placed.first_sample + len(placed.samples)) - 24 * end_ms) <= 480


def late_ms(seed: int, blocks: int) -> Iterator[float]:
    """How late stamps are: a few ms mostly, now and then as long as a sound server that was held up."""
    random = np.random.default_rng(seed)
    yield from random.exponential(3, blocks) + np.where(random.random(blocks) < 0.001, 60, 0)


@pytest.mark.parametrize("ppm", [-100, 100])
def test_what_a_microphone_says_stays_within_20_ms_of_its_stamps_over_an_hour(ppm: int) -> None:
    """Half an hour with pauses, in which not a sample of the voice is touched; then half an hour without any."""
    track = CapturedTrack(ORIGIN)
    block_ms = 20 / (1 + ppm / 1e6)
    worst_samples, slips = 0.0, 0
    for number, late in enumerate(late_ms(1, HOUR_BLOCKS)):
        end_ms = block_ms * (number + 1)
        pause = number < HOUR_BLOCKS // 2 and number % 400 < 20
        said = QUIET if pause else LOUD
        placed = track.place(said, ORIGIN + round((end_ms + late) * MS))
        slipped = len(placed.samples) - 480
        slips += slipped
        assert slipped in (-1, 0, 1)
        if not pause and number < HOUR_BLOCKS // 2:
            assert placed.samples is said
        worst_samples = max(worst_samples, abs(placed.first_sample + len(placed.samples) - 24 * end_ms))
    assert worst_samples <= 24 * 7
    # 360 ms is what the clocks are apart after the hour.
    assert slips == pytest.approx(-ppm / 100 * 24 * 360, abs=24 * 12)


@pytest.mark.parametrize("ppm", [-100, 100])
def test_what_a_device_was_handed_stays_within_20_ms_of_its_stamps_over_an_hour(ppm: int) -> None:
    """An agent that never pauses, and a device that asks for two blocks at a time."""
    track = HandedTrack(ORIGIN)
    block_ms = 20 / (1 + ppm / 1e6)
    worst_samples = 0.0
    for number, late in enumerate(late_ms(2, HOUR_BLOCKS)):
        asked_ms = block_ms * (number - number % 2)
        handed_ns = ORIGIN + round((asked_ms + (late if number else 0)) * MS)
        placed = track.place(AudioHanded("a", number * 480, LOUD, number * 480, handed_ns, 0, 0))
        worst_samples = max(worst_samples, abs(placed.first_sample - 24 * block_ms * number))
    assert worst_samples <= 24 * 7


def test_a_slip_is_no_step() -> None:
    track = CapturedTrack(ORIGIN)
    voice = np.rint(8000 * np.sin(2 * np.pi * 250 * np.arange(480 * 2000) / 24_000)).astype(np.int16)
    # The clock runs slow by 1000 millionths.
    placed = [track.place(block, ORIGIN + round(20.02 * (n + 1) * MS)) for n, block in enumerate(np.split(voice, 2000))]
    heard = np.concatenate([each.samples for each in placed])
    assert len(heard) > len(voice) + 500
    assert np.abs(np.diff(heard.astype(int))).max() <= np.abs(np.diff(voice.astype(int))).max()


def piece(output_sample: int, samples: int, handed_ms: float, block_offset: int = 0) -> AudioHanded:
    audio = np.ones(samples, dtype=np.int16)
    return AudioHanded("a", 0, audio, output_sample, round(handed_ms * MS), 0, block_offset)


def test_pieces_handed_in_bursts_are_joined_on_the_clock_without_overlap() -> None:
    track = HandedTrack(origin_ns=1000 * MS)
    # Two blocks asked for at once, a third 40 ms later: one run, from 100 ms on.
    handed = [(7, 1100), (8, 1100.1), (9, 1140)]
    assert [track.place(piece(number * 480, 480, ms)).first_sample for number, ms in handed] == [2400, 2880, 3360]
    # After silence a new run begins at its own time; its first sample lies 80 samples into the block.
    assert track.place(piece(20 * 480 + 80, 400, 1400, 80)).first_sample == 9600 + 80
    # A run that would begin inside the one before is moved behind it.
    assert track.place(piece(22 * 480, 480, 1405)).first_sample == 9600 + 480


def test_a_run_across_a_standstill_of_the_device_is_placed_where_it_went_on() -> None:
    track = HandedTrack(origin_ns=0)
    handed = [(0, 0), (1, 500), (2, 500.1)]
    assert [track.place(piece(number * 480, 480, ms)).first_sample for number, ms in handed] == [0, 12_000, 12_480]
