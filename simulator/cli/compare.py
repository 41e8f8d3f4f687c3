"""`compare`: what changed between two reports."""

import argparse
from pathlib import Path

from simulator.cli.exits import Exit
from simulator.cli.output import result, result_json
from simulator.cli.parser import Commands

_DESCRIPTION = """\
Shows which verdicts changed from one report to another, and how far measurements moved.
Ends with 1 where something that passed now fails, with 2 where something that passed cannot be judged
any more or was not run, and with 0 otherwise.
"""


def add_command(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser("compare", help="compare two reports", description=_DESCRIPTION)
    parser.add_argument("before", type=Path, metavar="A.json", help="the earlier report")
    parser.add_argument("after", type=Path, metavar="B.json", help="the later report")
    parser.add_argument("--json", action="store_true", help="print the comparison as JSON")
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace) -> int:
    """Print the comparison. Raises UnreadableFile."""
    from simulator.conformance.compare import compare, to_text
    from simulator.conformance.report import read_json

    comparison = compare(read_json(arguments.before), read_json(arguments.after))
    if arguments.json:
        result_json(comparison)
    else:
        result(to_text(comparison))
    return Exit(comparison.exit_code)
