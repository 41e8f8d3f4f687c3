"""The folder of a session: which files it holds, how large it is, and how it is deleted.

    session.jsonl              every event, one entry a line (`entries`)
    session.participant.flac   what was sent to the engine; .wav until the session is finished
    session.agent.flac         what the engine sent
    session.heard.flac         stereo on the session's clock: participant left, agent as heard right
    study.yaml, study files/   the study that was played, and what it shows and says
    settings.json …            made from the events when the session is finished (`finishing`)
    manifest.json              the SHA-256 of each file, made last

A check's record has a name of its own instead of `session`, and shares its folder with others.
"""

import os
import re
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from simulator.errors import StorageFault, UnreadableFile, UsageError
from simulator.record import lock
from simulator.record.entries import Track
from simulator.record.session_cache import forget
from simulator.record.wav import flac_path, track_path
from simulator.resources import is_file

SESSION: Final = "session.jsonl"
MANIFEST: Final = "manifest.json"
SETTINGS: Final = "settings.json"
ANSWERS: Final = "answers.json"
CHECKS: Final = "checks.json"
STUDY: Final = "study.yaml"
"""That of a second study is `study-2.yaml`."""
DERIVED: Final = (SETTINGS, ANSWERS, CHECKS)
"""Made from the events: they may be made again at any time."""
_FIRST_ENTRY: Final = b'"record.started"'
_LONGEST_BEGINNING_BYTES: Final = 4_096
_STUDY_FILE: Final = re.compile(r"study(-\d+)?\.yaml")
_STUDY_FOLDER: Final = re.compile(r"study(-\d+)? files")
_LEFTOVER: Final = re.compile(r"\..*\.part|\.study(-\d+)?\.yaml\..*", re.DOTALL)
"""What a process that was killed left of a file that it made."""


def record_file(path: Path) -> Path:
    """Return the .jsonl file that a user means by it or by its folder. Raises UnreadableFile where there is none.

    In a folder that is no session's that is the only record there; other files of JSON lines are none of them.
    """
    try:
        if not path.is_dir():
            return path
        if is_file(path / SESSION):
            return path / SESSION
        others = sorted(each for each in path.glob("*.jsonl") if is_file(each) and _begins_a_record(each))
    except (OSError, ValueError) as error:  # ValueError: a path that no system has
        raise UnreadableFile(f"The record {path} cannot be read: {error}.") from error
    if len(others) == 1:
        return others[0]
    if others:
        raise UnreadableFile(f"The folder {path} holds {len(others)} records: choose one of its .jsonl files.")
    raise UnreadableFile(f"The folder {path} holds no session: there is no {SESSION} in it.")


def _begins_a_record(path: Path) -> bool:
    with path.open("rb") as file:
        return _FIRST_ENTRY in file.readline(_LONGEST_BEGINNING_BYTES)


def is_session(folder: Path) -> bool:
    """Whether a folder is one that a live session made."""
    return is_file(folder / SESSION)


def is_running(folder: Path) -> bool:
    """Whether a process writes into the session at present."""
    return lock.is_held(folder / SESSION)


def size_bytes(folder: Path) -> int:
    """Return how much of the disk a session takes. What disappears meanwhile counts nothing."""
    total = 0
    for path in _files_below(folder):
        try:
            total += path.lstat().st_size
        except OSError:
            continue
    return total


def files_of(folder: Path) -> list[Path]:
    """Return the session's own files, in order of their names: what its manifest lists and what deleting removes."""
    own = [path for path in _tracks(folder) if path.is_file()]
    own += [folder / name for name in (SESSION, *DERIVED) if (folder / name).is_file()]
    own += [path for path in folder.iterdir() if _STUDY_FILE.fullmatch(path.name)]
    own += [path for beside in _beside_studies(folder) for path in _files_below(beside)]
    return sorted(filter(is_file, own))  # a pipe would be waited for


def delete_session(folder: Path) -> list[Path]:
    """Delete a session for good, and return what is left in its folder because somebody else put it there.

    Raises UsageError where it is none, or one that still goes on; StorageFault where the system refuses. Broken off in
    the middle it can be deleted again: the events go last.
    """
    if not is_session(folder):
        raise UsageError(f"{folder} is no session's folder: nothing was deleted.")
    try:
        with lock.holding(folder / SESSION) as held:
            if not held:
                raise UsageError(
                    f"The session in {folder} still goes on, or is being finished: try again after its end."
                )
            _remove_all_but_events(folder)
            if sys.platform != "win32":  # where an open file is not deleted
                _remove(folder / SESSION)
        _remove(folder / SESSION)
        forget(folder, SESSION)
        left = sorted(folder.iterdir())
        if not left:
            folder.rmdir()
    except OSError as error:
        raise StorageFault(f"{folder} cannot be deleted: {error.strerror or error}.", str(error)) from error
    return left


def _remove_all_but_events(folder: Path) -> None:
    for path in [*files_of(folder), folder / MANIFEST]:
        if path.name != SESSION or path.parent != folder:
            _remove(path)
    for leftover in folder.iterdir():
        if _LEFTOVER.fullmatch(leftover.name):
            _remove(leftover)
    for beside in _beside_studies(folder):
        if not any(beside.iterdir()):
            beside.rmdir()
    forget(folder, SESSION)


def _tracks(folder: Path) -> Iterator[Path]:
    for track in Track:
        yield track_path(folder / SESSION, track)
        yield flac_path(folder / SESSION, track)


def _beside_studies(folder: Path) -> list[Path]:
    """Return the folders of what studies show and say. A link to one, which nobody here makes, is none of them."""
    found = (path for path in folder.iterdir() if _STUDY_FOLDER.fullmatch(path.name))
    return [path for path in found if path.is_dir() and not path.is_symlink()]


def _files_below(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder. Links are not followed."""
    for place, folders, names in os.walk(folder):
        folders.sort()
        yield from (Path(place) / name for name in sorted(names))


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except PermissionError:
        path.chmod(stat.S_IWRITE)  # Windows refuses to delete what may not be written
        path.unlink()
