"""Instructions as recorded, or others: typed here, taken from the panel AGENT, or read from a file."""

from pathlib import Path
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from ui.models.plain import tip
from ui.theme import SPACE_PX, Theme
from ui.widgets.response_fields import plain_text
from ui.widgets.undoable import put_text

_LINES: Final = 5
_MOST_BYTES: Final = 1_000_000


class InstructionsChoice(QWidget):
    """Disabled until it knows the recorded text."""

    resized = Signal()
    """It needs more room, or less."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._recorded = self._own = self._offered = ""
        self.as_recorded, self.these = QRadioButton("As recorded"), QRadioButton("These:")
        self.as_recorded.setChecked(True)
        group = QButtonGroup(self)
        for button in (self.as_recorded, self.these):
            group.addButton(button)
        self.these.toggled.connect(self._show_choice)
        self.editor = QPlainTextEdit()
        self.editor.setAccessibleName("Instructions for the replay")
        self.editor.setPlaceholderText("No instructions.")
        self.editor.setTabChangesFocus(True)
        self.editor.setFixedHeight((_LINES + 1) * self.editor.fontMetrics().lineSpacing())
        self.message = QLabel()
        self.message.setTextFormat(Qt.TextFormat.PlainText)
        self.message.setWordWrap(True)
        self.message.setStyleSheet(f"color: {theme.colours.error};")
        self.message.hide()
        self.recorded_button = _button("Recorded text", lambda: self._put(self._recorded))
        self.own_button = _button("Yours, from AGENT", lambda: self._put(self._own))
        self.file_button = _button("From a file…", self._ask_file)
        self._lay_out()
        self._show_choice()

    @property
    def text(self) -> str:
        """What is chosen."""
        return plain_text(self.editor) if self.these.isChecked() else self._recorded

    @property
    def typed(self) -> str | None:
        """What was typed here, whether it is chosen or not; None where nothing was."""
        text = plain_text(self.editor)
        return None if text in (self._recorded, self._own, self._offered) else text

    def show_texts(self, recorded: str, own: str, typed: str | None = None) -> None:
        """Offer the recorded text, that of the live session, and what was `typed` here before.

        The editor begins with what was typed, else with the operator's own text where there is one, else with the
        recorded one.
        """
        self._recorded, self._own = recorded, own
        self._offered = typed if typed is not None else own or recorded
        self.as_recorded.setToolTip(tip(recorded or "None."))
        self.own_button.setEnabled(own != recorded)
        self.own_button.setToolTip(tip(own or "Your own text is empty."))
        self.editor.setPlainText(self._offered)

    def _lay_out(self) -> None:
        first = QHBoxLayout()
        first.setSpacing(4 * SPACE_PX)
        first.addWidget(self.as_recorded)
        first.addWidget(self.these)
        first.addStretch(1)
        self._sources = QWidget()
        sources = QHBoxLayout(self._sources)
        sources.setContentsMargins(0, 0, 0, 0)
        sources.setSpacing(SPACE_PX)
        begin = QLabel("Begin with")
        begin.setProperty("role", "muted")
        sources.addWidget(begin)
        for button in (self.recorded_button, self.own_button, self.file_button):
            sources.addWidget(button)
        sources.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_PX)
        column.addLayout(first)
        for widget in (self.editor, self._sources, self.message):
            column.addWidget(widget)

    def _show_choice(self) -> None:
        these = self.these.isChecked()
        self.editor.setVisible(these)
        self._sources.setVisible(these)
        self.message.setVisible(these and bool(self.message.text()))
        if these:
            self.editor.setFocus()
        self.resized.emit()

    def _put(self, text: str) -> None:
        put_text(self.editor, text)
        self._say("")
        self.editor.setFocus()

    def _ask_file(self) -> None:
        dialog = QFileDialog(self, "Instructions from a file", "", "Text (*.txt *.md);;All files (*)")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda name: self.take_file(Path(name)))
        dialog.open()

    def take_file(self, path: Path) -> None:
        """Put the text of a file into the editor, or say why that is not possible."""
        try:
            with path.open("rb") as file:
                content = file.read(_MOST_BYTES + 1)
            if len(content) > _MOST_BYTES:
                self._say(f"{path.name} is longer than a megabyte: that is no text of instructions.")
                return
            self._put(content.decode("utf-8-sig").replace("\r\n", "\n"))
        except UnicodeDecodeError:
            self._say(f"{path.name} is no text in UTF-8: save it as one, or choose another file.")
        except OSError as error:
            self._say(f"{path.name} cannot be read ({error.strerror}): choose another file.")

    def _say(self, sentence: str) -> None:
        self.message.setText(sentence)
        self.message.setVisible(bool(sentence))
        self.resized.emit()


def _button(words: str, do: object) -> QPushButton:
    button = QPushButton(words)
    button.setAutoDefault(False)
    button.clicked.connect(do)
    return button
