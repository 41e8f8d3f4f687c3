"""The chain by which the output's thread and the loop tell each other, without a lock, what was handed and what cut.

Every block that holds agent audio is a link, appended behind the last one; a cut is a link too. Behind a link there is
room for exactly one: whoever appends first to its `_behind` list is the first entry of that list, and an append is one
atomic step of the interpreter. So a `Playout.fill` that is running when the cut comes has two outcomes:

- its block was linked first. The cut finds the block before it, counts it as handed, and links behind it. The block
  is played: handed is exact.
- the cut was linked first. The `fill` finds the cut where its block should be, silences the block before it returns,
  and goes on with the queue that the cut brought. The block was never counted: handed is exact.

There is no third outcome and nobody waits. Every `fill` that starts after the cut finds the cut's link before it
copies anything. The chain is also the only way news travels from the callback to the loop, in the order in which it
happened, and the loop frees it as it reads. (The queue of items and each item's queue of audio are deques with one
writer and one reader; `Item.complete` is written by the loop alone.)
"""

from collections import deque
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.audio.jitter import ArrivalPace
from simulator.audio.playout_events import AudioHanded

Samples = NDArray[np.int16]


class Segment(NamedTuple):
    """Audio of an item that arrived at once."""

    samples: Samples
    arrived_ns: int


class Item:
    """One item of the agent's voice; each field has one writer."""

    __slots__ = (
        "arrivals",
        "complete",
        "ended",
        "handed",
        "item_id",
        "last",
        "offset",
        "position",
        "received",
        "segments",
    )

    def __init__(self, item_id: str) -> None:
        self.item_id = item_id
        self.segments: deque[Segment] = deque()
        # The loop's: `handed` is what the chain said.
        self.arrivals = ArrivalPace()
        self.received = 0
        self.handed = 0
        self.complete = False
        self.ended = False
        self.last: AudioHanded | None = None
        # The callback's: `offset` lies within the first segment, `position` within the item.
        self.offset = 0
        self.position = 0


class Span(NamedTuple):
    """A piece of an item in one block."""

    item: Item
    handed: AudioHanded
    silence_before: int


class Link:
    """A link of the chain, with room for one behind it."""

    __slots__ = ("_behind",)

    def __init__(self) -> None:
        self._behind: list[Link] = []

    def claim(self, link: "Link") -> "Link":
        """Put `link` behind this one if nothing is there yet; return what is there now."""
        self._behind.append(link)
        return self._behind[0]

    @property
    def behind(self) -> "Link | None":
        """What was put behind this link, if anything."""
        return self._behind[0] if self._behind else None


class Block(Link):
    """A block with agent audio that was handed to the device."""

    __slots__ = ("number", "spans")

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number
        self.spans: list[Span] = []


class Cut(Link):
    """A cut: what was queued is void, playing goes on with `queue`."""

    __slots__ = ("queue",)

    def __init__(self, queue: deque[Item]) -> None:
        super().__init__()
        self.queue = queue
