"""Changing the sample rate of whole recordings, by soxr. (The live path has a filter of its own: `conversion`.)"""

import numpy as np
from numpy.typing import NDArray


def resample(samples: NDArray[np.float32], from_hz: int, to_hz: int) -> NDArray[np.float32]:
    """Return a whole mono recording at another rate, in soxr's highest quality."""
    if from_hz == to_hz or not len(samples):
        return samples
    import soxr

    return np.asarray(soxr.resample(samples, from_hz, to_hz, quality="VHQ"), dtype=np.float32)
