"""Asks which model recognises the participant's words."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

_ABOUT = (
    "A Whisper model in the format of CTranslate2: its folder, or the name of one that Hugging Face's cache on this "
    "computer holds, such as small. Models whose names do not end in .en know many languages and find out which one is "
    "spoken. Left empty, it is tiny.en of the extra “ears”, which knows English. Nothing is downloaded."
)


class RecogniserDialog(QDialog):
    """One field. Open it with `open()`; `settle` closes it when the model is there."""

    model_given = Signal(str)
    """The folder or name that was typed; empty for the extra's own."""

    def __init__(self, model: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Recogniser of words")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.field = QLineEdit(model)
        self.field.setAccessibleName("Model")
        self.field.setPlaceholderText("tiny.en")
        self.field.setMinimumWidth(420)
        browse = QPushButton("Folder…")
        browse.clicked.connect(self._ask_folder)
        row = QHBoxLayout()
        row.addWidget(self.field, 1)
        row.addWidget(browse)
        self.message = QLabel(_ABOUT)
        self.message.setWordWrap(True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(lambda: self.model_given.emit(self.field.text().strip()))
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addLayout(row)
        column.addWidget(self.message)
        column.addWidget(buttons)

    def settle(self, error: str | None) -> None:
        """Close, or say why the model was not taken."""
        if error is None:
            self.accept()
        else:
            self.message.setText(error)

    def _ask_folder(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, "Folder of a Whisper model", self.field.text())
        if folder:
            self.field.setText(folder)
