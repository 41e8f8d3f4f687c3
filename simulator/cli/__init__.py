"""The command line: one command a process.

Each command is a file here with `add_command`, which declares its options, and a function that runs it and returns
the exit code. What a command needs (audio, the engine, the suite) is imported when it runs, so that the others work
where those libraries are missing. Results go to standard output, progress and errors to standard error.
"""

import argparse
import sys
import traceback
from collections.abc import Sequence

from simulator import __version__
from simulator.cli import (
    check,
    compare,
    devices,
    engine,
    export,
    fixture,
    judge,
    measures,
    participant,
    replay,
    reports,
    run,
    schema,
    sessions,
    spec,
)
from simulator.cli.exits import Exit
from simulator.cli.output import say
from simulator.cli.parser import Execute, Parser
from simulator.errors import SimulatorError
from simulator.interrupts import end_in_order

__all__ = ["main"]

PROGRAM = "participant-simulator"
_COMMANDS = (
    run,
    replay,
    export,
    measures,
    sessions,
    check,
    judge,
    compare,
    reports,
    engine,
    devices,
    fixture,
    schema,
    spec,
    participant,
)

_DESCRIPTION = """\
Plays a study participant's voice against a realtime speech engine, and checks the engine.
Without a command, participant-simulator opens the window; python -m simulator shows this text.
"""


def main(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code."""
    try:
        end_in_order()
        parser = _parser()
        chosen = parser.parse_args(arguments)
        if chosen.command is None:
            parser.print_help()
            return Exit.DONE
        execute: Execute = chosen.execute
        return execute(chosen)
    except SystemExit as end:
        # argparse printed a help text or the version.
        return end.code if isinstance(end.code, int) else Exit.DONE
    except SimulatorError as error:
        say(str(error))
        return Exit.WRONG_USE
    except KeyboardInterrupt:
        return Exit.UNDECIDED
    except BrokenPipeError:
        # Whoever read the output has gone; nothing is left to say to them.
        sys.stdout = None
        return Exit.UNDECIDED
    except Exception as error:
        # A bug. Python's own exit code for it would say that a check failed.
        traceback.print_exc()
        say(f"The program itself failed ({type(error).__name__}): please report it with the lines above.")
        return Exit.UNDECIDED


def is_command(name: str) -> bool:
    """Whether a command is called so."""
    return name in {command.__name__.rpartition(".")[2] for command in _COMMANDS}


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog=PROGRAM, description=_DESCRIPTION)
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands", parser_class=Parser)
    for command in _COMMANDS:
        command.add_command(commands)
    return parser
