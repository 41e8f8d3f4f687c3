"""The sessions of a folder as rows of a table: texts of the cells, versions of the instructions, filter, order. No Qt.

A version is a text of instructions. Versions have letters in the order in which they were first used, so that the same
letter is the same text, whatever the table shows.
"""

import calendar
import enum
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from simulator.record.folder import MANIFEST
from simulator.record.measures.titles import TIPS, TRANSFER, TRANSFER_TIP, title
from simulator.record.session_facts import ReplayEnd
from simulator.record.sessions import Session, age, falls_between, searched_texts, sha256
from simulator.resources import is_file
from ui.models.plain import line

HASH_DIGITS: Final = 8
NOTHING: Final = "–"
REPLAY_SIGN: Final = "↻"
_MINUTE_S: Final = 60
_HOUR_S: Final = 3_600
_WORDS: Final = re.compile(r'"([^"]*)"?|(\S+)')


class Column(enum.IntEnum):
    """The columns, in order."""

    DATE = 0
    LENGTH = 1
    ENGINE = 2
    STUDY = 3
    INSTRUCTIONS = 4
    ANSWERS = 5
    RESPONSE = 6
    FIRST_AUDIO = 7
    TRANSFER = 8
    STOP = 9
    BARGE_INS = 10
    STATE = 11
    SIZE = 12
    NAME = 13


HEADERS: Final = {
    Column.DATE: "Date",
    Column.LENGTH: "Length",
    Column.ENGINE: "Engine",
    Column.STUDY: "Study",
    Column.INSTRUCTIONS: "Instructions",
    Column.ANSWERS: "Answers",
    Column.RESPONSE: "Created",
    Column.FIRST_AUDIO: "1st audio",
    Column.TRANSFER: "Transfer",
    Column.STOP: "Stop",
    Column.BARGE_INS: "Barge-ins",
    Column.STATE: "State",
    Column.SIZE: "MB",
    Column.NAME: "Folder",
}
HEADER_TIPS: Final = {
    Column.INSTRUCTIONS: "The same letter and colour: the same text of instructions. Then its SHA-256, shortened.",
    Column.ANSWERS: "Answers of the agent that were accepted",
    Column.RESPONSE: f"{title('response_start')}, median in ms. {TIPS['response_start']}",
    Column.FIRST_AUDIO: f"{title('first_audio')}, median in ms. {TIPS['first_audio']}",
    Column.TRANSFER: f"{TRANSFER}, median in ms. {TRANSFER_TIP}",
    Column.STOP: f"{title('barge_in_stop')}, median in ms. {TIPS['barge_in_stop']}",
    Column.BARGE_INS: "Interruptions by the participant",
    Column.STATE: "Nothing where it ended as it should; ↻ a replay of another session, and what was lost of it; "
    "⚠ rules that the engine broke on purpose",
}
RIGHT: Final = frozenset(Column) - {
    *(Column.DATE, Column.ENGINE, Column.STUDY, Column.INSTRUCTIONS, Column.STATE, Column.NAME)
}
"""Columns of figures."""


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One session, with what the table needs of it again and again."""

    session: Session
    hashes: tuple[str, ...]
    """The SHA-256 of each of its instructions, in order."""
    texts: tuple[str, ...]
    """What the filter looks in, case folded; equal texts of several sessions are one object."""
    finished: bool
    """Whether its audio was compressed and its manifest written."""

    @property
    def state(self) -> str:
        """What is to be said of it: nothing where it ended as it should and is finished."""
        words: str = "" if self.session.state == "ended" else self.session.state
        if not words and not self.finished:
            words = "not finished"
        if self.session.facts.notes:
            words = f"{words}, damaged" if words else "damaged"
        return words

    @property
    def remarks(self) -> str:
        """What sets it apart from others, in a few words: its state, of a replay what was lost of it, and faults."""
        facts = self.session.facts
        parts = [self.state] if self.state else []
        if facts.replay_of is not None:
            lost = "" if self.session.running else _lost(facts.replay_end)
            parts.append(f"{REPLAY_SIGN} {lost or 'replay'}")
        if facts.faults:
            parts.append(f"⚠ {len(facts.faults)} {'fault' if len(facts.faults) == 1 else 'faults'}")
        return " · ".join(parts)

    @property
    def engine(self) -> str:
        """The engine, with its model where that has another name."""
        facts = self.session.facts
        names = [line(name, 60) for name in (facts.engine_and_faults, facts.model) if name]
        return " · ".join(dict.fromkeys(names)) or NOTHING


def _lost(end: ReplayEnd | None) -> str:
    """Return in a few words what was lost in a replay; nothing where it was done whole."""
    if end is None:
        return "no end"
    counts = ((end.missed, "missed"), (end.refused, "refused"))
    told = [f"{count} {what}" for count, what in counts if count]
    told += [] if end.end == "finished" else [end.end]
    return ", ".join(told)


def row_of(session: Session) -> SessionRow:
    """Return a session as a row. Looks whether it is finished, and takes a while where instructions are long."""
    texts = [day_and_time(session), *searched_texts(session)]
    return SessionRow(
        session,
        tuple(sha256(each) for each in session.facts.instructions),
        tuple(sys.intern(each.casefold()) for each in texts),
        is_file(session.folder / MANIFEST),
    )


def day_and_time(session: Session) -> str:
    """Return when a session began, in this computer's zone."""
    started_at = session.facts.started_at
    return started_at.astimezone().strftime("%Y-%m-%d %H:%M") if started_at else NOTHING


def versions(rows: Iterable[SessionRow]) -> dict[str, int]:
    """Return the number of each version of instructions by its SHA-256, from 0 in the order of first use."""
    found: dict[str, int] = {}
    for row in sorted(rows, key=lambda row: age(row.session)):
        for digest in row.hashes:
            found.setdefault(digest, len(found))
    return found


def letter(version: int) -> str:
    """Return the letters of a version: A to Z, then AA, AB …"""
    letters = ""
    while version >= 0:
        version, last = divmod(version, 26)
        letters = chr(ord("A") + last) + letters
        version -= 1
    return letters


def cell(row: SessionRow, column: Column) -> str:
    """Return what a cell says. That of the instructions has no letter: it is drawn before."""
    session, facts = row.session, row.session.facts
    match column:
        case Column.DATE:
            return day_and_time(session)
        case Column.LENGTH:
            return length(facts.duration_s)
        case Column.ENGINE:
            return row.engine
        case Column.STUDY:
            return line(facts.study, 60) if facts.study else NOTHING
        case Column.INSTRUCTIONS:
            return row.hashes[0][:HASH_DIGITS] if row.hashes else NOTHING
        case Column.STATE:
            return row.remarks
        case Column.SIZE:
            return f"{session.size_bytes / 1_000_000:,.1f}"
        case Column.NAME:
            return f"{REPLAY_SIGN} {line(session.name)}" if facts.replay_of else line(session.name)
    value = _value(row, column)
    return NOTHING if value is None else f"{value:,.0f}"


def length(seconds: float) -> str:
    """Return a length as minutes and seconds, or with hours before them."""
    whole = int(seconds)
    if whole >= _HOUR_S:
        return f"{whole // _HOUR_S}:{whole % _HOUR_S // _MINUTE_S:02}:{whole % _MINUTE_S:02}"
    return f"{whole // _MINUTE_S}:{whole % _MINUTE_S:02}"


def _value(row: SessionRow, column: Column, numbers: Mapping[str, int] | None = None) -> Any:
    """Return by what a column is ordered; None: nothing is known, and the row comes last in either order."""
    session, facts = row.session, row.session.facts
    match column:
        case Column.DATE:
            return age(session) if facts.started_at else None
        case Column.LENGTH:
            return facts.duration_s
        case Column.ENGINE:
            return None if row.engine == NOTHING else row.engine.casefold()
        case Column.STUDY:
            return facts.study.casefold() if facts.study else None
        case Column.INSTRUCTIONS:
            return [(numbers or {}).get(each, -1) for each in row.hashes] or None
        case Column.ANSWERS:
            return len(facts.answers)
        case Column.RESPONSE:
            return facts.median_ms("response_start")
        case Column.FIRST_AUDIO:
            return facts.median_ms("first_audio")
        case Column.TRANSFER:
            return facts.transfer_ms
        case Column.STOP:
            return facts.median_ms("barge_in_stop")
        case Column.BARGE_INS:
            return facts.barge_ins
        case Column.STATE:
            return row.remarks or None
        case Column.SIZE:
            return session.size_bytes
    return session.name.casefold()


def in_order(
    rows: Iterable[SessionRow], column: Column, *, descending: bool, numbers: Mapping[str, int]
) -> list[SessionRow]:
    """Return rows in the order of a column; what is the same in it comes the newest first.

    `numbers` are the versions: instructions are ordered by them.
    """
    newest_first = sorted(rows, key=lambda row: age(row.session), reverse=True)
    known = [(_value(row, column, numbers), row) for row in newest_first]
    there = [pair for pair in known if pair[0] is not None]
    there.sort(key=lambda pair: pair[0], reverse=descending)
    return [row for _, row in there] + [row for found, row in known if found is None]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which rows are shown: those for which all that is given holds."""

    words: str = ""
    """Each word, or phrase in quotation marks, must be in one of the session's texts; upper and lower case are one."""
    engine: str = ""
    """The whole name of an engine, as the table shows it."""
    study: str = ""
    """The whole name of the study that was played."""
    instructions: str = ""
    """The whole SHA-256 of any of its instructions."""
    since: date | None = None
    until: date | None = None
    """The first and the last day."""

    def choose(self, rows: Sequence[SessionRow]) -> list[SessionRow]:
        """Return those that are wanted, in their order."""
        chosen = [
            row
            for row in rows
            if self._is_named(row) and falls_between(row.session.facts.started_at, self.since, self.until)
        ]
        for word in words_of(self.words):
            # The same instructions occur in many sessions: each text is looked through once.
            holds: dict[str, bool] = {}
            chosen = [row for row in chosen if any(_holds(text, word, holds) for text in row.texts)]
        return chosen

    def _is_named(self, row: SessionRow) -> bool:
        return (
            (not self.engine or row.engine == self.engine)
            and (not self.study or self.study == row.session.facts.study)
            and (not self.instructions or self.instructions in row.hashes)
        )


def words_of(text: str) -> list[str]:
    """Return the words and quoted phrases of a filter, case folded."""
    found = (phrase or word for phrase, word in _WORDS.findall(text))
    return [each.casefold() for each in found if each.strip()]


def days(text: str) -> tuple[date, date]:
    """Return the first and the last day of ``2026``, ``2026-11`` or ``2026-11-30``. Raises ValueError."""
    parts = [int(part) for part in text.strip().split("-")]
    if not 1 <= len(parts) <= 3:
        raise ValueError(text)
    first = date(parts[0], *[*parts[1:], 1, 1][:2])
    year, month = parts[0], parts[1] if len(parts) > 1 else 12
    return first, date(year, month, parts[2] if len(parts) > 2 else calendar.monthrange(year, month)[1])


def _holds(text: str, word: str, known: dict[str, bool]) -> bool:
    found = known.get(text)
    if found is None:
        found = known[text] = word in text
    return found
