"""The report of a suite run, and the same verdicts computed again from its records."""

import importlib.metadata
import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec

from simulator import __version__
from simulator.audio.recordings import sha256_of
from simulator.conformance import checks, extras
from simulator.conformance.check import Check, Judgement, Measurement, Verdict
from simulator.conformance.choices import CHOICES, Choice
from simulator.conformance.judging import judge_record
from simulator.conformance.repeats import Repeats, summarise
from simulator.conformance.rules import RULES
from simulator.errors import StorageFault, UnreadableFile
from simulator.profile.facts import SPEC_VERSION, SUITE_VERSION, THRESHOLDS
from simulator.record.log import TOOL_NAME
from simulator.record.reader import Record, read_record
from simulator.record.wav import CHANNELS, track_path
from simulator.resources import is_file
from simulator.units import NS_PER_MS

FORMAT: Final = "participant-simulator/report"
FORMAT_VERSION: Final = 1

_LIBRARIES: Final = ("numpy", "websockets", "soundfile", "msgspec")
"""What a run depends on besides Python: their versions are in the report."""

EXIT_CODES: Final = {Verdict.PASSED: 0, Verdict.FAILED: 1, Verdict.INCONCLUSIVE: 2}


@cache
def commit_of_checkout() -> str | None:
    """Return the commit that this program runs from, or None where it is an installed copy."""
    root = Path(__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return None
    describe = ["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        found = subprocess.run(describe, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return None  # no git here: the version has to do
    return found.stdout.strip() or None


class Tool(msgspec.Struct, frozen=True):
    """The program that made the report."""

    name: str = TOOL_NAME
    version: str = __version__
    commit: str | None = msgspec.field(default_factory=commit_of_checkout)
    """Of a checkout, ``-dirty`` where files were changed since; null in an installed copy."""


class Engine(msgspec.Struct, frozen=True, rename="camel"):
    """The engine under test; its address is redacted."""

    name: str
    url: str
    model: str
    headers: list[str] = []
    """Names only; no value is ever kept."""
    session_requested: dict[str, Any] | None = None
    session_accepted: dict[str, Any] | None = None


class Fixture(msgspec.Struct, frozen=True):
    """A recording that was spoken."""

    name: str
    sha256: str


class ClauseResult(msgspec.Struct, frozen=True):
    """One of the things that a check asks for; `broken` where the engine did otherwise."""

    name: str
    demand: str
    broken: bool


class Result(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """One run of one check."""

    check: str
    turn_detection: str | None
    repeat: int = 1
    verdict: Verdict
    reasons: list[str]
    warnings: list[str]
    measurements: list[Measurement]
    readings: dict[str, str] = {}
    clause: str
    clauses: list[ClauseResult] = []
    """The clause one by one; rules that hold in every check are among them where they were broken."""
    record: str | None
    """Relative to the report, or to the folder given with ``--records``; null where the run never began."""
    record_sha256: str | None
    audio_sha256: dict[str, str] = {}
    """Of each audio track of the record."""
    duration_ms: float = 0.0
    """Of the attempt that counts, from the opening of its record to the last entry."""
    attempts: int


class Report(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """One run of the suite."""

    format: str = FORMAT
    format_version: int = FORMAT_VERSION
    spec_version: str = SPEC_VERSION
    spec_sha256: str | None = None
    """Of the specification file that tools, limits and words came from; null: this program's own statement of it."""
    suite_version: int = SUITE_VERSION
    tool: Tool = msgspec.field(default_factory=Tool)
    engine: Engine
    started_at: str
    finished_at: str
    environment: dict[str, Any] = {}
    thresholds: dict[str, int] = msgspec.field(default_factory=lambda: msgspec.to_builtins(THRESHOLDS))
    choices: tuple[Choice, ...] = CHOICES
    """How this suite decides what the specification leaves open."""
    fixtures: list[Fixture] = []
    verdict: Verdict
    readings: dict[str, str] = {}
    extras: list[Result] = []
    results: list[Result]
    repeats: list[Repeats] = []
    """One for each check and mode: n of N, and the spread of what was measured."""

    @property
    def exit_code(self) -> int:
        """0 all passed, 1 a check failed, 2 none failed and something could not be judged."""
        return EXIT_CODES[self.verdict]


def all_checks() -> dict[str, Check]:
    """Return the checks of the suite, then the extras, by id."""
    return {**checks.discover(), **extras.discover()}


def overall(results: Iterable[Result]) -> Verdict:
    """Return the verdict of a whole run: failed before inconclusive before passed; nothing at all is inconclusive."""
    verdicts = {result.verdict for result in results}
    for verdict in (Verdict.FAILED, Verdict.INCONCLUSIVE):
        if verdict in verdicts:
            return verdict
    return Verdict.PASSED if verdicts else Verdict.INCONCLUSIVE


def environment() -> dict[str, Any]:
    """Return what may matter about the computer; nothing that names it, its user or its folders."""
    return {
        "python": platform.python_version(),
        "system": platform.system(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "byteOrder": sys.byteorder,
        "libraries": {name: importlib.metadata.version(name) for name in _LIBRARIES},
    }


def result_of(
    judgement: Judgement, found: Record, *, check: Check, mode: str | None, record: str, attempts: int, repeat: int
) -> Result:
    """Return the result that states the judgement of `found`, a record which the report names `record`."""
    return Result(
        check=check.id,
        turn_detection=mode,
        repeat=repeat,
        verdict=judgement.verdict,
        reasons=judgement.reasons,
        warnings=judgement.warnings,
        measurements=judgement.measurements,
        readings=judgement.readings,
        clause=check.clause,
        clauses=_clauses(check, judgement.broken),
        record=record,
        record_sha256=sha256_of(found.path),
        audio_sha256=_audio_sha256(found.path),
        duration_ms=round(max((entry.t_ns for entry in found.entries), default=0) / NS_PER_MS, 1),
        attempts=attempts,
    )


def _clauses(check: Check, broken: Sequence[str]) -> list[ClauseResult]:
    asked = [*check.clauses, *(rule for rule in RULES if rule.name in broken and rule not in check.clauses)]
    return [ClauseResult(each.name, each.demand, each.name in broken) for each in asked]


def _audio_sha256(record: Path) -> dict[str, str]:
    tracks = {track.value: track_path(record, track) for track in CHANNELS}
    return {name: sha256_of(path) for name, path in tracks.items() if path.is_file()}


def to_json(report: Report, relative_to: Path | None = None, records_dir: Path | None = None) -> bytes:
    """Return the report as indented JSON. Records are named relative to the folder `relative_to`, if given."""
    if relative_to is not None and records_dir is not None:
        prefix = _way(relative_to.resolve(), records_dir.resolve())
        report = msgspec.structs.replace(
            report, results=_placed(report.results, prefix), extras=_placed(report.extras, prefix)
        )
    return msgspec.json.format(msgspec.json.encode(report), indent=2) + b"\n"


def write_json(report: Report, path: Path, records_dir: Path) -> None:
    """Write the report. Raises StorageFault."""
    write_whole(path, to_json(report, path.parent, records_dir))


def write_whole(path: Path, data: bytes) -> None:
    """Write a file that is there whole or not at all, whatever happens. Raises StorageFault."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f".{path.name}.{os.getpid()}.unfinished")
        try:
            with unfinished.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)
    except OSError as error:
        raise StorageFault(f"{path} cannot be written: {error.strerror or error}. Choose another place.") from error


def read_json(path: Path) -> Report:
    """Read a report. Raises UnreadableFile."""
    try:
        report = msgspec.json.decode(path.read_bytes(), type=Report)
    except OSError as error:
        raise UnreadableFile(f"The report {path} cannot be read: {error.strerror or error}.") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UnreadableFile(f"{path} is not a report of this program: {error}.") from error
    if report.format != FORMAT or report.format_version > FORMAT_VERSION:
        raise UnreadableFile(
            f"{path} has format {report.format} {report.format_version}, which this program cannot read."
        )
    return report


def judge_report(path: Path, records_dir: Path | None = None) -> tuple[int, str]:
    """Judge every record of a report again, offline. Returns the exit code and what to print.

    The code is that of the verdicts found; 2 where a record is missing or changed, or its judgement differs from the
    report's. Raises UnreadableFile where the report cannot be read.
    """
    report = read_json(path)
    lines: list[str] = []
    again: list[Result] = []
    trusted = True
    for result in [*report.results, *report.extras]:
        found, remark = _judge_again(result, path.parent, records_dir)
        trusted = trusted and remark is None
        if result in report.results:
            again.append(found)
        lines.append(_line(found, remark, beside=result not in report.results))
    verdict = overall(again)
    if (verdict, summarise(again)) != (report.verdict, report.repeats):
        trusted = False
        lines.append("The verdict of the whole, or the counts in the report, do not follow from its results.")
    lines.append(f"Verdict: {verdict.value}" + ("." if trusted else ", and not all results are the report's own."))
    return (EXIT_CODES[verdict] if trusted else 2), "\n".join(lines) + "\n"


def _judge_again(result: Result, folder: Path, records_dir: Path | None) -> tuple[Result, str | None]:
    """Return the result computed from the record, and a remark where it is not the report's."""
    if result.record is None:
        return result, None
    known = all_checks()
    if result.check not in known:
        return result, "this program has no such check"
    path = record_path(result.record, folder, records_dir)
    if not is_file(path):
        return result, f"its record {path} is missing"
    check = known[result.check]
    try:
        found = read_record(path)
    except UnreadableFile as error:
        return result, f"its record was changed: {error}"
    again = result_of(
        judge_record(check, result.turn_detection, found),
        found,
        check=check,
        mode=result.turn_detection,
        record=result.record,
        attempts=result.attempts,
        repeat=result.repeat,
    )
    if again.record_sha256 != result.record_sha256:
        return again, f"its record {path} was changed"
    if again.audio_sha256 != result.audio_sha256:
        return again, f"the audio of its record {path} was changed"
    if msgspec.json.encode(again) != msgspec.json.encode(result):
        return again, "the report says otherwise"
    return again, None


def record_path(record: str, folder: Path, records_dir: Path | None = None) -> Path:
    """Return where a record lies that a report in `folder` names, or in `records_dir` where that is given."""
    return folder / record if records_dir is None else records_dir / Path(record).name


def _way(folder: Path, records_dir: Path) -> str:
    """Return how to get from one folder to another, or nothing where it cannot be said without naming the user.

    A report is made to be passed on: a way that climbs above the user's folder and down again would hold their name.
    """
    try:
        way = Path(os.path.relpath(records_dir, folder))
    except ValueError:  # on another drive
        return ""
    return "" if way.is_absolute() or Path.home().name in way.parts else way.as_posix()


def _line(result: Result, remark: str | None, *, beside: bool) -> str:
    name = result.check if result.turn_detection is None else f"{result.check} ({result.turn_detection})"
    reasons = "".join(f"\n    {reason}" for reason in result.reasons)
    extra = ", beside the suite" if beside else ""
    return f"{result.verdict.value:13} {name}{extra}" + (f": {remark}" if remark else "") + reasons


def _placed(results: Sequence[Result], prefix: str) -> list[Result]:
    return [
        result
        if result.record is None
        else msgspec.structs.replace(result, record=(Path(prefix) / Path(result.record).name).as_posix())
        for result in results
    ]
