"""Runs checks against an engine, side by side, each on a session and in a record of its own."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgspec

from simulator.audio.recordings import Role, SpeechRecording
from simulator.conformance import extras
from simulator.conformance.casting import Cast
from simulator.conformance.check import Check, Judgement, Verdict
from simulator.conformance.driver import DriveEnded, Driver
from simulator.conformance.evidence import CHECK_STARTED, DRIVE_ENDED, Evidence
from simulator.conformance.judging import judge_record
from simulator.conformance.repeats import summarise
from simulator.conformance.report import (
    Engine,
    Fixture,
    Report,
    Result,
    all_checks,
    environment,
    overall,
    result_of,
)
from simulator.conformance.timekeeping import Timekeeper
from simulator.conformance.wire import Target, Wire, open_socket
from simulator.errors import SimulatorError, StorageFault, UnknownName
from simulator.profile.agent_spec import OWN, AgentSpec
from simulator.profile.facts import SUITE_VERSION, TURN_DETECTIONS
from simulator.record.entries import Entry
from simulator.record.fields import value_at
from simulator.record.log import RecordLog
from simulator.record.reader import Record, read_record
from simulator.record.redact import Redactor, redact_url
from simulator.record.wav import CHANNELS, track_path
from simulator.record.writer import RecordWriter

MOST_ATTEMPTS: Final = 3
"""The first, and two more where a precondition was not met."""

MODES: Final = tuple(str(each["type"]) for each in TURN_DETECTIONS)


class Progress(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Where one run stands: queued, running, waiting or finished."""

    progress: str
    check: str
    turn_detection: str | None
    repeat: int = 1
    waiting_for: str | None = None
    verdict: str | None = None
    reasons: list[str] | None = None
    record: str | None = None


OnProgress = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Run:
    """One check in one mode, for the n-th time."""

    check: Check
    mode: str | None
    repeat: int

    def record_name(self, attempt: int) -> str:
        """Return the name of the file in which an attempt is recorded."""
        parts = [self.check.id, self.mode, f"repeat{self.repeat}" if self.repeat > 1 else None]
        parts.append(f"attempt{attempt}" if attempt > 1 else None)
        return "-".join(part for part in parts if part) + ".jsonl"


def plan(only: Sequence[str] = (), turn_detections: Sequence[str] = (), repeat: int = 1) -> list[Run]:
    """Return the runs in the specification's order, the extras behind them. Raises UnknownName for a check or mode."""
    known = all_checks()
    _known("check", only, list(known))
    _known("turn detection", turn_detections, MODES)
    modes = [mode for mode in MODES if not turn_detections or mode in turn_detections]
    return [
        Run(check, mode, number + 1)
        for number in range(max(repeat, 1))
        for check in known.values()
        if not only or check.id in only
        for mode in (modes if check.per_turn_detection else [None])
    ]


async def run_suite(
    target: Target,
    *,
    only: Sequence[str] = (),
    turn_detections: Sequence[str] = (),
    jobs: int = 1,
    repeat: int = 1,
    voices: Sequence[str] = (),
    specification: AgentSpec = OWN,
    records_dir: Path,
    on_progress: OnProgress = lambda _: None,
) -> Report:
    """Run the checks and return the report; records go to `records_dir`.

    Tools, limits, turn detections and the words of questions are those of the `specification`. `voices` name what is
    spoken, where the program's recordings are not to take turns (see casting.Cast). Cancelling the task ends every
    session in order, judges what was recorded so far, and *returns* the report.
    Raises UnknownName; UsageError; EngineUnreachable or KeyRefused where no connection can be made; StorageFault.
    """
    runs = plan(only, turn_detections, repeat)
    cast = Cast(voices)
    _make_folder(records_dir)
    started_at = _now()
    for run in runs:
        on_progress(Progress("queued", run.check.id, run.mode, run.repeat))
    results: dict[Run, Result] = {}
    tasks: list[asyncio.Task[None]] = []
    try:
        await (await open_socket(target)).close()  # a wrong address or key is told at once, and once
        turns = asyncio.Semaphore(max(jobs, 1))

        async def take(run: Run) -> None:
            async with turns:
                results[run] = await _Runner(target, run, cast, specification, records_dir, on_progress).run()

        tasks = [asyncio.create_task(take(run), name=run.record_name(1)) for run in runs]
        await asyncio.gather(*tasks)
    except asyncio.CancelledError:
        pass  # the report of an interrupted run says so, run by run
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    report = _report(target, [results.get(run) or _not_run(run) for run in runs], records_dir, started_at)
    return msgspec.structs.replace(
        report,
        spec_version=specification.version,
        spec_sha256=specification.sha256,
        thresholds=msgspec.to_builtins(specification.thresholds),
    )


class _Runner:
    """Runs one check until it can be judged, or its attempts are used up."""

    def __init__(
        self,
        target: Target,
        run: Run,
        cast: Cast,
        specification: AgentSpec,
        records_dir: Path,
        on_progress: OnProgress,
    ) -> None:
        self._target = target
        self._run = run
        self._cast = cast
        self._specification = specification
        self._records_dir = records_dir
        self._on_progress = on_progress

    async def run(self) -> Result:
        """Return the result of the last attempt."""
        self._tell("running")
        attempt, interrupted = 0, False
        while True:
            attempt += 1
            path = self._records_dir / self._run.record_name(attempt)
            try:
                await self._attempt(path, attempt)
            except asyncio.CancelledError:
                interrupted = True
            judging = asyncio.create_task(asyncio.to_thread(self._judged, path))
            try:
                found, judgement = await asyncio.shield(judging)
            except asyncio.CancelledError:
                interrupted = True
                found, judgement = await judging
            if interrupted or not judgement.worth_retrying or attempt == MOST_ATTEMPTS:
                break
        result = self._result(judgement, found, attempt)
        self._tell("finished", verdict=result.verdict.value, reasons=result.reasons, record=str(path))
        return result

    def _judged(self, path: Path) -> tuple[Record, Judgement]:
        """Judge a record, on a thread: a long one must not hold up what other runs send."""
        found = read_record(path)
        return found, judge_record(self._run.check, self._run.mode, found)

    async def _attempt(self, path: Path, attempt: int) -> None:
        """Drive the check once and leave its record, finished whatever happens."""
        _remove_record(path)
        entries: list[Entry] = []
        faults: list[StorageFault] = []
        writer = RecordWriter(path, on_fault=faults.append)
        log = RecordLog(
            time.monotonic_ns(), [entries.append, writer.append], [writer.write_audio], Redactor(self._target.secrets)
        )
        self._note_start(log, attempt)
        try:
            await self._drive(log, entries, attempt)
        finally:
            await asyncio.to_thread(writer.close)
        if faults:
            raise faults[0]

    def _note_start(self, log: RecordLog, attempt: int) -> None:
        log.started(
            engine=self._target.engine_name,
            url=self._target.url,
            model=self._target.model,
            headers=self._target.headers,
            at_ns=log.started_ns,
        )
        fields: dict[str, Any] = {
            "check": self._run.check.id,
            "turn_detection": self._run.mode,
            "repeat": self._run.repeat,
            "attempt": attempt,
            "suite_version": SUITE_VERSION,
        }
        if self._specification.source == "file":
            fields |= {
                "specification": {"version": self._specification.version, "sha256": self._specification.sha256},
                "thresholds": msgspec.to_builtins(self._specification.thresholds),
            }
        log.noted(CHECK_STARTED, fields, time.monotonic_ns())

    async def _drive(self, log: RecordLog, entries: list[Entry], attempt: int) -> None:
        wire: Wire | None = None
        driver: Driver | None = None
        ended: dict[str, Any] = {"finished": False}
        timekeeper = Timekeeper(log)
        watching = asyncio.create_task(timekeeper.watch())
        try:
            wire = Wire(await open_socket(self._target), log)
            driver = Driver(
                wire,
                log,
                entries,
                turn_detection=self._specification.turn_detection(self._run.mode or MODES[0]),
                specification=self._specification,
                cast=lambda role: self._voice(role, attempt),
                attempt=attempt,
                on_waiting=lambda what: self._tell("waiting", waiting_for=what),
            )
            await self._run.check.drive(driver)
            ended = {"finished": True}
        except DriveEnded as reason:
            ended["why"] = str(reason)
        except asyncio.CancelledError:
            ended["interrupted"] = True
            raise
        except SimulatorError as error:
            log.noted("problem", {"whose": "environment", "sentence": str(error)}, time.monotonic_ns())
        except Exception as error:
            _note_own_mistake(log, error)
        finally:
            timekeeper.look()
            watching.cancel()
            await _finish(log, wire, driver, ended)

    def _voice(self, role: Role, attempt: int) -> SpeechRecording:
        run = self._run
        return self._cast.recording(role, run.check.id, run.mode, repeat=run.repeat, attempt=attempt)

    def _result(self, judgement: Judgement, found: Record, attempts: int) -> Result:
        return result_of(
            judgement,
            found,
            check=self._run.check,
            mode=self._run.mode,
            record=found.path.name,
            attempts=attempts,
            repeat=self._run.repeat,
        )

    def _tell(self, progress: str, **more: Any) -> None:
        self._on_progress(Progress(progress, self._run.check.id, self._run.mode, self._run.repeat, **more))


async def _finish(log: RecordLog, wire: Wire | None, driver: Driver | None, ended: dict[str, Any]) -> None:
    """End the stream, say how the drive ended, and close the connection."""
    if driver is not None:
        try:
            await driver.stop_stream()
        except Exception as error:
            _note_own_mistake(log, error)
    log.noted(DRIVE_ENDED, ended, time.monotonic_ns())
    if wire is not None:
        await wire.close()
    log.noted("record.ended", {"reason": "the check ended"}, time.monotonic_ns())


def _note_own_mistake(log: RecordLog, error: Exception) -> None:
    """Keep a mistake in a check: it must not lose the rest of the run, nor be blamed on the engine."""
    sentence = f"The check itself failed with {type(error).__name__}: {error}."
    log.noted("problem", {"whose": "ours", "sentence": sentence}, time.monotonic_ns())


def _report(target: Target, all_results: list[Result], records_dir: Path, started_at: str) -> Report:
    own = extras.discover()
    results = [result for result in all_results if result.check not in own]
    requested = accepted = None
    fixtures: dict[str, str] = {}
    readings: dict[str, str] = {}
    for result in all_results:
        readings |= result.readings
        if result.record is None:
            continue
        evidence = Evidence(read_record(records_dir / result.record).entries)
        fixtures |= {utterance.name: utterance.sha256 for utterance in evidence.utterances}
        first = evidence.updates[0] if evidence.updates else None
        if requested is None and first is not None and first.answer is not None:
            requested, accepted = value_at(first.sent, "session"), value_at(first.answer, "session")
    return Report(
        engine=Engine(
            name=target.engine_name,
            url=redact_url(target.url),
            model=target.model,
            headers=sorted(target.headers),
            session_requested=requested,
            session_accepted=accepted,
        ),
        started_at=started_at,
        finished_at=_now(),
        environment=environment(),
        fixtures=[Fixture(name, sha256) for name, sha256 in sorted(fixtures.items())],
        verdict=overall(results),
        readings=readings,
        extras=[result for result in all_results if result.check in own],
        results=results,
        repeats=summarise(results),
    )


def _not_run(run: Run) -> Result:
    return Result(
        check=run.check.id,
        turn_detection=run.mode,
        repeat=run.repeat,
        verdict=Verdict.INCONCLUSIVE,
        reasons=["The run was interrupted before this check began."],
        warnings=[],
        measurements=[],
        clause=run.check.clause,
        record=None,
        record_sha256=None,
        attempts=0,
    )


def _known(kind: str, names: Sequence[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            raise UnknownName(f"There is no {kind} called “{name}”. There are: {', '.join(known)}.")


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageFault(f"The folder {folder} cannot be made: {error.strerror or error}. Choose another.") from error


def _remove_record(path: Path) -> None:
    """Make room for a new attempt where an earlier run left a record of the same name."""
    for file in (path, *(track_path(path, track) for track in CHANNELS)):
        file.unlink(missing_ok=True)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
