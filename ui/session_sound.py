"""The sound of a saved session: a child process plays it and tells where it is; the window touches no sound."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
from PySide6.QtCore import QObject, Signal

from ui.child_process import python_command
from ui.models.devices import Output
from ui.talking_child import TalkingChild


class PlayerLine(msgspec.Struct, frozen=True):
    """One line of `simulator.participant.session_player`."""

    at_sample: int | None = None
    ended: bool = False
    silent: str | None = None
    error: str | None = None


class SessionSound(TalkingChild[PlayerLine]):
    """Plays one session at a time; another place or another session ends what played before."""

    moved = Signal(object)
    """The sample that is audible at present: an int, which Qt's own would cut to 32 bits."""
    playing_changed = Signal(bool)
    unheard = Signal(str)
    """The place moves, and nothing sounds: why, in sentences."""
    failed = Signal(str)

    def __init__(self, parent: QObject | None = None, command: Sequence[str] | None = None) -> None:
        """`command` replaces the player in tests."""
        super().__init__(command or python_command("simulator.participant.session_player"), PlayerLine, parent)

    @property
    def playing(self) -> bool:
        """Whether a session sounds, or is about to."""
        return self._process is not None

    def play(self, record: Path, first_sample: int, output: Output) -> None:
        """Play both voices from this sample of the session's clock on."""
        was_playing = self.playing
        self._end()
        question = {
            "record": str(record),
            "first_sample": first_sample,
            "output": [output.name, output.host_api, output.channel],
        }
        self._begin(question)
        if not was_playing:
            self.playing_changed.emit(True)

    def stop(self) -> None:
        """Fall silent."""
        if self._end():
            self.playing_changed.emit(False)

    def _heard(self, line: PlayerLine) -> None:
        if line.at_sample is not None:
            self.moved.emit(line.at_sample)
        if line.silent is not None:
            self.unheard.emit(line.silent)
        if line.error is not None:
            self.failed.emit(line.error)

    def _over(self) -> None:
        self.playing_changed.emit(False)
