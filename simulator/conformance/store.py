"""Reports kept per engine, model and suite version, and what they say about an engine today.

    <folder>/<engine>/<model>/suite-<version>/<start of the run>/report.json
                                                                 report.html
                                                                 records/

A run gets its folder before it begins, and its report when it ends, interrupted runs too; a folder without a report
is a run that was killed. Names of folders are only for people: what counts is in the reports.

An engine's status is that of the newest report which covers the whole suite under the engine's present settings. A
later run of some checks alone can spoil a pass, by a failure, but cannot make one.
"""

import enum
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, urlsplit

import msgspec

from simulator.conformance.check import Verdict
from simulator.conformance.report import Report, read_json, write_json, write_whole
from simulator.errors import StorageFault, UnreadableFile
from simulator.profile.facts import CHECKS, SUITE_VERSION, THRESHOLDS, TURN_DETECTIONS
from simulator.record.redact import redact_url

STALE_AFTER_DAYS: Final = 30
"""A hosted engine changes behind the same name, without a word: what it did a month ago is no promise for today."""

REPORT: Final = "report.json"
PAGE: Final = "report.html"
RECORDS: Final = "records"

_KEYS: Final = frozenset({"authorization"})
"""Headers that come and go with where the key is kept, and say nothing about the engine's settings."""
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_-]+")

CELLS: Final = frozenset(
    (check, mode)
    for check, per_mode in CHECKS.items()
    for mode in ([str(each["type"]) for each in TURN_DETECTIONS] if per_mode else [None])
)
"""Every check in every mode that it runs in: what a report must hold to speak for an engine."""


class State(enum.StrEnum):
    """What is known about an engine."""

    PASSED = "passed"
    FAILED = "failed"
    INCONCLUSIVE = "inconclusive"
    STALE = "stale"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Settings:
    """What of an engine's settings a report can be held against: the address without keys, and names of headers.

    `url` is None for an engine that is started for the length of a command: its address means nothing.
    """

    url: str | None
    headers: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Stored:
    """A report, and where it lies."""

    path: Path
    report: Report


class Status(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """What the stored reports say about an engine and model."""

    engine: str
    model: str
    state: State
    why: list[str]
    """Why it is stale, or has no verdict; one sentence each."""
    verdict: Verdict | None = None
    """Of the report that decides, stale or not."""
    finished_at: str | None = None
    suite_version: int | None = None
    passed: int = 0
    runs: int = 0
    """Of the report; of the present suite where the report does not hold all of its runs."""
    report: str | None = None
    """Path of the report that decides."""
    page: str | None = None


def new_run(folder: Path, engine: str, model: str, started: datetime) -> Path:
    """Make and return the folder of a run that begins now. Raises StorageFault."""
    parent = folder / _folder_name(engine) / _folder_name(model or "default") / f"suite-{SUITE_VERSION}"
    name = f"{started:%Y-%m-%d %H.%M.%S}"
    try:
        parent.mkdir(parents=True, exist_ok=True)
        for number in range(1, 1_000):
            run = parent / (name if number == 1 else f"{name} {number}")
            try:
                run.mkdir()
            except FileExistsError:
                continue
            return run
    except OSError as error:
        raise StorageFault(f"The folder {parent} cannot be made: {error.strerror or error}. Free its place.") from error
    raise StorageFault(f"The folder {parent} is full of runs of this second: try again.")


def keep(report: Report, run: Path, records_dir: Path) -> Path:
    """Write the report of a run into its folder, whole or not at all, and return its path. Raises StorageFault."""
    path = run / REPORT
    write_json(report, path, records_dir)
    return path


def keep_page(page: bytes, run: Path) -> Path:
    """Write the page of a run into its folder, and return its path. Raises StorageFault."""
    path = run / PAGE
    write_whole(path, page)
    return path


def stored(folder: Path) -> tuple[list[Stored], list[str]]:
    """Return all reports, the newest first, and a sentence for each that cannot be read."""
    found: list[Stored] = []
    problems: list[str] = []
    for path in sorted(folder.glob(f"*/*/suite-*/*/{REPORT}")):
        try:
            found.append(Stored(path, read_json(path)))
        except UnreadableFile as error:
            problems.append(str(error))
    found.sort(key=lambda each: each.report.started_at, reverse=True)
    return found, problems


def status(
    reports: Sequence[Stored], engine: str, model: str, *, settings: Settings | None = None, now: datetime | None = None
) -> Status:
    """Return what `reports`, the newest first, say about an engine and model.

    `settings` are the engine's present ones, where known: a report made under others is stale. Pure.
    """
    own = [each for each in reports if (each.report.engine.name, each.report.engine.model) == (engine, model)]
    if not own:
        return Status(engine=engine, model=model, state=State.NONE, why=["It was never checked."])
    fitting = [each for each in own if settings is None or _fits(each.report, settings)]
    current = [each for each in fitting if each.report.suite_version == SUITE_VERSION]
    candidates = current or fitting or own
    decides = next((each for each in candidates if is_whole(each.report)), candidates[0])
    later = candidates[: candidates.index(decides)]
    decides = next((each for each in later if each.report.verdict is Verdict.FAILED), decides)
    stale = list(_stale(decides.report, settings, now or datetime.now(UTC)))
    state = State.STALE if stale else State(decides.report.verdict.value)
    why = stale
    if state is State.PASSED and not is_whole(decides.report):
        state, why = State.INCONCLUSIVE, [_partly(decides.report)]
    elif state is State.INCONCLUSIVE and not is_whole(decides.report):
        why = [_partly(decides.report)]
    return _status(decides, state, why)


def is_whole(report: Report) -> bool:
    """Whether a report holds a run of every check in every mode; those that never began do not count."""
    return _ran(report) >= CELLS


def counts(report: Report) -> tuple[int, int]:
    """Return how many runs passed, and of how many; a run of the suite that was not made counts too."""
    if is_whole(report) or report.suite_version != SUITE_VERSION:
        return sum(each.verdict is Verdict.PASSED for each in report.results), len(report.results)
    made = [each for each in report.results if (each.check, each.turn_detection) in CELLS]
    unfit = {(each.check, each.turn_detection) for each in made if each.verdict is not Verdict.PASSED}
    return len({(each.check, each.turn_detection) for each in made} - unfit), len(CELLS)


def covered(reports: Sequence[Stored]) -> Iterator[tuple[str, str]]:
    """Yield each engine and model that has a report, the one checked last first."""
    yield from dict.fromkeys((each.report.engine.name, each.report.engine.model) for each in reports)


def _ran(report: Report) -> frozenset[tuple[str, str | None]]:
    return frozenset((each.check, each.turn_detection) for each in report.results if each.attempts)


def _partly(report: Report) -> str:
    return f"Only {len(_ran(report) & CELLS)} of the suite's {len(CELLS)} runs were made."


def _stale(report: Report, settings: Settings | None, now: datetime) -> Iterator[str]:
    if report.suite_version != SUITE_VERSION:
        yield f"It was checked by suite {report.suite_version}; the suite is now at {SUITE_VERSION}."
    if report.thresholds != msgspec.to_builtins(THRESHOLDS):
        yield "It was checked against other limits than this program's, from a specification file."
    if settings is not None and not _fits(report, settings):
        yield "The engine's settings were changed since."
    try:
        age = now - datetime.fromisoformat(report.finished_at)
    except (ValueError, TypeError):  # no date, or one without a time zone
        yield "The report does not say when it was made."
        return
    if age > timedelta(days=STALE_AFTER_DAYS):
        yield f"It was checked {age.days} days ago; a report counts for {STALE_AFTER_DAYS}."


def _fits(report: Report, settings: Settings) -> bool:
    if settings.url is not None and _address(redact_url(settings.url)) != _address(report.engine.url):
        return False
    return _names(settings.headers) == _names(report.engine.headers)


def _address(url: str) -> tuple[str, str, str, tuple[str, ...]]:
    """Return what of an address can be compared: reports keep names of its query and no values."""
    parts = urlsplit(url)
    names = sorted({name for name, _ in parse_qsl(parts.query, keep_blank_values=True)} - {"model"})
    return parts.scheme, parts.netloc.rpartition("@")[2].casefold(), parts.path, tuple(names)


def _names(headers: Sequence[str] | frozenset[str] | Mapping[str, str]) -> set[str]:
    return {name.casefold() for name in headers} - _KEYS


def _status(decides: Stored, state: State, why: list[str]) -> Status:
    report, page = decides.report, decides.path.with_name(PAGE)
    passed, runs = counts(report)
    return Status(
        engine=report.engine.name,
        model=report.engine.model,
        state=state,
        why=why,
        verdict=report.verdict,
        finished_at=report.finished_at,
        suite_version=report.suite_version,
        passed=passed,
        runs=runs,
        report=str(decides.path),
        page=str(page) if page.is_file() else None,
    )


def _folder_name(name: str) -> str:
    """Return a name that every file system takes, and that no other name gives, even where case does not count."""
    return f"{_UNSAFE.sub('-', name)[:40].strip('-') or 'engine'}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
