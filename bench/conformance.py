"""The clean suite, fifty times over: a suite that is right says passed each time."""

import asyncio
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from bench.figures import Figure
from simulator.conformance.check import Verdict
from simulator.conformance.report import Report
from simulator.conformance.suite import Progress, run_suite
from simulator.conformance.wire import Target
from simulator.engines.embedded import EmbeddedEngine

REPEATS = 50
JOBS = 15


def run() -> Iterable[Figure]:
    """Repeat the suite, print how often each check passed, and yield what did not pass."""
    report = asyncio.run(_repeated())
    passed: Counter[tuple[str, str]] = Counter()
    for result in report.results:
        passed[result.check, result.turn_detection or ""] += result.verdict is Verdict.PASSED
        if result.verdict is not Verdict.PASSED:
            print(f"{result.check} {result.turn_detection or ''}: {result.verdict} {result.reasons}")
    for (check, mode), count in passed.items():
        print(f"{check:24} {mode:14} {count} of {REPEATS}")
    yield Figure("clean runs that did not pass", 0, "runs", [len(report.results) - sum(passed.values())])
    yield Figure("attempts of a run", 3, "attempts", [result.attempts for result in report.results])


async def _repeated() -> Report:
    done = 0

    def tell(progress: Progress) -> None:
        nonlocal done
        if progress.progress == "finished":
            done += 1
            if done % 75 == 0:
                print(f"{done} runs", file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory() as folder:
        async with EmbeddedEngine() as url:
            return await run_suite(
                Target(url, engine_name="embedded"),
                jobs=JOBS,
                repeat=REPEATS,
                records_dir=Path(folder),
                on_progress=tell,
            )
