"""`check`: the conformance suite against an engine."""

import argparse
from typing import TYPE_CHECKING

import msgspec

from simulator.cli.check_outputs import Outputs, add_outputs
from simulator.cli.exits import Exit
from simulator.cli.faults import add_fault_option, check_faults, name_with
from simulator.cli.output import result, result_json, say, say_json
from simulator.cli.parser import (
    Commands,
    add_engine_options,
    add_spec_option,
    at_least_one,
    engine_target,
    specification,
)
from simulator.cli.stopping import run_stoppable
from simulator.engines.embedded import EmbeddedEngine
from simulator.engines.profiles import EngineTarget
from simulator.errors import UsageError

if TYPE_CHECKING:
    from simulator.conformance.report import Report
    from simulator.conformance.suite import Progress
    from simulator.profile.agent_spec import AgentSpec

_EXITS = {"passed": Exit.DONE, "failed": Exit.FAILED, "inconclusive": Exit.UNDECIDED}


def add_command(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "check", help="run the conformance suite", description="Runs the conformance suite against an engine."
    )
    add_engine_options(parser, required=False)
    parser.add_argument("--list", action="store_true", help="print the checks of this build and run none")
    parser.add_argument("--only", metavar="ID", action="append", default=[], help="run this check (may be repeated)")
    parser.add_argument(
        "--turn-detection",
        action="append",
        default=[],
        choices=["server_vad", "semantic_vad"],
        help="run in this mode only (may be repeated)",
    )
    parser.add_argument("--jobs", type=at_least_one, default=1, metavar="N", help="how many checks run at once")
    parser.add_argument("--repeat", type=at_least_one, default=1, metavar="N", help="run each check N times")
    parser.add_argument(
        "--voice",
        dest="voices",
        metavar="NAME",
        action="append",
        default=[],
        help="speak with this voice, or with this recording, one of your own too, where its role fits (may be "
        "repeated; default: the program's recordings in turn)",
    )
    add_fault_option(parser, ", to see that a check catches it")
    add_spec_option(parser)
    add_outputs(parser)
    parser.add_argument("--json", action="store_true", help="progress as JSON lines, the report on standard output")
    parser.add_argument("--until-stdin-closes", action="store_true", help=argparse.SUPPRESS)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace) -> int:
    """Run the suite, print what came of it, and return the code of its verdict."""
    if arguments.list:
        return _list(arguments.json)
    if not arguments.engine:
        raise UsageError("The checks need an engine: give its name or address with --engine.")
    work = _check(arguments, engine_target(arguments), specification(arguments))
    return run_stoppable(work, until_stdin_closes=arguments.until_stdin_closes)


def _list(as_json: bool) -> int:
    from simulator.conformance.checks import discover

    checks = [
        {"id": check.id, "description": check.clause, "perTurnDetection": check.per_turn_detection}
        for check in discover().values()
    ]
    if as_json:
        result_json({"checks": checks})
    else:
        for check in checks:
            result(f"{check['id']:<24} {check['description']}")
    return Exit.DONE


async def _check(arguments: argparse.Namespace, target: EngineTarget, spec: "AgentSpec") -> int:
    faults: list[str] = arguments.faults
    check_faults(faults, target)
    if not target.is_embedded:
        return await _run(arguments, target, spec)
    # A report must say what it is about, and must not count against the engine that behaves.
    target = msgspec.structs.replace(target, name=name_with(faults, target))
    async with EmbeddedEngine(faults, target.thinking) as url:
        return await _run(arguments, target.at(url), spec)


async def _run(arguments: argparse.Namespace, target: EngineTarget, spec: "AgentSpec") -> int:
    from simulator.conformance.suite import run_suite
    from simulator.conformance.wire import Target

    outputs = Outputs(arguments, target)
    with outputs.place():
        report = await run_suite(
            Target(
                url=target.url,
                headers=target.headers,
                model=target.model,
                secrets=target.secrets,
                engine_name=target.name,
            ),
            only=arguments.only,
            turn_detections=arguments.turn_detection,
            jobs=arguments.jobs,
            repeat=arguments.repeat,
            voices=arguments.voices,
            specification=spec,
            records_dir=outputs.records_dir,
            on_progress=say_json if arguments.json else _Spoken().take,
        )
    outputs.write(report, lambda: result_json(report) if arguments.json else _print(report))
    return _EXITS[report.verdict]


class _Spoken:
    """Prints progress as sentences, each one once."""

    def __init__(self) -> None:
        self._said: dict[str, str] = {}

    def take(self, progress: "Progress") -> None:
        name = _name(progress.check, progress.turn_detection)
        match progress.progress:
            case "waiting":
                sentence = f"waits for {progress.waiting_for}"
            case "finished":
                sentence = str(progress.verdict)
            case "running":
                sentence = "running"
            case _:
                return
        if self._said.get(name) != sentence:
            self._said[name] = sentence
            say(f"{name}: {sentence}")


def _print(report: "Report") -> None:
    for each in report.repeats:
        name = _name(each.check, each.turn_detection)
        runs = [run for run in report.results if (run.check, run.turn_detection) == (each.check, each.turn_detection)]
        if each.runs == 1:
            result(f"{runs[0].verdict.value:<13} {name}")
        else:
            result(f"{f'{each.passed} of {each.runs} passed':<13} {name}")
        for reason in dict.fromkeys(reason for run in runs for reason in run.reasons):
            result(f"{'':<13} {reason}")
        for spread in each.spread if each.runs > 1 else ():
            values = f"{spread.min:g} / {spread.median:g} / {spread.max:g} {spread.unit}".rstrip()
            result(f"{'':<13} {spread.name}: {values} (min / median / max)")
    for extra in report.extras:
        result(f"{extra.verdict.value:<13} {_name(extra.check, extra.turn_detection)}, beside the suite")
        for reason in extra.reasons:
            result(f"{'':<13} {reason}")
    result(f"Verdict: {report.verdict.value}.")


def _name(check: str, turn_detection: str | None) -> str:
    return check if turn_detection is None else f"{check} ({turn_detection})"
