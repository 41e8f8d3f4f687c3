"""What was found out about the sessions of a folder, kept in a file beside them: they need not be read again.

An entry counts as long as the session's events have the size and the time of change that they had. The file holds
words of the sessions (instructions, answers, what was said): whoever deletes a session has it forgotten here, too.
"""

import contextlib
from pathlib import Path
from typing import Final

import msgspec

from simulator import __version__
from simulator.record.atomic import part_of, write_whole
from simulator.resources import is_file

CACHE: Final = ".sessions.json"
FORMAT: Final = "participant-simulator/sessions"
FORMAT_VERSION: Final = 7

_MOST_BYTES: Final = 256_000_000
_MOST_BYTES_A_SESSION: Final = 4_000_000
"""Hours of talk are a tenth of it: one session full of text must not make the cache slow for all."""


class Stamp(msgspec.Struct, frozen=True):
    """By which a file is known to be the same as before."""

    size_bytes: int
    mtime_ns: int


class _Kept(msgspec.Struct, frozen=True):
    stamp: Stamp
    facts: msgspec.Raw


class _File(msgspec.Struct):
    format: str
    format_version: int
    program: str
    sessions: dict[str, _Kept]


class SessionCache:
    """The cache of one folder of sessions. One that cannot be read counts as empty, and is made anew."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sessions = _read(folder) or {}
        self._changed = False

    def facts(self, name: str, stamp: Stamp) -> bytes | None:
        """Return what was kept about the session in the folder `name`, as JSON; None where it changed since."""
        kept = self._sessions.get(name)
        return bytes(kept.facts) if kept is not None and kept.stamp == stamp else None

    def keep(self, name: str, stamp: Stamp, facts: bytes) -> None:
        """Keep JSON about a session; not of a name that is no Unicode, nor very much."""
        if len(facts) <= _MOST_BYTES_A_SESSION and name.encode(errors="ignore").decode() == name:
            self._sessions[name] = _Kept(stamp, msgspec.Raw(facts))
            self._changed = True

    def save(self, events_name: str) -> None:
        """Write what changed. Sessions whose events, of that name, are gone are left out."""
        if self._changed or len(_still_there(self._folder, self._sessions, events_name)) < len(self._sessions):
            # Without the cache the next look at a folder that may not be written, or lies on a full disk, takes longer.
            with contextlib.suppress(OSError):
                _write(self._folder, self._sessions, events_name)
        self._changed = False


def forget(session: Path, events_name: str) -> None:
    """Take a session's words out of the cache of the folder that it lies in. Raises OSError where that fails.

    To be called before its events go, and again when they are gone: another process may be writing what it read before.
    """
    path = session.parent / CACHE
    part_of(path).unlink(missing_ok=True)
    if not is_file(path):
        return
    kept = _read(session.parent)
    others = {name: facts for name, facts in (kept or {}).items() if name != session.name}
    if kept is not None and len(kept) == len(_still_there(session.parent, others, events_name)):
        return
    try:
        if kept is None:  # of another version of the program: nobody knows whose words are in it
            path.unlink()
        else:
            _write(session.parent, others, events_name)
    except OSError:
        path.unlink(missing_ok=True)  # a full disk still lets go of a file


def _read(folder: Path) -> dict[str, _Kept] | None:
    """Return what the cache holds; None where there is none that can be read."""
    path = folder / CACHE
    try:
        if not is_file(path) or path.stat().st_size > _MOST_BYTES:
            return None
        file = msgspec.json.decode(path.read_bytes(), type=_File)
    except (OSError, msgspec.MsgspecError, RecursionError):
        return None
    known = (file.format, file.format_version, file.program) == (FORMAT, FORMAT_VERSION, __version__)
    return file.sessions if known else None


def _write(folder: Path, sessions: dict[str, _Kept], events_name: str) -> None:
    """Write those of the sessions that are there, also after the writing. Raises OSError."""
    there: dict[str, _Kept] | None = None
    while there != (there := _still_there(folder, sessions, events_name)):
        write_whole(folder / CACHE, _encoded(there))


def _still_there(folder: Path, sessions: dict[str, _Kept], events_name: str) -> dict[str, _Kept]:
    return {name: kept for name, kept in sessions.items() if is_file(folder / name / events_name)}


def _encoded(sessions: dict[str, _Kept]) -> bytes:
    return msgspec.json.encode(_File(FORMAT, FORMAT_VERSION, __version__, sessions))
