"""Recordings to speak with: those that come with the program by their name, or any audio file."""

import os
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from simulator.audio.audio_files import load_recording
from simulator.audio.impairments import speech_level_dbfs
from simulator.audio.recordings import recording, speech_extent
from simulator.errors import UnknownName, UnreadableRecording
from simulator.resources import exists
from simulator.units import SAMPLE_RATE_HZ

_LONGEST_NAME: Final = 60
_LOOKED_AT_SAMPLES: Final = 600 * SAMPLE_RATE_HZ
"""The speech of a recording is looked for in its first ten minutes."""


class Saying(NamedTuple):
    """What is known of something that is said, without its samples."""

    name: str
    samples: int
    onset_ms: float | None = None
    """Where its speech begins; None where it holds none."""
    speech_dbfs: float | None = None
    """How loud the speech in it is; None where it holds none, or nobody asked."""


class Recording(msgspec.Struct, frozen=True):
    """A recording at 24 kHz, mono."""

    name: str
    samples: NDArray[np.int16]
    onset_ms: float | None
    """Where its speech begins; None where it holds none."""
    speech_dbfs: float | None = None
    """How loud the speech in it is; None where it holds none, or nobody asked."""

    @property
    def saying(self) -> Saying:
        """What is known of it."""
        return Saying(self.name, len(self.samples), self.onset_ms, self.speech_dbfs)


def open_named(name_or_path: str) -> Recording:
    """Read what a study says: a recording by its name, or the absolute path that the study's reader found beside it.

    Any other path is no name: nothing that a study holds reaches the disk outside of its folder. Raises UnknownName,
    UnreadableRecording. May take a moment.
    """
    if not Path(name_or_path).is_absolute():
        recording(name_or_path)
    return open_recording(name_or_path)


def spoken_text(text: str, samples: NDArray[np.int16]) -> Recording:
    """Return a text that was spoken by a synthesiser as a recording, named by its first words."""
    name = text if len(text) <= _LONGEST_NAME else f"{text[: _LONGEST_NAME - 1]}…"
    return _recording(f"“{name}”", samples)


def open_recording(name_or_path: str) -> Recording:
    """Read a recording by its name, or an audio file by its path. Raises UnreadableRecording. May take a moment."""
    path = Path(os.path.expanduser(name_or_path))  # noqa: PTH111 - pathlib raises for an unknown user
    try:
        found = recording(name_or_path)
    except UnknownName as error:
        if not exists(path) and not path.suffix:
            raise UnreadableRecording(str(error)) from error
    else:
        samples = load_recording(found.path)
        return Recording(found.name, samples, found.onset_ms, speech_level_dbfs(samples))
    return _recording(path.stem, load_recording(path))


def _recording(name: str, samples: NDArray[np.int16]) -> Recording:
    """Return what nobody wrote down where its speech begins."""
    extent = speech_extent(samples[:_LOOKED_AT_SAMPLES])
    return Recording(name, samples, extent.onset_ms if extent is not None else None, speech_level_dbfs(samples))
