"""Space as the talk key: held for a microphone, pressed for a recording; never taken from a text field or a dialog.

A key that is held repeats itself: on X11 as releases with a press right behind, which Qt does not always know for what
they are. So a release counts once no press has followed for a moment.
"""

from typing import Final

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QMainWindow,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

TAKES_SPACE: Final = "takesSpace"
"""A property: the widget has a use of its own for Space at present."""


def takes_text(widget: QWidget | None) -> bool:
    """Return whether the widget is one into which text is typed."""
    if isinstance(widget, QPlainTextEdit | QTextEdit):
        return not widget.isReadOnly()
    if isinstance(widget, QComboBox):
        return widget.isEditable()
    return isinstance(widget, QLineEdit | QAbstractSpinBox)


LET_GO_AFTER_MS: Final = 40


class TalkKey(QObject):
    """Watches the keys of a window."""

    pressed = Signal()
    released = Signal()

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._down = False
        self._letting_go = QTimer(self)
        self._letting_go.setSingleShot(True)
        self._letting_go.setInterval(LET_GO_AFTER_MS)
        self._letting_go.timeout.connect(self._let_go)
        application = QApplication.instance()
        assert application is not None
        application.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take Space from everything but what needs it."""
        kind = event.type()
        if kind == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Space:
            return self._key_pressed(event)
        if kind == QEvent.Type.KeyRelease and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Space:
            return self._key_released(event)
        if kind == QEvent.Type.WindowDeactivate and watched is self._window:
            self._let_go()
        return False

    def _key_pressed(self, event: QKeyEvent) -> bool:
        if self._down:
            self._letting_go.stop()
            return True
        if event.isAutoRepeat() or event.modifiers() != Qt.KeyboardModifier.NoModifier or not self._is_ours():
            return False
        self._down = True
        self.pressed.emit()
        return True

    def _key_released(self, event: QKeyEvent) -> bool:
        if not self._down:
            return False
        if not event.isAutoRepeat():
            self._letting_go.start()
        return True

    def _let_go(self) -> None:
        self._letting_go.stop()
        if self._down:
            self._down = False
            self.released.emit()

    def _is_ours(self) -> bool:
        if QApplication.activeWindow() is not self._window or QApplication.activePopupWidget() is not None:
            return False
        focus = QApplication.focusWidget()
        if focus is not None and focus.property(TAKES_SPACE):
            return False
        return not takes_text(focus) and not isinstance(focus, QAbstractButton | QComboBox)
