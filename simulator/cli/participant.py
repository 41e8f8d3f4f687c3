"""`participant`: the live process behind the window, which speaks JSON lines on its standard input and output."""

import argparse

from simulator.cli.exits import Exit
from simulator.cli.parser import Commands
from simulator.cli.stopping import run_stoppable


def add_command(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "participant",
        help="the process behind the window; for programs, not for people",
        description="Holds a live session for a window: commands as JSON lines on standard input, the feed as JSON "
        "lines on standard output. Ends when standard input ends.",
    )
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace) -> int:
    """Run until standard input ends, a Quit comes, or a signal."""
    from simulator.audio.opening import leave
    from simulator.participant.stdio import serve

    try:
        return leave(run_stoppable(serve()))
    except KeyboardInterrupt:
        # The signal came before anything had begun.
        return Exit.DONE
