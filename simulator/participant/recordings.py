"""Recordings to speak with: those that come with the program by their name, or any audio file."""

import os
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from simulator.audio.recordings import recording, speech_extent
from simulator.audio.sources import load_recording
from simulator.errors import UnknownName, UnreadableRecording
from simulator.resources import exists


class Recording(msgspec.Struct, frozen=True):
    """A recording at 24 kHz, mono."""

    name: str
    samples: NDArray[np.int16]
    onset_ms: float | None
    """Where its speech begins; None where it holds none."""


def open_recording(name_or_path: str) -> Recording:
    """Read a recording by its name, or an audio file by its path. Raises UnreadableRecording. May take a moment."""
    path = Path(os.path.expanduser(name_or_path))  # noqa: PTH111 - pathlib raises for an unknown user
    try:
        found = recording(name_or_path)
    except UnknownName as error:
        if not exists(path) and not path.suffix:
            raise UnreadableRecording(str(error)) from error
    else:
        return Recording(found.name, load_recording(found.path), found.onset_ms)
    samples = load_recording(path)
    extent = speech_extent(samples)
    return Recording(path.stem, samples, extent.onset_ms if extent is not None else None)
