"""`spec`: what the platform's specification file has otherwise than the program."""

import argparse
import itertools
from typing import TYPE_CHECKING, Any

import msgspec

from simulator.cli.exits import Exit
from simulator.cli.output import result, result_json
from simulator.cli.parser import Commands

if TYPE_CHECKING:
    from simulator.profile.agent_spec import AgentSpec
    from simulator.profile.differences import Difference

_DESCRIPTION = """\
Reads the platform's agent-spec.json (0.2.x) and shows, field by field, where it differs from what the program knows:
other values, what only the file has, what only the program has, and other words. Ends with 0 also where there are
differences, and with 3 where the file cannot be read. `check` and `run` follow the file with --spec.
"""
_HEADINGS = {
    "fact": "Other values",
    "added": "Only in the file",
    "missing": "Not in the file",
    "wording": "Other words",
}


def add_command(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "spec", help="show where a specification file differs from the program", description=_DESCRIPTION
    )
    parser.add_argument("file", metavar="FILE", help="the platform's agent-spec.json")
    parser.add_argument("--json", action="store_true", help="print the differences as JSON")
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace) -> int:
    """Print the differences. Raises UnreadableFile."""
    from simulator.profile.agent_spec import differences, read_agent_spec

    spec = read_agent_spec(arguments.file)
    found = differences(spec)
    if arguments.json:
        result_json(
            {"specVersion": spec.version, "sha256": spec.sha256, "wordedQuestions": _worded(spec), "differences": found}
        )
    else:
        _print(spec, found)
    return Exit.DONE


def _worded(spec: "AgentSpec") -> list[str]:
    """Return the components whose questions the file words."""
    return sorted({component for component, _ in spec.wording.questions})


def _print(spec: "AgentSpec", found: "list[Difference]") -> None:
    result(f"Specification {spec.version}, sha256 {spec.sha256}.")
    worded = ", ".join(_worded(spec)) or "none"
    result(f"Questions in the file's words: {worded}. All others are in the program's words.")
    if not found:
        result("It says what the program knows.")
    for kind, each_kind in itertools.groupby(found, key=lambda each: each.kind):
        result(f"\n{_HEADINGS[kind]}:")
        for each in each_kind:
            result(f"  {each.path}")
            if kind != "added":
                result(f"    program: {_json(each.known)}")
            if kind != "missing":
                result(f"    file:    {_json(each.given)}")


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
