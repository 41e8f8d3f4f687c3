"""Figures that several places tell of a series of measured values, computed in one way. Pure."""

import math
from collections.abc import Sequence


def p95(values: Sequence[float]) -> float:
    """Return the 95th percentile by nearest rank: with fewer than 20 values the largest one. There must be one."""
    return sorted(values)[math.ceil(0.95 * len(values)) - 1]
