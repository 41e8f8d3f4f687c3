"""Numbers, names and lists of HRP 0.2.0 and of conformance suite 6: wire facts, in no words but the wire's."""

from types import MappingProxyType
from typing import Any, Final

import msgspec

SPEC_VERSION: Final = "0.2.0"
SUITE_VERSION: Final = 6

DEFAULT_URL: Final = "wss://api.openai.com/v1/realtime"
DEFAULT_MODEL: Final = "gpt-realtime-2.1"
DEFAULT_VOICE: Final = "marin"
SAFETY_IDENTIFIER_HEADER: Final = "OpenAI-Safety-Identifier"
SAFETY_IDENTIFIER_PREFIX: Final = "hs-"

AUDIO_FORMAT: Final = MappingProxyType({"type": "audio/pcm", "rate": 24_000})
MAX_AUDIO_DELTA_MS: Final = 2_000


class Thresholds(msgspec.Struct, frozen=True, rename="camel"):
    """The suite's limits, in milliseconds. Encodes with the specification's own names (``maxOnsetDelayMs``…)."""

    max_onset_delay_ms: int = 1_000
    max_response_start_ms: int = 5_000
    max_cancel_to_done_ms: int = 1_500
    event_timeout_ms: int = 15_000
    no_reply_window_ms: int = 1_500
    truncate_ack_timeout_ms: int = 3_000


THRESHOLDS: Final = Thresholds()

TURN_DETECTIONS: Final[tuple[dict[str, Any], ...]] = (
    {"type": "server_vad", "silence_duration_ms": 500},
    {"type": "semantic_vad", "eagerness": "auto"},
)
"""The settings that each check per turn detection runs with (conformance.turnDetections)."""


def turn_detection(mode: str) -> dict[str, Any]:
    """Return a fresh whole ``turn_detection`` object for a session in `mode`, "server_vad" or "semantic_vad".

    The engine creates replies and lets itself be interrupted (voiceEngine.clientEvents, first example).
    Raises KeyError for any other mode.
    """
    by_mode = {each["type"]: each for each in TURN_DETECTIONS}
    return {**by_mode[mode], "create_response": True, "interrupt_response": True}


REQUIRED_SERVER_FIELDS: Final = MappingProxyType(
    {
        "session.created": ("session",),
        "session.updated": ("session",),
        "input_audio_buffer.speech_started": ("audio_start_ms", "item_id"),
        "input_audio_buffer.speech_stopped": ("audio_end_ms", "item_id"),
        "input_audio_buffer.committed": ("item_id",),
        "conversation.item.added": ("item",),
        "conversation.item.done": ("item",),
        "conversation.item.truncated": ("item_id", "audio_end_ms"),
        "response.created": ("response",),
        "response.done": ("response",),
        "response.output_audio.delta": ("response_id", "item_id", "delta"),
        "response.output_audio.done": ("response_id", "item_id"),
        "response.output_audio_transcript.delta": ("response_id", "item_id", "delta"),
        "response.output_audio_transcript.done": ("response_id", "item_id", "transcript"),
        "response.function_call_arguments.done": ("response_id", "call_id", "name", "arguments"),
        "conversation.item.input_audio_transcription.completed": ("item_id", "transcript"),
        "conversation.item.input_audio_transcription.failed": ("item_id", "error"),
        "error": ("error",),
    }
)
"""What each server event that the platform relies on must carry (serverEvents.required)."""

IGNORED_SERVER_EVENTS: Final = frozenset(
    {
        "rate_limits.updated",
        "response.output_item.added",
        "response.output_item.done",
        "response.content_part.added",
        "response.content_part.done",
        "response.function_call_arguments.delta",
        "response.output_text.delta",
        "response.output_text.done",
        "conversation.item.input_audio_transcription.delta",
        "conversation.item.input_audio_transcription.segment",
        "input_audio_buffer.cleared",
        "input_audio_buffer.timeout_triggered",
        "output_audio_buffer.started",
        "output_audio_buffer.stopped",
        "output_audio_buffer.cleared",
    }
)
"""Known server events that the platform does not need (serverEvents.ignored)."""

BETA_SERVER_EVENTS: Final = MappingProxyType(
    {
        "response.audio.delta": "response.output_audio.delta",
        "response.audio.done": "response.output_audio.done",
        "response.audio_transcript.delta": "response.output_audio_transcript.delta",
        "response.audio_transcript.done": "response.output_audio_transcript.done",
        "response.text.delta": "response.output_text.delta",
        "response.text.done": "response.output_text.done",
        "conversation.created": "session.created",
        "conversation.item.created": "conversation.item.added",
    }
)
"""Event names of the interface's beta, and what took their place: an engine that uses them speaks the beta."""

CHECKS: Final = MappingProxyType(
    {
        "handshake": False,
        "engine_turn": True,
        "barge_in": True,
        "listening_pause": True,
        "listening_pause_silent": True,
        "cancel": False,
        "function_call": False,
        "silent_tool": False,
        "image_context": False,
        "turn_detection_fields": True,
    }
)
"""The suite's checks in its order, and whether each runs once per turn detection."""

ACCEPTED_OUTPUT: Final = '{"accepted":true}'
"""The function output of a call that was taken (functionOutputs.accepted)."""
