"""Whether, and by which model, the participant's words are recognised here: chosen in the menu, remembered, and told
to the participant process; what is lacking for it stands below the transcript."""

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow, QMenu

from simulator.participant.messages import RecogniseWords, Status
from ui.dialogs.recogniser import RecogniserDialog
from ui.panels.transcript import TranscriptPanel
from ui.session_feed import SessionFeed, Then
from ui.settings import WindowSettings

_ON, _MODEL = "recognise", "recogniser"


class Recognition(QObject):
    """Adds its two entries to the window's menu of the voice."""

    failed = Signal(str)

    def __init__(
        self, window: QMainWindow, feed: SessionFeed, settings: WindowSettings, transcript: TranscriptPanel
    ) -> None:
        super().__init__(window)
        self._window, self._feed, self._settings, self._transcript = window, feed, settings, transcript
        self.switch = QAction("Recognise the participant's &words here", window)
        self.switch.setCheckable(True)
        self.switch.setChecked(settings.text(_ON, "yes") == "yes")
        self.switch.setToolTip("In the record and the transcript, marked as recognised here, whatever the engine is")
        self.switch.toggled.connect(self._switched)
        self.choice = QAction("Re&cogniser of words…", window)
        self.choice.triggered.connect(self._ask_model)
        feed.process_started.connect(self._tell)
        feed.status_changed.connect(self._show)

    def add_to(self, menu: QMenu) -> None:
        """Put the entries at the end of a menu."""
        menu.addActions([self.switch, self.choice])

    def _switched(self, on: bool) -> None:
        self._settings.set_text(_ON, "yes" if on else "no")
        self._tell()

    def _ask_model(self) -> None:
        dialog = RecogniserDialog(self._settings.text(_MODEL), self._window)

        def given(model: str) -> None:
            def settled(error: str | None) -> None:
                if error is None:
                    self._settings.set_text(_MODEL, model)
                    self.switch.setChecked(True)
                dialog.settle(error)

            self._send(True, model, settled)

        dialog.model_given.connect(given)
        dialog.open()

    def _tell(self) -> None:
        self._send(self.switch.isChecked(), self._settings.text(_MODEL), self._told)

    def _send(self, on: bool, model: str, then: Then) -> None:
        self._feed.send(RecogniseWords(id=0, on=on, model=model or None), then)

    def _told(self, error: str | None) -> None:
        if error is not None:
            self.failed.emit(error)

    def _show(self, status: Status) -> None:
        self._transcript.set_hint(status.recognition_lack or "")
