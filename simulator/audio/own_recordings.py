"""The user's own recordings: annotated by energy when they are added, kept in the data folder with their manifest."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from simulator.audio.audio_files import Samples, as_recording, read_audio
from simulator.audio.recordings import (
    MANIFEST,
    Manifest,
    Role,
    SpeechRecording,
    own_folder,
    own_recordings,
    recordings,
    sha256_of,
    speech_extent,
    unfit_for,
)
from simulator.errors import StorageFault, UnknownName, UnreadableRecording, UsageError
from simulator.resources import system_name
from simulator.units import SAMPLE_RATE_HZ, whole_ms

RESERVED_NAMES: Final = frozenset({"mic", "silence"})
"""What `--voice` takes for something else than a recording."""
LONGEST_NAME: Final = 64
CLIPPED_LEVEL: Final = 0.99
"""Of full scale. A recorder that overflows holds the largest value for several samples; loud speech only touches it."""
CLIPPED_SAMPLES: Final = 3
OWN_VOICE: Final = "your own"
OWN_LICENCE: Final = "not stated"


def add_recording(path: Path, *, name: str = "", words: str = "", role: Role | None = None) -> SpeechRecording:
    """Keep a copy of an audio file as a recording of the user's, with its speech found by energy.

    `name` empty takes the file's. Raises UnreadableRecording for what cannot be read, is silent or clips, UsageError
    for a name that is taken or cannot be one and for speech that does not fit the role, StorageFault.
    """
    chosen = _free_name(name or re.sub(r"[^\w-]+", "_", path.stem).strip("_-"))
    channels, rate_hz = read_audio(path)
    clipped = _clipped_at(channels)
    if clipped is not None:
        raise UnreadableRecording(f"{path.name} clips at {clipped / rate_hz:.2f} s: record it again, more quietly.")
    samples = as_recording(channels, rate_hz)
    speech = speech_extent(samples)
    if speech is None:
        raise UnreadableRecording(f"{path.name} is silent: record it again, more loudly.")
    unfit = unfit_for(role, speech) if role is not None else None
    if unfit is not None:
        raise UsageError(f"{path.name} cannot be used as {role}: {unfit}; record it again, or give another --role.")
    known = own_recordings()
    audio_path = own_folder() / f"{chosen}.flac"
    _write_audio(audio_path, samples)
    added = SpeechRecording(
        name=chosen,
        role=role,
        words=words,
        voice=OWN_VOICE,
        duration_ms=whole_ms(samples.size),
        onset_ms=speech.onset_ms,
        offset_ms=speech.offset_ms,
        pauses=speech.pauses,
        sha256=sha256_of(audio_path),
        licence=OWN_LICENCE,
        added=True,
    )
    _write_manifest([*known, added])
    return added


def remove_recording(name: str) -> None:
    """Delete a recording that the user added. Raises UnknownName, StorageFault, UnreadableFile."""
    known = own_recordings()
    found = next((each for each in known if each.name == name), None)
    if found is None:
        names = ", ".join(each.name for each in known) or "none"
        raise UnknownName(f"There is no recording of your own called “{name}”. There are: {names}.")
    _write_manifest([each for each in known if each is not found])
    try:
        found.path.unlink(missing_ok=True)
    except OSError as error:
        raise StorageFault(f"The recording {found.path} cannot be deleted: {error.strerror}.") from error


def _free_name(name: str) -> str:
    if not re.fullmatch(r"\w[\w-]*", name) or len(name) > LONGEST_NAME:
        raise UsageError(
            f"“{name}” cannot be the name of a recording: use up to {LONGEST_NAME} letters, digits, - and _ (--name)."
        )
    # File systems that do not tell capitals apart would let one recording overwrite another.
    taken = {each.name.casefold() for each in recordings()} | RESERVED_NAMES
    if name.casefold() in taken:
        raise UsageError(f"The name “{name}” is taken: give the recording another one with --name.")
    return name


def _clipped_at(channels: NDArray[np.float32]) -> int | None:
    """Return the first frame from which a channel stays at full scale; None where none does."""
    held = (np.abs(channels[1:]) >= CLIPPED_LEVEL) & (channels[1:] == channels[:-1])
    steps = CLIPPED_SAMPLES - 1
    runs = np.ones((max(len(held) - steps + 1, 0), channels.shape[1]), np.bool_)
    for step in range(steps):
        runs &= held[step : len(runs) + step]
    frames = np.flatnonzero(runs.any(axis=1))
    return int(frames[0]) if frames.size else None


def _write_audio(path: Path, samples: Samples) -> None:
    import soundfile

    unfinished = path.with_suffix(".unfinished")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        soundfile.write(system_name(unfinished), samples, SAMPLE_RATE_HZ, subtype="PCM_16", format="FLAC")
        unfinished.replace(path)
    except (OSError, soundfile.LibsndfileError) as error:
        raise StorageFault(f"The recording {path} cannot be written: {error}.") from error


def _write_manifest(known: Sequence[SpeechRecording]) -> None:
    path = own_folder() / MANIFEST
    unfinished = path.with_suffix(".unfinished")
    try:
        unfinished.write_bytes(msgspec.json.format(msgspec.json.encode(Manifest(list(known))), indent=2) + b"\n")
        unfinished.replace(path)
    except OSError as error:
        raise StorageFault(f"The list of your recordings {path} cannot be written: {error.strerror}.") from error
