"""A small table that is typed into: rows of texts, with buttons that add one and delete the chosen ones."""

from collections.abc import Iterable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from ui.models.plain import tip
from ui.theme import ROW_HEIGHT_PX, SPACE_PX

_ROWS_SHOWN = 3


class RowEditor(QWidget):
    """Rows of texts under headers."""

    changed = Signal()
    add_requested = Signal()
    """The button was pressed: adds an empty row, unless something else was connected in place of that."""

    def __init__(self, columns: Sequence[str], add_words: str = "Add a row") -> None:
        super().__init__()
        self.table = QTableWidget(0, len(columns))
        self.table.setHorizontalHeaderLabels(list(columns))
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        self.table.verticalHeader().setVisible(False)
        self.table.verticalHeader().setDefaultSectionSize(ROW_HEIGHT_PX + SPACE_PX)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setTabKeyNavigation(False)
        self.table.setFixedHeight((ROW_HEIGHT_PX + SPACE_PX) * (_ROWS_SHOWN + 1) + 2)
        self.table.itemChanged.connect(lambda _item: self.changed.emit())
        self.add_button = QPushButton(add_words)
        self.add_button.clicked.connect(self.add_requested)
        self.delete_button = QPushButton("Delete row")
        self.delete_button.clicked.connect(self._delete)
        self.setFocusProxy(self.table)
        buttons = QHBoxLayout()
        buttons.addWidget(self.add_button)
        buttons.addWidget(self.delete_button)
        buttons.addStretch(1)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(SPACE_PX)
        rows.addWidget(self.table)
        rows.addLayout(buttons)
        self.add_requested.connect(self._add_empty)
        self._show_count()

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The texts, row by row."""
        return [
            tuple(self._text(row, column) for column in range(self.table.columnCount()))
            for row in range(self.table.rowCount())
        ]

    def set_rows(self, rows: Iterable[Sequence[str]]) -> None:
        """Show these rows."""
        blocked = self.table.blockSignals(True)
        self.table.setRowCount(0)
        for row in rows:
            self._append(row)
        self.table.blockSignals(blocked)
        self._tell()

    def add_row(self, texts: Sequence[str]) -> None:
        """Add a row at the end."""
        self._append(texts)
        self._tell()

    def _append(self, texts: Sequence[str]) -> None:
        row = self.table.rowCount()
        self.table.insertRow(row)
        for column in range(self.table.columnCount()):
            item = QTableWidgetItem(texts[column] if column < len(texts) else "")
            item.setToolTip(tip(item.text()))
            self.table.setItem(row, column, item)

    def _add_empty(self) -> None:
        self.add_row(())
        row = self.table.rowCount() - 1
        self.table.setCurrentCell(row, 0)
        self.table.edit(self.table.model().index(row, 0))

    def _delete(self) -> None:
        chosen = sorted({index.row() for index in self.table.selectedIndexes()}, reverse=True)
        for row in chosen:
            self.table.removeRow(row)
        self._tell()

    def _tell(self) -> None:
        self._show_count()
        self.changed.emit()

    def _show_count(self) -> None:
        self.delete_button.setEnabled(self.table.rowCount() > 0)

    def _text(self, row: int, column: int) -> str:
        item = self.table.item(row, column)
        return item.text() if item is not None else ""
