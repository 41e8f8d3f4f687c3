"""The whole fault matrix: every fault and oddity with every check, in both modes. It takes about a quarter of an hour.

A fault must turn its checks red, each with the reason that names the broken clause, and no other; an oddity none. Where
a fault keeps the session's settings from ever being in force, the other checks cannot be judged, and must say so.
"""

import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from bench.figures import Figure
from simulator.conformance.check import Verdict
from simulator.conformance.report import Result
from simulator.engine.faults import FAULT, Fault, catalogue
from tests.conformance.fault_matrix import CHECKS, Cell, catches, cells_of, run_cells

_SIGNS = {Verdict.PASSED: "·", Verdict.FAILED: "x", Verdict.INCONCLUSIVE: "?"}


def run() -> Iterable[Figure]:
    """Run and print the matrix; yield what it got wrong."""
    faults: list[Fault | None] = [None, *catalogue().values()]
    cells = {"" if fault is None else fault.name: cells_of(fault) for fault in faults}
    everything = [each for row in cells.values() for each in row]
    done = 0

    def tell(_cell: Cell, _result: Result) -> None:
        nonlocal done
        done += 1
        if done % 100 == 0 or done == len(everything):
            print(f"{done} of {len(everything)} runs", file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory() as folder:
        results = run_cells(everything, Path(folder), tell)
    print(_table(cells, results))
    missed, spurious = _wrong(faults, cells, results)
    yield Figure("checks that missed a fault or named another clause", 0, "runs", [missed])
    yield Figure("checks that minded what they must not mind", 0, "runs", [spurious])


def _wrong(
    faults: Iterable[Fault | None], cells: dict[str, list[Cell]], results: dict[Cell, Result]
) -> tuple[int, int]:
    """Print what was not as it must be, and return how many were missed and how many were minded without reason."""
    missed = spurious = 0
    for fault in faults:
        for each in cells["" if fault is None else fault.name]:
            result = results[each]
            if fault is not None and fault.kind == FAULT and each.check in fault.checks:
                right = catches(result, fault.clause)
                missed += not right
            else:
                right = result.verdict is Verdict.PASSED or _never_in_force(result)
                spurious += not right
            if not right:
                print(f"WRONG {each}: {result.verdict} {result.reasons}")
    return missed, spurious


def _never_in_force(result: Result) -> bool:
    return result.verdict is Verdict.INCONCLUSIVE and all("was ever acknowledged" in each for each in result.reasons)


def _table(cells: dict[str, list[Cell]], results: dict[Cell, Result]) -> str:
    """Return a line for each fault: passed ·, failed x, not judged ?; two signs where a check runs in both modes."""
    lines = [f"{'':44}{' '.join(check[:14].ljust(14) for check in CHECKS)}"]
    for name, row in cells.items():
        signs = ("".join(_SIGNS[results[each].verdict] for each in row if each.check == check) for check in CHECKS)
        lines.append(f"{(name or 'clean')[:43]:44}{' '.join(sign.ljust(14) for sign in signs)}".rstrip())
    return "\n".join(lines)
