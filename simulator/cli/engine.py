"""`engine`: the embedded engine by itself."""

import argparse

from simulator.cli.parser import Commands
from simulator.engine.process import DESCRIPTION, add_arguments


def add_command(commands: Commands) -> None:
    """Declare the command. Its options are the engine's own."""
    parser = commands.add_parser("engine", help="run the embedded engine", description=DESCRIPTION)
    add_arguments(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace) -> int:
    """Run the engine until a signal comes."""
    from simulator.engine.process import run

    return run(arguments)
