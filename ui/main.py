"""The entry point: a command runs without loading Qt; no command, or a record, opens the window."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

_WRONG_SETUP: Final = 3
_QT_NEEDS: Final = "libegl1 libgl1 libxkbcommon-x11-0 libdbus-1-3 libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command in `argv` (None: this process's arguments), or the window without one; returns the exit code.

    One argument that is a session's folder or a record's .jsonl file opens the window with that record.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments:
        return _open_window(None)
    record = _record(arguments)
    if record is not None:
        return _open_record(record)
    from simulator.cli import main as run_command

    return run_command(arguments)


def _record(arguments: Sequence[str]) -> Path | None:
    """Return the record that the arguments are, or None where they are a command."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        return None
    path = Path(arguments[0])
    is_named_so = path.suffix == ".jsonl" or os.sep in arguments[0] or "/" in arguments[0]
    if is_named_so or (path / "session.jsonl").is_file():
        return path
    from simulator.cli import is_command

    return path if path.is_dir() and not is_command(arguments[0]) else None


def _open_record(record: Path) -> int:
    from simulator.errors import UnreadableFile
    from simulator.record.folder import record_file

    try:
        found = record_file(record)
    except UnreadableFile as error:
        return _refuse(str(error))
    if not found.is_file():
        return _refuse(f"There is no record {record}: give a session's folder, or a .jsonl file.")
    return _open_window(found)


def _open_window(record: Path | None) -> int:
    screens = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in screens):
        return _refuse("There is no screen for the window: set DISPLAY, or use a command (see --help).")
    try:
        from ui.application import run_window
    except ImportError as error:
        return _refuse(f"Qt cannot be loaded ({error}): on Debian and Ubuntu run “sudo apt install {_QT_NEEDS}”.")
    return run_window(record)


def _refuse(sentence: str) -> int:
    sys.stderr.write(sentence + "\n")
    return _WRONG_SETUP


if __name__ == "__main__":
    sys.exit(main())
