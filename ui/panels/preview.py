"""The preview: what the participant sees, of the step that is chosen and of what was really pushed, to be answered.

Two screens side by side behind two buttons: *Selected* is the chosen step as it would look, on top of the steps before
it; *Now* is what was pushed last, with its timer running. An answer given by hand is the participant's own.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from simulator.participant.messages import ConnectionState, Status
from simulator.record.entries import Direction, Entry
from simulator.study.steps import Step, Study
from ui.models.preview import Screen, after, caption, chatted, in_part, screen_of_steps, value_text
from ui.theme import SPACE_PX, Theme
from ui.widgets.participant_screen import ParticipantScreen

_INCOMPLETE = "The answer is not complete yet."
_NO_SESSION = "Connect first (F5): an answer is kept in the session's record."
_PAUSED = "The study is paused: the participant cannot answer."
_ANSWER = "Answer as the participant (Enter; in a text Ctrl+Enter)."
_REVEAL = "Tell the agent this answer of the participant."
_REVEAL_FIRST = "Answer first: then the answer can be told to the agent."


class PreviewPanel(QFrame):
    """Draws steps and pushes; tells intents and knows no session."""

    answered = Signal(str, object, object)
    """Component, config and value that the participant answered by hand."""
    reveal_requested = Signal(object)
    """The value that the agent is to be told as the participant's answer."""

    def __init__(
        self, theme: Theme, parent: QWidget | None = None, now_s: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(parent)
        self.setProperty("role", "panel")
        self._theme = theme
        self._now_s = now_s
        self._connected = False
        self._answers: dict[int, object] = {}
        """The last answer on each of the two screens, while its question is there."""
        self.selected = ParticipantScreen(theme, now_s)
        self.on_screen = ParticipantScreen(theme, now_s)
        self.stack = QStackedWidget()
        self.selected_button = QPushButton("Selected")
        self.on_screen_button = QPushButton("Now")
        self.answer_button = QPushButton("Answer")
        self.reveal_button = QPushButton("Reveal")
        self._build()
        self._lay_out()
        self._show_footer()

    @property
    def current(self) -> ParticipantScreen:
        """The screen in front."""
        return self.selected if self.stack.currentIndex() == 0 else self.on_screen

    def show_step(self, step: Step | None, before: Sequence[Step] = (), *, to_front: bool = True) -> None:
        """Show the step that is chosen in the deck as it would look after `before`, the steps above it.

        `to_front`: False where the deck chose it by itself.
        """
        base = screen_of_steps(before)
        action = step.action if step is not None else None
        self.selected.show_screen(after(base, action) if action is not None else Screen(), caption(action))
        if to_front:
            self._bring(0)

    def show_pushed(self, action: object) -> None:
        """Show what took effect: the action of a step, or a command (Push, Ask, SetListening, SetInstructions)."""
        self._show_now(after(self.on_screen.screen_shown, action, self._now_s()))
        self._bring(1)

    def take(self, entries: Iterable[Entry], study: Study | None = None) -> None:
        """Read the record's news: the agent's chat lines, listening, parts, and the steps of a study that is played."""
        screen = self.on_screen.screen_shown
        pushed = False
        for entry in entries:
            if entry.direction is not Direction.NOTED:
                continue
            event = entry.event
            match entry.type:
                case "chat.sent":
                    screen = chatted(screen, str(event.get("message", "")))
                case "listening.on" | "listening.off":
                    screen = replace(screen, video_chat=entry.type == "listening.on")
                case "part":
                    screen = in_part(screen, str(event.get("name", "")))
                case "study.step" if study is not None:
                    place = event.get("step")
                    if isinstance(place, int) and 0 <= place < len(study.steps):
                        screen = after(screen, study.steps[place].action, self._now_s())
                        pushed = True
        if screen != self.on_screen.screen_shown:
            self._show_now(screen)
            if pushed:
                self._bring(1)

    def clear_pushed(self) -> None:
        """Begin with an empty screen, as a new session does."""
        self._show_now(Screen())

    def show_status(self, status: Status) -> None:
        """Follow the session: answers are kept in its record."""
        connected = status.connection is ConnectionState.CONNECTED
        if connected != self._connected:
            self._connected = connected
            self._show_footer()

    def answer(self) -> None:
        """Give the answer that is filled in, where it is complete and not given yet."""
        question, value = self.current.question, self._value()
        place = self.stack.currentIndex()
        if question is None or self._why_not() is not None or self._answers.get(place) == value:
            return
        self._answers[place] = value
        self._show_footer()
        self.answered.emit(question.component, dict(question.config), value)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Answer with Enter, or press the button that has the focus: the deck must not take that for a push."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            button = self.focusWidget()
            if event.isAutoRepeat():
                return
            if isinstance(button, QPushButton) and button.hasFocus():
                button.click()
            else:
                self.answer()
        else:
            super().keyPressEvent(event)

    def _build(self) -> None:
        views = QButtonGroup(self)
        for place, button in enumerate((self.selected_button, self.on_screen_button)):
            button.setCheckable(True)
            button.setProperty("role", "quiet")
            views.addButton(button, place)
        self.selected_button.setToolTip("The step that is chosen in the deck, as it would look.")
        self.on_screen_button.setToolTip("What was pushed last.")
        views.idClicked.connect(self._bring)
        for place, screen in enumerate((self.selected, self.on_screen)):
            self.stack.addWidget(screen)
            screen.value_changed.connect(self._show_footer)
            screen.question_changed.connect(lambda place=place: self._forget(place))
        self.selected_button.setChecked(True)
        self.answer_button.setProperty("role", "primary")
        self.answer_button.clicked.connect(self.answer)
        self.reveal_button.setAccessibleName("Reveal to the agent")
        self.reveal_button.clicked.connect(self._reveal)

    def _lay_out(self) -> None:
        heading = QLabel("PREVIEW")
        heading.setProperty("role", "heading")
        heading.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        head = QHBoxLayout()
        head.setSpacing(SPACE_PX)
        head.addWidget(heading, 1)
        head.addWidget(self.selected_button)
        head.addWidget(self.on_screen_button)
        self.footer = QWidget()
        foot = QHBoxLayout(self.footer)
        foot.setContentsMargins(0, 0, 0, 0)
        foot.setSpacing(SPACE_PX)
        foot.addWidget(self.answer_button, 1)
        foot.addWidget(self.reveal_button, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * SPACE_PX, 2 * SPACE_PX, 2 * SPACE_PX, 2 * SPACE_PX)
        column.setSpacing(SPACE_PX)
        column.addLayout(head)
        column.addWidget(self.stack, 1)
        column.addWidget(self.footer)

    def _bring(self, place: int) -> None:
        self.stack.setCurrentIndex(place)
        (self.selected_button, self.on_screen_button)[place].setChecked(True)
        self._show_footer()

    def _show_now(self, screen: Screen) -> None:
        self.on_screen.show_screen(screen, runs=True)
        self._show_footer()

    def _forget(self, place: int) -> None:
        """Another question: unanswered, and reached by Tab between the buttons above and below it."""
        self._answers.pop(place, None)
        stops = [self.on_screen_button, *self.selected.stops, *self.on_screen.stops, self.answer_button]
        for first, second in pairwise(stops):
            QWidget.setTabOrder(first, second)
        self._show_footer()

    def _value(self) -> object | None:
        answering = self.current.answering if self.current.question is not None else None
        return answering.value if answering is not None else None

    def _why_not(self) -> str | None:
        if self.current.screen_shown.waiting_for is not None:
            return _PAUSED
        if self._value() is None:
            return _INCOMPLETE
        return None if self._connected else _NO_SESSION

    def _show_footer(self) -> None:
        question, value = self.current.question, self._value()
        self.footer.setVisible(question is not None and self.current.answering is not None)
        given = self._answers.get(self.stack.currentIndex())
        why = self._why_not()
        same = given is not None and given == value
        self.current.show_value("" if value is None else f"Value: {value_text(value)}")
        self.answer_button.setText("✓ Answered" if same else "Answer")
        self.answer_button.setEnabled(why is None and not same)
        self.answer_button.setToolTip(why or ("This is answered." if same else _ANSWER))
        self.reveal_button.setEnabled(given is not None and self._connected)
        self.reveal_button.setToolTip(_REVEAL if given is not None else _REVEAL_FIRST)

    def _reveal(self) -> None:
        given = self._answers.get(self.stack.currentIndex())
        if given is not None:
            self.reveal_requested.emit(given)
