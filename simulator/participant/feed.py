"""The feed on its way to a window that may be slow, stalled or gone: the participant never waits for it.

A thread of its own writes to the pipe. What waits for it is bounded; what does not fit is left out: entries become one
`Gap`, peaks and levels are dropped, the newest `Status` replaces an older one, and replies are always kept.
"""

import os
import queue
import threading
from collections.abc import Callable
from typing import Final

from simulator.participant.messages import AnyFeed, Entries, Gap, Level, Peaks, Status, encode_line

MAX_WAITING_BYTES: Final = 4 * 1024 * 1024

Publish = Callable[[AnyFeed], None]


class PipeFeed:
    """Writes feed lines to a file descriptor. `publish` belongs to one thread, usually the loop's.

    `on_gap` is called with the entries that were left out, when there is room again; it may publish more.
    """

    def __init__(
        self,
        descriptor: int,
        *,
        on_gap: Callable[[int, int], None] = lambda first, last: None,
        max_waiting_bytes: int = MAX_WAITING_BYTES,
    ) -> None:
        self._descriptor = descriptor
        self._on_gap = on_gap
        self._max_waiting_bytes = max_waiting_bytes
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        # Each counter has one writer: the publisher's and the thread's.
        self._queued_bytes = 0
        self._written_bytes = 0
        self._gap: tuple[int, int] | None = None
        self._status: Status | None = None
        self._thread = threading.Thread(target=self._write_all, name="feed", daemon=True)
        self._thread.start()

    def publish(self, message: AnyFeed) -> None:
        """Queue a message, or leave it out where too much waits already. Never blocks."""
        full = self._queued_bytes - self._written_bytes > self._max_waiting_bytes
        if not full:
            self._catch_up()
        match message:
            case Entries(entries=entries) if full or self._gap is not None:
                first = entries[0].seq if self._gap is None else self._gap[0]
                self._gap = first, entries[-1].seq
            case Peaks() | Level() if full:
                pass
            case Status() if full:
                self._status = message
            case _:
                self._put(message)

    def close(self, timeout_s: float) -> None:
        """Write what waits, for at most `timeout_s`: a stalled reader does not hold up the end of the process."""
        self._catch_up()
        self._lines.put(None)
        self._thread.join(timeout_s)

    def _catch_up(self) -> None:
        gap, self._gap = self._gap, None
        status, self._status = self._status, None
        if status is not None:
            self._put(status)
        if gap is not None:
            self._put(Gap(first=gap[0], last=gap[1]))
            self._on_gap(*gap)

    def _put(self, message: AnyFeed) -> None:
        line = encode_line(message)
        self._queued_bytes += len(line)
        self._lines.put(line)

    def _write_all(self) -> None:
        # Straight to the descriptor: a buffered writer that blocks here would hold up the interpreter's exit.
        reader_there = True
        while (line := self._lines.get()) is not None:
            rest = memoryview(line)
            while reader_there and rest:
                try:
                    rest = rest[os.write(self._descriptor, rest) :]
                except OSError:
                    # The reader is gone. The end of standard input tells the process.
                    reader_there = False
            self._written_bytes += len(line)
