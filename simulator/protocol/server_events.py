"""The server events of HRP (voiceEngine.serverEvents): one struct for each, with its required fields.

Class names mirror wire names. What HRP requires is a typed field: without it the event is malformed. What lies inside
(`response`, `session`, `item`, `error`) is the engine's own and is read through views that answer None for whatever is
missing or of another kind, so that an unexpected value never costs the event. `wire` is the object as it came.
"""

from typing import Any

import msgspec


class WireObject:
    """An object of the engine, read leniently."""

    __slots__ = ("wire",)

    def __init__(self, wire: dict[str, Any]) -> None:
        self.wire = wire

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and isinstance(other, WireObject) and self.wire == other.wire

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.wire!r})"

    def text(self, key: str) -> str | None:
        """The value of `key` if it is a text, else None."""
        value = self.wire.get(key)
        return value if isinstance(value, str) else None

    def object(self, key: str) -> dict[str, Any]:
        """The value of `key` if it is an object, else an empty one."""
        value = self.wire.get(key)
        return value if isinstance(value, dict) else {}

    def array(self, key: str) -> list[Any]:
        """The value of `key` if it is an array, else an empty one."""
        value = self.wire.get(key)
        return value if isinstance(value, list) else []


class SessionObject(WireObject):
    """The whole effective session."""

    @property
    def instructions(self) -> str | None:
        return self.text("instructions")


class ItemObject(WireObject):
    """An item of the conversation."""

    @property
    def id(self) -> str | None:
        return self.text("id")

    @property
    def type(self) -> str | None:
        return self.text("type")

    @property
    def role(self) -> str | None:
        return self.text("role")


class FunctionCall(msgspec.Struct, frozen=True):
    """A call of a tool; `arguments` is JSON text as the engine wrote it."""

    call_id: str
    name: str
    arguments: str


class ResponseObject(WireObject):
    """A response, as it stands in response.created and response.done."""

    @property
    def id(self) -> str | None:
        return self.text("id")

    @property
    def status(self) -> str | None:
        """completed, cancelled, incomplete or failed, once it is done."""
        return self.text("status")

    @property
    def reason(self) -> str | None:
        """Why it was cut short: turn_detected, client_cancelled, max_output_tokens…"""
        return WireObject(self.object("status_details")).text("reason")

    @property
    def failure(self) -> str | None:
        """The message of the error of a failed response."""
        details = WireObject(self.object("status_details"))
        return WireObject(details.object("error")).text("message")

    @property
    def output_modalities(self) -> list[str] | None:
        """The modalities that were requested, or None where the engine does not say."""
        found = [each for each in self.array("output_modalities") if isinstance(each, str)]
        return found or None

    @property
    def out_of_band(self) -> bool:
        """Whether it runs beside the default conversation: its conversation is said to be none."""
        return "conversation_id" in self.wire and self.wire["conversation_id"] is None

    @property
    def function_calls(self) -> list[FunctionCall]:
        """The whole function calls in its output, in order."""
        calls = []
        for each in self.array("output"):
            item = ItemObject(each if isinstance(each, dict) else {})
            call_id, name, arguments = item.text("call_id"), item.text("name"), item.text("arguments")
            if item.type == "function_call" and call_id and name and arguments is not None:
                calls.append(FunctionCall(call_id, name, arguments))
        return calls


class ErrorObject(WireObject):
    """What went wrong, in the engine's words."""

    @property
    def code(self) -> str | None:
        return self.text("code")

    @property
    def message(self) -> str:
        """The message, or what else the engine gave instead of one."""
        return self.text("message") or self.code or self.text("type") or "no message"

    @property
    def event_id(self) -> str | None:
        """The client event that caused it."""
        return self.text("event_id")


class ServerEvent(msgspec.Struct, frozen=True, tag_field="type"):
    """Base of the server events that the platform relies on."""


class SessionCreated(ServerEvent, frozen=True, tag="session.created"):
    """The session exists, with the engine's own settings."""

    session: SessionObject


class SessionUpdated(ServerEvent, frozen=True, tag="session.updated"):
    """The oldest unanswered session.update is in force; `session` is the whole effective session."""

    session: SessionObject


class SpeechStarted(ServerEvent, frozen=True, tag="input_audio_buffer.speech_started"):
    """The engine hears speech; `item_id` is that of the coming user item."""

    audio_start_ms: float
    item_id: str


class SpeechStopped(ServerEvent, frozen=True, tag="input_audio_buffer.speech_stopped"):
    """The engine hears the end of the speech."""

    audio_end_ms: float
    item_id: str


class InputAudioBufferCommitted(ServerEvent, frozen=True, tag="input_audio_buffer.committed"):
    """What was said became a turn."""

    item_id: str


class ConversationItemAdded(ServerEvent, frozen=True, tag="conversation.item.added"):
    """An item is part of the conversation."""

    item: ItemObject


class ConversationItemDone(ServerEvent, frozen=True, tag="conversation.item.done"):
    """An item is final."""

    item: ItemObject


class ConversationItemTruncated(ServerEvent, frozen=True, tag="conversation.item.truncated"):
    """A truncation took effect."""

    item_id: str
    audio_end_ms: float


class ResponseCreated(ServerEvent, frozen=True, tag="response.created"):
    """A response is in progress."""

    response: ResponseObject


class ResponseDone(ServerEvent, frozen=True, tag="response.done"):
    """A response ended, in whichever way: this always comes."""

    response: ResponseObject


class OutputAudioDelta(ServerEvent, frozen=True, tag="response.output_audio.delta"):
    """Audio of an item of the agent: PCM16 bytes, possibly with half a sample at either end."""

    response_id: str
    item_id: str
    delta: bytes


class OutputAudioDone(ServerEvent, frozen=True, tag="response.output_audio.done"):
    """No more audio of this item comes."""

    response_id: str
    item_id: str


class OutputAudioTranscriptDelta(ServerEvent, frozen=True, tag="response.output_audio_transcript.delta"):
    """A part of what the agent says, as text."""

    response_id: str
    item_id: str
    delta: str


class OutputAudioTranscriptDone(ServerEvent, frozen=True, tag="response.output_audio_transcript.done"):
    """The whole of what the agent says, as text."""

    response_id: str
    item_id: str
    transcript: str


class FunctionCallArgumentsDone(ServerEvent, frozen=True, tag="response.function_call_arguments.done"):
    """A function call; in a response that is interrupted later it may still be incomplete."""

    response_id: str
    call_id: str
    name: str
    arguments: str


class InputAudioTranscriptionCompleted(
    ServerEvent, frozen=True, tag="conversation.item.input_audio_transcription.completed"
):
    """What the participant said, as text."""

    item_id: str
    transcript: str


class InputAudioTranscriptionFailed(ServerEvent, frozen=True, tag="conversation.item.input_audio_transcription.failed"):
    """What the participant said could not be written down."""

    item_id: str
    error: ErrorObject


class ErrorEvent(ServerEvent, frozen=True, tag="error"):
    """The engine refused something or failed; most errors leave the session usable."""

    error: ErrorObject


AnyServerEvent = (
    SessionCreated
    | SessionUpdated
    | SpeechStarted
    | SpeechStopped
    | InputAudioBufferCommitted
    | ConversationItemAdded
    | ConversationItemDone
    | ConversationItemTruncated
    | ResponseCreated
    | ResponseDone
    | OutputAudioDelta
    | OutputAudioDone
    | OutputAudioTranscriptDelta
    | OutputAudioTranscriptDone
    | FunctionCallArgumentsDone
    | InputAudioTranscriptionCompleted
    | InputAudioTranscriptionFailed
    | ErrorEvent
)


class IgnoredEvent(msgspec.Struct, frozen=True):
    """An event that HRP knows and does not need (serverEvents.ignored)."""

    type: str
    wire: dict[str, Any]


class UnknownEvent(msgspec.Struct, frozen=True):
    """An event that HRP does not know: legal, counted and shown. `sentence` says so, and names the beta interface."""

    type: str
    wire: dict[str, Any]
    sentence: str
    beta: bool = False


class MalformedEvent(msgspec.Struct, frozen=True):
    """A frame that is no event of HRP: `text` is all of it, `sentence` what is wrong with it.

    `type` and `wire` are there as far as they could be read: a required field may be missing or of the wrong kind.
    """

    text: str
    sentence: str
    type: str | None = None
    wire: dict[str, Any] = {}


Received = AnyServerEvent | IgnoredEvent | UnknownEvent | MalformedEvent
