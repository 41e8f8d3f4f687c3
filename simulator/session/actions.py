"""What the session asks of the process that runs it: values, executed in the order in which they are returned.

The session never waits and never does anything itself. `Note` goes to the record as it stands, but for those that
tell of an event that is sent: the process adds the number of the entry made by the `Send` just before it, to
``Note("push", …)`` as `seq_sent` and to ``Note("raw", …)`` as `seq`.
"""

from typing import Any, Literal

import msgspec

from simulator.protocol.client_events import AnySent

CutCause = Literal["speech_started", "stop_reply", "closed"]


class Send(msgspec.Struct, frozen=True):
    """Send this event to the engine. It carries its `event_id` already, unless somebody wrote it by hand."""

    event: AnySent


class Play(msgspec.Struct, frozen=True):
    """Queue audio of an item behind what is queued.

    `audio` is the payload of one delta, little-endian PCM16 as it came: a sample may be split between two of them.
    """

    item_id: str
    response_id: str
    audio: bytes


class EndItem(msgspec.Struct, frozen=True):
    """No more audio of this item comes: when what is queued of it was handed out, it was heard to its end."""

    item_id: str


class CutPlayback(msgspec.Struct, frozen=True):
    """Hand nothing but silence to the device from now on and forget all that is queued, at once and synchronously.

    Always the first action of its list. Then call ``ParticipantSession.cut_result`` with what was handed of each item
    and the time of the cut. `seq` and `received_ns` are those of the speech_started that caused it, for the process to
    write the ``barge_in`` note when the device's times are known; None for other causes.
    """

    cause: CutCause
    seq: int | None = None
    received_ns: int | None = None


class Note(msgspec.Struct, frozen=True):
    """Write a note of this kind into the record."""

    type: str
    fields: dict[str, Any]


class Settled(msgspec.Struct, frozen=True):
    """The command that was given this `token` took effect (`error` None) or did not, for the reason in one sentence.

    Exactly one follows for each token, in the same list or later.
    """

    token: int
    error: str | None = None


Action = Send | Play | EndItem | CutPlayback | Note | Settled
