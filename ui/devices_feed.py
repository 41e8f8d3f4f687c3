"""Which microphones and loudspeakers there are, asked of a short-lived process: PortAudio's list is frozen once it
started."""

from collections.abc import Sequence

import msgspec
from PySide6.QtCore import QObject, Signal

from ui.child_answer import ChildAnswer
from ui.child_process import python_command
from ui.models.devices import Device, Devices

__all__ = ["Devices", "DevicesFeed"]


class DevicesFeed(QObject):
    """Lists devices in the background."""

    listed = Signal(Devices)
    """The list; empty where this computer has no sound, which is no fault."""

    def __init__(self, command: Sequence[str] | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._child = ChildAnswer(command or python_command("simulator", "devices", "--json"), self)
        self._child.answered.connect(self._answered)
        self.devices = Devices()
        """The list as it was last."""

    def refresh(self) -> None:
        """Ask for the list, unless the question is being answered already."""
        self._child.ask()

    def stop_and_wait(self) -> None:
        """End the question: nobody waits for its answer any more."""
        self._child.stop_and_wait()

    def _answered(self, output: bytes, _code: int) -> None:
        try:
            found = msgspec.json.decode(output, type=list[Device])
        except msgspec.DecodeError:
            found = []
        self.devices = Devices(tuple(found))
        self.listed.emit(self.devices)
