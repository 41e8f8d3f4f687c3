"""Recordings of speech by their names, and where the speech in a recording lies.

A manifest says of each recording what it is for, its words, voice, licence, sha256 and where its speech begins and
ends: `fixtures/speech/manifest.json` for those that come with the program, `recordings/manifest.json` in the user's
data folder for those that the user added. Speech is found by energy in windows of 5 ms, never by the start of the file.
"""

import difflib
import enum
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from simulator.audio.pcm import FULL_SCALE
from simulator.errors import UnknownName, UnreadableFile
from simulator.resources import data_folder, fixtures_dir
from simulator.units import SAMPLE_RATE_HZ

SPEECH_FOLDER: Final = "speech"
MANIFEST: Final = "manifest.json"
WINDOW_MS: Final = 5
_WINDOW_SAMPLES: Final = SAMPLE_RATE_HZ * WINDOW_MS // 1000
SPEECH_BELOW_PEAK_DB: Final = 40.0
"""A window is speech when its RMS is at most this much below the loudest window's."""
QUIETEST_SPEECH_DBFS: Final = -60.0
"""What is quieter than this is silence, however quiet the whole recording is."""
SPEECH_ABOVE_NOISE_DB: Final = 10.0
"""A window is speech when it is this much above the background, which a person's recording has."""
BACKGROUND_PERCENT: Final = 5.0
"""The background is what this share of the windows does not exceed: less than any recording pauses."""
FAINTEST_SPEECH_DB: Final = 25.0
"""What is at most this much below the loudest window is speech, whatever the background is."""
SHORTEST_PAUSE_MS: Final = 50
"""Shorter gaps are closures of consonants, not pauses."""


ONE_TURN_PAUSE_MS: Final = 350
"""The longest pause in a recording that stands for one turn: with `server_vad` at 500 ms a longer one may end it."""
SHORTEST_INTERRUPTION_MS: Final = 2_500
SHORTEST_MONOLOGUE_MS: Final = 3_000
LONGEST_WORD_MS: Final = 1_000
SHORTEST_LONG_PAUSE_MS: Final = 650
"""A pause that a detector of silence at 500 ms is sure to take for an end."""


class Role(enum.StrEnum):
    """What a recording is for. Those of one role can stand in for each other."""

    QUESTION = "question"
    """A short turn that asks for a short reply."""
    LONG_STORY = "long_story"
    """Asks for a reply that is long enough to be interrupted."""
    INTERRUPTION = "interruption"
    """Speech that takes the turn from a talking agent, and goes on."""
    MONOLOGUE = "monologue"
    """Long speech in one turn."""
    PAUSES = "pauses"
    """One sentence with long pauses inside."""
    ONE_WORD = "one_word"
    """The shortest interruption."""
    BACKCHANNEL = "backchannel"
    """A sound of listening, no interruption."""


class Pause(msgspec.Struct, frozen=True, rename="camel"):
    """Silence inside the speech of a recording, in ms from its start."""

    from_ms: int
    to_ms: int


class SpeechRecording(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """One recording of the manifest. Times are ms from the start of the file."""

    name: str
    role: Role | None = None
    words: str
    voice: str
    duration_ms: int
    onset_ms: int
    offset_ms: int
    pauses: tuple[Pause, ...] = ()
    sha256: str
    licence: str
    added: bool = False
    """Whether the user added it; the others come with the program."""

    @property
    def path(self) -> Path:
        """The audio file: 24 kHz, mono, 16 bits."""
        return (own_folder() if self.added else _project_folder()) / f"{self.name}.flac"

    @property
    def speech_ms(self) -> int:
        """From where the speech begins to where it ends."""
        return self.offset_ms - self.onset_ms

    @property
    def longest_pause_ms(self) -> int:
        """The longest silence inside the speech, 0 where there is none."""
        return longest_pause_ms(self.pauses)


class Manifest(msgspec.Struct, frozen=True):
    """A file `manifest.json`."""

    recordings: list[SpeechRecording]


@dataclass(frozen=True, slots=True)
class SpeechExtent:
    """Where the speech of a recording lies, in ms from its start."""

    onset_ms: int
    offset_ms: int
    pauses: tuple[Pause, ...]

    @property
    def longest_pause_ms(self) -> int:
        """The longest silence inside the speech, 0 where there is none."""
        return longest_pause_ms(self.pauses)


def recordings() -> list[SpeechRecording]:
    """Return the recordings that come with the program, then those that the user added. Raises UnreadableFile."""
    return [*project_recordings(), *own_recordings()]


def project_recordings() -> list[SpeechRecording]:
    """Return the recordings that come with the program, in the order of their manifest. Raises UnreadableFile."""
    path = _project_folder() / MANIFEST
    try:
        return msgspec.json.decode(path.read_bytes(), type=Manifest).recordings
    except (OSError, msgspec.DecodeError) as error:
        raise UnreadableFile(f"The list of recordings {path} cannot be read: install the program again.") from error


def own_recordings() -> list[SpeechRecording]:
    """Return the recordings that the user added, in the order of adding. Raises UnreadableFile."""
    path = own_folder() / MANIFEST
    try:
        return msgspec.json.decode(path.read_bytes(), type=Manifest).recordings
    except (FileNotFoundError, NotADirectoryError):
        return []
    except (OSError, msgspec.DecodeError) as error:
        raise UnreadableFile(
            f"The list of your recordings {path} cannot be read: move the file away and add them again."
        ) from error


def own_folder() -> Path:
    """Return the folder of the user's recordings, which may not exist."""
    return data_folder() / "recordings"


def recording(name: str) -> SpeechRecording:
    """Return the recording called `name`. Raises UnknownName, UnreadableFile."""
    known = recordings()
    for each in known:
        if each.name == name:
            return each
    names = [each.name for each in known]
    nearest = (difflib.get_close_matches(name, names, n=1) or names)[0]
    raise UnknownName(
        f"There is no recording called “{name}”: use {nearest}, or another that `participant-simulator fixture list` "
        "prints."
    )


def recordings_for(role: Role) -> list[SpeechRecording]:
    """Return the recordings of one role: those that come with the program, in several voices, then the user's own."""
    return [each for each in recordings() if each.role is role]


def unfit_for(role: Role, speech: SpeechExtent) -> str | None:
    """Say in a clause why speech cannot stand for a role; None where it can."""
    speech_ms = speech.offset_ms - speech.onset_ms
    if role is Role.PAUSES:
        if speech.longest_pause_ms < SHORTEST_LONG_PAUSE_MS:
            return f"its longest pause lasts {speech.longest_pause_ms} ms, and {SHORTEST_LONG_PAUSE_MS} ms are needed"
        return None
    if speech.longest_pause_ms > ONE_TURN_PAUSE_MS:
        return (
            f"it pauses for {speech.longest_pause_ms} ms, and in one turn no pause may be longer than "
            f"{ONE_TURN_PAUSE_MS} ms"
        )
    shortest_ms = {Role.INTERRUPTION: SHORTEST_INTERRUPTION_MS, Role.MONOLOGUE: SHORTEST_MONOLOGUE_MS}.get(role, 0)
    if speech_ms < shortest_ms:
        return f"its speech lasts {speech_ms} ms, and {shortest_ms} ms are needed"
    if role in (Role.ONE_WORD, Role.BACKCHANNEL) and speech_ms > LONGEST_WORD_MS:
        return f"its speech lasts {speech_ms} ms, and at most {LONGEST_WORD_MS} ms are one word"
    return None


def longest_pause_ms(pauses: Iterable[Pause]) -> int:
    """Return the length of the longest of the pauses, 0 where there is none."""
    return max((pause.to_ms - pause.from_ms for pause in pauses), default=0)


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file as hexadecimal text."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def speech_extent(samples: NDArray[np.int16]) -> SpeechExtent | None:
    """Find the speech in mono samples at 24 kHz; None where there is only silence.

    Silence is what is far below the loudest window or, in a recording with a background, what is hardly above it.
    """
    windows = samples.size // _WINDOW_SAMPLES
    if not windows:
        return None
    as_float = samples[: windows * _WINDOW_SAMPLES].astype(np.float64).reshape(windows, _WINDOW_SAMPLES) / FULL_SCALE
    level_dbfs = 10 * np.log10(np.mean(as_float * as_float, axis=1) + 1e-12)
    loud = np.flatnonzero(level_dbfs >= _quietest_speech_dbfs(level_dbfs))
    if not loud.size:
        return None
    before = np.flatnonzero(np.diff(loud) > SHORTEST_PAUSE_MS // WINDOW_MS)
    pauses = tuple(Pause(int(loud[at] + 1) * WINDOW_MS, int(loud[at + 1]) * WINDOW_MS) for at in before)
    return SpeechExtent(int(loud[0]) * WINDOW_MS, int(loud[-1] + 1) * WINDOW_MS, pauses)


def _quietest_speech_dbfs(level_dbfs: NDArray[np.float64]) -> float:
    loudest_dbfs = float(level_dbfs.max())
    background_dbfs = float(np.percentile(level_dbfs, BACKGROUND_PERCENT, method="lower"))
    above_background_dbfs = min(background_dbfs + SPEECH_ABOVE_NOISE_DB, loudest_dbfs - FAINTEST_SPEECH_DB)
    return max(loudest_dbfs - SPEECH_BELOW_PEAK_DB, above_background_dbfs, QUIETEST_SPEECH_DBFS)


def _project_folder() -> Path:
    return fixtures_dir() / SPEECH_FOLDER
