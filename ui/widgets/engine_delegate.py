"""A row of the engine picker's list: the name, and at the right where the engine stands with the suite."""

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from ui.colours import State
from ui.models.conformance import EngineStatus, Standing, short_text
from ui.models.log_model import Index
from ui.theme import Theme

STATUS_ROLE = int(Qt.ItemDataRole.UserRole) + 1

STATES = {
    Standing.PASSED: State.PASSED,
    Standing.FAILED: State.FAILED,
    Standing.INCONCLUSIVE: State.INCONCLUSIVE,
    Standing.STALE: State.WARNING,
    Standing.NONE: None,
}
"""The shape and colour of each standing; None: nothing is known."""

_GAP_PX = 28


class EngineDelegate(QStyledItemDelegate):
    """Paints names as usual, and statuses in the colour of their state."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the size of a row."""
        size = super().sizeHint(option, index)
        return size + QSize(_GAP_PX + option.fontMetrics.horizontalAdvance(_words(index)[0]), 4)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw a row."""
        super().paint(painter, option, index)
        words, state = _words(index)
        if not words:
            return
        rect: QRect = option.rect
        painter.save()
        colours = self._theme.colours
        painter.setPen(colours.text_muted if state is None else colours.of_state(state))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(rect.adjusted(0, 0, -10, 0), right, words)
        painter.restore()


def _words(index: Index) -> tuple[str, State | None]:
    status = index.data(STATUS_ROLE)
    if not isinstance(status, EngineStatus):
        return "", None
    state = STATES[status.state]
    return (f"{state.sign} {short_text(status)}" if state is not None else short_text(status)), state
