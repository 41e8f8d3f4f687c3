"""The same check several times: how many runs passed, and how far each measurement spread."""

from collections.abc import Iterable
from statistics import median
from typing import TYPE_CHECKING

import msgspec

from simulator.conformance.check import Verdict

if TYPE_CHECKING:
    from simulator.conformance.report import Result

Cell = tuple[str, str | None]
"""A check, and the turn detection it ran with."""


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """All values of one measurement, over all runs of a check in one mode."""

    name: str
    unit: str
    threshold: int | float | None = None
    count: int
    min: float
    median: float
    max: float


class Repeats(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """All runs of one check in one mode: `passed` of `runs`."""

    check: str
    turn_detection: str | None
    runs: int
    passed: int
    failed: int
    inconclusive: int
    spread: list[Spread]


def by_cell(results: Iterable["Result"]) -> dict[Cell, list["Result"]]:
    """Return the results of each check and mode, in the order in which these first appear."""
    cells: dict[Cell, list[Result]] = {}
    for result in results:
        cells.setdefault((result.check, result.turn_detection), []).append(result)
    return cells


def summarise(results: Iterable["Result"]) -> list[Repeats]:
    """Return how often each check passed, and the spread of what it measured."""
    return [_summary(cell, runs) for cell, runs in by_cell(results).items()]


def _summary(cell: Cell, runs: list["Result"]) -> Repeats:
    verdicts = [run.verdict for run in runs]
    return Repeats(
        check=cell[0],
        turn_detection=cell[1],
        runs=len(runs),
        passed=verdicts.count(Verdict.PASSED),
        failed=verdicts.count(Verdict.FAILED),
        inconclusive=verdicts.count(Verdict.INCONCLUSIVE),
        spread=_spreads(runs),
    )


def _spreads(runs: list["Result"]) -> list[Spread]:
    values: dict[tuple[str, str], list[float]] = {}
    thresholds: dict[tuple[str, str], int | float | None] = {}
    for measured in (each for run in runs for each in run.measurements):
        key = measured.name, measured.unit
        values.setdefault(key, []).append(measured.value)
        thresholds.setdefault(key, measured.threshold)
    return [
        Spread(
            name=key[0],
            unit=key[1],
            threshold=thresholds[key],
            count=len(found),
            min=min(found),
            median=round(median(found), 1),
            max=max(found),
        )
        for key, found in values.items()
    ]
