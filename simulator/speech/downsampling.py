"""24 to 16 kHz, which models of speech want, at a constant delay of 1 ms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TAPS = 97  # of the low-pass at 48 kHz: a delay of 48 / 48000 s = 1 ms
_HISTORY = (_TAPS - 1) // 2
_CUTOFF_HZ = 7_200.0


class Downsampler:
    """24 to 16 kHz, piece by piece: any split of the input gives the same output, 1 ms later.

    Two outputs for three inputs: the input is thought to be filled up with zeros to 48 kHz, low-passed, and every third
    sample kept; only the taps that meet a sample are multiplied.
    """

    def __init__(self) -> None:
        self._filter = _polyphase()
        self._waiting = np.zeros(_HISTORY, np.float32)

    def feed(self, samples: NDArray[np.float32]) -> NDArray[np.float32]:
        """The samples at 16 kHz that are complete after these at 24 kHz."""
        waiting = np.concatenate([self._waiting, samples])
        triples = (len(waiting) - _HISTORY) // 3
        if triples == 0:
            self._waiting = waiting
            return np.zeros(0, np.float32)
        views = np.lib.stride_tricks.sliding_window_view(waiting, _HISTORY + 2)[::3][:triples]
        self._waiting = waiting[3 * triples :]
        return np.asarray(views @ self._filter, np.float32).reshape(-1)


def _polyphase() -> NDArray[np.float32]:
    """The low-pass as a matrix: 50 inputs (oldest first) to the two outputs of a triple of inputs."""
    n = np.arange(_TAPS) - (_TAPS - 1) / 2
    taps = np.sinc(n * 2 * _CUTOFF_HZ / 48_000) * np.blackman(_TAPS)
    taps *= 2 / taps.sum()
    matrix = np.zeros((_HISTORY + 2, 2), np.float32)
    matrix[: _HISTORY + 1, 0] = taps[0::2][::-1]
    matrix[2:, 1] = taps[1::2][::-1]
    return matrix
