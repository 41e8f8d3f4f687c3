"""A question that a short-lived child of the program answers on its standard output; the window never waits for it."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, QProcess, Signal

from ui.child_process import make_process, pass_on


class ChildAnswer(QObject):
    """Asks one question at a time."""

    answered = Signal(bytes, int, str)
    """The standard output, the exit code, and what was said on the standard error; no output where the child could not
    be started."""

    def __init__(self, command: Sequence[str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._command = list(command)
        self._process: QProcess | None = None

    @property
    def waiting(self) -> bool:
        """Whether a question is being answered."""
        return self._process is not None

    def ask(self, *further: str) -> None:
        """Ask, with further arguments, unless a question is being answered already."""
        if self._process is not None:
            return
        self._process = make_process([*self._command, *further], self)
        self._process.finished.connect(self._finished)
        self._process.errorOccurred.connect(self._not_started)
        self._process.start()

    def stop_and_wait(self) -> None:
        """End the question: nobody waits for its answer any more."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.waitForFinished(500)

    def _not_started(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self._finished(-1)

    def _finished(self, code: int) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        output = bytes(process.readAllStandardOutput().data())
        said = bytes(process.readAllStandardError().data())
        pass_on(said)
        process.deleteLater()
        self.answered.emit(output, code, said.decode(errors="replace"))
