"""`participant`: the live process behind the window, which speaks JSON lines on its standard input and output."""

import argparse
import contextlib
import os
import sys

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
    from simulator.participant.stdio import serve

    async def serve_and_leave() -> None:
        code = await serve()
        # All of ours is closed. The end of Python would wait for whatever else hangs: a name that is looked up, a
        # device that is listed, the audio library itself.
        if sys.stderr is not None:
            sys.stderr.flush()
        os._exit(code)

    with contextlib.suppress(KeyboardInterrupt):  # the signal came before anything had begun
        run_stoppable(serve_and_leave())
    return Exit.DONE
