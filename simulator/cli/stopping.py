"""Ctrl-C and SIGTERM end a command in order: what was recorded or judged so far is written."""

import asyncio
import contextlib
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator
from types import FrameType
from typing import Any, TypeVar

T = TypeVar("T")


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


def run_stoppable(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` in a new loop; a signal cancels it, and what it makes of that is returned."""

    async def guarded() -> T:
        task = asyncio.ensure_future(work)

        def stop() -> None:
            task.cancel()

        with on_signals(asyncio.get_running_loop(), stop):
            return await task

    return asyncio.run(guarded())
