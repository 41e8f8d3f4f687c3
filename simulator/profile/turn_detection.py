"""What a `turn_detection` object may hold, by its type: wire facts for whoever reads one that a person wrote."""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

EAGERNESSES: Final = ("low", "medium", "high", "auto")


class Field(NamedTuple):
    """A field of a turn detection: the value it expects in words, its JSON schema, and whether a value fits."""

    expected: str
    schema: dict[str, Any]
    fits: Callable[[Any], bool]


def _one_of(*values: str) -> Field:
    words = ", ".join(values[:-1]) + f" or {values[-1]}" if len(values) > 1 else values[0]
    return Field(words, {"enum": list(values)}, lambda value: isinstance(value, str) and value in values)


def _number(low: float, high: float) -> Field:
    return Field(
        f"a number from {low:g} to {high:g}",
        {"type": "number", "minimum": low, "maximum": high},
        lambda value: isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high,
    )


def _milliseconds(low: int, high: int) -> Field:
    return Field(
        f"whole milliseconds from {low} to {high}",
        {"type": "integer", "minimum": low, "maximum": high},
        lambda value: isinstance(value, int) and not isinstance(value, bool) and low <= value <= high,
    )


_FLAG: Final = Field("true or false", {"type": "boolean"}, lambda value: isinstance(value, bool))
_BOTH: Final = {"create_response": _FLAG, "interrupt_response": _FLAG}

FIELDS: Final[Mapping[str, Mapping[str, Field]]] = {
    "server_vad": {
        "type": _one_of("server_vad"),
        "threshold": _number(0, 1),
        "prefix_padding_ms": _milliseconds(0, 10_000),
        "silence_duration_ms": _milliseconds(0, 60_000),
        "idle_timeout_ms": _milliseconds(5_000, 30_000),
        **_BOTH,
    },
    "semantic_vad": {"type": _one_of("semantic_vad"), "eagerness": _one_of(*EAGERNESSES), **_BOTH},
}
"""The fields of each type."""


def what_is_wrong(wire: Mapping[str, Any]) -> str | None:
    """Return in a sentence what cannot stand in a turn detection, or None."""
    kind = wire.get("type")
    if not isinstance(kind, str) or kind not in FIELDS:
        return f"The turn detection needs a “type”: {' or '.join(FIELDS)}."
    for name, value in wire.items():
        if name not in FIELDS[kind]:
            return f"A turn detection of type {kind} has no field “{name}”: it has {', '.join(FIELDS[kind])}."
        if not FIELDS[kind][name].fits(value):
            return f"“{name}” of the turn detection must be {FIELDS[kind][name].expected}."
    return None
