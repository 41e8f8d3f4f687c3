"""Text from an engine, made fit to be shown: what would hide, reorder or break a document becomes visible."""

import re
from typing import Final

_HIDDEN: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
"""Control characters, marks that turn the direction of writing, halves of surrogate pairs, and no characters at all."""


def visible(text: str) -> str:
    """Return `text` with such characters as escapes, e.g. ``\\x1b`` or ``\\u202e``. What is left may stand in XML."""
    return _HIDDEN.sub(_escape, text)


def shortened(text: str, characters: int) -> str:
    """Return at most so many characters of `text`; what was cut shows as an ellipsis."""
    return text if len(text) <= characters else text[: characters - 1] + "…"


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
