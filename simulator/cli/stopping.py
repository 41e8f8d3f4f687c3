"""Ctrl-C and SIGTERM end a command in order: what was recorded or judged so far is written."""

import asyncio
import contextlib
import math
import os
import signal
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from types import FrameType
from typing import Any, Final, TypeVar

T = TypeVar("T")

_ORDER_WITHIN_S: Final = 5.0
"""How long an end in order may take: until then, further signals are part of the same wish."""


@contextlib.contextmanager
def on_signals(loop: asyncio.AbstractEventLoop, stop: Callable[[], None]) -> Iterator[None]:
    """Call `stop` in the loop when the user or the system asks the process to end, each time."""

    def called(number: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(stop)

    names = ["SIGINT", "SIGTERM"] if sys.platform != "win32" else ["SIGINT", "SIGBREAK"]
    before = {name: signal.signal(getattr(signal, name), called) for name in names}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(getattr(signal, name), handler)


def run_stoppable(work: Coroutine[Any, Any, T], *, until_stdin_closes: bool = False) -> T:
    """Run `work` in a new loop; a signal cancels it, and what it makes of that is returned.

    Whoever presses Ctrl-C twice does not break off the end in order that the first began, unless it takes too long.
    Raises KeyboardInterrupt where `work` made nothing of it, as it had not begun anything yet.

    With `until_stdin_closes` the end of standard input does the same: for children of a window, which end in order when
    it wishes, on every system, and end too when it is killed.
    """

    async def guarded() -> T:
        task = asyncio.ensure_future(work)
        loop = asyncio.get_running_loop()
        asked_s = -math.inf

        def stop() -> None:
            nonlocal asked_s
            if loop.time() - asked_s > _ORDER_WITHIN_S:
                asked_s = loop.time()
                task.cancel()

        if until_stdin_closes and sys.stdin is None:
            stop()
        elif until_stdin_closes:
            threading.Thread(target=_call_at_end_of_input, args=(loop, stop), daemon=True).start()
        with on_signals(loop, stop):
            return await task

    try:
        return asyncio.run(guarded())
    except asyncio.CancelledError as cancelled:
        raise KeyboardInterrupt from cancelled


def _call_at_end_of_input(loop: asyncio.AbstractEventLoop, stop: Callable[[], None]) -> None:
    # The file descriptor itself: a lock of sys.stdin held by this thread would stop the interpreter from ending.
    while os.read(0, 4096):
        pass
    with contextlib.suppress(RuntimeError):  # the loop has ended already
        loop.call_soon_threadsafe(stop)
