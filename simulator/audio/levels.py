"""Levels of PCM16 audio in dB relative to full scale (0 dBFS is a magnitude of 32,768)."""

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from simulator.audio.pcm import FULL_SCALE

FLOOR_DBFS: Final = -120.0
"""What digital silence, and no audio at all, is shown as: below the smallest step of 16 bits."""


def dbfs_rms(samples: NDArray[np.int16]) -> float:
    """Return the level of the root mean square of `samples`, in dBFS, at least `FLOOR_DBFS`."""
    if not samples.size:
        return FLOOR_DBFS
    as_float = samples.astype(np.float64)
    return _dbfs(math.sqrt(float(np.dot(as_float, as_float)) / samples.size))


def dbfs_peak(samples: NDArray[np.int16]) -> float:
    """Return the level of the largest magnitude in `samples`, in dBFS, at least `FLOOR_DBFS`."""
    if not samples.size:
        return FLOOR_DBFS
    return _dbfs(float(max(int(samples.max()), -int(samples.min()))))


def _dbfs(magnitude: float) -> float:
    if magnitude <= 0:
        return FLOOR_DBFS
    return max(FLOOR_DBFS, 20 * math.log10(magnitude / FULL_SCALE))
