"""A slider without a value until it is touched, with click, drag and the keys of every slider."""

from typing import Final

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QSlider

from ui.theme import Theme

_HANDLE_PX: Final = 16
_GROOVE_PX: Final = 4
_KEYS: Final = (
    Qt.Key.Key_Left,
    Qt.Key.Key_Right,
    Qt.Key.Key_Up,
    Qt.Key.Key_Down,
    Qt.Key.Key_PageUp,
    Qt.Key.Key_PageDown,
    Qt.Key.Key_Home,
    Qt.Key.Key_End,
)


class TouchSlider(QSlider):
    """A horizontal slider of `steps` steps that begins in the middle, untouched. The wheel is left to what scrolls."""

    set_by_hand = Signal()

    def __init__(self, theme: Theme, steps: int, name: str) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._theme = theme
        self.touched = False
        self.setRange(0, steps)
        self.setPageStep(max(1, steps // 10))
        self.setValue(steps // 2)
        self.setAccessibleName(name)
        self.setAccessibleDescription("No value yet.")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.valueChanged.connect(self._moved)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """Ask for a usual width."""
        return QSize(160, _HANDLE_PX + 6)

    def minimumSizeHint(self) -> QSize:
        """A few steps must be told apart."""
        return QSize(60, _HANDLE_PX + 6)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take the place that was clicked."""
        if event.button() is Qt.MouseButton.LeftButton:
            self._take(event.position().x())
            event.accept()
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Follow the mouse while its button is down."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._take(event.position().x())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """The place is taken already."""
        event.accept()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll what lies around, never set a value in passing."""
        event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move by keys; the first one touches the slider."""
        super().keyPressEvent(event)
        if event.key() in _KEYS:
            self._touch()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the groove, and the handle once there is a value."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        middle = self.height() / 2
        left, right = _HANDLE_PX / 2, self.width() - _HANDLE_PX / 2
        groove = QRectF(left, middle - _GROOVE_PX / 2, right - left, _GROOVE_PX)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("line_strong"))
        painter.drawRoundedRect(groove, _GROOVE_PX / 2, _GROOVE_PX / 2)
        x = left + (right - left) * self.value() / max(self.maximum(), 1)
        if self.touched:
            painter.setBrush(self._theme.colour("participant_fill"))
            painter.drawRoundedRect(QRectF(left, groove.top(), x - left, _GROOVE_PX), 2, 2)
            painter.setPen(QPen(self._theme.colour("panel"), 2))
            painter.drawEllipse(QPointF(x, middle), _HANDLE_PX / 2 - 1, _HANDLE_PX / 2 - 1)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self._theme.colour("accent"), 1.5))
            if self.touched:
                painter.drawEllipse(QPointF(x, middle), _HANDLE_PX / 2, _HANDLE_PX / 2)
            else:
                painter.drawRoundedRect(groove.adjusted(-3, -4, 3, 4), 5, 5)
        painter.end()

    def _take(self, x: float) -> None:
        span = max(self.width() - _HANDLE_PX, 1)
        share = min(max((x - _HANDLE_PX / 2) / span, 0.0), 1.0)
        self.setValue(round(share * self.maximum()))
        self._touch()

    def _touch(self) -> None:
        if not self.touched:
            self.touched = True
            self.setAccessibleDescription("")
            self.update()
            self.set_by_hand.emit()

    def _moved(self) -> None:
        if self.touched:
            self.set_by_hand.emit()
