"""Ask for a reply: response.create with any parameter, filled in on the left and shown as JSON on the right."""

import json
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QScrollArea,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from simulator.errors import UsageError
from simulator.participant.messages import ConnectionState, CreateResponse, Status
from simulator.profile.response_checks import validate
from simulator.profile.response_values import Built, build, read_json, values_of
from ui.models.presets import Presets
from ui.panels.presets_bar import PresetsBar
from ui.panels.response_form import ResponseForm
from ui.theme import SPACE_PX, Theme
from ui.widgets.json_view import JsonView
from ui.widgets.response_fields import Offers

if TYPE_CHECKING:
    from ui.models.conversation_items import Items

NOT_CONNECTED = "Connect first (F5): there is no engine to ask."
START: Mapping[str, Any] = {"output_modalities": ["audio"]}
_MOST_REFERENCES = 30
_WORDS_SHOWN = 60
_FORM_PX = 340
"""The form needs so much to show its chips whole."""


class ReplyComposer(QWidget):
    """The form, its preview and what is to be said of it, and the button that sends."""

    command_requested = Signal(object)
    """A CreateResponse command."""
    raw_requested = Signal(object)
    """A response.create event is to be edited as JSON."""

    def __init__(
        self, theme: Theme, tools: tuple[Mapping[str, Any], ...], voices: tuple[str, ...], presets: Presets
    ) -> None:
        super().__init__()
        self._theme = theme
        self._tools = tools
        self._connected = False
        self._declared: tuple[str, ...] | None = None
        self._built = Built({})
        self.items: Items = list
        self.form = ResponseForm(Offers(theme, tuple(str(tool["name"]) for tool in tools), voices))
        self.preview = JsonView(theme)
        self.message = QLabel()
        self.message.setWordWrap(True)
        self.presets = PresetsBar(presets, self.whole_response)
        self._build()
        self._lay_out()
        self.presets.chosen.connect(self.show_response)
        self.presets.said.connect(self._say)
        self.form.changed.connect(self._show_built)
        theme.changed.connect(self._show_built)
        self.show_response(START)
        self.presets.tell_complaint()

    @property
    def wire_event(self) -> dict[str, Any]:
        """The event as filled in."""
        return {"type": "response.create", "response": self._built.response}

    def whole_response(self) -> dict[str, Any]:
        """Return the response as filled in. Raises UsageError where a field could not become part of it."""
        for complaint in self._built.complaints:
            raise UsageError(f"{complaint.path}: {complaint.sentence} Mend it first, or it would be left out.")
        return self._built.response

    def set_tools(self, tools: tuple[Mapping[str, Any], ...]) -> None:
        """Take the tools from another specification: those that are ticked keep their names and get its words."""
        self._tools = tools
        self._offer_tools()
        self._show_built()

    def show_response(self, response: Mapping[str, Any]) -> None:
        """Fill the form from a ``response`` object."""
        self.form.show_values(values_of(response, self._tools))

    def show_status(self, status: Status) -> None:
        """Allow sending while there is a session, and know which tools it declared."""
        connected = status.connection is ConnectionState.CONNECTED
        declared = _declared(status) if connected else None
        if (connected, declared) != (self._connected, self._declared):
            self._connected, self._declared = connected, declared
            self._offer_tools()
            self._show_built()

    def _edit_as_json(self) -> None:
        try:
            self.whole_response()
        except UsageError as error:
            self._say(str(error), "error")
        else:
            self.raw_requested.emit(self.wire_event)

    def _offer_tools(self) -> None:
        known = tuple(str(tool["name"]) for tool in self._tools)
        self.form.offer_tools(known, known if self._declared is None else self._declared)

    def show_sent(self, error: str | None) -> None:
        """Say what became of the last request."""
        self._say(error or "Sent: the log shows what the engine makes of it.", "error" if error else "passed")

    def send(self) -> None:
        """Ask for the response as filled in."""
        if not self.send_button.isEnabled():
            self._say(self.send_button.toolTip(), "error" if self._connected else "text_muted")
            return
        self._say("Sent as soon as no other response is in progress…", "text_muted")
        self.command_requested.emit(CreateResponse(id=0, response=self._built.response))

    def paste(self) -> None:
        """Fill the form from a response.create event, or from a ``response`` object, on the clipboard."""
        value, problem = read_json(QGuiApplication.clipboard().text())
        if isinstance(value, dict) and isinstance(value.get("event"), dict):
            value = value["event"]  # an entry of the record, as the log copies it
        if isinstance(value, dict) and value.get("type") == "response.create":
            value = value.get("response", {})
        if not isinstance(value, dict) or str(value.get("type", "")).count("."):
            reason = problem or "It is another thing than a response.create event."
            self._say(f"What was copied cannot be shown here. {reason}", "error")
            return
        self.show_response(value)

    def _build(self) -> None:
        self.send_button = QPushButton("Send  Ctrl+⏎")
        self.send_button.setProperty("role", "primary")
        self.send_button.clicked.connect(self.send)
        self.raw_button = QPushButton("Edit as JSON")
        self.raw_button.setToolTip("Go on in the editor of events, where nothing is forbidden.")
        self.raw_button.clicked.connect(self._edit_as_json)
        self.paste_button = QPushButton("Paste")
        self.paste_button.setToolTip("Fill the form from a response.create event that was copied.")
        self.paste_button.clicked.connect(self.paste)
        self.clear_button = QPushButton("Clear")
        self.clear_button.setToolTip("Begin anew with a spoken reply.")
        self.clear_button.clicked.connect(partial(self.show_response, START))
        self._references = QMenu(self)
        self._references.aboutToShow.connect(self._list_items)
        self.reference_button = QPushButton("Add an item of the conversation")
        self.reference_button.setMenu(self._references)
        self.reference_button.setProperty("role", "menu")
        self.form.rows["input"].add_widget(self.reference_button)
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(self.send)

    def _lay_out(self) -> None:
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(self.form)
        scroll.setMinimumWidth(_FORM_PX)
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(SPACE_PX, SPACE_PX, 2 * SPACE_PX, 2 * SPACE_PX)
        column.setSpacing(SPACE_PX)
        column.addWidget(self.preview, 1)
        column.addWidget(self.message)
        row = QHBoxLayout()
        row.setSpacing(SPACE_PX)
        row.addWidget(self.clear_button)
        row.addWidget(self.paste_button)
        row.addWidget(self.raw_button)
        row.addStretch(1)
        row.addWidget(self.send_button)
        column.addLayout(row)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.addWidget(scroll)
        self.splitter.addWidget(right)
        self.splitter.setStretchFactor(0, 3)
        self.splitter.setStretchFactor(1, 2)
        self.splitter.setSizes([420, 330])
        self.splitter.setChildrenCollapsible(False)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.splitter)

    def _show_built(self) -> None:
        self._built = build(self.form.values(), self._tools)
        complaints = [*self._built.complaints, *validate(self._built.response, self._declared)]
        wrong = [complaint for complaint in complaints if complaint.wrong]
        self.form.show_complaints(complaints, self._theme)
        self.preview.show_value(self.wire_event)
        self.send_button.setEnabled(self._connected and not wrong)
        if wrong:
            more = f" And {len(wrong) - 1} more." if len(wrong) > 1 else ""
            why = f"{wrong[0].path}: {wrong[0].sentence}{more} To send it all the same, edit it as JSON."
            self._say(f"✕ {why}", "error")
        elif not self._connected:
            why = NOT_CONNECTED
            self._say(why, "text_muted")
        else:
            why = "Ask the engine for this response (Ctrl+Enter)."
            self._say("", "text_muted")
        self.send_button.setToolTip(why)

    def _say(self, text: str, role: str) -> None:
        self.message.setText(text)
        self.message.setVisible(bool(text))
        self.message.setStyleSheet(f"color: {getattr(self._theme.colours, role)};")

    def _list_items(self) -> None:
        self._references.clear()
        items = self.items()
        for item in reversed(items[-_MOST_REFERENCES:]):
            words = item.words if len(item.words) <= _WORDS_SHOWN else f"{item.words[:_WORDS_SHOWN]}…"
            text = f"{item.kind}  {words or item.id}".replace("&", "&&").replace("\n", " ")
            self._references.addAction(text, partial(self._add_item, item.id)).setToolTip(item.id)
        if not items:
            self._references.addAction("No items yet: they come with the conversation.").setEnabled(False)

    def _add_item(self, item_id: str) -> None:
        editor = self.form.rows["input"].editors["items"]
        items, _ = read_json(editor.read())
        kept = items if isinstance(items, list) else []
        editor.write(json.dumps([*kept, {"type": "item_reference", "id": item_id}], ensure_ascii=False, indent=2))


def _declared(status: Status) -> tuple[str, ...] | None:
    accepted = status.session_accepted or {}
    tools = accepted.get("tools")
    if not isinstance(tools, list):
        return None
    return tuple(str(tool.get("name")) for tool in tools if isinstance(tool, dict))
