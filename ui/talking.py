"""What the talk key and the talk button do: let a microphone through while they are held, or open and close it.

Which of the two is the user's choice, and remembered. A recording is started and stopped by a press in either case.
"""

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow, QMenu

from simulator.participant.messages import VoiceKind
from ui.commands import SessionCommands
from ui.panels.connection import ConnectionPanel
from ui.session_feed import SessionFeed
from ui.settings import WindowSettings
from ui.talk_key import TalkKey

_TOGGLES = "talk_toggles"


class Talking(QObject):
    """Joins key and button to the commands; adds the choice to the window's menu of the voice."""

    def __init__(
        self,
        window: QMainWindow,
        feed: SessionFeed,
        commands: SessionCommands,
        settings: WindowSettings,
        panel: ConnectionPanel,
    ) -> None:
        super().__init__(window)
        self._feed, self._commands, self._settings, self._panel = feed, commands, settings, panel
        self.switch = QAction("&Talk key opens and closes the microphone", window)
        self.switch.setCheckable(True)
        self.switch.setToolTip("A press opens the microphone, the next one closes it; else it is open while you hold.")
        self.switch.setChecked(settings.text(_TOGGLES) == "yes")
        self.switch.toggled.connect(self._switched)
        panel.show_talk_toggles(self.switch.isChecked())
        self.key = TalkKey(window)
        for source in (self.key.pressed, panel.talk_pressed):
            source.connect(self._pressed)
        for source in (self.key.released, panel.talk_released):
            source.connect(self._released)

    def add_to(self, menu: QMenu, before: QAction) -> None:
        """Put the choice into a menu."""
        menu.insertAction(before, self.switch)

    @property
    def _toggles(self) -> bool:
        return self.switch.isChecked() and self._commands.voice.kind is VoiceKind.MICROPHONE

    def _switched(self, on: bool) -> None:
        self._settings.set_text(_TOGGLES, "yes" if on else "no")
        self._panel.show_talk_toggles(on)

    def _pressed(self) -> None:
        if self._toggles:
            self._commands.open_microphone(not self._feed.status.talking)
        else:
            self._commands.press_talk()

    def _released(self) -> None:
        if not self._toggles:
            self._commands.release_talk()
