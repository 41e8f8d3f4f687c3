"""What is done with the participant's voice beside choosing it: saying a typed text, cues, impairments."""

from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMainWindow

from simulator.audio.impairments import Impairments
from simulator.participant.messages import AnyCommand, CancelCue, Cue, Impair, Speak, Status
from ui.dialogs.impairments import ImpairmentsDialog
from ui.panels.say_bar import ImpairmentsBanner, SayBar
from ui.session_feed import SessionFeed, Then
from ui.theme import Theme


class VoiceDesk(QObject):
    """Owns the line for saying something and the strip of the impairments; knows the process by its feed.

    Impairments are never remembered: a program that starts anew hears the participant as he is.
    """

    failed = Signal(str)

    def __init__(self, window: QMainWindow, theme: Theme, feed: SessionFeed) -> None:
        super().__init__(window)
        self._window, self._theme, self._feed = window, theme, feed
        self._dialog: ImpairmentsDialog | None = None
        self.bar = SayBar(theme)
        self.banner = ImpairmentsBanner(theme)
        self.bar.command_requested.connect(self._send)
        self.banner.change_requested.connect(self.ask_impairments)
        self.banner.end_requested.connect(lambda: self._impair(None, self._told))
        feed.status_changed.connect(self._show)

    def ask_impairments(self) -> None:
        """Open the dialog of the impairments."""
        if self._dialog is None:
            self._dialog = ImpairmentsDialog(self._theme, self._feed.status.impairments, self._window)
            self._dialog.changed.connect(lambda wanted: self._impair(wanted, self._impaired))
            self._dialog.finished.connect(self._closed)
        self._dialog.open()

    def cancel_cue(self) -> None:
        """Let nothing be said by itself."""
        self._send(CancelCue(id=0))

    def _closed(self) -> None:
        self._dialog = None

    def _impaired(self, error: str | None) -> None:
        """The last change was taken or refused: the dialog says so, or the window once it is closed."""
        if self._dialog is not None:
            self._dialog.settle(error)
        else:
            self._told(error)

    def _impair(self, impairments: Impairments | None, then: Then) -> None:
        self._feed.send(Impair(id=0, impairments=impairments), then)

    def _send(self, command: AnyCommand) -> None:
        text = command.text if isinstance(command, Speak | Cue) else ""
        self._feed.send(command, partial(self._answered, text))

    def _answered(self, text: str, error: str | None) -> None:
        if error is not None:
            self.bar.give_back(text)
        self._told(error)

    def _told(self, error: str | None) -> None:
        if error is not None:
            self.failed.emit(error)

    def _show(self, status: Status) -> None:
        self.bar.show_status(status)
        self.banner.show_status(status)
