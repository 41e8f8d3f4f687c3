"""What a session of a record was asked to be, and what the engine took. No Qt here."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from simulator.record.entries import Direction, Entry
from simulator.record.fields import value_at
from simulator.record.studies import replayed_studies, study_name

_REPLACED: Final = "turn_detection"
"""A kind of turn detection has fields of its own: it is never mixed with the one before."""


@dataclass(frozen=True, slots=True)
class SavedSettings:
    """The settings at the end of a record, and the last answer in it."""

    requested: dict[str, Any] | None
    accepted: dict[str, Any] | None
    wording: str
    """The specification that was followed, in a line; empty where the record does not say."""
    studies: tuple[str, ...]
    """Names of those that were played, in order; of a replay those of its record."""
    answer: Entry | None

    @property
    def instructions(self) -> str:
        """Those in force: the engine's word, else what it was asked for."""
        return self._last("instructions")

    @property
    def voice(self) -> str:
        """The agent's voice."""
        return self._last("audio", "output", "voice")

    def _last(self, *path: str) -> str:
        for session in (self.accepted, self.requested):
            value: Any = session
            for name in path:
                value = value.get(name) if isinstance(value, dict) else None
            if isinstance(value, str):
                return value
        return ""


def saved_settings(entries: Iterable[Entry]) -> SavedSettings:
    """Return the settings of a record; entries of audio may be left out."""
    requested: dict[str, Any] | None = None
    accepted: dict[str, Any] | None = None
    wording, answer = "", None
    studies: list[str] = []
    for entry in entries:
        session = entry.event.get("session")
        match entry.direction, entry.type:
            case Direction.SENT, "session.update" if isinstance(session, dict):
                requested = _updated(requested or {}, session)
            case Direction.RECEIVED, "session.created" | "session.updated" if isinstance(session, dict):
                accepted = session
            case Direction.NOTED, "answer":
                answer = entry
            case Direction.NOTED, "study.started":
                studies.append(study_name(entry))
            case Direction.NOTED, "replay.started":
                studies += [f"{name}, replayed" for name in replayed_studies(entry)]
            case Direction.NOTED, "record.started":
                version, source = (value_at(entry, "specification", name) for name in ("version", "source"))
                wording = f"{version}, from a file" if version and source == "file" else str(version or "")
    return SavedSettings(requested, accepted, wording, tuple(studies), answer)


def _updated(session: dict[str, Any], update: dict[str, Any]) -> dict[str, Any]:
    """Return a session after an update: what it does not name stays."""
    result = dict(session)
    for name, value in update.items():
        before = result.get(name)
        if isinstance(before, dict) and isinstance(value, dict) and name != _REPLACED:
            value = _updated(before, value)
        result[name] = value
    return result
