"""What a playout tells: what was handed to the output device of which item, and when.

Times are monotonic nanoseconds, positions and lengths are samples. `handed_ns` is when the device asked for a block,
`dac_ns` when a sample leaves the device.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.units import BLOCK_SAMPLES, SAMPLE_RATE_HZ, ns_to_samples

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
    """When that sample has left the device: from then on the agent is inaudible."""
    block: int
    """Number of the block since the playout was made."""
    cut_ns: int
    """When the cut was made."""


PlaybackEvent = AudioHanded | PlaybackStarted | PlaybackGap | PlaybackEnded | LastSound


class HandedTrack:
    """Places what was handed on a clock, for the record and the waveform.

    Pieces handed one after the other are joined exactly, as devices ask for blocks in bursts; each run of them begins
    where its first block was handed; nothing overlaps. A jump of more than 250 ms, where the device stood still or
    was changed, begins a new run.
    """

    _JOIN_WITHIN_SAMPLES: Final = SAMPLE_RATE_HZ // 4

    def __init__(self, origin_ns: int) -> None:
        self._origin_ns = origin_ns
        self._next_output_sample = -1
        self._next_position = 0

    def position(self, piece: AudioHanded) -> int:
        """Return the position of the piece's first sample on the clock that began at `origin_ns`, in samples."""
        at = ns_to_samples(piece.handed_ns - self._origin_ns) + piece.output_sample % BLOCK_SAMPLES
        follows = piece.output_sample == self._next_output_sample
        if not follows or abs(at - self._next_position) > self._JOIN_WITHIN_SAMPLES:
            self._next_position = max(self._next_position, at)
        position = self._next_position
        self._next_position += len(piece.samples)
        self._next_output_sample = piece.output_sample + len(piece.samples)
        return position
