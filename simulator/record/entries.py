"""The entry: one line of a record.

A record is a file of JSON lines, one entry a line, beside WAV files of the same stem (`session.jsonl`,
`session.participant.wav`, …). Entries are numbered from 0 without holes. Times are nanoseconds of one monotonic
clock since the record was opened: the clock of the process that owns the socket. A frame from the engine is stamped
right after it was read from the socket, a frame to the engine right after it was handed to the socket.

Audio payloads are not kept in the lines: the field is replaced by an empty string and `audio` says where the
samples lie. `participant` is everything appended to the engine's input buffer, in order; `agent` everything received
as output audio, in order; `heard` (live sessions only) is stereo on the session's clock, captured participant left,
agent as handed to the output device right.
"""

import enum
from typing import Any, Final

import msgspec

from simulator.units import NS_PER_S

FORMAT = "participant-simulator/record"
FORMAT_VERSION = 1
LATEST_NS: Final = 4_000_000 * NS_PER_S
"""46 days. Later times are damage, and ELAN's milliseconds end at 49."""


def clamped_ns(t_ns: int) -> int:
    """Return a time of a record, or the nearest one that a record gets to."""
    return min(max(t_ns, 0), LATEST_NS)


class Direction(enum.StrEnum):
    """Who said it: the engine (received), the participant (sent), or the program about itself (noted)."""

    RECEIVED = "received"
    SENT = "sent"
    NOTED = "noted"


class Track(enum.StrEnum):
    """The audio files of a record."""

    PARTICIPANT = "participant"
    AGENT = "agent"
    HEARD = "heard"


class AudioSpan(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where the audio of an event lies: samples `[first_sample, first_sample + samples)` of a track."""

    track: Track
    first_sample: int
    samples: int
    payload_bytes: int
    """Bytes decoded from the wire: odd where a sample was split across events."""


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of a record.

    `type` is the wire's event type for received and sent entries (``"malformed"`` where the text was no event), and the
    kind of note for noted ones. `event` is the JSON object without audio payloads. `size_bytes` is the size of the
    frame on the wire.
    """

    seq: int
    t_ns: int
    direction: Direction
    type: str
    event: dict[str, Any] = {}
    size_bytes: int = 0
    audio: AudioSpan | None = None
    raw_text: str | None = None
    """The start of a frame that could not be parsed (at most 4,096 characters)."""
    problem: str | None = None
    """What is wrong with this frame by the profile, in one sentence: unknown type, missing field, invalid base64."""
