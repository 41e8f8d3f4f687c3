"""Whether what is played comes back through the microphone: by correlation, with its delay and its level.

Both sides lie on one clock, thinned to 6 kHz. Twice a second the last second of the microphone is held against what was
played from 500 ms before it on. The cross-correlation is whitened, so that a voice's own rhythm and pitch, a tone or a
hum make no peak; a real echo makes one, at the same delay each time. Two people who talk at the same time make peaks
too, but lower ones and each time elsewhere. So an echo counts as heard where two of the last five looks agree on the
delay, and as gone after four looks without one. A look needs that enough was played: nothing is learned from silence.
"""

from collections import deque
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.audio.placed_signal import PlacedRun, PlacedSignal
from simulator.units import NS_PER_S, SAMPLE_RATE_HZ

RATE_HZ: Final = 6_000
"""The rate at which the two sides are compared."""

Samples = NDArray[np.int16]

_THINNING: Final = SAMPLE_RATE_HZ // RATE_HZ
_WINDOW: Final = 6_144
_LONGEST_DELAY: Final = RATE_HZ * 500 // 1000
_EARLIEST: Final = RATE_HZ * 50 // 1000
"""Clocks of devices are off by some milliseconds: an echo may seem to come before its sound."""
_LAGS: Final = _EARLIEST + _LONGEST_DELAY
_TRANSFORM: Final = 12_288
_LOOK_EVERY: Final = RATE_HZ // 2
_KEPT: Final = 4 * RATE_HZ

_PEAK: Final = 9.0
"""How far a peak stands out, in standard deviations of the correlation where no echo can be."""
_SAME_DELAY: Final = RATE_HZ * 3 // 1000
_LOOKS: Final = 6
_AGREEING: Final = 3
_APART: Final = 3
"""Looks between the first and the last that agree: their windows share nothing."""
_GONE_AFTER: Final = 6
_PLAYED_RMS: Final = 60.0
"""RMS of the stretch played, on a scale of 32,768, from which a look tells anything (-55 dBFS)."""
_FRAME: Final = 512
"""85 ms: what a room gives back within it counts for the level."""


class Echo(NamedTuple):
    """An echo as it was last heard."""

    delay_ms: int
    """From the loudspeaker to the microphone, by the devices' own clocks."""
    level_db: float
    """Level of what comes back, relative to what was played."""


class _Look(NamedTuple):
    peak: float
    lag: int
    level_db: float


class EchoDetector:
    """Takes both sides in any order, each in its own; `echo` is what is known now. Pure.

    Give `microphone` and `played` blocks at 24 kHz, with monotonic times.
    """

    def __init__(self) -> None:
        self.echo: Echo | None = None
        self._played = PlacedSignal(RATE_HZ, _KEPT, np.float32)
        self._thin_played = _Thinner()
        self._heard = np.zeros(_WINDOW, dtype=np.float32)
        self._looks: deque[_Look] = deque(maxlen=_LOOKS)
        self._without = 0
        self.forget_microphone()

    def forget_microphone(self) -> None:
        """The microphone closed, or another one was opened: what is known of an echo stays, what was heard goes."""
        self._heard[:] = 0
        self._thin_heard = _Thinner()
        self._count = 0
        self._next_look = _WINDOW
        self._run = PlacedRun(RATE_HZ)

    def forget(self) -> None:
        """Nothing is known of an echo any more."""
        self.forget_microphone()
        self._looks.clear()
        self._without = 0
        self.echo = None

    def played(self, samples: Samples, at_ns: int) -> None:
        """Take what is audible from `at_ns` on."""
        self._played.place(self._thin_played(samples), at_ns * RATE_HZ // NS_PER_S)

    def microphone(self, samples: Samples, ended_ns: int) -> None:
        """Take the next block of the microphone, whose last sample was captured at `ended_ns` or before."""
        block = self._thin_heard(samples)
        count = len(block)
        if not count:
            return
        self._heard[:-count] = self._heard[count:]
        self._heard[-count:] = block
        self._count += count
        ends = self._run.place(ended_ns * RATE_HZ // NS_PER_S - count, count) + count
        if self._count >= self._next_look:
            self._next_look = self._count + _LOOK_EVERY
            self._look(ends)

    def _look(self, ends: int) -> None:
        """Look at the window that ends at this position of the clock."""
        first = ends - _WINDOW - _LONGEST_DELAY
        reference = self._played.between(first, ends + _EARLIEST)
        loudness = float(np.sqrt(np.mean(np.square(reference[_LONGEST_DELAY : _LONGEST_DELAY + _WINDOW]))))
        if loudness < _PLAYED_RMS:
            return
        look = _compared(self._heard, reference)
        self._looks.append(look)
        agreeing = [
            place
            for place, each in enumerate(self._looks)
            if each.peak >= _PEAK and abs(each.lag - look.lag) <= _SAME_DELAY
        ]
        if look.peak < _PEAK:
            self._without += 1
            if self._without >= _GONE_AFTER:
                self.echo = None
        elif len(agreeing) >= _AGREEING and agreeing[-1] - agreeing[0] >= _APART:
            self._without = 0
            level_db = float(np.median([self._looks[place].level_db for place in agreeing]))
            self.echo = Echo(look.lag * 1000 // RATE_HZ, level_db)


def _compared(heard: NDArray[np.float32], reference: NDArray[np.float32]) -> _Look:
    """Hold a window of the microphone against the reference, which begins `_LONGEST_DELAY` earlier."""
    spectrum = np.fft.rfft(heard * _TAPER, _TRANSFORM)
    played = np.fft.rfft(reference, _TRANSFORM)
    cross = np.conj(spectrum) * played
    power = np.square(np.abs(played))
    # Bins in which hardly anything was played tell of nothing but the room's noise.
    sounding = power > 1e-4 * power.max()
    whitened = np.where(sounding, cross / (np.abs(cross) + 1e-9), 0)
    correlation = np.fft.irfft(whitened, _TRANSFORM)
    # Index n: the microphone's window begins n samples behind the beginning of the reference.
    near = np.abs(correlation[: _LAGS + 1])
    place = int(np.argmax(near))
    peak = float(near[place]) / (float(np.std(correlation)) + 1e-12)
    level_db = _level_db(heard, reference[place : place + _WINDOW]) if peak >= _PEAK else 0.0
    return _Look(peak, _LONGEST_DELAY - place, level_db)


def _level_db(heard: NDArray[np.float32], played: NDArray[np.float32]) -> float:
    """Return how loud that part of what was heard is that follows from what was played at the same time."""
    x, y = (np.fft.rfft(_frames(side) * _FRAME_TAPER, axis=1) for side in (heard, played))
    power_x, power_y = (np.sum(np.square(np.abs(side)), axis=0) for side in (x, y))
    cross = np.square(np.abs(np.sum(x * np.conj(y), axis=0)))
    coherence = cross / (power_x * power_y + 1e-9)
    # Of n frames, 1/n would agree by chance.
    coherence = np.maximum(0, (len(x) * coherence - 1) / (len(x) - 1))
    share = float(np.sum(coherence * power_x)) / float(np.sum(power_y))
    return 10 * float(np.log10(max(share, 1e-9)))


def _frames(signal: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.lib.stride_tricks.sliding_window_view(signal, _FRAME)[:: _FRAME // 2]


class _Thinner:
    """Takes one of four samples, their mean; what is left of a block waits for the next."""

    def __init__(self) -> None:
        self._rest = np.zeros(0, dtype=np.int16)

    def __call__(self, samples: Samples) -> NDArray[np.float32]:
        joined = np.concatenate((self._rest, samples)) if len(self._rest) else samples
        usable = len(joined) - len(joined) % _THINNING
        self._rest = joined[usable:]
        thinned: NDArray[np.float32] = joined[:usable].reshape(-1, _THINNING).mean(axis=1, dtype=np.float32)
        return thinned


_TAPER: Final = np.hanning(_WINDOW).astype(np.float32)
_FRAME_TAPER: Final = np.hanning(_FRAME).astype(np.float32)
