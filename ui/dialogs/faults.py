"""Faults of the embedded engine to choose from: what each does, which clause it breaks and which check catches it."""

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt
from PySide6.QtGui import QBrush
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from ui.faults_feed import FaultsFeed
from ui.models.faults import Fault
from ui.models.log_model import Index
from ui.theme import ROW_HEIGHT_PX, SPACE_PX, Theme

_HEADERS = ("Name", "Kind", "What the engine then does", "Breaks", "Caught by")
_SIGNS = {"fault": "✕ fault", "oddity": "~ oddity"}


class FaultsModel(QAbstractTableModel):
    """The faults that pass the search, each with a tick."""

    def __init__(self, feed: FaultsFeed, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._feed = feed
        self._theme = theme
        self._words = ""
        self._first = set(feed.choice.chosen)
        """What was chosen when the list was opened stands first, and stays there."""
        self._shown = self._found()
        feed.changed.connect(self._reload)

    def search(self, words: str) -> None:
        """Let through the faults in which every word stands."""
        self._words = words
        self._reload()

    def toggle(self, row: int) -> None:
        """Choose the fault of a row, or no longer."""
        name = self._shown[row].name
        self._feed.choose(name, name not in self._feed.choice.chosen)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of faults let through."""
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of columns."""
        return 0 if parent.isValid() else len(_HEADERS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the name of a column."""
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return _HEADERS[section]
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Rows can be ticked in their first column."""
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsUserCheckable if index.column() == 0 else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell shows."""
        fault = self._shown[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            cells = (fault.name, _SIGNS.get(fault.kind, fault.kind), fault.does, fault.clause or "—", fault.caught_by)
            if role == Qt.ItemDataRole.ToolTipRole:
                return _tip(fault)
            return cells[index.column()] if index.column() != 4 or fault.kind == "fault" else "none"
        if role == Qt.ItemDataRole.CheckStateRole and index.column() == 0:
            chosen = fault.name in self._feed.choice.chosen
            return Qt.CheckState.Checked if chosen else Qt.CheckState.Unchecked
        if role == Qt.ItemDataRole.ForegroundRole and index.column() == 1:
            return QBrush(self._theme.colour("error" if fault.kind == "fault" else "text_muted"))
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Take a tick."""
        if role != Qt.ItemDataRole.CheckStateRole:
            return False
        self._feed.choose(self._shown[index.row()].name, Qt.CheckState(value) is Qt.CheckState.Checked)
        return True

    def _found(self) -> list[Fault]:
        return sorted(self._feed.choice.found(self._words), key=lambda fault: fault.name not in self._first)

    def _reload(self) -> None:
        found = self._found()
        if found == self._shown:
            self.dataChanged.emit(self.index(0, 0), self.index(max(0, len(found) - 1), 0))
            return
        self.beginResetModel()
        self._shown = found
        self.endResetModel()


class FaultsDialog(QDialog):
    """A search field and the list; a tick takes effect at once, for the next session and run. Open it with `open()`."""

    def __init__(self, theme: Theme, feed: FaultsFeed, connected: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Faults of the embedded engine")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(1180, 640)
        self._feed = feed
        self._connected = connected
        self.search_field = QLineEdit()
        self.search_field.setPlaceholderText("Search: a name, a clause, a check…")
        self.search_field.setAccessibleName("Search")
        self.search_field.setClearButtonEnabled(True)
        self.model = FaultsModel(feed, theme, self)
        self.search_field.textChanged.connect(self.model.search)
        self.table = self._table()
        self.summary = QLabel()
        self.summary.setWordWrap(True)
        self.clear_button = QPushButton("Choose none")
        self.clear_button.clicked.connect(feed.choose_none)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        self._lay_out(buttons)
        feed.changed.connect(self._show)
        self._show()
        self.search_field.setFocus()

    def _table(self) -> QTableView:
        table = QTableView()
        table.setAccessibleName("Faults and oddities")
        table.setProperty("role", "ticks")
        table.setModel(self.model)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(ROW_HEIGHT_PX)
        header = table.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setHighlightSections(False)
        for column, width_px in enumerate((300, 84, 380, 170)):
            table.setColumnWidth(column, width_px)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        table.setColumnWidth(4, 190)
        table.doubleClicked.connect(lambda index: self.model.toggle(index.row()) if index.column() else None)
        return table

    def _lay_out(self, buttons: QDialogButtonBox) -> None:
        intro = QLabel(
            "The engine breaks a rule of the interface on purpose, so that you can see a check, or the log, notice it. "
            "An oddity is unusual and allowed: nothing may mind it."
        )
        intro.setWordWrap(True)
        intro.setProperty("role", "muted")
        below = QHBoxLayout()
        below.addWidget(self.summary, 1)
        below.addWidget(self.clear_button)
        below.addWidget(buttons)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(4 * SPACE_PX, 4 * SPACE_PX, 4 * SPACE_PX, 3 * SPACE_PX)
        rows.setSpacing(3 * SPACE_PX)
        rows.addWidget(intro)
        rows.addWidget(self.search_field)
        rows.addWidget(self.table, 1)
        rows.addLayout(below)

    def _show(self) -> None:
        choice = self._feed.choice
        chosen = choice.chosen
        when = "when you connect again" if self._connected else "when you connect"
        if not choice.faults:
            text = "Looking for the faults of this build…"
        elif chosen:
            text = f"{len(chosen)} chosen: {', '.join(chosen)}. In force {when}, and in the checks that you run."
        else:
            text = "None chosen: the engine behaves."
        self.summary.setText(text)
        self.clear_button.setEnabled(bool(chosen))


def _tip(fault: Fault) -> str:
    lines = [fault.does]
    if fault.clause:
        lines.append(f"Breaks “{fault.clause}”.")
    lines.append(f"{'Caught by' if fault.kind == 'fault' else 'Must not be minded by'} {fault.caught_by}.")
    if len(fault.modes) == 1:
        lines.append(f"Shows with {fault.modes[0]} only.")
    return "\n".join(lines)
