"""Answerable components as a study configures them: words, options, dimensions, range, and where each may stand.

A config is understood in the specification's spelling (`question`, `choices`, `scale`) and in that of the platform's
factories (`prompt`, `options`, `scalePoints`); options may be plain texts or objects with `text`, `label` or `value`.

A vasrating's `step` is how finely its slider moves for a person. The specification's value schema does not hold it, so
a voice agent's answer between two steps is taken as it is: it is neither refused nor rounded, and the agent is not told
of steps.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from simulator.errors import UnreadableFile, UsageError
from simulator.profile.tools import tool_for

SCREEN_COMPONENTS: Final = ("multiplechoice", "likertscale", "vasrating", "ranking", "textinput")
RATING_PAUSE_COMPONENTS: Final = (*SCREEN_COMPONENTS, "rapidrate", "audiorecording")
"""Where each component can be answered (answerableComponents)."""
PLACES: Final = {"screen": SCREEN_COMPONENTS, "rating pause": RATING_PAUSE_COMPONENTS}

LIKERT_POINTS: Final = (2, 11)
"""The fewest and the most points of a likertscale."""
_DEFAULT_SCALE: Final = 7
_TRUTHS: Final = ("allowMultiple", "required")


def check_place(component: str, shown_on: str) -> None:
    """Raise UsageError for a component that cannot be answered where it is shown: "screen" or "rating pause"."""
    tool_for(component, {})
    if shown_on not in PLACES:
        raise UsageError(f"A question stands on a screen or in a rating pause, not on “{shown_on}”.")
    if component not in PLACES[shown_on]:
        raise UsageError(f"A question of type “{component}” can be answered in a rating pause only, not on a screen.")


def config_error(component: str, config: Mapping[str, Any]) -> str | None:
    """Return in one sentence why a question of this config cannot be asked, None where it can."""
    try:
        check_config(component, config)
    except UsageError as error:
        return str(error)
    return None


def check_config(component: str, config: Mapping[str, Any]) -> None:
    """Raise UnknownName for a component that cannot be answered, UnreadableFile for a config that does not fit it."""
    for key in _TRUTHS:
        if not isinstance(config.get(key), bool | None):
            raise UnreadableFile(f"“{key}” of the question {_named(config)} must be true or false.")
    tool = tool_for(component, config)
    if not _is_whole(prompt_of(config)):
        raise UnreadableFile(
            f"A question of type “{component}” holds half a character, a lone surrogate: write it anew."
        )
    if not prompt_of(config).strip():
        raise UnreadableFile(f"A question of type “{component}” has no words: give it “question” or “prompt”.")
    if tool in ("answer_choice", "answer_choices", "answer_ranking"):
        options_of(config)
    elif tool == "answer_dimensions":
        dimensions_of(config)
    elif tool == "answer_scale":
        low, high = bounds_of(component, config)
        if component == "vasrating":
            step_of(config, high - low)


def prompt_of(config: Mapping[str, Any]) -> str:
    """Return the question's own words, in whichever spelling; "" where there are none."""
    for key in ("question", "prompt"):
        if isinstance(config.get(key), str):
            return str(config[key])
    return ""


def options_of(config: Mapping[str, Any]) -> list[str]:
    """Return the texts of the choices or options, in order.

    Raises UnreadableFile where there are none, where one has no text, or where two have the same: their exact texts are
    the answer, so they could not be told apart.
    """
    listed = config.get("choices") or config.get("options")
    if not isinstance(listed, list | tuple) or not listed:
        raise UnreadableFile(f"The question {_named(config)} has no choices: give it a list of texts.")
    return _distinct([_option_text(each) for each in listed], "choice", config)


def dimensions_of(config: Mapping[str, Any]) -> list[str]:
    """Return the labels of the dimensions, in order. Raises UnreadableFile as `options_of` does."""
    listed = config.get("dimensions")
    if not isinstance(listed, list | tuple) or not listed:
        raise UnreadableFile(f"The question {_named(config)} has no dimensions: give it a list of labels.")
    return _distinct([_option_text(each, "label") for each in listed], "dimension", config)


def _distinct(texts: list[str], what: str, config: Mapping[str, Any]) -> list[str]:
    twice = next((each for each in texts if texts.count(each) > 1), None) if len(set(texts)) < len(texts) else None
    if twice is not None:
        raise UnreadableFile(
            f"The question {_named(config)} has the {what} “{twice}” twice: an answer could not tell them apart."
        )
    return texts


def _option_text(option: Any, first: str = "text") -> str:
    if isinstance(option, Mapping):
        keys = (first, *(key for key in ("text", "label", "value") if key != first))
        option = next((option[key] for key in keys if option.get(key) is not None), None)
    if isinstance(option, int | float) and not isinstance(option, bool):
        return number_text(option)
    if not isinstance(option, str) or not option.strip():
        raise UnreadableFile("A choice has no text: give it “text”, “label” or “value”, and put yes and no in quotes.")
    if not _is_whole(option):
        raise UnreadableFile("A choice holds half a character, a lone surrogate: write it anew.")
    return option


def _is_whole(text: str) -> bool:
    """Whether a text has no half of a character, which no answer could give back."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def bounds_of(component: str, config: Mapping[str, Any]) -> tuple[float, float]:
    """Return the lowest and the highest value of a likertscale or vasrating. Raises UnreadableFile."""
    if component == "likertscale":
        key = "scalePoints" if "scale" not in config and "scalePoints" in config else "scale"
        points = _number(config, key, _DEFAULT_SCALE)
        fewest, most = LIKERT_POINTS
        if points != int(points) or not fewest <= points <= most:
            raise UnreadableFile(f"“{key}” of the question {_named(config)} must be from {fewest} to {most} points.")
        return 1, int(points)
    low, high = _number(config, "minValue", 0), _number(config, "maxValue", 100)
    if not low < high:
        raise UnreadableFile(
            f"“minValue” of the question {_named(config)} is {number_text(low)}, which must be less than its "
            f"“maxValue” {number_text(high)}."
        )
    return low, high


def step_of(config: Mapping[str, Any], span: float) -> float:
    """Return how finely a vasrating's slider moves, 0 where it does not step. Raises UnreadableFile."""
    step = _number(config, "step", 0)
    if not 0 <= step <= span:
        raise UnreadableFile(
            f"“step” of the question {_named(config)} must be a number from 0 to {number_text(span)}, its whole range."
        )
    return step


def _number(config: Mapping[str, Any], key: str, default: float) -> float:
    value = default if config.get(key) is None else config[key]
    if not is_number(value):
        raise UnreadableFile(f"“{key}” of the question {_named(config)} must be a number.")
    return float(value) if isinstance(value, float) else int(value)


def is_number(value: Any) -> bool:
    """Whether a value is a number that JSON has: finite, and no truth."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond what a float holds
        return False


def number_text(value: float) -> str:
    """Return a number as a person writes it: 7, 0.5, 1000000; a whole number without a point."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value)


def scale_labels(config: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the labels of a scale's points, or of its two ends; () where it has none."""
    labels = config.get("labels")
    if isinstance(labels, list | tuple) and labels and all(isinstance(each, str) for each in labels):
        return tuple(labels)
    return ends_of(config, "minLabel", "maxLabel")


def ends_of(config: Mapping[str, Any], low: str, high: str) -> tuple[str, ...]:
    """Return the labels of the two ends, () where one is missing."""
    ends = (config.get(low), config.get(high))
    return tuple(str(each) for each in ends) if all(isinstance(each, str) and each for each in ends) else ()


def dimension_ends(config: Mapping[str, Any]) -> list[tuple[str, tuple[str, ...]]]:
    """Return each dimension's label with the labels of its two ends, () where it has none."""
    each_config: Sequence[Any] = config["dimensions"]
    ends = [ends_of(each, "minLabel", "maxLabel") if isinstance(each, Mapping) else () for each in each_config]
    return list(zip(dimensions_of(config), ends, strict=True))


def _named(config: Mapping[str, Any]) -> str:
    return f"“{prompt_of(config)}”"
