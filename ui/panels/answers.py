"""The answers that the agent gave by its tools, one row each."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLabel,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from simulator.record.entries import Entry
from simulator.units import NS_PER_MS
from ui.models.entry_text import clock
from ui.models.plain import tip
from ui.models.session_diff import in_words
from ui.record_view import RecordView
from ui.theme import ROW_HEIGHT_PX, Theme

_EMPTY = "No answers yet.\nPush a question (Ctrl+2): the agent answers it silently, by the tool of its kind."
_EMPTY_RECORD = "This record holds no answers."
_HEADERS = ("Time", "Question", "Tool", "Value", "Verdict", "Took")
_SEQ = Qt.ItemDataRole.UserRole


class AnswersPanel(QWidget):
    """A table of the answers of the record on screen."""

    answer_clicked = Signal(int)
    """The number of the answer's entry."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._view: RecordView | None = None
        self._read = 0
        self.table = QTableWidget(0, len(_HEADERS))
        self.table.setAccessibleName("Answers")
        self.table.setHorizontalHeaderLabels(list(_HEADERS))
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setShowGrid(False)
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(ROW_HEIGHT_PX)
        header = self.table.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setHighlightSections(False)
        for column, width in ((0, 80), (2, 125), (3, 160), (5, 80)):
            header.resizeSection(column, width)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(4, QHeaderView.ResizeMode.Stretch)
        self.table.itemSelectionChanged.connect(self._selected)
        self.empty = QLabel(_EMPTY)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty.setProperty("role", "muted")
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.addWidget(self.empty, 1)
        rows.addWidget(self.table, 1)
        self.table.hide()
        theme.changed.connect(self._recolour)
        self.setFocusProxy(self.table)

    def set_view(self, view: RecordView) -> None:
        """Show the answers of another record."""
        self._view = view
        self.empty.setText(_EMPTY_RECORD if view.title else _EMPTY)
        self._read = 0
        self.table.setRowCount(0)
        self.take_new()

    def take_new(self) -> Entry | None:
        """Show the answers that the view gained; returns the last of them, or None where there was none."""
        if self._view is None:
            return None
        last: Entry | None = None
        for entry in self._view.entries.without_audio(self._read):
            if entry.type == "answer":
                self._add(entry)
                last = entry
        self._read = len(self._view.entries)
        self.table.setVisible(self.table.rowCount() > 0)
        self.empty.setVisible(self.table.rowCount() == 0)
        return last

    def _recolour(self) -> None:
        if self._view is not None:
            self.set_view(self._view)

    def _add(self, entry: Entry) -> None:
        event = entry.event
        accepted = bool(event.get("accepted"))
        asked, answered = event.get("asked_ns"), event.get("answered_ns")
        took = (
            f"{(answered - asked) / NS_PER_MS:,.0f} ms" if isinstance(asked, int) and isinstance(answered, int) else ""
        )
        verdict = "✓ accepted" if accepted else f"✕ refused: {event.get('error') or 'no reason given'}"
        value = in_words(event.get("value")) if accepted else str(event.get("arguments") or "")
        component, tool = str(event.get("component", "")), str(event.get("tool", ""))
        question = str(event.get("question") or component)
        texts = (clock(entry.t_ns), question, tool, value, verdict, took)
        row = self.table.rowCount()
        self.table.insertRow(row)
        for column, text in enumerate(texts):
            item = QTableWidgetItem(text)
            item.setToolTip(tip(f"{text}\n{component}" if column == 1 and text != component else text))
            item.setData(_SEQ, entry.seq)
            if column == 4:
                item.setForeground(self._theme.colour("passed" if accepted else "failed"))
            self.table.setItem(row, column, item)

    def _selected(self) -> None:
        item = self.table.currentItem()
        if item is not None and item.isSelected():
            self.answer_clicked.emit(int(item.data(_SEQ)))
