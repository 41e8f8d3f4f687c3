"""The voices of a record as WAV or FLAC, written in pieces: an hour never lies in memory.

A live session gives both voices on its clock, together and apart, and the agent as received. Other records, as those of
checks, have no such clock: they give what was sent and what was received, each end to end.
"""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from simulator.errors import StorageFault
from simulator.record.atomic import part_of, put_in_place
from simulator.record.entries import Track
from simulator.record.tracks import Samples, TrackFile
from simulator.resources import system_name
from simulator.units import BYTES_PER_SAMPLE, SAMPLE_RATE_HZ

if TYPE_CHECKING:
    import soundfile

_BLOCK_FRAMES: Final = 1 << 16
_LARGEST_WAV_BYTES: Final = 0xFFFF_0000

SUFFIXES: Final = ("heard", "participant", "agent-heard", "agent-received")
"""What a file of sound is called, between the export's name and the format's."""


def write_sound(record: Path, target: Path, form: str) -> tuple[list[Path], list[str]]:
    """Write the voices of `record` as `form` (wav or flac) beside `target`, and return the files and what is missing.

    Raises StorageFault, UnreadableRecording.
    """
    files, notes = write_heard(record, target, form, SUFFIXES[:3])
    if not files:
        files, told = _written(record, Track.PARTICIPANT, target, form, SUFFIXES[1:2])
        notes += told
        if files:
            notes.append("The record holds no voices on the session's clock: the participant's file is what was sent.")
    received, told = _written(record, Track.AGENT, target, form, SUFFIXES[3:])
    return files + received, notes + told


def write_heard(
    record: Path, target: Path, form: str, names: tuple[str, ...] = SUFFIXES[:1]
) -> tuple[list[Path], list[str]]:
    """Write both voices on the session's clock; with three names also each apart. Returns and raises as `write_sound`.

    No file where the record has no such clock.
    """
    return _written(record, Track.HEARD, target, form, names)


def sound_path(target: Path, what: str, form: str) -> Path:
    """Return what a file of sound is called."""
    return target.with_name(f"{target.name}.{what}.{form}")


def _written(
    record: Path, which: Track, target: Path, form: str, names: tuple[str, ...]
) -> tuple[list[Path], list[str]]:
    with TrackFile(record, which) as track:
        return _split(track, target, form, names) if track.frames else ([], [])


def _split(track: TrackFile, target: Path, form: str, names: tuple[str, ...]) -> tuple[list[Path], list[str]]:
    """Write a track: with three names whole, its left and its right channel."""
    paths = [sound_path(target, name, form) for name in names]
    written = 0
    with contextlib.ExitStack() as stack:
        outputs = [
            stack.enter_context(_output(path, track.channels if not at else 1, track.frames, form))
            for at, path in enumerate(paths)
        ]
        for block in track.blocks(_BLOCK_FRAMES):
            written += len(block)
            for output, samples in zip(outputs, _parts(block), strict=False):
                _write(output, samples)
    for path in paths:
        with _told(path):
            put_in_place(path)
    if written < track.frames and track.path is not None:
        return paths, [
            f"{track.path.name} is damaged: it was exported up to {written / SAMPLE_RATE_HZ:.1f} s of "
            f"{track.frames / SAMPLE_RATE_HZ:.1f} s."
        ]
    return paths, []


def _parts(block: Samples) -> tuple[Samples, ...]:
    return (block, block[:, 0], block[:, 1]) if block.ndim > 1 else (block,)


@contextlib.contextmanager
def _output(path: Path, channels: int, frames: int, form: str) -> "Iterator[soundfile.SoundFile]":
    import soundfile

    kind = "FLAC" if form == "flac" else "WAV"
    if kind == "WAV" and frames * channels * BYTES_PER_SAMPLE > _LARGEST_WAV_BYTES:
        kind = "RF64"  # what WAV is called where its 32 bits do not suffice
    part = part_of(path)
    try:
        try:
            file = soundfile.SoundFile(
                system_name(part), "w", samplerate=SAMPLE_RATE_HZ, channels=channels, subtype="PCM_16", format=kind
            )
        except RuntimeError as error:
            raise StorageFault(f"{path} cannot be written: check the folder.", str(error)) from error
        with file:
            yield file
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise


def _write(output: "soundfile.SoundFile", samples: Samples) -> None:
    try:
        output.write(samples)
    except RuntimeError as error:  # what libsndfile raises, without its reason
        raise StorageFault("The sound cannot be written: check whether the disk is full.", str(error)) from error


@contextlib.contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StorageFault(f"{path} cannot be written: {error.strerror or error}.", str(error)) from error
