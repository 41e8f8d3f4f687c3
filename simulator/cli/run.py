"""`run`: a study without a window."""

import argparse
import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from simulator.cli.exits import EPILOG, Exit
from simulator.cli.faults import add_fault_option, check_faults, name_with
from simulator.cli.output import result_json, say
from simulator.cli.parser import Commands, add_engine_options, add_spec_option, at_least_one, engine_target
from simulator.cli.run_files import check_place, read_instructions, read_result, write_csv
from simulator.cli.run_spread import comparison, comparison_text, spread, spread_text
from simulator.cli.stopping import run_stoppable
from simulator.errors import SimulatorError, UnreadableFile, UsageError
from simulator.record.redact import Redactor
from simulator.resources import fixtures_dir, is_file

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from simulator.audio.impairments import Impairments
    from simulator.engines.profiles import EngineTarget
    from simulator.participant.study_run import Recogniser, RunOutcome, RunVoice
    from simulator.study.steps import Study

_DESCRIPTION = """\
Runs a study against an engine, without a window. The agent's answers are printed as JSON, progress goes to standard
error. Without --voice, the recordings are played and the texts spoken that the study names.
"""
_IMPAIR = (
    "impair the participant's voice: a list such as noise=-30,drop=2,delay=150. noise: its level in dBFS; snr: or "
    "by how many dB the speech is louder; kind: white (the default), pink, babble or a recording; drop: percent of the "
    "20 ms blocks that are lost; burst: ms lost at once; dropped: silent (default), late or skipped; delay: ms; seed"
)
_EXAMPLES = """\
two versions of the instructions, ten runs each:
  run STUDY --engine E --runs 10 --instructions first.txt > first.json
  run STUDY --engine E --runs 10 --instructions second.txt --compare first.json > second.json

"""


def add_command(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser("run", help="run a study without a window", description=_DESCRIPTION)
    parser.epilog = _EXAMPLES + EPILOG
    parser.add_argument(
        "study",
        metavar="STUDY",
        help="a study file, an experiment that HyperStudy exported, or the name of a study that comes with the program",
    )
    parser.add_argument("--role", metavar="NAME", help="the agent's role in an experiment of HyperStudy")
    add_engine_options(parser)
    add_fault_option(parser, ", to see what comes of it")
    add_spec_option(parser)
    parser.add_argument(
        "--voice",
        metavar="VOICE",
        help="mic, silence, or a recording for all that is said: a fixture's name or an audio file; or a folder of "
        "audio files, said one after the other",
    )
    parser.add_argument("--impair", metavar="LIST", type=_impairments, help=_IMPAIR)
    add_recogniser_option(parser)
    parser.add_argument("--record", metavar="DIR", help="folder for the records; without it, your data folder")
    parser.add_argument("--no-audio", action="store_true", help="leave the audio out of the records")
    parser.add_argument(
        "--instructions", type=Path, metavar="FILE", help="the agent's instructions, in place of those of the study"
    )
    _add_results(parser)
    parser.set_defaults(execute=execute)


def add_recogniser_option(parser: argparse.ArgumentParser) -> None:
    """Add the option that names the recogniser of the participant's words."""
    parser.add_argument(
        "--recogniser",
        metavar="MODEL",
        help="the Whisper model that puts the participant's words into the record: its folder in the format of "
        "CTranslate2, the name of one that Hugging Face's cache holds, or none (default: tiny.en of the extra `ears`)",
    )


def recogniser_of(arguments: argparse.Namespace) -> "Recogniser":
    """Return the recogniser that the options name."""
    from simulator.participant.study_run import Recogniser

    wanted = arguments.recogniser
    return Recogniser(wanted != "none", None if wanted == "none" else wanted)


def _add_results(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("results")
    group.add_argument(
        "--runs",
        type=at_least_one,
        default=1,
        metavar="N",
        help="run the study N times, and add the spread of each answer and latency",
    )
    group.add_argument("--csv", type=Path, metavar="FILE", help="write the answers as CSV, too")
    group.add_argument(
        "--compare", type=Path, metavar="OTHER.json", help="add how the answers differ from this earlier result's"
    )


def execute(arguments: argparse.Namespace) -> int:
    """Run the study, print what came of it. Raises SimulatorError where it cannot begin."""
    from simulator.audio.opening import leave
    from simulator.study.loading import load_study

    loaded = load_study(_study_path(arguments.study), arguments.role)
    study = loaded.study
    if arguments.instructions is not None:
        study = msgspec.structs.replace(study, instructions=read_instructions(arguments.instructions))
    if arguments.csv is not None:
        check_place(arguments.csv)
    other = read_result(arguments.compare) if arguments.compare is not None else None
    target, voice = engine_target(arguments), _voice(arguments.voice)
    check_faults(arguments.faults, target)
    require_mind(target)
    if arguments.impair is not None:
        say(f"The participant's voice is impaired: {arguments.impair.words}.")
    for note in loaded.notes:
        say(note)
    return leave(run_stoppable(_run_all(arguments, study, target, voice, other)))


def require_mind(target: "EngineTarget") -> None:
    """Ask whether the language model that the engine is to think with is there. Raises UsageError where nobody is."""
    if target.thinking is None:
        return
    import asyncio

    from simulator.engine.chat import absence_of, endpoint

    thinking = target.thinking
    absence = asyncio.run(absence_of(endpoint(thinking.url, thinking.model or None, thinking.key)))
    if absence is not None:
        raise UsageError(absence)


def _study_path(name: str) -> Path:
    path = Path(name)
    if is_file(path):
        return path
    shipped = fixtures_dir() / "studies" / f"{name}.yaml"
    if is_file(shipped):
        return shipped
    known = ", ".join(sorted(study.stem for study in (fixtures_dir() / "studies").glob("*.yaml")))
    raise UnreadableFile(f"There is no study {name}: give the path of a study file, or one of {known}.")


def _impairments(text: str) -> "Impairments":
    from simulator.cli.impair import impairments_from

    return impairments_from(text)


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


async def _run_all(
    arguments: argparse.Namespace,
    study: "Study",
    target: "EngineTarget",
    voice: "RunVoice",
    other: list[dict[str, Any]] | None,
) -> int:
    import asyncio

    outcomes: list[RunOutcome] = []
    try:
        await _run_each(arguments, study, target, voice, outcomes)
    except asyncio.CancelledError:
        # While the engine of all runs was started or ended: what is known by then is told all the same.
        say("Interrupted.")
    _tell(arguments, study, target, msgspec.to_builtins(outcomes), other)
    complete = len(outcomes) == arguments.runs and all(outcome.complete for outcome in outcomes)
    return Exit.DONE if complete else Exit.UNDECIDED


async def _run_each(
    arguments: argparse.Namespace,
    study: "Study",
    target: "EngineTarget",
    voice: "RunVoice",
    outcomes: "list[RunOutcome]",
) -> None:
    """Do the runs, and put what came of each into `outcomes`, also of one that was interrupted."""
    import asyncio

    from simulator.participant.study_run import StudyRun

    recogniser, told = recogniser_of(arguments), set[str]()
    async with _engine_for_all(arguments, target) as reached:
        for number in range(arguments.runs):
            if arguments.runs > 1:
                say(f"Run {number + 1} of {arguments.runs}.")
            run = StudyRun(
                study,
                reached,
                voice,
                arguments.record,
                say,
                recogniser=recogniser,
                specification=arguments.spec,
                impairments=arguments.impair,
                keep_audio=not arguments.no_audio,
                faults=arguments.faults,
                told=told,
            )
            try:
                outcomes.append(await run.run())
            except asyncio.CancelledError:
                say("Interrupted.")
                outcomes.append(run.outcome)
                break
            except SimulatorError as error:
                if not outcomes:
                    raise
                # What came of the runs before is worth more than an exit code.
                say(str(error))
                run.outcome.problems.append(str(error))
                outcomes.append(run.outcome)
                break


@contextlib.asynccontextmanager
async def _engine_for_all(arguments: argparse.Namespace, target: "EngineTarget") -> "AsyncIterator[EngineTarget]":
    """Start the embedded engine once for several runs; a single one starts its own, and so do those with faults.

    The records of those name them.
    """
    from simulator.engines.embedded import EmbeddedEngine

    if not target.is_embedded or arguments.runs == 1 or arguments.faults:
        yield target
        return
    async with EmbeddedEngine(thinking=target.thinking) as url:
        yield target.at(url)


def _tell(
    arguments: argparse.Namespace,
    study: "Study",
    target: "EngineTarget",
    runs: list[dict[str, Any]],
    other: list[dict[str, Any]] | None,
) -> None:
    """Print the result, and write what else was asked for: one as well where the other fails. Raises StorageFault."""
    name = Redactor(target.secrets).text(study.name)
    result: dict[str, Any] = {"study": name, "engine": name_with(arguments.faults, target), "runs": runs}
    if arguments.instructions is not None:
        result["instructions"] = str(arguments.instructions)
    if arguments.impair is not None:
        result["impairments"] = msgspec.to_builtins(arguments.impair)
    this = spread(runs)
    if arguments.runs > 1 or other is not None:
        result["spread"] = this
    if other is None:
        if arguments.runs > 1:
            say(spread_text(this))
    else:
        compared = comparison(this, spread(other))
        result["compared"] = {"with": str(arguments.compare), **compared}
        say(comparison_text(compared, arguments.compare.name))
    try:
        result_json(result)
    finally:
        if arguments.csv is not None:
            write_csv(arguments.csv, runs)
