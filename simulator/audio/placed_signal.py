"""What was played and what a microphone heard, placed on one clock, so that one can be held against the other."""

from collections import deque
from statistics import median_low
from typing import Final, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

Sample = TypeVar("Sample", np.int16, np.float32)

_JOIN_WITHIN_MS: Final = 60
_STAMPS: Final = 50
_OFF_MS: Final = 10
_FAR_OFF_MS: Final = 150


class PlacedSignal(Generic[Sample]):
    """A stretch of samples that moves on; silence where nothing was placed. Positions are samples of the clock."""

    def __init__(self, rate_hz: int, kept_samples: int, kind: type[Sample]) -> None:
        self._samples: NDArray[Sample] = np.zeros(kept_samples, dtype=kind)
        self._join_within = rate_hz * _JOIN_WITHIN_MS // 1000
        self.end = 0
        """Position behind the last sample."""

    def place(self, samples: NDArray[Sample], at: int) -> None:
        """Put samples at a position: right behind the last ones where they are nearly there, never before them."""
        if not len(samples):
            return
        gap = at - self.end
        if gap <= self._join_within:
            gap = 0
        self._shift(gap + len(samples))
        self.end += gap + len(samples)
        kept = samples[-len(self._samples) :]
        self._samples[-len(kept) :] = kept

    def between(self, first: int, behind: int) -> NDArray[Sample]:
        """Return the samples from `first` to before `behind`."""
        cut = np.zeros(behind - first, dtype=self._samples.dtype)
        oldest = self.end - len(self._samples)
        start, stop = max(first, oldest), min(behind, self.end)
        if start < stop:
            cut[start - first : stop - first] = self._samples[start - oldest : stop - oldest]
        return cut

    def _shift(self, count: int) -> None:
        if count >= len(self._samples):
            self._samples[:] = 0
        else:
            self._samples[:-count] = self._samples[count:]
            self._samples[-count:] = 0


class PlacedRun:
    """Places the blocks of a microphone: joined exactly, though their stamps jitter, as every jump costs the listener.

    Only where the stamps of a second are off by more than 10 ms in the middle, or one by more than 150 ms, the run is
    moved to them.
    """

    def __init__(self, rate_hz: int) -> None:
        self._off = rate_hz * _OFF_MS // 1000
        self._far_off = rate_hz * _FAR_OFF_MS // 1000
        self._late: deque[int] = deque(maxlen=_STAMPS)
        self._next: int | None = None

    def place(self, at: int, count: int) -> int:
        """Return the position of a block of `count` samples that is stamped as beginning `at`."""
        late = 0 if self._next is None else at - self._next
        self._late.append(late)
        if self._next is None or abs(late) > self._far_off:
            self._next = at
            self._late.clear()
        elif len(self._late) == _STAMPS and abs(middle := median_low(self._late)) > self._off:
            self._next += middle
            self._late.clear()
        position = self._next
        self._next += count
        return position
