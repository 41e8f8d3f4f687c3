"""Another sample rate on the live path: a polyphase low-pass filter with constant delay, for any split into blocks.

The rates' ratio is L / M in lowest terms (44.1 kHz to 24 kHz: 80 / 147). At their common multiple, L times the rate
that comes in, the filter is one windowed sinc of 2 D + 1 taps; output m is what the filter gives at place m M, of which
every Lth tap meets an input sample. So output m needs the inputs up to floor(m M / L) and no later one: after n inputs
there are ceil(n L / M) outputs, whatever blocks they came in, and each is D places late.

D is 50 samples of the lower rate (2.1 ms between 24 kHz and anything above). The band up to 0.45 of the lower rate
passes unchanged (0.02 dB); from 0.5 of it on everything is down by 80 dB, so that nothing folds back and no image
appears.

Blocks are computed by matrices: a group of outputs is one product of a group of inputs and those before it with a
banded matrix of taps. Taps are whole multiples of 2^-30 and samples are whole numbers, so every sum is exact in a float
of 53 bits and no order of adding can change the result: any split into blocks gives the same samples, bit for bit.
(soxr's streaming mode returns 20 ms blocks in bursts and is used for whole recordings only: `resample`.)
"""

import math
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from simulator.audio.pcm import FULL_SCALE
from simulator.units import NS_PER_S

_LOWEST_HZ: Final = 8_000
_HIGHEST_HZ: Final = 192_000

DELAY_LOW_SAMPLES: Final = 50
"""The delay of every filter, in samples of the lower of its two rates."""

_CUTOFF: Final = 0.473
"""As a part of the lower rate: below the middle of the transition, so that at 0.5 everything is down already."""
_KAISER_BETA: Final = 8.0
"""A side lobe of -80 dB."""
_TAP_UNIT: Final = 2**30
_GROUP_INPUTS: Final = 96
"""About how many inputs a matrix takes beside those before it: few enough that the band is most of it."""
_PRODUCT_SIZE: Final = 200_000
"""Multiplications in one product of matrices: few enough that no library shares them out among threads, for which an
audio callback would have to wait."""
_COARSEST_HZ: Final = 25
"""What both rates must be multiples of: the matrices would be too large otherwise."""

Samples = NDArray[np.int16]
_Floats = NDArray[np.float64]


class _Filter(NamedTuple):
    """The taps for one pair of rates, as the matrix of a group."""

    up: int
    down: int
    before: int
    """Inputs before a group that its outputs need."""
    inputs: int
    """Inputs of a group."""
    outputs: int
    taps: _Floats
    """Shape (before + inputs, outputs), in units of `_TAP_UNIT`."""
    delay: int
    """In places of the common multiple of the rates."""


def can_convert(rate_hz: int) -> bool:
    """Tell whether a rate can be converted to and from 24 kHz and the other rates in use."""
    return _LOWEST_HZ <= rate_hz <= _HIGHEST_HZ and rate_hz % _COARSEST_HZ == 0


class Converter:
    """Converts one stream of int16 samples from one rate to another. Not for two threads at a time.

    Raises ValueError for a rate that `can_convert` does not take.
    """

    def __init__(self, from_hz: int, to_hz: int) -> None:
        for rate_hz in (from_hz, to_hz):
            if not can_convert(rate_hz):
                raise ValueError(f"{rate_hz} Hz cannot be converted: it is no multiple of 25 Hz from 8 to 192 kHz")
        self.from_hz = from_hz
        self.to_hz = to_hz
        self._filter = _filter(from_hz, to_hz)
        self._inputs = 0
        self._outputs = 0
        self._pending: _Floats = np.zeros(self._filter.before)
        """The inputs from `before` ahead of the group that is not complete on."""

    @property
    def delay_ns(self) -> int:
        """How much later than it came in a sample goes out."""
        return self._filter.delay * NS_PER_S // (self._filter.up * self.from_hz)

    def needed(self, outputs: int) -> int:
        """Return how many more input samples the next `outputs` output samples need."""
        last = self._outputs + outputs - 1
        return max(0, last * self._filter.down // self._filter.up + 1 - self._inputs)

    def process(self, samples: Samples, outputs: int | None = None) -> Samples:
        """Take input samples and return all output samples that they complete, or the next `outputs` of these.

        Raises ValueError where `outputs` are not complete yet: see `needed`.
        """
        self._inputs += len(samples)
        complete = -(-self._inputs * self._filter.up // self._filter.down)
        end = complete if outputs is None else self._outputs + outputs
        if end > complete:
            raise ValueError(f"{outputs} samples were asked for, and {complete - self._outputs} are complete")
        self._pending = np.concatenate((self._pending, samples))
        return self._until(end)

    def _until(self, end: int) -> Samples:
        filter_ = self._filter
        first_group = self._outputs // filter_.outputs
        groups = -(-end // filter_.outputs) - first_group
        offset = self._outputs - first_group * filter_.outputs
        converted = self._groups(groups)[offset : offset + end - self._outputs]
        done = end // filter_.outputs - first_group
        self._pending = self._pending[done * filter_.inputs :]
        self._outputs = end
        return np.clip(np.rint(converted / _TAP_UNIT), -FULL_SCALE, FULL_SCALE - 1).astype(np.int16)

    def _groups(self, count: int) -> _Floats:
        """Return the outputs of `count` groups from the first pending one on; inputs that are missing count as 0."""
        filter_ = self._filter
        width = filter_.before + filter_.inputs
        inputs = np.zeros(filter_.before + count * filter_.inputs)
        known = self._pending[: len(inputs)]
        inputs[: len(known)] = known
        step = inputs.itemsize
        windows = as_strided(inputs, (count, width), (filter_.inputs * step, step), writeable=False)
        products = np.empty((count, filter_.outputs))
        rows = max(1, _PRODUCT_SIZE // filter_.taps.size)
        for first in range(0, count, rows):
            # A copy: windows overlap, and matrices that do are multiplied slowly.
            products[first : first + rows] = windows[first : first + rows].copy() @ filter_.taps
        return products.reshape(-1)


@cache
def _filter(from_hz: int, to_hz: int) -> _Filter:
    common = math.gcd(from_hz, to_hz)
    up, down = to_hz // common, from_hz // common
    delay = DELAY_LOW_SAMPLES * max(up, down)
    taps = _low_pass(delay, _CUTOFF / max(up, down), up)
    periods = max(1, _GROUP_INPUTS // down)
    inputs, outputs = periods * down, periods * up
    before = 2 * delay // up
    matrix = np.zeros((before + inputs, outputs))
    for output in range(outputs):
        place = output * down
        newest = before + place // up
        column = taps[place % up :: up]
        matrix[newest - len(column) + 1 : newest + 1, output] = column[::-1]
    return _Filter(up, down, before, inputs, outputs, matrix, delay)


def _low_pass(delay: int, cutoff: float, up: int) -> _Floats:
    """Return 2 `delay` + 1 taps; every `up`th of them, from any of the first on, have the sum `_TAP_UNIT`."""
    places = np.arange(-delay, delay + 1)
    taps = 2 * cutoff * up * np.sinc(2 * cutoff * places) * np.kaiser(2 * delay + 1, _KAISER_BETA)
    for phase in range(up):
        taps[phase::up] *= _TAP_UNIT / taps[phase::up].sum()
    whole: _Floats = np.rint(taps)
    return whole
