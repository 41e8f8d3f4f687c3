"""What this program knows of the specification, in the shape of its file: what a loaded file is held against.

Names, shapes and numbers are the wire's. Where the file has an example of free text or of a measured number, which is
no fact, `TEXT` and 0 stand for it; lists of objects are by name. Prose that this program neither sends nor shows
(purposes, descriptions of checks) has no counterpart here.
"""

from typing import Any, Final

import msgspec

from simulator.profile import facts
from simulator.profile.components import RATING_PAUSE_COMPONENTS, SCREEN_COMPONENTS
from simulator.profile.tools import TOOLS

TEXT: Final = "…"

_FORMAT: Final = dict(facts.AUDIO_FORMAT)


def _no_more(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    shape = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**shape, "required": list(required)} if required else shape


def _session(**fields: Any) -> dict[str, Any]:
    return {"example": {"type": "session.update", "session": {"type": "realtime", **fields}}}


def _item(**item: Any) -> dict[str, Any]:
    return {"example": {"type": "conversation.item.create", "item": item}}


def _event(name: str, **fields: Any) -> dict[str, Any]:
    return {"example": {"type": name, **fields}}


def _input(turn_detection: dict[str, Any] | None) -> dict[str, Any]:
    return {"format": _FORMAT, "transcription": None, "turn_detection": turn_detection}


_INPUT_TEXT: Final = {"type": "input_text", "text": TEXT}

_CLIENT_EVENTS: Final = {
    "session.update": _session(
        output_modalities=["audio"],
        instructions=TEXT,
        tools=[],
        tool_choice="auto",
        audio={
            "input": _input(facts.turn_detection("server_vad")),
            "output": {"format": _FORMAT, "voice": facts.DEFAULT_VOICE, "speed": 1},
        },
    ),
    "session.update (2)": _session(instructions=TEXT),
    "session.update (3)": _session(audio={"input": _input(None)}),
    "input_audio_buffer.commit": _event("input_audio_buffer.commit"),
    "input_audio_buffer.append": _event("input_audio_buffer.append", audio=TEXT),
    "conversation.item.create": _item(type="message", role="user", content=[_INPUT_TEXT]),
    "conversation.item.create (2)": _item(
        type="message", role="user", content=[_INPUT_TEXT, {"type": "input_image", "image_url": TEXT}]
    ),
    "conversation.item.create (3)": _item(type="function_call_output", call_id=TEXT, output=facts.ACCEPTED_OUTPUT),
    "conversation.item.truncate": _event("conversation.item.truncate", item_id=TEXT, content_index=0, audio_end_ms=0),
    "response.create": _event("response.create", response={"output_modalities": ["audio"]}),
    "response.cancel": _event("response.cancel", response_id=TEXT),
}

CONTEXT_ITEMS: Final[dict[str, dict[str, Any]]] = {
    "participants": {"event": "participants", "others": [{"name": TEXT, "role": TEXT}]},
    "screen": {"event": "screen", "type": TEXT, "text": TEXT},
    "screen with images": {"event": "screen", "type": TEXT, "text": TEXT, "images": ["attached: the image (…)"]},
    "typed": {"event": "typed", "speaker": TEXT, "said": TEXT},
    "question": {"event": "question", "tool": TEXT, "question": TEXT, "duringVideo": False},
    "timer": {"event": "timer", "secondsLeft": 0},
    "experimenter_message": {"event": "experimenter_message", "text": TEXT},
    "revealed": {"event": "revealed", "name": TEXT, "role": TEXT, "answer": TEXT},
    "paused": {"event": "paused", "waitingFor": [TEXT]},
    "resumed": {"event": "resumed"},
}
"""Each context item, its keys in order."""

_SCORE: Final = {"type": "number", "minimum": 0, "maximum": 100}
_MODEL_TOOLS: Final = {
    "send_chat": _no_more({"message": {"type": "string"}}, "message"),
    "wait": _no_more({}),
    "submit_response": _no_more({"value": _SCORE}, "value"),
}

STATEMENT: Final[dict[str, Any]] = {
    "specVersion": facts.SPEC_VERSION,
    "status": "draft",
    "answerableComponents": {"screen": list(SCREEN_COMPONENTS), "ratingPause": list(RATING_PAUSE_COMPONENTS)},
    "modelEndpoint": {
        "authentication": "Authorization: Bearer ",
        "requests": ["GET {baseUrl}/models", "POST {baseUrl}/chat/completions"],
        "toolChoice": "auto",
        "retries": 0,
        "requestTimeoutMs": {"default": 60_000, "min": 10_000, "max": 300_000},
        "connectionTest": {
            "GET {baseUrl}/models": {"timeoutMs": 10_000},
            "POST {baseUrl}/chat/completions": {"timeoutMs": 30_000},
        },
        "tools": {
            name: {"type": "function", "function": {"name": name, "parameters": parameters}}
            for name, parameters in _MODEL_TOOLS.items()
        },
    },
    "voiceEngine": {
        "supportedProviders": ["openai"],
        "connection": {
            "url": f"{facts.DEFAULT_URL}?model={facts.DEFAULT_MODEL}",
            "headers": {
                "Authorization": "Bearer ",
                facts.SAFETY_IDENTIFIER_HEADER: facts.SAFETY_IDENTIFIER_PREFIX,
            },
        },
        "audio": {"sampleRateHz": 24_000, "formatField": _FORMAT, "maxAudioDeltaMs": facts.MAX_AUDIO_DELTA_MS},
        "clientEvents": _CLIENT_EVENTS,
        "serverEvents": {
            "required": {name: list(fields) for name, fields in facts.REQUIRED_SERVER_FIELDS.items()},
            "ignored": sorted(facts.IGNORED_SERVER_EVENTS),
        },
        "contextItems": CONTEXT_ITEMS,
        "tools": {each["name"]: {key: value for key, value in each.items() if key != "type"} for each in TOOLS},
        "questionRequest": {
            "type": "response.create",
            "response": {"output_modalities": ["text"], "tool_choice": {"type": "function", "name": "answer_scale"}},
        },
        "functionOutputs": {"accepted": {"accepted": True}, "refused": {"error": ""}},
    },
    "conformance": {
        "suiteVersion": facts.SUITE_VERSION,
        "turnDetections": {each["type"]: each for each in facts.TURN_DETECTIONS},
        "thresholds": msgspec.to_builtins(facts.THRESHOLDS),
        "checks": {name: {"id": name, "perTurnDetection": per_mode} for name, per_mode in facts.CHECKS.items()},
    },
}
"""All but the answers, which are compared by what this program makes of the file's own example configs."""

ANSWERS: Final = {
    "multiplechoice (answer_choice)": "screen or rating pause",
    "multiplechoice (answer_choices)": "screen or rating pause",
    "likertscale (answer_scale)": "screen or rating pause",
    "vasrating (answer_scale)": "screen or rating pause",
    "ranking (answer_ranking)": "screen or rating pause",
    "textinput (answer_text)": "screen or rating pause",
    "rapidrate (answer_dimensions)": "rating pause",
    "audiorecording (answer_text)": "rating pause",
}
"""Each kind of answer, and where its question stands."""
