"""The last seconds of what was played, placed on a clock, so that what a microphone heard can be held against it."""

from typing import Final, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

Sample = TypeVar("Sample", np.int16, np.float32)

_JOIN_WITHIN_MS: Final = 60


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
