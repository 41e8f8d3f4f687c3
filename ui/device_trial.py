"""Trying a microphone or a loudspeaker: a child process opens it and tells; the window touches no sound."""

from collections.abc import Sequence

import msgspec
from PySide6.QtCore import QObject, Signal

from simulator.engines.profiles import config_folder
from ui.child_process import python_command
from ui.models.devices import Output
from ui.models.voices import Voice
from ui.talking_child import TalkingChild


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


class DeviceTrial(TalkingChild[TrialLine]):
    """Tries one thing at a time; another one ends the one before."""

    told = Signal(TrialLine)
    ended = Signal()
    """It is over, by itself or because it was stopped."""

    def __init__(self, command: Sequence[str] | None = None, parent: QObject | None = None) -> None:
        super().__init__(command or python_command("simulator.audio.trial"), TrialLine, parent)
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
        self.doing = do
        self._begin(question)

    def stop(self) -> None:
        """End what is tried."""
        if self._end():
            self._over()

    def _heard(self, line: TrialLine) -> None:
        self.told.emit(line)

    def _over(self) -> None:
        self.doing = None
        self.ended.emit()
