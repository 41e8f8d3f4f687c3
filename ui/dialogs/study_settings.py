"""What holds for a whole study: its name, its text chat, how long a reply may take, the turn detection it wants."""

import json
from typing import Any

import msgspec
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QVBoxLayout, QWidget

from simulator.errors import SimulatorError, UsageError
from simulator.profile.turn_detection import what_is_wrong
from simulator.study.steps import Study
from ui.models.form_fields import FormField, required
from ui.theme import SPACE_PX, Theme
from ui.widgets.form import Form

_CHATS = {None: "where a line is typed", True: "yes", False: "no"}
_FIELDS = (
    FormField("name", "Name", "line", ""),
    FormField(
        "text_chat",
        "Text chat",
        "choice",
        _CHATS[None],
        choices=tuple(_CHATS.values()),
        tip="Whether the agent is given send_chat, to write in the chat itself.",
    ),
    FormField(
        "reply_within_s",
        "Reply within",
        "whole",
        20,
        low=1,
        high=300,
        suffix=" s",
        tip="Played by time: how long an awaited reply may take to begin before the study goes on without it.",
    ),
    FormField(
        "turn_detection",
        "Turn detection",
        "text",
        "",
        tip='The wire object as JSON, as {"type": "server_vad", "silence_duration_ms": 700}; empty: none of its own.',
    ),
)


class StudySettingsDialog(QDialog):
    """Edits the head of a study; `done_with` tells the changed fields. Open it with `open()`."""

    done_with = Signal(object)

    def __init__(self, theme: Theme, study: Study, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Settings of the study")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(520, 320)
        self._theme = theme
        self._changes: dict[str, Any] = {}
        self.form = Form(_FIELDS, "Study")
        wire = study.turn_detection
        self.form.set_values(
            {
                "name": study.name,
                "text_chat": _CHATS[study.text_chat],
                "reply_within_s": round(study.reply_within_s),
                "turn_detection": "" if wire is None else json.dumps(wire, ensure_ascii=False),
            }
        )
        self._reply_within_s = study.reply_within_s
        self.form.changed.connect(self._check)
        note = QLabel("Instructions and voice of the agent stand in the panel AGENT, and are saved with the study.")
        note.setProperty("role", "muted")
        note.setWordWrap(True)
        self.message = QLabel()
        self.message.setWordWrap(True)
        self.message.setTextFormat(Qt.TextFormat.PlainText)
        self.message.setStyleSheet(f"color: {theme.colours.error};")
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(5 * SPACE_PX, 5 * SPACE_PX, 5 * SPACE_PX, 4 * SPACE_PX)
        rows.setSpacing(2 * SPACE_PX)
        rows.addWidget(self.form)
        rows.addWidget(note)
        rows.addStretch(1)
        rows.addWidget(self.message)
        rows.addWidget(self.buttons)
        self._check()

    def accept(self) -> None:
        """Tell what the fields hold, unless something is wrong with it."""
        if self._changes:
            self.done_with.emit(self._changes)
            super().accept()

    def _check(self) -> None:
        values = self.form.values
        try:
            seconds = int(values["reply_within_s"])
            self._changes = {
                "name": required(values, "name", "The name"),
                "text_chat": next(chat for chat, words in _CHATS.items() if words == values["text_chat"]),
                "reply_within_s": self._reply_within_s if seconds == round(self._reply_within_s) else float(seconds),
                "turn_detection": _wire(values["turn_detection"]),
            }
            self.message.setText("")
        except SimulatorError as error:
            self._changes = {}
            self.message.setText(f"✕  {error}")
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(bool(self._changes))


def _wire(text: str) -> dict[str, Any] | None:
    if not text.strip():
        return None
    try:
        wire = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        raise UsageError("The turn detection is not JSON.") from None
    if not isinstance(wire, dict):
        raise UsageError('The turn detection must be a JSON object with its “type”, as {"type": "server_vad"}.')
    if (wrong := what_is_wrong(wire)) is not None:
        raise UsageError(wrong)
    return wire
