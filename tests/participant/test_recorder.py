"""Where what was said and heard lies on the session's clock."""

import numpy as np

from simulator.participant.recorder import CapturedTrack, HeardTrack, new_record_path
from tests.participant.scripted_engine import tone

MS = 1_000_000
ORIGIN = 7_000 * MS


def test_captured_blocks_are_joined_though_their_times_jitter() -> None:
    track = CapturedTrack(ORIGIN)
    # Blocks of 480 samples that end at 100, 120, 140… ms, reported up to 15 ms late.
    ends = [100, 135, 141, 160]
    assert [track.position(480, ORIGIN + end * MS) for end in ends] == [1920, 2400, 2880, 3360]


def test_a_pause_of_the_stream_is_a_gap() -> None:
    track = CapturedTrack(ORIGIN)
    assert track.position(480, ORIGIN + 20 * MS) == 0
    # 280 ms later than expected: silence in between.
    assert track.position(480, ORIGIN + 320 * MS) == 7200


def test_a_clock_that_runs_fast_never_overlaps() -> None:
    track = CapturedTrack(ORIGIN)
    assert track.position(480, ORIGIN + 500 * MS) == 11_520
    # A block from before: it is put behind what is there.
    assert track.position(480, ORIGIN + 100 * MS) == 12_000


def test_the_heard_track_has_no_holes_and_both_sides_in_place() -> None:
    written: list[np.ndarray] = []
    heard = HeardTrack(lambda samples: written.append(samples.copy()))
    heard.place(0, 2, np.array([1, 2, 3], dtype=np.int16))
    heard.write_until(3)
    heard.place(1, 4, np.array([7, 8], dtype=np.int16))
    # What lies before the written part is left out.
    heard.place(1, 1, np.array([9, 9, 9], dtype=np.int16))
    heard.write_until(2)
    heard.finish(8)
    assert np.concatenate(written).tolist() == [[0, 0], [0, 0], [1, 0], [2, 9], [3, 7], [0, 8], [0, 0], [0, 0]]


def test_the_heard_track_ends_with_what_was_placed_last() -> None:
    written: list[np.ndarray] = []
    heard = HeardTrack(lambda samples: written.append(samples.copy()))
    heard.place(1, 0, tone(20))
    heard.finish(100)
    assert np.array_equal(np.concatenate(written)[:, 1], tone(20))


def test_a_new_record_never_takes_a_folder_that_exists(tmp_path) -> None:  # type: ignore[no-untyped-def]
    from datetime import datetime

    now = datetime(2026, 11, 30, 14, 5, 9).astimezone()
    first = new_record_path(tmp_path, "my engine/ü:1", now)
    assert first == tmp_path / "2026-11-30 14.05.09 my-engine-ü-1" / "session.jsonl"
    first.parent.mkdir()
    assert new_record_path(tmp_path, "my engine/ü:1", now).parent.name == "2026-11-30 14.05.09 my-engine-ü-1 2"
