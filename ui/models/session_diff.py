"""What was asked of a session beside what the engine says it has. No Qt here.

The rule is that what was requested is contained in what was accepted: an engine adds fields of its own, key order does
not matter, numbers are compared by value.
"""

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


class Match(enum.Enum):
    """How a field of the session stands."""

    SAME = enum.auto()
    DIFFERS = enum.auto()
    ENGINES_OWN = enum.auto()
    """Not requested: the engine's default."""
    UNANSWERED = enum.auto()
    """Requested, and nothing accepted yet."""


@dataclass(frozen=True, slots=True)
class FieldPair:
    """One field: its path, and its two values in words."""

    path: str
    requested: str
    accepted: str
    match: Match


def compare_sessions(requested: dict[str, Any] | None, accepted: dict[str, Any] | None) -> list[FieldPair]:
    """Return a row for each field of either session, those of the request first, in their order."""
    return list(_pairs("", requested or {}, accepted, answered=accepted is not None))


def _pairs(
    path: str, requested: dict[str, Any], accepted: dict[str, Any] | None, *, answered: bool
) -> Iterator[FieldPair]:
    given = accepted or {}
    for key in [*requested, *(key for key in given if key not in requested)]:
        here = f"{path}.{key}" if path else key
        if here in {"type", "object", "id"}:
            continue
        wanted, got = requested.get(key), given.get(key)
        nested = isinstance(wanted, dict) and (isinstance(got, dict) or not answered)
        if nested or (key not in requested and isinstance(got, dict) and got):
            yield from _pairs(
                here,
                wanted if isinstance(wanted, dict) else {},
                got if isinstance(got, dict) else None,
                answered=answered,
            )
            continue
        yield FieldPair(
            here,
            in_words(wanted) if key in requested else "",
            in_words(got) if key in given else "",
            _match(key in requested, wanted, key in given, got, answered),
        )


def _match(is_requested: bool, wanted: Any, is_given: bool, got: Any, answered: bool) -> Match:
    if not is_requested:
        return Match.ENGINES_OWN
    if not answered:
        return Match.UNANSWERED
    return Match.SAME if is_given and contained(wanted, got) else Match.DIFFERS


def contained(wanted: Any, got: Any) -> bool:
    """Return whether `got` holds everything that `wanted` says, numbers by value."""
    if isinstance(wanted, dict):
        return isinstance(got, dict) and all(key in got and contained(value, got[key]) for key, value in wanted.items())
    if isinstance(wanted, list):
        return isinstance(got, list) and len(got) == len(wanted) and all(map(contained, wanted, got))
    if isinstance(wanted, bool) or isinstance(got, bool):
        return wanted is got
    return bool(wanted == got)


def in_words(value: Any) -> str:
    """Return a value in one short line."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        names = [str(item.get("name") or item.get("type")) if isinstance(item, dict) else str(item) for item in value]
        return f"{len(value)}: {', '.join(names)}" if len(value) > 1 else ", ".join(names) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{key} {in_words(item)}" for key, item in value.items()) or "{}"
    return " ".join(str(value).split()) or "“”"
