"""Whether the next sessions keep what is said and heard: chosen in the menu of the records, and remembered."""

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow, QMenu

from ui.settings import WindowSettings

_LEAVES_OUT = "leave_audio_out"


class Keeping(QObject):
    """Adds its entry to the window's menu of the records. A session that goes on stays as it began."""

    def __init__(self, window: QMainWindow, settings: WindowSettings) -> None:
        super().__init__(window)
        self._settings = settings
        self.switch = QAction("Leave the &audio out of new sessions", window)
        self.switch.setCheckable(True)
        self.switch.setToolTip(
            "Events and texts are kept, no voice is; beside “rec” it says so while a session goes on."
        )
        self.switch.setChecked(settings.text(_LEAVES_OUT) == "yes")
        self.switch.toggled.connect(self._switched)

    @property
    def keeps_audio(self) -> bool:
        """Whether a session that begins now keeps both voices."""
        return not self.switch.isChecked()

    def add_to(self, menu: QMenu) -> None:
        """Put the entry at the end of a menu."""
        menu.addSeparator()
        menu.addAction(self.switch)

    def _switched(self, on: bool) -> None:
        self._settings.set_text(_LEAVES_OUT, "yes" if on else "no")
