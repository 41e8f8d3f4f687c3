"""What the conversion between a device's rate and 24 kHz costs in the audio callback, for each rate."""

import time
from typing import Final

import numpy as np

from simulator.audio.conversion import Converter
from simulator.units import BLOCK_MS, SAMPLE_RATE_HZ

RATES_HZ: Final = (8_000, 16_000, 32_000, 44_100, 48_000, 96_000)
BLOCKS: Final = 500


def costs() -> dict[str, list[float]]:
    """Return the time of each of many blocks of 20 ms in microseconds, by the name of its conversion."""
    return {
        f"{from_hz / 1000:g} to {to_hz / 1000:g} kHz": _cost(from_hz, to_hz)
        for rate_hz in RATES_HZ
        for from_hz, to_hz in ((rate_hz, SAMPLE_RATE_HZ), (SAMPLE_RATE_HZ, rate_hz))
    }


def _cost(from_hz: int, to_hz: int) -> list[float]:
    converter = Converter(from_hz, to_hz)
    noise = np.random.default_rng(1).integers(-20_000, 20_000, from_hz * BLOCK_MS // 1000).astype(np.int16)
    converter.process(noise)
    times_us = []
    for _ in range(BLOCKS):
        began_ns = time.perf_counter_ns()
        converter.process(noise)
        times_us.append((time.perf_counter_ns() - began_ns) / 1000)
    return times_us
