"""What the loudspeaker gets of the agent's voice: no clicks where it must break off, and the volume.

Where the voice breaks off, at a cut or because its audio has not arrived, its last 5 ms follow backwards and fade to
zero: the audio that would have come next is not there, or must not be heard. This tail belongs to no item and counts
nowhere: what was handed of an item, and what an engine is told of it, is the same with and without it. Where the voice
goes on in the middle of an item its first 5 ms rise from zero. Ends that the engine made are left as they are.

The volume is applied last, in a ramp of 20 ms; what would be too loud for the device is clipped. The record holds the
voice as it was handed, before both.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.units import SAMPLE_RATE_HZ

FADE_SAMPLES: Final = SAMPLE_RATE_HZ * 5 // 1000
LOWEST_VOLUME_DB: Final = -60.0
HIGHEST_VOLUME_DB: Final = 12.0

_RAMP_SAMPLES: Final = SAMPLE_RATE_HZ * 20 // 1000

Samples = NDArray[np.int16]

# Half a cosine: level at both ends, so that neither has a kink.
_RISE: Final = (0.5 - 0.5 * np.cos(np.pi * (np.arange(FADE_SAMPLES) + 0.5) / FADE_SAMPLES)).astype(np.float32)
_FALL: Final = _RISE[::-1].copy()


class Edges(NamedTuple):
    """Where the voice breaks off or goes on within a block."""

    breaks_at: int | None = None
    """Its first sample that is silent though the voice was cut or has not arrived."""
    resumes: bool = False
    """The block begins with a voice that had broken off."""


SMOOTH: Final = Edges()


class Fades:
    """Shapes one block after the other, of any length. Belongs to the output's thread."""

    def __init__(self) -> None:
        self._before = np.zeros(FADE_SAMPLES, dtype=np.int16)
        self._tail = np.zeros(0, dtype=np.float32)
        self._risen = FADE_SAMPLES

    def apply(self, block: Samples, edges: Edges) -> None:
        """Shape a block in place."""
        if edges.resumes:
            self._risen = 0
        if self._risen < FADE_SAMPLES:
            count = min(len(block), FADE_SAMPLES - self._risen)
            block[:count] = np.rint(block[:count] * _RISE[self._risen : self._risen + count])
            self._risen += count
        first = 0
        if edges.breaks_at is not None:
            first = edges.breaks_at
            heard = np.concatenate((self._before, block[:first]))[-FADE_SAMPLES:]
            self._tail = heard[::-1] * _FALL
        if len(self._tail):
            count = min(len(block) - first, len(self._tail))
            sum_of_both = block[first : first + count] + self._tail[:count]
            block[first : first + count] = np.clip(np.rint(sum_of_both), -32_768, 32_767)
            self._tail = self._tail[count:]
        if len(block) >= FADE_SAMPLES:
            self._before[:] = block[-FADE_SAMPLES:]
        else:
            self._before[:] = np.concatenate((self._before, block))[-FADE_SAMPLES:]


class Volume:
    """Makes the voice louder or softer. `db` may be set at any time; `apply` belongs to the output's thread."""

    def __init__(self) -> None:
        self.db = 0.0
        # The ramp's beginning and end, and how much of it lies behind.
        self._from = self._to = 1.0
        self._done = _RAMP_SAMPLES

    def apply(self, block: Samples) -> None:
        """Change a block in place."""
        wanted = 10 ** (self.db / 20)
        if wanted != self._to:
            self._from, self._to, self._done = self._factor_after(self._done), wanted, 0
        if self._done < _RAMP_SAMPLES:
            places = np.minimum(self._done + np.arange(1, len(block) + 1), _RAMP_SAMPLES) / _RAMP_SAMPLES
            self._done = min(self._done + len(block), _RAMP_SAMPLES)
            _amplify(block, self._from + (self._to - self._from) * places)
        elif wanted != 1:
            _amplify(block, wanted)

    def _factor_after(self, samples: int) -> float:
        return self._from + (self._to - self._from) * samples / _RAMP_SAMPLES


class VoiceShape:
    """The fades and the volume, one after the other."""

    def __init__(self) -> None:
        self._fades = Fades()
        self.volume = Volume()

    def apply(self, block: Samples, edges: Edges) -> None:
        """Shape a block in place. Belongs to the output's thread."""
        self._fades.apply(block, edges)
        self.volume.apply(block)


def _amplify(block: Samples, factors: "NDArray[np.float64] | float") -> None:
    block[:] = np.clip(np.rint(block * factors), -32_768, 32_767)
