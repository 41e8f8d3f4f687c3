"""Runs checks against faults, many at a time: nearly all of a run is waiting, so that one process holds twenty."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from simulator.conformance.check import Verdict
from simulator.conformance.checks import discover
from simulator.conformance.report import Result
from simulator.conformance.suite import MODES, run_suite
from simulator.engine.faults import Fault
from tests.conformance.fault_host import fault_host, target

JOBS: Final = 20
FEW_JOBS: Final = 4
CHECKS: Final = discover()

_SLOW: Final = ("barge_in", "listening_pause", "listening_pause_silent", "engine_turn", "cancel", "function_call")


@dataclass(frozen=True, slots=True)
class Cell:
    """One check in one mode (None where it runs once in all) against one fault; without a fault, the clean engine."""

    fault: str
    check: str
    mode: str | None

    def __str__(self) -> str:
        return " ".join(part for part in (self.fault or "clean", self.check, self.mode) if part)


def cell(fault: Fault, check: str) -> Cell:
    """Return the cell of a fault and a check, in the first mode in which the fault shows."""
    return Cell(fault.name, check, fault.modes[0] if CHECKS[check].per_turn_detection else None)


def cells_of(fault: Fault | None) -> list[Cell]:
    """Return the cells of a fault with all checks, in all modes in which it shows."""
    name, modes = ("", MODES) if fault is None else (fault.name, fault.modes)
    return [
        Cell(name, check.id, mode)
        for check in CHECKS.values()
        for mode in (modes if check.per_turn_detection else (None,))
    ]


def run_cells(
    cells: Iterable[Cell], folder: Path, on_result: Callable[[Cell, Result], None] = lambda *_: None, jobs: int = JOBS
) -> dict[Cell, Result]:
    """Run the cells, each on a session of its own, long ones first, and return their results.

    What this computer was too busy for is run again, with few others beside it.
    """
    queue = sorted(dict.fromkeys(cells), key=lambda each: each.check not in _SLOW)
    with fault_host() as url:
        results = asyncio.run(_run_all(url, queue, folder, on_result, jobs))
        again = [each for each, result in results.items() if _was_busy(result)]
        return results | asyncio.run(_run_all(url, again, folder, on_result, FEW_JOBS))


def _was_busy(result: Result) -> bool:
    return result.verdict is Verdict.INCONCLUSIVE and any("computer was busy" in reason for reason in result.reasons)


async def _run_all(
    url: str, queue: list[Cell], folder: Path, on_result: Callable[[Cell, Result], None], jobs: int
) -> dict[Cell, Result]:
    results: dict[Cell, Result] = {}
    turns = asyncio.Semaphore(jobs)

    async def take(each: Cell) -> None:
        async with turns:
            report = await run_suite(
                target(url, *filter(None, [each.fault])),
                only=[each.check],
                turn_detections=[each.mode] if each.mode else [],
                records_dir=folder / (each.fault or "clean") / (each.mode or "once"),
            )
            (results[each],) = report.results
            on_result(each, results[each])

    async with asyncio.TaskGroup() as group:
        for each in queue:
            group.create_task(take(each))
    return results


def catches(result: Result, clause: str) -> bool:
    """Whether a check failed for the reason that names a clause."""
    return result.verdict is Verdict.FAILED and any(reason.startswith(f"{clause}: ") for reason in result.reasons)
