"""What the window asks of the participant process.

Each command is answered by exactly one `Reply` with its id, after it took effect or was refused.
"""

import enum
from typing import Any, Literal

import msgspec

from simulator.audio.impairments import Impairments
from simulator.record.replay.deeds import By
from simulator.study.steps import AskQuestion, ShownOn, Study


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
    replay: str | None = None
    """The record that is to be replayed in this session, by the same path as in `Replay`: it is read before connecting,
    so that the engine need not wait. Refused where it cannot be replayed."""


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

    @classmethod
    def of(cls, question: AskQuestion, number: int, *, adds_tool: bool = False) -> "Ask":
        """Return the command with this `id` for a question of a study."""
        return cls(
            id=number,
            component=question.component,
            config=question.config,
            during_video=question.during_video,
            shown_on=question.shown_on,
            attempts=question.attempts,
            video_chat=question.video_chat,
            adds_tool=adds_tool,
        )


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


class Replay(Command, frozen=True, tag="replay", kw_only=True):
    """Do again in the open session what the participant of a record did; the reply comes when it has begun.

    That is at once for the record that the session's `Connect` named; any other is read first.

    Refused without a session, while a study or a replay is played, and where the record cannot be replayed.
    """

    record: str
    """The record's .jsonl file, or its folder."""
    by: By = "replies"


class StopReplay(Command, frozen=True, tag="stop_replay", kw_only=True):
    """Stop the replay; the session goes on, with the voice that was chosen."""


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
    | Replay
    | StopReplay
    | Speak
    | Cue
    | CancelCue
    | Mark
    | NoteMark
    | Quit
)
