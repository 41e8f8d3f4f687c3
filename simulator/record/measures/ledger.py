"""What all parts of the measures write to: the transcript, the latencies, and how often anything changed."""

from collections.abc import Callable
from typing import Generic, TypeVar

from simulator.record.entries import Direction, Entry
from simulator.record.measures.objects import Latency, Turn
from simulator.units import NS_PER_MS

T = TypeVar("T")

Steps = dict[tuple[Direction, str], Callable[[Entry], None]]
"""What is done with an entry, by its direction and type."""


class Growing(Generic[T]):
    """A list of objects that can be found again by key while they may change."""

    def __init__(self) -> None:
        self.items: list[T] = []
        self._at: dict[str, int] = {}

    def add(self, key: str, item: T) -> None:
        self._at[key] = len(self.items)
        self.items.append(item)

    def get(self, key: str) -> T | None:
        at = self._at.get(key)
        return None if at is None else self.items[at]

    def put(self, key: str, item: T) -> None:
        self.items[self._at[key]] = item


class Ledger:
    """Shared by the parts of one `Measures`."""

    def __init__(self) -> None:
        self.revision = 0
        self.turns: Growing[Turn] = Growing()
        self.latencies: list[Latency] = []

    def latency(self, name: str, from_label: str, to_label: str, start: Entry, end: Entry) -> None:
        """Add the time from one entry to another."""
        value_ms = (end.t_ns - start.t_ns) / NS_PER_MS
        self.latencies.append(Latency(name, from_label, to_label, value_ms, start.seq, end.seq))
