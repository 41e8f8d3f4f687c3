"""What the stored reports say, read by a short-lived child at the start and after each run of checks."""

from collections.abc import Sequence

import msgspec
from PySide6.QtCore import QObject, Signal

from ui.child_answer import ChildAnswer
from ui.child_process import python_command
from ui.models.conformance import Conformance, ReportList


class ReportsFeed(QObject):
    """Owns the list of reports, and compares two of them."""

    changed = Signal()
    compared = Signal(str)
    """What changed between two reports, as text."""
    failed = Signal(str)

    def __init__(self, command: Sequence[str] | None = None, parent: QObject | None = None) -> None:
        """`command` replaces the program in tests."""
        super().__init__(parent)
        self.conformance = Conformance()
        program = list(command or python_command("simulator"))
        self._list = ChildAnswer([*program, "reports", "--json"], self)
        self._list.answered.connect(self._listed)
        self._comparison = ChildAnswer([*program, "compare"], self)
        self._comparison.answered.connect(self._compared)
        self._again = False

    def refresh(self) -> None:
        """Read the reports; a wish that comes while they are read is granted afterwards."""
        self._again = self._list.waiting
        self._list.ask()

    def compare(self, before: str, after: str) -> None:
        """Compare two reports, named by their paths; `compared` follows."""
        self._comparison.ask(before, after)

    def stop_and_wait(self) -> None:
        """End the questions: nobody waits for an answer any more."""
        self._list.stop_and_wait()
        self._comparison.stop_and_wait()

    def _listed(self, output: bytes, code: int) -> None:
        try:
            found = msgspec.json.decode(output, type=ReportList)
        except msgspec.DecodeError:
            self.failed.emit(f"The stored reports could not be read (exit code {code}): see the terminal.")
        else:
            self.conformance = Conformance(tuple(found.engines), tuple(found.reports))
            self.changed.emit()
        if self._again:
            self.refresh()

    def _compared(self, output: bytes, code: int) -> None:
        text = output.decode(errors="replace").strip()
        if text:
            self.compared.emit(text)
        else:
            self.failed.emit(f"The reports could not be compared (exit code {code}): see the terminal.")
