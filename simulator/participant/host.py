"""The participant in the process of whoever uses it, with the same messages: for headless runs, tests and debugging."""

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self, TypeVar

import msgspec

from simulator.engines.profiles import EngineTarget, resolve
from simulator.participant.connection import Ended
from simulator.participant.live_events import LiveEvent
from simulator.participant.messages import AnyCommand, AnyFeed, Command, Status
from simulator.participant.process import Participant
from simulator.participant.replay_source import ReadPlan
from simulator.record.replay.plan import plan

C = TypeVar("C", bound=Command)


class InProcessHost:
    """Async context manager around a `Participant` in the running loop."""

    def __init__(
        self,
        on_feed: Callable[[AnyFeed], None] = lambda message: None,
        *,
        on_event: Callable[[LiveEvent], None] = lambda event: None,
        on_ended: Callable[[Ended], None] = lambda ended: None,
        find_engine: Callable[[str, str | None], EngineTarget] = resolve,
        read_plan: ReadPlan = plan,
    ) -> None:
        self._on_feed = on_feed
        self._participant = Participant(
            self._take, on_event=on_event, on_ended=on_ended, find_engine=find_engine, read_plan=read_plan
        )
        self._next_id = 1
        self._changed = asyncio.Event()
        self.status = Status()

    async def __aenter__(self) -> Self:
        await self._participant.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._participant.close()

    async def send(self, command: type[C], **fields: Any) -> str | None:
        """Execute a command and return its error, or None when it took effect."""
        message: AnyCommand = msgspec.convert(
            {"command": command.__struct_config__.tag, "id": self._next_id, **fields}, AnyCommand
        )
        self._next_id += 1
        return (await self._participant.handle(message)).error

    async def status_with(self, holds: Callable[[Status], bool]) -> Status:
        """Wait until this holds for the status, and return it. Looks whenever the feed says something."""
        while not holds(self.status):
            self._changed.clear()
            await self._changed.wait()
        return self.status

    def _take(self, message: AnyFeed) -> None:
        if isinstance(message, Status):
            self.status = message
        self._on_feed(message)
        self._changed.set()
