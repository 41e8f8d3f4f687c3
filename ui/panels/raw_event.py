"""Any client event as JSON: from a template, from the log or typed; sent as it stands."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from simulator.participant.messages import ConnectionState, SendEvent, Status
from simulator.profile.client_event_examples import CALL_ID, CLIENT_EVENTS, EXAMPLES, ITEM_ID
from simulator.profile.response_checks import validate
from simulator.profile.response_values import read_json
from ui.models.kept_payloads import with_payloads, without_payloads
from ui.theme import SPACE_PX, Theme, mono_font
from ui.widgets.json_view import JsonHighlighter
from ui.widgets.response_fields import Picker, plain_text
from ui.widgets.undoable import put_text

if TYPE_CHECKING:
    from ui.models.conversation_items import Items

NOT_CONNECTED = "Connect first (F5): there is no engine to send it to."
_TEMPLATES = "Begin with a template"


class RawEvent(QWidget):
    """An editor, whether its text can be sent, and the button that sends it."""

    command_requested = Signal(object)
    """A SendEvent command."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._connected = False
        self._event: dict[str, Any] | None = None
        """What the editor holds; None while that is no event."""
        self._kept: dict[str, str] = {}
        self.items: Items = list
        self.templates = Picker()
        self.templates.setAccessibleName("Templates of events")
        self.templates.addItems([_TEMPLATES, *[example.title for example in EXAMPLES]])
        self.templates.activated.connect(self._use_template)
        self.editor = QPlainTextEdit()
        self.editor.setAccessibleName("Event as JSON")
        self.editor.setFont(mono_font())
        self.editor.setPlaceholderText('{"type": "…"}')
        self.editor.setTabChangesFocus(True)
        self._highlighter = JsonHighlighter(self.editor.document(), theme)
        self.message = QLabel()
        self.message.setWordWrap(True)
        self.tidy_button = QPushButton("Tidy up")
        self.tidy_button.setToolTip("Indent the JSON.")
        self.tidy_button.clicked.connect(self._tidy)
        self.send_button = QPushButton("Send  Ctrl+⏎")
        self.send_button.setProperty("role", "primary")
        self.send_button.clicked.connect(self.send)
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(self.send)
        row = QHBoxLayout()
        row.setSpacing(2 * SPACE_PX)
        row.addWidget(self.message, 1)
        row.addWidget(self.tidy_button, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.send_button, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * SPACE_PX, 0, 2 * SPACE_PX, 2 * SPACE_PX)
        column.setSpacing(SPACE_PX)
        column.addWidget(self.editor, 1)
        column.addLayout(row)
        self.editor.textChanged.connect(self._judge)
        theme.changed.connect(self._judge)
        self._judge()

    def show_event(self, event: Mapping[str, Any]) -> None:
        """Put an event into the editor."""
        self.templates.setCurrentIndex(0)
        shown, kept = without_payloads(event, len(self._kept))
        self._kept |= kept  # those before may come back
        put_text(self.editor, json.dumps(shown, ensure_ascii=False, indent=2))

    def show_status(self, status: Status) -> None:
        """Allow sending while there is a session."""
        connected = status.connection is ConnectionState.CONNECTED
        if connected != self._connected:
            self._connected = connected
            self._judge()

    def show_sent(self, error: str | None) -> None:
        """Say what became of the last event."""
        self._say(error or "Sent: the log shows what the engine makes of it.", "error" if error else "passed")

    def send(self) -> None:
        """Send the event as it stands."""
        if self._event is None or not self._connected:
            self._judge()
            return
        self._say("Sending…", "text_muted")
        self.command_requested.emit(SendEvent(id=0, event=with_payloads(self._event, self._kept)))

    def _use_template(self, row: int) -> None:
        if row == 0:
            return
        text = json.dumps(EXAMPLES[row - 1].event, ensure_ascii=False, indent=2)
        put_text(self.editor, self._with_ids(text))
        self.editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def _with_ids(self, text: str) -> str:
        """Put ids of the conversation in the place of those that an example only names."""
        items = self.items()
        spoken = [item.id for item in items if item.kind == "assistant"]
        called = [item.call_id for item in items if item.call_id]
        for placeholder, ids in ((ITEM_ID, spoken), (CALL_ID, called)):
            if ids:
                text = text.replace(json.dumps(placeholder), json.dumps(ids[-1]))
        return text

    def _tidy(self) -> None:
        if self._event is not None:
            put_text(self.editor, json.dumps(self._event, ensure_ascii=False, indent=2))

    def _judge(self) -> None:
        text = plain_text(self.editor)
        value, problem = read_json(text)
        kind = value.get("type") if isinstance(value, dict) else None
        if problem is None and not isinstance(value, dict):
            problem = "An event is a JSON object."
        elif problem is None and not (isinstance(kind, str) and kind):
            problem = 'An event names its type: {"type": "…"}.'
        self._event = value if problem is None else None
        self.tidy_button.setEnabled(self._event is not None)
        self.send_button.setEnabled(self._event is not None and self._connected)
        if not text.strip():
            self._say("Choose a template, send again from the log (Ctrl+E there), or type any event.", "text_muted")
        elif problem is not None:
            self._say(f"✕ {problem}", "error")
        elif not self._connected:
            self._say(f"✓ {kind}.  {NOT_CONNECTED}", "text_muted")
        else:
            self._say(*self._remark(str(kind)))

    def _remark(self, kind: str) -> tuple[str, str]:
        if kind not in CLIENT_EVENTS:
            return f"⚠ {kind} is no client event of HRP: it is sent as it stands.", "warning"
        response = self._event.get("response") if self._event is not None else None
        if kind == "response.create" and isinstance(response, dict):
            complaints = validate(response)
            if complaints:
                first = complaints[0]
                return f"⚠ {first.path}: {first.sentence} It is sent as it stands.", "warning"
        return f"✓ {kind}: sent as it stands, and marked as raw in the record.", "passed"

    def _say(self, text: str, role: str) -> None:
        self.message.setText(text)
        self.message.setStyleSheet(f"color: {getattr(self._theme.colours, role)};")
        self.send_button.setToolTip(text)
