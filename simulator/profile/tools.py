"""The seven function tools that HRP declares to the engine.

Names and parameter schemas are the wire's; the descriptions are this project's own words.
"""

from collections.abc import Mapping
from typing import Any, Final

from simulator.errors import UnknownName


def _tool(name: str, description: str, argument: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "function",
        "name": name,
        "description": description,
        "parameters": {
            "type": "object",
            "properties": {argument: schema},
            "required": [argument],
            "additionalProperties": False,
        },
    }


_TEXTS: Final = {"type": "array", "items": {"type": "string"}}

TOOLS: Final[tuple[dict[str, Any], ...]] = (
    _tool(
        "send_chat",
        "Write a line in the text chat; your partner in the study reads it there.",
        "message",
        {"type": "string", "description": "The line as it will appear in the chat."},
    ),
    _tool(
        "answer_choice",
        "Pick one option of the multiple-choice question on your screen. Copy its text letter by letter.",
        "choice",
        {"type": "string"},
    ),
    _tool(
        "answer_choices",
        "Pick any number of options of the multiple-choice question on your screen. Copy their texts letter by letter.",
        "choices",
        _TEXTS,
    ),
    _tool(
        "answer_scale",
        "Rate on the scale that your screen shows: a number that lies within its limits.",
        "value",
        {"type": "number"},
    ),
    _tool(
        "answer_ranking",
        "Sort the list on your screen: all of its entries, the first place first.",
        "order",
        _TEXTS,
    ),
    _tool(
        "answer_text",
        "Fill the text field on your screen, or give the words that you would speak into the recorder.",
        "text",
        {"type": "string"},
    ),
    _tool(
        "answer_dimensions",
        "Rate each dimension that your screen shows: one score for each label.",
        "scores",
        {"type": "object", "additionalProperties": {"type": "number"}},
    ),
)
"""Wire objects for ``session.tools``, in the specification's order."""

TOOL_NAMES: Final = tuple(each["name"] for each in TOOLS)

ARGUMENT_OF: Final[dict[str, str]] = {each["name"]: each["parameters"]["required"][0] for each in TOOLS}
"""The one argument of each tool: the chat line or the answer's value."""

_TOOL_OF_COMPONENT: Final = {
    "multiplechoice": "answer_choice",
    "likertscale": "answer_scale",
    "vasrating": "answer_scale",
    "ranking": "answer_ranking",
    "textinput": "answer_text",
    "rapidrate": "answer_dimensions",
    "audiorecording": "answer_text",
}


def tool_for(component: str, config: Mapping[str, Any]) -> str:
    """Return the name of the tool that answers `component` (answers[].voiceTool).

    Raises UnknownName for a component that cannot be answered.
    """
    if component not in _TOOL_OF_COMPONENT:
        known = ", ".join(_TOOL_OF_COMPONENT)
        raise UnknownName(f"A question of type “{component}” cannot be answered; the types are {known}.")
    if component == "multiplechoice" and config.get("allowMultiple") is True:
        return "answer_choices"
    return _TOOL_OF_COMPONENT[component]
