"""How late the agent's audio comes, and how long playing waits for it: the size of the jitter buffer.

A delta is late against the most punctual one before it in its item and the most punctual of those in the second of
audio behind it. Both, for else a pause that the engine makes would count as lateness of all that follows. The allowance
covers the last 20 s of speech in the session: the latest delta and 10 ms more, up to 180 ms; beyond that, what 98 of
100 keep; and on top how far the device asks ahead of its own pace. It is whole blocks, from 20 to 500 ms, and 180 ms at
first. It grows as soon as a delta is known to have been late; it shrinks only after 10 s of speech were seen, by 20 ms
with each further second. So a single long stall makes a gap, but no replies slower than those of the first minute.

Audio that comes half a second ahead of its pace or more is not counted: no lateness could matter to it.
"""

from collections import deque
from dataclasses import dataclass
from typing import Final, NamedTuple

from simulator.units import BLOCK_MS, NS_PER_MS, SAMPLE_RATE_HZ, samples_to_ns

FIRST_ALLOWANCE_NS: Final = 180 * NS_PER_MS
SMALLEST_ALLOWANCE_NS: Final = BLOCK_MS * NS_PER_MS
LARGEST_ALLOWANCE_NS: Final = 500 * NS_PER_MS
SEEN_SAMPLES: Final = 20 * SAMPLE_RATE_HZ
LEARNT_SAMPLES: Final = 10 * SAMPLE_RATE_HZ

_BEHIND_SAMPLES: Final = SAMPLE_RATE_HZ
_KEPT_PERCENT: Final = 98
_MARGIN_NS: Final = 10 * NS_PER_MS
_SHRINK_PERCENT: Final = 2
"""By how much of the speech that comes."""
_STEP_NS: Final = BLOCK_MS * NS_PER_MS
_LEAK_PER_MILLION: Final = 1_000
"""More than clocks differ, or the difference would add up to a lead that no device has."""
_FORGET_NS: Final = NS_PER_MS // 10
"""How much of a device's largest lead is forgotten with each block."""


class Lateness(NamedTuple):
    """How late a delta came, and how much audio it held."""

    late_ns: int
    samples: int


class Allowance:
    """How late audio may come without a gap, as far as this session has shown."""

    def __init__(self) -> None:
        self.ns = FIRST_ALLOWANCE_NS
        self._seen: deque[Lateness] = deque()
        self._seen_samples = 0

    def note(self, lateness: Lateness, lead_ns: int) -> None:
        """A delta was so late; the device asks for its blocks up to `lead_ns` ahead of its pace."""
        self._seen.append(lateness)
        self._seen_samples += lateness.samples
        while self._seen_samples - self._seen[0].samples >= SEEN_SAMPLES:
            self._seen_samples -= self._seen.popleft().samples
        late_ns = sorted(each.late_ns for each in self._seen)
        kept_ns = late_ns[-(-len(late_ns) * _KEPT_PERCENT // 100) - 1]
        covered_ns = max(kept_ns, min(late_ns[-1] + _MARGIN_NS, FIRST_ALLOWANCE_NS))
        needed_ns = -(-(covered_ns + lead_ns) // _STEP_NS) * _STEP_NS
        needed_ns = min(max(needed_ns, SMALLEST_ALLOWANCE_NS), LARGEST_ALLOWANCE_NS)
        learnt = self._seen_samples >= LEARNT_SAMPLES
        shrunk_ns = self.ns - samples_to_ns(lateness.samples) * _SHRINK_PERCENT // 100
        self.ns = max(needed_ns, shrunk_ns if learnt else self.ns)


class ArrivalPace:
    """How late each delta of one item came, told when the deltas behind it are known."""

    def __init__(self) -> None:
        self._first_ns: int | None = None
        self._least_lag_ns = 0
        self._undecided: list[_Arrival] = []

    def arrived(self, now_ns: int, position: int, samples: int) -> list[Lateness]:
        """So many samples at `position` of their item arrived: return what is known now of those before."""
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
            self._undecided.append(_Arrival(position, samples, lag_ns, self._least_lag_ns, lag_ns))
        self._least_lag_ns = min(self._least_lag_ns, lag_ns)
        return [arrival.lateness for arrival in decided]

    def ended(self) -> list[Lateness]:
        """No more audio comes: return the rest."""
        decided, self._undecided = self._undecided, []
        return [arrival.lateness for arrival in decided]


@dataclass(slots=True)
class _Arrival:
    """A delta: how far behind the pace of the first it came, and the least of those before and behind it."""

    position: int
    samples: int
    lag_ns: int
    least_before_ns: int
    least_behind_ns: int

    def is_decided(self, position: int) -> bool:
        """Tell whether what comes at `position` or later changes nothing."""
        return self.least_behind_ns <= self.least_before_ns or position - self.position >= _BEHIND_SAMPLES

    @property
    def lateness(self) -> Lateness:
        return Lateness(max(0, self.lag_ns - max(self.least_before_ns, self.least_behind_ns)), self.samples)


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
