"""Reads records, whole or damaged.

A record opens up to the first line that is no entry, with a note that says where; its audio as far as it goes
(`tracks`).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec
import numpy as np

from simulator.errors import UnreadableFile
from simulator.record.append_lines import Appends, Block, Numbers, find_appends
from simulator.record.entries import FORMAT, FORMAT_VERSION, LATEST_NS, Entry, Track
from simulator.record.folder import record_file
from simulator.record.tracks import TrackFile, audio, cut_off
from simulator.units import ns_to_samples

__all__ = ["Record", "audio", "audio_lack", "blocks", "iter_entries", "read_record", "stream"]

LONGEST_LINE_BYTES: Final = 1 << 28
"""A longer line is no entry: a frame is kept without its audio."""
_MOST_SAMPLES: Final = ns_to_samples(LATEST_NS)
_MOST_BYTES: Final = (1 << 63) - 1
"""More of anything is damage, and cannot be reckoned with or drawn."""
_BLOCK_BYTES: Final = 1 << 20
_FIRST: Final = b'{"seq":0,"t_ns":'
"""What every record begins with."""

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
    for block in _blocks(path, problems, _no_appends):
        yield from block.entries


def blocks(path: Path, problems: list[str]) -> Iterator[Block]:
    """Yield what `stream` does, some thousand lines at a time, without entries of the participant's plain audio.

    Takes a third of the time. Raises as `read_record`.
    """
    return _blocks(path, problems, find_appends)


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
        return cut_off(file.path, frames, max(told, stated))
    return None


def _blocks(path: Path, problems: list[str], find: Callable[[bytes, Numbers, int], Appends]) -> Iterator[Block]:
    offset, seq = 0, 0
    try:
        with record_file(path).open("rb") as file:
            while data := file.read(_BLOCK_BYTES):
                if not data.endswith(b"\n"):
                    data += file.readline(LONGEST_LINE_BYTES)
                block, wrong = _block(data, seq, offset, find)
                if not seq and block.lines:
                    problems += _format_problems(
                        path, block.entries[0] if 0 in block.places else block.appends.entry(0)
                    )
                elif not seq and not _is_beginning(data):
                    raise UnreadableFile(f"{path} is not a record: its first line is no entry.")
                seq += block.lines
                offset += len(data)
                yield block
                if wrong:
                    problems.append(wrong)
                    break
    except (OSError, ValueError) as error:  # ValueError: a path that no system has
        raise UnreadableFile(
            f"The record {path} cannot be read: {getattr(error, 'strerror', None) or error}."
        ) from error
    if not seq:
        problems.append("The record holds no entry.")


def _is_beginning(data: bytes) -> bool:
    """Whether a file was cut off in its first line, whose writer was killed in its first tenth of a second."""
    return b"\n" not in data and data[: len(_FIRST)] == _FIRST[: len(data)]


def _block(data: bytes, seq: int, offset: int, find: Callable[[bytes, Numbers, int], Appends]) -> tuple[Block, str]:
    """Return the entries of some lines, and in a sentence what is wrong with the first line that is none."""
    ends = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == ord("\n")) + 1
    starts = np.concatenate(([0], ends) if data.endswith(b"\n") else ([0], ends, [len(data)]))
    appends = find(data, starts, seq)
    others = np.ones(len(starts) - 1, dtype=bool)
    others[appends.places] = False
    places: list[int] = np.flatnonzero(others).tolist()
    entries: list[Entry] = _all_entries(data, starts, places, seq)
    if len(entries) == len(places):
        return Block(len(others), appends, places, entries), ""
    for index, place in enumerate(places):
        begin = int(starts[place])
        entry = _entry(data[begin : int(starts[place + 1])], seq + place)
        if isinstance(entry, str):
            wrong = f"Line {seq + place + 1} (byte {offset + begin}) {entry}: the record opens up to there."
            return Block(place, appends.before(place), places[:index], entries), wrong
        entries.append(entry)
    return Block(len(others), appends, places, entries), ""


def _all_entries(data: bytes, starts: Numbers, places: list[int], seq: int) -> list[Entry]:
    """Return the entries of lines without looking at each by itself; none at all where anything is wrong with one."""
    if not data.endswith(b"\n"):
        return []
    at = np.asarray(places, dtype=np.intp)
    begins, ends = starts[at].tolist(), starts[at + 1].tolist()
    decode = _decoder.decode
    try:
        entries = [decode(data[begin:end]) for begin, end in zip(begins, ends, strict=True)]
    except (msgspec.DecodeError, RecursionError):
        return []
    numbered = [entry.seq for entry in entries] == [seq + place for place in places]
    return entries if numbered and all(map(_is_possible, entries)) else []


def _no_appends(_data: bytes, _starts: Numbers, _first_seq: int) -> Appends:
    return Appends.none()


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
    if not _is_possible(entry):
        return "holds a time or a size that cannot be"
    return entry


def _is_possible(entry: Entry) -> bool:
    if not (-LATEST_NS <= entry.t_ns <= LATEST_NS and 0 <= entry.size_bytes <= _MOST_BYTES):
        return False
    span = entry.audio
    return span is None or (
        0 <= span.first_sample <= _MOST_SAMPLES
        and 0 <= span.samples <= _MOST_SAMPLES
        and 0 <= span.payload_bytes <= _MOST_BYTES
    )


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
