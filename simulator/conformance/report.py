"""The report of a suite run, and the same verdicts computed again from its records."""

import os
import platform
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from simulator import __version__
from simulator.audio.recordings import sha256_of
from simulator.conformance.check import Judgement, Measurement, Verdict
from simulator.conformance.checks import discover
from simulator.conformance.judging import judge_record
from simulator.errors import StorageFault, UnreadableFile
from simulator.profile.facts import SPEC_VERSION, SUITE_VERSION, THRESHOLDS
from simulator.record.log import TOOL_NAME
from simulator.record.reader import read_record

FORMAT: Final = "participant-simulator/report"
FORMAT_VERSION: Final = 1

EXIT_CODES: Final = {Verdict.PASSED: 0, Verdict.FAILED: 1, Verdict.INCONCLUSIVE: 2}


class Tool(msgspec.Struct, frozen=True):
    """The program that made the report."""

    name: str = TOOL_NAME
    version: str = __version__
    commit: str | None = None


class Engine(msgspec.Struct, frozen=True, rename="camel"):
    """The engine under test; its address is redacted."""

    name: str
    url: str
    model: str
    session_requested: dict[str, Any] | None = None
    session_accepted: dict[str, Any] | None = None


class Fixture(msgspec.Struct, frozen=True):
    """A recording that was spoken."""

    name: str
    sha256: str


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
    record: str | None
    """Relative to the report, or to the folder given with ``--records``; null where the run never began."""
    record_sha256: str | None
    attempts: int


class Report(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """One run of the suite."""

    format: str = FORMAT
    format_version: int = FORMAT_VERSION
    spec_version: str = SPEC_VERSION
    suite_version: int = SUITE_VERSION
    tool: Tool = Tool()
    engine: Engine
    started_at: str
    finished_at: str
    environment: dict[str, Any] = {}
    thresholds: dict[str, int] = msgspec.field(default_factory=lambda: msgspec.to_builtins(THRESHOLDS))
    fixtures: list[Fixture] = []
    verdict: Verdict
    readings: dict[str, str] = {}
    extras: list[Result] = []
    results: list[Result]

    @property
    def exit_code(self) -> int:
        """0 all passed, 1 a check failed, 2 none failed and something could not be judged."""
        return EXIT_CODES[self.verdict]


def overall(results: Iterable[Result]) -> Verdict:
    """Return the verdict of a whole run: failed before inconclusive before passed; nothing at all is inconclusive."""
    verdicts = {result.verdict for result in results}
    for verdict in (Verdict.FAILED, Verdict.INCONCLUSIVE):
        if verdict in verdicts:
            return verdict
    return Verdict.PASSED if verdicts else Verdict.INCONCLUSIVE


def environment() -> dict[str, Any]:
    """Return what may matter about the computer; nothing that names it or its user."""
    return {
        "python": platform.python_version(),
        "system": platform.system(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "byteOrder": sys.byteorder,
    }


def result_of(
    judgement: Judgement,
    *,
    check: str,
    mode: str | None,
    clause: str,
    record: str,
    sha256: str,
    attempts: int,
    repeat: int,
) -> Result:
    """Return the result that states a judgement."""
    return Result(
        check=check,
        turn_detection=mode,
        repeat=repeat,
        verdict=judgement.verdict,
        reasons=judgement.reasons,
        warnings=judgement.warnings,
        measurements=judgement.measurements,
        readings=judgement.readings,
        clause=clause,
        record=record,
        record_sha256=sha256,
        attempts=attempts,
    )


def to_json(report: Report, relative_to: Path | None = None, records_dir: Path | None = None) -> bytes:
    """Return the report as indented JSON. Records are named relative to the folder `relative_to`, if given."""
    if relative_to is not None and records_dir is not None:
        prefix = Path(os.path.relpath(records_dir.resolve(), relative_to.resolve())).as_posix()
        report = msgspec.structs.replace(
            report, results=_placed(report.results, prefix), extras=_placed(report.extras, prefix)
        )
    return msgspec.json.format(msgspec.json.encode(report), indent=2) + b"\n"


def write_json(report: Report, path: Path, records_dir: Path) -> None:
    """Write the report. Raises StorageFault."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(to_json(report, path.parent, records_dir))
    except OSError as error:
        raise StorageFault(f"The report {path} cannot be written: {error.strerror or error}.") from error


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
        lines.append(_line(found, remark))
    verdict = overall(again)
    lines.append(f"{verdict.value}: {len(again)} results" + ("" if trusted else ", and not all are the report's own"))
    return (EXIT_CODES[verdict] if trusted else 2), "\n".join(lines) + "\n"


def _judge_again(result: Result, folder: Path, records_dir: Path | None) -> tuple[Result, str | None]:
    """Return the result computed from the record, and a remark where it is not the report's."""
    if result.record is None:
        return result, None
    checks = discover()
    if result.check not in checks:
        return result, "this program has no such check"
    path = folder / result.record if records_dir is None else records_dir / Path(result.record).name
    if not path.is_file():
        return result, f"its record {path} is missing"
    check = checks[result.check]
    judgement = judge_record(check, result.turn_detection, read_record(path))
    again = result_of(
        judgement,
        check=check.id,
        mode=result.turn_detection,
        clause=check.clause,
        record=result.record,
        sha256=sha256_of(path),
        attempts=result.attempts,
        repeat=result.repeat,
    )
    if again.record_sha256 != result.record_sha256:
        return again, f"its record {path} was changed"
    if msgspec.json.encode(again) != msgspec.json.encode(result):
        return again, "the report says otherwise"
    return again, None


def _line(result: Result, remark: str | None) -> str:
    name = result.check if result.turn_detection is None else f"{result.check} ({result.turn_detection})"
    reasons = "".join(f"\n    {reason}" for reason in result.reasons)
    return f"{result.verdict.value:13} {name}" + (f": {remark}" if remark else "") + reasons


def _placed(results: Sequence[Result], prefix: str) -> list[Result]:
    return [
        result
        if result.record is None
        else msgspec.structs.replace(result, record=f"{prefix}/{Path(result.record).name}")
        for result in results
    ]
