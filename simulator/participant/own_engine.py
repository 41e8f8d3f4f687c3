"""The embedded engine of the participant process: one child for all its sessions, another for other faults or minds."""

import asyncio
from collections.abc import Sequence

from simulator.engines.embedded import EmbeddedEngine
from simulator.engines.thinking import Thinking


class OwnEngine:
    """Starts the child when it is first asked for, and keeps it."""

    def __init__(self) -> None:
        self._engine: EmbeddedEngine | None = None
        self._starting = asyncio.Lock()

    async def at(self, faults: Sequence[str], thinking: Thinking | None = None) -> str:
        """Return the address of the engine that breaks these rules and thinks with this model, started where needed.

        Raises EngineUnreachable.
        """
        async with self._starting:
            engine = self._engine
            if engine is not None and (engine.faults, engine.thinking) != (tuple(faults), thinking):
                await engine.stop()
                self._engine = None
            if self._engine is None:
                self._engine = EmbeddedEngine(faults, thinking)
            return await self._engine.start()

    async def stop(self) -> None:
        """End the child, if there is one."""
        if self._engine is not None:
            await self._engine.stop()
