"""Answers: the schema of a question's value, and the judgement of the tool call that gives it.

A call is taken or refused as it is: nothing is rounded, trimmed or matched loosely. A refusal is one sentence that says
what was expected and, where the answer nearly fits, which exact text or number was meant, so that the agent can correct
itself. The one thing that changes form is a whole number written with a point (3.0): a likertscale's value is 3, the
integer that its schema asks for.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from simulator.errors import UsageError
from simulator.profile.arguments import named, near, read_argument, shown
from simulator.profile.components import (
    RATING_PAUSE_COMPONENTS,
    SCREEN_COMPONENTS,
    bounds_of,
    check_config,
    check_place,
    config_error,
    dimensions_of,
    is_number,
    number_text,
    options_of,
    prompt_of,
)
from simulator.profile.own_wording import question_text
from simulator.profile.tools import ARGUMENT_OF, tool_for
from simulator.profile.wording import OWN_WORDING, Wording

__all__ = [
    "RATING_PAUSE_COMPONENTS",
    "SCREEN_COMPONENTS",
    "Answer",
    "bounds_of",
    "check_place",
    "config_error",
    "dimensions_of",
    "judge",
    "options_of",
    "prompt_of",
    "question_text",
    "read_argument",
    "value_schema",
]

_SCORE: Final = {"type": "number", "minimum": 0, "maximum": 100}


class Answer(msgspec.Struct, frozen=True):
    """The judgement of one call: the value that was given, or in `error` one sentence why it was refused."""

    value: Any = None
    error: str | None = None


def value_schema(component: str, config: Mapping[str, Any], wording: Wording = OWN_WORDING) -> dict[str, Any]:
    """Return the JSON schema of the value that answers a component (answers[].valueSchema).

    Raises UnknownName for a component that cannot be answered and UnreadableFile for a config that does not fit it.
    """
    check_config(component, config)
    return {**_value_shape(component, config), "description": wording.value_description(component, config)}


def _value_shape(component: str, config: Mapping[str, Any]) -> dict[str, Any]:
    match tool_for(component, config):
        case "answer_choices" | "answer_ranking":
            return {"type": "array", "items": {"type": "string"}}
        case "answer_scale":
            low, high = bounds_of(component, config)
            return {"type": "integer" if component == "likertscale" else "number", "minimum": low, "maximum": high}
        case "answer_dimensions":
            labels = dimensions_of(config)
            return {
                "type": "object",
                "properties": {label: dict(_SCORE) for label in labels},
                "required": labels,
                "additionalProperties": False,
            }
    return {"type": "string"}


def judge(component: str, config: Mapping[str, Any], tool: str, arguments: str) -> Answer:
    """Judge a call of `tool` with its JSON `arguments` as the answer to a component. Raises nothing.

    The value must fit `value_schema` and, where texts are chosen or sorted, be exactly those on the screen.
    """
    try:
        check_config(component, config)
        expected = tool_for(component, config)
    except UsageError as error:
        return Answer(error=str(error))
    if tool != expected:
        return Answer(error=f"This question is answered with {expected}, not with {shown(tool)}.")
    value, refusal = read_argument(tool, arguments)
    if refusal is not None:
        return Answer(error=refusal)
    wrong = _CHECKS[tool](value, component, config)
    if wrong is not None:
        return Answer(error=f"“{ARGUMENT_OF[tool]}” {wrong}")
    return Answer(value=int(value) if component == "likertscale" else value)


def _choice_error(value: Any, _component: str, config: Mapping[str, Any]) -> str | None:
    options = options_of(config)
    if not isinstance(value, str):
        return f"must be one text, not {named(value)}: one of {_listed(options)}."
    return None if value in options else _not_there(value, options)


def _choices_error(value: Any, _component: str, config: Mapping[str, Any]) -> str | None:
    options = options_of(config)
    error = _texts_error(value, options)
    if error is None and not value and config.get("required") is not False:
        return f"must have at least one choice of {_listed(options)}."
    if error is None and len(set(value)) < len(value):
        return f"has {_listed(_twice(value))} more than once: name each choice once."
    return error


def _ranking_error(value: Any, _component: str, config: Mapping[str, Any]) -> str | None:
    options = options_of(config)
    error = _texts_error(value, options)
    if error is not None:
        return error
    twice, missing = _twice(value), [each for each in options if each not in value]
    wrong = [f"has {_listed(twice)} more than once"] * bool(twice) + [f"lacks {_listed(missing)}"] * bool(missing)
    return f"{' and '.join(wrong)}: give each item of the list once." if wrong else None


def _texts_error(value: Any, options: list[str]) -> str | None:
    if not isinstance(value, list):
        return f"must be a list of texts, not {named(value)}: texts of {_listed(options)}."
    for each in value:
        if not isinstance(each, str):
            return f"must be a list of texts, and has {named(each)}: texts of {_listed(options)}."
        if each not in options:
            return "has" + _not_there(each, options).removeprefix("is")
    return None


def _not_there(value: str, options: list[str]) -> str:
    """Say that a text is not on the screen, and what is."""
    meant = near(value, options)
    if meant is not None:
        return f"is “{shown(value)}”, which is not on the screen: its exact text is “{meant}”."
    return f"is “{shown(value)}”, which is not on the screen: there are {_listed(options)}."


def _twice(texts: list[str]) -> list[str]:
    return [each for each in dict.fromkeys(texts) if texts.count(each) > 1]


def _listed(texts: list[str]) -> str:
    return ", ".join(f"“{each}”" for each in texts)


def _scale_error(value: Any, component: str, config: Mapping[str, Any]) -> str | None:
    low, high = bounds_of(component, config)
    whole = component == "likertscale"
    if is_number(value) and low <= value <= high and (not whole or value == int(value)):
        return None
    kind = "whole number" if whole else "number"
    return f"must be a {kind} from {number_text(low)} to {number_text(high)}{_not_a_number(value)}."


def _not_a_number(value: Any) -> str:
    """Say what was given instead of a number; nothing about a number that is too large, too small or not whole."""
    if is_number(value):
        return ""
    quoted = isinstance(value, str) and re.fullmatch(r"\s*[-+]?\d+([.,]\d+)?\s*", value)
    return f", not {named(value)}{': write the number without quotation marks' if quoted else ''}"


def _text_error(value: Any, _component: str, config: Mapping[str, Any]) -> str | None:
    if not isinstance(value, str):
        return f"must be a text, not {named(value)}."
    return "must not be empty." if not value.strip() and config.get("required") is not False else None


def _dimensions_error(value: Any, _component: str, config: Mapping[str, Any]) -> str | None:
    labels = dimensions_of(config)
    if not isinstance(value, dict):
        return f"must be an object with a number from 0 to 100 for each of {_listed(labels)}, not {named(value)}."
    extra = next((each for each in value if each not in labels), None)
    if extra is not None:
        return "has" + _not_there(extra, labels).removeprefix("is")
    missing = [each for each in labels if each not in value]
    if missing:
        return f"lacks {_listed(missing)}: give a number from 0 to 100 for each label."
    for label in labels:
        if not is_number(value[label]) or not 0 <= value[label] <= 100:
            return f"must have a number from 0 to 100 for “{label}”{_not_a_number(value[label])}."
    return None


_CHECKS: Final[dict[str, Callable[[Any, str, Mapping[str, Any]], str | None]]] = {
    "answer_choice": _choice_error,
    "answer_choices": _choices_error,
    "answer_scale": _scale_error,
    "answer_ranking": _ranking_error,
    "answer_text": _text_error,
    "answer_dimensions": _dimensions_error,
}
