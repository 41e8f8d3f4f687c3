"""The latencies: one row a kind, with both end points named, how many, median, 95th percentile and the last one."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLabel,
    QStackedLayout,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from simulator.record.figures import p95
from simulator.record.measures import Latency, Measures
from simulator.record.measures.titles import TIPS, TITLES, title
from ui.theme import ROW_HEIGHT_PX, Theme, mono_font

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent

_COLUMNS: Final = ("Latency", "From", "To", "n", "Median", "p95", "Last")
_LEFT: Final = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT: Final = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_EMPTY: Final = "No latency measured yet.\nThe first spoken turn and its reply give response created and first audio."
_EMPTY_RECORD: Final = "This record holds no latencies."


@dataclass(frozen=True, slots=True)
class Summary:
    """The latencies of one name."""

    name: str
    from_label: str
    to_label: str
    n: int
    median_ms: float
    p95_ms: float
    last_ms: float
    last_seq: int
    """The entry that ended the last one."""


def summaries(latencies: Sequence[Latency]) -> list[Summary]:
    """Return one summary a name: those of `TITLES` in that order, then others in order of appearance.

    The 95th percentile is the nearest rank: with fewer than 20 values the largest one.
    """
    by_name: dict[str, list[Latency]] = {}
    for latency in latencies:
        by_name.setdefault(latency.name, []).append(latency)
    order = [name for name in TITLES if name in by_name] + [name for name in by_name if name not in TITLES]
    return [_summary(by_name[name]) for name in order]


def _summary(latencies: list[Latency]) -> Summary:
    values = sorted(latency.value_ms for latency in latencies)
    last = latencies[-1]
    return Summary(
        name=last.name,
        from_label=last.from_label,
        to_label=last.to_label,
        n=len(values),
        median_ms=statistics.median(values),
        p95_ms=p95(values),
        last_ms=last.value_ms,
        last_seq=last.to_seq,
    )


class LatencyPanel(QWidget):
    """Shows the latencies of one record; a row leads to the entry that ended its last one."""

    mark_clicked = Signal(int)
    """A row was chosen: the `seq` of the entry that ended the last latency."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._measures = Measures()
        self._counted = -1
        self._rows: list[Summary] = []
        self._empty = QLabel(_EMPTY)
        self._empty.setProperty("role", "muted")
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._table = QTableWidget(0, len(_COLUMNS))
        self._table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self._table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self._table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self._table.setShowGrid(False)
        self._table.setAccessibleName("Latencies")
        self._table.verticalHeader().hide()
        self._table.verticalHeader().setDefaultSectionSize(ROW_HEIGHT_PX + 4)
        header = self._table.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(_LEFT)
        for column in range(len(_COLUMNS)):
            title = QTableWidgetItem(_COLUMNS[column])
            title.setTextAlignment(_LEFT if column < 3 else _RIGHT)
            self._table.setHorizontalHeaderItem(column, title)
        self._table.cellActivated.connect(self._chosen)
        self._table.cellClicked.connect(self._chosen)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self._table)

    @property
    def rows(self) -> list[Summary]:
        """What is shown."""
        return self._rows

    @property
    def empty_text(self) -> str:
        """What is said where there is no row."""
        return self._empty.text()

    def set_source(self, measures: Measures, *, ended: bool = False) -> None:
        """Show the latencies of another record; nothing more comes where it `ended`."""
        self._measures = measures
        self._empty.setText(_EMPTY_RECORD if ended else _EMPTY)
        self._counted = -1
        self.refresh()

    def refresh(self) -> None:
        """Show what is new; does nothing while hidden or when nothing changed."""
        if not self.isVisible() or self._counted == len(self._measures.latencies):
            return
        self._counted = len(self._measures.latencies)
        self._rows = summaries(self._measures.latencies)
        self._stack.setCurrentWidget(self._table if self._rows else self._empty)
        self._table.setRowCount(len(self._rows))
        for row, summary in enumerate(self._rows):
            figures = (summary.median_ms, summary.p95_ms, summary.last_ms)
            texts = (
                title(summary.name),
                summary.from_label,
                summary.to_label,
                str(summary.n),
                *(f"{value:,.0f} ms" for value in figures),
            )
            for column, text in enumerate(texts):
                self._set_cell(row, column, text, TIPS.get(summary.name, ""))
        for column in range(len(_COLUMNS)):
            # A handful of rows: measuring them costs nothing, unlike in the log.
            self._table.setColumnWidth(column, self._table.sizeHintForColumn(column) + 18)

    def showEvent(self, event: "QShowEvent") -> None:
        """Catch up with what came while hidden."""
        super().showEvent(event)
        self.refresh()

    def _set_cell(self, row: int, column: int, text: str, tip: str) -> None:
        item = self._table.item(row, column)
        if item is None:
            item = QTableWidgetItem()
            if column:
                item.setFont(mono_font(0.92))
            if column > 2:
                item.setTextAlignment(_RIGHT)
            self._table.setItem(row, column, item)
        item.setText(text)
        item.setToolTip(tip)

    def _chosen(self, row: int, _column: int) -> None:
        self.mark_clicked.emit(self._rows[row].last_seq)
