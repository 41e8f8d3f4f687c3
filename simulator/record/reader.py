"""Reads records, whole or damaged.

A record opens up to the first line that is no entry, with a note that says where; its audio as far as the file goes,
whatever length its header gives.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from simulator.errors import UnreadableFile, UnreadableRecording
from simulator.record.entries import FORMAT, FORMAT_VERSION, Entry, Track
from simulator.record.wav import CHANNELS, HEADER_BYTES, is_header, track_path
from simulator.units import BYTES_PER_SAMPLE

_decoder = msgspec.json.Decoder(Entry)


@dataclass(frozen=True, slots=True)
class Record:
    """The entries of a record, in order and without holes, and what was wrong with its file, one sentence each."""

    path: Path
    entries: list[Entry]
    problems: list[str]


def read_record(path: Path) -> Record:
    """Read a record. Raises UnreadableFile where there is none, or where it is of a later format."""
    entries: list[Entry] = []
    problems: list[str] = []
    offset = 0
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                problem = _take(line, entries)
                if problem is not None:
                    problems.append(f"Line {number} (byte {offset}) {problem}: the record opens up to there.")
                    break
                offset += len(line)
    except OSError as error:
        raise UnreadableFile(f"The record {path} cannot be read: {error.strerror or error}.") from error
    if not entries and offset == 0 and problems:
        raise UnreadableFile(f"{path} is not a record: its first line is no entry.")
    _check_format(path, entries, problems)
    return Record(path, entries, problems)


def iter_entries(path: Path, first: int, last: int) -> Iterator[Entry]:
    """Yield the entries numbered `first` to `last` as far as they lie on disk; ends early at a damaged line.

    Line n holds entry n: what comes before `first` is passed over unread.
    """
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines):
                if number > last:
                    return
                if number >= first:
                    found: list[Entry] = []
                    if _take(line, found, number) is not None:
                        return
                    yield found[0]
    except OSError as error:
        raise UnreadableFile(f"The record {path} cannot be read: {error.strerror or error}.") from error


def audio(path: Path, track: Track) -> NDArray[np.int16]:
    """Return the samples of a track, mapped from its file: shape (n,), or (n, 2) for `Track.HEARD`.

    Empty where the record has no such track. Raises UnreadableRecording where the file is not of this program.
    """
    wav, channels = track_path(path, track), CHANNELS[track]
    empty = np.empty((0, channels), dtype="<i2")
    try:
        size = wav.stat().st_size
        with wav.open("rb") as file:
            start = file.read(HEADER_BYTES)
        if not is_header(start, channels):
            raise UnreadableRecording(f"{wav} is not the audio of a record.")
        frames = (size - HEADER_BYTES) // (channels * BYTES_PER_SAMPLE)
        mapped: NDArray[np.int16] = empty
        if frames:
            mapped = np.memmap(wav, dtype="<i2", mode="r", offset=HEADER_BYTES, shape=(frames, channels))
    except FileNotFoundError:
        mapped = empty
    except OSError as error:
        raise UnreadableRecording(f"{wav} cannot be read: {error.strerror or error}.") from error
    return mapped if channels > 1 else mapped[:, 0]


def _take(line: bytes, entries: list[Entry], expected_seq: int | None = None) -> str | None:
    """Add the entry of a line to `entries`, or say what is wrong with the line."""
    if not line.endswith(b"\n"):
        return "was cut off in the middle"
    try:
        entry = _decoder.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return "is no entry"
    expected = len(entries) if expected_seq is None else expected_seq
    if entry.seq != expected:
        return f"has the number {entry.seq} where {expected} comes next"
    entries.append(entry)
    return None


def _check_format(path: Path, entries: list[Entry], problems: list[str]) -> None:
    if not entries:
        problems.append("The record holds no entry.")
        return
    start = entries[0].event
    if entries[0].type != "record.started" or start.get("format") != FORMAT:
        problems.append("The record does not say its format: it does not begin with record.started.")
        return
    version = start.get("format_version")
    if not isinstance(version, int) or version > FORMAT_VERSION:
        raise UnreadableFile(
            f"{path} has format version {version}, and this program reads up to {FORMAT_VERSION}. Use a newer one."
        )
