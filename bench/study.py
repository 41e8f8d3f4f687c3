"""How long a large study takes: 2,000 steps of many kinds are loaded, with pictures and answers, and written again."""

import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from bench.figures import Figure
from simulator.study.loading import load_study
from simulator.study.study_writing import write_study

ITEMS: Final = 2_000
_TIMES: Final = 5

_KINDS: Final = (
    "part: {{name: Part {n}, guidance: Be brief in part {n}.}}",
    "screen: {{type: showimage, text: Look at number {n}., images: [{{file: face.png, shows: face {n}}}]}}",
    "question: {{component: likertscale, config: {{question: Question {n}, scale: 7}}, own_answer: 5}}",
    "question: {{component: ranking, config: {{question: Order {n}, options: [A, B, C]}}, own_answer: [C, B, A]}}",
    "rating_pause: {{component: rapidrate, config: {{prompt: Now {n}, dimensions: [{{label: A}}, {{label: B}}]}}}}",
    "typed: {{speaker: Alex, said: This is line {n} of the chat.}}",
    "say: {{text: This is sentence {n}.}}",
    "revealed: {{name: Alex, role: A, answer: {n}}}",
    "timer: {n}",
    "pause: [Alex (A)]",
)


def run() -> Iterable[Figure]:
    """Measure, and return the figures."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.yaml"
        path.with_name("face.png").write_bytes(b"\x89PNG\r\n\x1a\n")
        lines = [f"  - {_KINDS[number % len(_KINDS)].format(n=number)}\n" for number in range(ITEMS)]
        head = "format: participant-simulator/study\nversion: 1\nname: Large\nsteps:\n"
        path.write_text(head + "".join(lines), encoding="utf-8")
        study = load_study(path).study
        assert len(study.steps) == ITEMS
        yield Figure(f"a study of {ITEMS:,} items: load", 1.0, "s", _seconds(lambda: load_study(path)))
        yield Figure(f"a study of {ITEMS:,} items: write", 2.0, "s", _seconds(lambda: write_study(study, path)))


def _seconds(work: Callable[[], object]) -> list[float]:
    times = []
    for _ in range(_TIMES):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return times
