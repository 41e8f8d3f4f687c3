"""A record on disk: what survives a kill, a full disk and a folder that disappears."""

import errno
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import numpy as np
import pytest
import soundfile

from simulator.errors import StorageFault
from simulator.record.entries import AudioSpan, Direction, Entry, Track
from simulator.record.reader import audio, read_record
from simulator.record.wav import track_path
from simulator.record.writer import RawFile, RecordWriter, open_new
from tests.record.raw_files import PassedOn

WRITE_UNTIL_KILLED = """
import sys, time
from pathlib import Path
import numpy as np
from simulator.record.entries import Direction, Entry, Track
from simulator.record.writer import RecordWriter
writer = RecordWriter(Path(sys.argv[1]), on_fault=lambda fault: print(fault, flush=True))
for number in range(100_000):
    writer.write_audio(Track.AGENT, np.full(480, number % 100 + 1, np.int16))
    writer.write_audio(Track.HEARD, np.full((480, 2), number % 100 + 1, np.int16))
    writer.append(Entry(number, time.monotonic_ns(), Direction.NOTED, "tick"))
    print(number, time.monotonic_ns(), flush=True)
    time.sleep(0.02)
"""


def _entry(seq: int, text: str = "") -> Entry:
    return Entry(seq, seq * 1000, Direction.NOTED, "tick", {"text": text} if text else {})


def _no_fault(fault: StorageFault) -> None:
    pytest.fail(f"{fault} ({fault.details})")


def test_a_record_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "made" / "session.jsonl"
    writer = RecordWriter(path, on_fault=_no_fault)
    span = AudioSpan(Track.PARTICIPANT, 0, 3, 6)
    entries = [_entry(0), Entry(1, 2, Direction.SENT, "input_audio_buffer.append", {"audio": ""}, 40, span)]
    for entry in entries:
        writer.append(entry)
    writer.write_audio(Track.PARTICIPANT, np.array([1, -2, 32767], np.int16))
    writer.write_audio(Track.HEARD, np.array([[1, 2], [3, 4]], np.int16))
    writer.close()
    assert read_record(path).entries == entries
    assert audio(path, Track.PARTICIPANT).tolist() == [1, -2, 32767]
    assert audio(path, Track.HEARD).tolist() == [[1, 2], [3, 4]]
    assert audio(path, Track.AGENT).tolist() == []
    samples, rate_hz = soundfile.read(track_path(path, Track.HEARD), dtype="int16")
    assert (samples.tolist(), rate_hz) == ([[1, 2], [3, 4]], 24_000)


def test_a_killed_process_leaves_all_but_the_last_second(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    child = subprocess.Popen(
        [sys.executable, "-P", "-c", WRITE_UNTIL_KILLED, str(path)],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    ticks: list[tuple[int, int]] = []
    for line in child.stdout:
        number, at_ns = line.split()
        ticks.append((int(number), int(at_ns)))
        if len(ticks) == 110:
            break
    child.send_signal(signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
    child.communicate(timeout=30)

    a_second_before = [number for number, at_ns in ticks if at_ns <= ticks[-1][1] - 1_000_000_000]
    record = read_record(path)
    assert len(record.entries) > a_second_before[-1]
    for track in (Track.AGENT, Track.HEARD):
        samples, _ = soundfile.read(track_path(path, track), dtype="int16", always_2d=True)
        header_frames, mapped = len(samples), audio(path, track)
        assert header_frames >= (a_second_before[-1] + 1) * 480
        assert len(mapped) >= header_frames
        expected = np.repeat(np.arange(len(mapped) // 480 + 1) % 100 + 1, 480)[: len(mapped)]
        assert np.array_equal(mapped.reshape(len(mapped), -1)[:, 0], expected)


class _SmallDisk(PassedOn):
    """A file on a disk with room for so many bytes in all files."""

    def __init__(self, file: RawFile, room: list[int]) -> None:
        super().__init__(file)
        self._room, self._end, self._at = room, 0, 0

    def write(self, data: bytes, /) -> int:
        fits = min(len(data), self._end - self._at + self._room[0])
        if data and fits == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = super().write(data[:fits]) or 0
        self._at += written
        self._room[0] -= max(0, self._at - self._end)
        self._end = max(self._end, self._at)
        return written

    def seek(self, position: int, whence: int = 0, /) -> int:
        self._at = position
        return super().seek(position, whence)


@pytest.mark.parametrize("room_bytes", [44 + 2 * 480 + 1, 5_000, 5_001, 9_999])
def test_a_full_disk_leaves_whole_lines_and_samples_and_is_reported_once(tmp_path: Path, room_bytes: int) -> None:
    room, faults = [room_bytes], list[StorageFault]()
    path = tmp_path / "session.jsonl"
    writer = RecordWriter(path, on_fault=faults.append, open_file=lambda path: _SmallDisk(open_new(path), room))
    for seq in range(100):
        writer.write_audio(Track.AGENT, np.full(480, 7, np.int16))
        writer.append(_entry(seq, "some words that fill the disk"))
    writer.close()
    assert not writer.healthy
    assert len(faults) == 1
    assert str(faults[0]).startswith("The disk is full: recording stopped.")
    if path.stat().st_size:
        assert path.read_bytes().endswith(b"\n")
        assert read_record(path).problems == [
            "The record does not say its format: it does not begin with record.started."
        ]
    samples, _ = soundfile.read(track_path(path, Track.AGENT), dtype="int16")
    assert len(samples) == len(audio(path, Track.AGENT)) > 0
    assert set(samples.tolist()) == {7}


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of 64 KiB."""
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        pytest.skip("mounting a small file system needs root on Linux")
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)], capture_output=True, text=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_real_full_disk(small_disk: Path) -> None:
    path, faulted, faults = small_disk / "session.jsonl", Event(), list[StorageFault]()

    def on_fault(fault: StorageFault) -> None:
        faults.append(fault)
        faulted.set()

    writer = RecordWriter(path, on_fault=on_fault)
    for seq in range(400):
        writer.write_audio(Track.PARTICIPANT, np.full(480, 7, np.int16))
        writer.append(_entry(seq, "words"))
    assert faulted.wait(30)
    writer.append(_entry(400))
    writer.close()
    assert [str(fault).partition(":")[0] for fault in faults] == ["The disk is full"]
    samples, _ = soundfile.read(track_path(path, Track.PARTICIPANT), dtype="int16")
    assert set(samples.tolist()) == {7}
    text = path.read_bytes()
    assert text == b"" or text.endswith(b"\n")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not remove a folder with open files")
def test_a_folder_that_disappears_is_noticed(tmp_path: Path) -> None:
    path, faulted, faults = tmp_path / "gone" / "session.jsonl", Event(), list[StorageFault]()

    def on_fault(fault: StorageFault) -> None:
        faults.append(fault)
        faulted.set()

    opened = Event()

    def open_file(path: Path) -> RawFile:
        file = open_new(path)
        opened.set()
        return file

    writer = RecordWriter(path, on_fault=on_fault, open_file=open_file)
    assert opened.wait(30)
    shutil.rmtree(path.parent)
    writer.append(_entry(0))
    assert faulted.wait(30)
    writer.close()
    assert [str(fault).partition(":")[0] for fault in faults] == ["The folder of the record is gone"]


def test_a_record_is_never_overwritten(tmp_path: Path) -> None:
    path, faults = tmp_path / "session.jsonl", list[StorageFault]()
    first = RecordWriter(path, on_fault=_no_fault)
    first.append(_entry(0))
    first.close()
    second = RecordWriter(path, on_fault=faults.append)
    second.append(_entry(0, "other"))
    second.close()
    assert str(faults[0]).startswith("A record of that name exists already")
    assert read_record(path).entries == [_entry(0)]


def test_a_folder_that_cannot_be_made_is_a_fault_and_not_an_exception(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    faults = list[StorageFault]()
    writer = RecordWriter(tmp_path / "file" / "session.jsonl", on_fault=faults.append)
    writer.append(_entry(0))
    writer.close()
    assert len(faults) == 1
    assert not writer.healthy


def test_what_utf8_cannot_hold_does_not_end_the_recording(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    writer = RecordWriter(path, on_fault=_no_fault)
    for entry in (_entry(0), _entry(1, "\ud800"), _entry(2)):
        writer.append(entry)
    writer.close()
    entries = read_record(path).entries
    assert [entry.seq for entry in entries] == [0, 1, 2]
    assert entries[1].event == {}
    assert entries[1].problem is not None


def test_audio_of_the_wrong_number_of_channels_is_a_mistake_of_the_caller(tmp_path: Path) -> None:
    writer = RecordWriter(tmp_path / "session.jsonl", on_fault=_no_fault)
    with pytest.raises(ValueError, match="heard has 2 channels"):
        writer.write_audio(Track.HEARD, np.zeros(480, np.int16))
    writer.close()
