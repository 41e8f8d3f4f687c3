"""A button that copies says that it did."""

from typing import Final

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QPushButton

WORDS: Final = "✓ Copied"
_SAID_FOR_MS: Final = 1_500


def say_copied(button: QPushButton) -> None:
    """Let a button say for a moment that its text is in the clipboard."""
    before = button.text()
    if before == WORDS:
        return
    button.setMinimumWidth(button.width())
    button.setText(WORDS)
    QTimer.singleShot(_SAID_FOR_MS, button, lambda: button.setText(before))
