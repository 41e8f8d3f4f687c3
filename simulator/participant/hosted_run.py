"""What runs without a window have in common: a participant in this process, from its start to its session's end."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from simulator.engines.profiles import EngineTarget
from simulator.errors import SimulatorError
from simulator.participant.connection import Ended
from simulator.participant.host import InProcessHost
from simulator.participant.messages import AnyFeed, Connect, ConnectionState, Disconnect, Entries, Status
from simulator.participant.replay_source import ReadPlan
from simulator.record.entries import Entry
from simulator.record.replay.plan import plan


class Outcome(Protocol):
    """What came of a run, as far as all kinds have it."""

    record: str | None
    problems: list[str]
    """What went wrong or was lacking while the session went on, in sentences."""
    recorded: bool
    """Whether all of it reached the disk."""

    def connection_ended(self) -> None:
        """The connection ended before what is run did."""


class HostedRun:
    """One run. `progress` is told in sentences what happens, `on_entries` gets the record as it grows.

    `read_plan` is the participant's. `told`: what the runs before told of what is lacking, and this one need not.
    """

    def __init__(
        self,
        target: EngineTarget,
        outcome: Outcome,
        progress: Callable[[str], None],
        on_entries: Callable[[list[Entry]], None],
        read_plan: ReadPlan = plan,
        told: set[str] | None = None,
    ) -> None:
        self._told = told if told is not None else set()
        self._told_before = set(self._told)
        self._read_plan = read_plan
        self._target = target
        self._outcome = outcome
        self._progress = progress
        self._on_entries = on_entries
        self._lacks: list[str] = []
        self.over = asyncio.Event()
        """What is run ended, or the connection did."""

    async def run(self, begin: Callable[[InProcessHost], Awaitable[None]]) -> None:
        """Begin and wait for the end. Raises what `begin` does; cancelled, it ends the session in order."""
        host = InProcessHost(
            self._fed,
            on_ended=self._ended,
            find_engine=lambda name, model: self._target,
            read_plan=self._read_plan,
        )
        async with host:
            try:
                await begin(host)
                await self.over.wait()
            finally:
                self.over.set()  # what ends from here on was ended by us
            await host.send(Disconnect)

    async def connect(self, host: InProcessHost, **settings: Any) -> None:
        """Open the session with these fields of `Connect`. Raises SimulatorError with the reason why not."""
        await must(host.send(Connect, engine=self._target.name, **settings))
        self._outcome.record = host.status.record_path
        self._progress(f"Connected to {self._target.name}. The record is {host.status.record_path}.")

    def problem(self, sentence: str) -> None:
        """Something went wrong, as the record's note says, which holds no key."""
        self._progress(sentence)
        if sentence not in self._outcome.problems:
            self._outcome.problems.append(sentence)

    def _ended(self, ended: Ended) -> None:
        if not self.over.is_set():
            self._outcome.connection_ended()
            self._outcome.problems.append(ended.sentence)
            self._progress(ended.sentence)
            self.over.set()

    def _fed(self, message: AnyFeed) -> None:
        if isinstance(message, Entries):
            self._on_entries(message.entries)
        elif isinstance(message, Status):
            self._look(message)

    def _look(self, status: Status) -> None:
        """Tell what is lacking."""
        connected = status.connection is ConnectionState.CONNECTED
        lacks = [lack for lack in (status.recognition_lack, *status.lacks) if lack is not None]
        for lack in lacks:
            if lack in self._lacks:
                continue
            self._told.add(lack)
            if lack in self._told_before:
                self._told_before.remove(lack)  # should it go and come again, it is news
            else:
                self._progress(lack)
            if connected and lack != status.recognition_lack:
                self._outcome.problems.append(lack)
        self._lacks = lacks
        if connected and not status.recording:
            self._outcome.recorded = False


async def must(sending: Awaitable[str | None]) -> None:
    """Raise SimulatorError with the error of a command that was sent, if it has one."""
    error = await sending
    if error is not None:
        raise SimulatorError(error)
