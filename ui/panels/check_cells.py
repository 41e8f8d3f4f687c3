"""How a cell of the matrix of checks is painted."""

from collections.abc import Iterable

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from ui.checks_feed import ChecksFeed
from ui.colours import State
from ui.models.checks_model import FINISHED, CellState
from ui.models.log_model import Index
from ui.theme import Theme, paint_state, ui_font

KEY = Qt.ItemDataRole.UserRole
"""Where an item of the table keeps the key of its cell."""
ROW_PX = 24
NAME_LEFT_PX = 8
_SIGN_PX = 16
_TEXT_PX = 30
"""Where the words of a cell begin, and how far from its end they stop."""
_TEXT_END_PX = 4
_NAME_MARGIN_PX = 24
_LEAST_DETAIL_PX = 60
STATES = {
    CellState.QUEUED: State.QUEUED,
    CellState.RUNNING: State.RUNNING,
    CellState.WAITING: State.WAITING,
    CellState.PASSED: State.PASSED,
    CellState.FAILED: State.FAILED,
    CellState.INCONCLUSIVE: State.INCONCLUSIVE,
}
"""How a cell's state is shown; one that is not here has no sign."""


class CellDelegate(QStyledItemDelegate):
    """Paints a cell: the shape of its state, its word, and what it waits for or why."""

    def __init__(self, theme: Theme, feed: ChecksFeed, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._feed = feed
        self.scale = 1.0
        """How many times as large as usual everything is drawn; the view's font has it already."""

    def natural_width(self, names: Iterable[str], modes: int) -> int:
        """Return how wide a table must be at scale 1, so that each name and each verdict of a mode is seen whole."""
        font = ui_font()
        name = max((QFontMetrics(font).horizontalAdvance(name) for name in names), default=0) + _NAME_MARGIN_PX
        font.setBold(True)
        verdict = max(QFontMetrics(font).horizontalAdvance(state.value) for state in FINISHED)
        return name + modes * (_TEXT_PX + verdict + 2 * _TEXT_END_PX)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the size of a cell."""
        if index.column():
            return QSize(self._px(160), self._px(ROW_PX))
        # That of all names, so that tables beside each other have the same columns.
        names = (option.fontMetrics.horizontalAdvance(check.id) for check in self._feed.model.checks)
        return QSize(max(names, default=0) + self._px(_NAME_MARGIN_PX), self._px(ROW_PX))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw a cell."""
        rect: QRect = option.rect
        if index.column() == 0:
            painter.setPen(self._theme.colour("text"))
            painter.drawText(
                rect.adjusted(self._px(8), 0, -self._px(8), 0), Qt.AlignmentFlag.AlignVCenter, str(index.data())
            )
            return
        key = index.data(KEY)
        cell = self._feed.model.cells.get(key) if key is not None else None
        if cell is None:
            return
        flags: QStyle.StateFlag = option.state
        colours = self._theme.colours
        painter.save()
        if flags & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, self._theme.colour("selection"))
        state = STATES.get(cell.state)
        colour = self._theme.colour("text_muted")
        if state is not None:
            colour = self._theme.colour(state.value if state is not State.WAITING else "running")
            if cell.state is CellState.FAILED and not flags & QStyle.StateFlag.State_Selected:
                painter.fillRect(rect, self._theme.colour("failed", 0.10))
            side = self._px(_SIGN_PX)
            sign = QRectF(rect.left() + self._px(8), rect.center().y() + 1 - side / 2, side, side)
            paint_state(painter, sign, state, colours)
        text = rect.adjusted(self._px(_TEXT_PX), 0, -self._px(_TEXT_END_PX), 0)
        reason = cell.reasons[0] if cell.reasons else ""
        detail = cell.tally or ("" if cell.state is CellState.WAITING else reason)
        word = f"waiting for {cell.waiting_for}" if cell.state is CellState.WAITING and cell.waiting_for else cell.word
        font = painter.font()
        if cell.state in FINISHED and QFontMetrics(font).horizontalAdvance(word) > text.width():
            word = cell.state.value  # the verdict matters, the number of attempts is told where there is room
        font.setBold(cell.state in FINISHED and word == cell.state.value)  # so that an attempt fits
        painter.setFont(font)
        painter.setPen(colour)
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        metrics = QFontMetrics(font)
        painter.drawText(text, left, metrics.elidedText(word, Qt.TextElideMode.ElideRight, text.width()))
        rest = text.adjusted(metrics.horizontalAdvance(word) + self._px(10), 0, 0, 0)
        if detail and rest.width() > self._px(_LEAST_DETAIL_PX):
            font.setBold(False)
            painter.setFont(font)
            painter.setPen(self._theme.colour("text_muted"))
            words = QFontMetrics(font).elidedText(detail, Qt.TextElideMode.ElideRight, rest.width())
            painter.drawText(rest, left, words)
        if flags & QStyle.StateFlag.State_HasFocus:
            painter.setPen(self._theme.colour("accent"))
            painter.drawRect(rect.adjusted(0, 0, -1, -1))
        painter.restore()

    def _px(self, natural: int) -> int:
        return round(natural * self.scale)
