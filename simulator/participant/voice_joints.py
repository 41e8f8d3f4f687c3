"""Where one source of the voice follows another: without a hole, and without saying the same moment twice. Pure."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from simulator.audio.sources import Chunk
from simulator.units import BLOCK_SAMPLES, NS_PER_S, ns_to_samples, samples_to_ns

_LONGEST_HOLE_NS: Final = 10 * NS_PER_S
"""A computer that slept longer than this is not caught up with."""

HOLE: Final = -1
"""The position of what no source gave: nothing begins with it."""


class Joints:
    """Takes the chunks of one source after the other, and gives them as one voice."""

    def __init__(self) -> None:
        self.covered_ns: int | None = None
        """Until when the voice was given."""
        self._given_samples = 0
        """What a device captured while silence still stood in for it, and is yet to be left out."""

    def change(self) -> None:
        """Another source begins with the next chunk."""
        self._given_samples = 0

    def joined(self, chunk: Chunk, *, from_device: bool) -> Iterator[Chunk]:
        """Yield a chunk, or what is left of it; before the first one of a source silence for what was given by none."""
        if chunk.first_sample == 0 and self.covered_ns is not None:
            hole_ns = chunk.captured_ns - samples_to_ns(len(chunk.samples)) - self.covered_ns
            if hole_ns < 0:
                chunk = self._without_begin(chunk, ns_to_samples(-hole_ns), from_device=from_device)
            elif hole_ns <= _LONGEST_HOLE_NS:
                yield from _silence(self.covered_ns, ns_to_samples(hole_ns))
        elif self._given_samples:
            twice = min(len(chunk.samples), self._given_samples)
            self._given_samples -= twice
            chunk = chunk._replace(samples=chunk.samples[twice:])
            if not len(chunk.samples):
                return
        yield chunk
        self.covered_ns = chunk.captured_ns

    def _without_begin(self, chunk: Chunk, twice: int, *, from_device: bool) -> Chunk:
        """Leave out what was given already: at least one sample stays, so that the source begins."""
        here = min(len(chunk.samples) - 1, twice)
        # More than its first chunk is left out only of a device, which captured while silence still stood in for it.
        self._given_samples = twice - here if from_device else 0
        return chunk._replace(samples=chunk.samples[here:])


def _silence(since_ns: int, samples: int) -> Iterator[Chunk]:
    for start in range(0, samples, BLOCK_SAMPLES):
        count = min(BLOCK_SAMPLES, samples - start)
        yield Chunk(np.zeros(count, dtype=np.int16), HOLE, since_ns + samples_to_ns(start + count), 0)
