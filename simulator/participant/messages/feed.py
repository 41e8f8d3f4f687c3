"""What the participant process tells the window: its state, new entries of the record, waveforms, levels, replies."""

import enum
from typing import Any, Literal

import msgspec

from simulator.audio.impairments import Impairments
from simulator.participant.messages.commands import VoiceKind
from simulator.record.entries import Entry
from simulator.record.replay.deeds import By


class ConnectionState(enum.StrEnum):
    """Life of the connection."""

    IDLE = "idle"
    CONNECTING = "connecting"
    CONNECTED = "connected"
    CLOSING = "closing"


class HeldCall(msgspec.Struct, frozen=True):
    """A function call that waits for the operator."""

    call_id: str
    name: str
    arguments: str
    since_ns: int
    question: str = ""
    """The question that it answers, in a person's words; empty: none."""
    error: str | None = None
    """Why it would be refused as judged."""


class SoundWarning(msgspec.Struct, frozen=True):
    """Something that is wrong with the microphone's sound."""

    code: Literal["exact_zeros", "too_quiet", "clipping", "hum", "echo"]
    sentence: str
    """What is wrong, and what to do."""
    since_ns: int
    """Record time; below 0 where it was wrong before the record began."""


class StudyProgress(msgspec.Struct, frozen=True):
    """Where the study that is played stands."""

    step: int
    """Index of the step that began last; -1 before the first."""
    steps: int
    waits_for: str = ""
    """What the next step waits for, in a person's words."""


class ReplayProgress(msgspec.Struct, frozen=True):
    """Where the replay stands."""

    source: str
    """The record's .jsonl file."""
    by: By
    done: int
    """Acts that were done, or are being done."""
    acts: int
    waits_for: str = ""
    """What the next act waits for, in a person's words: "the reply to begin", "1.2 s after the reply began"."""


class Status(msgspec.Struct, frozen=True, tag_field="feed", tag="status", kw_only=True):
    """The whole visible state of the participant process; sent at start and whenever anything in it changes."""

    connection: ConnectionState = ConnectionState.IDLE
    engine: str = ""
    model: str = ""
    faults: list[str] = []
    """Rules that the embedded engine of this session breaks on purpose."""
    connected_since_ns: int | None = None
    """Record time at which the session was created."""
    record_path: str | None = None
    """The record's .jsonl file, while one is being written or the last that was."""
    recording: bool = False
    """Whether the record reaches the disk at present."""
    keeps_audio: bool = True
    """Whether that record holds the voices; False: they were left out on purpose."""
    listening: bool = True
    muted: bool = False
    volume_db: float = 0.0
    """How much louder the agent is played than it was received."""
    half_duplex: bool = False
    """The microphone is silent while the agent is heard: there is no barge-in."""
    echo_cancelling: bool = False
    """The agent's voice is taken out of the microphone."""
    sound: list[SoundWarning] = []
    """What is wrong with the microphone's sound at present."""
    talking: bool = False
    """The talk key is down, or the recording plays."""
    voice: VoiceKind = VoiceKind.SILENCE
    voice_name: str = ""
    voice_place: str = ""
    """Which recording of a folder is said or comes next, of how many: "3 of 12 turn.wav"; empty where it is none."""
    output_name: str = ""
    """Name of the output device, or "silent clock"."""
    agent_heard: bool = False
    """The agent's voice is audible now (a fact about the loudspeaker, not about the response)."""
    response_active: bool = False
    problems: int = 0
    lacks: list[str] = []
    """What this computer lacks at present, one sentence each (no microphone, no output device, disk full…)."""
    instructions_accepted: str | None = None
    session_requested: dict[str, Any] | None = None
    session_accepted: dict[str, Any] | None = None
    recognises: bool = False
    """The participant's words are to be recognised on this computer."""
    recognition_lack: str | None = None
    """Why these words are missing or late, in one sentence."""
    calls_in_hand: bool = False
    held_calls: list[HeldCall] = []
    study: StudyProgress | None = None
    """None while no study is played."""
    replay: ReplayProgress | None = None
    """None while nothing is replayed."""
    question: str | None = None
    """The question that the agent is asked at present, in a person's words."""
    questions_waiting: int = 0
    """Questions behind it."""
    impairments: Impairments | None = None
    """What is done to the participant's voice on its way to the engine; None: nothing."""
    cue: str | None = None
    """What is said by itself, and when, in a line; None: nothing."""
    clipped_samples: int = 0
    """Samples that noise drove beyond full scale since the session began."""


class Entries(msgspec.Struct, frozen=True, tag_field="feed", tag="entries", kw_only=True):
    """New entries of the record, in order."""

    entries: list[Entry]


class Gap(msgspec.Struct, frozen=True, tag_field="feed", tag="gap", kw_only=True):
    """Entries `first`..`last` were not sent, because the window was slow: read them from the record's file."""

    first: int
    last: int


class Lane(enum.StrEnum):
    """The waveforms of the timeline, both on the session's clock at 24 kHz."""

    PARTICIPANT = "participant"
    AGENT = "agent"


class Peaks(msgspec.Struct, frozen=True, tag_field="feed", tag="peaks", kw_only=True):
    """Smallest and largest sample of each 64-sample block of a lane, from `first_sample` on the session's clock.

    Sample n of a lane lies at record time n / 24,000 s. `mins` and `maxs` are int8 (sample >> 8), one byte a block.
    Blocks never sent are silence. The agent lane holds what was handed to the output device.
    """

    lane: Lane
    first_sample: int
    mins: bytes
    maxs: bytes


class Level(msgspec.Struct, frozen=True, tag_field="feed", tag="level", kw_only=True):
    """Level of the participant's voice over the last batch, and the present record time for drawing."""

    t_ns: int
    rms_dbfs: float
    peak_dbfs: float


class Reply(msgspec.Struct, frozen=True, tag_field="feed", tag="reply", kw_only=True):
    """The answer to a command: `error` is one sentence for the user, or None when it took effect."""

    id: int
    error: str | None = None


AnyFeed = Status | Entries | Gap | Peaks | Level | Reply
