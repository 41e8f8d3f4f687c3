"""The sessions of a folder in a list: what each was, what was asked and answered, how fast it went.

Reading a session takes about a second an hour that it lasted, once: what was found is kept in a cache beside the
sessions (`session_cache`). A damaged session is in the list, with what is wrong with it; nothing in it breaks the list.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Literal

import msgspec

from simulator.errors import UnreadableFile
from simulator.record.folder import SESSION, is_running, is_session, size_bytes
from simulator.record.reader import stream
from simulator.record.session_cache import SessionCache, Stamp
from simulator.record.session_facts import Answer, Facts, FactsCollector, sha256
from simulator.resources import data_folder

__all__ = [
    "Answer",
    "Facts",
    "Filter",
    "Session",
    "age",
    "falls_between",
    "read_sessions",
    "records_folder",
    "searched_texts",
    "sessions",
    "sha256",
]

State = Literal["running", "ended", "broken off"]


@dataclass(frozen=True, slots=True)
class Session:
    """A session that lies in a folder; `size_bytes` is what it takes of the disk."""

    folder: Path
    size_bytes: int
    running: bool
    """Whether a process writes into it at present."""
    facts: Facts

    @property
    def name(self) -> str:
        """The name of its folder."""
        return self.folder.name

    @property
    def state(self) -> State:
        """Whether it came to its end, still goes on, or was broken off."""
        if self.facts.ended is not None:
            return "ended"
        return "running" if self.running else "broken off"

    @property
    def instructions_sha256(self) -> str | None:
        """The SHA-256 of the instructions that it began with."""
        return sha256(self.facts.instructions[0]) if self.facts.instructions else None


@dataclass(frozen=True, slots=True)
class Filter:
    """Which sessions are wanted: those for which all that is given holds. Upper and lower case are the same."""

    engine: str = ""
    """Contained in the engine's name, its address or the model's name."""
    study: str = ""
    """Contained in the study's name."""
    instructions: str = ""
    """The beginning of the SHA-256 of any instructions of the session."""
    text: str = ""
    """Contained in the session's name, its engine, model or study, its instructions, questions, answers or marks, or in
    what was said, typed or written by either."""
    since: date | None = None
    until: date | None = None
    """The first and the last day, in this computer's zone. A session without a date is on no day."""

    def matches(self, session: Session) -> bool:
        """Whether a session is wanted."""
        facts = session.facts
        names = (facts.engine_and_faults, facts.model, facts.url)
        return (
            _contained(self.engine, names)
            and _contained(self.study, [facts.study])
            and self._has_instructions(facts)
            and (not self.text or _contained(self.text, searched_texts(session)))
            and falls_between(facts.started_at, self.since, self.until)
        )

    def _has_instructions(self, facts: Facts) -> bool:
        wanted = self.instructions.lower()
        return not wanted or any(sha256(each).startswith(wanted) for each in facts.instructions)


def falls_between(started_at: datetime | None, since: date | None, until: date | None) -> bool:
    """Whether a session began on one of these days, in this computer's zone; one without a date is on no day."""
    if since is None and until is None:
        return True
    if started_at is None:
        return False
    day = started_at.astimezone().date()
    return (since is None or since <= day) and (until is None or day <= until)


def records_folder() -> Path:
    """Return the user's folder of sessions; it is there once one was recorded."""
    return data_folder() / "records"


def sessions(folder: Path | None = None, told: Callable[[int, int], None] | None = None) -> list[Session]:
    """Return the sessions in a folder (None: the user's), the newest first.

    May take a while the first time: `told(done, of)` is called after each. Raises UnreadableFile where the folder
    cannot be read.
    """
    found = []
    for number, of, session in read_sessions(folder):
        found.append(session)
        if told is not None:
            told(number, of)
    return sorted(found, key=age, reverse=True)


def read_sessions(folder: Path | None = None) -> Generator[tuple[int, int, Session], None, None]:
    """Yield each session in a folder (None: the user's) as soon as it was read: its number from 1, of how many, itself.

    Those whose folders have the later names, as a rule the newer ones, come first. Whoever wants no more closes the
    iterator: what was read is kept. Raises UnreadableFile where the folder cannot be read.
    """
    given, folder = folder, folder or records_folder()
    try:
        if given is None and not folder.is_dir():
            return  # nothing was recorded yet
        folders = sorted((each for each in folder.iterdir() if is_session(each)), reverse=True)
    except (OSError, ValueError) as error:  # ValueError: a path that no system has
        raise UnreadableFile(
            f"The sessions in {folder} cannot be listed: {getattr(error, 'strerror', None) or error}."
        ) from error
    cache = SessionCache(folder)
    try:
        for number, each in enumerate(folders, start=1):
            yield number, len(folders), _session(each, cache)
    finally:
        cache.save(SESSION)  # also of a reading that was interrupted


def age(session: Session) -> tuple[datetime, str]:
    """Return by what sessions are put in order of time: those without a date are the oldest."""
    return session.facts.started_at or datetime.min.replace(tzinfo=UTC), session.name


def searched_texts(session: Session) -> list[str]:
    """Return all texts of a session in which a filter looks for words."""
    facts = session.facts
    answers = [msgspec.json.encode(each.value).decode() for each in facts.answers]
    texts = [session.name, facts.study, facts.engine_and_faults, facts.model, facts.url, *facts.instructions]
    return [text for text in [*texts, *(each.question for each in facts.answers), *answers, facts.said] if text]


def _session(folder: Path, cache: SessionCache) -> Session:
    running = is_running(folder)
    return Session(folder, size_bytes(folder), running, _facts(folder, cache, keep=not running))


def _facts(folder: Path, cache: SessionCache, *, keep: bool) -> Facts:
    """Return what a session was, from the cache where its events did not change; `keep`: put it there."""
    try:
        stat = (folder / SESSION).stat()
    except OSError as error:  # deleted meanwhile
        return Facts(notes=[f"The session {folder} cannot be read: {error.strerror}."])
    stamp = Stamp(stat.st_size, stat.st_mtime_ns)
    known = cache.facts(folder.name, stamp)
    if known is not None:
        try:
            return msgspec.json.decode(known, type=Facts)
        except msgspec.MsgspecError:
            pass  # somebody edited the cache: the events say it again
    notes: list[str] = []
    collector = FactsCollector()
    try:
        for entry in stream(folder / SESSION, notes):
            collector.feed(entry)
    except UnreadableFile as error:
        # Not kept: a newer program, or the same one once it may, reads it.
        return collector.facts([str(error)])
    facts = collector.facts(notes)
    if keep:
        cache.keep(folder.name, stamp, msgspec.json.encode(facts))
    return facts


def _contained(wanted: str, texts: Sequence[str | None]) -> bool:
    wanted = wanted.strip().casefold()
    return not wanted or any(wanted in each.casefold() for each in texts if each is not None)
