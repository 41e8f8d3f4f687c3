"""The one place where events leave the engine.

Whatever the session says goes through `Outbox.put`, in the order in which it happened; an event gets its id here and is
serialised when it is its turn. Whoever wants the engine to speak differently (a fault, a log of what it did) does it
here.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from typing import Any, Protocol

from simulator.engine.conversation import new_id

_CROWDED = 64


class Connection(Protocol):
    """What the outbox needs of a socket."""

    async def send(self, message: str) -> None: ...


class Outbox:
    """A queue of events and the task that sends them. All of it on the event loop."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._events: deque[dict[str, Any]] = deque()
        self._filled = asyncio.Event()
        self._all_sent = asyncio.Event()
        self._all_sent.set()
        self._roomy = asyncio.Event()
        self._roomy.set()

    def put(self, event: dict[str, Any]) -> None:
        """Takes an event over; it must not be changed afterwards."""
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
                await self._connection.send(json.dumps(self._events.popleft()))
                if len(self._events) < _CROWDED:
                    self._roomy.set()
            self._filled.clear()
            self._all_sent.set()

    async def flush(self) -> None:
        """Waits until everything put in so far was handed to the socket."""
        await self._all_sent.wait()
