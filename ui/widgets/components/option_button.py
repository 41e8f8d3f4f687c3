"""An option to be ticked: its mark and its text, drawn by one widget, so that hundreds of them cost little."""

from typing import Final

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy

from ui.models.plain import line
from ui.theme import RADIUS_PX, SPACE_PX, Theme, ui_font
from ui.widgets.components.plain_text import WrappedText

_MARK_PX: Final = 14
_TEXT_X: Final = 2 * SPACE_PX + _MARK_PX + 2 * SPACE_PX
_PAD_PX: Final = 5


class OptionButton(QAbstractButton):
    """A radio button or a check box with a wrapped text. The text is never taken as markup or as a shortcut."""

    def __init__(self, theme: Theme, text: str, *, several: bool, note: str = "") -> None:
        super().__init__()
        self._theme = theme
        self._several = several
        self._font = ui_font()
        self._wrapped = WrappedText(text, self._font)
        self._note = note
        self._note_font = ui_font(0.85)
        self.setCheckable(True)
        self.setAutoExclusive(not several)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setAccessibleName(line(text, 1_000))
        self.setAccessibleDescription(note)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        theme.changed.connect(self.update)

    def hasHeightForWidth(self) -> bool:
        """A narrower option is higher."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of the text, the note below it, and the space around."""
        return self._text_height(width) + self._note_height() + 2 * _PAD_PX

    def sizeHint(self) -> QSize:
        """Ask for a usual width."""
        return QSize(200, self.heightForWidth(200))

    def minimumSizeHint(self) -> QSize:
        """Any width will do."""
        return QSize(_TEXT_X + 20, _MARK_PX + 2 * _PAD_PX)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the row, its mark and its text."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._draw_row(painter)
        self._draw_mark(painter)
        painter.setFont(self._font)
        painter.setPen(self._theme.colour("text"))
        width = self._text_width(self.width())
        self._wrapped.draw(painter, _TEXT_X, _PAD_PX, width)
        if self._note:
            painter.setFont(self._note_font)
            painter.setPen(self._theme.colour("text_muted"))
            top = _PAD_PX + self._text_height(self.width())
            painter.drawText(QRectF(_TEXT_X, top, width, self._note_height()), self._note)
        painter.end()

    def _draw_row(self, painter: QPainter) -> None:
        colour = "selection" if self.isChecked() else "hover" if self.underMouse() else "sunken"
        focused = self.hasFocus()
        frame = self._theme.colour("accent" if focused else "line")
        painter.setPen(QPen(frame, 1.5 if focused else 1))
        painter.setBrush(self._theme.colour(colour))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), RADIUS_PX, RADIUS_PX)

    def _draw_mark(self, painter: QPainter) -> None:
        middle = _PAD_PX + self.fontMetrics().height() / 2
        box = QRectF(2 * SPACE_PX, middle - _MARK_PX / 2, _MARK_PX, _MARK_PX).adjusted(0.5, 0.5, -0.5, -0.5)
        checked = self.isChecked()
        painter.setPen(QPen(self._theme.colour("accent" if checked else "text_muted"), 1.4))
        painter.setBrush(self._theme.colour("panel"))
        if self._several:
            painter.drawRoundedRect(box, 3, 3)
            if checked:
                painter.setPen(QPen(self._theme.colour("accent"), 2))
                x, y, side = box.x(), box.y(), box.width()
                painter.drawPolyline([QPointF(x + side * a, y + side * b) for a, b in _TICK])
        else:
            painter.drawEllipse(box)
            if checked:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(self._theme.colour("accent"))
                painter.drawEllipse(box.adjusted(3, 3, -3, -3))

    def _text_width(self, width: int) -> int:
        return max(width - _TEXT_X - 2 * SPACE_PX, 1)

    def _text_height(self, width: int) -> int:
        return self._wrapped.height(self._text_width(width))

    def _note_height(self) -> int:
        return self.fontMetrics().height() if self._note else 0


_TICK: Final = ((0.22, 0.52), (0.42, 0.72), (0.8, 0.28))
