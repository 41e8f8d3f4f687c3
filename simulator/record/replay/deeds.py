"""What a recorded participant said and did, as values, each with the moment from which it is timed."""

from pathlib import Path
from typing import Any, Literal

import msgspec

By = Literal["replies", "clock"]
"""What a replay keeps: the times relative to the agent's replies, or those of the clock."""


class Say(msgspec.Struct, frozen=True, tag_field="do", tag="say"):
    """Speech: these samples of the participant's voice (24 kHz, positions on the session's clock)."""

    first_sample: int
    samples: int
    sent: tuple[int, int] | None = None
    """About where it begins in what was sent, and what it does not reach, by the times of the entries; None: not known.
    """


class Push(msgspec.Struct, frozen=True, tag_field="do", tag="push"):
    """A context item, with the bytes of its PNG or JPEG files."""

    context: dict[str, Any]
    images: tuple[bytes, ...] = ()


class Ask(msgspec.Struct, frozen=True, tag_field="do", tag="ask"):
    """A question; its fields are those of the participant's command of that name."""

    component: str
    config: dict[str, Any]
    during_video: bool = False
    shown_on: str = "screen"
    attempts: int = 3


class OwnAnswer(msgspec.Struct, frozen=True, tag_field="do", tag="own_answer"):
    """What the participant answered himself."""

    component: str
    config: dict[str, Any]
    value: Any


class Listen(msgspec.Struct, frozen=True, tag_field="do", tag="listen"):
    """Listening was switched on or off, whatever the reason."""

    on: bool


class Instruct(msgspec.Struct, frozen=True, tag_field="do", tag="instruct"):
    """New instructions; None: only the `part` of the study was entered."""

    instructions: str | None
    part: str | None = None


class Request(msgspec.Struct, frozen=True, tag_field="do", tag="request"):
    """A response was asked for, with these parameters: for a typed line, by the operator, or composed."""

    response: dict[str, Any]


class SendRaw(msgspec.Struct, frozen=True, tag_field="do", tag="send_raw"):
    """An event that was composed by hand."""

    event: dict[str, Any]


class StopReply(msgspec.Struct, frozen=True, tag_field="do", tag="stop_reply"):
    """The operator stopped the reply."""


Deed = Say | Push | Ask | OwnAnswer | Listen | Instruct | Request | SendRaw | StopReply


class Anchor(msgspec.Struct, frozen=True):
    """The moment from which a deed is timed: the session's beginning, or the nth *exchange* of the agent.

    An exchange is one reply, or several without a speech or a request of the participant's between them: it begins when
    the first sample of the first one is heard, and ends when the last one was heard to its end, or was cut. They are
    counted from 1. A reply that was begun in a pause of a speech, and cut, is none.
    """

    moment: Literal["beginning", "reply begins", "reply ends"] = "beginning"
    exchange: int = 0


class Act(msgspec.Struct, frozen=True):
    """One deed, and when it was done (a speech: when it began)."""

    deed: Deed
    at_ns: int
    """Since the engine had accepted the session's settings."""
    after: Anchor = Anchor()
    after_ns: int = 0
    """How long after that moment; never below 0."""
    answered_ns: int | None = None
    """As `at_ns`, when a question was answered or given up, or the engine heard again once it was told to listen;
    None: never, or not known."""


class Settings(msgspec.Struct, frozen=True):
    """What the recorded session asked for at its beginning."""

    instructions: str = ""
    voice: str = "marin"
    turn_detection: dict[str, Any] | None = None
    """The wire object of the first mode that was on; None: it was never on."""
    tools: tuple[str, ...] = ()
    """Names, in order."""


class Plan(msgspec.Struct, frozen=True):
    """A recorded participant. Acts are in the order in which they were done."""

    source: Path
    """The record's .jsonl file."""
    settings: Settings
    acts: tuple[Act, ...]
    exchanges: int
    """How many there were."""
    ends_ns: int
    """When the session was over, since the same moment as `Act.at_ns`."""
    voice_from_sample: int = 0
    """The sample of the session's clock at that moment."""
    studies: tuple[str, ...] = ()
    """The names of the studies that were played in it, or that it is itself a replay of."""
    lacks: tuple[str, ...] = ()
    """What cannot be done again, in sentences: audio that was not kept, questions the record says too little of."""
