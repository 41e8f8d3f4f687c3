"""What the window and the participant process say to each other: JSON lines, one message a line.

Commands come on the participant's standard input; the feed leaves on its standard output. Each command carries an
`id`; exactly one `Reply` with that id answers it, after the command took effect or was refused. The feed is batched
about 30 times a second and bounded: what did not fit is one `Gap` line, and the entries are read from the record's
file. End of standard input means: microphone off, socket closed, record finished, exit within 2 s.
"""

import enum
from typing import Any

import msgspec

from simulator.record.entries import Entry


class VoiceKind(enum.StrEnum):
    """Where the participant's voice comes from."""

    MICROPHONE = "microphone"
    RECORDING = "recording"
    SILENCE = "silence"


class Command(msgspec.Struct, frozen=True, tag_field="command", kw_only=True):
    """Base of all commands."""

    id: int


class Connect(Command, frozen=True, tag="connect", kw_only=True):
    """Open a session. The key is looked up by the participant process: it never travels here."""

    engine: str
    """The name of an engine profile, or a ws:// or wss:// address."""
    model: str | None = None
    turn_detection: dict[str, Any] | None = None
    """The whole wire object; None means the profile's first mode (listening starts on)."""
    instructions: str = ""
    voice: str = "marin"
    record_folder: str | None = None
    """Folder in which the session's own folder is made; None: the user's default."""
    faults: list[str] = []
    """Rules that the embedded engine is to break."""


class Disconnect(Command, frozen=True, tag="disconnect", kw_only=True):
    """Close the session and finish its record."""


class ChooseVoice(Command, frozen=True, tag="choose_voice", kw_only=True):
    """Take the participant's voice from a microphone, a recording or nowhere."""

    kind: VoiceKind
    device: str | None = None
    """Microphone name; None: the system's default."""
    recording: str | None = None
    """Path or fixture name of a recording."""


class ChooseOutput(Command, frozen=True, tag="choose_output", kw_only=True):
    """Play the agent's voice on this device; None: the system's default; "none": the silent clock."""

    device: str | None = None


class SetTalk(Command, frozen=True, tag="set_talk", kw_only=True):
    """The talk key: lets a microphone through while it is down; for a recording, each press starts or stops it.

    Refused when it goes down while the voice is silence.
    """

    down: bool


class SetMuted(Command, frozen=True, tag="set_muted", kw_only=True):
    """Replace the participant's voice by silence, or let it through again."""

    muted: bool


class SetListening(Command, frozen=True, tag="set_listening", kw_only=True):
    """Switch listening off (turn detection null, commit in mid-speech, nothing appended) or on again."""

    on: bool


class StopReply(Command, frozen=True, tag="stop_reply", kw_only=True):
    """Cancel the response in progress, stop its playback and truncate what was not heard."""


class Push(Command, frozen=True, tag="push", kw_only=True):
    """Send a context item. `context` is its JSON object, e.g. ``{"event": "timer", "secondsLeft": 30}``."""

    context: dict[str, Any]
    images: list[str] = []
    """Paths of PNG or JPEG files attached as data URLs."""
    ask_reply: bool = False
    """Send response.create after it, as for typed chat."""


class Ask(Command, frozen=True, tag="ask", kw_only=True):
    """Announce a question and request its silent answer by the tool of its component."""

    component: str
    """multiplechoice, likertscale, vasrating, ranking, textinput, rapidrate or audiorecording."""
    config: dict[str, Any]
    during_video: bool = False


class SetInstructions(Command, frozen=True, tag="set_instructions", kw_only=True):
    """Send an instructions-only update; the reply says whether the engine took it."""

    instructions: str


class RequestReply(Command, frozen=True, tag="request_reply", kw_only=True):
    """Ask for a spoken reply without a spoken turn."""

    instructions: str | None = None


class Quit(Command, frozen=True, tag="quit", kw_only=True):
    """End the process in order."""


AnyCommand = (
    Connect
    | Disconnect
    | ChooseVoice
    | ChooseOutput
    | SetTalk
    | SetMuted
    | SetListening
    | StopReply
    | Push
    | Ask
    | SetInstructions
    | RequestReply
    | Quit
)


class ConnectionState(enum.StrEnum):
    """Life of the connection."""

    IDLE = "idle"
    CONNECTING = "connecting"
    CONNECTED = "connected"
    CLOSING = "closing"


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
    listening: bool = True
    muted: bool = False
    talking: bool = False
    """The talk key is down, or the recording plays."""
    voice: VoiceKind = VoiceKind.SILENCE
    voice_name: str = ""
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

UNREADABLE = (msgspec.MsgspecError, RecursionError)
"""What reading a line may raise."""


class _Numbered(msgspec.Struct):
    id: int


_encoder = msgspec.json.Encoder()
_command_decoder = msgspec.json.Decoder(AnyCommand)
_feed_decoder = msgspec.json.Decoder(AnyFeed)
_number_decoder = msgspec.json.Decoder(_Numbered)


def encode_line(message: AnyCommand | AnyFeed) -> bytes:
    """Return the message as one line of JSON, newline included.

    A path may hold bytes that are no UTF-8, which no JSON can say: they become question marks.
    """
    try:
        return _encoder.encode(message) + b"\n"
    except UnicodeEncodeError:
        return _encoder.encode(_sayable(msgspec.to_builtins(message))) + b"\n"


def _sayable(value: Any) -> Any:
    match value:
        case str():
            return value.encode(errors="replace").decode()
        case dict():
            return {_sayable(key): _sayable(each) for key, each in value.items()}
        case list():
            return [_sayable(each) for each in value]
        case _:
            return value


def decode_command(line: bytes) -> AnyCommand:
    """Read a command line. Raises what is in `UNREADABLE`."""
    return _command_decoder.decode(line)


def command_id(line: bytes) -> int | None:
    """Return the id of a command that cannot be read otherwise, so that it gets its reply; None where it has none."""
    try:
        return _number_decoder.decode(line).id
    except UNREADABLE:
        return None


def decode_feed(line: bytes) -> AnyFeed:
    """Read a feed line. Raises what is in `UNREADABLE`."""
    return _feed_decoder.decode(line)
