"""Quick pushes: what a study tells the agent, sent by hand without a deck."""

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QListWidget,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from simulator.errors import SimulatorError
from simulator.participant.messages import ConnectionState, Status
from simulator.profile.wording import OWN_WORDING, Wording
from ui.models.plain import tip
from ui.models.pushes import PUSHES, QUESTION_EXAMPLES, PushKind, preview, push_key
from ui.theme import SPACE_PX, Theme, mono_font
from ui.widgets.form import Form

NOT_CONNECTED = "Connect first (F5): a push needs a session."


class PushPanel(QFrame):
    """A list of kinds, the form of the chosen one, what the agent will be told, and the button that pushes it."""

    push_requested = Signal(object)
    """A Push, Ask or RequestReply command."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "panel")
        self._theme = theme
        self._wording = OWN_WORDING
        self._connected = False
        self.kinds = QListWidget()
        self.kinds.setAccessibleName("Kinds of push")
        self.kinds.addItems([f"{push_key(row)[-1]}  {kind.name}" for row, kind in enumerate(PUSHES)])
        for row, kind in enumerate(PUSHES):
            self.kinds.item(row).setToolTip(f"{kind.tip}  {push_key(row)}")
        self.kinds.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.kinds.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.forms = [PushForm(kind) for kind in PUSHES]
        self._stack = QStackedWidget()
        for form in self.forms:
            self._stack.addWidget(form)
            form.changed.connect(self._show_preview)
        self.told = QPlainTextEdit()
        self.told.setReadOnly(True)
        self.told.setFont(mono_font(0.9))
        self.told.setAccessibleName("What the agent is told")
        self.told.setTabChangesFocus(True)
        self.push_button = QPushButton("Push  ⏎")
        self.push_button.clicked.connect(self.push)
        self.reason = QLabel(NOT_CONNECTED)
        self.reason.setWordWrap(True)
        self.reason.setTextFormat(Qt.TextFormat.PlainText)
        self.reason.setProperty("role", "muted")
        self._lay_out()
        self.kinds.currentRowChanged.connect(self._show_form)
        self.kinds.itemDoubleClicked.connect(self.push)
        self.kinds.setCurrentRow(0)
        theme.changed.connect(self._show_preview)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Push with Enter, wherever in the panel the cursor is: fields let that key through."""
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
        elif not event.isAutoRepeat():
            self.push()

    def choose(self, row: int) -> None:
        """Show the form of a kind and put the cursor into it."""
        self.kinds.setCurrentRow(row)
        first = self.forms[row].first_field
        (first or self.push_button).setFocus(Qt.FocusReason.ShortcutFocusReason)

    def follow(self, wording: Wording) -> None:
        """Show questions in these words."""
        self._wording = wording
        self._show_preview()

    def show_status(self, status: Status) -> None:
        """Allow pushing while there is a session."""
        connected = status.connection is ConnectionState.CONNECTED
        if connected != self._connected:
            self._connected = connected
            self._show_preview()

    def show_sent(self, error: str | None) -> None:
        """Say what became of the last push."""
        self._say(error or "Pushed.", "error" if error else "passed")

    def push(self) -> None:
        """Push the chosen kind with the values of its form."""
        if not self._connected:
            self._say(NOT_CONNECTED, "text_muted")
            return
        form = self.forms[self.kinds.currentRow()]
        try:
            command = form.command()
        except SimulatorError as error:
            self._say(str(error), "error")
            return
        self._say("Sent; waiting for it to take effect…", "text_muted")
        self.push_requested.emit(command)

    def _lay_out(self) -> None:
        told = QLabel("What the agent is told")
        told.setProperty("role", "muted")
        self._fit_list()
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * SPACE_PX, 2 * SPACE_PX, 2 * SPACE_PX, 2 * SPACE_PX)
        column.setSpacing(2 * SPACE_PX)
        column.addWidget(self.kinds)
        column.addWidget(self._stack)
        column.addWidget(self.push_button)
        column.addWidget(self.reason)
        column.addWidget(told)
        column.addWidget(self.told, 1)

    def _fit_list(self) -> None:
        height = self.kinds.sizeHintForRow(0) * len(PUSHES) + 2 * self.kinds.frameWidth() + 2
        self.kinds.setFixedHeight(height)

    def _show_form(self, row: int) -> None:
        for place, form in enumerate(self.forms):
            # A stack is as high as its highest page, unless the others do not count.
            policy = QSizePolicy.Policy.Preferred if place == row else QSizePolicy.Policy.Ignored
            form.setSizePolicy(form.sizePolicy().horizontalPolicy(), policy)
        self._stack.setCurrentIndex(row)
        self._stack.setVisible(bool(PUSHES[row].fields))
        self._show_preview()

    def _show_preview(self) -> None:
        form = self.forms[self.kinds.currentRow()]
        try:
            self.told.setPlainText(preview(form.command(), self._wording))
            ready, why = True, ""
        except SimulatorError as error:
            ready, why = False, str(error)
        self.push_button.setEnabled(ready and self._connected)
        if not self._connected:
            self._say(NOT_CONNECTED, "text_muted")
        elif why:
            self._say(why, "error")
        else:
            self._say(PUSHES[self.kinds.currentRow()].tip, "text_muted")

    def _say(self, text: str, role: str) -> None:
        self.reason.setText(text)
        self.reason.setStyleSheet(f"color: {getattr(self._theme.colours, role)};")
        self.push_button.setToolTip(tip(text))


class PushForm(Form):
    """The fields of a kind of push."""

    def __init__(self, kind: PushKind) -> None:
        super().__init__(kind.fields, kind.name)
        self.kind = kind
        if "component" in self.fields:
            self.chosen.connect(self._show_example)

    def command(self) -> Any:
        """Return the command of the present values. Raises SimulatorError."""
        return self.kind.command(self.values)

    def _show_example(self, _field: str, component: str) -> None:
        """Fill in an example of a question of this component, and name its details."""
        question, label, details = QUESTION_EXAMPLES[component]
        self.set_values({"question": question, "details": details})
        self.set_label("details", label)
