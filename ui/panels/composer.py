"""Compose: a reply asked for with any parameter, or any event as it stands."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from simulator.participant.messages import Status
from ui.models.conversation_items import Items
from ui.models.presets import Presets
from ui.panels.raw_event import RawEvent
from ui.panels.reply_composer import ReplyComposer
from ui.theme import SPACE_PX, Theme

REPLY, RAW = 0, 1
_PAGES = ("Ask for a reply", "Any event")


class ComposerPanel(QWidget):
    """Two pages: the form of a response, and the editor of raw events."""

    command_requested = Signal(object)
    """A CreateResponse or SendEvent command."""

    def __init__(
        self,
        theme: Theme,
        tools: tuple[Mapping[str, Any], ...],
        voices: tuple[str, ...],
        presets: Presets,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.reply = ReplyComposer(theme, tools, voices, presets)
        self.raw = RawEvent(theme)
        self.pages = QStackedWidget()
        self._choices = QButtonGroup(self)
        bar = QHBoxLayout()
        bar.setContentsMargins(2 * SPACE_PX, SPACE_PX, 2 * SPACE_PX, SPACE_PX)
        bar.setSpacing(SPACE_PX)
        for place, name in enumerate(_PAGES):
            button = QPushButton(name)
            button.setProperty("role", "quiet")
            button.setCheckable(True)
            button.clicked.connect(partial(self.show_page, place))
            self._choices.addButton(button, place)
            bar.addWidget(button)
        self.pages.addWidget(self.reply)
        self.pages.addWidget(self.raw)
        self.reply.command_requested.connect(self.command_requested)
        self.raw.command_requested.connect(self.command_requested)
        self.reply.raw_requested.connect(self.edit_raw)
        bar.addStretch(1)
        bar.addWidget(self.reply.presets)
        bar.addWidget(self.raw.templates)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(bar)
        column.addWidget(self.pages, 1)
        self.show_page(REPLY)

    def show_page(self, place: int) -> None:
        """Open the form (`REPLY`) or the editor of events (`RAW`)."""
        self.pages.setCurrentIndex(place)
        self._choices.button(place).setChecked(True)
        self.reply.presets.setVisible(place == REPLY)
        self.raw.templates.setVisible(place == RAW)
        self.setFocusProxy(self.reply.form if place == REPLY else self.raw.editor)

    def edit_raw(self, event: Mapping[str, Any]) -> None:
        """Put an event into the editor, to be changed and sent."""
        self.show_page(RAW)
        self.raw.show_event(event)
        self.raw.editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_status(self, status: Status) -> None:
        """Allow sending while there is a session."""
        self.reply.show_status(status)
        self.raw.show_status(status)

    def show_sent(self, error: str | None) -> None:
        """Say what became of what was sent last from the page in sight."""
        page = self.reply if self.pages.currentIndex() == REPLY else self.raw
        page.show_sent(error)

    def set_items(self, items: Items) -> None:
        """Say where the items of the conversation are to be asked for."""
        self.reply.items = items
        self.raw.items = items
