"""The clean suite, fifty times over, each time against an engine just started: a suite that is right passes each time.

It takes about a quarter of an hour, since every check runs in real time.
"""

import asyncio
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from bench.figures import Figure
from simulator.conformance.check import Verdict
from simulator.conformance.report import Report
from simulator.conformance.suite import run_suite
from simulator.conformance.wire import Target
from simulator.engines.embedded import EmbeddedEngine

REPEATS = 50
JOBS = 15
SUITE_S = 60.0
OVER_LONGEST = 1.3


class _Timed(NamedTuple):
    """One suite: its report, how long it took, and how long it took with the start of the engine before it."""

    report: Report
    suite_s: float
    all_s: float


def run() -> Iterable[Figure]:
    """Repeat the suite, print how often each check passed, and yield what did not pass and how long it took."""
    suites = asyncio.run(_repeated())
    results = [result for suite in suites for result in suite.report.results]
    passed: Counter[tuple[str, str]] = Counter()
    for result in results:
        passed[result.check, result.turn_detection or ""] += result.verdict is Verdict.PASSED
    for (check, mode), count in passed.items():
        print(f"{check:24} {mode:14} {count} of {REPEATS}")
    yield Figure("clean runs that did not pass", 0, "runs", [len(results) - sum(passed.values())])
    yield Figure("attempts of a run", 3, "attempts", [result.attempts for result in results])
    yield Figure("whole suite, engine's start included", SUITE_S, "s", [suite.all_s for suite in suites])
    over = [suite.suite_s / _longest_s(suite.report) for suite in suites]
    yield Figure("whole suite over its longest run", OVER_LONGEST, "times", over)


async def _repeated() -> list[_Timed]:
    suites = []
    for number in range(1, REPEATS + 1):
        suites.append(await _once())
        print(f"{number} of {REPEATS}: {suites[-1].report.verdict}", file=sys.stderr, flush=True)
        for result in suites[-1].report.results:
            if result.verdict is not Verdict.PASSED or result.attempts > 1:
                name = f"{result.check} {result.turn_detection or ''}"
                print(f"{number}: {name}: {result.verdict} at attempt {result.attempts} {result.reasons}")
    return suites


async def _once() -> _Timed:
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        async with EmbeddedEngine() as url:
            target = Target(url, engine_name="embedded")
            ready = time.monotonic()
            report = await run_suite(target, jobs=JOBS, records_dir=Path(folder))
            done = time.monotonic()
            return _Timed(report, done - ready, done - began)


def _longest_s(report: Report) -> float:
    return max(result.duration_ms for result in report.results) / 1000
