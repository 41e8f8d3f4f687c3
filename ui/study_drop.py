"""A study that is dragged onto the window is opened, wherever in the window it falls."""

from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QWidget

from ui.models.deck_list import STUDY_SUFFIXES, local_files


class StudyDrop(QObject):
    """Watches what is dragged onto a window."""

    dropped = Signal(Path)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        window.setAcceptDrops(True)
        # Fields would take the file for a text.
        fields = [field.viewport() for field in window.findChildren(QPlainTextEdit)]
        for widget in (window, *fields, *window.findChildren(QLineEdit)):
            widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take one file that may be a study."""
        if event.type() not in (QEvent.Type.DragEnter, QEvent.Type.DragMove, QEvent.Type.Drop) or not isinstance(
            event, QDropEvent
        ):
            return False
        files = local_files(event.mimeData())
        if len(files) != 1 or files[0].suffix.lower() not in STUDY_SUFFIXES:
            return False
        event.acceptProposedAction()
        if event.type() == QEvent.Type.Drop:
            self.dropped.emit(files[0])
        return True
