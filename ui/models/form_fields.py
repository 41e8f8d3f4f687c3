"""Fields of forms as data: what a push or a step of a study is made from. No Qt here; ui/widgets/form.py draws them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from simulator.errors import UsageError

FieldKind = Literal["line", "text", "whole", "yes", "choice", "pick", "lines", "images", "table", "pictures"]
"""What a field holds: ``line`` a text, ``text`` several lines of text, ``whole`` an int, ``yes`` a bool, ``choice`` one
of `choices`, ``pick`` one of them or another text, ``lines`` a list of texts, ``images`` a list of paths, ``table``
a list of rows of texts, ``pictures`` a list of (path, what it shows)."""

Values = Mapping[str, Any]
"""Field name → what it holds."""


@dataclass(frozen=True, slots=True)
class FormField:
    """One field of a form."""

    name: str
    label: str
    kind: FieldKind
    default: Any
    choices: tuple[str, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict)
    """What a person calls a choice, where that is not the choice itself."""
    tip: str = ""
    low: int = 0
    """Bounds of a whole number."""
    high: int = 24 * 3600
    suffix: str = ""
    """The unit behind a whole number."""
    columns: tuple[str, ...] = ()
    """Headers of a table."""


def required(values: Values, name: str, what: str) -> str:
    """Return a text without the spaces around it. Raises UsageError where it is empty: `what` names it, "The text"."""
    text = str(values[name]).strip()
    if not text:
        raise UsageError(f"{what} is empty: write something first.")
    return text


def number(text: str, what: str) -> float | int:
    """Return a finite number from a text, an int where it is whole. Raises UsageError."""
    try:
        value = float(text.strip().replace(",", "."))
    except ValueError:
        raise UsageError(f"{what} must be a number: “{text.strip()}” is none.") from None
    if value != value or value in (float("inf"), float("-inf")):
        raise UsageError(f"{what} must be a finite number.")
    return int(value) if value.is_integer() else value
