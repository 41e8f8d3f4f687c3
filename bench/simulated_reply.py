"""A reply of the agent in simulated time: its deltas come when they are said to, the device asks block by block."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.audio.playout import PlaybackEvent, PlaybackGap, PlaybackStarted, Playout
from simulator.units import BLOCK_MS, BLOCK_SAMPLES, NS_PER_MS, samples_to_ms

_LONGEST_REST_MS = 500
"""By this much a reply may be behind its audio."""


class Reply(NamedTuple):
    """How one reply played."""

    buffered_ms: float
    """From the arrival of its first delta to its first sample being handed."""
    gaps_ms: float
    """Silence in its middle, in total."""


def played(
    playout: Playout, item_id: str, delta: NDArray[np.int16], arrivals_ns: Sequence[int], next_ns: int
) -> tuple[Reply, int]:
    """Play an item whose deltas, all of them `delta`, arrive at these times, against a device that asks at `next_ns`.

    Returns how it played, and when the device asks next, after all of it was played.
    """
    block = np.zeros(BLOCK_SAMPLES, dtype=np.int16)
    events: list[PlaybackEvent] = []

    def play_until(end_ns: int) -> None:
        nonlocal next_ns
        while next_ns < end_ns:
            playout.fill(block, next_ns, next_ns)
            next_ns += BLOCK_MS * NS_PER_MS
        events.extend(playout.progress())

    for at_ns in arrivals_ns:
        play_until(at_ns)
        playout.add(item_id, delta, at_ns)
    playout.item_complete(item_id)
    length_ms = samples_to_ms(len(delta)) * len(arrivals_ns)
    play_until(next_ns + round((length_ms + _LONGEST_REST_MS) * NS_PER_MS))
    return reply_of(events, arrivals_ns[0]), next_ns


def reply_of(events: Iterable[PlaybackEvent], first_ns: int) -> Reply:
    """Return how a reply played, of which the first delta came at `first_ns`."""
    events = list(events)
    started = next(event for event in events if isinstance(event, PlaybackStarted))
    gaps = [samples_to_ms(event.gap_samples) for event in events if isinstance(event, PlaybackGap)]
    return Reply((started.handed_ns - first_ns) / NS_PER_MS, sum(gaps))
