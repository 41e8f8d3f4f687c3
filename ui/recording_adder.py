"""Adds an audio file to the user's recordings, in a process of its own: no foreign file is decoded in the window."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
from PySide6.QtCore import QObject, Signal

from simulator.audio.recordings import SpeechRecording
from ui.child_answer import ChildAnswer
from ui.child_process import python_command


class RecordingAdder(QObject):
    """Runs `fixture add`, one file at a time."""

    added = Signal(str)
    """The name of the new recording."""
    failed = Signal(str)

    def __init__(self, parent: QObject, command: Sequence[str] | None = None) -> None:
        super().__init__(parent)
        self._child = ChildAnswer(command or python_command("simulator", "fixture", "add", "--json"), self)
        self._child.answered.connect(self._answered)

    def add(self, path: Path) -> None:
        """Begin to add a file; `added` or `failed` follows."""
        if self._child.waiting:
            self.failed.emit("A recording is being added: try again in a moment.")
        else:
            self._child.ask(str(path.resolve()))

    def stop_and_wait(self) -> None:
        """Give up: nobody waits for the answer any more."""
        self._child.stop_and_wait()

    def _answered(self, output: bytes, _code: int, said: str) -> None:
        try:
            recording = msgspec.json.decode(output, type=SpeechRecording)
        except msgspec.DecodeError:
            self.failed.emit(said.strip().rpartition("\n")[2] or "The recording could not be added: try again.")
            return
        self.added.emit(recording.name)
