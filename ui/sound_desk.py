"""What is wrong with the microphone's sound is shown, and the two ways out of an echo are switched and remembered."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow

from simulator.participant.messages import SetEchoCancelling, SetHalfDuplex, Status
from ui.actions import Deed
from ui.panels.sound_strip import HalfDuplexBanner, SoundSign, SoundStrip
from ui.session_feed import SessionFeed
from ui.settings import WindowSettings
from ui.theme import Theme

HALF_DUPLEX = "&Half-duplex: the microphone is silent while the agent is heard"
ECHO_CANCELLING = "Cancel the agent's echo in the microphone"
_COMMANDS: Final[dict[str, type[SetHalfDuplex] | type[SetEchoCancelling]]] = {
    "half_duplex": SetHalfDuplex,
    "echo_cancelling": SetEchoCancelling,
}


class SoundDesk(QObject):
    """Owns the strips; knows the process by its feed. Both switches are remembered and told to each new process."""

    failed = Signal(str)

    def __init__(
        self, window: QMainWindow, theme: Theme, feed: SessionFeed, settings: WindowSettings, sign: SoundSign
    ) -> None:
        super().__init__(window)
        self._feed, self._settings, self._sign = feed, settings, sign
        self._actions: Mapping[str, QAction] = {}
        self.strip = SoundStrip(theme)
        self.banner = HalfDuplexBanner(theme)
        self.banner.end_requested.connect(partial(self._set, "half_duplex", False))
        sign.clicked.connect(self.strip.bring_back)
        feed.status_changed.connect(self._show)
        feed.process_started.connect(self._tell_all)

    def deeds(self) -> list[Deed]:
        """Return the two switches for the menu and the sheet of keys."""
        return [
            Deed(HALF_DUPLEX, "Shift+M", self._toggled("half_duplex")),
            Deed(ECHO_CANCELLING, "Ctrl+M", self._toggled("echo_cancelling")),
        ]

    def mark(self, actions: Mapping[str, QAction]) -> None:
        """Let the menu's entries show what is on."""
        self._actions = {"half_duplex": actions[HALF_DUPLEX], "echo_cancelling": actions[ECHO_CANCELLING]}
        for action in self._actions.values():
            action.setCheckable(True)
        self._actions["half_duplex"].setToolTip("No echo can reach the engine, and nobody can interrupt the agent.")
        self._actions["echo_cancelling"].setToolTip(
            "Learns the echo within the first seconds of the agent's voice; barge-in stays possible. Needs the extra "
            "“echo”."
        )

    def _toggled(self, name: str) -> Callable[[], None]:
        return lambda: self._set(name, not getattr(self._feed.status, name))

    def _set(self, name: str, on: bool) -> None:
        def settled(error: str | None) -> None:
            if error is None:
                self._settings.set_text(name, "yes" if on else "no")
            else:
                self.failed.emit(error)
            self._show(self._feed.status)

        self._feed.send(_COMMANDS[name](id=0, on=on), settled)

    def _tell_all(self) -> None:
        for name in _COMMANDS:
            if self._settings.text(name) == "yes":
                self._set(name, True)

    def _show(self, status: Status) -> None:
        self.strip.show_status(status)
        self.banner.show_status(status)
        self._sign.show_status(status)
        for name, action in self._actions.items():
            action.setChecked(getattr(status, name))
