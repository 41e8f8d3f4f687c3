"""Figures of the benchmarks: percentiles by nearest rank, and what counts as a goal that was met."""

import math
from pathlib import Path

import pytest

from bench.__main__ import discover, is_only_when_named
from bench.figures import Figure, percentile, table

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("samples", "percent", "expected"),
    [
        ([3.0], 99, 3.0),
        ([2.0, 1.0], 50, 1.0),
        ([5.0, 1.0, 3.0], 50, 3.0),
        ([float(n) for n in range(1, 101)], 99, 99.0),
        ([float(n) for n in range(1, 1001)], 99, 990.0),
        ([float(n) for n in range(1, 51)], 99, 50.0),
    ],
)
def test_a_percentile_is_the_smallest_sample_that_so_many_do_not_exceed(
    samples: list[float], percent: float, expected: float
) -> None:
    assert percentile(samples, percent) == expected


def test_a_goal_is_met_when_it_is_reached_exactly_and_one_in_a_hundred_may_exceed_it() -> None:
    assert Figure("cut", 5, "ms", [5.0] * 99 + [70.0]).is_met


def test_a_goal_is_missed_when_two_in_a_hundred_exceed_it() -> None:
    assert not Figure("cut", 5, "ms", [5.0] * 98 + [5.1, 70.0]).is_met


@pytest.mark.parametrize("samples", [[], [math.nan], [1.0] * 200 + [math.nan]])
def test_what_was_not_measured_is_missed(samples: list[float]) -> None:
    assert not Figure("cut", 5, "ms", samples).is_met


def test_the_table_says_how_many_samples_what_they_were_and_what_was_wanted() -> None:
    lines = table([Figure("cut", 5, "ms", [1.0, 2.0, 3.0]), Figure("window opens", 1.5, "s", [2.25])]).splitlines()
    assert [line.split() for line in lines] == [
        ["figure", "n", "median", "p99", "goal"],
        ["cut", "3", "2.00", "3.00", "at", "most", "5", "ms", "met"],
        ["window", "opens", "1", "2.25", "2.25", "at", "most", "1.5", "s", "MISSED"],
    ]


def test_the_architecture_lists_every_benchmark_and_marks_those_that_run_only_when_named() -> None:
    folder = ROOT / "bench"
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    for name in discover(folder):
        assert f"`{name}`" in text, name
        assert (f"`{name}`*" in text) is is_only_when_named(folder / f"{name}.py"), name
