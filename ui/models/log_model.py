"""The log: entries of a record as rows, pulled by position, filtered by an index of its own.

A batch of new entries is one `beginInsertRows`; a filter is one pass over prepared lower-case texts and one model
reset. A proxy model would do both an order of magnitude slower.
"""

import enum
import sys
from bisect import bisect_left
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from simulator.record.entries import Direction, Entry
from ui.models.entry_text import ARROWS, AUDIO_TYPES, Sign, clock, gist, search_text, size_text
from ui.record_view import RecordView

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


class LogModel(QAbstractTableModel):
    """Rows of the entries that pass the filter, in the order of the record."""

    def __init__(self, view: RecordView) -> None:
        super().__init__()
        self._view = view
        self._texts: list[str] = []
        """What the filter looks in; empty for audio that was never looked through."""
        self._folded = bytearray()
        """Which entries are audio and nothing else."""
        self._rows: list[int] = []
        self._words: tuple[str, ...] = ()
        self._show = Show.EVERYTHING
        self._audio_shown = False
        self.set_view(view)

    def set_view(self, view: RecordView) -> None:
        """Show another record."""
        self.beginResetModel()
        self._view = view
        self._texts, self._folded = [], bytearray()
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
        self._rows = self._matching(0, len(self._texts))
        self.endResetModel()

    def take_new(self) -> None:
        """Append rows for the entries that the view gained since the last call."""
        first = len(self._texts)
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
        return len(self._texts)

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
        for position in range(first, last):
            if entries.is_audio_only(position):
                self._folded.append(True)
                self._texts.append("")
                continue
            entry = entries[position]
            self._folded.append(entry.type in AUDIO_TYPES and entry.problem is None)
            self._texts.append(search_text(entry))

    def _text(self, position: int) -> str:
        text = self._texts[position]
        if not text:
            # Fifty a second of one text: kept once.
            text = self._texts[position] = sys.intern(search_text(self._view.entries[position]))
        return text

    def _matching(self, first: int, last: int) -> list[int]:
        entries, words = self._view.entries, self._words
        rows: list[int] | range = range(first, last)
        if not self._audio_shown:
            rows = [row for row in rows if not self._folded[row]]
        if self._show is Show.PROBLEMS:
            rows = [row for row in rows if self._view.sign(entries[row]) is Sign.PROBLEM]
        elif self._show in _DIRECTIONS:
            direction = _DIRECTIONS[self._show]
            rows = [row for row in rows if entries[row].direction is direction]
        for word in words:
            rows = [row for row in rows if word in self._text(row)]
        return list(rows)


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
