"""What a check is, and how a judgement comes about.

A check is a driver and a judge that know nothing of each other but the record between them. The judge is a pure
function: it states failures (the engine broke the clause), doubts (the clause could not be tried) and warnings, and
leaves measurements. The verdict follows from these, in this order:

1. a fault that is not the engine's (late sends, a lost connection, a rate limit), or its closing of the connection:
   inconclusive;
2. any failure: failed;
3. any doubt, or a judge that did not get to its end: inconclusive;
4. otherwise passed. So nothing passes without the evidence that its clause names.
"""

import enum
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from simulator.conformance.driver import Driver
from simulator.conformance.evidence import Evidence
from simulator.profile.facts import THRESHOLDS, Thresholds
from simulator.record.entries import Direction, Entry
from simulator.record.fields import milliseconds
from simulator.units import NS_PER_MS


class Verdict(enum.StrEnum):
    """The three outcomes. Inconclusive never counts as passed."""

    PASSED = "passed"
    FAILED = "failed"
    INCONCLUSIVE = "inconclusive"


class Clause(NamedTuple):
    """One thing that an engine must do. The reason for a failure begins with the name of the clause that was broken."""

    name: str
    demand: str


class Measurement(msgspec.Struct, frozen=True, kw_only=True):
    """One measured value, the limit it was held against, and the two events it lies between."""

    name: str
    value: float
    unit: str
    threshold: int | float | None = None
    start: str | None = msgspec.field(default=None, name="from")
    end: str | None = msgspec.field(default=None, name="to")


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a record shows about one check."""

    verdict: Verdict
    reasons: list[str]
    warnings: list[str]
    measurements: list[Measurement]
    readings: dict[str, str]
    """How the engine reads what the specification leaves open."""
    broken: list[str]
    """Names of the clauses that were broken, in the order in which that was found."""
    worth_retrying: bool
    """The clause could not be tried this time, and another attempt may succeed."""


class NothingToJudge(Exception):
    """Ends a judge early: what comes next in its clause has no evidence. The reason is in the findings."""


@dataclass(slots=True)
class Findings:
    """What a judge states, as it goes through its clause."""

    evidence: Evidence
    limits: Thresholds = THRESHOLDS
    faults: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    measurements: list[Measurement] = field(default_factory=list)
    readings: dict[str, str] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)
    worth_retrying: bool = False
    hopeless: bool = False
    """A fault that another attempt would meet again."""

    def fail(self, clause: Clause, reason: str) -> None:
        """The engine broke the clause."""
        self.failures.append(f"{clause.name}: {reason}")
        if clause.name not in self.broken:
            self.broken.append(clause.name)

    def doubt(self, reason: str, *, retry: bool = False) -> None:
        """The clause could not be tried; `retry` where another attempt may meet its precondition."""
        self.doubts.append(reason)
        self.worth_retrying |= retry

    def fault(self, reason: str, *, retry: bool = False) -> None:
        """Something that is not the engine's doing spoilt the run."""
        self.faults.append(reason)
        self.worth_retrying |= retry
        self.hopeless |= not retry

    def warn(self, text: str) -> None:
        """Worth telling, and no failure."""
        self.warnings.append(text)

    def stop(self) -> NothingToJudge:
        """Return the exception that ends the judge: ``raise findings.stop()`` after the reason was stated."""
        return NothingToJudge()

    def measure(
        self,
        name: str,
        value: float,
        unit: str,
        *,
        limit: float | None = None,
        start: Entry | None = None,
        end: Entry | None = None,
    ) -> None:
        """Keep a value, rounded to a tenth."""
        self.measurements.append(
            Measurement(
                name=name,
                value=round(float(value), 1),
                unit=unit,
                threshold=limit,
                start=None if start is None else label(start),
                end=None if end is None else label(end),
            )
        )

    def at_most(self, clause: Clause, name: str, start: Entry, end: Entry, limit_ms: float) -> float:
        """Measure the time between two entries, and fail where it is longer than the limit."""
        value_ms = milliseconds(start, end)
        self.measure(name, value_ms, "ms", limit=limit_ms, start=start, end=end)
        if value_ms > limit_ms:
            self.fail(
                clause, f"{name} took {value_ms:.0f} ms, {limit_ms:.0f} at most ({label(start)} to {label(end)})."
            )
        return value_ms

    def covers(self, since: Entry, within_ms: float) -> bool:
        """Whether the record goes on for so long after an entry."""
        return self.evidence.end_ns >= since.t_ns + within_ms * NS_PER_MS

    def need(
        self,
        clause: Clause,
        found: Entry | None,
        what: str,
        *,
        since: Entry,
        within_ms: float,
        over: Entry | None = None,
    ) -> Entry:
        """Return `found`, or state that `what`, which the clause demands, never came and end the judge.

        It is a failure where the record went on for `within_ms` after `since`, where a response failed, or where the
        event `over` says that it cannot come any more; else a doubt.
        """
        if found is not None:
            return found
        failed = next((each for each in self.evidence.responses.values() if each.status == "failed"), None)
        if failed is not None and failed.done is not None:
            said = f": {failed.failure}" if failed.failure else ""
            self.fail(clause, f"No {what} came, because the response failed ({label(failed.done)}{said}).")
        elif over is not None:
            self.fail(clause, f"No {what} came before {over.type} ({label(over)}).")
        elif self.covers(since, within_ms):
            self.fail(clause, f"No {what} came within {within_ms:.0f} ms of {label(since)}{self._last_error(since)}.")
        else:
            self.doubt(f"No {what} came before the record ended.", retry=True)
        raise self.stop()

    def _last_error(self, since: Entry) -> str:
        errors = list(self.evidence.all(Direction.RECEIVED, "error", since=since.seq))
        message = errors[-1].event.get("error") if errors else None
        said = message.get("message") if isinstance(message, dict) else None
        return f"; the engine said “{said}” ({label(errors[-1])})" if isinstance(said, str) else ""


def label(entry: Entry) -> str:
    """Return how reports name an entry."""
    return f"event {entry.seq}"


@dataclass(frozen=True, slots=True)
class Check:
    """One check of the suite: a file in `checks/` holds one as ``CHECK``."""

    id: str
    clause: str
    """What the engine must do, in one or two sentences of our own."""
    per_turn_detection: bool
    """Whether it runs once per turn detection or once in all."""
    clauses: tuple[Clause, ...]
    """What that means one by one, besides what holds in every check (rules.RULES)."""
    drive: Callable[[Driver], Awaitable[None]]
    judge: Callable[[Findings], None]
