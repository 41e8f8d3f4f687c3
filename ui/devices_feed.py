"""Which microphones and loudspeakers there are, asked of a short-lived process: PortAudio's list is frozen once it
started."""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
from PySide6.QtCore import QObject, Signal

from ui.child_answer import ChildAnswer
from ui.child_process import python_command


class Device(msgspec.Struct, frozen=True):
    """One device of `devices --json`, as far as the window needs it; it is chosen by its name."""

    name: str
    max_input_channels: int = 0
    max_output_channels: int = 0


@dataclass(frozen=True, slots=True)
class Devices:
    """The names of the microphones and of the output devices."""

    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()


class DevicesFeed(QObject):
    """Lists devices in the background."""

    listed = Signal(Devices)
    """The list; empty where this computer has no sound, which is no fault."""

    def __init__(self, command: Sequence[str] | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._child = ChildAnswer(command or python_command("simulator", "devices", "--json"), self)
        self._child.answered.connect(self._answered)

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
        # One device stands in the list once for each of the system's sound interfaces.
        inputs = dict.fromkeys(device.name for device in found if device.max_input_channels)
        outputs = dict.fromkeys(device.name for device in found if device.max_output_channels)
        self.listed.emit(Devices(tuple(inputs), tuple(outputs)))
