"""What happens in a session that a study, a replay or a cue may wait for."""

from typing import Any, NamedTuple

from simulator.participant.replies import ReplyBegan, ReplyOver


class SessionStood(NamedTuple):
    """The engine accepted the session's settings for the first time."""


class RecordingSaid(NamedTuple):
    """The recording was said to its end, or stopped."""

    name: str


class ReplySounds(NamedTuple):
    """The first sound of a reply leaves the loudspeaker at this monotonic time."""

    response_id: str
    at_ns: int


class TurnCommitted(NamedTuple):
    """The engine took what the participant said as a turn."""


class Answered(NamedTuple):
    """A question was answered, refused or given up: the fields of the record's `answer` note."""

    fields: dict[str, Any]


LiveEvent = SessionStood | RecordingSaid | ReplySounds | TurnCommitted | Answered | ReplyBegan | ReplyOver
