"""The values at which a scale can be set, counted from its lowest in decimals, so that 3 steps of 0.1 are 0.3."""

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

MOST_STEPS: Final = 10_000
_FINE: Final = 100
"""Steps of a range whose config names none and whose ends are not whole."""


@dataclass(frozen=True, slots=True)
class ScaleSteps:
    """`steps` equal steps of `width` from `low` to at most `high`; at least one."""

    low: Decimal
    high: Decimal
    width: Decimal
    steps: int

    def value(self, place: int) -> int | float:
        """Return the value after so many steps, whole where it is."""
        exact = min(self.low + self.width * place, self.high)
        return int(exact) if exact == exact.to_integral_value() and abs(exact) < 2**53 else float(exact)


def scale_steps(low: float, high: float, step: Any) -> ScaleSteps:
    """Return the steps from `low` to at most `high`; a step that is none is replaced by one that suits the range."""
    first, last = Decimal(str(low)), Decimal(str(high))
    span = last - first
    width = _width(step)
    if width is None or width > span:
        whole = first == first.to_integral_value() and last == last.to_integral_value()
        width = Decimal(1) if whole and 2 <= span <= MOST_STEPS else span / _FINE
    while span / width > MOST_STEPS:
        width *= 10
    return ScaleSteps(first, last, width, int(span / width))


def _width(step: Any) -> Decimal | None:
    if isinstance(step, bool) or not isinstance(step, int | float) or not math.isfinite(step) or step <= 0:
        return None
    return Decimal(str(step))
