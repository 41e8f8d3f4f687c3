"""A text field, and the words of a voice recording: what is typed is the answer."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout

from simulator.profile.answers import prompt_of
from ui.models.plain import is_blank, line
from ui.theme import SPACE_PX, Theme
from ui.widgets.components.answer import AnswerWidget
from ui.widgets.components.plain_text import PlainText


class TextField(AnswerWidget):
    """A few lines of text; empty only where the config allows it."""

    hint = "Type the answer"

    def __init__(self, _theme: Theme, config: Mapping[str, Any]) -> None:
        super().__init__()
        self._may_be_empty = config.get("required") is False
        self.editor = QPlainTextEdit()
        self.editor.setPlaceholderText(self.hint)
        self.editor.setAccessibleName(line(prompt_of(config)) or self.hint)
        self.editor.setTabChangesFocus(True)
        self.editor.setFixedHeight(4 * self.editor.fontMetrics().lineSpacing() + 14)
        self.editor.textChanged.connect(self.changed)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(SPACE_PX)
        self.column.addWidget(self.editor)

    @property
    def value(self) -> object | None:
        """The text."""
        text = self.editor.toPlainText()
        return text if self._may_be_empty or not is_blank(text) else None


class AudioRecording(TextField):
    """What the participant would say aloud, in words."""

    hint = "Type what would be said aloud"

    def __init__(self, theme: Theme, config: Mapping[str, Any]) -> None:
        super().__init__(theme, config)
        longest = config.get("maxRecordingTime")
        limit = f", {longest:g} s at most" if isinstance(longest, int | float) and not isinstance(longest, bool) else ""
        self.column.insertWidget(
            0, PlainText(theme, f"●  The platform records the voice here{limit}.", role="recording")
        )
