"""Two texts as one list of lines: what is only in the first, only in the second, and in both. No Qt.

Lines that were changed rather than replaced stand one under the other, with the words in which they differ marked.
"""

import difflib
import enum
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

_CONTEXT_LINES: Final = 3
_ALIKE: Final = 0.4
"""From this share of common words on, one line is another version of the other."""
_MOST_WORDS: Final = 4_000
"""Of both lines; in longer ones no words are marked."""
_MOST_LINES: Final = 1_000
"""Of both texts; longer ones are compared in the quicker way, which may find less in common."""
_WORDS: Final = re.compile(r"\w+\s*|[^\w\s]\s*|\s+")


class Kind(enum.Enum):
    """In which of the texts a line is."""

    BOTH = " "
    FIRST = "−"
    SECOND = "+"
    LEFT_OUT = "…"
    """Lines that are in both and not shown; the text says how many."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line in pieces, each with whether it differs from the other text's version of the line."""

    kind: Kind
    pieces: tuple[tuple[str, bool], ...]

    @property
    def text(self) -> str:
        """The whole line."""
        return "".join(text for text, _ in self.pieces)


def difference(first: str, second: str, *, whole: bool = False) -> list[Line]:
    """Return both texts as one, `whole` or with what is the same left out beyond three lines; empty: they are equal."""
    if first == second:
        return []
    ours, theirs = first.splitlines(), second.splitlines()
    quickly = len(ours) + len(theirs) > _MOST_LINES
    codes = difflib.SequenceMatcher(None, ours, theirs, autojunk=quickly).get_opcodes()
    lines: list[Line] = []
    for place, (what, from_one, to_one, from_other, to_other) in enumerate(codes):
        if what == "equal":
            same = ours[from_one:to_one]
            lines += _same(same, ends=(place == 0, place == len(codes) - 1), whole=whole)
        else:
            lines += _changed(ours[from_one:to_one], theirs[from_other:to_other])
    return lines


def _same(lines: list[str], *, ends: tuple[bool, bool], whole: bool) -> Iterator[Line]:
    """Yield lines that are in both; `ends`: whether they are the first and the last ones of the text."""
    before, after = (0 if end else _CONTEXT_LINES for end in ends)
    left_out = len(lines) - before - after
    if whole or left_out <= 1:
        yield from (_line(Kind.BOTH, each) for each in lines)
        return
    yield from (_line(Kind.BOTH, each) for each in lines[:before])
    yield _line(Kind.LEFT_OUT, f"{left_out} lines are the same")
    yield from (_line(Kind.BOTH, each) for each in lines[len(lines) - after :])


def _changed(first: list[str], second: list[str]) -> Iterator[Line]:
    """Yield lines that differ: versions of one line under each other, else the first's, then the second's."""
    waiting: list[Line] = []
    for one, other in zip_longest(first, second):
        versions = _versions(one, other) if one is not None and other is not None else None
        if versions is not None:
            yield from _in_turn(waiting)
            waiting = []
            yield from versions
            continue
        waiting += [_line(Kind.FIRST, one)] if one is not None else []
        waiting += [_line(Kind.SECOND, other)] if other is not None else []
    yield from _in_turn(waiting)


def _in_turn(lines: list[Line]) -> list[Line]:
    return [each for kind in (Kind.FIRST, Kind.SECOND) for each in lines if each.kind is kind]


def _versions(one: str, other: str) -> tuple[Line, Line] | None:
    """Return two lines with the words marked in which they differ; None where they have little in common."""
    ours, theirs = _WORDS.findall(one), _WORDS.findall(other)
    if not ours or not theirs or len(ours) + len(theirs) > _MOST_WORDS:
        return None
    matcher = difflib.SequenceMatcher(None, ours, theirs)
    blocks = matcher.get_opcodes()
    common = sum(len(word) for what, start, end, _, _ in blocks if what == "equal" for word in ours[start:end])
    if common < _ALIKE * max(len(one), len(other)):
        return None
    pieces: tuple[list[tuple[str, bool]], list[tuple[str, bool]]] = ([], [])
    for what, from_one, to_one, from_other, to_other in blocks:
        for side, words in zip(pieces, (ours[from_one:to_one], theirs[from_other:to_other]), strict=True):
            side += _pieces("".join(words), differs=what != "equal")
    return Line(Kind.FIRST, tuple(pieces[0])), Line(Kind.SECOND, tuple(pieces[1]))


def _pieces(text: str, *, differs: bool) -> list[tuple[str, bool]]:
    """Return a stretch of a line; a space behind words that differ is not marked."""
    words = text.rstrip() or text
    pieces = [(words, differs), (text[len(words) :], False)] if differs else [(text, False)]
    return [piece for piece in pieces if piece[0]]


def _line(kind: Kind, text: str) -> Line:
    return Line(kind, ((text, False),))
