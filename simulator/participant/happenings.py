"""What a performance waits for: what it is told of, and how that came out which it began."""

import asyncio
import contextlib
from collections.abc import Awaitable
from typing import Generic, NamedTuple, TypeVar

Told = TypeVar("Told")


class Settled(NamedTuple):
    """What was begun under this number took effect, or did not: why."""

    number: int
    error: str | None


class Crashed(NamedTuple):
    """A bug showed in what takes its time."""

    error: Exception


class Happenings(Generic[Told]):
    """Gives them one after the other, in their order. Belongs to the loop."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[Told | Settled | Crashed] = asyncio.Queue()

    def tell(self, happening: Told) -> None:
        """Something happened."""
        self._queue.put_nowait(happening)

    def settle(self, number: int, doing: Awaitable[str | None]) -> asyncio.Task[None]:
        """Let something go on beside what is waited for, and tell how it came out: it returns why it had no effect."""

        async def settle() -> None:
            try:
                self._queue.put_nowait(Settled(number, await doing))
            except Exception as error:
                self._queue.put_nowait(Crashed(error))

        return asyncio.get_running_loop().create_task(settle())

    async def next(self, within_s: float | None) -> Told | Settled | Crashed | None:
        """Return what happens next, or None when the time is over; None: wait for as long as it takes."""
        # Not wait_for, which in Python 3.11 loses a cancellation that comes together with what it waits for.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                return await self._queue.get()
        return None
