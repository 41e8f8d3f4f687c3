"""The one sample rate of the profile, and conversions between samples, milliseconds and nanoseconds.

HRP audio is PCM16, little-endian, mono, 24 kHz in both directions, so a position in audio is a sample count and
a time on the session's clock is a count of nanoseconds.
"""

from typing import Final

SAMPLE_RATE_HZ: Final = 24_000
BYTES_PER_SAMPLE: Final = 2
BLOCK_MS: Final = 20
BLOCK_SAMPLES: Final = SAMPLE_RATE_HZ * BLOCK_MS // 1000

NS_PER_MS: Final = 1_000_000
NS_PER_S: Final = 1_000_000_000


def samples_to_ms(samples: int) -> float:
    """Return the duration of `samples` at 24 kHz, in milliseconds."""
    return samples * 1000 / SAMPLE_RATE_HZ


def whole_ms(samples: int) -> int:
    """Return the whole milliseconds contained in `samples`: never more audio than there is."""
    return samples * 1000 // SAMPLE_RATE_HZ


def ms_to_samples(milliseconds: float) -> int:
    """Return the number of samples in `milliseconds`, rounded to the nearest."""
    return round(milliseconds * SAMPLE_RATE_HZ / 1000)


def samples_to_ns(samples: int) -> int:
    """Return the duration of `samples` in nanoseconds."""
    return samples * NS_PER_S // SAMPLE_RATE_HZ


def ns_to_samples(nanoseconds: int) -> int:
    """Return the number of whole samples in `nanoseconds`."""
    return nanoseconds * SAMPLE_RATE_HZ // NS_PER_S
