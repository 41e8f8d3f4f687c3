"""Questions and their answers: the text of a question, the schema of its value, and the judgement of a tool call.

A component's config is understood in the specification's spelling (`question`, `choices`) and in that of the
platform's factories (`prompt`, `options`); options may be plain texts or objects with `text`, `label` or `value`.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from simulator.errors import UnreadableFile
from simulator.profile.tools import ARGUMENT_OF, tool_for

SCREEN_COMPONENTS: Final = ("multiplechoice", "likertscale", "vasrating", "ranking", "textinput")
RATING_PAUSE_COMPONENTS: Final = (*SCREEN_COMPONENTS, "rapidrate", "audiorecording")
"""Where each component can be answered (answerableComponents)."""

_DEFAULT_SCALE: Final = 7
_NUMBER: Final = {"type": "number", "minimum": 0, "maximum": 100}


class Answer(msgspec.Struct, frozen=True):
    """The judgement of one call: the value that was given, or in `error` one sentence why it was refused."""

    value: Any = None
    error: str | None = None


def prompt_of(config: Mapping[str, Any]) -> str:
    """Return the question's own words, in whichever spelling; "" where there are none."""
    for key in ("question", "prompt"):
        if isinstance(config.get(key), str):
            return str(config[key])
    return ""


def options_of(config: Mapping[str, Any]) -> list[str]:
    """Return the texts of the choices or options, in order. Raises UnreadableFile where there are none."""
    listed = config.get("choices") or config.get("options")
    if not isinstance(listed, list | tuple) or not listed:
        raise UnreadableFile(f"The question “{prompt_of(config)}” has no choices: give it a list of texts.")
    return [_option_text(each) for each in listed]


def _option_text(option: Any) -> str:
    if isinstance(option, Mapping):
        for key in ("text", "label", "value"):
            if option.get(key) is not None:
                return str(option[key])
        raise UnreadableFile("A choice has no text: give it “text”, “label” or “value”.")
    return str(option)


def dimensions_of(config: Mapping[str, Any]) -> list[str]:
    """Return the labels of the dimensions, in order. Raises UnreadableFile where there are none."""
    listed = config.get("dimensions")
    if not isinstance(listed, list | tuple) or not listed:
        raise UnreadableFile(f"The question “{prompt_of(config)}” has no dimensions: give it a list of labels.")
    return [
        str(each["label"]) if isinstance(each, Mapping) and "label" in each else _option_text(each) for each in listed
    ]


def bounds_of(component: str, config: Mapping[str, Any]) -> tuple[float, float]:
    """Return the lowest and the highest value of a likertscale or vasrating."""
    if component == "likertscale":
        return 1, _number(config, "scale", _DEFAULT_SCALE)
    return _number(config, "minValue", 0), _number(config, "maxValue", 100)


def _number(config: Mapping[str, Any], key: str, default: float) -> float:
    value = config.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UnreadableFile(f"“{key}” of the question “{prompt_of(config)}” must be a number.")
    return value


def value_schema(component: str, config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON schema of the value that answers a component (answers[].valueSchema), described in our words.

    Raises UnknownName for a component that cannot be answered and UnreadableFile for a config that lacks something.
    """
    tool = tool_for(component, config)
    if tool == "answer_choice":
        return {"type": "string", "description": "The text of one choice, letter by letter."}
    if tool == "answer_choices":
        return {"type": "array", "items": {"type": "string"}, "description": "The texts of choices, letter by letter."}
    if tool == "answer_ranking":
        return {"type": "array", "items": {"type": "string"}, "description": "The texts of all items, best first."}
    if tool == "answer_scale":
        low, high = bounds_of(component, config)
        kind = "integer" if component == "likertscale" else "number"
        text = f"A {'whole ' if kind == 'integer' else ''}number from {low:g} to {high:g}."
        return {"type": kind, "minimum": low, "maximum": high, "description": text}
    if tool == "answer_dimensions":
        labels = dimensions_of(config)
        return {
            "type": "object",
            "properties": {label: dict(_NUMBER) for label in labels},
            "required": labels,
            "additionalProperties": False,
            "description": "For each label a score from 0 to 100.",
        }
    spoken = component == "audiorecording"
    return {"type": "string", "description": "The words as you would speak them." if spoken else "Any text."}


def question_text(component: str, config: Mapping[str, Any]) -> str:
    """Return what the agent is told of a question: its words, what kind it is with its range or choices, how to answer.

    Raises UnknownName and UnreadableFile as `value_schema` does.
    """
    tool = tool_for(component, config)
    lines = [f"Question: {prompt_of(config)}"]
    if tool in ("answer_choice", "answer_choices"):
        several = tool == "answer_choices"
        lines.append(
            "Multiple choice, " + ("several may be chosen. Choices:" if several else "one is chosen. Choices:")
        )
        lines += [f"- {each}" for each in options_of(config)]
        lines.append("Answer with the exact text of " + ("each choice that you pick." if several else "one choice."))
    elif tool == "answer_ranking":
        ends = _ends(config, "lowLabel", "highLabel")
        lines.append(f"A ranking{ends} of these items:")
        lines += [f"- {each}" for each in options_of(config)]
        lines.append("Answer with the exact texts of all items in your order.")
    elif tool == "answer_scale":
        low, high = bounds_of(component, config)
        whole = component == "likertscale"
        lines.append(
            f"A {'Likert' if whole else 'visual analog'} scale from {low:g} to {high:g}{_scale_labels(config)}."
        )
        lines.append(f"Answer with a {'whole ' if whole else ''}number from {low:g} to {high:g}.")
    elif tool == "answer_dimensions":
        lines.append("A rating from 0 to 100 on each of these dimensions:")
        lines += [f"- {label}{ends}" for label, ends in _dimension_lines(config)]
        lines.append("Answer with one number from 0 to 100 for each label.")
    elif component == "audiorecording":
        lines += ["A voice recording.", "Answer with the exact words that you would say aloud."]
    else:
        lines += ["A text field.", "Answer with text of your own."]
    return "\n".join(lines)


def _ends(config: Mapping[str, Any], low: str, high: str) -> str:
    if isinstance(config.get(low), str) and isinstance(config.get(high), str):
        return f" (from “{config[low]}” to “{config[high]}”)"
    return ""


def _scale_labels(config: Mapping[str, Any]) -> str:
    labels = config.get("labels")
    if isinstance(labels, list | tuple) and labels and all(isinstance(each, str) for each in labels):
        return " (" + ", ".join(labels) + ")"
    return _ends(config, "minLabel", "maxLabel")


def _dimension_lines(config: Mapping[str, Any]) -> list[tuple[str, str]]:
    labels = dimensions_of(config)
    each_config = [each if isinstance(each, Mapping) else {} for each in config["dimensions"]]
    return [(label, _ends(each, "minLabel", "maxLabel")) for label, each in zip(labels, each_config, strict=True)]


def judge(component: str, config: Mapping[str, Any], tool: str, arguments: str) -> Answer:
    """Judge a call of `tool` with its JSON `arguments` as the answer to a component.

    The value must fit `value_schema` and, where texts are chosen or sorted, be exactly those on the screen.
    """
    expected = tool_for(component, config)
    if tool != expected:
        return Answer(error=f"This question is answered with {expected}, not with {tool}.")
    argument = ARGUMENT_OF[tool]
    value, error = read_argument(tool, arguments)
    if error is not None:
        return Answer(error=error)
    error = _CHECKS[tool](value, component, config)
    return Answer(error=f"“{argument}” {error}") if error else Answer(value=value)


def read_argument(tool: str, arguments: str) -> tuple[Any, str | None]:
    """Return the argument of a declared tool's call, or None and a sentence: the JSON holds just that one."""
    argument = ARGUMENT_OF[tool]
    try:
        given = msgspec.json.decode(arguments)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None, "The arguments are not JSON."
    if not isinstance(given, dict):
        return None, "The arguments are not a JSON object."
    if argument not in given:
        return None, f"The argument “{argument}” is missing."
    if len(given) > 1:
        extra = ", ".join(f"“{each}”" for each in given if each != argument)
        return None, f"There is no argument {extra}."
    return given[argument], None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _texts_error(value: Any, options: list[str]) -> str | None:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        return "must be a list of texts."
    for each in value:
        if each not in options:
            return f"has “{each}”, which is not on the screen."
    if len(set(value)) < len(value):
        return "has the same text twice."
    return None


def _choice_error(value: Any, _component: str, config: Mapping[str, Any]) -> str | None:
    if not isinstance(value, str):
        return "must be a text."
    return None if value in options_of(config) else f"is “{value}”, which is not on the screen."


def _choices_error(value: Any, _component: str, config: Mapping[str, Any]) -> str | None:
    error = _texts_error(value, options_of(config))
    if error is None and not value and config.get("required") is not False:
        return "must have at least one choice."
    return error


def _ranking_error(value: Any, _component: str, config: Mapping[str, Any]) -> str | None:
    options = options_of(config)
    error = _texts_error(value, options)
    if error is None and len(value) < len(options):
        missing = ", ".join(f"“{each}”" for each in options if each not in value)
        return f"lacks {missing}."
    return error


def _scale_error(value: Any, component: str, config: Mapping[str, Any]) -> str | None:
    low, high = bounds_of(component, config)
    whole = component == "likertscale"
    if _is_number(value) and low <= value <= high and (not whole or value == int(value)):
        return None
    return f"must be a {'whole ' if whole else ''}number from {low:g} to {high:g}."


def _text_error(value: Any, _component: str, config: Mapping[str, Any]) -> str | None:
    if not isinstance(value, str):
        return "must be a text."
    return "must not be empty." if not value.strip() and config.get("required") is not False else None


def _dimensions_error(value: Any, _component: str, config: Mapping[str, Any]) -> str | None:
    if not isinstance(value, dict):
        return "must be an object with a number for each label."
    labels = dimensions_of(config)
    for label in labels:
        if label not in value:
            return f"lacks “{label}”."
        if not _is_number(value[label]) or not 0 <= value[label] <= 100:
            return f"must have a number from 0 to 100 for “{label}”."
    extra = [each for each in value if each not in labels]
    return f"has “{extra[0]}”, which is not on the screen." if extra else None


_CHECKS: Final[dict[str, Callable[[Any, str, Mapping[str, Any]], str | None]]] = {
    "answer_choice": _choice_error,
    "answer_choices": _choices_error,
    "answer_scale": _scale_error,
    "answer_ranking": _ranking_error,
    "answer_text": _text_error,
    "answer_dimensions": _dimensions_error,
}
