"""The entry point: a command runs without loading Qt, no command opens the window."""

import os
import sys
from collections.abc import Sequence
from typing import Final

_WRONG_SETUP: Final = 3
_QT_NEEDS: Final = "libegl1 libgl1 libxkbcommon-x11-0 libdbus-1-3 libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command in `argv` (None: this process's arguments), or the window without one; returns the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments:
        from simulator.cli import main as run_command

        return run_command(arguments)
    return _open_window()


def _open_window() -> int:
    screens = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in screens):
        return _refuse("There is no screen for the window: set DISPLAY, or use a command (see --help).")
    try:
        from ui.application import run_window
    except ImportError as error:
        return _refuse(f"Qt cannot be loaded ({error}): on Debian and Ubuntu run “sudo apt install {_QT_NEEDS}”.")
    return run_window()


def _refuse(sentence: str) -> int:
    sys.stderr.write(sentence + "\n")
    return _WRONG_SETUP


if __name__ == "__main__":
    sys.exit(main())
