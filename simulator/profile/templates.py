"""Templates from examples: a text about one question becomes the text about any question of its kind.

The specification words questions only by example. An example and the config that it is about give a template where
everything of the config that the text spells out is found in it: the question's words once, then the range as numbers
on their own, or all options in order with the same text between any two. What cannot be found so is not guessed: nor is
a text of a scale with other numbers (a middle, a step), or one that tells of labels.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from simulator.profile.components import (
    bounds_of,
    dimension_ends,
    dimensions_of,
    ends_of,
    number_text,
    options_of,
    prompt_of,
    scale_labels,
)
from simulator.profile.tools import tool_for

_LONGEST_BETWEEN: Final = 40
_MOST_STARTS: Final = 20
"""How far a list of options is looked for: enough for any text, and soon given up."""

_PROMPT, _LOW, _HIGH, _ITEMS = "prompt", "low", "high", "items"


class Slot(msgspec.Struct, frozen=True):
    """A place in a template: the question's words, an end of the range, or the options with what stands between two."""

    name: str
    between: str = ""


class Template(msgspec.Struct, frozen=True):
    """A text with slots, for one kind of component."""

    parts: tuple[str | Slot, ...]

    def text(self, component: str, config: Mapping[str, Any]) -> str:
        """Return the text for a config. Raises UnreadableFile for one that does not fit the component."""
        return "".join(part if isinstance(part, str) else _filled(part, component, config) for part in self.parts)

    @property
    def slots(self) -> frozenset[str]:
        """The names of the slots."""
        return frozenset(part.name for part in self.parts if isinstance(part, Slot))


def question_template(text: str, component: str, config: Mapping[str, Any]) -> Template | None:
    """Return the template of a question's text; None where its words, its range or its options are not all found.

    Raises UnreadableFile for a config that does not fit the component.
    """
    prompt = prompt_of(config)
    if not prompt or text.count(prompt) != 1:
        return None
    before, after = text.split(prompt)
    parts = [*_found_in(before, component, config), Slot(_PROMPT), *_found_in(after, component, config)]
    template = Template(tuple(part for part in parts if part))
    fits = template.slots >= _needed(component, config) and template.text(component, config) == text
    return template if fits and not _tells_more(template, component, config) else None


def description_template(text: str, component: str, config: Mapping[str, Any]) -> Template:
    """Return the template of a value's description, which need not spell out anything."""
    return Template(tuple(part for part in _found_in(text, component, config) if part))


def _tells_more(template: Template, component: str, config: Mapping[str, Any]) -> bool:
    """Whether the text between the slots holds what belongs to the example alone."""
    literal = "\n".join(part for part in template.parts if isinstance(part, str))
    dimensions = dimension_ends(config) if component == "rapidrate" else []
    labels = [
        *scale_labels(config),
        *ends_of(config, "lowLabel", "highLabel"),
        *(end for _, ends in dimensions for end in ends),
    ]
    numbers = tool_for(component, config) == "answer_scale" and any(each.isdigit() for each in literal)
    return numbers or any(label in literal for label in labels)


def _needed(component: str, config: Mapping[str, Any]) -> set[str]:
    tool = tool_for(component, config)
    if tool == "answer_scale":
        return {_PROMPT, _LOW, _HIGH}
    return {_PROMPT} if tool == "answer_text" else {_PROMPT, _ITEMS}


def _found_in(text: str, component: str, config: Mapping[str, Any]) -> list[str | Slot]:
    tool = tool_for(component, config)
    if tool == "answer_scale":
        return _with_range(text, *bounds_of(component, config))
    if tool == "answer_text":
        return [text]
    return _with_items(text, _items(component, config))


def _with_range(text: str, low: float, high: float) -> list[str | Slot]:
    names = {number_text(low): _LOW, number_text(high): _HIGH}
    either = "|".join(re.escape(each) for each in sorted(names, key=len, reverse=True))
    split = re.split(rf"(?<![\w.])({either})(?!\w|\.\d)", text)
    return [Slot(names[part]) if index % 2 else part for index, part in enumerate(split)]


def _with_items(text: str, items: Sequence[str]) -> list[str | Slot]:
    if len(items) < 2:
        return [text]
    start = -1
    for _ in range(_MOST_STARTS):
        start = text.find(items[0], start + 1)
        if start < 0:
            break
        end = start + len(items[0])
        second = text.find(items[1], end, end + len(items[1]) + _LONGEST_BETWEEN)
        between = text[end:second] if second >= 0 else ""
        block = between.join(items)
        # A number between two items would count them, and no two counts are the same.
        if text.startswith(block, start) and not any(each.isdigit() for each in between):
            return [text[:start], Slot(_ITEMS, between), text[start + len(block) :]]
    return [text]


def _items(component: str, config: Mapping[str, Any]) -> list[str]:
    return dimensions_of(config) if component == "rapidrate" else options_of(config)


def _filled(slot: Slot, component: str, config: Mapping[str, Any]) -> str:
    if slot.name == _PROMPT:
        return prompt_of(config)
    if slot.name == _ITEMS:
        return slot.between.join(_items(component, config))
    low, high = bounds_of(component, config)
    return number_text(low if slot.name == _LOW else high)
