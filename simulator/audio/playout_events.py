"""What a playout tells: what was handed to the output device of which item, and when.

Times are monotonic nanoseconds, positions and lengths are samples. `handed_ns` is when the device asked for a block,
`dac_ns` when a sample leaves the device.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.int16]


class ItemHeard(NamedTuple):
    """What had been handed to the device of one item when it was cut."""

    item_id: str
    received_samples: int
    handed_samples: int
    begun: bool
    """At least one sample was handed."""
    complete: bool
    """All of its audio had been received."""


class AudioHanded(NamedTuple):
    """A piece of an item went to the device: the audio itself, for the record and the waveform."""

    item_id: str
    first_sample: int
    """Position within the item."""
    samples: Samples
    output_sample: int
    """Position in the output: samples taken by the device before it, silence included, since the playout was made."""
    handed_ns: int
    """When the device asked for the block. Devices ask in bursts: only `output_sample` is evenly paced."""
    dac_ns: int
    """When its first sample leaves the device."""
    block_offset: int
    """Samples of its block before it."""


class PlaybackStarted(NamedTuple):
    """The first sample of an item was handed."""

    item_id: str
    handed_ns: int
    dac_ns: int


class PlaybackGap(NamedTuple):
    """Silence was handed in the middle of an item, because its audio had not arrived."""

    item_id: str
    gap_samples: int


class PlaybackEnded(NamedTuple):
    """An item was handed to its end."""

    item_id: str
    handed_samples: int
    ended_ns: int
    """When the block with its last sample was handed."""
    dac_ns: int
    """When its last sample has left the device."""


class LastSound(NamedTuple):
    """After a cut: the last block handed that holds a sample of the agent other than zero."""

    handed_ns: int
    dac_ns: int
    """When that sample and the fade of 5 ms behind it have left the device: from then on the agent is inaudible."""
    block: int
    """Number of the block since the playout was made."""
    cut_ns: int
    """When the cut was made."""


PlaybackEvent = AudioHanded | PlaybackStarted | PlaybackGap | PlaybackEnded | LastSound
