"""The table of the log, painted with as little as it takes: a running session wants thirty frames of it a second."""

from itertools import islice

from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QStaticText
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QTableView

from simulator.record.entries import Direction, Entry
from ui.models.entry_text import Sign
from ui.models.log_model import SIGN_ROLE, Column, Index, LogModel
from ui.theme import Theme

_KEPT_CELLS = 2_000
_DROPPED_CELLS = 50


class LogTable(QTableView):
    """Fills its ground by itself: else each frame of it would draw the grounds of all that it lies on."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the ground, then the rows."""
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), self._theme.colour("sunken"))
        painter.end()
        super().paintEvent(event)


class RowDelegate(QStyledItemDelegate):
    """Paints a cell with as little as it takes: text, and colour and weight where a row asks for attention."""

    def __init__(self, theme: Theme, table: QTableView, model: LogModel) -> None:
        super().__init__(table)
        self._theme = theme
        self._table = table
        self._model = model
        self._pens: dict[object, QColor] = {}
        self._cells: dict[tuple[int, int, int], tuple[QStaticText, QPointF, QColor, QColor | None]] = {}
        """Laid-out text, its place in the cell, ink and tint by entry, column and width: a frame of a running log
        paints the same rows again."""
        self._selected: set[int] = set()
        """The selected rows: to ask each cell's option costs more than to paint it."""
        theme.changed.connect(self._load)
        model.modelReset.connect(self._reset)
        self._load()

    def show_selection(self) -> None:
        """Take over which rows are selected."""
        self._selected = {index.row() for index in self._table.selectionModel().selectedRows()}

    def forget(self) -> None:
        """Look at every row anew."""
        self._cells.clear()

    def _reset(self) -> None:
        self._selected.clear()
        self.forget()

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw a cell."""
        row = index.row()
        entry = self._model.entry_at(row)
        if entry is None:
            return
        column = index.column()
        rect: QRect = option.rect
        key = (entry.seq, column, rect.width())
        cell = self._cells.get(key)
        if cell is None:
            if len(self._cells) > _KEPT_CELLS:
                for oldest in list(islice(self._cells, _DROPPED_CELLS)):
                    del self._cells[oldest]
            cell = self._cells[key] = self._laid_out(painter, rect, index, entry)
        text, place, ink, tint = cell
        if row in self._selected:
            painter.fillRect(rect, self._pens["selection"])
        elif tint is not None:
            painter.fillRect(rect, tint)
        painter.setPen(ink)
        painter.drawStaticText(place + rect.topLeft(), text)

    def _laid_out(
        self, painter: QPainter, rect: QRect, index: Index, entry: Entry
    ) -> tuple[QStaticText, QPointF, QColor, QColor | None]:
        column = index.column()
        sign: Sign = index.data(SIGN_ROLE)
        tint = None if sign is Sign.PLAIN else self._pens[("tint", sign)]
        text = QStaticText(self._elided(str(index.data()), column, rect.width() - 12, painter))
        text.setTextFormat(Qt.TextFormat.PlainText)
        text.prepare(font=painter.font())
        size = text.size()
        left = rect.width() - 6 - size.width() if column == Column.SIZE else 6
        place = QPointF(left, round((rect.height() - size.height()) / 2))
        return text, place, self._pen(sign, entry.direction, column), tint

    @staticmethod
    def _elided(text: str, column: int, width: int, painter: QPainter) -> str:
        if column not in (Column.GIST, Column.TYPE):
            return text
        # The ends of a type tell events apart: input_audio_buffer.…, ….done.
        mode = Qt.TextElideMode.ElideRight if column == Column.GIST else Qt.TextElideMode.ElideMiddle
        return painter.fontMetrics().elidedText(text, mode, width)

    def _pen(self, sign: Sign, direction: Direction, column: int) -> QColor:
        if column == Column.DIRECTION:
            return self._pens[direction]
        if column == Column.TYPE and sign is not Sign.PLAIN:
            return self._pens[sign]
        if column in (Column.TIME, Column.SIZE):
            return self._pens["muted"]
        return self._pens["text"]

    def _load(self) -> None:
        colour = self._theme.colour
        self._cells.clear()
        self._pens = {
            "text": colour("text"),
            "selection": colour("selection"),
            "muted": colour("text_muted"),
            Direction.RECEIVED: colour("agent"),
            Direction.SENT: colour("participant"),
            Direction.NOTED: colour("text_muted"),
            Sign.PROBLEM: colour("error"),
            Sign.NOTICE: colour("warning"),
            ("tint", Sign.PROBLEM): colour("error", 0.12),
            ("tint", Sign.NOTICE): colour("warning", 0.10),
        }
