"""Trying a microphone or a loudspeaker: a child process opens it and tells; the window touches no sound."""

import json
from collections.abc import Sequence

import msgspec
from PySide6.QtCore import QObject, QProcess, Signal

from simulator.engines.profiles import config_folder
from ui.child_process import make_process, pass_on, python_command
from ui.models.devices import Output
from ui.models.voices import Voice


class TrialLine(msgspec.Struct, frozen=True):
    """One line of `simulator.audio.trial`."""

    opened: str | None = None
    rate_hz: int = 0
    channels: int = 0
    level: tuple[float, float] | None = None
    state: str | None = None
    round_trip: str | None = None
    """What was measured, in sentences."""
    error: str | None = None


class DeviceTrial(QObject):
    """Tries one thing at a time; another one ends the one before."""

    told = Signal(TrialLine)
    ended = Signal()
    """It is over, by itself or because it was stopped."""

    def __init__(self, command: Sequence[str] | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._command = list(command or python_command("simulator.audio.trial"))
        self._process: QProcess | None = None
        self.doing: str | None = None
        """What is tried at present: "level", "tone", "repeat" or "round_trip"."""

    def start(self, do: str, microphone: Voice, output: Output) -> None:
        """Tell a microphone's level for ever, play a tone, repeat three seconds of speech, or measure a round trip."""
        self.stop()
        question = {
            "do": do,
            "input": [microphone.name, microphone.host_api, microphone.channel],
            "output": [output.name, output.host_api, output.channel],
            "keep": str(config_folder()),
        }
        process = make_process([*self._command, json.dumps(question)], self)
        process.readyReadStandardOutput.connect(self._read)
        process.finished.connect(self._finished)
        process.errorOccurred.connect(self._not_started)
        self._process, self.doing = process, do
        process.start()

    def stop(self) -> None:
        """End what is tried."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.waitForFinished(500)
        process.deleteLater()
        self._over()

    def _read(self) -> None:
        process = self._process
        while process is not None and process is self._process and process.canReadLine():
            try:
                line = msgspec.json.decode(process.readLine().data(), type=TrialLine)
            except msgspec.DecodeError:
                continue
            self.told.emit(line)

    def _not_started(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self._finished()

    def _finished(self) -> None:
        process = self._process
        if process is None:
            return
        self._read()
        if process is not self._process:
            return
        pass_on(bytes(process.readAllStandardError().data()))
        self._process = None
        process.deleteLater()
        self._over()

    def _over(self) -> None:
        self.doing = None
        self.ended.emit()
