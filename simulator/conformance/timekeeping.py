"""Whether this computer kept time while a check ran. Where it did not, that is noted, and no engine is blamed for it.

Two things are watched. The wall clock and the monotonic clock go on side by side, unless one is set or the computer
sleeps (most systems stop the monotonic clock then, so that what was measured across it is too short). And this program
gets its turn all the time, unless the processor is taken, or the process is stopped: what arrives meanwhile is stamped
late.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Final

from simulator.conformance.evidence import CLOCK_JUMPED, HELD_UP
from simulator.record.log import RecordLog
from simulator.units import NS_PER_MS, NS_PER_S

LONGEST_HOLD_MS: Final = 200
"""As long as an append may be late."""
LARGEST_JUMP_MS: Final = 250
"""Far more than clocks that are slewed gain in one look."""

_LOOK_EVERY_NS: Final = NS_PER_S // 20
_READ_WITHIN_NS: Final = 5 * NS_PER_MS
"""Two clocks that were read further apart than this cannot be compared."""

Clock = Callable[[], int]


class Timekeeper:
    """Watches the clocks for one record."""

    def __init__(self, log: RecordLog, wall: Clock = time.time_ns, monotonic: Clock = time.monotonic_ns) -> None:
        self._log = log
        self._wall = wall
        self._monotonic = monotonic
        self._looked_ns = monotonic()
        self._ahead_ns: int | None = None

    async def watch(self) -> None:
        """Look again and again, until cancelled."""
        while True:
            self.look()
            await asyncio.sleep(_LOOK_EVERY_NS / NS_PER_S)

    def look(self) -> None:
        """Note what happened to the clocks since the last look."""
        now_ns = self._monotonic()
        held_ms = (now_ns - self._looked_ns - _LOOK_EVERY_NS) / NS_PER_MS
        self._looked_ns = now_ns
        if held_ms > LONGEST_HOLD_MS:
            self._log.noted(HELD_UP, {"ms": round(held_ms)}, now_ns)
        self._compare(now_ns)

    def _compare(self, began_ns: int) -> None:
        wall_ns = self._wall()
        now_ns = self._monotonic()
        if now_ns - began_ns > _READ_WITHIN_NS:
            return  # held up between the two readings: the next look will tell
        before_ns, self._ahead_ns = self._ahead_ns, wall_ns - now_ns
        if before_ns is not None and abs(self._ahead_ns - before_ns) > LARGEST_JUMP_MS * NS_PER_MS:
            by_ms = round((self._ahead_ns - before_ns) / NS_PER_MS)
            self._log.noted(CLOCK_JUMPED, {"by_ms": by_ms}, now_ns)
