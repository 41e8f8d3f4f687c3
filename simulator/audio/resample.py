"""Changing the sample rate: whole recordings by soxr, live blocks by a half-band filter.

soxr's streaming mode returns 20 ms blocks in bursts, so it is used for files only. Live audio of a 48 kHz device goes
through a 63-tap half-band FIR: every second tap but the middle one is zero, the delay is 31 samples at 48 kHz
(0.65 ms), and each block gives its result at once.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from simulator.audio.pcm import to_float, to_int16

_TAPS: Final = 63
_MIDDLE: Final = _TAPS // 2
DELAY_48K_SAMPLES: Final = _MIDDLE
"""Delay of either half-band filter, in samples at 48 kHz."""


def resample(samples: NDArray[np.float32], from_hz: int, to_hz: int) -> NDArray[np.float32]:
    """Return a whole mono recording at another rate, in soxr's highest quality."""
    if from_hz == to_hz or not len(samples):
        return samples
    import soxr

    return np.asarray(soxr.resample(samples, from_hz, to_hz, quality="VHQ"), dtype=np.float32)


def _half_band() -> NDArray[np.float32]:
    """Return the taps of a half-band low-pass filter: windowed sinc, 0.5 in the middle, sum 1."""
    offsets = np.arange(_TAPS) - _MIDDLE
    taps = 0.5 * np.sinc(offsets / 2) * np.kaiser(_TAPS, 8.0)
    side = offsets % 2 != 0
    taps[~side] = 0
    taps[side] *= 0.5 / taps[side].sum()
    taps[_MIDDLE] = 0.5
    return taps.astype(np.float32)


# The taps at odd distance from the middle: the others are zero.
_SIDE_TAPS: Final = _half_band()[::2]


class HalfBand48To24:
    """Halves the rate of a stream of blocks."""

    def __init__(self) -> None:
        self._history = np.zeros(_TAPS - 1, dtype=np.float32)

    def process(self, block: NDArray[np.int16]) -> NDArray[np.int16]:
        """Return half as many samples as `block` has. Raises ValueError for an odd number."""
        if len(block) % 2:
            raise ValueError(f"a block of {len(block)} samples cannot be halved")
        stream = np.concatenate((self._history, to_float(block)))
        self._history = stream[len(block) :].copy()
        # Outputs lie on the even samples: even ones meet the side taps, odd ones only the middle tap.
        sides = np.convolve(stream[0 : len(stream) - 1 : 2], _SIDE_TAPS, mode="valid")
        middle = stream[_MIDDLE : _MIDDLE + len(block) : 2]
        return to_int16(sides + np.float32(0.5) * middle)


class HalfBand24To48:
    """Doubles the rate of a stream of blocks."""

    def __init__(self) -> None:
        self._history = np.zeros(_MIDDLE, dtype=np.float32)

    def process(self, block: NDArray[np.int16]) -> NDArray[np.int16]:
        """Return twice as many samples as `block` has."""
        stream = np.concatenate((self._history, to_float(block)))
        self._history = stream[len(block) :].copy()
        doubled = np.empty(2 * len(block), dtype=np.float32)
        # One of two samples is interpolated by the side taps, the other is the input itself, as late as those.
        doubled[0::2] = np.convolve(stream, 2 * _SIDE_TAPS, mode="valid")
        doubled[1::2] = stream[_MIDDLE // 2 + 1 : _MIDDLE // 2 + 1 + len(block)]
        return to_int16(doubled)
