"""`sessions`: the recorded sessions in a table, and two of them beside each other."""

import argparse
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from simulator.cli.exits import Exit
from simulator.cli.output import result, result_json, say
from simulator.cli.parser import Commands
from simulator.cli.session_table import comparison_text, one_line, table
from simulator.errors import UsageError
from simulator.resources import exists

if TYPE_CHECKING:
    from simulator.record.measures import Turn
    from simulator.record.session_comparison import Comparison, Side
    from simulator.record.sessions import Facts, Session

_DESCRIPTION = """\
Lists the sessions in a folder, the newest first: engine, study, the beginning of the SHA-256 of their instructions,
answers and measures. What was found, with what was said, is kept in a file beside the sessions (.sessions.json), so
only new ones are read; deleting a session takes it out there. Columns: “instructions” +1: changed once on the way;
“turns”: the participant's + the agent's, spoken and typed; medians of “created”: speech_stopped to response.created,
“first audio”: committed to the first audio, “transfer”: the participant's last sound to the agent's first, by the
events (docs/measures.md); “broken rules” of the profile; “replay of”: whose participant it did again.
With --compare two sessions are put beside each other, with the difference of their instructions.
"""


def add_command(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser("sessions", help="list and compare recorded sessions", description=_DESCRIPTION)
    parser.add_argument(
        "folder", type=Path, nargs="?", metavar="DIR", help="the folder of the sessions; without it, your records"
    )
    group = parser.add_argument_group("which", "all that is given must hold")
    group.add_argument("--engine", default="", metavar="E", help="part of the engine's name, address or model")
    group.add_argument("--study", default="", metavar="S", help="part of the study's name")
    group.add_argument(
        "--instructions", default="", metavar="HASH", type=_hash, help="the beginning of their instructions' SHA-256"
    )
    group.add_argument(
        "--text",
        default="",
        metavar="T",
        help="part of a name, the instructions, a question, an answer, of what was said or typed",
    )
    group.add_argument("--since", type=_day, metavar="DATE", help="the first day, such as 2026-12-01")
    group.add_argument("--until", type=_day, metavar="DATE", help="the last day")
    parser.add_argument(
        "--compare", nargs=2, metavar=("A", "B"), help="compare two sessions: their folders, or their names in DIR"
    )
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace) -> int:
    """Print the table or the comparison. Raises UnreadableFile, UsageError."""
    from simulator.record.folder import is_session
    from simulator.record.integrity import alteration
    from simulator.record.session_comparison import compare
    from simulator.record.sessions import Filter, records_folder, sessions

    names = ("engine", "study", "instructions", "text", "since", "until")
    wanted = Filter(**{name: getattr(arguments, name) for name in names})
    if arguments.compare:
        if wanted != Filter():
            raise UsageError("--compare takes two sessions: leave out what says which are listed.")
        first, second = (_place(name, arguments.folder or records_folder()) for name in arguments.compare)
        compared = compare(first, second)
        for path, side in ((first, compared.first), (second, compared.second)):
            altered = alteration(path)
            if altered is not None:
                say(one_line(f"{side.name}: {altered}"))
        _tell_comparison(compared, as_json=arguments.json)
        return Exit.DONE
    if arguments.folder is not None and is_session(arguments.folder):
        raise UsageError(f"{arguments.folder} is a session itself: give the folder that it lies in.")
    read = sessions(arguments.folder)
    found = [each for each in read if wanted.matches(each)]
    if arguments.json:
        result_json([_session(each) for each in found])
        return Exit.DONE
    for each in found:
        for note in each.facts.notes:
            say(one_line(f"{each.name}: {note}"))
    if found:
        result("\n".join(table(found)))
    else:
        place = arguments.folder or records_folder()
        say(f"No session in {place} matches." if read else f"There is no session in {place}.")
    return Exit.DONE


def _place(name: str, folder: Path) -> Path:
    path = Path(name)
    return path if exists(path) else folder / name


def _tell_comparison(compared: "Comparison", *, as_json: bool) -> None:
    if as_json:
        result_json(comparison_json(compared))
        return
    for each in (compared.first, compared.second):
        for note in each.facts.notes:
            say(one_line(f"{each.name}: {note}"))
    result("\n".join(comparison_text(compared)))


def _session(session: "Session") -> dict[str, Any]:
    return {
        "name": session.name,
        "folder": str(session.folder),
        "state": session.state,
        "sizeBytes": session.size_bytes,
        **_facts(session.facts),
    }


def _facts(facts: "Facts") -> dict[str, Any]:
    from simulator.record.sessions import sha256

    told: dict[str, Any] = {}
    for name, value in msgspec.to_builtins(facts).items():
        told["".join(word if at == 0 else word.title() for at, word in enumerate(name.split("_")))] = value
    del told["said"]  # the events have it, turn by turn
    told["instructions"] = [{"sha256": sha256(each), "text": each} for each in facts.instructions]
    told["mediansMs"] = {name: facts.median_ms(name) for name in facts.latencies}
    return told


def comparison_json(compared: "Comparison") -> dict[str, Any]:
    """Return the comparison of two sessions as it is printed with --json."""
    return {
        "first": _side(compared.first),
        "second": _side(compared.second),
        "instructions": compared.instructions,
        "settings": [{"path": each.path, "first": each.first, "second": each.second} for each in compared.settings],
        "answers": [
            {
                "part": each.part,
                "component": each.component,
                "question": each.question,
                "number": each.number,
                "first": None if each.first is None else each.first.value,
                "second": None if each.second is None else each.second.value,
            }
            for each in compared.answers
        ],
        "latencies": [
            {"name": each.name, "firstMs": each.first_ms, "secondMs": each.second_ms, "mediansMs": each.medians_ms}
            for each in compared.latencies
        ],
        "bargeIns": compared.barge_ins,
        "transcript": [
            [None if turn is None else {"who": turn.who, "text": _words(turn), "tNs": turn.t_ns} for turn in row]
            for row in compared.transcript
        ],
    }


def _side(side: "Side") -> dict[str, Any]:
    return {"name": side.name, **_facts(side.facts)}


def _words(turn: "Turn") -> str:
    return turn.text or turn.recognised or ""


def _hash(text: str) -> str:
    if set(text.lower()) - set("0123456789abcdef"):
        raise argparse.ArgumentTypeError(f"“{text}” is no beginning of a SHA-256: give some of its digits (0-9, a-f)")
    return text


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"“{text}” is no day: give one such as 2026-12-01") from error
