"""The objects that the measures of a record consist of."""

from dataclasses import dataclass
from typing import Any, Literal

SIMULATED = "simulated"
"""The `dac_source` of a barge-in without a loudspeaker (a check's, the silent clock): no output could fall silent."""


@dataclass(frozen=True, slots=True)
class SpeechSpan:
    """One turn of the participant as the engine heard it: from the arrival of speech_started to that of its end."""

    item_id: str
    started_ns: int
    stopped_ns: int | None
    audio_start_ms: int | None
    audio_end_ms: int | None
    seq: int


@dataclass(frozen=True, slots=True)
class ResponseSpan:
    """One response; `done_ns` with `status` None means that the connection ended before it did."""

    response_id: str
    created_ns: int
    done_ns: int | None
    status: str | None
    reason: str | None
    seq: int


@dataclass(frozen=True, slots=True)
class AgentSpan:
    """One item of the agent's voice at the output device, in times of handing over.

    `handed_samples` is 0 until the item ended. When it was cut, received minus handed was never heard.
    """

    item_id: str
    started_ns: int
    ended_ns: int | None
    handed_samples: int
    received_samples: int
    cut: bool
    seq: int


@dataclass(frozen=True, slots=True)
class Push:
    """A context item; `seq` is that of the event sent, `event` its name, e.g. ``timer``."""

    t_ns: int
    seq: int
    event: str
    context: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Mark:
    """A moment that the operator marked, with what was typed about it; empty: nothing (yet)."""

    t_ns: int
    note: str
    seq: int


@dataclass(frozen=True, slots=True)
class BargeIn:
    """The participant interrupted: from reading speech_started to silence handed over, and to silence heard."""

    received_ns: int
    cut_ns: int
    last_sound_handed_ns: int | None
    inaudible_ns: int | None
    dac_source: str | None
    item_id: str | None
    seq: int


@dataclass(frozen=True, slots=True)
class Latency:
    """One measured interval between two entries."""

    name: str
    from_label: str
    to_label: str
    value_ms: float
    from_seq: int
    to_seq: int


@dataclass(frozen=True, slots=True)
class Turn:
    """One paragraph of the transcript. For the agent, `heard_text` is the part of `text` that was heard (an estimate
    by the share of samples, at a word boundary), `heard_ms` and `generated_ms` the audio behind them. For the
    participant, `text` is what the engine transcribed, and `recognised` what this program did, by `recogniser`."""

    who: Literal["participant", "agent", "typed", "agent typed", "study", "mark"]
    item_id: str
    text: str
    t_ns: int
    seq: int
    heard_text: str | None = None
    heard_ms: float | None = None
    generated_ms: float | None = None
    recognised: str | None = None
    recogniser: str | None = None
