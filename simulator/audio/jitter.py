"""How late the agent's audio comes, and how long playing waits for it: the size of the jitter buffer.

A delta is late against the most punctual one before it in its item and the most punctual of those in the second of
audio behind it. Both, for else a pause that the engine makes would count as lateness of all that follows. The allowance
covers the last `SEEN_DELTAS` of the session: the latest of them and 10 ms more, up to 180 ms; beyond that, what 98 of
100 keep; and on top how far the device asks ahead of its own pace. It is whole blocks, from 20 to 500 ms, and 180 ms at
first. It grows as soon as a delta is known to have been late; it shrinks only after `LEARNT_DELTAS` were seen, by 2 ms
with each further one. So a single long stall makes a gap, but no replies slower than those of the first minute.

Audio that comes half a second ahead of its pace or more is not counted: no lateness could matter to it.
"""

from collections import deque
from dataclasses import dataclass
from typing import Final

from simulator.units import BLOCK_MS, NS_PER_MS, SAMPLE_RATE_HZ, samples_to_ns

FIRST_ALLOWANCE_NS: Final = 180 * NS_PER_MS
SMALLEST_ALLOWANCE_NS: Final = BLOCK_MS * NS_PER_MS
LARGEST_ALLOWANCE_NS: Final = 500 * NS_PER_MS
SEEN_DELTAS: Final = 200
LEARNT_DELTAS: Final = 100

_BEHIND_SAMPLES: Final = SAMPLE_RATE_HZ
_KEPT_PERCENT: Final = 98
_MARGIN_NS: Final = 10 * NS_PER_MS
_SHRINK_NS: Final = 2 * NS_PER_MS
_STEP_NS: Final = BLOCK_MS * NS_PER_MS
_LEAK_PER_MILLION: Final = 1_000
"""More than clocks differ, or the difference would add up to a lead that no device has."""
_FORGET_NS: Final = NS_PER_MS // 10
"""How much of a device's largest lead is forgotten with each block."""


class Allowance:
    """How late audio may come without a gap, as far as this session has shown."""

    def __init__(self) -> None:
        self.ns = FIRST_ALLOWANCE_NS
        self._late_ns: deque[int] = deque(maxlen=SEEN_DELTAS)

    def note(self, late_ns: int, lead_ns: int) -> None:
        """A delta came `late_ns` late; the device asks for its blocks up to `lead_ns` ahead of its pace."""
        self._late_ns.append(late_ns)
        seen = len(self._late_ns)
        kept_ns = sorted(self._late_ns)[-(-seen * _KEPT_PERCENT // 100) - 1]
        covered_ns = max(kept_ns, min(max(self._late_ns) + _MARGIN_NS, FIRST_ALLOWANCE_NS))
        needed_ns = -(-(covered_ns + lead_ns) // _STEP_NS) * _STEP_NS
        needed_ns = min(max(needed_ns, SMALLEST_ALLOWANCE_NS), LARGEST_ALLOWANCE_NS)
        self.ns = max(needed_ns, self.ns - _SHRINK_NS if seen >= LEARNT_DELTAS else self.ns)


class ArrivalPace:
    """How late each delta of one item came, told when the deltas behind it are known."""

    def __init__(self) -> None:
        self._first_ns: int | None = None
        self._least_lag_ns = 0
        self._undecided: list[_Arrival] = []

    def arrived(self, now_ns: int, position: int) -> list[int]:
        """A delta at `position` samples of its item arrived: return the latenesses known now, in ns."""
        if self._first_ns is None:
            self._first_ns = now_ns
            return []
        lag_ns = now_ns - self._first_ns - samples_to_ns(position)
        for arrival in self._undecided:
            arrival.least_behind_ns = min(arrival.least_behind_ns, lag_ns)
        decided = [each for each in self._undecided if each.is_decided(position)]
        if decided:
            self._undecided = [each for each in self._undecided if not each.is_decided(position)]
        if self._least_lag_ns > -LARGEST_ALLOWANCE_NS:
            self._undecided.append(_Arrival(position, lag_ns, self._least_lag_ns, lag_ns))
        self._least_lag_ns = min(self._least_lag_ns, lag_ns)
        return [arrival.late_ns for arrival in decided]

    def ended(self) -> list[int]:
        """No more audio comes: return the remaining latenesses."""
        decided, self._undecided = self._undecided, []
        return [arrival.late_ns for arrival in decided]


@dataclass(slots=True)
class _Arrival:
    """A delta: how far behind the pace of the first it came, and the least of those before and behind it."""

    position: int
    lag_ns: int
    least_before_ns: int
    least_behind_ns: int

    def is_decided(self, position: int) -> bool:
        """Tell whether what comes at `position` or later changes nothing."""
        return self.least_behind_ns <= self.least_before_ns or position - self.position >= _BEHIND_SAMPLES

    @property
    def late_ns(self) -> int:
        return max(0, self.lag_ns - max(self.least_before_ns, self.least_behind_ns))


class DevicePace:
    """How far a device asks for its blocks ahead of an even pace: some take several at once and then none.

    Belongs to the output's thread, but for reading `largest_lead_ns`.
    """

    def __init__(self) -> None:
        self.largest_lead_ns = 0
        self._lead_ns = 0
        self._last_ns: int | None = None
        self._last_samples = 0

    def asked(self, samples: int, now_ns: int) -> None:
        """The device asked for a block of `samples` at `now_ns`."""
        if self._last_ns is not None:
            passed_ns = now_ns - self._last_ns
            passed_ns += passed_ns * _LEAK_PER_MILLION // 1_000_000
            self._lead_ns = max(0, self._lead_ns + samples_to_ns(self._last_samples) - passed_ns)
            self.largest_lead_ns = max(self._lead_ns, self.largest_lead_ns - _FORGET_NS)
        self._last_ns, self._last_samples = now_ns, samples

    def restart(self) -> None:
        """Another output asks from now on."""
        self._last_ns, self._lead_ns = None, 0
