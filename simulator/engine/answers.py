"""Arguments for a tool call that fit its schema and the question asked. Pure.

The question's own text says what may be answered (choices on lines or after "choices:", a range "from 0 to 100"). Of
the choices that the conversation spoke of most, else of all, one is chosen by a checksum of the question's text: the
same question after the same conversation always gets the same answer.
"""

from __future__ import annotations

import re
import zlib
from typing import Any

_RANGE = re.compile(r"(?:from|between)\s+(-?\d+(?:\.\d+)?)\s*(?:to|and|-|–)\s*(-?\d+(?:\.\d+)?)", re.IGNORECASE)
_BULLET = re.compile(r"^\s*(?:[-*•]|\(?(?:\d{1,2}|[a-z])[.)])\s+(.+?)\s*$", re.IGNORECASE)
_LISTED = re.compile(
    r"^\s*(?:the\s+|available\s+|answer\s+)*(?:choices|options|items|dimensions|labels)(?:\s+(?:are|to rank))?"
    r"\s*:\s*(.+)$",
    re.IGNORECASE,
)
_ENDS = re.compile(r"\s+\(from [\"“].*[\"”] to [\"“].*[\"”]\)$")  # what a dimension's ends are called
_QUOTED = re.compile(r"[\"“]([^\"”\n]{1,80})[\"”]")
_WORD = re.compile(r"[^\W\d_]{3,}")
# They stand in choices and in any conversation, whatever it is about.
_EMPTY_WORDS = frozenset(
    re.findall(
        r"\w+",
        "all and any are but can did does for from had has have her him his how its not one our out she some than that "
        "the their them then they this very was were what when which who will with would yes yet you your",
    )
)
_SENTENCES = (
    "I thought about it for a moment, and it felt calm and friendly to me.",
    "It seemed warm and open, though I would like to know a little more.",
    "I found it interesting, and I would gladly do it again.",
    "It was pleasant, and I felt that I was listened to.",
)


def choices_in(question: str) -> list[str]:
    """The answers that a question's text offers, in its order; empty where it offers none."""
    lines = question.splitlines()
    bullets = [_ENDS.sub("", match[1]) for line in lines if (match := _BULLET.match(line))]
    if bullets:
        return bullets
    for line in lines:
        match = _LISTED.match(line)
        if match:
            quoted = _QUOTED.findall(match[1])
            return quoted or [_unquoted(text) for text in re.split(r"\s*[,;|]\s*", match[1].rstrip(".")) if text]
    quoted = _QUOTED.findall(question)
    return quoted if len(quoted) > 1 else []


def range_in(question: str) -> tuple[float, float] | None:
    """The lowest and highest number that a question's text asks for."""
    found = _RANGE.findall(question)
    if not found:
        return None
    low, high = map(float, found[-1])  # how to answer stands at the end
    return (low, high) if low < high else None


def spoken_of(choices: list[Any], talk: str) -> list[Any]:
    """Those of the choices that a conversation names most often, in their order; all where it names none."""
    said = [_stem(word) for word in _WORD.findall(talk)]
    counts = [sum(said.count(word) for word in _content(str(choice))) for choice in choices]
    most = max(counts, default=0)
    return [choice for choice, count in zip(choices, counts, strict=True) if count == most]


def arguments_for(tool: dict[str, Any], question: str, talk: str = "") -> dict[str, Any]:
    """An object that fits the tool's declared parameters and answers the question as well as its text allows.

    Args:
        tool: as it was declared.
        question: the text that it answers.
        talk: the conversation so far, for choices; empty where it does not matter.
    """
    parameters = tool.get("parameters") or {}
    value = _value(parameters, question, str(tool.get("name", "")), talk)
    return value if isinstance(value, dict) else {}


def _content(choice: str) -> set[str]:
    return {_stem(word) for word in _WORD.findall(choice) if word.lower() not in _EMPTY_WORDS}


def _stem(word: str) -> str:
    return word.lower().rstrip("s")


def _value(schema: dict[str, Any], question: str, name: str, talk: str) -> Any:
    seed = zlib.crc32(f"{question}/{name}".encode())
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        fitting = spoken_of(schema["enum"], talk)
        return fitting[seed % len(fitting)]
    for joined in ("anyOf", "oneOf"):
        if schema.get(joined):
            return _value(schema[joined][0], question, name, talk)
    kind = schema.get("type", "object" if "properties" in schema else "string")
    if isinstance(kind, list):
        kind = kind[0]
    match kind:
        case "object":
            return _object(schema, question, name, talk)
        case "array":
            return _array(schema, question, name, seed, talk)
        case "number" | "integer":
            return _number(schema, question, seed)
        case "boolean":
            return bool(seed % 2)
        case "null":
            return None
        case _:
            return _text(schema, question, seed, talk)


def _object(schema: dict[str, Any], question: str, name: str, talk: str) -> dict[str, Any]:
    properties: dict[str, Any] = schema.get("properties") or {}
    rest = schema.get("additionalProperties")
    if not properties and isinstance(rest, dict):
        return {label: _value(rest, question, label, talk) for label in choices_in(question)}
    wanted = schema.get("required") or list(properties)
    return {key: _value(properties.get(key, {}), question, f"{name}.{key}", talk) for key in wanted}


def _array(schema: dict[str, Any], question: str, name: str, seed: int, talk: str) -> list[Any]:
    items = schema.get("items") or {}
    any_text = items.get("type", "string") == "string" and items.keys() <= {"type", "description"}
    offered = items.get("enum") or (choices_in(question) if any_text else [])
    if not offered:
        return [_value(items, question, f"{name}[{i}]", talk) for i in range(max(1, schema.get("minItems", 1)))]
    order: list[Any] = sorted(offered, key=lambda choice: zlib.crc32(f"{seed}/{choice}".encode()))
    fitting = spoken_of(order, talk)
    order = fitting + [choice for choice in order if choice not in fitting]
    wanted = len(order) if "order" in name or "rank" in question.lower() else min(len(fitting), 1 + seed % 2)
    count: int = max(wanted, schema.get("minItems", 1))
    count = min(count, schema.get("maxItems", count))
    # Only where more are demanded than there are does one come twice.
    return (order * -(-count // len(order)))[:count]


def _number(schema: dict[str, Any], question: str, seed: int) -> float:
    low, high = range_in(question) or (0.0, 100.0)
    if "minimum" in schema:
        low = max(low, float(schema["minimum"]))
        high = max(low, high)
    if "maximum" in schema:
        high = min(high, float(schema["maximum"]))
        low = min(low, high)
    # Not the ends: a mild answer, as most people give.
    value = low + (high - low) * (0.35 + 0.5 * (seed % 101) / 100)
    return round(value) if low <= round(value) <= high else round(value, 2)


def _text(schema: dict[str, Any], question: str, seed: int, talk: str) -> str:
    offered = spoken_of(choices_in(question), talk)
    text = offered[seed % len(offered)] if offered else _SENTENCES[seed % len(_SENTENCES)]
    return text[: schema.get("maxLength", len(text))]


def _unquoted(text: str) -> str:
    return text.strip().strip('"“”').strip()
