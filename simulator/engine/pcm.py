"""The one audio format of the profile: PCM16, little-endian, mono, 24 kHz (HRP: audio)."""

from __future__ import annotations

import base64
import binascii

from simulator.engine.errors import Refusal

SAMPLE_RATE_HZ = 24_000
SAMPLE_BYTES = 2
SAMPLES_PER_MS = SAMPLE_RATE_HZ // 1000
BYTES_PER_MS = SAMPLES_PER_MS * SAMPLE_BYTES
FORMAT = {"type": "audio/pcm", "rate": SAMPLE_RATE_HZ}


def decoded(text: str, param: str) -> bytes:
    """The bytes of a base64 field.

    Raises:
        Refusal: the text is not base64.
    """
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        message = f"Invalid '{param}': expected base64-encoded PCM16 audio."
        raise Refusal("invalid_value", message, param) from error


def encoded(audio: bytes | bytearray) -> str:
    return base64.b64encode(audio).decode("ascii")


def samples_in(audio: bytes | bytearray) -> int:
    return len(audio) // SAMPLE_BYTES


def ms_in(audio: bytes | bytearray) -> int:
    """Whole milliseconds of audio, rounded down."""
    return len(audio) // BYTES_PER_MS
