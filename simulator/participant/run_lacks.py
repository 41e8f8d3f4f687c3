"""What was lacking during a run without a window, told once each."""

from collections.abc import Callable
from typing import Protocol

from simulator.participant.messages import ConnectionState, Status


class RunOutcome(Protocol):
    """What came of a run."""

    problems: list[str]
    """What this computer lacked while the session went on, and whatever else went wrong."""
    recorded: bool
    """Whether all of it reached the disk."""


class RunLacks:
    """Follows the status of the participant. `progress` is told each lack in a sentence."""

    def __init__(self, progress: Callable[[str], None]) -> None:
        self._progress = progress
        self._recognition_lack: str | None = None
        self._lacks: list[str] = []

    def look(self, status: Status, outcome: RunOutcome) -> None:
        """The status may have changed."""
        connected = status.connection is ConnectionState.CONNECTED
        if status.recognition_lack not in {None, self._recognition_lack}:
            self._progress(str(status.recognition_lack))
        self._recognition_lack = status.recognition_lack
        for lack in status.lacks:
            if lack not in self._lacks:
                self._progress(lack)
                if connected:
                    outcome.problems.append(lack)
        self._lacks = status.lacks
        if connected and not status.recording:
            outcome.recorded = False
