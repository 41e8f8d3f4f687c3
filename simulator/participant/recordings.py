"""Recordings by name: those that come with the program, or any audio file."""

from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from simulator.audio.sources import load_recording
from simulator.errors import UnreadableRecording
from simulator.resources import fixtures_dir

_SPEECH: Final = "speech"


class Recording(msgspec.Struct, frozen=True):
    """A recording at 24 kHz, mono."""

    name: str
    samples: NDArray[np.int16]
    onset_ms: float | None
    """Where its speech begins, if that is known."""


class _Fixture(msgspec.Struct, rename="camel"):
    name: str
    onset_ms: float | None = None


class _Manifest(msgspec.Struct):
    recordings: list[_Fixture]


def fixture_names() -> list[str]:
    """Return the names of the recordings that come with the program."""
    return [fixture.name for fixture in _manifest().recordings]


def open_recording(name_or_path: str) -> Recording:
    """Read a fixture by its name, or an audio file by its path. Raises UnreadableRecording. May take a moment."""
    for fixture in _manifest().recordings:
        if fixture.name == name_or_path:
            path = fixtures_dir() / _SPEECH / f"{fixture.name}.flac"
            return Recording(fixture.name, load_recording(path), fixture.onset_ms)
    path = Path(name_or_path).expanduser()
    if not path.exists() and not path.suffix:
        raise UnreadableRecording(
            f"There is no recording called “{name_or_path}”: use {', '.join(fixture_names())}, or the path of a file."
        )
    return Recording(path.stem, load_recording(path), None)


def _manifest() -> _Manifest:
    path = fixtures_dir() / _SPEECH / "manifest.json"
    try:
        return msgspec.json.decode(path.read_bytes(), type=_Manifest)
    except (OSError, msgspec.MsgspecError) as error:
        raise UnreadableRecording(
            f"The list of recordings {path} is missing or damaged: install the program again.", str(error)
        ) from error
