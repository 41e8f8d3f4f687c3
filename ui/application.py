"""Composes and runs the window: the one place where its objects are built. Signals of the system end it in order.

There is one event loop, Qt's. Processes and threads answer by Qt signals, so nothing here awaits, and a dialog can
never stop a task in the middle.
"""

import signal
import socket
import sys
from pathlib import Path
from types import FrameType

from PySide6.QtCore import QCoreApplication, QObject, QSocketNotifier
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from simulator.resources import asset_path
from ui.main_window import TITLE, MainWindow
from ui.participant_host import ParticipantHost
from ui.session_feed import SessionFeed
from ui.theme import Theme


def run_window(record: Path | None = None) -> int:
    """Open the window, with a saved session where there is one, and return when its processes have ended."""
    QCoreApplication.setApplicationName("participant-simulator")
    application = QApplication(sys.argv[:1])
    application.setApplicationDisplayName(TITLE)
    application.setWindowIcon(QIcon(str(asset_path("icon.png"))))
    application.setQuitOnLastWindowClosed(False)
    theme = Theme(application)
    window = MainWindow(SessionFeed(ParticipantHost()), theme)
    window.ended.connect(application.quit)
    signals = SystemSignals(window, application)
    window.show()
    window.start(record)
    application.exec()
    signals.close()
    return 0


class SystemSignals(QObject):
    """SIGINT and SIGTERM close the window. Python handles a signal between two of its own steps, and an idle window
    takes none: the wake-up socket makes Qt call into Python."""

    def __init__(self, window: MainWindow, parent: QObject) -> None:
        super().__init__(parent)
        self._window = window
        self._reader, self._writer = socket.socketpair()
        self._reader.setblocking(False)
        self._writer.setblocking(False)
        self._notifier = QSocketNotifier(self._reader.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._woken)
        self._previous = {
            number: signal.signal(number, self._close_window) for number in (signal.SIGINT, signal.SIGTERM)
        }
        signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)

    def close(self) -> None:
        """Give the signals back."""
        signal.set_wakeup_fd(-1)
        for number, handler in self._previous.items():
            signal.signal(number, handler)
        self._notifier.setEnabled(False)
        self._reader.close()
        self._writer.close()

    def _woken(self) -> None:
        self._reader.recv(64)

    def _close_window(self, _number: int, _frame: FrameType | None) -> None:
        self._window.end()
