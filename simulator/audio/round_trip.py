"""The true round trip of a pair of devices: chirps are played, and looked for in what the microphone heard. Pure.

A chirp is a sweep of 40 ms from 500 to 3,500 Hz: it passes every telephone, and its match is a fifth of a millisecond
wide. The distances between the chirps differ, so the train as a whole fits in one place only, however late it is.
"""

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.units import SAMPLE_RATE_HZ, ms_to_samples

CHIRPS: Final = 10
LEAST_CHIRPS: Final = 5
"""Of how many the answer must be found, for a figure that counts."""
LONGEST_MS: Final = 2_000
"""An answer that comes later is not looked for."""
LEAST_SNR_DB: Final = 16.0

_CHIRP_MS: Final = 40
_FROM_HZ, _TO_HZ = 500, 3_500
_LEVEL: Final = 0.3
_DISTANCES_MS: Final = (310, 370, 330, 430, 350, 390, 450, 410, 470)
_LEAD_MS: Final = 500
"""Silence before the first: some loudspeakers wake up slowly."""
_EARLIEST_MS: Final = 100
"""How much too early an answer may come: the times that devices report may be too late, too."""
_NEAR_MS: Final = 20
"""How far an answer may lie from where the train as a whole fits."""
_LARGEST_SNR_DB: Final = 99.0

Samples = NDArray[np.int16]


class Answer(NamedTuple):
    """A chirp that came back."""

    late_samples: float
    """How long after its expected place."""
    snr_db: float
    """Its match against what matches by chance."""


def chirp() -> NDArray[np.float64]:
    """Return one chirp, soft at both ends."""
    at_s = np.arange(ms_to_samples(_CHIRP_MS)) / SAMPLE_RATE_HZ
    length_s = _CHIRP_MS / 1000
    phase = 2 * np.pi * (_FROM_HZ * at_s + (_TO_HZ - _FROM_HZ) * at_s**2 / (2 * length_s))
    return np.asarray(_LEVEL * np.sin(phase) * np.sin(np.pi * at_s / length_s) ** 2)


def places() -> list[int]:
    """Return at which sample of the train each chirp begins."""
    distances = np.cumsum((_LEAD_MS, *_DISTANCES_MS))
    return [ms_to_samples(float(at_ms)) for at_ms in distances]


def train() -> Samples:
    """Return all chirps as they are played."""
    one = np.rint(32_767 * chirp()).astype(np.int16)
    samples = np.zeros(places()[-1] + ms_to_samples(_LEAD_MS), dtype=np.int16)
    for place in places():
        samples[place : place + len(one)] = one
    return samples


def answers(heard: Samples, expected: Sequence[float]) -> list[Answer]:
    """Return the chirps that are found in `heard`; `expected` is where each would begin if nothing were late.

    Those that hardly stand out of the noise are left out: an empty list means that nothing came back.
    """
    first = min(expected) - ms_to_samples(_EARLIEST_MS)
    matches = _matches(heard)
    if not len(matches):
        return []
    lags = ms_to_samples(_EARLIEST_MS + LONGEST_MS)
    together = np.zeros(lags)
    for place in expected:
        begins = round(place - min(expected) + first)
        part = matches[max(0, begins) : max(0, begins + lags)]
        together[max(0, -begins) : max(0, -begins) + len(part)] += part
    lag = int(np.argmax(together)) - ms_to_samples(_EARLIEST_MS)
    noise = float(np.median(matches)) / 0.6745
    found = (_nearest(matches, place, lag, noise) for place in expected)
    return [answer for answer in found if answer is not None and answer.snr_db >= LEAST_SNR_DB]


def _matches(heard: Samples) -> NDArray[np.float64]:
    """Return how well a chirp fits at each sample."""
    one = chirp()
    count = len(heard) - len(one) + 1
    if count <= 0:
        return np.zeros(0)
    size = 1 << (len(heard) + len(one)).bit_length()
    spectrum = np.fft.rfft(heard.astype(np.float64), size) * np.conj(np.fft.rfft(one, size))
    return np.asarray(np.abs(np.fft.irfft(spectrum, size)[:count]))


def _nearest(matches: NDArray[np.float64], place: float, lag: int, noise: float) -> Answer | None:
    first = max(0, round(place + lag) - ms_to_samples(_NEAR_MS))
    near = matches[first : round(place + lag) + ms_to_samples(_NEAR_MS)]
    if not len(near) or not near.max():
        return None
    peak = float(near.max())
    snr_db = min(_LARGEST_SNR_DB, 20 * math.log10(peak / noise)) if noise else _LARGEST_SNR_DB
    return Answer(first + int(np.argmax(near)) - place, snr_db)
