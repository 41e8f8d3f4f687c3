"""The embedded engine of the participant process: one child for all its sessions, another for other faults."""

import asyncio
from collections.abc import Sequence

from simulator.engines.embedded import EmbeddedEngine


class OwnEngine:
    """Starts the child when it is first asked for, and keeps it."""

    def __init__(self) -> None:
        self._engine: EmbeddedEngine | None = None
        self._starting = asyncio.Lock()

    async def at(self, faults: Sequence[str]) -> str:
        """Return the address of the engine that breaks these rules, started where needed. Raises EngineUnreachable."""
        async with self._starting:
            if self._engine is not None and self._engine.faults != tuple(faults):
                await self._engine.stop()
                self._engine = None
            if self._engine is None:
                self._engine = EmbeddedEngine(faults)
            return await self._engine.start()

    async def stop(self) -> None:
        """End the child, if there is one."""
        if self._engine is not None:
            await self._engine.stop()
