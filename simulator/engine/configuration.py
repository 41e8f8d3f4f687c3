"""The session's settings: defaults, merge and refusal. Pure.

An update changes only the fields it names, nested ones too, and is atomic: one bad field refuses all of it (HRP:
session settings; the vendor's documentation of session.update). The model can never change, the voice not after audio
was made. (A connection that named no model may name it later: clients do, whose address is given to them whole.) A null
stands for "off" where a setting can be off, else for the default.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from simulator.engine import fields, pcm
from simulator.engine.errors import Refusal, invalid, missing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    _Check = Callable[[Any, str, Any], Any]  # value, its path, present value → value to keep

Settings = dict[str, Any]

DEFAULT_INSTRUCTIONS = "You take part in a study. Talk with the other participant in a friendly way, and keep it short."
DEFAULT_VOICE = "marin"
DEFAULT_MODEL = "embedded"

SERVER_VAD: Settings = {
    "type": "server_vad",
    "threshold": 0.5,
    "prefix_padding_ms": 300,
    "silence_duration_ms": 500,
    "idle_timeout_ms": None,
    "create_response": True,
    "interrupt_response": True,
}
SEMANTIC_VAD: Settings = {
    "type": "semantic_vad",
    "eagerness": "auto",
    "create_response": True,
    "interrupt_response": True,
}
_TURN_DETECTIONS = {"server_vad": SERVER_VAD, "semantic_vad": SEMANTIC_VAD}


def defaults(session_id: str, model: str, expires_at: int) -> Settings:
    """The settings of a session that just began. `expires_at` in seconds since 1970."""
    return {
        "type": "realtime",
        "object": "realtime.session",
        "id": session_id,
        "model": model,
        "expires_at": expires_at,
        "output_modalities": ["audio"],
        "instructions": DEFAULT_INSTRUCTIONS,
        "tools": [],
        "tool_choice": "auto",
        "max_output_tokens": "inf",
        "tracing": None,
        "truncation": "auto",
        "prompt": None,
        "include": None,
        "audio": {
            "input": {
                "format": dict(pcm.FORMAT),
                "transcription": None,
                "noise_reduction": None,
                "turn_detection": dict(SERVER_VAD),
            },
            "output": {"format": dict(pcm.FORMAT), "voice": DEFAULT_VOICE, "speed": 1.0},
        },
    }


def merged(current: Settings, update: object, *, voice_is_fixed: bool) -> Settings:
    """The settings after an update; `current` is not touched.

    Raises:
        Refusal: a field is unknown, has a wrong type or value, or may not change.
    """
    given = fields.an_object(update, "session")
    if "type" not in given:
        raise missing("session.type")
    if given["type"] != "realtime":
        raise invalid("session.type", "'realtime', the only kind of session here", given["type"])
    model = given.get("model")
    if model is not None and model != current["model"] and current["model"] != DEFAULT_MODEL:
        raise Refusal("cannot_update_model", "The model of a session cannot be changed.", "session.model")
    result = copy.deepcopy(current)
    if model is not None:
        result["model"] = fields.a_name(model, "session.model")
    rest = {name: value for name, value in given.items() if name not in ("type", "model")}
    _merge(result, rest, "session", _SESSION_FIELDS)
    if voice_is_fixed and result["audio"]["output"]["voice"] != current["audio"]["output"]["voice"]:
        message = "Cannot update a conversation's voice if assistant audio is present."
        raise Refusal("cannot_update_voice", message, "session.audio.output.voice")
    return result


def _merge(target: Settings, given: Mapping[str, Any], param: str, known: Mapping[str, _Check]) -> None:
    fields.an_object(given, param, known.keys())
    for name, value in given.items():
        target[name] = known[name](value, f"{param}.{name}", target.get(name))


def _plain(check: Callable[[Any, str], Any], default: object) -> _Check:
    """A field that replaces the present value; null gives the default."""
    return lambda value, param, _current: copy.deepcopy(default) if value is None else check(value, param)


def _nested(known: Mapping[str, _Check]) -> _Check:
    """A group of fields merged one by one; null changes nothing."""

    def check(value: Any, param: str, current: Settings) -> Settings:
        if value is not None:
            _merge(current, value, param, known)
        return current

    return check


def _turn_detection(value: Any, param: str, current: Settings | None) -> Settings | None:
    """null, or fields merged into the present ones when the type stays, into the type's defaults when it does not."""
    if value is None:
        return None
    given = fields.an_object(value, param)
    kind = given.get("type", current["type"] if current else None)
    if kind is None:
        raise missing(f"{param}.type")
    base = _TURN_DETECTIONS[fields.one_of(kind, f"{param}.type", _TURN_DETECTIONS)]
    same = current is not None and current["type"] == kind
    result = dict(current) if same and current is not None else dict(base)
    fields.an_object(given, param, base)
    for name, field_value in given.items():
        if name == "idle_timeout_ms" and field_value is None:
            result[name] = None
        elif field_value is not None:
            result[name] = _DETECTION_FIELDS[name](field_value, f"{param}.{name}")
    return result


_DETECTION_FIELDS: dict[str, Callable[[Any, str], Any]] = {
    "type": fields.a_text,
    "threshold": lambda value, param: fields.a_number(value, param, 0, 1),
    "prefix_padding_ms": lambda value, param: fields.an_integer(value, param, 0, 10_000),
    "silence_duration_ms": lambda value, param: fields.an_integer(value, param, 0, 60_000),
    "idle_timeout_ms": lambda value, param: fields.an_integer(value, param, 5_000, 30_000),
    "create_response": fields.a_flag,
    "interrupt_response": fields.a_flag,
    "eagerness": lambda value, param: fields.one_of(value, param, ("low", "medium", "high", "auto")),
}


def _transcription(value: Any, param: str) -> Settings:
    """Any model name: the recogniser is this engine's own affair."""
    given = fields.an_object(value, param)
    if given.get("model") is not None:
        fields.a_name(given["model"], f"{param}.model")
    return given


def _noise_reduction(value: Any, param: str) -> Settings:
    given = fields.an_object(value, param, ("type", "strength"))
    if given.get("type") is not None:
        fields.one_of(given["type"], f"{param}.type", ("near_field", "far_field"))
    return given


def _as_it_is(value: Any, _param: str) -> Any:
    return value


_INPUT_FIELDS: dict[str, _Check] = {
    "format": _plain(fields.audio_format, pcm.FORMAT),
    "transcription": _plain(_transcription, None),
    "noise_reduction": _plain(_noise_reduction, None),
    "turn_detection": _turn_detection,
}
_OUTPUT_FIELDS: dict[str, _Check] = {
    "format": _plain(fields.audio_format, pcm.FORMAT),
    "voice": _plain(fields.voice, DEFAULT_VOICE),
    "speed": _plain(lambda value, param: fields.a_number(value, param, 0.25, 1.5), 1.0),
}
_SESSION_FIELDS: dict[str, _Check] = {
    "output_modalities": _plain(fields.modalities, ["audio"]),
    "instructions": _plain(fields.a_text, DEFAULT_INSTRUCTIONS),
    "tools": _plain(fields.function_tools, []),
    "tool_choice": _plain(fields.tool_choice, "auto"),
    "max_output_tokens": _plain(fields.token_limit, "inf"),
    "audio": _nested({"input": _nested(_INPUT_FIELDS), "output": _nested(_OUTPUT_FIELDS)}),
    # Kept and shown again; they mean nothing to an engine without a model behind it.
    "tracing": _plain(_as_it_is, None),
    "truncation": _plain(_as_it_is, "auto"),
    "prompt": _plain(_as_it_is, None),
    "include": _plain(_as_it_is, None),
    "reasoning": _plain(_as_it_is, None),
    "parallel_tool_calls": _plain(_as_it_is, None),
}
