"""What can be wrong with a microphone's sound, a watch each: flat, too quiet, clipped, hum. Pure; blocks of 20 ms.

Each watch takes block after block and says with `wrong` whether its fault stands; one that is made `wrong` waits for
the good. None changes its mind in a moment: a fault begins after a stretch of it and ends after a stretch without.
Levels are of blocks, in dBFS.
"""

from collections import deque
from typing import Final

import numpy as np
from numpy.typing import NDArray

from simulator.units import SAMPLE_RATE_HZ

Samples = NDArray[np.int16]

BLOCKS_A_SECOND: Final = 50

QUIETEST_VOICE_DBFS: Final = -45.0
"""A voice below it is too quiet; a steady noise above it may be taken for one."""

_MARGIN_DB: Final = 3.0
"""By how much a level must be better for a warning to end."""


class FlatWatch:
    """A microphone that gives the same sample all the time, for so many seconds."""

    _ENDS: Final = BLOCKS_A_SECOND // 5

    def __init__(self, *, wrong: bool = False, patience_s: int = 1) -> None:
        self.wrong = wrong
        self.patience_s = patience_s
        self._flat = 0
        self._alive = 0

    def feed(self, samples: Samples) -> None:
        """Take a block."""
        if samples.max() == samples.min():
            self._flat, self._alive = self._flat + 1, 0
            self.wrong = self.wrong or self._flat >= self.patience_s * BLOCKS_A_SECOND
        else:
            self._flat, self._alive = 0, self._alive + 1
            self.wrong = self.wrong and self._alive < self._ENDS


class ClipWatch:
    """Flat tops at full scale: three of them within a second begin it, 3 s without end it.

    A flat top is three and more samples close to full scale, one of which reaches it. They need not all be at it: a
    microphone's clipped sound is converted to another rate on its way, by the system or here, and ripples then.
    """

    _RUN: Final = 3
    _RUNS: Final = 3
    _ENDS: Final = 3 * BLOCKS_A_SECOND
    _FULL: Final = 32_767
    _CLOSE: Final = 32_000
    """0.2 dB below full scale."""

    def __init__(self, *, wrong: bool = False) -> None:
        self.wrong = wrong
        self._runs: deque[int] = deque(maxlen=BLOCKS_A_SECOND)
        self._since = 0
        self._length = 0
        """Samples close to full scale up to the end of the last block."""
        self._reaches = False
        self._counted = False

    @property
    def runs(self) -> int:
        """Flat tops in the last second."""
        return sum(self._runs)

    def feed(self, samples: Samples) -> None:
        """Take a block."""
        runs = self._count(samples)
        self._runs.append(runs)
        self._since = 0 if runs else self._since + 1
        if self.runs >= self._RUNS:
            self.wrong = True
        elif self._since >= self._ENDS:
            self.wrong = False

    def _count(self, samples: Samples) -> int:
        close = (samples >= self._CLOSE) | (samples <= -self._CLOSE)
        full = (samples >= self._FULL) | (samples <= -self._FULL)
        changes = np.flatnonzero(np.diff(np.concatenate(([False], close, [False]))))
        count = 0
        for first, end in changes.reshape(-1, 2).tolist():
            if first > 0:
                self._end_run()
            # One over the edge of two blocks goes on, and counts once.
            self._length += end - first
            self._reaches = self._reaches or bool(full[first:end].any())
            if self._length >= self._RUN and self._reaches and not self._counted:
                self._counted = True
                count += 1
        if not close[-1]:
            self._end_run()
        return count

    def _end_run(self) -> None:
        self._length, self._reaches, self._counted = 0, False, False


class QuietWatch:
    """A voice is there, seen by its rise and fall, but below `QUIETEST_VOICE_DBFS`.

    Give only blocks in which nobody else is heard. The last 5 s count; a second of it must be voice.
    """

    _WINDOW: Final = 5 * BLOCKS_A_SECOND
    _ABOVE_NOISE_DB: Final = 12.0
    _BELOW_TOP_DB: Final = 12.0
    _LEAST_VOICE: Final = BLOCKS_A_SECOND
    _ENOUGH: Final = BLOCKS_A_SECOND // 2
    _LOWEST_DBFS: Final = -75.0
    """Below it there are but the last bits of a quiet room."""

    def __init__(self, *, wrong: bool = False) -> None:
        self.wrong = wrong
        self.level_dbfs: float | None = None
        """Level of the voice as it was measured last."""
        self._levels: deque[float] = deque(maxlen=self._WINDOW)

    def feed(self, level_dbfs: float) -> None:
        """Take the level of a block."""
        self._levels.append(level_dbfs)

    def judge(self) -> None:
        """Make up one's mind about the last seconds."""
        levels = np.sort(np.array(self._levels))
        if self.wrong and np.count_nonzero(levels >= QUIETEST_VOICE_DBFS + _MARGIN_DB) >= self._ENOUGH:
            self.wrong = False
            return
        if len(levels) < self._WINDOW:
            return
        top = float(levels[-self._LEAST_VOICE // 5])
        noise = max(float(levels[len(levels) // 10]), self._LOWEST_DBFS - self._ABOVE_NOISE_DB)
        voice = levels[levels >= top - self._BELOW_TOP_DB]
        if top < max(self._LOWEST_DBFS, noise + self._ABOVE_NOISE_DB) or len(voice) < self._LEAST_VOICE:
            return
        self.level_dbfs = 10 * float(np.log10(np.mean(10 ** (voice / 10))))
        if self.level_dbfs < QUIETEST_VOICE_DBFS:
            self.wrong = True


class HumWatch:
    """A noise as loud as a voice that neither rises nor falls for 5 s; 3 s with quiet in them end it."""

    _BEGINS: Final = 5 * BLOCKS_A_SECOND
    _ENDS: Final = 3 * BLOCKS_A_SECOND
    _STEADY_DB: Final = 6.0

    def __init__(self, *, wrong: bool = False) -> None:
        self.wrong = wrong
        self.level_dbfs = 0.0
        """How loud it is."""
        self._levels: deque[float] = deque(maxlen=self._BEGINS)

    def feed(self, level_dbfs: float) -> None:
        """Take the level of a block."""
        self._levels.append(level_dbfs)

    def judge(self) -> None:
        """Make up one's mind about the last seconds."""
        levels = np.array(self._levels)
        if self.wrong:
            last = np.sort(levels[-self._ENDS :])
            self.wrong = len(last) < self._ENDS or last[len(last) // 10] >= QUIETEST_VOICE_DBFS - _MARGIN_DB
        elif len(levels) == self._BEGINS:
            low, middle, high = np.sort(levels)[[len(levels) // 20, len(levels) // 2, -len(levels) // 20]]
            self.level_dbfs = float(middle)
            self.wrong = bool(low >= QUIETEST_VOICE_DBFS and high - low <= self._STEADY_DB)


_MAINS_HZ: Final = (50, 60)
_MAINS_SHARE: Final = 0.6
_HIGHEST_HARMONIC_HZ: Final = 1_000


def mains_hz(samples: Samples) -> int | None:
    """Return 50 or 60 where most of a second's energy lies at multiples of it: a hum of the mains; None: a noise."""
    second = samples[-SAMPLE_RATE_HZ:]
    # A transform of a second has a bin for each Hz.
    power = np.square(np.abs(np.fft.rfft(second * np.hanning(len(second)), SAMPLE_RATE_HZ)))
    power[:20] = 0
    total = float(power.sum()) + 1e-9
    shares = {}
    for mains in _MAINS_HZ:
        lines = np.arange(mains, _HIGHEST_HARMONIC_HZ + 1, mains)
        shares[mains] = float(sum(power[lines + offset].sum() for offset in (-2, -1, 0, 1, 2))) / total
    best = max(shares, key=lambda mains: shares[mains])
    return best if shares[best] >= _MAINS_SHARE else None
