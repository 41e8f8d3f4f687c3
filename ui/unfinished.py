"""A saved session that was never finished: the banner says so, and offers to do it.

Whoever opens such a session starts the process that finishes it (`simulator.record.finishing`), and usually that is
all. Where it could not, as on a full disk or in a folder that may not be written, the user hears why, and tries again
when there is room.
"""

import subprocess
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QLabel, QPushButton

from simulator.engines.children import child_environment, in_the_background, python_command
from simulator.record.finishing import is_finished
from simulator.record.folder import is_running, is_session
from ui.background import Background
from ui.panels.notices import RecordBanner

_LOOK_EVERY_MS: Final = 500
_PATIENCE: Final = 6
"""Looks until a process that was started must be seen at work."""


class Unfinished(QObject):
    """Watches the folder of the session on screen, until it is finished."""

    failed = Signal(str)

    def __init__(self, banner: RecordBanner, parent: QObject) -> None:
        super().__init__(parent)
        self.text = QLabel()
        self.button = QPushButton("Finish now")
        self.button.setToolTip("Compress the voices, sum up settings and answers, and write the manifest")
        self.button.clicked.connect(self.finish)
        for widget in (self.text, self.button):
            widget.hide()
            banner.add(widget)
        self._background = Background(self)
        self._folder: Path | None = None
        self._looks = 0
        self._child: subprocess.Popen[str] | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_EVERY_MS)
        self._timer.timeout.connect(self.look)

    def watch(self, folder: Path | None) -> None:
        """Say how far the session in a folder is finished; None, and any folder that is no session's: nothing."""
        self._folder = folder if folder is not None and is_session(folder) else None
        self._looks = 0
        self._timer.start()
        self.look()

    def finish(self) -> None:
        """Finish the session in a process of its own, and tell why where that fails."""
        folder = self._folder
        if folder is None or self._child is not None:
            return
        self._child = child = subprocess.Popen(
            python_command("simulator.record.finishing", str(folder)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env=child_environment(),
            **in_the_background(),
        )

        def ended(answer: tuple[str, str] | None, error: Exception | None) -> None:
            if child is self._child:
                self._child = None
            if error is not None:
                raise error
            if child.returncode and answer is not None:
                said = answer[1].strip().splitlines()
                self.failed.emit(said[-1] if said else f"The session in {folder} could not be finished.")
            self._looks = _PATIENCE
            self.look()

        self._background.run(partial(child.communicate), ended)
        self.look()

    def stop(self) -> None:
        """End what goes on; a session that is half finished can be finished again."""
        self._timer.stop()
        self._folder = None
        if self._child is not None:
            self._child.terminate()

    def look(self) -> None:
        """See how far it is."""
        folder = self._folder
        if folder is None or not is_session(folder) or is_finished(folder):
            self._show("")
            if self._child is None:
                self._timer.stop()
            return
        self._looks += 1
        if self._child is not None or is_running(folder):
            self._show("… being written or finished")
        elif self._looks <= _PATIENCE:
            self._show("… being finished")
        else:
            self._show("⚠ not finished", offers=True)

    def _show(self, text: str, *, offers: bool = False) -> None:
        self.text.setText(text)
        self.text.setVisible(bool(text))
        self.button.setVisible(offers)
