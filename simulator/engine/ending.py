"""How the engine's process ends: in order, at a signal or the end of its input, and soon, whatever hangs.

Both are heard from the first moment, before the voice and the ears are loaded, which takes seconds: an engine whose
parent was killed while it started must not go on to start.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

_ENDS_WITHIN_S = 1.9
"""From the wish to the end of the process, also where a thread computes on."""


class Ending:
    """Knows whether the process is to end, and ends it: by `stop` once there is a loop, at once before that."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._wished = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: Callable[[], None] | None = None

    def on_signals(self) -> None:
        """Ends at SIGINT and SIGTERM. Belongs to the main thread."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda _number, _frame: self.wish())

    def when_stdin_closes(self) -> None:
        """Ends at the end of standard input."""
        if sys.stdin is None:
            # It was closed before the start, and its number may stand for something else by now.
            self.wish()
            return
        descriptor = sys.stdin.fileno()

        def watch() -> None:
            # Read the descriptor itself: a thread that waits inside sys.stdin would block the interpreter's exit.
            while _read(descriptor):
                pass
            self.wish()

        threading.Thread(target=watch, name="stdin", daemon=True).start()

    def begins_to_serve(self, loop: asyncio.AbstractEventLoop, stop: Callable[[], None]) -> None:
        """From now on there is something to end in order: `stop` is called in the loop."""
        with self._lock:
            self._loop, self._stop = loop, stop
            if self._wished:
                stop()

    def wish(self) -> None:
        """End. May be called from any thread and more than once."""
        with self._lock:
            if not self._wished:
                self._wished = True
                timer = threading.Timer(_ENDS_WITHIN_S, os._exit, (0,))
                timer.daemon = True
                timer.start()
            if self._loop is None or self._stop is None:
                os._exit(0)  # it was loading, and nobody is connected
            if not self._loop.is_closed():
                self._loop.call_soon_threadsafe(self._stop)


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4096)
    except OSError:
        return b""
