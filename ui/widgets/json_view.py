"""The inspector: one JSON value, indented and coloured, with what is too long to read shortened on screen only."""

import json
import re
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QSyntaxHighlighter, QTextCharFormat, QTextDocument
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from ui.theme import Theme, mono_font

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST_STRING: Final = 2_000
"""Characters of an ordinary string that are shown."""
LONGEST_PAYLOAD: Final = 48
"""Characters of base64 that are shown."""
MOST_MEMBERS: Final = 200
"""Members of an array or object that are shown."""
_BASE64 = re.compile(r"(data:[\w/+.-]+;base64,)?[A-Za-z0-9+/]{200,}={0,2}")
_TOKENS = re.compile(
    r'(?P<key>"(?:[^"\\]|\\.)*")(?=\s*:)|(?P<string>"(?:[^"\\]|\\.)*"?)|(?P<word>\btrue\b|\bfalse\b|\bnull\b)|(?P<number>-?\b\d[\d.eE+-]*)'
)


def shortened(value: Any) -> Any:
    """Return a copy of a JSON value that can be read: payloads, long strings and long arrays are cut, and say so."""
    if isinstance(value, str):
        return _short_string(value)
    if isinstance(value, dict):
        members = {str(key): shortened(member) for key, member in list(value.items())[:MOST_MEMBERS]}
        if len(value) > MOST_MEMBERS:
            members["…"] = f"{len(value) - MOST_MEMBERS:,} more members"
        return members
    if isinstance(value, list | tuple):
        rest = [f"… {len(value) - MOST_MEMBERS:,} more"] if len(value) > MOST_MEMBERS else []
        return [shortened(member) for member in value[:MOST_MEMBERS]] + rest
    return value


def _short_string(text: str) -> str:
    if _BASE64.fullmatch(text):
        return f"{text[:LONGEST_PAYLOAD]}… ({len(text):,} characters of base64)"
    if len(text) > LONGEST_STRING:
        return f"{text[:LONGEST_STRING]}… ({len(text):,} characters)"
    return text


class JsonView(QWidget):
    """Shows one JSON object, or a hint where there is none."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = QLabel()
        self._title.setProperty("role", "heading")
        self._text = QPlainTextEdit()
        self._text.setReadOnly(True)
        self._text.setFont(mono_font())
        self._text.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self._text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._text.setPlaceholderText("Select a row to see its JSON")
        self._text.setAccessibleName("JSON of the selected row")
        self._highlighter = JsonHighlighter(self._text.document(), theme)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 2, 4, 4)
        layout.setSpacing(2)
        layout.addWidget(self._title)
        layout.addWidget(self._text, 1)
        self.show_value(None)

    @property
    def text(self) -> str:
        """What is shown."""
        return self._text.toPlainText()

    def show_value(self, value: "Mapping[str, Any] | None", title: str = "") -> None:
        """Show a JSON object under a title; None empties the view, and the title may say what to do."""
        self._title.setText(title)
        self._title.setVisible(bool(title))
        text = "" if value is None else json.dumps(shortened(value), ensure_ascii=False, indent=2)
        self._text.setPlainText(text)


class JsonHighlighter(QSyntaxHighlighter):
    """Colours keys, strings, numbers and words; follows the theme."""

    def __init__(self, document: QTextDocument, theme: Theme) -> None:
        super().__init__(document)
        self._theme = theme
        self._formats: dict[str, QTextCharFormat] = {}
        self._redress()
        theme.changed.connect(self._redress)

    def highlightBlock(self, text: str) -> None:
        """Colour one line."""
        for token in _TOKENS.finditer(text):
            kind = token.lastgroup
            if kind is not None:
                self.setFormat(token.start(), token.end() - token.start(), self._formats[kind])

    def _redress(self) -> None:
        for kind, role in (("key", "text"), ("string", "heard_speech"), ("word", "study"), ("number", "participant")):
            form = QTextCharFormat()
            form.setForeground(self._theme.colour(role))
            if kind == "key":
                form.setFontWeight(QFont.Weight.DemiBold)
            self._formats[kind] = form
        self.rehighlight()
