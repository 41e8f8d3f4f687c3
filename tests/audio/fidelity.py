"""A voice that can be said at any sample rate, and how far what was heard of it differs from it."""

import math

import numpy as np
from numpy.typing import NDArray

_RAMP_S = 0.1


def voice_at(rate_hz: int, seconds: float = 1.0, top_hz: float = 3_500, seed: int = 1) -> NDArray[np.int16]:
    """Return the same sound for any rate: tones up to `top_hz` that swell and fade, exact zeros nowhere of note."""
    random = np.random.default_rng(seed)
    at_s = np.arange(round(seconds * rate_hz)) / rate_hz
    tones_hz, phases = random.uniform(150, top_hz, 24), random.uniform(0, 2 * np.pi, 24)
    wave = np.sin(2 * np.pi * tones_hz[:, np.newaxis] * at_s + phases[:, np.newaxis]).sum(axis=0)
    ramp = np.clip(np.minimum(at_s, seconds - at_s) / _RAMP_S, 0, 1)
    return np.asarray(np.rint(2000 * wave * np.sin(np.pi / 2 * ramp) ** 2), dtype=np.int16)


def difference_db(voice: NDArray[np.int16], heard: NDArray[np.int16]) -> tuple[float, float]:
    """Find `voice` in `heard`, at any fraction of a sample; return by how many dB the difference lies below the voice,
    negative, and where it begins. The level counts, and the silence for a twentieth of its length before and after it.
    """
    around = len(voice) // 20
    heard = np.pad(heard, around + len(voice))
    size = 1 << (len(heard) + len(voice)).bit_length()
    matches = np.fft.irfft(np.fft.rfft(heard, size) * np.conj(np.fft.rfft(voice, size)), size)[: len(heard)]
    begins = int(np.argmax(matches))
    first, count = begins - around, len(voice) + 2 * around
    wanted = np.fft.rfft(np.concatenate((np.zeros(around), voice, np.zeros(around))))
    given = np.fft.rfft(heard[first : first + count])
    turns = 2 * np.pi * np.arange(len(wanted)) / count
    weights = np.abs(wanted) ** 2
    late = -np.sum(weights * turns * np.angle(given * np.conj(wanted))) / np.sum(weights * turns**2)
    error = given - wanted * np.exp(-1j * turns * late)
    difference = 10 * math.log10(max(1e-12, np.sum(np.abs(error) ** 2) / np.sum(weights)))
    return difference, begins + late - around - len(voice)
