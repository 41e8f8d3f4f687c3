"""Calls in the operator's hand: the switch, the answers, and how the window draws attention to a call that waits."""

from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication, QWidget

from simulator.participant.messages import AnswerCall, ConnectionState, SetCallsInHand
from ui.actions import Deed
from ui.panels.calls import ACCEPT, AS_JUDGED, BROKEN, KEYS, REFUSE, CallsPanel
from ui.session_feed import SessionFeed


class CallsDesk(QObject):
    """Joins the panel of calls to the live session."""

    failed = Signal(str)

    def __init__(self, window: QWidget, feed: SessionFeed, calls: CallsPanel) -> None:
        super().__init__(window)
        self._window, self._feed, self._calls = window, feed, calls
        self._waiting = 0
        calls.command_requested.connect(self._answer)
        calls.in_hand_requested.connect(self._take_in_hand)
        calls.waiting_changed.connect(self._attend)
        feed.now_changed.connect(calls.show_now)

    def deeds(self) -> list[Deed | None]:
        """Return the entries of the menu."""
        return [
            Deed("Calls in my &hand", "H", self.toggle),
            None,
            Deed("Answer as &judged", KEYS[AS_JUDGED], partial(self._calls.answer_oldest, AS_JUDGED)),
            Deed("&Accept the call", KEYS[ACCEPT], partial(self._calls.answer_oldest, ACCEPT)),
            Deed("&Refuse the call…", KEYS[REFUSE], partial(self._calls.answer_oldest, REFUSE)),
            Deed("Answer with &broken JSON", KEYS[BROKEN], partial(self._calls.answer_oldest, BROKEN)),
        ]

    def toggle(self) -> None:
        """Take calls in hand, or leave them to the program again."""
        self._take_in_hand(not self._feed.status.calls_in_hand)

    def _take_in_hand(self, on: bool) -> None:
        def done(error: str | None) -> None:
            if error is not None:
                self._calls.show_status(self._feed.status)
                self.failed.emit(error)

        self._feed.send(SetCallsInHand(id=0, on=on), done)

    def _answer(self, command: AnswerCall) -> None:
        def done(error: str | None) -> None:
            self._calls.show_answered(error)
            if error is not None:
                self.failed.emit(error)

        self._feed.send(command, done)

    def _attend(self, waiting: int) -> None:
        if waiting > self._waiting and self._feed.status.connection is ConnectionState.CONNECTED:
            # The window's button in the task bar asks for attention; nothing takes the cursor from where it is.
            QApplication.alert(self._window)
        self._waiting = waiting
