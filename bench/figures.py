"""A figure: something measured many times, and the goal that its 99th percentile has to keep."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """Samples of one quantity in `unit`, which shall be at most `goal` at the 99th percentile.

    A quantity that is measured once, or whose every sample counts, has its largest sample as 99th percentile.
    """

    name: str
    goal: float
    unit: str
    samples: Sequence[float]

    @property
    def median(self) -> float:
        """Return the smallest sample that at least half of the samples do not exceed."""
        return percentile(self.samples, 50)

    @property
    def p99(self) -> float:
        """Return the smallest sample that at least 99 % of the samples do not exceed."""
        return percentile(self.samples, 99)

    @property
    def is_met(self) -> bool:
        """Return whether the goal was kept; a figure without samples was not measured, so it was not."""
        return len(self.samples) > 0 and self.p99 <= self.goal


def percentile(samples: Sequence[float], percent: float) -> float:
    """Return the nearest-rank percentile, always one of the samples; nan where there is none or one is nan."""
    if not samples or any(math.isnan(sample) for sample in samples):
        return math.nan
    rank = math.ceil(percent / 100 * len(samples))
    return sorted(samples)[max(rank, 1) - 1]


def table(figures: Iterable[Figure]) -> str:
    """Return the figures as lines of text, one a figure, under a heading."""
    rows = [("figure", "n", "median", "p99", "goal", "")]
    rows += [
        (
            figure.name,
            str(len(figure.samples)),
            f"{figure.median:.2f}",
            f"{figure.p99:.2f}",
            f"at most {figure.goal:g} {figure.unit}",
            "met" if figure.is_met else "MISSED",
        )
        for figure in figures
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join("  ".join(map(_padded, row, widths, "<>>><<")).rstrip() for row in rows)


def _padded(text: str, width: int, alignment: str) -> str:
    return f"{text:{alignment}{width}}"
