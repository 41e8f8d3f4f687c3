"""What waits to be written: a queue with a bound in bytes, which nobody who puts into it ever waits for.

A disk may stall for longer than memory can hold what a session says meanwhile. Beyond the bound everything is lost and
counted, until half of the room is free again. What was lost keeps its place: a line that says so for each entry, and
silence for audio, so that numbers and samples behind it still stand where the entries say.
"""

import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from simulator.record.entries import Entry, Track
from simulator.record.wav import CHANNELS
from simulator.units import BYTES_PER_SAMPLE

MOST_WAITING_BYTES: Final = 32 << 20
"""Two minutes of a session, more or less."""
ENTRY_BYTES: Final = 1000
"""What an entry takes in memory beside its frame, roughly."""


@dataclass(slots=True)
class Lost:
    """A stretch that was lost: entries from number `first_seq` on, and frames of each track."""

    first_seq: int = 0
    t_ns: int = 0
    entries: int = 0
    frames: dict[Track, int] = field(default_factory=dict)


OnLoss = Callable[[Lost, bool], None]
"""Called when a loss begins (False), and when it is over (True) with all that was lost by it."""

Item = Entry | tuple[Track, bytes] | Lost


class _End:
    """Nothing comes behind it."""


class Backlog:
    """Put into it from any thread; taken from by one. `on_loss` is called in the thread that puts."""

    def __init__(self, on_loss: OnLoss, most_bytes: int = MOST_WAITING_BYTES) -> None:
        self._on_loss = on_loss
        self._most_bytes = most_bytes
        self._queue: queue.SimpleQueue[tuple[Item | _End, int]] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._waiting_bytes = 0
        self._taken_bytes = 0
        self._lost: Lost | None = None

    @property
    def waiting_bytes(self) -> int:
        """How much is not on the disk yet."""
        return self._waiting_bytes

    def put(self, item: Entry | tuple[Track, bytes]) -> None:
        """Take something in, or lose it. O(1)."""
        size = _bytes_of(item)
        began, over = None, None
        with self._lock:
            if self._lost is not None and self._waiting_bytes + size <= self._most_bytes // 2:
                over, self._lost = self._lost, None
                self._queue.put((over, 0))
            if self._lost is None and (not self._waiting_bytes or self._waiting_bytes + size <= self._most_bytes):
                self._waiting_bytes += size
                self._queue.put((item, size))
            else:
                if self._lost is None:
                    began = self._lost = Lost()
                _count(self._lost, item)
        if over is not None:
            self._on_loss(over, True)
        if began is not None:
            self._on_loss(began, False)

    def end(self) -> None:
        """Nothing comes any more."""
        with self._lock:
            if self._lost is not None:
                self._queue.put((self._lost, 0))
                self._lost = None
            self._queue.put((_End(), 0))

    def take(self, until_s: float, gather_s: float) -> tuple[list[Item], bool]:
        """Wait for something until a time of `time.monotonic`, let more gather, and return it; False at the end."""
        batch: list[Item] = []
        deadline = until_s
        while (left := deadline - time.monotonic()) > 0 or not batch:
            try:
                item, size = self._queue.get(timeout=max(left, 0.0))
            except queue.Empty:
                break
            if isinstance(item, _End):
                return batch, False
            if not batch:
                deadline = min(until_s, time.monotonic() + gather_s)
            batch.append(item)
            self._taken_bytes += size
        return batch, True

    def done(self) -> None:
        """What was taken is written, or given up: its room is free."""
        with self._lock:
            self._waiting_bytes -= self._taken_bytes
        self._taken_bytes = 0


def _bytes_of(item: Entry | tuple[Track, bytes]) -> int:
    if isinstance(item, Entry):
        return ENTRY_BYTES + (item.size_bytes if item.audio is None else 0)
    return len(item[1])


def _count(lost: Lost, item: Entry | tuple[Track, bytes]) -> None:
    if isinstance(item, Entry):
        if not lost.entries:
            lost.first_seq, lost.t_ns = item.seq, item.t_ns
        lost.entries += 1
    else:
        track, data = item
        lost.frames[track] = lost.frames.get(track, 0) + len(data) // (CHANNELS[track] * BYTES_PER_SAMPLE)
