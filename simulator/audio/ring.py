"""Preallocated rings between an audio callback (the one writer) and the loop (the one reader), without a lock.

Index discipline. Positions are counts of samples since the start and only grow; a position modulo the capacity is
the place in the buffer. Each index has one owner and is published by one assignment:

- the writer announces `_claimed`, copies, then publishes `_written`;
- the reader reads `_written`, copies, then reads `_claimed`: whatever lies further back than the capacity behind
  it may have been overwritten while it was copied, and is counted as overwritten instead of being returned.

So the writer never waits and never fails, and the reader never returns a torn sample. A reader that falls behind
loses the oldest samples, and `overwritten_samples` says how many.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class SampleRing:
    """A ring of int16 samples: one thread writes, one thread reads."""

    def __init__(self, capacity_samples: int) -> None:
        if capacity_samples < 1:
            raise ValueError("a ring needs room for at least one sample")
        self._buffer = np.zeros(capacity_samples, dtype=np.int16)
        self._claimed = 0
        self._written = 0
        self._read = 0
        self.overwritten_samples = 0
        """Samples that the reader lost because it was too slow."""

    @property
    def capacity_samples(self) -> int:
        """How many samples the ring holds."""
        return len(self._buffer)

    @property
    def written_samples(self) -> int:
        """Samples written since the start."""
        return self._written

    @property
    def read_samples(self) -> int:
        """The position of the next sample to be read, lost samples included."""
        return self._read

    @property
    def readable(self) -> int:
        """Samples that `read_into` can return now."""
        return max(0, min(self._written - self._read, self.capacity_samples))

    def write(self, samples: NDArray[np.int16]) -> None:
        """Append `samples` (the writer's thread). Copies only; overwrites the oldest when the reader is behind."""
        start = self._written
        end = start + len(samples)
        self._claimed = end
        kept = samples[-self.capacity_samples :]
        place = (end - len(kept)) % self.capacity_samples
        first = min(len(kept), self.capacity_samples - place)
        self._buffer[place : place + first] = kept[:first]
        self._buffer[: len(kept) - first] = kept[first:]
        self._written = end

    def read_into(self, out: NDArray[np.int16]) -> int:
        """Copy the oldest unread samples to the start of `out` and return their number (the reader's thread)."""
        while True:
            start = max(self._read, self._written - self.capacity_samples)
            count = max(0, min(len(out), self._written - start))
            place = start % self.capacity_samples
            first = min(count, self.capacity_samples - place)
            out[:first] = self._buffer[place : place + first]
            out[first:count] = self._buffer[: count - first]
            if self._claimed - self.capacity_samples <= start:
                break
            # The writer came round while these were copied: begin behind what it may have touched.
            self._skip_to(self._claimed - self.capacity_samples)
        self._skip_to(start)
        self._read = start + count
        return count

    def _skip_to(self, position: int) -> None:
        if position > self._read:
            self.overwritten_samples += position - self._read
            self._read = position


class BlockTime(NamedTuple):
    """When a block of captured samples came."""

    first_sample: int
    samples: int
    ended_ns: int
    """When its last sample had been captured, as far as the callback that brought it tells."""
    adc_ns: int
    """When its first sample was captured, by the device's clock; 0: unknown."""


class BlockTimeRing:
    """The times of the last blocks that were written to a `SampleRing`: one thread notes, one looks up.

    Noted before the samples are published, so a sample that can be read has a time.
    """

    def __init__(self, capacity_blocks: int) -> None:
        self._blocks: list[BlockTime | None] = [None] * capacity_blocks
        self._noted = 0

    def note(self, first_sample: int, samples: int, ended_ns: int, adc_ns: int) -> None:
        """Remember a block (the writer's thread)."""
        self._blocks[self._noted % len(self._blocks)] = BlockTime(first_sample, samples, ended_ns, adc_ns)
        self._noted += 1

    def block_of(self, sample: int) -> BlockTime | None:
        """Return the block that holds the sample at this position; None if it is older than all that are kept."""
        noted = self._noted
        for number in range(noted - 1, max(-1, noted - 1 - len(self._blocks)), -1):
            block = self._blocks[number % len(self._blocks)]
            if block is not None and block.first_sample <= sample:
                return block
        return None
