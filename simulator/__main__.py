"""`python -m simulator COMMAND`: the commands, without the window."""

import sys

from simulator.interrupts import end_at_once


def main() -> int:
    """Run the command that this process was given; returns the exit code."""
    end_at_once()
    from simulator.cli import main as run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
