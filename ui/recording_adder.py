"""Adds an audio file to the user's recordings, in a process of its own: no foreign file is decoded in the window."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
from PySide6.QtCore import QObject, QProcess, Signal

from simulator.audio.recordings import SpeechRecording
from ui.child_process import make_process, python_command


class RecordingAdder(QObject):
    """Runs `fixture add`, one file at a time."""

    added = Signal(str)
    """The name of the new recording."""
    failed = Signal(str)

    def __init__(self, parent: QObject, command: Sequence[str] | None = None) -> None:
        super().__init__(parent)
        self._command = list(command or python_command("simulator", "fixture", "add", "--json"))
        self._process: QProcess | None = None

    def add(self, path: Path) -> None:
        """Begin to add a file; `added` or `failed` follows."""
        if self._process is not None:
            self.failed.emit("A recording is being added: try again in a moment.")
            return
        self._process = make_process([*self._command, str(path.resolve())], self)
        self._process.finished.connect(self._finished)
        self._process.errorOccurred.connect(self._finished)
        self._process.start()

    def stop_and_wait(self) -> None:
        """Give up: nobody waits for the answer any more."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.waitForFinished(500)

    def _finished(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        output = bytes(process.readAllStandardOutput().data())
        said = bytes(process.readAllStandardError().data()).decode(errors="replace").strip()
        process.deleteLater()
        try:
            recording = msgspec.json.decode(output, type=SpeechRecording)
        except msgspec.DecodeError:
            self.failed.emit(said.rpartition("\n")[2] or "The recording could not be added: try again.")
            return
        self.added.emit(recording.name)
