"""The JSON schema of the study file, for editors that help while one is written.

The reader (`study_file`) is stricter where a schema cannot follow: files must exist, a question must fit its component.
"""

from typing import Any, Final

from simulator.profile.components import RATING_PAUSE_COMPONENTS, SCREEN_COMPONENTS
from simulator.study.step_forms import LONGEST_ANSWER_S, LONGEST_WAIT_S, MOST_ATTEMPTS
from simulator.study.steps import When
from simulator.study.study_file import FORMAT, FORMAT_VERSION

_TEXT: Final = {"type": ["string", "number", "boolean"], "description": "Text; numbers are taken as they are written."}
_TRUTH: Final = {"enum": [True, False, "on", "off", "yes", "no"]}
"""Editors read `off` as a text, older readers as a truth."""
_EMPTY: Final = {"type": "null"}


def study_schema() -> dict[str, Any]:
    """Return the schema of a study file, as what a YAML reader makes of it."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A study",
        "$comment": f"{FORMAT}, version {FORMAT_VERSION}",
        **_fields(
            {
                "format": {"const": FORMAT},
                "version": {"const": FORMAT_VERSION},
                "name": _TEXT,
                "instructions": _TEXT,
                "voice": _TEXT,
                "turn_detection": {"type": "object", "required": ["type"]},
                "reply_within_s": _seconds(1, 300),
                "text_chat": _TRUTH,
                "steps": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/step"}},
            },
            required=["format", "version", "steps"],
        ),
        "$defs": {"step": {"oneOf": [_step(name, value) for name, value in _actions().items()]}},
    }


def _actions() -> dict[str, dict[str, Any]]:
    person = _fields({"name": _TEXT, "role": _TEXT}, required=["name"])
    image = _fields({"file": _TEXT, "shows": _TEXT}, required=["file"])
    typed = {"speaker": _TEXT, "said": _TEXT, "reply": _TRUTH}
    images = {"type": "array", "items": image}
    context = {
        "item": {"type": "object", "required": ["event"], "properties": {"event": _TEXT}},
        "images": {"type": "array", "items": _TEXT},
        "reply": _TRUTH,
        "video_chat": _TRUTH,
    }
    return {
        "part": {"anyOf": [_TEXT, _fields({"name": _TEXT, "guidance": _TEXT}, required=["name"])]},
        "participants": {"type": "array", "items": person},
        "screen": _fields({"type": _TEXT, "text": _TEXT, "images": images, "video_chat": _TRUTH}),
        "typed": _fields(typed, required=["speaker", "said"]),
        "question": _question(SCREEN_COMPONENTS),
        "rating_pause": _question(RATING_PAUSE_COMPONENTS),
        "timer": _seconds(0, LONGEST_WAIT_S),
        "pause": {"type": "array", "items": _TEXT},
        "resume": _EMPTY,
        "experimenter_message": _TEXT,
        "revealed": _fields({"name": _TEXT, "role": _TEXT, "answer": {}}, required=["name", "answer"]),
        "context": _fields(context, required=["item"]),
        "say": {"anyOf": [_TEXT, _fields({"text": _TEXT, "voice": _TEXT}, required=["text"])]},
        "listening": _TRUTH,
        "instructions": _TEXT,
        "reply": {"anyOf": [_TEXT, _EMPTY]},
        "wait": _seconds(0, LONGEST_WAIT_S),
    }


def _question(components: tuple[str, ...]) -> dict[str, Any]:
    question = {
        "component": {"enum": list(components)},
        "config": {"type": "object"},
        "during_video": _TRUTH,
        "within_s": _seconds(1, LONGEST_ANSWER_S),
        "attempts": {"type": "integer", "minimum": 1, "maximum": MOST_ATTEMPTS},
        "video_chat": _TRUTH,
        "own_answer": {"description": "What the participant answers to the question."},
    }
    return _fields(question, required=["component", "config"])


def _step(name: str, value: dict[str, Any]) -> dict[str, Any]:
    when = {"enum": [each.value for each in When]}
    return _fields({name: value, "when": when, "at_s": _seconds(0, LONGEST_WAIT_S)}, required=[name])


def _fields(properties: dict[str, Any], *, required: list[str] | None = None) -> dict[str, Any]:
    described: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    return described | ({"required": required} if required else {})


def _seconds(smallest: float, largest: float) -> dict[str, Any]:
    return {"type": "number", "minimum": smallest, "maximum": largest}
