"""What of a file was not taken over into the study, in sentences to read."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QListWidget, QVBoxLayout, QWidget

from ui.theme import SPACE_PX
from ui.widgets.copied import say_copied


class ImportNotesDialog(QDialog):
    """A list of notes that can be copied. Open it with `open()`."""

    def __init__(self, name: str, notes: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Imported study")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(640, 420)
        self._notes = list(notes)
        title = QLabel(f"“{name}” was imported. This was not taken over as it stands:")
        title.setTextFormat(Qt.TextFormat.PlainText)
        title.setWordWrap(True)
        self.list = QListWidget()
        self.list.setAccessibleName("Notes of the import")
        self.list.setWordWrap(True)
        self.list.setSpacing(SPACE_PX // 2)
        self.list.addItems(self._notes)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        copy = buttons.addButton("Copy", QDialogButtonBox.ButtonRole.ActionRole)
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText("\n".join(self._notes)))
        copy.clicked.connect(lambda: say_copied(copy))
        buttons.rejected.connect(self.reject)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(5 * SPACE_PX, 5 * SPACE_PX, 5 * SPACE_PX, 4 * SPACE_PX)
        rows.setSpacing(3 * SPACE_PX)
        rows.addWidget(title)
        rows.addWidget(self.list, 1)
        rows.addWidget(buttons)
