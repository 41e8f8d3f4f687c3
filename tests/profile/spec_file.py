"""A specification file as the platform writes it, in words of the tests: the facts of 0.2.0, and its own prose."""

import copy
import json
from pathlib import Path
from typing import Any, Final

_FORMAT: Final = {"type": "audio/pcm", "rate": 24000}
_SCORE: Final = {"type": "number", "minimum": 0, "maximum": 100}

ANSWERS: Final[list[tuple[str, dict[str, Any], dict[str, Any], str]]] = [
    ("multiplechoice", {"question": "Cat or dog?", "choices": ["Cat", "Dog"]}, {"type": "string"}, "answer_choice"),
    (
        "multiplechoice",
        {"question": "Which pets?", "choices": ["Cat", "Dog", "Fish"], "allowMultiple": True},
        {"type": "array", "items": {"type": "string"}},
        "answer_choices",
    ),
    (
        "likertscale",
        {"question": "Pets are fun.", "scale": 5},
        {"type": "integer", "minimum": 1, "maximum": 5},
        "answer_scale",
    ),
    ("vasrating", {"question": "How furry?", "minValue": 0, "maxValue": 100}, _SCORE, "answer_scale"),
    (
        "ranking",
        {"question": "Sort the pets.", "options": ["Cat", "Dog", "Fish"]},
        {"type": "array", "items": {"type": "string"}},
        "answer_ranking",
    ),
    ("textinput", {"question": "Name your pet."}, {"type": "string"}, "answer_text"),
    (
        "rapidrate",
        {"prompt": "And now?", "dimensions": [{"label": "Awake"}, {"label": "Fond"}]},
        {
            "type": "object",
            "properties": {"Awake": _SCORE, "Fond": _SCORE},
            "required": ["Awake", "Fond"],
            "additionalProperties": False,
        },
        "answer_dimensions",
    ),
    ("audiorecording", {"prompt": "Call your pet."}, {"type": "string"}, "answer_text"),
]
DESCRIPTIONS: Final = (
    "One pet, as written.",
    "Some pets, as written.",
    "A point, 1 up to 5.",
    "Anything between 0 and 100!",
    "Every pet, favourite first.",
    "Whatever you like.",
    "Scores 0-100 by label.",
    "What you would say.",
)
VAS_QUESTION: Final = "Asked: How furry?\nSlide it anywhere from 0 to 100.\nSay a number, 0 at least, 100 at most."

_TOOLS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "send_chat": ("message", {"type": "string", "description": "What to type."}),
    "answer_choice": ("choice", {"type": "string"}),
    "answer_choices": ("choices", {"type": "array", "items": {"type": "string"}}),
    "answer_scale": ("value", {"type": "number"}),
    "answer_ranking": ("order", {"type": "array", "items": {"type": "string"}}),
    "answer_text": ("text", {"type": "string"}),
    "answer_dimensions": ("scores", {"type": "object", "additionalProperties": {"type": "number"}}),
}

_SCREEN: Final = ["multiplechoice", "likertscale", "vasrating", "ranking", "textinput"]

_REQUIRED: Final = {
    "session.created": ["session"],
    "session.updated": ["session"],
    "input_audio_buffer.speech_started": ["audio_start_ms", "item_id"],
    "input_audio_buffer.speech_stopped": ["audio_end_ms", "item_id"],
    "input_audio_buffer.committed": ["item_id"],
    "conversation.item.added": ["item"],
    "conversation.item.done": ["item"],
    "conversation.item.truncated": ["item_id", "audio_end_ms"],
    "response.created": ["response"],
    "response.done": ["response"],
    "response.output_audio.delta": ["response_id", "item_id", "delta"],
    "response.output_audio.done": ["response_id", "item_id"],
    "response.output_audio_transcript.delta": ["response_id", "item_id", "delta"],
    "response.output_audio_transcript.done": ["response_id", "item_id", "transcript"],
    "response.function_call_arguments.done": ["response_id", "call_id", "name", "arguments"],
    "conversation.item.input_audio_transcription.completed": ["item_id", "transcript"],
    "conversation.item.input_audio_transcription.failed": ["item_id", "error"],
    "error": ["error"],
}
_IGNORED: Final = [
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
]
_CHECKS: Final = {
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


def spec_document(*, questions: tuple[tuple[str, str], ...] = (("answer_scale", VAS_QUESTION),)) -> dict[str, Any]:
    """Return the document of a file; `questions` are the tools and texts of the questions that it shows."""
    document: dict[str, Any] = {
        "specVersion": "0.2.0",
        "status": "draft",
        "answerableComponents": {"screen": _SCREEN, "ratingPause": [*_SCREEN, "rapidrate", "audiorecording"]},
        "answers": [_answer(*each, words) for each, words in zip(ANSWERS, DESCRIPTIONS, strict=True)],
        "modelEndpoint": _model_endpoint(),
        "voiceEngine": {
            "profile": "The tests' profile",
            "supportedProviders": ["openai"],
            "connection": {
                "url": "wss://api.openai.com/v1/realtime?model=gpt-realtime-2.1",
                "headers": {"Authorization": "Bearer ", "OpenAI-Safety-Identifier": "hs-"},
            },
            "audio": {"encoding": "16 bits", "sampleRateHz": 24000, "formatField": _FORMAT, "maxAudioDeltaMs": 2000},
            "clientEvents": _client_events(),
            "serverEvents": {"required": _REQUIRED, "ignored": _IGNORED},
            "contextItems": _context_items(questions),
            "tools": [_tool(name, *each) for name, each in _TOOLS.items()],
            "questionRequest": {
                "type": "response.create",
                "response": {
                    "output_modalities": ["text"],
                    "tool_choice": {"type": "function", "name": "answer_scale"},
                },
            },
            "functionOutputs": {"accepted": {"accepted": True}, "refused": {"error": ""}},
        },
        "conformance": {
            "suiteVersion": 6,
            "turnDetections": [
                {"type": "server_vad", "silence_duration_ms": 500},
                {"type": "semantic_vad", "eagerness": "auto"},
            ],
            "thresholds": {
                "maxOnsetDelayMs": 1000,
                "maxResponseStartMs": 5000,
                "maxCancelToDoneMs": 1500,
                "eventTimeoutMs": 15000,
                "noReplyWindowMs": 1500,
                "truncateAckTimeoutMs": 3000,
            },
            "checks": [
                {"id": name, "description": f"What {name} asks.", "perTurnDetection": per_mode}
                for name, per_mode in _CHECKS.items()
            ],
        },
    }
    return copy.deepcopy(document)


def write_spec(path: Path, document: Any) -> Path:
    """Write a document as a file."""
    path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    return path


def _answer(
    component: str, config: dict[str, Any], schema: dict[str, Any], tool: str, description: str
) -> dict[str, Any]:
    paused = component in ("rapidrate", "audiorecording")
    return {
        "componentType": component,
        "shownOn": "rating pause" if paused else "screen or rating pause",
        "exampleConfig": config,
        "valueSchema": {**schema, "description": description},
        "voiceTool": tool,
    }


def _tool(name: str, argument: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": name,
        "description": f"The tests' words for {name}.",
        "parameters": {
            "type": "object",
            "properties": {argument: schema},
            "required": [argument],
            "additionalProperties": False,
        },
    }


def _context_items(questions: tuple[tuple[str, str], ...]) -> list[str]:
    asked = [{"event": "question", "tool": tool, "question": text, "duringVideo": False} for tool, text in questions]
    items: list[dict[str, Any]] = [
        {"event": "participants", "others": [{"name": "Kim", "role": "B"}]},
        {"event": "screen", "type": "showtext", "text": "Think of a pet."},
        {"event": "screen", "type": "vasrating", "text": "How big?", "images": ["attached: the image (Pet 1)"]},
        {"event": "typed", "speaker": "Kim", "said": "mine is small"},
        *asked,
        {"event": "timer", "secondsLeft": 12},
        {"event": "experimenter_message", "text": "Go on."},
        {"event": "revealed", "name": "Kim", "role": "B", "answer": "Cat"},
        {"event": "paused", "waitingFor": ["Kim (B)"]},
        {"event": "resumed"},
    ]
    return ["[context] " + json.dumps(item, separators=(",", ":"), ensure_ascii=False) for item in items]


def _client_events() -> list[dict[str, Any]]:
    half = {"format": _FORMAT, "transcription": None}
    detection = {
        "type": "server_vad",
        "silence_duration_ms": 500,
        "create_response": True,
        "interrupt_response": True,
    }
    text = {"type": "input_text", "text": "[context] {}"}
    output = {"format": _FORMAT, "voice": "marin", "speed": 1}
    audio = {"input": {**half, "turn_detection": detection}, "output": output}
    whole = {
        "type": "realtime",
        "output_modalities": ["audio"],
        "instructions": "Be a pet.",
        "tools": [{"type": "function", "name": "answer_choice"}],
        "tool_choice": "auto",
        "audio": audio,
    }
    off = {"type": "realtime", "audio": {"input": {**half, "turn_detection": None}}}
    image = {"type": "input_image", "image_url": "data:image/png;base64,AA=="}
    events: list[dict[str, Any]] = [
        {"type": "session.update", "session": whole},
        {"type": "session.update", "session": {"type": "realtime", "instructions": "Be a dog."}},
        {"type": "session.update", "session": off},
        {"type": "input_audio_buffer.commit"},
        {"type": "input_audio_buffer.append", "audio": "AAAA"},
        _item({"type": "message", "role": "user", "content": [text]}),
        _item({"type": "message", "role": "user", "content": [text, image]}),
        _item({"type": "function_call_output", "call_id": "call_9", "output": '{"accepted":true}'}),
        {"type": "conversation.item.truncate", "item_id": "item_9", "content_index": 0, "audio_end_ms": 77},
        {"type": "response.create", "response": {"output_modalities": ["audio"]}},
        {"type": "response.cancel", "response_id": "response_9"},
    ]
    return [{"type": event["type"], "purpose": "Why it is sent.", "example": event} for event in events]


def _item(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "conversation.item.create", "item": item}


def _model_endpoint() -> dict[str, Any]:
    def tool(name: str, properties: dict[str, Any]) -> dict[str, Any]:
        shape = {"type": "object", "properties": properties, "additionalProperties": False}
        parameters = {**shape, "required": list(properties)} if properties else shape
        return {"type": "function", "function": {"name": name, "description": "Words.", "parameters": parameters}}

    return {
        "api": "Chat completions.",
        "baseUrl": "An address.",
        "authentication": "Authorization: Bearer ",
        "requests": ["GET {baseUrl}/models", "POST {baseUrl}/chat/completions"],
        "toolChoice": "auto",
        "retries": 0,
        "requestTimeoutMs": {"default": 60000, "min": 10000, "max": 300000},
        "connectionTest": [
            {"request": "GET {baseUrl}/models", "timeoutMs": 10000, "passes": "An answer."},
            {"request": "POST {baseUrl}/chat/completions", "timeoutMs": 30000, "passes": "An answer."},
        ],
        "tools": [
            tool("send_chat", {"message": {"type": "string"}}),
            tool("wait", {}),
            tool("submit_response", {"value": _SCORE}),
        ],
        "toolsNote": "When which is offered.",
    }
