"""The widths of the table of sessions: what is said now and then has room while it is, until the user sets widths."""

from typing import Final

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QTableView

from ui.models.session_rows import Column
from ui.models.session_table_model import SessionTableModel
from ui.theme import SPACE_PX

_WIDTHS_PX: Final = {
    Column.DATE: 130,
    Column.LENGTH: 56,
    Column.ENGINE: 120,
    Column.STUDY: 104,
    Column.INSTRUCTIONS: 108,
    Column.ANSWERS: 66,
    Column.RESPONSE: 66,
    Column.FIRST_AUDIO: 74,
    Column.TRANSFER: 70,
    Column.STOP: 52,
    Column.BARGE_INS: 76,
    Column.STATE: 56,
    Column.SIZE: 52,
    Column.NAME: 60,
}
_NARROW_PX: Final = 1_280
_MOST_SPARE_PX: Final = 120
_MOST_STATE_PX: Final = 164


class SessionColumns(QObject):
    """Sets the widths of a table, the last column of which fills what is left."""

    def __init__(self, table: QTableView, model: SessionTableModel) -> None:
        super().__init__(table)
        self._table, self._model = table, model
        self._chosen = False
        header = table.horizontalHeader()
        for column, width in _WIDTHS_PX.items():
            header.resizeSection(column, width)
        header.sectionResized.connect(self._resized)

    def share(self, window_px: int) -> None:
        """Give the state as much room as it needs at present, and names the room of a wider window."""
        if self._chosen:
            return
        metrics, rows = self._table.fontMetrics(), self._model.rows
        needed_px = max(map(metrics.horizontalAdvance, {row.remarks for row in rows}), default=0) + 6 * SPACE_PX
        state_px = min(max(_WIDTHS_PX[Column.STATE], needed_px), _MOST_STATE_PX)
        spare_px = max(0, window_px - _NARROW_PX)
        header = self._table.horizontalHeader()
        header.blockSignals(True)
        header.resizeSection(Column.STATE, state_px)
        for column in (Column.ENGINE, Column.STUDY):
            header.resizeSection(column, _WIDTHS_PX[column] + min(spare_px // 4, _MOST_SPARE_PX))
        header.blockSignals(False)

    def _resized(self, column: int, _before: int, _now: int) -> None:
        if column != Column.NAME:  # which fills what is left, whatever happens
            self._chosen = True
