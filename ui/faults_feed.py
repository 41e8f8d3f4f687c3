"""Which faults the embedded engine of this build knows, and which are chosen for the next session and check run."""

from collections.abc import Sequence

import msgspec
from PySide6.QtCore import QObject, Signal

from ui.child_answer import ChildAnswer
from ui.child_process import python_command
from ui.models.faults import Fault, FaultChoice


class FaultsFeed(QObject):
    """Owns the choice. What is chosen is not remembered: an engine misbehaves only where that was asked for today."""

    changed = Signal()
    """The list came, or another choice was made."""
    failed = Signal(str)

    def __init__(self, command: Sequence[str] | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.choice = FaultChoice()
        self._child = ChildAnswer(command or python_command("simulator", "engine", "--list-faults", "--json"), self)
        self._child.answered.connect(self._answered)

    def refresh(self) -> None:
        """Ask for the list, where it is not known yet."""
        if not self.choice.faults:
            self._child.ask()

    def choose(self, name: str, wanted: bool) -> None:
        """Choose a fault, or no longer."""
        self.choice.choose(name, wanted)
        self.changed.emit()

    def choose_none(self) -> None:
        """Let the engine behave."""
        self.choice.chosen.clear()
        self.changed.emit()

    def stop_and_wait(self) -> None:
        """End the question: nobody waits for its answer any more."""
        self._child.stop_and_wait()

    def _answered(self, output: bytes, code: int) -> None:
        try:
            self.choice.set_faults(msgspec.json.decode(output, type=list[Fault]))
        except msgspec.DecodeError:
            self.failed.emit(f"The list of faults could not be read (exit code {code}): see the terminal.")
        self.changed.emit()
