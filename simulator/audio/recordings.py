"""The project's recordings of speech, and where the speech in a recording lies.

`fixtures/speech/manifest.json` says of each recording its words, voice, licence, sha256 and where its speech begins and
ends. Speech is found by energy in windows of 5 ms, never by the start of the file.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from simulator.audio.pcm import FULL_SCALE
from simulator.errors import UnknownName, UnreadableFile
from simulator.resources import fixture_path, fixtures_dir
from simulator.units import SAMPLE_RATE_HZ

SPEECH_FOLDER: Final = "speech"
WINDOW_MS: Final = 5
_WINDOW_SAMPLES: Final = SAMPLE_RATE_HZ * WINDOW_MS // 1000
SPEECH_BELOW_PEAK_DB: Final = 40.0
"""A window is speech when its RMS is at most this much below the loudest window's."""
QUIETEST_SPEECH_DBFS: Final = -60.0
"""What is quieter than this is silence, however quiet the whole recording is."""
SHORTEST_PAUSE_MS: Final = 50
"""Shorter gaps are closures of consonants, not pauses."""


class Pause(msgspec.Struct, frozen=True, rename="camel"):
    """Silence inside the speech of a recording, in ms from its start."""

    from_ms: int
    to_ms: int


class SpeechRecording(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """One recording of the manifest. Times are ms from the start of the file."""

    name: str
    words: str
    voice: str
    duration_ms: int
    onset_ms: int
    offset_ms: int
    pauses: tuple[Pause, ...] = ()
    sha256: str
    licence: str

    @property
    def path(self) -> Path:
        """The audio file: 24 kHz, mono, 16 bits."""
        return fixture_path(f"{SPEECH_FOLDER}/{self.name}.flac")

    @property
    def longest_pause_ms(self) -> int:
        """The longest silence inside the speech, 0 where there is none."""
        return max((pause.to_ms - pause.from_ms for pause in self.pauses), default=0)


class Manifest(msgspec.Struct, frozen=True):
    """The file `fixtures/speech/manifest.json`."""

    recordings: list[SpeechRecording]


@dataclass(frozen=True, slots=True)
class SpeechExtent:
    """Where the speech of a recording lies, in ms from its start."""

    onset_ms: int
    offset_ms: int
    pauses: tuple[Pause, ...]


def recordings() -> list[SpeechRecording]:
    """Return the project's recordings of speech, in the order of the manifest. Raises UnreadableFile."""
    path = fixtures_dir() / SPEECH_FOLDER / "manifest.json"
    try:
        return msgspec.json.decode(path.read_bytes(), type=Manifest).recordings
    except (OSError, msgspec.DecodeError) as error:
        raise UnreadableFile(f"The list of recordings {path} cannot be read: install the program again.") from error


def recording(name: str) -> SpeechRecording:
    """Return the recording called `name`. Raises UnknownName."""
    known = recordings()
    for each in known:
        if each.name == name:
            return each
    names = ", ".join(each.name for each in known)
    raise UnknownName(f"There is no recording called “{name}”. There are: {names}.")


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file as hexadecimal text."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def speech_extent(samples: NDArray[np.int16]) -> SpeechExtent | None:
    """Find the speech in mono samples at 24 kHz; None where there is only silence."""
    windows = samples.size // _WINDOW_SAMPLES
    if not windows:
        return None
    as_float = samples[: windows * _WINDOW_SAMPLES].astype(np.float64).reshape(windows, _WINDOW_SAMPLES) / FULL_SCALE
    level_dbfs = 10 * np.log10(np.mean(as_float * as_float, axis=1) + 1e-12)
    loud = np.flatnonzero(level_dbfs >= max(float(level_dbfs.max()) - SPEECH_BELOW_PEAK_DB, QUIETEST_SPEECH_DBFS))
    if not loud.size:
        return None
    before = np.flatnonzero(np.diff(loud) > SHORTEST_PAUSE_MS // WINDOW_MS)
    pauses = tuple(Pause(int(loud[at] + 1) * WINDOW_MS, int(loud[at + 1]) * WINDOW_MS) for at in before)
    return SpeechExtent(int(loud[0]) * WINDOW_MS, int(loud[-1] + 1) * WINDOW_MS, pauses)
