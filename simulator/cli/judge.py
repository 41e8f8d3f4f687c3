"""`judge`: the verdicts of a report again, from its records, offline."""

import argparse
from pathlib import Path

from simulator.cli.exits import Exit
from simulator.cli.output import result
from simulator.cli.parser import Commands
from simulator.errors import UnreadableFile
from simulator.resources import is_file


def add_command(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "judge",
        help="judge the recorded checks of a report again",
        description="Judges the recorded checks of a report again, without the engine, and compares the verdicts.",
    )
    parser.add_argument("report", type=Path, metavar="F.json", help="a report that `check --report` wrote")
    parser.add_argument(
        "--records", type=Path, metavar="DIR", help="where the records lie; without it, as the report says"
    )
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace) -> int:
    """Print the comparison. Raises UnreadableFile."""
    from simulator.conformance.report import judge_report

    if not is_file(arguments.report):
        raise UnreadableFile(f"There is no report {arguments.report}: check the path.")
    code, text = judge_report(arguments.report, arguments.records)
    result(text.rstrip())
    return Exit(code)
