"""The rows of the deck for a list view: what each says, and rows or files that are dragged between them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import QAbstractListModel, QMimeData, QModelIndex, QPersistentModelIndex, Qt, Signal

from simulator.study.steps import PushContext, Step, When
from ui.models.deck import Deck, Mark, Row
from ui.models.plain import tip
from ui.models.step_kinds import gist, kind_of

Index = QModelIndex | QPersistentModelIndex
ROW_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 1
MIME_ROWS: Final = "application/x-participant-simulator-rows"
STUDY_SUFFIXES: Final = {".yaml", ".yml", ".json"}

_WHEN = {When.NOW: "", When.AFTER_REPLY: "after", When.DURING_REPLY: "during"}


def timing(step: Step) -> str:
    """Return when a step begins, in few words; "" for at once."""
    at = ""
    if step.at_s:
        minutes, seconds = divmod(step.at_s, 60)
        at = f"{int(minutes)}:{seconds:04.1f}" if seconds % 1 else f"{int(minutes)}:{int(seconds):02}"
    when = _WHEN[step.when]
    if when and step.after_s is not None:
        when = f"{when} +{step.after_s:g} s"
    return "  ".join(each for each in (when, at) if each)


def local_files(data: QMimeData) -> list[Path]:
    """Return the files of this computer that are dragged."""
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]


class DeckList(QAbstractListModel):
    """Pulls rows from the deck by position."""

    moved = Signal(object, int)
    """Rows (a list of places) were dropped before a place."""
    files_dropped = Signal(object, int, bool)
    """Files (a list of paths) were dropped at a place: on its row, or before it."""

    def __init__(self, deck: Deck) -> None:
        super().__init__()
        self._deck = deck
        self._rows: tuple[Row, ...] = deck.rows
        self.files_are_dragged = False
        """What hovers over the list: files may fall on a row, rows only between two."""

    def rowCount(self, parent: Index | None = None) -> int:
        """Return the number of rows."""
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        """Return what a row says."""
        place = index.row()
        row = self._rows[place]
        if role == ROW_ROLE:
            return row
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            kind = kind_of(row.step.action)
            return f"{self._deck.number(place)} {kind.name}: {gist(row.step.action)}".strip()
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tip(place)
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Rows are dragged; what is dropped on one may belong to it."""
        if not index.isValid():
            return Qt.ItemFlag.ItemIsDropEnabled
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsDragEnabled
        action = self._rows[index.row()].step.action
        screen = isinstance(action, PushContext) and action.context.get("event") == "screen"
        if screen and self.files_are_dragged:
            flags |= Qt.ItemFlag.ItemIsDropEnabled
        return flags

    def refresh(self) -> None:
        """Take the deck's arrangement as it is now."""
        self.beginResetModel()
        self._rows = self._deck.rows
        self.endResetModel()

    def marks_changed(self) -> None:
        """The marks of rows changed."""
        if self._rows:
            self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1))

    def supportedDropActions(self) -> Qt.DropAction:
        """Rows are moved, files are named."""
        return Qt.DropAction.MoveAction | Qt.DropAction.CopyAction

    def mimeTypes(self) -> list[str]:
        """Return what can be dropped."""
        return [MIME_ROWS, "text/uri-list"]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        """Return the dragged rows."""
        data = QMimeData()
        places = sorted(index.row() for index in indexes)
        data.setData(MIME_ROWS, ",".join(map(str, places)).encode())
        return data

    def canDropMimeData(self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index) -> bool:
        """Rows fall between rows, files on a screen or between rows."""
        if data.hasFormat(MIME_ROWS):
            return not parent.isValid()
        return self.takes(local_files(data))

    def takes(self, files: Sequence[Path]) -> bool:
        """Whether files may be dropped here: a study opens in place of all rows, which is not the list's business."""
        return bool(files) and not any(path.suffix.lower() in STUDY_SUFFIXES for path in files)

    def dropMimeData(self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index) -> bool:
        """Tell what was dropped where; the deck changes and is shown again."""
        on_row = parent.isValid()
        place = parent.row() if on_row else len(self._rows) if row < 0 else row
        if data.hasFormat(MIME_ROWS):
            places = [int(each) for each in bytes(data.data(MIME_ROWS).data()).decode().split(",")]
            self.moved.emit(places, place)
        else:
            self.files_dropped.emit(local_files(data), place, on_row)
        # False: the view must not remove the rows that were dragged, they are moved already.
        return False

    def _tip(self, place: int) -> str:
        row = self._rows[place]
        kind = kind_of(row.step.action)
        mark = self._deck.mark(row.key)
        lines = [f"{kind.name}: {gist(row.step.action)}"]
        if row.step.when is not When.NOW:
            after = "" if row.step.after_s is None else f", {row.step.after_s:g} s into it or after it"
            lines.append(f"Played by time: {row.step.when.value}{after}")
        if row.step.at_s:
            lines.append(f"Played by time: not before {row.step.at_s:g} s")
        if answer := self._deck.answers.get(row.key):
            lines.append(f"The agent answered: {answer}")
        refusal = self._deck.refusals.get(row.key) if mark is Mark.REFUSED else None
        lines.append(f"Refused: {refusal}" if refusal else mark.value.capitalize())
        return tip("\n".join(lines))
