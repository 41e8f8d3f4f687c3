"""What a single event of the engine can break, whatever came before it. Pure."""

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from simulator.profile.facts import MAX_AUDIO_DELTA_MS, REQUIRED_SERVER_FIELDS
from simulator.record.entries import Direction, Entry
from simulator.record.fields import is_number
from simulator.units import BYTES_PER_SAMPLE, SAMPLE_RATE_HZ

REQUIRED_FIELDS: Final = "required fields"
BASE64_AUDIO: Final = "base64 audio"
WHOLE_SAMPLES: Final = "whole samples"
DELTA_LENGTH: Final = "delta length"

AUDIO_DELTA: Final = "response.output_audio.delta"

_TEXTS: Final = frozenset({"item_id", "response_id", "call_id", "name", "delta", "transcript", "arguments"})
_NUMBERS: Final = frozenset({"audio_start_ms", "audio_end_ms"})


class Broken(NamedTuple):
    """A rule that the engine broke."""

    clause: str
    what: str
    """A sentence without its full stop."""
    seq: int
    """The entry that shows it."""


def broken_by(entry: Entry) -> Iterator[Broken]:
    """Yield what an entry breaks by itself: required fields and their types, and the form of audio."""
    if entry.direction is not Direction.RECEIVED:
        return
    for name in REQUIRED_SERVER_FIELDS.get(entry.type, ()):
        if name not in entry.event:
            yield Broken(REQUIRED_FIELDS, f"{entry.type} has no {name}", entry.seq)
        elif not _right_kind(name)(entry.event[name]):
            yield Broken(REQUIRED_FIELDS, f"{name} of {entry.type} is of the wrong type", entry.seq)
    if entry.type == AUDIO_DELTA:
        yield from _audio(entry)


def delta_ms(entry: Entry) -> float:
    """Return how long the audio of a delta is."""
    return 0.0 if entry.audio is None else entry.audio.payload_bytes / BYTES_PER_SAMPLE * 1000 / SAMPLE_RATE_HZ


def _audio(entry: Entry) -> Iterator[Broken]:
    if entry.audio is None:
        if isinstance(entry.event.get("delta"), str):
            yield Broken(BASE64_AUDIO, "The audio of a delta is not base64", entry.seq)
        return
    size = entry.audio.payload_bytes
    if size % BYTES_PER_SAMPLE:
        yield Broken(WHOLE_SAMPLES, f"A delta holds an odd number of bytes, {size}: a sample is two", entry.seq)
    if delta_ms(entry) > MAX_AUDIO_DELTA_MS:
        what = f"A delta holds {delta_ms(entry):.0f} ms of audio, {MAX_AUDIO_DELTA_MS} at most"
        yield Broken(DELTA_LENGTH, what, entry.seq)


def _right_kind(name: str) -> Callable[[Any], bool]:
    if name in _TEXTS:
        return lambda value: isinstance(value, str)
    if name in _NUMBERS:
        return is_number
    return lambda value: isinstance(value, dict)
