"""The deck: the steps of the study in order, with what was pushed, what is on the screen, and what comes next."""

from collections.abc import Iterable

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from simulator.participant.messages import ConnectionState, Status
from ui.models.deck import Deck
from ui.models.plain import tip
from ui.models.step_kind import StepKind
from ui.models.step_kinds import KINDS, QUESTIONS
from ui.theme import SPACE_PX, Theme
from ui.widgets.deck_view import DeckView

NOT_CONNECTED = "Connect first (F5): a push needs a session."
_NO_ARROW = "QPushButton::menu-indicator { image: none; width: 0; }"
"""The words of a button that opens a menu end with an arrow: the style's own would lie on top of them."""


class DeckPanel(QFrame):
    """A list of steps with its buttons, or what to do while there are none."""

    push_requested = Signal()
    """The selected steps are to be pushed."""
    next_requested = Signal()
    play_requested = Signal()
    """The study is to be played by time from the selected step, or to be stopped."""
    edit_requested = Signal()
    add_requested = Signal(object)
    """A step of this StepKind is to be added behind the selected one."""
    open_requested = Signal()
    selected = Signal()
    """Another step has the cursor."""

    def __init__(self, deck: Deck, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._deck, self._theme = deck, theme
        self._status = Status()
        self._said: tuple[str, str] | None = None
        self.view = DeckView(deck, theme)
        self.view.entered.connect(self.push_requested)
        self.view.doubleClicked.connect(lambda _index: self.edit_requested.emit())
        self.view.selectionModel().currentChanged.connect(lambda _new, _old: self._selected())
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.view.customContextMenuRequested.connect(self._open_menu)
        self._step_menu = QMenu(self)
        self.name = QLabel()
        self.name.setTextFormat(Qt.TextFormat.PlainText)
        self.add_button = QPushButton("Add ▾")
        self.add_button.setStyleSheet(_NO_ARROW)
        self.add_button.setToolTip("Add a step behind the selected one")
        self.add_button.setMenu(self._add_menu())
        self.push_button = QPushButton("Push  ⏎")
        self.next_button = QPushButton("Next  N")
        self.play_button = QPushButton("Play  P")
        self.push_button.clicked.connect(self.push_requested)
        self.next_button.clicked.connect(self.next_requested)
        self.play_button.clicked.connect(self.play_requested)
        self.reason = QLabel()
        self.reason.setTextFormat(Qt.TextFormat.PlainText)
        self.reason.setWordWrap(True)
        self.samples_button = QPushButton("Open a sample ▾")
        self.samples_button.setStyleSheet(_NO_ARROW)
        self.open_button = QPushButton("Open a study…")
        self.open_button.clicked.connect(self.open_requested)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.view)
        self._stack.addWidget(self._empty_page())
        self._lay_out()
        theme.changed.connect(self._show_state)
        self.refresh()

    def refresh(self, select: list[int] | None = None) -> None:
        """Show the deck as it is now, with the rows of these keys selected; None keeps the selection."""
        if select is None:
            select = [self._deck.rows[place].key for place in self.view.places if place < len(self._deck.rows)]
        scrolled = self.view.verticalScrollBar().value()
        self.view.rows.refresh()
        self.view.verticalScrollBar().setValue(scrolled)
        places = [place for key in select if (place := self._deck.place(key)) is not None]
        if not places and self._deck.rows:
            places = [0]
        self.view.select(places)
        self._stack.setCurrentIndex(0 if self._deck.rows else 1)
        self.show_marks()

    def show_marks(self) -> None:
        """Show what was pushed meanwhile."""
        self.view.rows.marks_changed()
        self._show_state()

    def show_status(self, status: Status) -> None:
        """Allow pushing while there is a session, and show how far a study is that is played."""
        before, self._status = self._status, status
        if before.connection is not status.connection:
            self._said = None
        if _shown(before) != _shown(status):
            self._show_state()

    def offer(self, actions: Iterable[QAction | None]) -> None:
        """Offer these actions by a right click on a step; None is a separator."""
        for action in actions:
            if action is None:
                self._step_menu.addSeparator()
            else:
                self._step_menu.addAction(action)

    def say(self, text: str, role: str = "text_muted") -> None:
        """Say what became of the last push, until something else is selected."""
        self._said = (text, role) if text else None
        self._show_state()

    def _selected(self) -> None:
        self._said = None
        self._show_state()
        self.selected.emit()

    def _show_state(self) -> None:
        connected = self._status.connection is ConnectionState.CONNECTED
        playing = self._status.study
        rows, following = len(self._deck.rows), self._deck.next_place
        self.push_button.setEnabled(connected and self.view.place is not None)
        self.next_button.setEnabled(connected and following is not None)
        self.play_button.setEnabled(connected and rows > 0)
        self.play_button.setText("Stop  P" if playing else "Play  P")
        for button, does in (
            (self.push_button, "Push the selected step"),
            (self.next_button, "Push the step behind the one pushed last"),
            (self.play_button, "Stop playing" if playing else "Play by time, from the selected step"),
        ):
            button.setToolTip(does if connected else NOT_CONNECTED)
        if self._said is not None:
            text, role = self._said
        elif not connected:
            text, role = (NOT_CONNECTED if rows else ""), "text_muted"
        elif playing is not None:
            waits = f": waits for {playing.waits_for}" if playing.waits_for else ""
            text, role = f"● Playing{waits}", "study"
        elif self._status.question is not None:
            more = f" {self._status.questions_waiting} more wait." if self._status.questions_waiting else ""
            text, role = f"● The agent is asked “{self._status.question}”.{more}", "study"
        elif rows and following is None:
            text, role = "All steps were pushed.", "text_muted"
        else:
            text, role = "", "text_muted"
        self.reason.setText(text)
        self.reason.setStyleSheet(f"color: {getattr(self._theme.colours, role)};")
        self.show_name()

    def show_name(self) -> None:
        """Show the study's name, and whether something in it is not saved."""
        unsaved = self._deck.unsaved
        name = self._deck.head.name or "Study"
        metrics = self.name.fontMetrics()
        shown = metrics.elidedText(name, Qt.TextElideMode.ElideRight, max(60, self.name.width() - 12))
        self.name.setText(f"{shown} *" if unsaved else shown)
        where = str(self._deck.path) if self._deck.path else "Not saved in a file yet"
        self.name.setToolTip(tip(f"{name}\n{where}{'  (changed)' if unsaved and self._deck.path else ''}"))

    def _lay_out(self) -> None:
        self.name.setStyleSheet("font-weight: 600;")
        self.name.setMinimumWidth(60)
        head = QHBoxLayout()
        head.setSpacing(SPACE_PX)
        head.addWidget(self.name, 1)
        head.addWidget(self.add_button)
        buttons = QHBoxLayout()
        buttons.setSpacing(SPACE_PX)
        for button, share in ((self.push_button, 3), (self.next_button, 2), (self.play_button, 2)):
            buttons.addWidget(button, share)
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * SPACE_PX, 2 * SPACE_PX, 2 * SPACE_PX, 2 * SPACE_PX)
        column.setSpacing(SPACE_PX + 2)
        column.addLayout(head)
        column.addWidget(self._stack, 1)
        column.addLayout(buttons)
        column.addWidget(self.reason)

    def _empty_page(self) -> QWidget:
        page = QWidget()
        words = QLabel(
            "A study is a list of steps:\nscreens, questions, chat, pauses.\nPush them one by one, or by time."
        )
        words.setProperty("role", "muted")
        words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        words.setWordWrap(True)
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2 * SPACE_PX)
        column.addStretch(1)
        column.addWidget(words)
        column.addSpacing(SPACE_PX)
        for button in (self.samples_button, self.open_button):
            column.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(2)
        return page

    def _add_menu(self) -> QMenu:
        menu = QMenu(self)
        questions: QMenu | None = None
        for kind in KINDS:
            if kind not in QUESTIONS:
                self._offer(menu, kind)
                continue
            if questions is None:
                questions = menu.addMenu("Question")
            self._offer(questions, kind)
        return menu

    def _offer(self, menu: QMenu, kind: StepKind) -> None:
        action = menu.addAction(kind.name)
        action.setToolTip(kind.tip)
        action.triggered.connect(lambda _checked=False: self.add_requested.emit(kind))

    def _open_menu(self, at: QPoint) -> None:
        if self.view.indexAt(at).isValid():
            self._step_menu.popup(self.view.viewport().mapToGlobal(at))


def _shown(status: Status) -> tuple[object, ...]:
    """Return what the panel shows of a status."""
    return status.connection, status.study, status.question, status.questions_waiting
