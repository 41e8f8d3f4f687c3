"""A disk that stalls: nobody waits for it, and what is lost keeps its place and is counted."""

from pathlib import Path
from threading import Event

import numpy as np
import pytest

from simulator.record.backlog import ENTRY_BYTES, Backlog, Lost
from simulator.record.entries import FORMAT, Direction, Entry, Track
from simulator.record.reader import audio, read_record
from simulator.record.writer import RecordWriter, open_new
from tests.record.raw_files import Stalled


def _entry(seq: int) -> Entry:
    event = {"format": FORMAT, "format_version": 1} if seq == 0 else {}
    return Entry(seq, seq * 1000, Direction.NOTED, "tick" if seq else "record.started", event)


def _audio(frames: int) -> tuple[Track, bytes]:
    return Track.HEARD, bytes(4 * frames)


def test_beyond_the_bound_everything_is_lost_until_half_of_the_room_is_free() -> None:
    losses: list[tuple[int, dict[Track, int], bool]] = []
    backlog = Backlog(lambda lost, over: losses.append((lost.entries, dict(lost.frames), over)), 4 * ENTRY_BYTES)
    for seq in range(4):
        backlog.put(_entry(seq))
    assert losses == []
    backlog.put(_entry(4))
    backlog.put(_audio(10))
    backlog.put(_entry(5))
    assert losses == [(1, {}, False)]
    taken, _ = backlog.take(0.0, 0.0)
    assert taken == [_entry(0)]
    backlog.done()
    backlog.put(_entry(6))  # there is room for one, and more than half of it is taken: still lost
    for _ in range(3):
        backlog.take(0.0, 0.0)
    backlog.done()
    backlog.put(_entry(7))
    assert losses == [(1, {}, False), (3, {Track.HEARD: 10}, True)]
    backlog.end()
    assert [backlog.take(0.0, 0.0) for _ in range(3)] == [
        ([Lost(4, 4000, 3, {Track.HEARD: 10})], True),
        ([_entry(7)], True),
        ([], False),
    ]


def test_what_is_larger_than_the_bound_is_taken_where_nothing_waits() -> None:
    backlog = Backlog(lambda lost, over: pytest.fail("lost"), 100)
    backlog.put(_audio(1000))
    assert backlog.waiting_bytes == 4000


def test_a_stalled_disk_delays_nobody_and_costs_only_what_did_not_fit(tmp_path: Path) -> None:
    moves, stalled, losses = Event(), Event(), list[bool]()
    writer = RecordWriter(
        tmp_path / "session.jsonl",
        on_fault=lambda fault: pytest.fail(str(fault)),
        on_loss=lambda lost, over: losses.append(over),
        open_file=lambda path: Stalled(open_new(path), moves, stalled),
        most_waiting_bytes=100_000,
    )
    ones = np.ones((480, 2), np.int16)
    for seq in range(1000):  # returns, though nothing is written: far more than may wait
        writer.append(_entry(seq))
        writer.write_audio(Track.HEARD, ones)
        assert writer.waiting_bytes <= 100_000
    assert stalled.wait(60)
    assert losses == [False]
    assert not writer.close(within_s=0.0)
    moves.set()
    assert writer.close()
    record = read_record(tmp_path)
    assert record.problems == []
    assert [entry.seq for entry in record.entries] == list(range(1000))
    kept = [entry for entry in record.entries if entry.type != "entry.lost"]
    assert 30 <= len(kept) <= 36  # a thousand bytes for an entry and 1,920 for its audio: 34 of both
    heard = audio(tmp_path, Track.HEARD)
    assert heard.shape == (480_000, 2)
    kept_frames = int(heard[:, 0].sum())
    assert kept_frames in {480 * len(kept), 480 * (len(kept) - 1)}
    assert heard[:kept_frames].min() == 1
    assert heard[kept_frames:].max() == 0
    assert writer.healthy
