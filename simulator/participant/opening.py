"""Opening a device, which a sound server that hangs may hold up for ever: on a thread, and with a limit."""

import asyncio
import threading
from collections.abc import Callable
from typing import Final, TypeVar

from simulator.errors import DeviceUnavailable

OPENS_WITHIN_S: Final = 5.0

T = TypeVar("T")


async def opened_in_time(
    open_device: Callable[[], T], name: str, close: Callable[[T], None], *, within_s: float = OPENS_WITHIN_S
) -> T:
    """Return what `open_device` returns, called on a thread of its own; what it raises is raised.

    Raises DeviceUnavailable after `within_s`. What opens later than that, or after a cancellation, is closed again: a
    device that nobody waits for must not stay open. A thread that hangs holds up neither the others nor the exit.
    """
    loop = asyncio.get_running_loop()
    opened: asyncio.Future[T] = loop.create_future()

    def deliver(device: T) -> None:
        if opened.done():
            threading.Thread(target=close, args=(device,), name="closing", daemon=True).start()
        else:
            opened.set_result(device)

    def fail(error: BaseException) -> None:
        if not opened.done():
            opened.set_exception(error)

    def run() -> None:
        try:
            device = open_device()
        except BaseException as error:
            _in_loop(loop, fail, error)
        else:
            if not _in_loop(loop, deliver, device):
                close(device)

    threading.Thread(target=run, name="opening", daemon=True).start()
    try:
        async with asyncio.timeout(within_s):
            return await opened
    except TimeoutError as error:
        raise DeviceUnavailable(
            f"{name} did not open within {within_s:g} s: see whether the sound server hangs, then choose it again."
        ) from error


def _in_loop(loop: asyncio.AbstractEventLoop, call: Callable[[T], None], argument: T) -> bool:
    """Call in the loop; return False where the loop has ended."""
    try:
        loop.call_soon_threadsafe(call, argument)
    except RuntimeError:
        return False
    return True
