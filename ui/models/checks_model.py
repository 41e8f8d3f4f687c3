"""The matrix of checks by turn-detection mode, kept up from the progress lines and the report of a run. No Qt here."""

import enum
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec


class CellState(enum.StrEnum):
    """Where a check stands in one mode; the text is what the cell says."""

    NOT_RUN = "not run"
    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    PASSED = "passed"
    FAILED = "failed"
    INCONCLUSIVE = "inconclusive"
    STOPPED = "stopped"


UNDER_WAY = frozenset({CellState.QUEUED, CellState.RUNNING, CellState.WAITING})
FINISHED = frozenset({CellState.PASSED, CellState.FAILED, CellState.INCONCLUSIVE})


class CheckInfo(msgspec.Struct, frozen=True, rename="camel"):
    """A check that this build has."""

    id: str
    description: str = ""
    per_turn_detection: bool = False


class Measurement(msgspec.Struct, frozen=True):
    """One figure of a verdict against its threshold."""

    name: str
    value: float | int | str | bool | None = None
    unit: str = ""
    threshold: float | int | str | None = None
    start: str | int | None = msgspec.field(name="from", default=None)
    end: str | int | None = msgspec.field(name="to", default=None)


class Progress(msgspec.Struct, frozen=True, rename="camel"):
    """A progress line of a run."""

    progress: str
    check: str
    turn_detection: str | None = None
    repeat: int = 1
    waiting_for: str | None = None
    verdict: str | None = None
    reasons: list[str] = []
    warnings: list[str] = []
    measurements: list[Measurement] = []
    record: str | None = None


class Result(msgspec.Struct, frozen=True, rename="camel"):
    """A result in a report."""

    check: str
    verdict: str
    turn_detection: str | None = None
    reasons: list[str] = []
    warnings: list[str] = []
    measurements: list[Measurement] = []
    clause: str = ""
    record: str | None = None
    attempts: int = 1


class Spread(msgspec.Struct, frozen=True):
    """One figure over all runs of a check in one mode."""

    name: str
    unit: str = ""
    threshold: float | int | None = None
    min: float = 0
    median: float = 0
    max: float = 0


class Repeats(msgspec.Struct, frozen=True, rename="camel"):
    """All runs of a check in one mode."""

    check: str
    turn_detection: str | None = None
    spread: list[Spread] = []


class CheckList(msgspec.Struct, frozen=True):
    """What `check --list --json` prints."""

    checks: list[CheckInfo]


class ReportResults(msgspec.Struct, frozen=True):
    """The part of a report that the matrix shows."""

    results: list[Result]
    repeats: list[Repeats] = []


CellKey = tuple[str, str | None]
"""A check's id, and the turn-detection mode or None where the check has no modes."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What is known of one check in one mode; of several runs, what the worst of them said."""

    state: CellState = CellState.NOT_RUN
    runs: int = 1
    """How many were asked for."""
    outcomes: tuple[CellState, ...] = ()
    """How each ended."""
    waiting_for: str = ""
    reasons: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    measurements: tuple[Measurement, ...] = ()
    clause: str = ""
    record: Path | None = None
    spreads: tuple[Spread, ...] = ()
    attempts: int = 1
    """How many it took, by the report; of several runs, the most. What the earlier attempts lacked is not reported."""

    @property
    def word(self) -> str:
        """The state as a person says it: ``passed, 2nd attempt``."""
        if self.state not in FINISHED or self.attempts < 2 or self.runs > 1:
            return self.state.value
        ordinal = {2: "2nd", 3: "3rd"}.get(self.attempts, f"{self.attempts}th")
        return f"{self.state.value}, {ordinal} attempt"

    @property
    def tally(self) -> str:
        """How many of several runs passed: ``4 of 5 passed``; nothing for a single run."""
        if self.runs == 1:
            return ""
        passed = self.outcomes.count(CellState.PASSED)
        if len(self.outcomes) < self.runs and self.state in UNDER_WAY:
            return f"{passed} of {len(self.outcomes)} passed, {self.runs - len(self.outcomes)} to go"
        tried = f", up to {self.attempts} attempts each" if self.attempts > 1 else ""
        return f"{passed} of {len(self.outcomes)} passed{tried}"


@dataclass(slots=True)
class ChecksModel:
    """The checks of this build in the order of the suite, and a cell for each check and mode."""

    modes: tuple[str, ...]
    checks: list[CheckInfo] = field(default_factory=list)
    cells: dict[CellKey, Cell] = field(default_factory=dict)

    def set_checks(self, checks: Iterable[CheckInfo]) -> None:
        """Give the checks that exist; cells of checks that are still there are kept."""
        self.checks = list(checks)
        self.cells = {key: self.cells.get(key, Cell()) for key in self.all_keys()}

    def all_keys(self) -> list[CellKey]:
        """Return the keys of all cells, row by row."""
        return [
            (check.id, mode) for check in self.checks for mode in (self.modes if check.per_turn_detection else (None,))
        ]

    def begin(self, keys: Iterable[CellKey], runs: int = 1) -> None:
        """Queue cells for a number of runs each: what they said before belongs to another run."""
        for key in keys:
            self.cells[key] = Cell(CellState.QUEUED, runs)

    def take_progress(self, line: Progress, records_folder: Path) -> CellKey | None:
        """Apply a progress line; returns the key of the cell that changed, or None for a check not in the matrix."""
        key = (line.check, line.turn_detection)
        cell = self.cells.get(key)
        if cell is None:
            return None
        if line.progress == "finished":
            found = Cell(
                state=_verdict(line.verdict),
                reasons=tuple(line.reasons),
                warnings=tuple(line.warnings),
                measurements=tuple(line.measurements),
                record=_record_path(line.record, records_folder),
            )
            self.cells[key] = _with_run(cell, found)
        elif line.progress != "queued" or not cell.outcomes:
            state = _UNDER_WAY.get(line.progress, CellState.RUNNING)
            self.cells[key] = replace(cell, state=state, waiting_for=line.waiting_for or "")
        return key

    def take_report(self, report: ReportResults, records_folder: Path) -> None:
        """Apply the report of a run, which has everything that the lines had, and clauses and spreads."""
        told = {
            key: self.cells[key]
            for key in {(each.check, each.turn_detection) for each in report.results}
            if key in self.cells
        }
        for key, cell in told.items():
            self.cells[key] = Cell(runs=cell.runs)
        for result in report.results:
            key = (result.check, result.turn_detection)
            if key in told:
                found = Cell(
                    state=_verdict(result.verdict),
                    reasons=tuple(result.reasons),
                    warnings=tuple(result.warnings),
                    measurements=tuple(result.measurements),
                    clause=result.clause,
                    record=_record_path(result.record, records_folder) or told[key].record,
                    attempts=result.attempts,
                )
                self.cells[key] = _with_run(self.cells[key], found)
        for each in report.repeats:
            key = (each.check, each.turn_detection)
            if key in told and self.cells[key].runs > 1:
                self.cells[key] = replace(self.cells[key], spreads=tuple(each.spread))

    def end(self) -> None:
        """Close a run: cells that it never finished were stopped."""
        for key, cell in self.cells.items():
            if cell.state in UNDER_WAY:
                self.cells[key] = replace(cell, state=CellState.STOPPED, waiting_for="")

    def count(self, state: CellState) -> int:
        """Return how many cells are in a state."""
        return sum(cell.state is state for cell in self.cells.values())


_WORST_LAST = (CellState.PASSED, CellState.INCONCLUSIVE, CellState.FAILED)


def _with_run(cell: Cell, run: Cell) -> Cell:
    """Return the cell after one more of its runs ended: it shows the worst, the first of equals."""
    outcomes = (*cell.outcomes, run.state)
    shown = run
    if cell.outcomes and _WORST_LAST.index(run.state) <= max(map(_WORST_LAST.index, cell.outcomes)):
        shown = replace(cell, waiting_for="")
    state = max(outcomes, key=_WORST_LAST.index) if len(outcomes) >= cell.runs else CellState.RUNNING
    attempts = max(cell.attempts, run.attempts)
    return replace(shown, state=state, runs=cell.runs, outcomes=outcomes, attempts=attempts)


_UNDER_WAY = {"queued": CellState.QUEUED, "running": CellState.RUNNING, "waiting": CellState.WAITING}


def _verdict(text: str | None) -> CellState:
    try:
        state = CellState(text or "")
    except ValueError:
        return CellState.INCONCLUSIVE
    return state if state in FINISHED else CellState.INCONCLUSIVE


def _record_path(record: str | None, folder: Path) -> Path | None:
    """Records are named relative to the report or lie in the folder of the records."""
    if record is None:
        return None
    path = Path(record)
    if path.is_absolute():
        return path
    return folder / path if (folder / path).exists() else folder / path.name


def title_of(key: CellKey) -> str:
    """Return a cell's name as a person says it: ``barge_in · server_vad``."""
    check, mode = key
    return f"{check} · {mode}" if mode else check


def measurement_text(value: Any, unit: str) -> str:
    """Return a figure with its unit, whole where it is whole."""
    if value is None:
        return "—"
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = f"{value:.1f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
    return f"{text} {unit}".strip()
