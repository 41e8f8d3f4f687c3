"""`replay`: a recorded participant against another engine."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from simulator.cli.exits import Exit
from simulator.cli.faults import add_fault_option, check_faults, name_with
from simulator.cli.output import result, result_json, say
from simulator.cli.parser import Commands, add_engine_options, add_spec_option, engine_target, specification
from simulator.cli.run import add_recogniser_option, recogniser_of, require_mind
from simulator.cli.run_files import read_instructions
from simulator.cli.session_table import comparison_text, one_line
from simulator.cli.sessions import comparison_json
from simulator.cli.stopping import run_stoppable
from simulator.errors import SimulatorError

if TYPE_CHECKING:
    from simulator.engines.profiles import EngineTarget
    from simulator.participant.replay_run import ReplayOptions, ReplayOutcome
    from simulator.record.replay.deeds import Plan
    from simulator.record.session_comparison import Comparison

_DESCRIPTION = """\
Does against an engine what the participant of a recorded session said and did: the same voice to the sample, the same
pushes, questions and pauses, each so long after the agent's replies as it was then, or by the clock. Progress goes to
standard error; then both sessions are printed beside each other: settings, answers, latencies, barge-ins, transcript.
"""


def add_command(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "replay", help="a recorded participant against another engine", description=_DESCRIPTION
    )
    parser.add_argument("record", type=Path, metavar="RECORD", help="a session's folder, or its .jsonl file")
    add_engine_options(parser)
    add_fault_option(parser, ", to see what comes of it")
    add_spec_option(parser)
    parser.add_argument("--record", dest="folder", metavar="DIR", help="folder for the new session; without it, yours")
    parser.add_argument(
        "--by",
        choices=("replies", "clock"),
        default="replies",
        help="what keeps its time: what was done relative to the agent's replies (the default), or to the clock",
    )
    parser.add_argument(
        "--turn-detection",
        metavar="MODE",
        help="such as server_vad or semantic_vad (default: as recorded; where it was never on, the first there is)",
    )
    parser.add_argument(
        "--instructions",
        type=Path,
        metavar="FILE",
        help="the agent's instructions at the beginning, in place of the recorded ones",
    )
    add_recogniser_option(parser)
    parser.add_argument("--no-audio", action="store_true", help="leave the audio out of the new session")
    parser.add_argument("--json", action="store_true", help="print what came of it and the comparison as JSON")
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace) -> int:
    """Replay the record, print both sessions beside each other. Raises SimulatorError where it cannot begin."""
    from simulator.audio.opening import leave
    from simulator.participant.replay_run import ReplayOptions
    from simulator.participant.replay_source import check_acts
    from simulator.record.integrity import alteration
    from simulator.record.replay.plan import plan

    mode, by = arguments.turn_detection, arguments.by
    options = ReplayOptions(
        by=by,
        turn_detection=None if mode is None else specification(arguments).turn_detection(mode),
        instructions=None if arguments.instructions is None else read_instructions(arguments.instructions),
        specification=arguments.spec,
        keep_audio=not arguments.no_audio,
        recogniser=recogniser_of(arguments),
        faults=arguments.faults,
    )
    target = engine_target(arguments)
    check_faults(arguments.faults, target)
    require_mind(target)
    made = plan(arguments.record)
    check_acts(made)
    altered = alteration(made.source)
    for each in [*made.lacks, *([altered] if altered is not None else [])]:
        say(each)
    return leave(run_stoppable(_replay(arguments, made, target, options)))


async def _replay(arguments: argparse.Namespace, plan: "Plan", target: "EngineTarget", options: "ReplayOptions") -> int:
    import asyncio

    from simulator.participant.replay_run import ReplayRun

    run = ReplayRun(plan, target, arguments.folder, options, say)
    try:
        await run.run()
    except asyncio.CancelledError:
        say("Interrupted.")
    compared = _compared(run.outcome)
    _tell(run.outcome, compared, name_with(arguments.faults, target), as_json=arguments.json)
    return Exit.DONE if run.outcome.complete and compared is not None else Exit.UNDECIDED


def _tell(outcome: "ReplayOutcome", compared: "Comparison | None", engine: str, *, as_json: bool) -> None:
    """Print both sessions beside each other, where there is a new one."""
    lines = [] if compared is None else comparison_text(compared)
    for each in _notes(compared):
        say(each)
    if not as_json:
        if lines:
            result("\n".join(lines))
        return
    if lines:
        say("\n".join(lines))
    told: dict[str, Any] = {**msgspec.to_builtins(outcome), "engine": engine}
    result_json({**told, "comparison": None if compared is None else comparison_json(compared)})


def _compared(outcome: "ReplayOutcome") -> "Comparison | None":
    """Return the comparison, or None where there is nothing to compare with: what came of it is told all the same."""
    from simulator.record.session_comparison import compare

    if outcome.record is None:
        return None
    try:
        return compare(Path(outcome.source), Path(outcome.record))
    except SimulatorError as error:  # the disk took nothing, or the record is there no more
        say(str(error))
        return None


def _notes(compared: "Comparison | None") -> list[str]:
    sides = () if compared is None else (compared.first, compared.second)
    return [one_line(f"{each.name}: {note}") for each in sides for note in each.facts.notes]
