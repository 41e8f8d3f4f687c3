"""The log: entries of a record as rows, pulled by position, filtered by an index of its own.

A batch of new entries is one `beginInsertRows`; a filter is one pass over prepared lower-case texts and one model
reset. A proxy model would do both an order of magnitude slower.
"""

import enum
from array import array
from bisect import bisect_left
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, QTimer

from simulator.record.entries import Direction, Entry
from ui.models.entry_text import ARROWS, AUDIO_TYPES, Sign, clock, gist, search_text, sign_of, size_text
from ui.record_view import RecordView

if TYPE_CHECKING:
    from numpy.typing import NDArray

Index = QModelIndex | QPersistentModelIndex


class Column(enum.IntEnum):
    """The columns, in order."""

    TIME = 0
    DIRECTION = 1
    TYPE = 2
    GIST = 3
    SIZE = 4


class Show(enum.StrEnum):
    """Which kinds of rows are let through, before the words of the filter."""

    EVERYTHING = "All"
    PROBLEMS = "Problems"
    RECEIVED = "Received"
    SENT = "Sent"
    NOTED = "Notes"


SIGN_ROLE = int(Qt.ItemDataRole.UserRole) + 1
ENTRY_ROLE = SIGN_ROLE + 1

_HEADERS = ("Time", "", "Event", "What matters", "Size")
_SIGN_MARKS = {Sign.PLAIN: "", Sign.NOTICE: "⚠ ", Sign.PROBLEM: "✕ "}
_DIRECTION_NAMES = {
    Direction.RECEIVED: "received from the engine",
    Direction.SENT: "sent to the engine",
    Direction.NOTED: "noted by the program",
}
_DIRECTIONS = {Show.RECEIVED: Direction.RECEIVED, Show.SENT: Direction.SENT, Show.NOTED: Direction.NOTED}

_READ_AT_A_TIME = 400
"""Texts: two milliseconds."""


class _Sample(NamedTuple):
    """What all entries of a kind have in common."""

    text: str
    direction: Direction
    sign: Sign


class LogModel(QAbstractTableModel):
    """Rows of the entries that pass the filter, in the order of the record."""

    def __init__(self, view: RecordView) -> None:
        super().__init__()
        self._view = view
        self._kinds = array("i")
        """The kind of each entry: fifty a second are of a few kinds of audio."""
        self._samples: list[_Sample] = []
        """Of each kind."""
        self._own: list[int] = []
        """The entries that are like no other."""
        self._folded = bytearray()
        """Which of those are audio all the same."""
        self._texts: list[str] = []
        """What the filter looks in, of those as far as it was needed."""
        self._rows = array("i")
        self._reading = QTimer(self)
        self._reading.timeout.connect(self._read_some)
        self._words: tuple[str, ...] = ()
        self._show = Show.EVERYTHING
        self._audio_shown = False
        self.set_view(view)

    def set_view(self, view: RecordView) -> None:
        """Show another record."""
        self.beginResetModel()
        self._view = view
        self._reading.stop()
        self._kinds, self._samples = array("i"), []
        self._own, self._folded, self._texts = [], bytearray(), []
        self._prepare(0, len(view.entries))
        self._rows = self._matching(0, len(view.entries))
        self.endResetModel()

    def set_filter(self, words: str, show: Show, audio_shown: bool) -> None:
        """Let through the entries that hold every word of `words`, are of the kind `show`, and audio only if wished."""
        wanted = tuple(words.lower().split())
        if (wanted, show, audio_shown) == (self._words, self._show, self._audio_shown):
            return
        self.beginResetModel()
        self._words, self._show, self._audio_shown = wanted, show, audio_shown
        self._rows = self._matching(0, len(self._kinds))
        self.endResetModel()

    def take_new(self) -> None:
        """Append rows for the entries that the view gained since the last call."""
        first = len(self._kinds)
        last = len(self._view.entries)
        self._prepare(first, last)
        rows = self._matching(first, last)
        if rows:
            self.beginInsertRows(QModelIndex(), len(self._rows), len(self._rows) + len(rows) - 1)
            self._rows.extend(rows)
            self.endInsertRows()

    @property
    def total(self) -> int:
        """The number of entries, shown or not."""
        return len(self._kinds)

    def entry_at(self, row: int) -> Entry | None:
        """Return the entry of a row."""
        return self._view.entries[self._rows[row]] if 0 <= row < len(self._rows) else None

    def row_of(self, seq: int) -> int | None:
        """Return the row of the entry numbered `seq`, or None where it is filtered away or does not exist."""
        position = self._view.position_of(seq)
        if position is None:
            return None
        row = bisect_left(self._rows, position)
        return row if row < len(self._rows) and self._rows[row] == position else None

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of rows let through."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of columns."""
        return 0 if parent.isValid() else len(Column)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the name of a column."""
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return _HEADERS[section]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell shows; the entry and its sign under roles of their own."""
        entry = self.entry_at(index.row())
        if entry is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return _display(entry, index.column(), self._view.sign(entry))
        if role == SIGN_ROLE:
            return self._view.sign(entry)
        if role == ENTRY_ROLE:
            return entry
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() == Column.SIZE:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if role == Qt.ItemDataRole.ToolTipRole:
            return gist(entry) if index.column() == Column.GIST else _DIRECTION_NAMES[entry.direction]
        if role == Qt.ItemDataRole.AccessibleTextRole and index.column() == Column.DIRECTION:
            return _DIRECTION_NAMES[entry.direction]
        return None

    def _prepare(self, first: int, last: int) -> None:
        entries = self._view.entries
        kinds = entries.kinds(first, last)
        self._kinds.frombytes(kinds.tobytes())
        for sample in entries.samples_of_kinds(len(self._samples)):
            self._samples.append(_Sample(search_text(sample), sample.direction, sign_of(sample)))
        for place in np.flatnonzero(kinds < 0).tolist():
            entry = entries[first + place]
            self._own.append(first + place)
            self._folded.append(entry.type in AUDIO_TYPES and entry.problem is None)
        if len(self._texts) < len(self._own):
            self._reading.start()

    def _read_some(self) -> None:
        """Prepare texts for the filter while nothing else is to be done."""
        self._read_texts(len(self._texts) + _READ_AT_A_TIME)
        if len(self._texts) == len(self._own):
            self._reading.stop()

    def _read_texts(self, end: int) -> None:
        entries = self._view.entries
        self._texts.extend(search_text(entries[position]) for position in self._own[len(self._texts) : end])

    def _matching(self, first: int, last: int) -> "array[int]":
        """Return the entries among [first, last), which are the last ones, that the filter lets through."""
        rows = array("i", self._own_matching(bisect_left(self._own, first)))
        if self._audio_shown and last > first:
            through = self._audio_matching(first, last)
            through[np.frombuffer(rows, dtype=np.intc) - first] = True
            rows = array("i", (np.flatnonzero(through) + first).astype(np.intc).tobytes())
        return rows

    def _own_matching(self, first: int) -> list[int]:
        entries, sign = self._view.entries, self._view.sign
        chosen: Iterable[int] = range(first, len(self._own))
        if not self._audio_shown:
            chosen = [index for index in chosen if not self._folded[index]]
        if self._show is Show.PROBLEMS:
            chosen = [index for index in chosen if sign(entries[self._own[index]]) is Sign.PROBLEM]
        elif self._show in _DIRECTIONS:
            direction = _DIRECTIONS[self._show]
            chosen = [index for index in chosen if entries[self._own[index]].direction is direction]
        if self._words:
            self._read_texts(len(self._own))
        for word in self._words:
            chosen = [index for index in chosen if word in self._texts[index]]
        return [self._own[index] for index in chosen]

    def _audio_matching(self, first: int, last: int) -> "NDArray[np.bool_]":
        """Return which entries are audio that the filter lets through: asked once a kind, not once an entry."""
        kinds = np.frombuffer(self._kinds[first:last], dtype=np.intc)

        def of_kinds(wanted: Iterable[bool]) -> "NDArray[np.bool_]":
            # The last one is found by -1, an entry like no other.
            return np.array([*wanted, False])[kinds]

        through = of_kinds(map(self._is_shown, self._samples))
        for word in self._words:
            named = of_kinds(word in sample.text for sample in self._samples)
            through &= named | self._view.entries.ids_holding(word, first, last)
        return through

    def _is_shown(self, sample: "_Sample") -> bool:
        if self._show is Show.PROBLEMS:
            return sample.sign is Sign.PROBLEM
        return self._show not in _DIRECTIONS or sample.direction is _DIRECTIONS[self._show]


def _display(entry: Entry, column: int, sign: Sign) -> str:
    if column == Column.TIME:
        return clock(entry.t_ns)
    if column == Column.DIRECTION:
        return ARROWS[entry.direction]
    if column == Column.TYPE:
        return _SIGN_MARKS[sign] + entry.type
    if column == Column.GIST:
        return gist(entry)
    return size_text(entry.size_bytes)
