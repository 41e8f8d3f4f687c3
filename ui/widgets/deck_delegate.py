"""A row of the deck: mark, number, sign, what it is about, when; a part is a heading."""

from typing import Final

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from ui.models.deck import Deck, Mark, Row
from ui.models.deck_list import ROW_ROLE, Index, timing
from ui.models.plain import line
from ui.models.step_kinds import gist, kind_of
from ui.theme import ROW_HEIGHT_PX, Theme
from ui.widgets.step_signs import paint_sign

_HEIGHT_PX: Final = ROW_HEIGHT_PX + 2
_MARK_PX: Final = 18
_SIGN_PX: Final = 14
_GAP_PX: Final = 6
_VERTICAL: Final = Qt.AlignmentFlag.AlignVCenter
_MARKS: Final = {
    Mark.NONE: ("", "text_muted"),
    Mark.SENT: ("…", "text_muted"),
    Mark.PUSHED: ("✓", "passed"),
    Mark.SHOWN: ("●", "study"),
    Mark.REFUSED: ("✕", "error"),
}
NEXT_SIGN: Final = "▸"


class DeckDelegate(QStyledItemDelegate):
    """Paints rows of one height."""

    def __init__(self, deck: Deck, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._deck, self._theme = deck, theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the size of every row."""
        return QSize(120, _HEIGHT_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw a row."""
        row = index.data(ROW_ROLE)
        if not isinstance(row, Row):
            return
        rect = QRect(option.rect)
        painter.save()
        self._paint_ground(painter, option, rect, row)
        rect.setLeft(self._paint_mark(painter, rect, index.row(), row))
        if row.is_part:
            self._paint_part(painter, rect, row)
        else:
            self._paint_step(painter, option, rect, index.row(), row)
        painter.restore()

    def _paint_ground(self, painter: QPainter, option: QStyleOptionViewItem, rect: QRect, row: Row) -> None:
        colour = self._theme.colour
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if selected:
            painter.fillRect(rect, colour("selection"))
        elif row.is_part:
            painter.fillRect(rect, colour("raised"))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, colour("hover"))
        if selected and option.state & QStyle.StateFlag.State_HasFocus:
            painter.fillRect(QRect(rect.left(), rect.top(), 2, rect.height()), colour("accent"))

    def _paint_mark(self, painter: QPainter, rect: QRect, place: int, row: Row) -> int:
        """Draw the mark; returns where the rest begins."""
        mark = self._deck.mark(row.key)
        text, role = _MARKS[mark]
        if place == self._deck.next_place and mark in (Mark.NONE, Mark.PUSHED):
            text, role = ("…", "study") if self._deck.plays else (NEXT_SIGN, "accent")
        painter.setPen(self._theme.colour(role))
        box = QRect(rect.left() + 2, rect.top(), _MARK_PX, rect.height())
        painter.drawText(box, _VERTICAL | Qt.AlignmentFlag.AlignHCenter, text)
        return box.right() + 1

    def _paint_part(self, painter: QPainter, rect: QRect, row: Row) -> None:
        font = QFont(painter.font())
        font.setBold(True)
        painter.setFont(font)
        painter.setPen(self._theme.colour("text"))
        inside = rect.adjusted(2, 0, -_GAP_PX, 0)
        words = painter.fontMetrics().elidedText(gist(row.step.action), Qt.TextElideMode.ElideRight, inside.width())
        painter.drawText(inside, _VERTICAL | Qt.AlignmentFlag.AlignLeft, words)

    def _paint_step(self, painter: QPainter, option: QStyleOptionViewItem, rect: QRect, place: int, row: Row) -> None:
        colour, metrics = self._theme.colour, painter.fontMetrics()
        wide = metrics.horizontalAdvance("0" * max(2, len(str(len(self._deck.rows)))))
        painter.setPen(colour("text_muted"))
        number = QRect(rect.left(), rect.top(), wide, rect.height())
        painter.drawText(number, _VERTICAL | Qt.AlignmentFlag.AlignRight, self._deck.number(place))
        left = number.right() + 1 + _GAP_PX
        top = rect.top() + (rect.height() - _SIGN_PX) / 2
        kind = kind_of(row.step.action)
        paint_sign(painter, QRectF(left, top, _SIGN_PX, _SIGN_PX), kind.sign, colour("study"))
        left += _SIGN_PX + _GAP_PX
        right = rect.right() - _GAP_PX
        answer = self._deck.answers.get(row.key)
        if beside := answer or timing(row.step):
            # The agent's answer takes the place of the time, which has passed by then.
            painter.setPen(colour("agent" if answer else "text_muted"))
            box = QRect(left, rect.top(), right - left, rect.height())
            beside = metrics.elidedText(line(beside), Qt.TextElideMode.ElideRight, (right - left) // 2)
            painter.drawText(box, _VERTICAL | Qt.AlignmentFlag.AlignRight, beside)
            right -= metrics.horizontalAdvance(beside) + _GAP_PX
        painter.setPen(colour("text"))
        box = QRect(left, rect.top(), max(0, right - left), rect.height())
        words = metrics.elidedText(gist(row.step.action) or kind.name, Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, _VERTICAL | Qt.AlignmentFlag.AlignLeft, words)
