"""PCM16 little-endian mono: bytes, int16 samples and float samples.

A stream may split a sample across two messages. The half sample belongs to the next message, so a stream of bytes
is turned into samples by one `SampleAssembler` per stream, never message by message.
"""

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

FULL_SCALE: Final = 32768
"""The magnitude that is 1.0 as a float: the most negative int16."""

_WIRE: Final = np.dtype("<i2")


def to_float(pcm16: NDArray[np.int16]) -> NDArray[np.float32]:
    """Return samples in [-1, 1) as float32."""
    return pcm16.astype(np.float32) / np.float32(FULL_SCALE)


def to_int16(samples: ArrayLike) -> NDArray[np.int16]:
    """Return float samples as int16, rounded to the nearest and clipped to full scale."""
    scaled = np.rint(np.asarray(samples, dtype=np.float64) * FULL_SCALE)
    return np.clip(scaled, -FULL_SCALE, FULL_SCALE - 1).astype(np.int16)


def bytes_to_samples(data: bytes | bytearray | memoryview) -> NDArray[np.int16]:
    """Return the samples in an even number of bytes. Raises ValueError for an odd number.

    On a little-endian machine this is a read-only view that keeps `data` alive, not a copy.
    """
    if len(data) % _WIRE.itemsize:
        raise ValueError(f"{len(data)} bytes are not a whole number of 16-bit samples")
    return np.frombuffer(data, dtype=_WIRE).astype(np.int16, copy=False)


def samples_to_bytes(samples: NDArray[np.int16]) -> bytes:
    """Return the samples as they go on the wire."""
    return samples.astype(_WIRE, copy=False).tobytes()


class SampleAssembler:
    """Joins the samples of one stream of bytes that was split anywhere, at odd bytes too."""

    def __init__(self) -> None:
        self._half = b""

    def feed(self, data: bytes | bytearray | memoryview) -> NDArray[np.int16]:
        """Return the samples that `data` completes; a trailing half sample is kept for the next call."""
        if not self._half and len(data) % 2 == 0:
            return bytes_to_samples(data)
        joined = self._half + bytes(data)
        whole = len(joined) & ~1
        self._half = joined[whole:]
        return bytes_to_samples(joined[:whole])
