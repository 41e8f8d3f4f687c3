"""A simulated loudspeaker: asks a playout for blocks in simulated time and keeps what it was handed."""

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from simulator.audio.playout import PlaybackEvent, Playout
from simulator.units import BLOCK_SAMPLES, NS_PER_MS

BLOCK_NS = 20 * NS_PER_MS
LATENCY_NS = 60 * NS_PER_MS

Samples = NDArray[np.int16]
E = TypeVar("E", bound=PlaybackEvent)


class Loudspeaker:
    """Takes block k at `phase_ns` + 20 k ms; its sound leaves 60 ms later."""

    def __init__(self, playout: Playout, phase_ns: int = 0) -> None:
        self.playout = playout
        self.next_ns = phase_ns
        self.blocks: list[Samples] = []

    def take(self, blocks: int = 1) -> Samples:
        """Take blocks, and return them as one piece."""
        for _ in range(blocks):
            # Whatever lies in the device's memory must be replaced, not only added to.
            out = np.full(BLOCK_SAMPLES, 99, dtype=np.int16)
            self.playout.fill(out, self.next_ns, self.next_ns + LATENCY_NS)
            self.blocks.append(out)
            self.next_ns += BLOCK_NS
        return np.concatenate(self.blocks[len(self.blocks) - blocks :]) if blocks else tone(0, 0)

    def run_until(self, end_ns: int) -> None:
        """Take all blocks that are due before `end_ns`."""
        while self.next_ns < end_ns:
            self.take()

    @property
    def heard(self) -> Samples:
        """Everything handed so far."""
        return np.concatenate(self.blocks)


def tone(value: int, samples: int) -> Samples:
    """A piece of agent audio of one value, so that the item is known from what is heard."""
    return np.full(samples, value, dtype=np.int16)


def of_kind(events: list[PlaybackEvent], kind: type[E]) -> list[E]:
    """The events of one kind."""
    return [event for event in events if isinstance(event, kind)]


def at_times(events: list[tuple[int, Callable[[], object]]], loudspeaker: Loudspeaker) -> None:
    """Run calls at their times, with the loudspeaker taking its blocks in between."""
    for at_ns, call in sorted(events, key=lambda event: event[0]):
        loudspeaker.run_until(at_ns)
        call()
