"""Which microphones and loudspeakers there are, asked of a short-lived process: PortAudio's list is frozen once it
started, and the window never waits for it."""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
from PySide6.QtCore import QObject, QProcess, Signal

from ui.child_process import make_process, pass_on, python_command


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
        self._command = list(command or python_command("simulator", "devices", "--json"))
        self._process: QProcess | None = None

    def refresh(self) -> None:
        """Ask for the list, unless the question is being answered already."""
        if self._process is not None:
            return
        self._process = make_process(self._command, self)
        self._process.finished.connect(self._finished)
        self._process.errorOccurred.connect(self._finished)
        self._process.start()

    def stop_and_wait(self) -> None:
        """End the question: nobody waits for its answer any more."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.waitForFinished(500)

    def _finished(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        output = bytes(process.readAllStandardOutput().data())
        pass_on(bytes(process.readAllStandardError().data()))
        process.deleteLater()
        try:
            found = msgspec.json.decode(output, type=list[Device])
        except msgspec.DecodeError:
            found = []
        # One device stands in the list once for each of the system's sound interfaces.
        inputs = dict.fromkeys(device.name for device in found if device.max_input_channels)
        outputs = dict.fromkeys(device.name for device in found if device.max_output_channels)
        self.listed.emit(Devices(tuple(inputs), tuple(outputs)))
