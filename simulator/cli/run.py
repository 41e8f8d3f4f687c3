"""`run`: a study without a window."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from simulator.cli.exits import Exit
from simulator.cli.output import result_json, say
from simulator.cli.parser import (
    Commands,
    add_engine_options,
    add_spec_option,
    at_least_one,
    engine_target,
    specification,
)
from simulator.cli.stopping import run_stoppable
from simulator.errors import UnreadableFile, UsageError
from simulator.resources import fixtures_dir, is_file

if TYPE_CHECKING:
    from simulator.engines.profiles import EngineTarget
    from simulator.participant.study_run import RunOutcome, RunVoice
    from simulator.study.steps import Study

_DESCRIPTION = """\
Runs a study against an engine, without a window. The agent's answers are printed as JSON, progress goes to standard
error. Without --voice, the recordings are played that the study names.
"""


def add_command(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser("run", help="run a study without a window", description=_DESCRIPTION)
    parser.add_argument(
        "study", metavar="STUDY", help="a study file, or the name of a study that comes with the program"
    )
    add_engine_options(parser)
    parser.add_argument(
        "--voice",
        metavar="VOICE",
        help="mic, silence, or a recording for all that is said: a fixture's name or an audio file",
    )
    parser.add_argument(
        "--recogniser",
        metavar="MODEL",
        help="the Whisper model that puts the participant's words into the record: its folder in the format of "
        "CTranslate2, the name of one that Hugging Face's cache holds, or none (default: tiny.en of the extra `ears`)",
    )
    add_spec_option(parser)
    parser.add_argument("--record", metavar="DIR", help="folder for the records; without it, your data folder")
    parser.add_argument("--runs", type=at_least_one, default=1, metavar="N", help="run the study N times")
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace) -> int:
    """Run the study, print what came of it. Raises SimulatorError where it cannot begin."""
    from simulator.audio.opening import leave
    from simulator.study.study_file import read_study

    study = read_study(_study_path(arguments.study))
    target, voice = engine_target(arguments), _voice(arguments.voice)
    specification(arguments)  # one that cannot be followed is told before anything starts
    return leave(run_stoppable(_run_all(arguments, study, target, voice)))


def _study_path(name: str) -> Path:
    path = Path(name)
    if is_file(path):
        return path
    shipped = fixtures_dir() / "studies" / f"{name}.yaml"
    if is_file(shipped):
        return shipped
    known = ", ".join(sorted(study.stem for study in (fixtures_dir() / "studies").glob("*.yaml")))
    raise UnreadableFile(f"There is no study {name}: give the path of a study file, or one of {known}.")


def _voice(name: str | None) -> "RunVoice":
    from simulator.participant.messages import VoiceKind
    from simulator.participant.study_run import RunVoice

    match name:
        case None:
            return RunVoice(VoiceKind.RECORDING)
        case "mic":
            return RunVoice(VoiceKind.MICROPHONE)
        case "silence":
            return RunVoice(VoiceKind.SILENCE)
        case "":
            raise UsageError("The name of the voice is empty: use mic, silence, a fixture's name or an audio file.")
        case _:
            return RunVoice(VoiceKind.RECORDING, name)


async def _run_all(arguments: argparse.Namespace, study: "Study", target: "EngineTarget", voice: "RunVoice") -> int:
    import asyncio

    from simulator.participant.study_run import Recogniser, StudyRun

    wanted = arguments.recogniser
    recogniser = Recogniser(wanted != "none", None if wanted == "none" else wanted)
    outcomes: list[RunOutcome] = []
    for number in range(arguments.runs):
        if arguments.runs > 1:
            say(f"Run {number + 1} of {arguments.runs}.")
        run = StudyRun(
            study,
            target,
            voice,
            arguments.record,
            say,
            recogniser=recogniser,
            specification=arguments.spec,
        )
        try:
            outcomes.append(await run.run())
        except asyncio.CancelledError:
            say("Interrupted.")
            outcomes.append(run.outcome)
            break
    result_json(_result(study, target, outcomes))
    complete = len(outcomes) == arguments.runs and all(outcome.complete for outcome in outcomes)
    return Exit.DONE if complete else Exit.UNDECIDED


def _result(study: "Study", target: "EngineTarget", outcomes: "list[RunOutcome]") -> dict[str, Any]:
    return {"study": study.name, "engine": target.name, "runs": msgspec.to_builtins(outcomes)}
