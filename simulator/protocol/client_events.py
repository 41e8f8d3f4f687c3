"""The client events of HRP (voiceEngine.clientEvents): what the participant's side sends.

Keys leave in the specification's order as compact JSON. A field that is UNSET is left out, which differs from null:
turn detection is on by default, so leaving it out is not switching it off.
"""

import base64
from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET, UnsetType

from simulator.profile import facts

_APPEND: Final = "input_audio_buffer.append"


class AudioFormat(msgspec.Struct, frozen=True):
    """PCM16 at 24 kHz, the only format of the profile."""

    type: str = facts.AUDIO_FORMAT["type"]  # type: ignore[assignment]
    rate: int = facts.AUDIO_FORMAT["rate"]  # type: ignore[assignment]


class AudioInput(msgspec.Struct, frozen=True, kw_only=True):
    """The input half of ``session.audio``: always whole, as engines differ in whether nested objects merge."""

    format: AudioFormat = AudioFormat()
    transcription: dict[str, Any] | None = None
    turn_detection: dict[str, Any] | None
    """None switches turn detection off."""


class AudioOutput(msgspec.Struct, frozen=True, kw_only=True):
    """The output half of ``session.audio``."""

    format: AudioFormat = AudioFormat()
    voice: str
    speed: float = 1


class SessionAudio(msgspec.Struct, frozen=True, kw_only=True):
    """``session.audio``."""

    input: AudioInput | UnsetType = UNSET
    output: AudioOutput | UnsetType = UNSET


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """The settings that an update changes: only the fields that are present."""

    type: Literal["realtime"] = "realtime"
    output_modalities: list[str] | UnsetType = UNSET
    instructions: str | UnsetType = UNSET
    tools: list[dict[str, Any]] | UnsetType = UNSET
    tool_choice: str | UnsetType = UNSET
    audio: SessionAudio | UnsetType = UNSET


class InputText(msgspec.Struct, frozen=True, tag_field="type", tag="input_text"):
    """A text part of a message of the user."""

    text: str


class InputImage(msgspec.Struct, frozen=True, tag_field="type", tag="input_image"):
    """An image part: `image_url` is a data URL of a PNG or JPEG file."""

    image_url: str


class MessageItem(msgspec.Struct, frozen=True, tag_field="type", tag="message", kw_only=True):
    """A message of the user: a [context] item."""

    role: Literal["user"] = "user"
    content: list[InputText | InputImage]


class FunctionCallOutput(msgspec.Struct, frozen=True, tag_field="type", tag="function_call_output"):
    """The answer to a function call; `output` is JSON text."""

    call_id: str
    output: str


class ForcedTool(msgspec.Struct, frozen=True, tag_field="type", tag="function"):
    """A tool choice that leaves the engine one tool."""

    name: str


class Response(msgspec.Struct, frozen=True, kw_only=True):
    """The parameters of a response that are part of HRP, and `instructions`, which the interface has beside them."""

    output_modalities: list[str]
    tool_choice: ForcedTool | str | UnsetType = UNSET
    instructions: str | UnsetType = UNSET


class ClientEvent(msgspec.Struct, frozen=True, tag_field="type", kw_only=True):
    """Base of all client events. An error of the engine names the `event_id` that caused it."""

    event_id: str | UnsetType = UNSET


class SessionUpdate(ClientEvent, frozen=True, tag="session.update", kw_only=True):
    """Change the settings that are present; answered in order by session.updated, or by an error."""

    session: Session


class InputAudioBufferAppend(ClientEvent, frozen=True, tag="input_audio_buffer.append", kw_only=True):
    """Append PCM16 bytes; never answered."""

    audio: bytes


class InputAudioBufferCommit(ClientEvent, frozen=True, tag="input_audio_buffer.commit"):
    """Make a turn of what was appended, without asking for a reply."""


class ConversationItemCreate(ClientEvent, frozen=True, tag="conversation.item.create", kw_only=True):
    """Add a [context] item or a function's output to the conversation."""

    item: MessageItem | FunctionCallOutput


class ConversationItemTruncate(ClientEvent, frozen=True, tag="conversation.item.truncate", kw_only=True):
    """Cut an item of the agent at what was heard of it, `audio_end_ms` from its start."""

    item_id: str
    content_index: int = 0
    audio_end_ms: int


class ResponseCreate(ClientEvent, frozen=True, tag="response.create", kw_only=True):
    """Ask for a response."""

    response: Response | dict[str, Any]
    """A wire object where somebody composed it."""


class ResponseCancel(ClientEvent, frozen=True, tag="response.cancel", kw_only=True):
    """Stop the response in progress."""

    response_id: str | UnsetType = UNSET


AnyClientEvent = (
    SessionUpdate
    | InputAudioBufferAppend
    | InputAudioBufferCommit
    | ConversationItemCreate
    | ConversationItemTruncate
    | ResponseCreate
    | ResponseCancel
)


class RawEvent(msgspec.Struct, frozen=True):
    """An event that somebody wrote by hand: sent as it stands, whatever it holds beside its `type`."""

    wire: dict[str, Any]

    @property
    def type(self) -> str:
        """Its type on the wire."""
        return str(self.wire.get("type"))


AnySent = ClientEvent | RawEvent

_encoder = msgspec.json.Encoder()


def encode(event: AnySent) -> str:
    """Return the event as one text frame: compact JSON, keys in the specification's order, audio as base64."""
    return _encoder.encode(event.wire if isinstance(event, RawEvent) else event).decode()


def wire_type(event: ClientEvent) -> str:
    """Return the event's type on the wire."""
    return str(event.__struct_config__.tag)


def audio_of(event: AnySent) -> bytes | None:
    """Return the audio payload of an append, None for any other event and for what is no base64."""
    if isinstance(event, InputAudioBufferAppend):
        return event.audio
    if isinstance(event, RawEvent) and event.type == _APPEND and isinstance(event.wire.get("audio"), str):
        try:
            return base64.b64decode(event.wire["audio"], validate=True)
        except ValueError:
            return None
    return None


def record_json(event: AnySent) -> dict[str, Any]:
    """Return the event's JSON object for the record: the audio payload of an append replaced by an empty string."""
    if isinstance(event, RawEvent):
        return {**event.wire, "audio": ""} if event.type == _APPEND and "audio" in event.wire else event.wire
    if isinstance(event, InputAudioBufferAppend):
        event = msgspec.structs.replace(event, audio=b"")
    wire: dict[str, Any] = msgspec.to_builtins(event)
    return wire
