"""The program's first step, of the command `participant-simulator` and of `python -m ui`."""

from simulator.interrupts import end_at_once


def main() -> int:
    """Run the program; returns the exit code."""
    end_at_once()
    from ui.main import main as run

    return run()
