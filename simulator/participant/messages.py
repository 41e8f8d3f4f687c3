"""What the window and the participant process say to each other: JSON lines, one message a line.

Commands come on the participant's standard input; the feed leaves on its standard output. Each command carries an
`id`; exactly one `Reply` with that id answers it, after the command took effect or was refused. The feed is batched
about 30 times a second and bounded: what did not fit is one `Gap` line, and the entries are read from the record's
file. End of standard input means: microphone off, socket closed, record finished, exit within 2 s.
"""

import enum
from typing import Any, Literal

import msgspec

from simulator.audio.fades import HIGHEST_VOLUME_DB as HIGHEST_VOLUME_DB
from simulator.audio.fades import LOWEST_VOLUME_DB as LOWEST_VOLUME_DB
from simulator.audio.impairments import Impairments
from simulator.record.entries import Entry
from simulator.study.steps import ShownOn, Study


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
    tools: list[str] | None = None
    """Names of the tools to declare, as the study needs them; None: all seven."""
    specification: str | None = None
    """Path of the platform's agent-spec.json, whose tools and wording are sent word for word; None: our own."""
    keep_audio: bool = True
    """Whether what is said and heard is kept; without it the record still says when, and for how long."""


class Disconnect(Command, frozen=True, tag="disconnect", kw_only=True):
    """Close the session and finish its record."""


class ChooseVoice(Command, frozen=True, tag="choose_voice", kw_only=True):
    """Take the participant's voice from a microphone, a recording or nowhere."""

    kind: VoiceKind
    device: str | None = None
    """Microphone name; None: the system's default."""
    host_api: str | None = None
    """Its host API, where several offer one of that name; None: the default's goes first."""
    channel: int | Literal["mix"] | None = None
    """Its channel, counted from 1, or the mean of all; None: mono as the system makes it, or else the first."""
    recording: str | None = None
    """Path or fixture name of a recording."""


class ChooseOutput(Command, frozen=True, tag="choose_output", kw_only=True):
    """Play the agent's voice on this device; None: the system's default; "none": the silent clock."""

    device: str | None = None
    host_api: str | None = None
    """As in `ChooseVoice`."""
    channel: int | None = None
    """The first channel of the pair that plays, counted from 1; None: all channels."""


class SetTalk(Command, frozen=True, tag="set_talk", kw_only=True):
    """The talk key: lets a microphone through while it is down; for a recording, each press starts or stops it.

    Refused when it goes down while the voice is silence.
    """

    down: bool


class SetMuted(Command, frozen=True, tag="set_muted", kw_only=True):
    """Replace the participant's voice by silence, or let it through again."""

    muted: bool


class SetVolume(Command, frozen=True, tag="set_volume", kw_only=True):
    """Play the agent's voice louder or softer, from -60 to 12 dB; the record holds it as it was received."""

    db: float


class SetHalfDuplex(Command, frozen=True, tag="set_half_duplex", kw_only=True):
    """Keep the microphone silent while the agent is heard, which makes barge-in impossible, or no longer."""

    on: bool


class SetEchoCancelling(Command, frozen=True, tag="set_echo_cancelling", kw_only=True):
    """Take the agent's voice out of the microphone, or no longer; refused without the extra `echo`."""

    on: bool


class Impair(Command, frozen=True, tag="impair", kw_only=True):
    """Do this to the participant's voice from now on, whatever it comes from; None: nothing.

    Refused, with everything as it was, where it cannot be done. Holds for every session until it is changed.
    """

    impairments: Impairments | None = None


class RecogniseWords(Command, frozen=True, tag="recognise_words", kw_only=True):
    """Recognise the participant's words on this computer, for every session, or do so no longer."""

    on: bool
    model: str | None = None
    """A Whisper model's folder or name; None: the one of the extra `ears`. Refused where it is not there."""


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
    video_chat: bool | None = None
    """Whether the screen now shows the video chat: listening follows, before the item; None leaves it as it is."""


class Ask(Command, frozen=True, tag="ask", kw_only=True):
    """Announce a question and request its silent answer by the tool of its component."""

    component: str
    """multiplechoice, likertscale, vasrating, ranking, textinput, rapidrate or audiorecording."""
    config: dict[str, Any]
    during_video: bool = False
    shown_on: ShownOn = "screen"
    """rapidrate and audiorecording are refused on a screen."""
    attempts: int = 3
    """How often the agent is asked at most, from 1 to 10; up to ten answers that speech cut short are not counted."""
    video_chat: bool | None = None
    """As in `Push`."""
    adds_tool: bool = False
    """Whether a tool that this session did not declare is declared now, by an update; else the question is refused."""


class KeepOwnAnswer(Command, frozen=True, tag="keep_own_answer", kw_only=True):
    """Keep what the participant answered to a component himself; refused where it does not fit the value's schema."""

    component: str
    config: dict[str, Any]
    value: Any


class SetCallsInHand(Command, frozen=True, tag="set_calls_in_hand", kw_only=True):
    """While `on`, each function call of the agent waits in `Status.held_calls` for the operator's AnswerCall."""

    on: bool


class AnswerCall(Command, frozen=True, tag="answer_call", kw_only=True):
    """Answer a call that is held: as judged, accepted whatever it holds, refused with `text`, or with broken JSON."""

    call_id: str
    how: Literal["as judged", "accept", "refuse", "broken"]
    text: str = ""


class SetInstructions(Command, frozen=True, tag="set_instructions", kw_only=True):
    """Send an instructions-only update; the reply says whether the engine took it."""

    instructions: str | None
    """None: they stay as they are, and only the part is noted."""
    part: str | None = None
    """The part of the study that is entered by it, named in the record."""


class RequestReply(Command, frozen=True, tag="request_reply", kw_only=True):
    """Ask for a spoken reply without a spoken turn."""

    instructions: str | None = None


class CreateResponse(Command, frozen=True, tag="create_response", kw_only=True):
    """Send response.create with these parameters, once no response of the default conversation is in progress.

    One out of band (``"conversation": "none"``) is sent at once.
    """

    response: dict[str, Any]


class SendEvent(Command, frozen=True, tag="send_event", kw_only=True):
    """Send any client event as it stands, at once and unchecked but for its type, marked as raw in the record."""

    event: dict[str, Any]


class PlayStudy(Command, frozen=True, tag="play_study", kw_only=True):
    """Play a study by its times and conditions in the open session, from one of its steps on."""

    study: Study
    first_step: int = 0
    speaks: bool = True
    """Whether the participant says what the study names; False: the operator speaks."""


class StopStudy(Command, frozen=True, tag="stop_study", kw_only=True):
    """Stop playing the study; the session goes on."""


class Speak(Command, frozen=True, tag="speak", kw_only=True):
    """Say a text with the local synthesiser, or a recording, as the participant's voice; settled when it was said."""

    text: str = ""
    voice: str | None = None
    recording: str = ""
    """Path or fixture name of a recording that is said instead of a text."""


class Cue(Command, frozen=True, tag="cue", kw_only=True):
    """Say something by itself, `seconds` after an event of the conversation; in place of a cue that waits already."""

    after: Literal["now", "reply_begins", "reply_ends", "turn"]
    """The next reply becomes audible, was heard to its end; or the engine took the participant's turn."""
    seconds: float = 0.0
    text: str = ""
    """As in `Speak`; where neither text nor recording is given, what the voice is: its recording, or the next one."""
    voice: str | None = None
    recording: str = ""
    repeat: bool = False
    """Every time, and not only the next one; a folder of recordings is said once."""


class CancelCue(Command, frozen=True, tag="cancel_cue", kw_only=True):
    """Wait for no cue any more."""


class Mark(Command, frozen=True, tag="mark", kw_only=True):
    """Mark this moment in the record."""

    note: str = ""


class NoteMark(Command, frozen=True, tag="note_mark", kw_only=True):
    """Say what the last mark is about; refused where there is none in this session."""

    note: str


class Quit(Command, frozen=True, tag="quit", kw_only=True):
    """End the process in order."""


AnyCommand = (
    Connect
    | Disconnect
    | ChooseVoice
    | ChooseOutput
    | SetTalk
    | SetMuted
    | SetVolume
    | SetHalfDuplex
    | SetEchoCancelling
    | Impair
    | RecogniseWords
    | SetListening
    | StopReply
    | Push
    | Ask
    | SetInstructions
    | RequestReply
    | KeepOwnAnswer
    | SetCallsInHand
    | AnswerCall
    | CreateResponse
    | SendEvent
    | PlayStudy
    | StopStudy
    | Speak
    | Cue
    | CancelCue
    | Mark
    | NoteMark
    | Quit
)


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
        case list() | tuple():
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
