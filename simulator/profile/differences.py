"""Where a specification file differs from what this program knows, field by field."""

import collections
import copy
import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Final, Literal

import msgspec

from simulator.profile import own_wording
from simulator.profile.answers import value_schema
from simulator.profile.components import config_error, prompt_of
from simulator.profile.context_items import PREFIX
from simulator.profile.own_statement import ANSWERS, STATEMENT, TEXT
from simulator.profile.tools import tool_for

DifferenceKind = Literal["fact", "added", "missing", "wording"]

_PROSE: Final = frozenset(
    {"api", "baseUrl", "basis", "description", "encoding", "passes", "profile", "purpose", "question", "toolsNote"}
)
"""Fields of words, which change nothing that is judged. Where this program has none, there is no difference."""
_EXAMPLES: Final = frozenset({"audio_end_ms", "call_id", "image_url", "instructions", "item_id", "response_id", "text"})
"""Fields of an example event whose values are only examples."""
_ORDER: Final[tuple[DifferenceKind, ...]] = ("fact", "added", "missing", "wording")


class Difference(msgspec.Struct, frozen=True):
    """One field that a file has otherwise than this program knows it.

    `kind`: "fact" another value, "added" only the file has it, "missing" only this program, "wording" other words.
    """

    path: str
    known: Any
    given: Any
    kind: DifferenceKind


def compare(document: dict[str, Any]) -> list[Difference]:
    """Return how a file's document differs from what this program knows: facts first, wording last."""
    known = {**STATEMENT, "answers": _known_answers(document)}
    found = [*_compared(known, _by_name(document), ""), *_words_of_questions(document)]
    return sorted(found, key=lambda each: _ORDER.index(each.kind))


def _compared(known: Any, given: Any, path: str) -> Iterator[Difference]:
    if isinstance(known, dict) and isinstance(given, dict):
        if path.startswith(_CONTEXT) and set(known) == set(given) and list(known) != list(given):
            yield Difference(f"{path} (the order of its fields)", list(known), list(given), "fact")
        for name, value in known.items():
            inner = f"{path}.{name}" if path else name
            if name in given:
                yield from _compared(value, given[name], inner)
            else:
                yield Difference(inner, value, None, "wording" if name in _PROSE else "missing")
        for name in given:
            if name not in known and name not in _PROSE:
                yield Difference(f"{path}.{name}" if path else name, None, given[name], "added")
    elif _are_texts(known) and _are_texts(given):
        yield from (Difference(f"{path}[{each}]", each, None, "missing") for each in known if each not in given)
        yield from (Difference(f"{path}[{each}]", None, each, "added") for each in given if each not in known)
    elif isinstance(known, list) and isinstance(given, list) and len(known) == len(given):
        for index, pair in enumerate(zip(known, given, strict=True)):
            yield from _compared(*pair, f"{path}[{index}]")
    elif isinstance(known, bool) != isinstance(given, bool) or known != given:
        prose = path.rpartition(".")[2] in _PROSE
        yield Difference(path, known, given, "wording" if prose else "fact")


def _are_texts(value: Any) -> bool:
    """Whether a value is a list of names, whose order says nothing."""
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


# The file's document in the shape of the statement: lists of objects by name, examples without their values.

_CONTEXT: Final = "voiceEngine.contextItems"


def _by_name(document: dict[str, Any]) -> dict[str, Any]:
    shaped = copy.deepcopy(document)
    for path, (name_of, shape) in _LISTS.items():
        *outer, last = path.split(".")
        place: Any = shaped
        for name in outer:
            place = place.get(name) if isinstance(place, dict) else None
        if isinstance(place, dict) and isinstance(place.get(last), list):
            place[last] = _named(place[last], name_of, shape)
    return shaped


def _named(listed: list[Any], name_of: Callable[[Any], Any], shape: Callable[[Any], Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    counts: collections.Counter[str] = collections.Counter()
    for each in listed:
        try:
            name, value = str(name_of(each)), shape(each)
        except (KeyError, TypeError, AttributeError, ValueError):
            name, value = "(without a name)", each
        counts[name] += 1
        found[f"{name} ({counts[name]})" if counts[name] > 1 else name] = value
    return found


def _as_it_is(value: Any) -> Any:
    return value


def _answer_name(answer: Any) -> str:
    return f"{answer['componentType']} ({answer['voiceTool']})"


def _without(*names: str) -> Callable[[Any], Any]:
    return lambda value: {name: inner for name, inner in value.items() if name not in names}


def _event(entry: Any) -> Any:
    return {**_without("type")(entry), "example": _example(entry["example"])}


def _example(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _field_of_example(name, inner) for name, inner in value.items()}
    return [_example(each) for each in value] if isinstance(value, list) else value


def _field_of_example(name: str, value: Any) -> Any:
    if name == "tools" and isinstance(value, list):
        return []  # some of the tools, which are compared where all are
    if name in _EXAMPLES or (name == "audio" and isinstance(value, str)):
        return _blank(value)
    return _example(value)


def _blank(value: Any) -> Any:
    """Return the shape of a value: texts, numbers and truths without what they say, of a list its first entry."""
    if isinstance(value, dict):
        return {name: _blank(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_blank(each) for each in value[:1]]
    if isinstance(value, bool):
        return False
    return 0 if isinstance(value, int | float) else TEXT


def _context_name(text: Any) -> str:
    item = context_item(text)
    return f"{item['event']}{' with images' if 'images' in item else ''}"


def _context_shape(text: Any) -> Any:
    item = context_item(text)
    shape = {**_blank(item), "event": item["event"]}
    if "answer" in item:
        shape["answer"] = TEXT
    if isinstance(item.get("images"), list):
        shape["images"] = [re.sub(r"\(.*\)", f"({TEXT})", str(each), flags=re.DOTALL) for each in item["images"]]
    return shape


def context_item(text: Any) -> dict[str, Any]:
    """Return the object of a context item's text. Raises ValueError or TypeError for what is none."""
    item = json.loads(text.removeprefix(PREFIX))
    if not text.startswith(PREFIX) or not isinstance(item, dict):
        raise ValueError(text)
    return item


_LISTS: Final[dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]]] = {
    "answers": (_answer_name, _without("exampleConfig")),
    "modelEndpoint.connectionTest": (lambda each: each["request"], _without("request")),
    "modelEndpoint.tools": (lambda each: each["function"]["name"], _as_it_is),
    "voiceEngine.clientEvents": (lambda each: each["type"], _event),
    _CONTEXT: (_context_name, _context_shape),
    "voiceEngine.tools": (lambda each: each["name"], _as_it_is),
    "conformance.turnDetections": (lambda each: each["type"], _as_it_is),
    "conformance.checks": (lambda each: each["id"], _as_it_is),
}


# What this program makes of the file's own examples.


def _known_answers(document: dict[str, Any]) -> dict[str, Any]:
    known: dict[str, Any] = {}
    for name, place in ANSWERS.items():
        component, _, tool = name.removesuffix(")").partition(" (")
        known[name] = {"componentType": component, "shownOn": place, "voiceTool": tool}
    for answer in document["answers"]:
        component, config = answer["componentType"], answer["exampleConfig"]
        if config_error(component, config) is None:  # of another, what the file says of its values is added
            known[f"{component} ({tool_for(component, config)})"]["valueSchema"] = value_schema(component, config)
    return known


def _words_of_questions(document: dict[str, Any]) -> Iterator[Difference]:
    """Yield the questions that the file words, beside this program's words for the same."""
    for text in document["voiceEngine"]["contextItems"]:
        item = context_item(text)
        given = item.get("question")
        if not isinstance(given, str):
            continue
        for answer in document["answers"]:
            component, config = answer["componentType"], answer["exampleConfig"]
            if config_error(component, config) is None and tool_for(component, config) == item.get("tool"):
                own = own_wording.question_text(component, config)
                if prompt_of(config) in given and own != given:
                    yield Difference(f"{_CONTEXT}.question.question ({component})", own, given, "wording")
