"""Long speech in pieces that a recogniser takes, split where it is quiet. All audio is PCM16 at 24 kHz."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

_SAMPLE_BYTES = 2
_BYTES_PER_S = 24_000 * _SAMPLE_BYTES
_QUIET_SAMPLES = 2_400  # 100 ms
_WITHIN_BYTES = 4 * _BYTES_PER_S

LONGEST_PIECE_BYTES = 14 * _BYTES_PER_S


def quiet_place(audio: bytes, limit: int) -> int:
    """The middle of the quietest 100 ms in the last 4 s before a byte of the audio."""
    start = limit - _WITHIN_BYTES
    samples = np.frombuffer(audio[start:limit], "<i2").astype(np.float32)
    energy = np.convolve(samples**2, np.ones(_QUIET_SAMPLES, np.float32), "valid")
    return start + (int(energy.argmin()) + _QUIET_SAMPLES // 2) * _SAMPLE_BYTES


def pieces(audio: bytes) -> Iterator[bytes]:
    """The audio in pieces of LONGEST_PIECE_BYTES at most."""
    while len(audio) > LONGEST_PIECE_BYTES:
        end = quiet_place(audio, LONGEST_PIECE_BYTES)
        yield audio[:end]
        audio = audio[end:]
    yield audio
