"""What the stored reports say about each engine, in the few words that a picker has room for. No Qt here."""

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec

from simulator.engines.profiles import is_address, name_of_address


class Standing(enum.StrEnum):
    """Where an engine stands with the suite."""

    PASSED = "passed"
    FAILED = "failed"
    INCONCLUSIVE = "inconclusive"
    STALE = "stale"
    NONE = "none"


class EngineStatus(msgspec.Struct, frozen=True, rename="camel"):
    """An engine and model in `reports --json`."""

    engine: str
    model: str
    state: Standing
    why: list[str] = []
    finished_at: str | None = None
    suite_version: int | None = None
    passed: int = 0
    runs: int = 0
    page: str | None = None


class StoredReport(msgspec.Struct, frozen=True, rename="camel"):
    """A report in `reports --json`."""

    engine: str
    model: str
    suite_version: int
    started_at: str
    finished_at: str
    verdict: str
    passed: int
    runs: int
    report: str
    page: str | None = None

    @property
    def title(self) -> str:
        """When it was made and what came of it."""
        return f"{when_text(self.started_at)}   {self.verdict}, {self.passed} of {self.runs}"


class ReportList(msgspec.Struct, frozen=True):
    """What `reports --json` prints; the reports with the newest first."""

    engines: list[EngineStatus]
    reports: list[StoredReport]


@dataclass(frozen=True, slots=True)
class Conformance:
    """The statuses and reports as they were read last."""

    engines: tuple[EngineStatus, ...] = ()
    reports: tuple[StoredReport, ...] = ()

    def status(self, engine: str) -> EngineStatus | None:
        """Return the status of an engine of the picker; None before the reports were read.

        An engine that has several models is listed with that of its profile first.
        """
        name = name_in_reports(engine)
        found = next((each for each in self.engines if each.engine == name), None)
        if found is None and self.engines:
            return EngineStatus(name, "", Standing.NONE, ["It was never checked."])
        return found

    def reports_of(self, engine: str, faults: Sequence[str] = ()) -> list[StoredReport]:
        """Return the reports about an engine, the newest first."""
        name = name_in_reports(engine, faults)
        return [report for report in self.reports if report.engine == name]


def name_in_reports(engine: str, faults: Sequence[str] = ()) -> str:
    """Return the name under which an engine of the picker stands in reports."""
    name = name_of_address(engine) if is_address(engine) else engine
    return f"{name} with {', '.join(faults)}" if faults else name


def short_text(status: EngineStatus, now: datetime | None = None) -> str:
    """Return a status in two or three words: ``passed 23:51``."""
    match status.state:
        case Standing.NONE:
            return "not checked"
        case Standing.STALE:
            return "stale"
        case Standing.INCONCLUSIVE | Standing.FAILED:
            return f"{status.passed} of {status.runs} passed"
    return f"passed {when_text(status.finished_at or '', now)}".strip()


def long_text(status: EngineStatus) -> str:
    """Return a status in sentences, for a tool tip."""
    lines = [f"{status.engine} {status.model}".strip()]
    if status.finished_at is not None:
        lines.append(
            f"{status.passed} of {status.runs} runs passed on {when_text(status.finished_at, exact=True)}, "
            f"suite {status.suite_version}."
        )
    lines += status.why
    return "\n".join(lines)


def when_text(iso: str, now: datetime | None = None, *, exact: bool = False) -> str:
    """Return a time of this place: ``23:51`` today, else ``30 Nov``; with `exact` always both."""
    try:
        then = datetime.fromisoformat(iso).astimezone()
    except ValueError:
        return ""
    now = now or datetime.now().astimezone()
    day, clock = f"{then.day} {then:%b}" + (f" {then.year}" if then.year != now.year else ""), f"{then:%H:%M}"
    if exact:
        return f"{day}, {clock}"
    return clock if then.date() == now.date() else day
