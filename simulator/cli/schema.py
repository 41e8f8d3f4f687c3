"""`schema`: the JSON schema of a file format."""

import argparse

from simulator.cli.exits import Exit
from simulator.cli.output import result_json
from simulator.cli.parser import Commands


def add_command(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "schema", help="print the JSON schema of a file format", description="Prints the JSON schema of a file format."
    )
    parser.add_argument(
        "format", choices=["study", "report", "record"], help="study, report, or record: one line of its .jsonl file"
    )
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace) -> int:
    """Print the schema."""
    from simulator.conformance.report_schema import record_schema, report_schema
    from simulator.study.study_schema import study_schema

    schemas = {"study": study_schema, "report": report_schema, "record": record_schema}
    result_json(schemas[arguments.format]())
    return Exit.DONE
