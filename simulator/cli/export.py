"""`export`: a record for other programs."""

import argparse
from pathlib import Path

from simulator.cli.exits import Exit
from simulator.cli.output import result, result_json, say
from simulator.cli.parser import Commands

_DESCRIPTION = """\
Writes a record as sound (wav, flac), tables (csv: events, turns, answers, latencies, measures), labels for Audacity,
a TextGrid for Praat, annotations for ELAN, and a page to read and listen to (html). Files that are there already
are kept: the new ones get a number. A damaged record is exported up to the damage, and it is said where that is.
With --redacted all is made from a copy without voices, words and names, which is written too (redacted-….jsonl): what
happened when stays, to go with a report of a bug.
"""


def add_command(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser("export", help="write a record for other programs", description=_DESCRIPTION)
    parser.add_argument("record", type=Path, metavar="RECORD", help="a session's folder, or a record's .jsonl file")
    parser.add_argument(
        "--to",
        metavar="FORMS",
        default="",
        help="what to write, separated by commas: wav,flac,csv,audacity,textgrid,elan,html",
    )
    parser.add_argument("--out", type=Path, metavar="DIR", required=True, help="the folder to write to")
    parser.add_argument("--redacted", action="store_true", help="without voices, words and names")
    parser.add_argument("--json", action="store_true", help="print the files and what the record lacks as JSON")
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace) -> int:
    """Print the files that were written. Raises UnreadableFile, UsageError, StorageFault."""
    from simulator.record.export import export

    forms = list(dict.fromkeys(name for each in arguments.to.split(",") if (name := each.strip().lower())))
    exported = export(arguments.record, forms, arguments.out, redacted=arguments.redacted)
    if arguments.json:
        result_json({"files": [str(path) for path in exported.files], "notes": exported.notes})
        return Exit.DONE
    for note in exported.notes:
        say(note)
    for path in exported.files:
        result(str(path))
    return Exit.DONE
