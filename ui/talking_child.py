"""A short-lived child of the window that tells what it does in lines of JSON until it is over."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

import msgspec
from PySide6.QtCore import QObject, QProcess

from ui.child_process import make_process, pass_on

Line = TypeVar("Line", bound=msgspec.Struct)


class TalkingChild(QObject, Generic[Line]):
    """At most one child at a time. A subclass hears its lines in `_heard`, and its end in `_over`."""

    def __init__(self, command: Sequence[str], line: type[Line], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._command = list(command)
        self._line = line
        self._process: QProcess | None = None

    def _begin(self, question: Mapping[str, Any]) -> None:
        """Start the child with a question as its last argument."""
        process = make_process([*self._command, json.dumps(question)], self)
        process.readyReadStandardOutput.connect(self._read)
        process.finished.connect(self._finished)
        process.errorOccurred.connect(self._not_started)
        self._process = process
        process.start()

    def _end(self) -> bool:
        """End the child; return whether there was one. `_over` is not called."""
        process, self._process = self._process, None
        if process is None:
            return False
        process.kill()
        process.waitForFinished(500)
        process.deleteLater()
        return True

    def _heard(self, line: Line) -> None:
        """Take what the child tells."""

    def _over(self) -> None:
        """The child ended by itself, or could not be started."""

    def _read(self) -> None:
        process = self._process
        # What hears a line may end the child, or begin with another one.
        while process is not None and process is self._process and process.canReadLine():
            try:
                line = msgspec.json.decode(process.readLine().data(), type=self._line)
            except msgspec.DecodeError:
                continue
            self._heard(line)

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
