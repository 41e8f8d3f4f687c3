"""The entry point: a command runs without loading Qt, no command opens the window."""

import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command in `argv` (None: this process's arguments), or the window without one; returns the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments:
        from simulator.cli import main as run_command

        return run_command(arguments)
    from ui.application import run_window

    return run_window()


if __name__ == "__main__":
    sys.exit(main())
