"""The page of sound devices joined to what the window knows: the list, what is chosen, and the session."""

from collections.abc import Sequence

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from simulator.participant.messages import ConnectionState, Level, Status
from ui.choices import Choices
from ui.device_trial import DeviceTrial
from ui.devices_feed import DevicesFeed
from ui.dialogs.devices import DevicesDialog
from ui.session_feed import SessionFeed
from ui.theme import Theme


class DevicesDesk(QObject):
    """Opens the page, once."""

    def __init__(
        self,
        window: QWidget,
        theme: Theme,
        feed: SessionFeed,
        devices: DevicesFeed,
        choices: Choices,
        *,
        trial: Sequence[str] | None = None,
    ) -> None:
        """`trial` is the command of the process that tries devices; None means this installation's."""
        super().__init__(window)
        self._window, self._theme = window, theme
        self._feed, self._devices, self._choices = feed, devices, choices
        self._trial = DeviceTrial(trial, self)
        self.dialog: DevicesDialog | None = None

    def open(self) -> None:
        """Show the page, with the devices listed anew."""
        if self.dialog is None:
            self.dialog = self._make()
        self._devices.refresh()
        self.dialog.show_devices(self._devices.devices)
        self._show_chosen()
        self._show_status(self._feed.status)
        self.dialog.show()
        self.dialog.raise_()
        self.dialog.activateWindow()

    def stop_and_wait(self) -> None:
        """Let go of the devices: the window ends."""
        self._trial.stop()

    def _make(self) -> DevicesDialog:
        dialog = DevicesDialog(self._theme, self._trial, self._window)
        dialog.voice_chosen.connect(self._choices.choose_voice)
        dialog.output_chosen.connect(self._choices.choose_output)
        dialog.list_requested.connect(self._devices.refresh)
        self._devices.listed.connect(dialog.show_devices)
        self._choices.changed.connect(self._show_chosen)
        self._feed.status_changed.connect(self._show_status)
        self._feed.level_changed.connect(self._show_level)
        return dialog

    def _show_chosen(self) -> None:
        if self.dialog is not None:
            self.dialog.show_chosen(self._choices.voice, self._choices.output)

    def _show_status(self, status: Status) -> None:
        if self.dialog is not None:
            self.dialog.show_session(status.connection is not ConnectionState.IDLE)

    def _show_level(self, level: Level) -> None:
        if self.dialog is not None and self.dialog.isVisible():
            self.dialog.show_level(level.rms_dbfs, level.peak_dbfs, level.t_ns)
