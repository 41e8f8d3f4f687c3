"""Recordings to speak with: those that come with the program by their name, or any audio file."""

from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from simulator.audio.recordings import recordings, speech_extent
from simulator.audio.sources import load_recording
from simulator.errors import UnreadableRecording


class Recording(msgspec.Struct, frozen=True):
    """A recording at 24 kHz, mono."""

    name: str
    samples: NDArray[np.int16]
    onset_ms: float | None
    """Where its speech begins; None where it holds none."""


def open_recording(name_or_path: str) -> Recording:
    """Read a recording by its name, or an audio file by its path. Raises UnreadableRecording. May take a moment."""
    known = recordings()
    for each in known:
        if each.name == name_or_path:
            return Recording(each.name, load_recording(each.path), each.onset_ms)
    path = Path(name_or_path).expanduser()
    if not path.exists() and not path.suffix:
        names = ", ".join(each.name for each in known)
        raise UnreadableRecording(
            f"There is no recording called “{name_or_path}”: use {names}, or the path of an audio file."
        )
    samples = load_recording(path)
    extent = speech_extent(samples)
    return Recording(path.stem, samples, extent.onset_ms if extent is not None else None)
