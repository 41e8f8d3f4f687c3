"""The participant process as a child of the window: lines in, lines out, its death noticed, its end in order.

When the window dies, the child's standard input closes, and it ends by itself.
"""

import time

from PySide6.QtCore import QObject, QProcess, QTimer, Signal

from ui.child_process import make_process, pass_on, python_command

STOP_MS = 1_900
"""Every process ends within 2 s of the wish."""
_MAX_QUICK_DEATHS = 3
_QUICK_DEATH_S = 5.0
_STDERR_TAIL_BYTES = 4_000


class ParticipantHost(QObject):
    """Runs the participant process and starts it again when it dies."""

    output_came = Signal()
    started = Signal()
    died = Signal(str)
    """One sentence for the user, after a death that nobody asked for."""
    stopped = Signal()
    """The process ended because `stop` was called."""

    def __init__(self, command: list[str] | None = None, parent: QObject | None = None) -> None:
        """`command` is the program and its arguments; None means this installation's participant process."""
        super().__init__(parent)
        self._command = command or python_command("simulator", "participant")
        self._process: QProcess | None = None
        self._stopping = False
        self._started_s = 0.0
        self._quick_deaths = 0
        self._stderr = b""
        self._deadline = QTimer(self)
        self._deadline.setSingleShot(True)
        self._deadline.timeout.connect(self._kill)

    @property
    def running(self) -> bool:
        """Whether there is a process that takes lines."""
        return self._process is not None and not self._stopping

    def start(self) -> None:
        """Start the process unless it runs."""
        if self._process is not None or self._stopping:
            return
        process = make_process(self._command, self)
        process.readyReadStandardOutput.connect(self.output_came)
        process.readyReadStandardError.connect(self._take_stderr)
        process.finished.connect(self._finished)
        process.errorOccurred.connect(self._failed)
        self._process = process
        self._stderr = b""
        self._started_s = time.monotonic()
        process.start()
        self.started.emit()

    def read(self) -> bytes:
        """Return the output that came since the last call."""
        return bytes(self._process.readAllStandardOutput().data()) if self._process is not None else b""

    def write(self, line: bytes) -> bool:
        """Write a line to the process, or queue what its pipe does not take at once; False when there is none."""
        if self._process is None or self._process.write(line) != len(line):
            return False
        if self._process.state() is QProcess.ProcessState.Running:
            # Now, and not when the event loop has drawn what follows from the command.
            self._process.waitForBytesWritten(0)
        return True

    def stop(self, last_line: bytes = b"") -> None:
        """Ask the process to end: `last_line`, end of its input, and the axe after two seconds.

        `stopped` follows, at once when there is no process. The record is complete when the process ends by itself.
        """
        if self._stopping:
            return
        self._stopping = True
        if self._process is None:
            self.stopped.emit()
            return
        if last_line:
            self._process.write(last_line)
        self._process.closeWriteChannel()
        self._deadline.start(STOP_MS)

    def _take_stderr(self) -> None:
        if self._process is not None:
            data = bytes(self._process.readAllStandardError().data())
            self._stderr = (self._stderr + data)[-_STDERR_TAIL_BYTES:]
            pass_on(data)

    def _failed(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self._finished(-1, QProcess.ExitStatus.CrashExit)

    def _finished(self, code: int, _status: QProcess.ExitStatus) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        self._deadline.stop()
        self.output_came.emit()
        process.deleteLater()
        if self._stopping:
            self.stopped.emit()
            return
        quick = time.monotonic() - self._started_s < _QUICK_DEATH_S
        self._quick_deaths = self._quick_deaths + 1 if quick else 0
        lines = self._stderr.decode(errors="replace").strip().splitlines()
        why = f" ({lines[-1].strip()})" if lines else ""
        if self._quick_deaths >= _MAX_QUICK_DEATHS:
            self.died.emit(
                f"The live process does not stay up{why}: see the terminal, then press Connect to try again."
            )
            return
        self.died.emit(f"The live process ended with code {code}{why}; a new one was started, connect again.")
        self.start()

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()
