"""The text chat: who wrote what, the newest below."""

from collections.abc import Sequence
from typing import Final

from PySide6.QtWidgets import QVBoxLayout, QWidget

from ui.models.plain import line
from ui.models.preview import ChatLine
from ui.theme import SPACE_PX, Theme
from ui.widgets.components.plain_text import PlainText

SHOWN_LINES: Final = 30


class TextChat(QWidget):
    """The last lines of the chat."""

    def __init__(self, theme: Theme, lines: Sequence[ChatLine]) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        earlier = len(lines) - SHOWN_LINES
        if earlier > 0:
            column.addWidget(PlainText(theme, f"{earlier} earlier lines", role="text_muted", scale=0.9))
        for each in lines[-SHOWN_LINES:]:
            role = "agent" if each.by_agent else "participant"
            column.addSpacing(SPACE_PX)
            column.addWidget(PlainText(theme, line(each.speaker) or "Somebody", role=role, scale=0.9, bold=True))
            column.addWidget(PlainText(theme, each.said))
