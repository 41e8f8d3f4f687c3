"""Changing the sample rate of whole recordings, by soxr. (The live path has a filter of its own: `conversion`.)"""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray


def resample(samples: NDArray[np.float32], from_hz: int, to_hz: int) -> NDArray[np.float32]:
    """Return a whole mono recording at another rate, in soxr's highest quality."""
    if from_hz == to_hz or not len(samples):
        return samples
    import soxr

    return np.asarray(soxr.resample(samples, from_hz, to_hz, quality="VHQ"), dtype=np.float32)


def resample_pieces(pieces: Iterable[NDArray[np.float32]], from_hz: int, to_hz: int) -> Iterator[NDArray[np.float32]]:
    """Give a mono recording that comes in pieces at another rate, as `resample` does with the whole of it."""
    if from_hz == to_hz:
        yield from pieces
        return
    import soxr

    stream = soxr.ResampleStream(from_hz, to_hz, 1, dtype="float32", quality="VHQ")
    for piece in pieces:
        yield np.asarray(stream.resample_chunk(piece), dtype=np.float32)
    yield np.asarray(stream.resample_chunk(np.zeros(0, dtype=np.float32), last=True), dtype=np.float32)
