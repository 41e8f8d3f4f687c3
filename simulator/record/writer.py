"""Writes a record to disk as it happens, on a thread of its own.

What is promised, and how:

* The caller never waits: it puts into a queue.
* Who writes is seen by others (`lock`): nobody compresses or deletes a session that still goes on.
* A process that is killed leaves all but the last moment: every `WRITE_EVERY_S` samples, then headers, then the lines
  that point to the samples are written without buffering. A computer that stops leaves all but the last second or two:
  files are synced every `SYNC_EVERY_S`.
* A disk that stalls delays nobody. What waits has a bound, and what is lost beyond it is counted (`backlog`).
* A disk that fills up leaves whole lines and whole samples: what was half-written is cut off again. The fault is
  reported once; everything after it is dropped, and the session goes on.
"""

import contextlib
import errno
import os
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from simulator.errors import StorageFault
from simulator.record import lock
from simulator.record.backlog import MOST_WAITING_BYTES, Backlog, Item, Lost, OnLoss
from simulator.record.entries import Direction, Entry, Track
from simulator.record.wav import CHANNELS, HEADER_BYTES, header, track_path
from simulator.units import BYTES_PER_SAMPLE

WRITE_EVERY_S: Final = 0.1
SYNC_EVERY_S: Final = 1.0
_SILENCE: Final = bytes(1 << 20)


class RawFile(Protocol):
    """What is needed of a file: an unbuffered binary file, or one in a test that fails."""

    def write(self, data: bytes, /) -> int | None: ...
    def seek(self, position: int, whence: int = 0, /) -> int: ...
    def truncate(self, size: int | None = None, /) -> int: ...
    def fileno(self) -> int: ...
    def close(self) -> None: ...


OpenFile = Callable[[Path], RawFile]


def open_new(path: Path) -> RawFile:
    """Create `path` for unbuffered writing. Raises FileExistsError: a record is never overwritten."""
    return path.open("xb", buffering=0)


class _Growing:
    """A file that only ever ends behind a whole unit, whatever the disk does."""

    def __init__(self, file: RawFile, start: bytes = b"") -> None:
        self._file = file
        self.whole_bytes = 0
        self.append(start, lambda _: 0)

    def append(self, data: bytes, whole: Callable[[int], int]) -> None:
        """Write `data`. On OSError keep `whole(bytes written)` of it, and raise."""
        written = 0
        try:
            while written < len(data):
                written += self._file.write(data[written:]) or 0
        except OSError:
            self.whole_bytes += whole(written)
            with contextlib.suppress(OSError):  # the first error is the one to report
                self._file.truncate(self.whole_bytes)
            raise
        self.whole_bytes += written

    def patch(self, data: bytes) -> None:
        """Overwrite the start of the file."""
        self._file.seek(0)
        self._file.write(data)
        self._file.seek(self.whole_bytes)

    def lock(self) -> None:
        """Show that the file is being written, until it is closed or the process ends."""
        lock.take(self._file.fileno())

    def sync(self) -> None:
        os.fsync(self._file.fileno())

    def close(self) -> None:
        self._file.close()


class RecordWriter:
    """Writes ``path`` (a ``.jsonl`` file) and its WAV files.

    `append` and `write_audio` may be called from any thread and cost a queue entry. `on_fault` is called at most once,
    from the writer's thread, with the sentence for the user; nothing is raised. Making the file belongs to what can
    fail: it happens on the writer's thread too. `on_loss` is called in the thread of `append` or `write_audio` when the
    disk is too slow, and again when it is over.
    """

    def __init__(
        self,
        path: Path,
        *,
        on_fault: Callable[[StorageFault], None],
        on_loss: OnLoss = lambda lost, over: None,
        open_file: OpenFile = open_new,
        most_waiting_bytes: int = MOST_WAITING_BYTES,
    ) -> None:
        self.path = path
        self._on_fault = on_fault
        self._open_file = open_file
        self._backlog = Backlog(on_loss, most_waiting_bytes)
        self._healthy = True
        self._closed = False
        self._lines: _Growing | None = None
        self._tracks: dict[Track, _Growing] = {}
        self._thread = threading.Thread(target=self._run, name="record-writer", daemon=True)
        self._thread.start()

    @property
    def healthy(self) -> bool:
        """Whether everything so far reached the disk, or still can."""
        return self._healthy

    @property
    def waiting_bytes(self) -> int:
        """How much waits for the disk."""
        return self._backlog.waiting_bytes

    def append(self, entry: Entry) -> None:
        """Take an entry. O(1); the entry's event must not change any more."""
        if self._healthy:
            self._backlog.put(entry)

    def write_audio(self, track: Track, samples: NDArray[np.int16]) -> None:
        """Take samples for the end of a track: shape (n,), or (n, 2) for `Track.HEARD`. They are copied."""
        channels = samples.shape[1] if samples.ndim > 1 else 1
        if channels != CHANNELS[track]:
            raise ValueError(f"{track.value} has {CHANNELS[track]} channels, not {channels}")
        if self._healthy and samples.size:
            self._backlog.put((track, samples.astype("<i2", copy=False).tobytes()))

    def close(self, within_s: float | None = None) -> bool:
        """Write what is left, sync and close. Blocks; may be called twice.

        Returns whether it was done within the time; if not, the disk does not take it, and it goes on trying.
        """
        if not self._closed:
            self._closed = True
            self._backlog.end()
        self._thread.join(within_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            self._guarded(self._open)
            going, unsynced, synced_at = True, True, time.monotonic()
            while going:
                batch, going = self._backlog.take(synced_at + SYNC_EVERY_S, WRITE_EVERY_S)
                if batch:
                    self._guarded(partial(self._write, batch))
                    self._backlog.done()
                    unsynced = True
                if not going or time.monotonic() >= synced_at + SYNC_EVERY_S:
                    if unsynced:
                        self._guarded(self._sync)
                    unsynced, synced_at = False, time.monotonic()
        finally:
            for file in (self._lines, *self._tracks.values()):
                if file is not None:
                    with contextlib.suppress(OSError):  # a failing disk was reported already
                        file.close()

    def _guarded(self, step: Callable[[], None]) -> None:
        if not self._healthy:
            return
        try:
            step()
        except (OSError, ValueError) as error:  # ValueError: a path that no system has
            self._healthy = False
            self._finish_headers()
            self._on_fault(_fault(self.path, error))

    def _open(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._lines = _Growing(self._open_file(self.path))
        self._lines.lock()

    def _write(self, batch: list[Item]) -> None:
        audio: dict[Track, list[bytes]] = {}
        lines: list[bytes] = []
        for item in batch:
            match item:
                case Entry():
                    lines.append(_encode(item))
                case Lost():
                    lines += _lines_of_lost(item)
                    self._write_audio(audio)
                    self._write_silence(item)
                    audio = {}
                case track, data:
                    audio.setdefault(track, []).append(data)
        self._write_audio(audio)
        if lines and self._lines is not None:
            text = b"".join(lines)
            self._lines.append(text, lambda written: text.rfind(b"\n", 0, written) + 1)

    def _write_audio(self, audio: dict[Track, list[bytes]]) -> None:
        for track, parts in audio.items():
            self._append_audio(track, b"".join(parts))
            self._patch_header(track)

    def _write_silence(self, lost: Lost) -> None:
        for track, frames in lost.frames.items():
            left = frames * CHANNELS[track] * BYTES_PER_SAMPLE
            while left:
                self._append_audio(track, _SILENCE[:left])
                left -= min(left, len(_SILENCE))
            self._patch_header(track)

    def _append_audio(self, track: Track, data: bytes) -> None:
        self._track(track).append(data, partial(_whole_frames, CHANNELS[track] * BYTES_PER_SAMPLE))

    def _track(self, track: Track) -> _Growing:
        file = self._tracks.get(track)
        if file is None:
            raw = self._open_file(track_path(self.path, track))
            file = self._tracks[track] = _Growing(raw, header(CHANNELS[track], 0))
        return file

    def _sync(self) -> None:
        if not self.path.exists():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(self.path))
        for file in self._tracks.values():
            file.sync()
        if self._lines is not None:
            self._lines.sync()

    def _finish_headers(self) -> None:
        for track in self._tracks:
            with contextlib.suppress(OSError):  # the fault that led here is the one to report
                self._patch_header(track)

    def _patch_header(self, track: Track) -> None:
        file = self._tracks[track]
        file.patch(header(CHANNELS[track], file.whole_bytes - HEADER_BYTES))


def _whole_frames(frame_bytes: int, written_bytes: int) -> int:
    return written_bytes - written_bytes % frame_bytes


_encoder = msgspec.json.Encoder()


def _lines_of_lost(lost: Lost) -> list[bytes]:
    kept = range(lost.first_seq, lost.first_seq + lost.entries)
    return [_encode(Entry(seq, lost.t_ns, Direction.NOTED, "entry.lost")) for seq in kept]


def _encode(entry: Entry) -> bytes:
    try:
        return _encoder.encode(entry) + b"\n"
    except (UnicodeEncodeError, RecursionError, TypeError, ValueError) as error:
        # JSON can say what UTF-8 cannot hold (half a surrogate pair): the line keeps that something was there.
        kept = Entry(
            entry.seq,
            entry.t_ns,
            entry.direction,
            entry.type.encode("ascii", "backslashreplace").decode(),
            size_bytes=entry.size_bytes,
            audio=entry.audio,
            problem=f"This event cannot be written as text: {type(error).__name__}.",
        )
        return _encoder.encode(kept) + b"\n"


def _fault(path: Path, error: OSError | ValueError) -> StorageFault:
    details = f"{type(error).__name__}: {error}"
    match getattr(error, "errno", None):
        case errno.ENOSPC | errno.EDQUOT | errno.EFBIG:
            what = "The disk is full: recording stopped. Free some space and start a new session"
        case errno.ENOENT:
            what = "The folder of the record is gone: recording stopped. Choose another folder"
        case errno.EACCES | errno.EPERM | errno.EROFS:
            what = "The folder of the record cannot be written. Choose another folder"
        case errno.EEXIST:
            what = "A record of that name exists already, and is not overwritten. Choose another name or folder"
        case _:
            reason = getattr(error, "strerror", None) or error
            what = f"The record cannot be written ({reason}). Choose another folder"
    return StorageFault(f"{what} ({path.parent}).", details)
