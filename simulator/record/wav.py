"""The WAV files of a record: 16-bit PCM at 24 kHz behind a header of 44 bytes that is patched while the file grows.

A header of this fixed shape lets a file that was never closed be read by any program, and lets a reader map the
samples without asking a library where they begin.
"""

import struct
from pathlib import Path

from simulator.record.entries import Track
from simulator.units import BYTES_PER_SAMPLE, SAMPLE_RATE_HZ

HEADER_BYTES = 44
_LAYOUT = struct.Struct("<4sI4s4sIHHIIHH4sI")
_LARGEST_DATA_BYTES = (0xFFFF_FFFF - HEADER_BYTES) // 4 * 4
"""A WAV header counts bytes in 32 bits: beyond (12.4 hours of stereo) the file grows on, and the header says this."""

CHANNELS = {Track.PARTICIPANT: 1, Track.AGENT: 1, Track.HEARD: 2}


def track_path(record: Path, track: Track) -> Path:
    """Return the path of a track of `record` (its ``.jsonl`` file)."""
    return record.with_suffix(f".{track.value}.wav")


def flac_path(record: Path, track: Track) -> Path:
    """Return the path of a track after the session was finished (`finishing`)."""
    return record.with_suffix(f".{track.value}.flac")


def header(channels: int, data_bytes: int) -> bytes:
    """Return the 44 bytes in front of `data_bytes` of samples."""
    frame_bytes = channels * BYTES_PER_SAMPLE
    data_bytes = min(data_bytes, _LARGEST_DATA_BYTES)
    return _LAYOUT.pack(
        b"RIFF",
        HEADER_BYTES - 8 + data_bytes,
        b"WAVE",
        b"fmt ",
        16,
        1,
        channels,
        SAMPLE_RATE_HZ,
        SAMPLE_RATE_HZ * frame_bytes,
        frame_bytes,
        BYTES_PER_SAMPLE * 8,
        b"data",
        data_bytes,
    )


def is_header(start: bytes, channels: int) -> bool:
    """Whether `start` is a header as this module writes it, whatever length of data it gives."""
    if len(start) < HEADER_BYTES:
        return False
    found, expected = _LAYOUT.unpack(start[:HEADER_BYTES]), _LAYOUT.unpack(header(channels, 0))
    return found[0] == expected[0] and found[2:-1] == expected[2:-1]
