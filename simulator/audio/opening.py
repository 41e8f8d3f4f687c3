"""Opening and closing a device that hangs: on a thread, so that nobody waits for it for ever.

A sound server that hangs may hold up either, and one that died may leave the audio library stuck in its own thread.
"""

import asyncio
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Final, TypeVar

from simulator.errors import DeviceUnavailable

OPENS_WITHIN_S: Final = 5.0
TELLS_AFTER_S: Final = 1.5
"""A device that takes longer to begin is told of, and waited for all the same: Bluetooth may need a second or two."""

CLOSING: Final = "closing"
"""What a thread is called that closes a device."""

_CLOSED_WITHIN_S: Final = 0.5
_LEAVES_AFTER_S: Final = 0.3
_LOOK_EVERY_S: Final = 0.005

T = TypeVar("T")

_at_work: dict[threading.Thread, float] = {}
"""Threads inside the audio library, and since when. Daemons, as one that hangs must not hold up the exit."""
_given_up: set[threading.Thread] = set()
"""Those that are in a library which was left behind."""


async def opened_in_time(
    open_device: Callable[[], T], name: str, close: Callable[[T], None], *, within_s: float | None = None
) -> T:
    """Return what `open_device` returns, called on a thread of its own; what it raises is raised.

    Raises DeviceUnavailable after `within_s`, or `OPENS_WITHIN_S`. What opens later than that, or after a cancellation,
    is closed again: a device that nobody waits for must not stay open. A thread that hangs holds up neither the others
    nor the exit.
    """
    loop = asyncio.get_running_loop()
    within_s = OPENS_WITHIN_S if within_s is None else within_s
    opened: asyncio.Future[T] = loop.create_future()

    def deliver(device: T) -> None:
        if opened.done():
            beside(lambda: close(device), CLOSING)
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

    beside(run, "opening")
    try:
        async with asyncio.timeout(within_s):
            return await opened
    except TimeoutError as error:
        raise DeviceUnavailable(
            f"{name} did not open within {within_s:g} s: see whether the sound server hangs, then choose it again."
        ) from error


def takes_long(since_s: float | None) -> bool:
    """Tell whether what began at this time of the monotonic clock should have been done; never for None."""
    return since_s is not None and time.monotonic() - since_s > TELLS_AFTER_S


async def all_closed() -> None:
    """Wait for devices that are being closed, but not for one that hangs: some devices open only once."""
    await _none_alive(_CLOSED_WITHIN_S, lambda thread: thread.name == CLOSING)


async def nobody_inside(within_s: float) -> bool:
    """Wait until no thread is opening or closing a device, and return whether that came in time."""
    return await _none_alive(within_s, lambda thread: True)


def stuck_for_s() -> float:
    """Return for how long a thread has been opening or closing a device; 0 where none is."""
    return max(
        (time.monotonic() - since_s for thread, since_s in list(_at_work.items()) if thread.is_alive()), default=0.0
    )


def give_up_those_inside() -> None:
    """Wait no longer for the threads that are inside the audio library, which is left behind with them."""
    _given_up.update(_at_work)
    _at_work.clear()


async def _none_alive(within_s: float, counts: Callable[[threading.Thread], bool]) -> bool:
    deadline = time.monotonic() + within_s
    while any(thread.is_alive() and counts(thread) for thread in list(_at_work)):
        if time.monotonic() > deadline:
            return False
        await asyncio.sleep(_LOOK_EVERY_S)
    return True


def leave(code: int) -> int:
    """Return the exit code, when everything else is done; where a device is still being opened, end the process.

    The end of Python takes the audio library away, and a thread that is inside it would crash.
    """
    deadline = time.monotonic() + _LEAVES_AFTER_S
    inside = {*_at_work, *_given_up}
    for thread in inside:
        thread.join(max(0.0, deadline - time.monotonic()))
    if any(thread.is_alive() for thread in inside):
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        os._exit(code)
    return code


def beside(work: Callable[[], None], name: str) -> threading.Thread:
    """Do this on a thread of its own, which is returned; `leave` and `nobody_inside` know of it."""

    def run() -> None:
        try:
            work()
        finally:
            _at_work.pop(thread, None)

    thread = threading.Thread(target=run, name=name, daemon=True)
    _at_work[thread] = time.monotonic()
    thread.start()
    return thread


def _in_loop(loop: asyncio.AbstractEventLoop, call: Callable[[T], None], argument: T) -> bool:
    """Call in the loop; return False where the loop has ended."""
    try:
        loop.call_soon_threadsafe(call, argument)
    except RuntimeError:
        return False
    return True
