"""The way from the participant process to the window: nothing lost, nothing that stops the window."""

import sys
from pathlib import Path

import pytest

from simulator.participant.messages import Entries, Gap, Lane, Level, Peaks, Reply, Status, StopReply, encode_line
from simulator.record.entries import Direction, Entry
from simulator.units import NS_PER_S
from tests.ui.window_rig import wait_until
from ui.participant_host import ParticipantHost
from ui.session_feed import SessionFeed

pytestmark = pytest.mark.usefixtures("theme")


def note(seq: int, kind: str = "talk") -> Entry:
    return Entry(seq, seq, Direction.NOTED, kind)


def feed_of(program: str) -> SessionFeed:
    return SessionFeed(ParticipantHost([sys.executable, "-c", program]))


def ended(feed: SessionFeed) -> None:
    stopped: list[bool] = []
    feed.stopped.connect(lambda: stopped.append(True))
    feed.stop()
    wait_until(lambda: stopped)


def test_entries_peaks_and_level_arrive_in_the_view() -> None:
    feed = SessionFeed()
    added: list[tuple[int, int]] = []
    nows: list[int] = []
    feed.entries_added.connect(lambda first, last: added.append((first, last)))
    feed.now_changed.connect(nows.append)
    feed.take([Entries(entries=[note(0), note(1)]), Entries(entries=[note(2)])])
    feed.take(
        [
            Peaks(lane=Lane.AGENT, first_sample=640, mins=bytes([0x80]), maxs=bytes([0x7F])),
            Level(t_ns=3 * NS_PER_S, rms_dbfs=-20, peak_dbfs=-10),
        ]
    )
    assert added == [(0, 3)]
    assert nows == [3 * NS_PER_S]
    mins, maxs = feed.view.lanes["agent"].query(640, 704, 1)
    assert (mins.tolist(), maxs.tolist()) == ([-128], [127])


def test_number_zero_begins_a_new_view_and_the_old_one_keeps_its_entries() -> None:
    feed = SessionFeed()
    views: list[object] = []
    feed.view_started.connect(views.append)
    feed.take([Entries(entries=[note(0), note(1)])])
    first = feed.view
    feed.take([Status(record_path="/records/second.jsonl"), Entries(entries=[note(2), note(0), note(1), note(2)])])
    assert views == [feed.view]
    assert [entry.seq for entry in first.entries] == [0, 1, 2]
    assert [entry.seq for entry in feed.view.entries] == [0, 1, 2]
    assert feed.view.path == Path("/records/second.jsonl")


def test_each_command_gets_its_own_answer_once() -> None:
    feed = SessionFeed()
    answers: list[tuple[str, str | None]] = []
    refusals: list[str] = []
    feed.failed.connect(refusals.append)
    feed.send(StopReply(id=0), lambda error: answers.append(("first", error)))
    feed.send(StopReply(id=0), lambda error: answers.append(("second", error)))
    feed.send(StopReply(id=0))
    feed.take([Reply(id=2, error="No."), Reply(id=1), Reply(id=1), Reply(id=3, error="Not now.")])
    assert answers == [("second", "No."), ("first", None)]
    assert refusals == ["Not now."]


def test_a_line_that_cannot_be_read_is_told_and_the_next_is_taken() -> None:
    good = encode_line(Entries(entries=[note(0)])).decode().strip()
    feed = feed_of(f"import sys; print('{{garbage'); print({good!r}, flush=True); sys.stdin.read()")
    told: list[str] = []
    feed.failed.connect(told.append)
    feed.start()
    wait_until(lambda: feed.view.entries)
    assert len(told) == 1
    assert told[0].startswith("The live process wrote a line that cannot be read")
    ended(feed)


def test_a_process_that_never_stays_up_is_not_started_for_ever() -> None:
    feed = feed_of("raise SystemExit('no module named numpy')")
    told: list[str] = []
    feed.failed.connect(told.append)
    feed.start()
    wait_until(lambda: any("does not stay up" in sentence for sentence in told))
    assert len(told) == 3
    assert "no module named numpy" in told[-1]
    ended(feed)


def test_a_burst_comes_in_whole_and_in_order_over_several_frames() -> None:
    program = """
import sys
from simulator.participant.messages import Entries, encode_line
from simulator.record.entries import Direction, Entry
for first in range(0, 60_000, 10):
    entries = [Entry(seq, seq, Direction.NOTED, "talk") for seq in range(first, first + 10)]
    sys.stdout.buffer.write(encode_line(Entries(entries=entries)))
sys.stdout.flush()
sys.stdin.read()
"""
    feed = feed_of(program)
    frames: list[int] = []
    feed.entries_added.connect(lambda first, last: frames.append(last - first))
    feed.start()
    wait_until(lambda: len(feed.view.entries) == 60_000, timeout_s=60)
    assert [entry.seq for entry in feed.view.entries] == list(range(60_000))
    assert sum(frames) == 60_000
    assert len(frames) > 5
    ended(feed)


def test_a_process_that_ignores_the_end_of_its_input_is_killed() -> None:
    feed = feed_of("import time; print(flush=True); time.sleep(600)")
    feed.start()
    ended(feed)


def test_a_gap_that_is_in_no_file_is_told_and_what_follows_is_shown(tmp_path: Path) -> None:
    feed = SessionFeed()
    told: list[str] = []
    feed.failed.connect(told.append)
    feed.take([Status(record_path=str(tmp_path / "gone.jsonl")), Entries(entries=[note(0)]), Gap(first=1, last=3)])
    feed.take([Entries(entries=[note(4)])])
    assert len(feed.view.entries) == 1
    wait_until(lambda: len(feed.view.entries) == 2)
    assert [entry.seq for entry in feed.view.entries] == [0, 4]
    assert told == [
        "Events 1 to 3 came faster than the window reads and are not in the record's file: 3 of them are not shown."
    ]
