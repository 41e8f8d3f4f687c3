"""The sound of a saved session: a child process plays it and tells where it is; the window touches no sound."""

import json
from collections.abc import Sequence
from pathlib import Path

import msgspec
from PySide6.QtCore import QObject, QProcess, Signal

from ui.child_process import make_process, pass_on, python_command
from ui.models.devices import Output


class PlayerLine(msgspec.Struct, frozen=True):
    """One line of `simulator.participant.session_player`."""

    at_sample: int | None = None
    ended: bool = False
    error: str | None = None


class SessionSound(QObject):
    """Plays one session at a time; another place or another session ends what played before."""

    moved = Signal(object)
    """The sample that is audible at present: an int, which Qt's own would cut to 32 bits."""
    playing_changed = Signal(bool)
    failed = Signal(str)

    def __init__(self, parent: QObject | None = None, command: Sequence[str] | None = None) -> None:
        """`command` replaces the player in tests."""
        super().__init__(parent)
        self._command = list(command or python_command("simulator.participant.session_player"))
        self._process: QProcess | None = None

    @property
    def playing(self) -> bool:
        """Whether a session sounds, or is about to."""
        return self._process is not None

    def play(self, record: Path, first_sample: int, output: Output) -> None:
        """Play both voices from this sample of the session's clock on."""
        was_playing = self.playing
        self._end()
        question = {
            "record": str(record),
            "first_sample": first_sample,
            "output": [output.name, output.host_api, output.channel],
        }
        process = make_process([*self._command, json.dumps(question)], self)
        process.readyReadStandardOutput.connect(self._read)
        process.finished.connect(self._finished)
        process.errorOccurred.connect(self._not_started)
        self._process = process
        process.start()
        if not was_playing:
            self.playing_changed.emit(True)

    def stop(self) -> None:
        """Fall silent."""
        if self.playing:
            self._end()
            self.playing_changed.emit(False)

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.waitForFinished(500)
            process.deleteLater()

    def _read(self) -> None:
        process = self._process
        while process is not None and process is self._process and process.canReadLine():
            try:
                line = msgspec.json.decode(process.readLine().data(), type=PlayerLine)
            except msgspec.DecodeError:
                continue
            if line.at_sample is not None:
                self.moved.emit(line.at_sample)
            if line.error is not None:
                self.failed.emit(line.error)

    def _not_started(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self._finished()

    def _finished(self) -> None:
        process = self._process
        if process is None:
            return
        self._read()
        if process is self._process:
            pass_on(bytes(process.readAllStandardError().data()))
            self._process = None
            process.deleteLater()
            self.playing_changed.emit(False)
