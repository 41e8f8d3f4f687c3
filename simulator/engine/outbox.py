"""The one place where events leave the engine.

Whatever the session says goes through `Outbox.put`, in the order in which it happened; the session's behaviour has its
say (see behaviour), an event gets its id, and it is serialised when it is its turn.
"""

from __future__ import annotations

import asyncio
import heapq
import json
from collections import deque
from typing import Any, Protocol

from simulator.engine.action_log import ActionLog
from simulator.engine.behaviour import Behaviour, Said
from simulator.engine.conversation import new_id

_CROWDED = 64


class Connection(Protocol):
    """What the outbox needs of a socket."""

    async def send(self, message: str) -> None: ...


class Outbox:
    """A queue of events and the task that sends them. All of it on the event loop."""

    def __init__(
        self, connection: Connection, behaviour: Behaviour | None = None, log: ActionLog | None = None
    ) -> None:
        self._connection = connection
        self._behaviour = behaviour or Behaviour()
        self._log = log or ActionLog()
        self._held: list[tuple[float, int, dict[str, Any]]] = []  # due, order, event
        self._held_so_far = 0
        self._events: deque[dict[str, Any]] = deque()
        self._filled = asyncio.Event()
        self._all_sent = asyncio.Event()
        self._all_sent.set()
        self._roomy = asyncio.Event()
        self._roomy.set()

    def put(self, event: dict[str, Any]) -> None:
        """Takes an event over; it must not be changed afterwards."""
        for said in self._behaviour.says(event):
            if said.after_ms > 0:
                self._hold(said)
            else:
                self._queue(said.event)

    def _hold(self, said: Said) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time() + said.after_ms / 1000
        self._held_so_far += 1
        heapq.heappush(self._held, (due, self._held_so_far, said.event))
        loop.call_at(due, self._release)

    def _release(self) -> None:
        """Queues one event that was held back: the one that is due first."""
        self._queue(heapq.heappop(self._held)[2])

    def _queue(self, event: dict[str, Any]) -> None:
        self._events.append({"event_id": new_id("event"), **event})
        self._filled.set()
        self._all_sent.clear()
        if len(self._events) >= _CROWDED:
            self._roomy.clear()

    async def room(self) -> None:
        """Waits while the client reads more slowly than the engine speaks."""
        await self._roomy.wait()

    async def run(self) -> None:
        """Sends what is put in, until the connection ends (the socket's exception is raised) or it is cancelled."""
        while True:
            await self._filled.wait()
            while self._events:
                event = self._events.popleft()
                await self._connection.send(json.dumps(event))
                self._log.said(event)
                if len(self._events) < _CROWDED:
                    self._roomy.set()
            self._filled.clear()
            self._all_sent.set()

    async def flush(self) -> None:
        """Waits until everything put in so far was handed to the socket."""
        await self._all_sent.wait()
