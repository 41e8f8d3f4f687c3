"""Texts of a study as they may be drawn: whoever wrote them, they stay text, end, and change nothing beside them.

What is drawn may differ from what is sent: values are never made from these. No Qt here.
"""

import html
import re
import unicodedata
from typing import Any, Final

LONGEST_TEXT: Final = 20_000
"""Characters drawn of one text; of what follows only the number is told."""
LONGEST_LINE: Final = 200

_UNDRAWABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_DIRECTIONS: Final = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Marks that turn the direction of writing: in a text of its own they are its author's affair, in a line not."""


def block(text: str, longest: int = LONGEST_TEXT) -> str:
    """Return a text for a place of its own: control characters become U+FFFD, and its length has an end."""
    drawn = _UNDRAWABLE.sub("\ufffd", text[:longest].replace("\r\n", "\n").replace("\r", "\n"))
    beyond = len(text) - longest
    return f"{drawn}…\n({beyond:,} more characters)" if beyond > 0 else drawn


def line(text: str, longest: int = LONGEST_LINE) -> str:
    """Return a text for one line beside others: no breaks, nothing that turns the writing around it."""
    kept = _DIRECTIONS.sub("", _UNDRAWABLE.sub("\ufffd", text[: 4 * longest]))
    flat = " ".join(kept.split())
    return flat if len(flat) <= longest and len(text) <= 4 * longest else f"{flat[: longest - 1]}…"


def tip(text: str) -> str:
    """Return a text for a tool tip or a label that would take tags in it for markup: it stays the text that it is."""
    return f"<p>{html.escape(block(text)).replace(chr(10), '<br>')}</p>" if "<" in text or "&" in text else text


def is_blank(text: str) -> bool:
    """Return whether nothing of a text can be seen: spaces, and characters without a width."""
    return all(each.isspace() or unicodedata.category(each) in ("Cf", "Cc") for each in text)


def word(value: Any) -> str:
    """Return a label that a config holds as text or number; "" for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return str(value)
