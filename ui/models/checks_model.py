"""The matrix of checks by turn-detection mode, kept up from the progress lines and the report of a run. No Qt here."""

import enum
from collections.abc import Iterable
from dataclasses import dataclass, field
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


class CheckList(msgspec.Struct, frozen=True):
    """What `check --list --json` prints."""

    checks: list[CheckInfo]


class ReportResults(msgspec.Struct, frozen=True):
    """The part of a report that the matrix shows."""

    results: list[Result]


CellKey = tuple[str, str | None]
"""A check's id, and the turn-detection mode or None where the check has no modes."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What is known of one check in one mode."""

    state: CellState = CellState.NOT_RUN
    waiting_for: str = ""
    reasons: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    measurements: tuple[Measurement, ...] = ()
    clause: str = ""
    record: Path | None = None


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

    def begin(self, keys: Iterable[CellKey]) -> None:
        """Queue cells: what they said before belongs to another run."""
        for key in keys:
            self.cells[key] = Cell(CellState.QUEUED)

    def take_progress(self, line: Progress, records_folder: Path) -> CellKey | None:
        """Apply a progress line; returns the key of the cell that changed, or None for a check not in the matrix."""
        key = (line.check, line.turn_detection)
        if key not in self.cells:
            return None
        if line.progress == "finished":
            self.cells[key] = Cell(
                state=_verdict(line.verdict),
                reasons=tuple(line.reasons),
                warnings=tuple(line.warnings),
                measurements=tuple(line.measurements),
                record=_record_path(line.record, records_folder),
            )
        else:
            self.cells[key] = Cell(_UNDER_WAY.get(line.progress, CellState.RUNNING), waiting_for=line.waiting_for or "")
        return key

    def take_report(self, results: Iterable[Result], records_folder: Path) -> None:
        """Apply the report of a run, which has everything that the lines had, and the clause."""
        for result in results:
            key = (result.check, result.turn_detection)
            if key in self.cells:
                self.cells[key] = Cell(
                    state=_verdict(result.verdict),
                    reasons=tuple(result.reasons),
                    warnings=tuple(result.warnings),
                    measurements=tuple(result.measurements),
                    clause=result.clause,
                    record=_record_path(result.record, records_folder) or self.cells[key].record,
                )

    def end(self) -> None:
        """Close a run: cells that it never finished were stopped."""
        for key, cell in self.cells.items():
            if cell.state in UNDER_WAY:
                self.cells[key] = Cell(CellState.STOPPED)

    def count(self, state: CellState) -> int:
        """Return how many cells are in a state."""
        return sum(cell.state is state for cell in self.cells.values())


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
