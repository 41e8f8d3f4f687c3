"""The JSON schema of the study file, for editors that help while one is written.

The reader (`study_file`) is stricter where a schema cannot follow: files must exist, a question must fit its component.
"""

from typing import Any, Final

from simulator.profile import turn_detection
from simulator.profile.components import RATING_PAUSE_COMPONENTS, SCREEN_COMPONENTS
from simulator.study.step_forms import LONGEST_AFTER_S, LONGEST_ANSWER_S, LONGEST_WAIT_S, MOST_ATTEMPTS
from simulator.study.steps import When
from simulator.study.study_file import FORMAT, FORMAT_VERSION

_TEXT: Final = {"type": ["string", "number", "boolean"], "description": "Text; numbers are taken as they are written."}
_TRUTH: Final = {"enum": [True, False, "on", "off", "yes", "no"]}
"""Editors read `off` as a text, older readers as a truth."""
_EMPTY: Final = {"type": "null"}

_ABOUT: Final = {
    "part": "A part of the study begins: its name, and the agent's guidance in it, below the study's instructions.",
    "participants": "Who the others are, with their roles.",
    "screen": "What the screen shows, with pictures beside the study; video_chat: whether both hear each other.",
    "typed": "A line in the text chat; asks the agent for a reply, unless reply is false.",
    "question": "A question on the screen, answered by the agent without speaking. The study waits for the answer.",
    "rating_pause": "A question while a video stands still; during_video is true unless it says otherwise.",
    "timer": "The seconds that are left on the screen's timer.",
    "pause": "The study waits for these participants.",
    "resume": "The study goes on.",
    "experimenter_message": "A message of the experimenter to everybody.",
    "revealed": "Another participant's answer is shown.",
    "context": "Any other context item, as it stands.",
    "say": "The participant says a recording, by its name or its path beside the study, or a text.",
    "listening": "Whether the participant is heard by the agent, without another screen.",
    "instructions": "The agent's whole instructions are replaced.",
    "reply": "The agent is asked to speak, with instructions for this reply or without.",
    "wait": "Seconds that pass before the next step.",
}


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
                "turn_detection": {"oneOf": [_turn_detection(kind) for kind in turn_detection.FIELDS]},
                "reply_within_s": _seconds(1, 300),
                "text_chat": _TRUTH,
                "steps": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/step"}},
            },
            required=["format", "version", "steps"],
        ),
        "$defs": {"step": {"oneOf": [_step(name, value) for name, value in _actions().items()]}},
    }


def _turn_detection(kind: str) -> dict[str, Any]:
    known = turn_detection.FIELDS[kind]
    return _fields({name: field.schema for name, field in known.items()}, required=["type"])


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
    whole = _fields(question, required=["component", "config"])
    return whole | {"allOf": [_config(component) for component in components]}


def _config(component: str) -> dict[str, Any]:
    """Return what the config of a component must have; more is the reader's to judge."""
    needed = [_one_of("question", "prompt")]
    if component in ("multiplechoice", "ranking"):
        needed.append(_one_of("choices", "options"))
    elif component == "rapidrate":
        needed.append({"required": ["dimensions"]})
    return {
        "if": {"properties": {"component": {"const": component}}},
        "then": {"properties": {"config": {"allOf": needed}}},
    }


def _one_of(*names: str) -> dict[str, Any]:
    return {"anyOf": [{"required": [name]} for name in names]}


def _step(name: str, value: dict[str, Any]) -> dict[str, Any]:
    when = {"enum": [each.value for each in When]}
    fields = {name: value, "when": when, "at_s": _seconds(0, LONGEST_WAIT_S), "after_s": _seconds(0, LONGEST_AFTER_S)}
    return _fields(fields, required=[name]) | {"description": _ABOUT[name]}


def _fields(properties: dict[str, Any], *, required: list[str] | None = None) -> dict[str, Any]:
    described: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    return described | ({"required": required} if required else {})


def _seconds(smallest: float, largest: float) -> dict[str, Any]:
    return {"type": "number", "minimum": smallest, "maximum": largest}
