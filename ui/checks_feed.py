"""Runs the conformance suite in the background as a child: `simulator check --json`, its progress and its report.

The live session is untouched by it: the suite has its own process, its own connections and its own records.
"""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

import msgspec
from PySide6.QtCore import QObject, QProcess, QTimer, Signal

from ui.child_process import make_process, pass_on, python_command
from ui.models.checks_model import CellKey, CheckList, ChecksModel, Progress, ReportResults

_STOP_MS = 1_900


class ChecksFeed(QObject):
    """Owns the matrix and the run that fills it."""

    changed = Signal()
    """A cell, the list of checks, or whether a run is under way changed."""
    run_ended = Signal()
    failed = Signal(str)

    def __init__(
        self, modes: Iterable[str], records: Path, command: list[str] | None = None, parent: QObject | None = None
    ) -> None:
        """`records` is the folder in which each run makes its own; `command` replaces the program in tests."""
        super().__init__(parent)
        self.model = ChecksModel(tuple(modes))
        self._command = command or python_command("simulator", "check")
        self._records = records
        self._folder = records
        self.engine = ""
        """The engine of the last run."""
        self.faults: tuple[str, ...] = ()
        """The rules that it was told to break."""
        self._process: QProcess | None = None
        self._listing: QProcess | None = None
        self._unread = b""
        self._last_words = ""
        self._stopping = False
        self._axe = QTimer(self)
        self._axe.setSingleShot(True)
        self._axe.timeout.connect(self._kill)

    @property
    def running(self) -> bool:
        """Whether a run is under way."""
        return self._process is not None

    def list_checks(self) -> None:
        """Ask, in the background, which checks this build has."""
        if self._listing is not None:
            return
        self._listing = make_process([*self._command, "--list", "--json"], self)
        self._listing.finished.connect(self._listed)
        self._listing.start()

    def stop_listing(self) -> None:
        """End the question which checks there are: nobody waits for its answer any more."""
        process, self._listing = self._listing, None
        if process is not None:
            process.kill()
            process.waitForFinished(500)

    def run(
        self,
        engine: str,
        keys: Iterable[CellKey],
        *,
        repeat: int = 1,
        jobs: int = 1,
        faults: Sequence[str] = (),
        specification: str | None = None,
    ) -> None:
        """Run the checks of these cells against an engine; ignored while a run is under way.

        Each runs `repeat` times, `jobs` side by side; `faults` are rules that the embedded engine is to break,
        `specification` is the path of a file to follow.
        """
        wanted = list(dict.fromkeys(keys))
        if self._process is not None or not wanted:
            return
        self._folder = self._records / datetime.now().astimezone().strftime("%Y-%m-%d_%H-%M-%S")
        self._unread, self._last_words, self._stopping = b"", "", False
        further = ["--repeat", str(repeat), "--jobs", str(jobs)]
        for fault in faults:
            further += ["--fault", fault]
        if specification is not None:
            further += ["--spec", specification]
        process = make_process([*self._command, *self._arguments(engine, wanted), *further], self)
        process.readyReadStandardError.connect(self._read_progress)
        process.finished.connect(self._finished)
        process.errorOccurred.connect(self._not_started)
        self._process = process
        self.model.begin(self._covered(wanted), repeat)
        self.engine, self.faults = engine, tuple(faults)
        process.start()
        self.changed.emit()

    def stop(self) -> None:
        """End the run in order: what was judged so far stays."""
        if self._process is None or self._stopping:
            return
        self._stopping = True
        self._process.closeWriteChannel()
        self._axe.start(_STOP_MS)

    def _listed(self, code: int) -> None:
        process, self._listing = self._listing, None
        if process is None:
            return
        output = bytes(process.readAllStandardOutput().data())
        try:
            checks = msgspec.json.decode(output, type=CheckList).checks
        except msgspec.DecodeError:
            pass_on(bytes(process.readAllStandardError().data()))
            self.failed.emit(f"The list of checks could not be read (exit code {code}): see the terminal.")
        else:
            self.model.set_checks(checks)
            self.changed.emit()
        process.deleteLater()

    def _arguments(self, engine: str, keys: list[CellKey]) -> list[str]:
        # The end of its input ends the run in order, be it that we close it or that this window dies.
        arguments = ["--json", "--until-stdin-closes", "--engine", engine, "--records", str(self._folder)]
        for check in dict.fromkeys(check for check, _ in keys):
            arguments += ["--only", check]
        modes = {mode for _, mode in keys if mode is not None}
        if modes and modes != set(self.model.modes):
            for mode in self.model.modes:
                if mode in modes:
                    arguments += ["--turn-detection", mode]
        return arguments

    def _covered(self, keys: list[CellKey]) -> list[CellKey]:
        """Return the cells that the command line runs: it takes checks times modes."""
        checks = {check for check, _ in keys}
        modes = {mode for _, mode in keys if mode is not None} or set(self.model.modes)
        return [(check, mode) for check, mode in self.model.all_keys() if check in checks and mode in {*modes, None}]

    def _read_progress(self) -> None:
        if self._process is None:
            return
        *lines, self._unread = (self._unread + bytes(self._process.readAllStandardError().data())).split(b"\n")
        changed = False
        for line in lines:
            try:
                progress = msgspec.json.decode(line, type=Progress)
            except msgspec.DecodeError:
                self._last_words = line.decode(errors="replace").strip() or self._last_words
                pass_on(line + b"\n")
            else:
                changed = self.model.take_progress(progress, self._folder) is not None or changed
        if changed:
            self.changed.emit()

    def _finished(self, code: int, _status: QProcess.ExitStatus = QProcess.ExitStatus.NormalExit) -> None:
        process = self._process
        if process is None:
            return
        self._read_progress()
        self._process = None
        self._axe.stop()
        output = bytes(process.readAllStandardOutput().data())
        process.deleteLater()
        try:
            self.model.take_report(msgspec.json.decode(output, type=ReportResults), self._folder)
        except msgspec.DecodeError:
            if not self._stopping:
                self.failed.emit(_why(self._last_words, code))
        self.model.end()
        self.changed.emit()
        self.run_ended.emit()

    def _not_started(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self._finished(-1)

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()


def _why(last_words: str, code: int) -> str:
    try:
        said = json.loads(last_words)
        last_words = str(said.get("error", last_words)) if isinstance(said, dict) else last_words
    except ValueError:
        pass
    return (
        f"The checks did not finish: {last_words}"
        if last_words
        else f"The checks ended with code {code} and no report."
    )
