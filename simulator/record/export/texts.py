"""Texts for other programs: without what no text holds, and without what a spreadsheet would run.

Only control characters and separators of lines go. What joins and directs letters stays (Persian and emoji need it),
and so does every character that this Python does not know yet.
"""

import re
from typing import Final

_CONTROLS: Final = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
_NO_FORMULA: Final = re.compile(r"[\s\0\u200b\ufeff]*[^\s\0\u200b\ufeff=+\-@＝＋－＠]")  # wide ones run, too


def without_controls(text: str) -> str:
    """Return a text with spaces where control characters were; tabs and line feeds stay."""
    return _CONTROLS.sub(" ", text)


def one_line(text: str) -> str:
    """Return a text in one line, each stretch of spaces, tabs and line ends one space."""
    return " ".join(without_controls(text).split())


def no_formula(text: str) -> str:
    """Return a text with an apostrophe in front where a spreadsheet would run it."""
    return f"'{text}" if text.strip() and not _NO_FORMULA.match(text) else text
