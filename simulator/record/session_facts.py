"""What tells one session from another, collected from its entries in one pass."""

import contextlib
import hashlib
import statistics
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, Final

import msgspec

from simulator.record.entries import Direction, Entry
from simulator.record.fields import text, value_at, whole_number
from simulator.record.floor import floor
from simulator.record.floor_sources import talk_by_events
from simulator.record.measures import Measures, Turn
from simulator.record.story import Story
from simulator.record.studies import replayed_studies, study_name
from simulator.units import NS_PER_S

_UPDATE: Final = "session.update"
_TAKEN: Final = "session.updated"
_WHOLE: Final = "finished"


class Answer(msgspec.Struct, frozen=True):
    """An answer of the agent that was accepted; `part` is that of the study in which it was given."""

    part: str | None
    component: str
    question: str
    value: Any
    attempts: int | None = None


class ReplayEnd(msgspec.Struct, frozen=True):
    """How a replay came to its end: `end` is ``finished`` where all of it was done."""

    end: str
    missed: int
    refused: int


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What a session was. Where a session does not say something, it is None or empty."""

    started_at: datetime | None = None
    duration_s: float = 0.0
    engine: str | None = None
    url: str | None = None
    model: str | None = None
    faults: list[str] = []
    """The rules that the embedded engine was told to break."""
    study: str | None = None
    """The names of the studies that were played, of a replay those of its record, separated by commas."""
    instructions: list[str] = []
    """Each text of instructions that the engine was given and did not refuse, in order."""
    answers: list[Answer] = []
    participant_turns: int = 0
    agent_turns: int = 0
    pushes: int = 0
    marks: int = 0
    violations: int = 0
    problems: int = 0
    barge_ins: int = 0
    latencies: dict[str, list[float]] = {}
    """Milliseconds, by the names of the measures."""
    transfers_ms: list[float] = []
    """The floor transfer offsets to the agent, by the events (docs/measures.md)."""
    replay_of: str | None = None
    """The record of which it is a replay."""
    replay_end: ReplayEnd | None = None
    """None: it is no replay, or one that has no end."""
    said: str = ""
    """What both said, typed and wrote, and the notes of marks: a line each."""
    ended: str | None = None
    """Why it ended; None: its record has no end."""
    notes: list[str] = []
    """What is wrong with its record, in sentences."""

    def median_ms(self, latency: str) -> float | None:
        """Return the median of a latency, None where it was never measured."""
        values = self.latencies.get(latency)
        return statistics.median(values) if values else None

    @property
    def engine_and_faults(self) -> str | None:
        """Which engine it was, and which rules it was told to break."""
        faults = f" with {', '.join(self.faults)}" if self.faults else ""
        return None if self.engine is None else f"{self.engine}{faults}"

    @property
    def replay(self) -> str | None:
        """Of what it is a replay, and what was lost of it, in words; None: it is none."""
        if self.replay_of is None:
            return None
        told, end = [f"replay of {self.replay_of}"], self.replay_end
        if end is None:
            told.append("without an end")
        else:
            told += [f"{end.missed} {'reply' if end.missed == 1 else 'replies'} missed"] if end.missed else []
            told += [f"{end.refused} refused"] if end.refused else []
            told += [end.end] if end.end != _WHOLE else []
        return " · ".join(told)

    @property
    def transfer_ms(self) -> float | None:
        """The median floor transfer offset to the agent; None where it never took the floor."""
        return statistics.median(self.transfers_ms) if self.transfers_ms else None


def sha256(instructions: str) -> str:
    """Return the SHA-256 of instructions in UTF-8, as the record's notes give it."""
    return hashlib.sha256(instructions.encode()).hexdigest()


class FactsCollector:
    """Fed one entry after the other."""

    def __init__(self) -> None:
        self._story = Story()
        self.requested: dict[str, Any] | None = None
        """The session object of the first session.update."""
        self.accepted: dict[str, Any] | None = None
        """The session object with which the engine answered it."""
        self.started: dict[str, Any] = {}
        """The fields of the first entry."""
        self._studies: dict[str, None] = {}
        self._instructions: list[str] = []
        self._answers: list[Answer] = []
        self._part: str | None = None
        self._noted = {"mark": 0, "violation": 0, "problem": 0}
        self._last_ns = 0
        self._replay_of: str | None = None
        self._replay_end: ReplayEnd | None = None
        self._ended: str | None = None

    @property
    def measures(self) -> Measures:
        """What the entries mean in time."""
        return self._story.measures

    def feed(self, entry: Entry) -> None:
        """Take the next entry."""
        self._story.feed(entry)
        self._last_ns = entry.t_ns
        if entry.direction is Direction.NOTED:
            self._take_note(entry)
        elif entry.direction is Direction.SENT and entry.type == _UPDATE:
            self._asked(entry)
        elif entry.type == _TAKEN and self.accepted is None and self.requested is not None:
            session = entry.event.get("session")
            self.accepted = session if isinstance(session, dict) else None

    def facts(self, notes: Iterable[str] = ()) -> Facts:
        """Return what was collected; `notes`: what is wrong with the record."""
        latencies: dict[str, list[float]] = {}
        for each in self.measures.latencies:
            latencies.setdefault(each.name, []).append(round(each.value_ms, 1))
        turns = [each.who for each in self.measures.turns]
        talk = talk_by_events(self._story)
        transfers = floor(talk.participant, talk.agent).transfers
        return Facts(
            started_at=_time(self.started.get("started_at")),
            duration_s=round(self._last_ns / NS_PER_S, 3),
            **{name: _words(self.started.get(name)) for name in ("engine", "url", "model")},
            faults=_texts(self.started.get("faults")),
            study=", ".join(self._studies) or None,
            instructions=self._instructions,
            answers=self._answers,
            participant_turns=turns.count("participant") + turns.count("typed"),
            agent_turns=turns.count("agent") + turns.count("agent typed"),
            pushes=len(self.measures.pushes),
            marks=self._noted["mark"],
            violations=self._noted["violation"],
            problems=self._noted["problem"],
            barge_ins=len(self.measures.barge_ins),
            latencies=latencies,
            transfers_ms=[round(each.offset_ms, 1) for each in transfers if each.to == "agent"],
            replay_of=self._replay_of,
            replay_end=self._replay_end,
            said="\n".join(_said(self.measures.turns)),
            ended=self._ended,
            notes=list(notes),
        )

    def _take_note(self, entry: Entry) -> None:
        if entry.type in self._noted:
            self._noted[entry.type] += 1
        match entry.type:
            case "record.started":
                self.started = entry.event
            case "record.ended":
                self._ended = text(entry, "reason") or ""
            case "replay.started":
                self._replay_of, self._replay_end = text(entry, "of"), None
                self._studies |= dict.fromkeys(replayed_studies(entry))
            case "replay.ended":
                missed, refused = whole_number(entry, "missed"), whole_number(entry, "refused")
                self._replay_end = ReplayEnd(text(entry, "end") or "", missed or 0, refused or 0)
            case "study.started":
                self._studies[study_name(entry)] = None
            case "part":
                self._part = text(entry, "name")
            case "answer" if value_at(entry, "accepted") is True:
                self._answers.append(
                    Answer(
                        self._part,
                        text(entry, "component") or "",
                        text(entry, "question") or "",
                        value_at(entry, "value"),
                        whole_number(entry, "attempts"),
                    )
                )
            case "instructions" if value_at(entry, "accepted") is False:
                self._refused(text(entry, "sha256"))

    def _asked(self, entry: Entry) -> None:
        session = entry.event.get("session")
        if self.requested is None and isinstance(session, dict):
            self.requested = session
        instructions = text(entry, "session", "instructions")
        if instructions and self._instructions[-1:] != [instructions]:
            self._instructions.append(instructions)

    def _refused(self, digest: str | None) -> None:
        for place in reversed(range(len(self._instructions))):
            if sha256(self._instructions[place]) == digest:
                del self._instructions[place]
                return


def _said(turns: Iterable[Turn]) -> Iterator[str]:
    """Yield the words of each turn; those recognised here, too, where they are others."""
    for turn in turns:
        if turn.who == "study":
            continue
        words = " ".join(turn.text.split())
        recognised = " ".join((turn.recognised or "").split())
        yield from filter(None, (words, recognised if recognised.casefold() != words.casefold() else ""))


def _texts(value: Any) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _words(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _time(value: Any) -> datetime | None:
    """Return a time that a record tells, in this computer's zone."""
    with contextlib.suppress(ValueError, OverflowError, OSError):  # a damaged record: no such time
        return datetime.fromisoformat(value).astimezone() if isinstance(value, str) else None
    return None
