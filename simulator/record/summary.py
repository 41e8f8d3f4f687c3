"""What a session was, in files that a person or a program reads without going through its events.

Made from the events alone, so they can be made again at any time and say nothing that the events do not.
"""

from typing import Any, Final

import msgspec

from simulator.record.entries import Direction, Entry
from simulator.record.folder import ANSWERS, CHECKS, SETTINGS

FORMAT_VERSION: Final = 1
SETTINGS_FORMAT: Final = "participant-simulator/settings"
ANSWERS_FORMAT: Final = "participant-simulator/answers"
CHECKS_FORMAT: Final = "participant-simulator/checks"

_REQUESTED: Final = "session.update"
_ACCEPTED: Final = frozenset({"session.created", "session.updated"})
_DEVICES: Final = frozenset({"voice.chosen", "output.chosen"})
_TOLD: Final = frozenset({"violation", "problem", "sound.warning", "record.lost"})


class Summary:
    """Fed one entry after the other; holds only what it gives back."""

    def __init__(self) -> None:
        self.started: dict[str, Any] = {}
        """The first entry's fields."""
        self.entries = 0
        self.lost_entries = 0
        self.last_ns = 0
        self.ended: str | None = None
        """Why it ended; None: it never came to its end."""
        self._requested: list[dict[str, Any]] = []
        self._accepted: list[dict[str, Any]] = []
        self._devices: list[dict[str, Any]] = []
        self._answers: dict[str, list[dict[str, Any]]] = {"answers": [], "own_answers": [], "chat": []}
        self._told: list[dict[str, Any]] = []

    def feed(self, entry: Entry) -> None:
        """Take the next entry."""
        self.entries += 1
        self.last_ns = entry.t_ns
        place = {"seq": entry.seq, "t_ns": entry.t_ns}
        if entry.direction is Direction.NOTED:
            self._noted(entry, place)
        elif entry.direction is Direction.SENT and entry.type == _REQUESTED:
            self._requested.append({**place, "session": entry.event.get("session")})
        elif entry.direction is Direction.RECEIVED and entry.type in _ACCEPTED:
            self._accepted.append({**place, "session": entry.event.get("session")})
        if entry.problem is not None:
            self._told.append({**place, "kind": "frame", "type": entry.type, "sentence": entry.problem})

    def files(self) -> dict[str, bytes]:
        """Return the content of each file by its name."""
        told = {SETTINGS: self.settings(), ANSWERS: self.answers(), CHECKS: self.checks()}
        return {
            name: msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n" for name, content in told.items()
        }

    def settings(self) -> dict[str, Any]:
        """Return what was asked for and what the engine took, in order, with which program, on which devices."""
        told = {name: value for name, value in self.started.items() if name not in {"format", "format_version"}}
        return {
            "format": SETTINGS_FORMAT,
            "format_version": FORMAT_VERSION,
            **told,
            "devices": self._devices,
            "requested": self._requested,
            "accepted": self._accepted,
        }

    def answers(self) -> dict[str, Any]:
        """Return what the agent answered and wrote, and what the participant answered himself."""
        return {"format": ANSWERS_FORMAT, "format_version": FORMAT_VERSION, **self._answers}

    def checks(self) -> dict[str, Any]:
        """Return each rule that was broken and each problem that was told."""
        return {"format": CHECKS_FORMAT, "format_version": FORMAT_VERSION, "told": self._told}

    def _noted(self, entry: Entry, place: dict[str, Any]) -> None:
        match entry.type:
            case "record.started":
                self.started = entry.event
            case "record.ended":
                self.ended = str(entry.event.get("reason", ""))
            case "entry.lost":
                self.lost_entries += 1
            case "answer":
                self._answers["answers"].append({**place, **entry.event})
            case "own_answer":
                self._answers["own_answers"].append({**place, **entry.event})
            case "chat.sent":
                self._answers["chat"].append({**place, **entry.event})
            case kind if kind in _DEVICES:
                self._devices.append({**place, "kind": kind, **entry.event})
            case kind if kind in _TOLD:
                self._told.append({**place, "kind": kind, **entry.event})
