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


def test_blocks_that_were_held_up_and_come_at_once_are_no_gap() -> None:
    track = CapturedTrack(ORIGIN)
    # A sound server stood still from 40 to 240 ms: the ten blocks of that time come together.
    ends = [20, 40, *[240] * 10, 260]
    assert [track.position(480, ORIGIN + end * MS) for end in ends] == [480 * number for number in range(13)]


def test_a_run_whose_first_block_came_late_is_moved_back_to_its_place() -> None:
    track = CapturedTrack(ORIGIN)
    assert track.position(480, ORIGIN + 120 * MS, begins=True) == 2400
    # It was captured at 40 ms, and so the next ones, told of in time, lie where the first was put.
    assert track.position(480, ORIGIN + 60 * MS) == 960
    assert track.position(480, ORIGIN + 80 * MS) == 1440


def test_another_source_begins_at_its_own_time() -> None:
    track = CapturedTrack(ORIGIN)
    assert track.position(480, ORIGIN + 20 * MS) == 0
    # 280 ms of nothing, while a microphone was opened.
    assert track.position(480, ORIGIN + 320 * MS, begins=True) == 7200


def test_samples_that_were_lost_are_a_gap_once_fifteen_blocks_agree() -> None:
    track = CapturedTrack(ORIGIN)
    assert track.position(480, ORIGIN + 20 * MS) == 0
    # 100 ms were lost: each block ends 100 ms later than it would otherwise.
    positions = [track.position(480, ORIGIN + (140 + 20 * number) * MS) for number in range(16)]
    assert positions[:13] == [480 * number for number in range(1, 14)]
    assert positions[-1] == 480 * 16 + 2400


def test_a_clock_that_runs_fast_does_not_lead_away_from_the_session() -> None:
    track = CapturedTrack(ORIGIN)
    # The device says 20 ms when 19 have passed: the place of block n must not lie 20 ms behind its time.
    for number in range(1, 500):
        end_ms = 19 * number
        position = track.position(480, ORIGIN + end_ms * MS)
        assert abs((position + 480) - 24 * end_ms) <= 480


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
