"""Reads records, whole or damaged.

A record opens up to the first line that is no entry, with a note that says where; its audio as far as it goes
(`tracks`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from simulator.errors import UnreadableFile
from simulator.record.entries import FORMAT, FORMAT_VERSION, Entry, Track
from simulator.record.folder import record_file
from simulator.record.tracks import TrackFile, audio
from simulator.units import SAMPLE_RATE_HZ

__all__ = ["Record", "audio", "audio_lack", "iter_entries", "read_record", "stream"]

LONGEST_LINE_BYTES: Final = 1 << 28
"""A longer line is no entry: a frame is kept without its audio."""

_decoder = msgspec.json.Decoder(Entry)


@dataclass(frozen=True, slots=True)
class Record:
    """The entries of a record, in order and without holes, and what was wrong with its file, one sentence each."""

    path: Path
    """Its .jsonl file."""
    entries: list[Entry]
    problems: list[str]

    @property
    def keeps_audio(self) -> bool:
        """Whether audio was kept: it may have been left out on purpose."""
        return not self.entries or self.entries[0].event.get("audio_kept") is not False

    @property
    def ended(self) -> bool:
        """Whether it came to its end; one that did not was written by a process that was killed, or still is."""
        return bool(self.entries) and self.entries[-1].type == "record.ended"


def read_record(path: Path) -> Record:
    """Read a record: its .jsonl file, or the folder of a session.

    Raises UnreadableFile where there is none, or where it is of a later format.
    """
    path = record_file(path)
    problems: list[str] = []
    return Record(path, list(stream(path, problems)), problems)


def stream(path: Path, problems: list[str]) -> Iterator[Entry]:
    """Yield what `read_record` reads, one entry after the other, and add what is wrong to `problems`. Raises as it."""
    offset, seq = 0, 0
    try:
        with record_file(path).open("rb") as lines:
            for line in iter(partial(lines.readline, LONGEST_LINE_BYTES), b""):
                entry = _entry(line, seq)
                if isinstance(entry, str):
                    if not seq:
                        raise UnreadableFile(f"{path} is not a record: its first line is no entry.")
                    problems.append(f"Line {seq + 1} (byte {offset}) {entry}: the record opens up to there.")
                    break
                if not seq:
                    problems += _format_problems(path, entry)
                yield entry
                seq += 1
                offset += len(line)
    except (OSError, ValueError) as error:  # ValueError: a path that no system has
        raise UnreadableFile(
            f"The record {path} cannot be read: {getattr(error, 'strerror', None) or error}."
        ) from error
    if not seq:
        problems.append("The record holds no entry.")


def iter_entries(path: Path, first: int, last: int) -> Iterator[Entry]:
    """Yield the entries numbered `first` to `last` as far as they lie on disk; ends early at a damaged line.

    Line n holds entry n: what comes before `first` is passed over unread.
    """
    path = record_file(path)
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines):
                if number > last:
                    return
                if number >= first:
                    entry = _entry(line, number)
                    if isinstance(entry, str):
                        return
                    yield entry
    except OSError as error:
        raise UnreadableFile(f"The record {path} cannot be read: {error.strerror or error}.") from error


def audio_lack(record: Record, track: Track) -> str | None:
    """Return in a sentence why a track does not hold all the audio that the events tell of; None where it does.

    Reads the whole track: that takes some seconds an hour.
    """
    if not record.keeps_audio:
        return "The audio was left out of this session on purpose."
    spans = (entry.audio for entry in record.entries)
    told = max((span.first_sample + span.samples for span in spans if span and span.track is track), default=0)
    try:
        with TrackFile(record.path, track) as file:
            frames = sum(map(len, file.blocks())) if file.path is not None else 0
            stated = file.frames
    except UnreadableFile as error:
        return str(error)
    if file.path is None:
        return f"The audio of the track “{track.value}” is not there." if told else None
    if max(told, stated) > frames:
        return (
            f"{file.path.name} is damaged or was cut off: it opens up to {frames / SAMPLE_RATE_HZ:.1f} s of "
            f"{max(told, stated) / SAMPLE_RATE_HZ:.1f} s."
        )
    return None


def _entry(line: bytes, expected_seq: int) -> Entry | str:
    """Return the entry of a line, or what is wrong with the line."""
    if not line.endswith(b"\n"):
        return "was cut off in the middle"
    try:
        entry = _decoder.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return "is no entry"
    if entry.seq != expected_seq:
        return f"has the number {entry.seq} where {expected_seq} comes next"
    return entry


def _format_problems(path: Path, first: Entry) -> list[str]:
    start = first.event
    if first.type != "record.started" or start.get("format") != FORMAT:
        return ["The record does not say its format: it does not begin with record.started."]
    version = start.get("format_version")
    if not isinstance(version, int) or version > FORMAT_VERSION:
        raise UnreadableFile(
            f"{path} has format version {version}, and this program reads up to {FORMAT_VERSION}. Use a newer one."
        )
    return []
