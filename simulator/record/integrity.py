"""Whether a session's files are still what they were when it was finished, in a sentence for whoever uses them."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from simulator.errors import UnreadableFile
from simulator.record.folder import DERIVED, MANIFEST, SESSION, is_running, record_file
from simulator.record.manifest import CHANGED, changes
from simulator.record.reader import stream
from simulator.record.summary import Summary
from simulator.resources import exists

_MOST_NAMED: Final = 4
_LONGEST_NAME: Final = 60


def alteration(record: Path, wanted: Callable[[], bool] = lambda: True) -> str | None:
    """Return in a sentence which files of a session (its folder, or its .jsonl file) are not as its manifest says.

    None where all are, where no manifest tells (of a check, of a session that goes on or was never finished), and as
    soon as it is no longer `wanted`. What the program itself made again from the events is as good as it was. Looks at
    each byte of the session: some half a second an hour. Raises UnreadableFile where there is no record.
    """
    path = record_file(record)
    folder = path.parent
    if path.name != SESSION or not exists(folder / MANIFEST) or is_running(folder):
        return None
    try:
        found = [
            f"{_shown(name)} {what}" for name, what in changes(folder, wanted) if not _made_again(folder, name, what)
        ]
    except UnreadableFile as error:
        return str(error)
    if not found or not wanted():
        return None
    more = len(found) - _MOST_NAMED
    told = ", ".join(found[:_MOST_NAMED]) + (f", and so on: {more} more" if more > 0 else "")
    return f"This session is not as it was when it was finished: {told}."


def _made_again(folder: Path, name: str, what: str) -> bool:
    """Whether a file that differs is one that follows from the events, and holds just that."""
    if what != CHANGED or name not in DERIVED:
        return False
    summary = Summary()
    for entry in stream(folder / SESSION, []):
        summary.feed(entry)
    try:
        return (folder / name).read_bytes() == summary.files()[name]
    except OSError:
        return False


def _shown(name: str) -> str:
    line = "".join(letter if letter.isprintable() else " " for letter in name)
    return line if len(line) <= _LONGEST_NAME else f"{line[: _LONGEST_NAME - 1]}…"
