"""Whose voice says what: recordings in turn, so that no engine can be tuned to one of them.

Each check and mode begins with another recording of the role that it needs, and goes on to the next one with every
repeat and attempt. The choice follows from these alone: the same run speaks with the same voice on every computer.
"""

from collections.abc import Sequence
from typing import Final

from simulator.audio.recordings import Role, SpeechRecording, project_recordings, recordings
from simulator.errors import UnknownName, UsageError
from simulator.profile.facts import CHECKS, TURN_DETECTIONS

_SUITE: Final = [
    (name, mode)
    for name, per_turn_detection in CHECKS.items()
    for mode in ([str(each["type"]) for each in TURN_DETECTIONS] if per_turn_detection else [None])
]
"""The runs of the whole suite; a run's place is where its turn begins."""


class Cast:
    """The recordings that a suite may speak with."""

    def __init__(self, voices: Sequence[str] = ()) -> None:
        """Take the recordings that come with the program, or the named ones where their roles are needed.

        `voices` are names of voices, of which all recordings are taken, or of single recordings; the user's own are
        only taken when they are named. A role that none of them has is spoken by the program's recordings. Raises
        UnknownName, UsageError for a recording without a role, UnreadableFile.
        """
        self._own = project_recordings()
        self._named = [each for name in voices for each in _called(name)]

    def recording(
        self, role: Role, check: str, mode: str | None, *, repeat: int = 1, attempt: int = 1
    ) -> SpeechRecording:
        """Return what a run speaks where it needs a role; repeats and attempts count from 1."""
        named = [each for each in self._named if each.role is role]
        among = _voices_in_turn(named or [each for each in self._own if each.role is role])
        place = _SUITE.index((check, mode)) if (check, mode) in _SUITE else 0
        return among[(place + repeat + attempt - 2) % len(among)]


def _voices_in_turn(among: Sequence[SpeechRecording]) -> list[SpeechRecording]:
    """Return one recording of each voice before the second of any."""
    first: dict[str, SpeechRecording] = {}
    for each in among:
        first.setdefault(each.voice, each)
    return [*first.values(), *(each for each in among if first[each.voice] is not each)]


def _called(name: str) -> list[SpeechRecording]:
    known = recordings()
    found = [each for each in known if each.name == name]
    if found and found[0].role is None:
        raise UsageError(
            f"The recording “{name}” has no role, so no check can speak it: add it again with "
            "`participant-simulator fixture add FILE --role ROLE`."
        )
    found = found or [each for each in known if each.voice == name and not each.added and each.role is not None]
    if not found:
        voices = ", ".join(dict.fromkeys(each.voice for each in known if not each.added))
        raise UnknownName(
            f"There is no voice or recording called “{name}”: use one of the voices {voices}, or a recording that "
            "`participant-simulator fixture list` prints."
        )
    return found
