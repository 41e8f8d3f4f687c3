"""Waveforms for drawing: no peak is lost at any zoom, and a long session costs no more than a short one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from simulator.audio.peaks import PeakCollector, PeakPyramid, block_peaks
from simulator.units import SAMPLE_RATE_HZ

HOUR_SAMPLES = 3600 * SAMPLE_RATE_HZ


def noise(samples: int, seed: int = 1) -> NDArray[np.int16]:
    return np.random.default_rng(seed).integers(-30000, 30000, samples).astype(np.int16)


def test_the_peaks_of_a_block_are_its_extremes_in_steps_of_256() -> None:
    samples = np.zeros(130, dtype=np.int16)
    samples[[3, 63, 64, 129]] = [-32768, 32767, -1, 255]
    mins, maxs = block_peaks(samples)
    assert mins.tolist() == [-128, -1, 0]
    assert maxs.tolist() == [127, 0, 0]


def test_no_samples_have_no_peaks() -> None:
    mins, maxs = block_peaks(np.zeros(0, dtype=np.int16))
    assert len(mins) == len(maxs) == 0


def test_a_click_is_seen_at_every_zoom_and_in_its_column() -> None:
    lane = np.zeros(640_000, dtype=np.int16)
    lane[400_000] = 32767
    pyramid = PeakPyramid()
    pyramid.append(lane)
    for columns in (1, 3, 10, 500, 5000):
        _, maxs = pyramid.query(0, len(lane), columns)
        assert maxs.max() == 127
        assert np.flatnonzero(maxs)[0] == pytest.approx(400_000 * columns / 640_000, abs=1)


def test_columns_narrower_than_a_block_show_the_block_they_lie_in() -> None:
    pyramid = PeakPyramid()
    pyramid.append(np.repeat(np.array([256, 512, 768], dtype=np.int16), 64))
    _, maxs = pyramid.query(0, 192, 12)
    assert maxs.tolist() == [1] * 4 + [2] * 4 + [3] * 4


def test_a_column_half_outside_the_lane_shows_the_half_that_is_inside() -> None:
    pyramid = PeakPyramid()
    pyramid.append(np.full(640, 25600, dtype=np.int16))
    assert pyramid.query(-100, 924, 2)[1].tolist() == [100, 100]
    assert pyramid.query(-100, 28, 1)[1].tolist() == [100]


def test_columns_outside_the_lane_are_silent() -> None:
    pyramid = PeakPyramid()
    pyramid.append(np.full(640, 25600, dtype=np.int16))
    mins, maxs = pyramid.query(-640, 1280, 3)
    assert mins.tolist() == [0, 100, 0]
    assert maxs.tolist() == [0, 100, 0]
    assert pyramid.query(5000, 6000, 2)[1].tolist() == [0, 0]
    assert pyramid.query(100, 100, 2)[1].tolist() == [0, 0]
    assert PeakPyramid().query(0, 100, 2)[1].tolist() == [0, 0]


@given(st.lists(st.integers(0, 3000), max_size=12), st.integers(1, 40))
def test_audio_in_any_pieces_gives_the_peaks_of_the_whole(pieces: list[int], columns: int) -> None:
    whole = noise(sum(pieces))
    pyramid = PeakPyramid()
    at = 0
    for piece in pieces:
        pyramid.append(whole[at : at + piece])
        at += piece
    at_once = PeakPyramid()
    at_once.append(whole)
    assert len(pyramid) == len(whole)
    for first, last in ((0, len(whole)), (len(whole) // 3, len(whole) // 2)):
        got, expected = pyramid.query(first, last, columns), at_once.query(first, last, columns)
        assert got[0].tolist() == expected[0].tolist()
        assert got[1].tolist() == expected[1].tolist()


@given(st.integers(1, 30_000), st.integers(1, 50))
def test_the_extremes_over_all_columns_are_those_of_the_audio(samples: int, columns: int) -> None:
    lane = noise(samples, seed=samples)
    pyramid = PeakPyramid()
    pyramid.append(lane)
    mins, maxs = pyramid.query(0, samples, columns)
    assert mins.min() == lane.min() >> 8
    assert maxs.max() == lane.max() >> 8


def test_peaks_are_placed_on_the_clock_with_silence_before_and_between() -> None:
    pyramid = PeakPyramid()
    loud = np.full(2, 50, dtype=np.int8)
    pyramid.place_peaks(640, -loud, loud)
    pyramid.place_peaks(64 * 40, -loud, loud)
    mins, maxs = pyramid.query(0, 64 * 42, 42)
    assert np.flatnonzero(maxs).tolist() == np.flatnonzero(mins).tolist() == [10, 11, 40, 41]
    assert len(pyramid) == 64 * 42
    # The coarsest view still tells where the sound is.
    assert pyramid.query(0, 64 * 48, 3)[1].tolist() == [50, 0, 50]


def test_peaks_placed_where_there_were_some_are_joined_with_them() -> None:
    pyramid = PeakPyramid()
    pyramid.place_peaks(0, np.array([-5, -9], dtype=np.int8), np.array([1, 9], dtype=np.int8))
    pyramid.place_peaks(0, np.array([-7, -3], dtype=np.int8), np.array([0, 4], dtype=np.int8))
    mins, maxs = pyramid.query(0, 128, 2)
    assert mins.tolist() == [-7, -9]
    assert maxs.tolist() == [1, 9]


def test_peaks_off_the_grid_or_not_in_pairs_are_refused() -> None:
    one = np.zeros(1, dtype=np.int8)
    with pytest.raises(ValueError, match="multiple of 64"):
        PeakPyramid().place_peaks(63, one, one)
    with pytest.raises(ValueError, match="belong together"):
        PeakPyramid().place_peaks(0, one, np.zeros(2, dtype=np.int8))


def test_three_hours_take_at_most_21_mib() -> None:
    pyramid = PeakPyramid()
    minute = np.ones(60 * SAMPLE_RATE_HZ // 64, dtype=np.int8)
    for _ in range(180):
        pyramid.place_peaks(len(pyramid), -minute, minute)
    assert len(pyramid) == 3 * HOUR_SAMPLES
    assert pyramid.memory_bytes <= 21 * 2**20
    assert pyramid.query(0, 3 * HOUR_SAMPLES, 1500)[1].tolist() == [1] * 1500


def test_a_query_reads_no_more_than_a_few_peaks_a_column_however_long_the_lane(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from simulator.audio import peaks

    pyramid = PeakPyramid()
    minute = np.ones(60 * SAMPLE_RATE_HZ // 64, dtype=np.int8)
    for _ in range(60):
        pyramid.place_peaks(len(pyramid), -minute, minute)
    read: list[int] = []
    original = peaks._Level.read

    def counted(self: peaks._Level, first: int, end: int) -> peaks.Peaks:
        read.append(end - first)
        return original(self, first, end)

    monkeypatch.setattr(peaks._Level, "read", counted)
    for seconds in (1, 10, 60, 600, 3600):
        pyramid.query(0, seconds * SAMPLE_RATE_HZ, 1500)
    assert len(read) == 5
    assert max(read) <= 4 * 1500


def test_the_collector_gives_each_block_once_and_only_when_it_is_full() -> None:
    collector = PeakCollector()
    collector.place(0, np.full(100, 2560, dtype=np.int16))
    (first, (_, maxs)), *rest = collector.take()
    assert (first, maxs.tolist(), rest) == (0, [10], [])
    collector.place(100, np.full(30, 5120, dtype=np.int16))
    (first, (_, maxs)), *rest = collector.take()
    assert (first, maxs.tolist(), rest) == (64, [20], [])
    assert collector.take() == []


def test_the_collector_leaves_out_what_is_silent_and_keeps_to_the_grid() -> None:
    collector = PeakCollector()
    collector.place(10, np.full(20, -2560, dtype=np.int16))
    collector.place(1000, np.full(10, 2560, dtype=np.int16))
    collector.flush()
    runs = [(first, mins.tolist(), maxs.tolist()) for first, (mins, maxs) in collector.take()]
    assert runs == [(0, [-10], [0]), (960, [0], [10])]
    # The block from 960 on was sent: what still falls into it is left out.
    collector.place(1010, np.full(64, 5120, dtype=np.int16))
    collector.flush()
    assert [first for first, _ in collector.take()] == [1024]


@given(st.lists(st.tuples(st.integers(0, 300), st.integers(0, 400)), max_size=15))
def test_what_the_collector_sends_makes_the_lane_in_the_window(pieces: list[tuple[int, int]]) -> None:
    lane = np.zeros(sum(gap + length for gap, length in pieces) + 64, dtype=np.int16)
    collector = PeakCollector()
    pyramid = PeakPyramid()
    at = 0
    for gap, length in pieces:
        at += gap
        audio = noise(length, seed=at)
        lane[at : at + length] = audio
        collector.place(at, audio)
        at += length
        for first, (mins, maxs) in collector.take():
            pyramid.place_peaks(first, mins, maxs)
    collector.flush()
    for first, (mins, maxs) in collector.take():
        pyramid.place_peaks(first, mins, maxs)
    expected = block_peaks(lane[: at // 64 * 64])
    got = pyramid.query(0, at // 64 * 64, max(1, at // 64))
    assert got[0][: at // 64].tolist() == expected[0].tolist()
    assert got[1][: at // 64].tolist() == expected[1].tolist()
