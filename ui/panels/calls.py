"""Function calls in the operator's hand: a card for each that waits, and how it is to be answered."""

import json
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from simulator.participant.messages import AnswerCall, ConnectionState, HeldCall, Status
from simulator.units import NS_PER_S
from ui.theme import SPACE_PX, Theme, mono_font
from ui.widgets.elided_label import ElidedLabel

AS_JUDGED, ACCEPT, REFUSE, BROKEN = "as judged", "accept", "refuse", "broken"
KEYS = {AS_JUDGED: "F6", ACCEPT: "Shift+F6", REFUSE: "Ctrl+F6", BROKEN: "Ctrl+Shift+F6"}
_LABELS = {AS_JUDGED: "As judged", ACCEPT: "Accept", REFUSE: "Refuse…", BROKEN: "Broken JSON"}
_TIPS = {
    AS_JUDGED: "Answer as the program would by itself.",
    ACCEPT: "Accept it, whatever it holds.",
    REFUSE: "Refuse it with a text of your own: the agent can correct itself by it.",
    BROKEN: "Answer with an output that is no JSON, to see what the agent makes of it.",
}
_MOST_LINES = 6
_ONE_LINE = 34
"""Characters that fit into a line of a card."""
OWN_REASON = "Not accepted."


class CallsPanel(QWidget):
    """The switch, and the cards of the calls that wait, the oldest first."""

    command_requested = Signal(object)
    """An AnswerCall command."""
    in_hand_requested = Signal(bool)
    waiting_changed = Signal(int)
    """How many calls wait."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.cards: dict[str, CallCard] = {}
        self.switch = QCheckBox("Calls in my hand  H")
        self.switch.setToolTip("Each call of a tool waits until you answer it.")
        self.switch.clicked.connect(self.in_hand_requested)
        self.state = QLabel()
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 0, 0)
        head.addWidget(self.switch)
        head.addStretch(1)
        head.addWidget(self.state)
        self._inside = QFrame()
        self._inside.setProperty("role", "form")
        self._column = QVBoxLayout(self._inside)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(2 * SPACE_PX)
        self._column.addStretch(1)
        self.area = QScrollArea()
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setWidget(self._inside)
        self.area.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_PX)
        column.addLayout(head)
        column.addWidget(self.area, 1)

    @property
    def oldest(self) -> "CallCard | None":
        """The call that waits longest."""
        return next(iter(self.cards.values()), None)

    def show_status(self, status: Status) -> None:
        """Show the switch as it stands, and a card for each call that waits."""
        self.switch.setChecked(status.calls_in_hand)
        held = status.held_calls if status.connection is ConnectionState.CONNECTED else []
        ids = [call.call_id for call in held]
        if ids == list(self.cards):
            return
        for call_id in [call_id for call_id in self.cards if call_id not in ids]:
            card = self.cards.pop(call_id)
            card.hide()
            card.deleteLater()
        for call in held:
            if call.call_id not in self.cards:
                card = self.cards[call.call_id] = CallCard(call, self._theme)
                card.answered.connect(self.command_requested)
                self._column.insertWidget(self._column.count() - 1, card)
        for place, card in enumerate(self.cards.values()):
            card.show_keys(first=place == 0)
        waiting = len(self.cards)
        self.area.setVisible(waiting > 0)
        self.state.setText("" if not waiting else "● 1 call waits" if waiting == 1 else f"● {waiting} calls wait")
        self.state.setStyleSheet(f"color: {self._theme.colours.accent}; font-weight: 600;")
        self.waiting_changed.emit(waiting)

    def show_now(self, now_ns: int) -> None:
        """Show how long each call has waited."""
        for card in self.cards.values():
            card.show_now(now_ns)

    def show_answered(self, error: str | None) -> None:
        """Let the operator try again where an answer was not taken."""
        if error is not None:
            for card in self.cards.values():
                card.setEnabled(True)

    def answer_oldest(self, how: str) -> None:
        """Answer the call that waits longest; for a refusal, ask for its text first."""
        card = self.oldest
        if card is not None:
            card.choose(how)


class CallCard(QFrame):
    """One call: tool, arguments, question, how it would be judged, how long it waits, and the four answers."""

    answered = Signal(object)
    """An AnswerCall command."""

    def __init__(self, call: HeldCall, theme: Theme) -> None:
        super().__init__()
        self.call = call
        self._theme = theme
        self._seconds = -1
        name = QLabel(call.name)
        name.setTextFormat(Qt.TextFormat.PlainText)
        name.setFont(mono_font())
        self.waits = QLabel()
        self.waits.setProperty("role", "muted")
        self.question = ElidedLabel(" ".join(call.question.split()))
        self.question.setProperty("role", "muted")
        self.question.setVisible(bool(call.question))
        self.arguments = QPlainTextEdit(_readable(call.arguments))
        self.arguments.setReadOnly(True)
        self.arguments.setFont(mono_font(0.9))
        self.arguments.setAccessibleName(f"Arguments of {call.name}")
        lines = min(sum(1 + len(line) // _ONE_LINE for line in self.arguments.toPlainText().split("\n")), _MOST_LINES)
        self.arguments.setFixedHeight(self.arguments.fontMetrics().lineSpacing() * lines + 12)
        self.verdict = QLabel(f"✕ Would be refused: {call.error}" if call.error else "✓ Would be accepted")
        self.verdict.setTextFormat(Qt.TextFormat.PlainText)
        self.verdict.setWordWrap(True)
        self.buttons = {how: QPushButton(label) for how, label in _LABELS.items()}
        for how, button in self.buttons.items():
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # Space stays the talk key
            button.clicked.connect(partial(self.choose, how))
        self.buttons[AS_JUDGED].setProperty("role", "primary")
        self._make_refusal()
        self._lay_out(name)
        self._colour()
        theme.changed.connect(self._colour)

    def choose(self, how: str) -> None:
        """Answer; for a refusal, ask for its text first."""
        if not self.isEnabled():
            return
        if how == REFUSE and self._refusal.isHidden():
            self._refusal.show()
            self.reason.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.reason.selectAll()
            return
        if how == REFUSE and not self.reason.text().strip():
            self.reason.setFocus(Qt.FocusReason.ShortcutFocusReason)
            return
        text = self.reason.text().strip() if how == REFUSE else ""
        self.setEnabled(False)
        self.answered.emit(AnswerCall(id=0, call_id=self.call.call_id, how=how, text=text))  # type: ignore[arg-type]

    def show_keys(self, *, first: bool) -> None:
        """Name the keys on the card that they answer."""
        for how, button in self.buttons.items():
            button.setText(f"{_LABELS[how]}  {KEYS[how]}" if first and how == AS_JUDGED else _LABELS[how])
            button.setToolTip(f"{_TIPS[how]}  {KEYS[how]}" if first else _TIPS[how])

    def show_now(self, now_ns: int) -> None:
        """Show how long the call has waited, by the second."""
        seconds = max(0, (now_ns - self.call.since_ns) // NS_PER_S)
        if seconds != self._seconds:
            self._seconds = seconds
            self.waits.setText(f"waits {seconds // 60}:{seconds % 60:02}")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Leave the refusal with Escape."""
        if watched is self.reason and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()  # else Escape would stop the reply
            elif event.type() == QEvent.Type.KeyPress:
                self._refusal.hide()
                return True
        return super().eventFilter(watched, event)

    def _make_refusal(self) -> None:
        self.reason = QLineEdit(self.call.error or OWN_REASON)
        self.reason.setAccessibleName("Why the call is refused")
        self.reason.returnPressed.connect(partial(self.choose, REFUSE))
        self.reason.installEventFilter(self)
        self.refuse_button = QPushButton("Refuse  ⏎")
        self.refuse_button.setProperty("role", "danger")
        self.refuse_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.refuse_button.clicked.connect(partial(self.choose, REFUSE))
        self._refusal = QWidget()
        row = QHBoxLayout(self._refusal)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.reason, 1)
        row.addWidget(self.refuse_button)
        self._refusal.hide()

    def _lay_out(self, name: QLabel) -> None:
        head = QHBoxLayout()
        head.addWidget(name, 1)
        head.addWidget(self.waits)
        grid = QGridLayout()
        grid.setSpacing(SPACE_PX)
        for place, button in enumerate(self.buttons.values()):
            button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            grid.addWidget(button, place // 2, place % 2)
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * SPACE_PX, 2 * SPACE_PX, 2 * SPACE_PX, 2 * SPACE_PX)
        column.setSpacing(SPACE_PX)
        column.addLayout(head)
        column.addWidget(self.question)
        column.addWidget(self.arguments)
        column.addWidget(self.verdict)
        column.addLayout(grid)
        column.addWidget(self._refusal)

    def _colour(self) -> None:
        colours = self._theme.colours
        self.setStyleSheet(
            f"CallCard {{ background: {colours.raised}; border: 1px solid {colours.accent};"
            f" border-left: 4px solid {colours.accent}; border-radius: 4px; }}"
        )
        self.verdict.setStyleSheet(f"color: {colours.error if self.call.error else colours.passed};")


def _readable(arguments: str) -> str:
    """Return the arguments as JSON to be read, or as they came where they are none."""
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments
    short = json.dumps(value, ensure_ascii=False)
    return short if len(short) <= _ONE_LINE else json.dumps(value, ensure_ascii=False, indent=2)
