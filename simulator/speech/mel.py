"""What Whisper looks at: the energies of a clip on the mel scale, 100 times a second."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

SAMPLE_RATE_HZ = 16_000

_FFT = 400
_HOP = 160


def mel_filters(mels: int = 80) -> NDArray[np.float32]:
    """(mels, 201): triangles on Slaney's mel scale up to 8 kHz, each of area 1, as the model was trained with."""
    hz = np.fft.rfftfreq(_FFT, 1 / SAMPLE_RATE_HZ)
    step = 27 / np.log(6.4)
    scale = np.linspace(0, 15 + np.log(8.0) * step, mels + 2)
    corners = np.where(scale < 15, scale * 200 / 3, 1000 * np.exp((scale - 15) / step))
    rising = (hz - corners[:-2, np.newaxis]) / np.diff(corners)[:-1, np.newaxis]
    falling = (corners[2:, np.newaxis] - hz) / np.diff(corners)[1:, np.newaxis]
    area = 2 / (corners[2:] - corners[:-2])
    return np.asarray(np.maximum(0, np.minimum(rising, falling)) * area[:, np.newaxis], np.float32)


def log_mel(samples: NDArray[np.float32], filters: NDArray[np.float32]) -> NDArray[np.float32]:
    """(mels, a frame each 10 ms)."""
    window = np.hanning(_FFT + 1)[:-1].astype(np.float32)
    padded = np.pad(samples, _FFT // 2, mode="reflect")
    frames = np.lib.stride_tricks.sliding_window_view(padded, _FFT)[::_HOP][:-1]
    power = np.abs(np.fft.rfft(frames * window, axis=1)).astype(np.float32) ** 2
    levels = np.log10(np.maximum(filters @ power.T, 1e-10))
    return np.ascontiguousarray((np.maximum(levels, levels.max() - 8) + 4) / 4, np.float32)
