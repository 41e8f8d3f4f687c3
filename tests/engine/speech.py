"""Speech with known edges: sentences from the synthesiser, cut to the sound, with silence spliced in."""

import functools
from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr
from hibari import Hibari
from numpy.typing import NDArray

Samples = NDArray[np.int16]

RATE_HZ = 24_000
RECORDINGS = Path(__file__).parents[2].parent / "shared" / "fixtures"


@functools.cache
def _voice() -> Hibari:
    return Hibari()


@functools.cache
def sentence(text: str) -> Samples:
    """The sentence from its first to its last sample above -40 dBFS; pauses within it stay."""
    return _cut(_voice()(text, seed=0))


def silence(ms: int) -> Samples:
    return np.zeros(ms * RATE_HZ // 1000, np.int16)


def spliced(*parts: Samples | int) -> Samples:
    """Sentences, and silences given in milliseconds."""
    return np.concatenate([silence(part) if isinstance(part, int) else part for part in parts])


def ms_of(samples: Samples) -> float:
    return len(samples) * 1000 / RATE_HZ


@functools.cache
def recording(name: str) -> Samples:
    """A person's recording from the shared fixtures, cut to its sound; skips the test where they are not there."""
    path = RECORDINGS / name
    if not path.exists():
        pytest.skip(f"the shared recording {name} is not beside this checkout")
    audio, rate_hz = soundfile.read(path, dtype="float32", always_2d=True)
    return _cut(soxr.resample(audio.mean(axis=1), rate_hz, RATE_HZ))


def _cut(audio: NDArray[np.float32]) -> Samples:
    """From where 20 ms have more than -40 dBFS to where they no longer have."""
    frame = 480
    levels = np.sqrt(np.convolve(audio**2, np.ones(frame) / frame, "same"))
    loud = np.flatnonzero(levels > 0.01)
    return (np.clip(audio[loud[0] : loud[-1] + 1], -1, 1) * 32767).astype(np.int16)
