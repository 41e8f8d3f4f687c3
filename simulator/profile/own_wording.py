"""What this program says of a question where no specification file words it: the text, and what its value is."""

from collections.abc import Mapping, Sequence
from typing import Any

from simulator.profile.components import (
    bounds_of,
    check_config,
    dimension_ends,
    ends_of,
    number_text,
    options_of,
    prompt_of,
    scale_labels,
)
from simulator.profile.tools import tool_for


def question_text(component: str, config: Mapping[str, Any]) -> str:
    """Return what the agent is told of a question: its words, what kind it is with its range or choices, how to answer.

    Raises UnknownName for a component that cannot be answered, UnreadableFile for a config that does not fit it.
    """
    check_config(component, config)
    return "\n".join([f"Question: {prompt_of(config)}", *_kind_lines(component, config)])


def _kind_lines(component: str, config: Mapping[str, Any]) -> list[str]:
    tool = tool_for(component, config)
    if tool in ("answer_choice", "answer_choices"):
        several = tool == "answer_choices"
        kind = "Multiple choice, " + ("several may be chosen. Choices:" if several else "one is chosen. Choices:")
        how = "Answer with the exact text of " + ("each choice that you pick." if several else "one choice.")
        return [kind, *_listed(options_of(config)), how]
    if tool == "answer_ranking":
        ends = _ends_text(ends_of(config, "lowLabel", "highLabel"))
        kind = f"A ranking{ends} of these items:"
        return [kind, *_listed(options_of(config)), "Answer with the exact texts of all items in your order."]
    if tool == "answer_scale":
        low, high = (number_text(each) for each in bounds_of(component, config))
        kind, number = ("Likert", "whole number") if component == "likertscale" else ("visual analog", "number")
        return [
            f"A {kind} scale from {low} to {high}{_labels_text(config)}.",
            f"Answer with a {number} from {low} to {high}.",
        ]
    if tool == "answer_dimensions":
        labels = [label + _ends_text(ends) for label, ends in dimension_ends(config)]
        kind = "A rating from 0 to 100 on each of these dimensions:"
        return [kind, *_listed(labels), "Answer with one number from 0 to 100 for each label."]
    if component == "audiorecording":
        return ["A voice recording.", "Answer with the exact words that you would say aloud."]
    return ["A text field.", "Answer with text of your own."]


def added_lines(component: str, config: Mapping[str, Any]) -> list[str]:
    """Return lines for what a config holds beyond the words, the range and the choices: the labels of ends and points.

    They are for a text of a specification file, whose example has no labels.
    """
    tool = tool_for(component, config)
    if tool == "answer_scale":
        labels = scale_labels(config)
        return [f"Labels: {', '.join(labels)}."] if labels else []
    if tool == "answer_ranking":
        ends = ends_of(config, "lowLabel", "highLabel")
        return [f"From “{ends[0]}” to “{ends[1]}”."] if ends else []
    if tool == "answer_dimensions":
        return [f"{label}: from “{ends[0]}” to “{ends[1]}”." for label, ends in dimension_ends(config) if ends]
    return []


def value_description(component: str, config: Mapping[str, Any]) -> str:
    """Return what the value of an answer is, in one sentence."""
    tool = tool_for(component, config)
    if tool == "answer_scale":
        low, high = (number_text(each) for each in bounds_of(component, config))
        return f"A {'whole ' if component == 'likertscale' else ''}number from {low} to {high}."
    if component == "audiorecording":
        return "The words as you would speak them."
    return {
        "answer_choice": "The text of one choice, letter by letter.",
        "answer_choices": "The texts of choices, letter by letter.",
        "answer_ranking": "The texts of all items, best first.",
        "answer_dimensions": "For each label a score from 0 to 100.",
    }.get(tool, "Any text.")


def _listed(texts: Sequence[str]) -> list[str]:
    return [f"- {each}" for each in texts]


def _ends_text(ends: Sequence[str]) -> str:
    return f" (from “{ends[0]}” to “{ends[1]}”)" if ends else ""


def _labels_text(config: Mapping[str, Any]) -> str:
    labels = scale_labels(config)
    ends = ends_of(config, "minLabel", "maxLabel")
    return _ends_text(ends) if labels == ends else " (" + ", ".join(labels) + ")"
