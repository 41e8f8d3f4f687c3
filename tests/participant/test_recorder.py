"""Where what was said and heard lies on the session's clock."""

import numpy as np

from simulator.participant.recorder import HeardTrack, new_record_path
from tests.participant.scripted_engine import tone


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


def test_after_minutes_in_which_the_process_stood_still_one_at_most_is_held() -> None:
    minute = 60 * 24_000
    written: list[np.ndarray] = []
    heard = HeardTrack(lambda samples: written.append(samples.copy()))
    heard.place(0, 10, np.array([5], dtype=np.int16))
    heard.place(1, 4 * minute, np.array([7], dtype=np.int16))
    heard.place(0, 4 * minute + 1, np.array([9], dtype=np.int16))
    heard.write_until(5 * minute)
    assert max(map(len, written)) <= minute
    whole = np.concatenate(written)
    assert len(whole) == 5 * minute
    assert np.flatnonzero(whole.any(axis=1)).tolist() == [10, 4 * minute, 4 * minute + 1]
    assert whole[[10, 4 * minute, 4 * minute + 1]].tolist() == [[5, 0], [0, 7], [9, 0]]


def test_a_new_record_never_takes_a_folder_that_exists(tmp_path) -> None:  # type: ignore[no-untyped-def]
    from datetime import datetime

    now = datetime(2026, 11, 30, 14, 5, 9).astimezone()
    first = new_record_path(tmp_path, "my engine/ü:1", now)
    assert first == tmp_path / "2026-11-30 14.05.09 my-engine-ü-1" / "session.jsonl"
    first.parent.mkdir()
    assert new_record_path(tmp_path, "my engine/ü:1", now).parent.name == "2026-11-30 14.05.09 my-engine-ü-1 2"
