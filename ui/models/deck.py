"""The deck: the steps of a study as the operator arranges and pushes them. No Qt here.

A row keeps its key through edits and moves, so that a mark stays with its step. Each change of the arrangement is a new
tuple of rows; the ones before it are what undo goes back to.
"""

import enum
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from simulator.study.steps import AskQuestion, EnterPart, PushContext, Step, Study

UNTITLED: Final = "New study"
_MOST_UNDONE: Final = 200


class Mark(enum.StrEnum):
    """What became of a row in this session."""

    NONE = "not pushed"
    SENT = "sent, not confirmed yet"
    PUSHED = "pushed"
    SHOWN = "on the screen now"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Row:
    """A step in the deck."""

    key: int
    step: Step

    @property
    def is_part(self) -> bool:
        """Whether it is the heading of a part."""
        return isinstance(self.step.action, EnterPart)


class Deck:
    """The arrangement of a study, whether it is saved, and the marks of its rows.

    Methods that change the arrangement return the keys of the rows that are to be selected afterwards.
    """

    def __init__(self) -> None:
        self.path: Path | None = None
        """The file that Save writes; None: none yet."""
        self.rows: tuple[Row, ...] = ()
        self.refusals: dict[int, str] = {}
        """Why rows were refused, by key."""
        self.answers: dict[int, str] = {}
        """The agent's answers to the questions among the rows, in words, by key."""
        self.plays = False
        """Whether the study is being played by time: the next row then waits for its moment."""
        self._head = Study(UNTITLED, ())
        self._saved: tuple[tuple[Row, ...], Study] = (self.rows, self._head)
        self._undo: list[tuple[Row, ...]] = []
        self._redo: list[tuple[Row, ...]] = []
        self._next_key = 0
        self._marks: dict[int, Mark] = {}
        self._shown: int | None = None
        self._last: int | None = None
        self._numbers: list[str] = []
        self._places: dict[int, int] = {}

    @property
    def study(self) -> Study:
        """The study as it is arranged now."""
        return msgspec.structs.replace(self._head, steps=tuple(row.step for row in self.rows))

    @property
    def head(self) -> Study:
        """The study without its steps."""
        return self._head

    @property
    def unsaved(self) -> bool:
        """Whether something would be lost: a study that was never saved and has no steps is nothing."""
        rows, head = self._saved
        if self.path is None and not self.rows:
            return False
        return rows is not self.rows or head != self._head

    def load(self, study: Study, path: Path | None, *, saved: bool = True) -> None:
        """Take another study; `saved` False for one that has no file yet, such as an import."""
        self.path = path
        self.rows = self._new_rows(study.steps)
        self._head = msgspec.structs.replace(study, steps=())
        self._saved = (self.rows if saved else (), self._head)
        self._undo, self._redo = [], []
        self._count()
        self.forget_marks()

    def mark_saved(self, asked: Study, written: Study, path: Path) -> None:
        """Note that the study that was `asked` for lies at `path` as `written`, with its files beside it.

        What was changed while it was written is unsaved still.
        """
        self.path = path
        if self.study != asked:
            return
        if written != asked:
            self.rows = tuple(Row(row.key, step) for row, step in zip(self.rows, written.steps, strict=True))
            self._count()
        self._saved = (self.rows, self._head)

    def set_head(self, **changes: Any) -> None:
        """Change the study's name, instructions, voice and so on."""
        self._head = msgspec.structs.replace(self._head, **changes)

    def number(self, place: int) -> str:
        """Return the number of a row as the deck shows it, from "1"; parts have none."""
        return self._numbers[place]

    def place(self, key: int) -> int | None:
        """Return where a row stands; None: nowhere any more."""
        return self._places.get(key)

    def edit(self, place: int, step: Step) -> list[int]:
        """Replace the step of a row."""
        key = self.rows[place].key
        self._arrange((*self.rows[:place], Row(key, step), *self.rows[place + 1 :]))
        self._marks.pop(key, None)
        self.answers.pop(key, None)
        return [key]

    def insert(self, place: int, steps: Iterable[Step]) -> list[int]:
        """Put steps before the row at `place`."""
        new = self._new_rows(steps)
        self._arrange((*self.rows[:place], *new, *self.rows[place:]))
        return [row.key for row in new]

    def duplicate(self, places: Iterable[int]) -> list[int]:
        """Put a copy of these rows behind the last of them."""
        chosen = sorted(places)
        return self.insert(chosen[-1] + 1, [self.rows[place].step for place in chosen]) if chosen else []

    def delete(self, places: Iterable[int]) -> list[int]:
        """Take rows out; the row that follows the first of them is selected."""
        gone = set(places)
        if not gone:
            return []
        left = tuple(row for place, row in enumerate(self.rows) if place not in gone)
        self._arrange(left)
        return [left[min(min(gone), len(left) - 1)].key] if left else []

    def move(self, places: Iterable[int], before: int) -> list[int]:
        """Put rows, in their order, before the row that is at `before` now."""
        chosen = sorted(set(places))
        moved = [self.rows[place] for place in chosen]
        kept = [row for place, row in enumerate(self.rows) if place not in set(chosen)]
        target = before - sum(place < before for place in chosen)
        rows = (*kept[:target], *moved, *kept[target:])
        if rows != self.rows:
            self._arrange(rows)
        return [row.key for row in moved]

    def shift(self, places: Sequence[int], by: int) -> list[int]:
        """Move rows one up (-1) or down (1), as far as there is room."""
        if not places or (by < 0 and min(places) == 0) or (by > 0 and max(places) == len(self.rows) - 1):
            return [self.rows[place].key for place in places]
        return self.move(places, min(places) - 1 if by < 0 else max(places) + 2)

    def undo(self) -> list[int]:
        """Take the last change of the arrangement back."""
        return self._go(self._undo, self._redo)

    def redo(self) -> list[int]:
        """Make a change that was taken back again."""
        return self._go(self._redo, self._undo)

    def mark(self, key: int) -> Mark:
        """Return what became of a row."""
        mark = self._marks.get(key, Mark.NONE)
        return Mark.SHOWN if mark is Mark.PUSHED and key == self._shown else mark

    def sent(self, key: int) -> None:
        """A row was sent: it is the last one pushed, and the next one follows it."""
        self._marks.pop(key, None)  # the marks stand in the order in which rows were pushed
        self._marks[key] = Mark.SENT
        self._last = key
        self.answers.pop(key, None)

    def settled(self, key: int, error: str | None) -> None:
        """A row took effect, or was refused with a sentence."""
        if error is not None:
            self._marks[key] = Mark.REFUSED
            self.refusals[key] = error
            return
        self._marks[key] = Mark.PUSHED
        self.refusals.pop(key, None)
        place = self.place(key)
        if place is not None and shows(self.rows[place].step):
            self._shown = key

    def answered(self, question: str, answer: str) -> None:
        """The agent answered a question of these words: it belongs to the one that was pushed first of those open."""
        for key, mark in self._marks.items():
            place = self.place(key)
            action = self.rows[place].step.action if place is not None else None
            is_it = isinstance(action, AskQuestion) and action.text == question
            if is_it and mark in (Mark.SENT, Mark.PUSHED) and key not in self.answers:
                self.answers[key] = answer
                return

    def forget_marks(self) -> None:
        """A new session begins: nothing was pushed in it."""
        self._marks, self.refusals, self.answers = {}, {}, {}
        self._shown = self._last = None

    @property
    def shown(self) -> Row | None:
        """The row that the participants see now."""
        place = None if self._shown is None else self.place(self._shown)
        return None if place is None else self.rows[place]

    @property
    def next_place(self) -> int | None:
        """Where the row stands that follows the one pushed last; None behind the end."""
        last = None if self._last is None else self.place(self._last)
        after = 0 if last is None else last + 1
        return after if after < len(self.rows) else None

    def _arrange(self, rows: tuple[Row, ...]) -> None:
        self._undo = [*self._undo[1 - _MOST_UNDONE :], self.rows]
        self._redo = []
        self.rows = rows
        self._count()

    def _count(self) -> None:
        """Note the number and the place of each row, so that a list of thousands is painted at once."""
        self._places = {row.key: place for place, row in enumerate(self.rows)}
        steps = itertools.count(1)
        self._numbers = ["" if row.is_part else str(next(steps)) for row in self.rows]

    def _go(self, back: list[tuple[Row, ...]], forth: list[tuple[Row, ...]]) -> list[int]:
        if not back:
            return []
        forth.append(self.rows)
        before, self.rows = {row.key: row for row in self.rows}, back.pop()
        self._count()
        changed = [row.key for row in self.rows if before.get(row.key) is not row]
        return changed[:1]

    def _new_rows(self, steps: Iterable[Step]) -> tuple[Row, ...]:
        rows = tuple(Row(self._next_key + place, step) for place, step in enumerate(steps))
        self._next_key += len(rows)
        return rows


def shows(step: Step) -> bool:
    """Whether a step puts something on the participants' screen."""
    action = step.action
    return isinstance(action, AskQuestion) or (
        isinstance(action, PushContext) and action.context.get("event") == "screen"
    )
