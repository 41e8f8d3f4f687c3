"""The table of sessions as Qt asks for it: rows by position, filtered and put in order here.

Every change is one reset; who shows the rows restores the selection by the sessions' folders. A proxy model asks for
each cell in Python, which takes seconds with thousands of sessions.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt

from ui.models.log_model import Index
from ui.models.plain import block, tip
from ui.models.session_diff import in_words
from ui.models.session_rows import (
    HEADER_TIPS,
    HEADERS,
    REPLAY_SIGN,
    RIGHT,
    Column,
    SessionRow,
    Wanted,
    cell,
    in_order,
    letter,
    versions,
)

VERSIONS_ROLE = int(Qt.ItemDataRole.UserRole) + 1
"""The numbers of the versions of instructions of a row, a list."""
_TIP_LINES = 12
_TIP_ANSWERS = 20


class SessionTableModel(QAbstractTableModel):
    """Rows of the sessions that pass the filter, in the order that was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self._all: dict[Path, SessionRow] = {}
        self._shown: list[SessionRow] = []
        self._place: dict[Path, int] = {}
        self._versions: dict[str, int] = {}
        self._wanted = Wanted()
        self._column, self._descending = Column.DATE, True

    @property
    def rows(self) -> list[SessionRow]:
        """All sessions, shown or not."""
        return list(self._all.values())

    @property
    def versions(self) -> dict[str, int]:
        """The number of each version of instructions by its SHA-256."""
        return self._versions

    def add(self, rows: Iterable[SessionRow]) -> None:
        """Add sessions; one that is there already is replaced."""
        self._all |= {row.session.folder: row for row in rows}
        self._versions = versions(self._all.values())
        self._arrange()

    def keep(self, folders: Iterable[Path]) -> None:
        """Drop all sessions but those in these folders."""
        wanted = set(folders)
        self._all = {folder: row for folder, row in self._all.items() if folder in wanted}
        self._versions = versions(self._all.values())
        self._arrange()

    def set_filter(self, wanted: Wanted) -> None:
        """Show only some."""
        if wanted != self._wanted:
            self._wanted = wanted
            self._arrange()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Put them in the order of a column."""
        self._column, self._descending = Column(column), order is Qt.SortOrder.DescendingOrder
        self._arrange()

    def row_at(self, row: int) -> SessionRow | None:
        """Return the session of a row."""
        return self._shown[row] if 0 <= row < len(self._shown) else None

    def place_of(self, folder: Path) -> int | None:
        """Return the row of the session in a folder; None where it is not shown."""
        return self._place.get(folder)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of rows shown."""
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of columns."""
        return 0 if parent.isValid() else len(Column)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the name of a column and what it holds."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return HEADERS[Column(section)]
        if role == Qt.ItemDataRole.ToolTipRole:
            return HEADER_TIPS.get(Column(section))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(section)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell shows."""
        row = self.row_at(index.row())
        if row is None:
            return None
        column = Column(index.column())
        if role == Qt.ItemDataRole.DisplayRole:
            return cell(row, column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column)
        if role == VERSIONS_ROLE:
            return [self._versions[each] for each in row.hashes if each in self._versions]
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(_tip(row, column, self._versions)) or None
        if role == Qt.ItemDataRole.AccessibleTextRole and column is Column.INSTRUCTIONS:
            names = " then ".join(letter(self._versions.get(each, 0)) for each in row.hashes)
            return f"version {names}, {cell(row, column)}" if names else "no instructions"
        return None

    def _arrange(self) -> None:
        self.beginResetModel()
        chosen = self._wanted.choose(self.rows)
        self._shown = in_order(chosen, self._column, descending=self._descending, numbers=self._versions)
        self._place = {row.session.folder: place for place, row in enumerate(self._shown)}
        self.endResetModel()


def _alignment(column: int) -> int:
    side = Qt.AlignmentFlag.AlignRight if Column(column) in RIGHT else Qt.AlignmentFlag.AlignLeft
    return int(side | Qt.AlignmentFlag.AlignVCenter)


def _tip(row: SessionRow, column: Column, numbers: dict[str, int]) -> str:
    """Return what a cell has to tell beyond its few characters."""
    facts = row.session.facts
    if column is Column.INSTRUCTIONS:
        parts = []
        for digest, text in zip(row.hashes, facts.instructions, strict=True):
            lines = block(text).splitlines()
            more = [f"… {len(lines) - _TIP_LINES} more lines"] if len(lines) > _TIP_LINES else []
            parts.append("\n".join([f"{letter(numbers.get(digest, 0))}  {digest}", *lines[:_TIP_LINES], *more]))
        return "\n\n".join(parts) or "The record holds no instructions."
    if column is Column.ANSWERS:
        told = [f"{answer.question or answer.component}: {in_words(answer.value)}" for answer in facts.answers]
        more = [f"… and {len(told) - _TIP_ANSWERS} more"] if len(told) > _TIP_ANSWERS else []
        return "\n".join([*told[:_TIP_ANSWERS], *more])
    if column is Column.STATE:
        replay = [f"{REPLAY_SIGN} {facts.replay}"] if facts.replay else []
        faults = [f"⚠ The engine broke rules on purpose: {', '.join(facts.faults)}"] if facts.faults else []
        ended = [f"Ended: {facts.ended}"] if facts.ended else []
        return "\n".join([*replay, *faults, *facts.notes, *ended])
    if column is Column.ENGINE:
        return "\n".join(text for text in (row.engine, facts.url) if text)
    if column is Column.NAME:
        return "\n".join(text for text in (str(row.session.folder), facts.replay) if text)
    return cell(row, column) if column in (Column.STUDY,) else ""
