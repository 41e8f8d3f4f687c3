"""Reading the fields of events: an engine chose what to send, so every access survives a wrong type."""

import sys
from typing import Any

from simulator.record.entries import Entry
from simulator.units import NS_PER_MS

_LARGEST_COUNT = (1 << 63) - 1
"""Whole numbers are times, positions and sizes here: none is further from 0."""


def value_at(entry: Entry, *path: str) -> Any:
    """Return whatever lies at a path of fields, or None."""
    value: Any = entry.event
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def text(entry: Entry, *path: str) -> str | None:
    """Return the text at a path of fields, or None."""
    value = value_at(entry, *path)
    return value if isinstance(value, str) else None


def number(entry: Entry, *path: str) -> int | float | None:
    """Return the number at a path of fields, or None; true and false are no numbers."""
    value = value_at(entry, *path)
    return value if is_number(value) else None


def whole_number(entry: Entry, *path: str) -> int | None:
    """Return the whole number of 64 bits at a path of fields, or None; 12.0 is 12, as JSON knows no difference."""
    value = number(entry, *path)
    if value is None or value != int(value) or abs(value) > _LARGEST_COUNT:
        return None
    return int(value)


def dicts_at(entry: Entry, *path: str) -> list[dict[str, Any]]:
    """Return the objects in the list at a path of fields."""
    value = value_at(entry, *path)
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def is_number(value: Any) -> bool:
    """Whether a value is a number; true and false are none, nor is a whole number larger than a float can be."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def milliseconds(start: Entry, end: Entry) -> float:
    """Return the time from one entry to another."""
    return (end.t_ns - start.t_ns) / NS_PER_MS


def contains(requested: Any, echoed: Any) -> bool:
    """Whether a JSON value holds at least what was requested: numbers by value, key order and further keys ignored."""
    if isinstance(requested, dict):
        return isinstance(echoed, dict) and all(
            name in echoed and contains(value, echoed[name]) for name, value in requested.items()
        )
    if isinstance(requested, list):
        return (
            isinstance(echoed, list)
            and len(requested) == len(echoed)
            and all(contains(one, other) for one, other in zip(requested, echoed, strict=True))
        )
    if isinstance(requested, bool) or isinstance(echoed, bool):
        return requested is echoed
    return bool(requested == echoed)
