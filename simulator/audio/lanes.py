"""Where what was captured and what was handed lies on the session's clock, though devices have clocks of their own.

A device's crystal is off by up to 100 millionths: 360 ms in an hour. Its blocks are joined exactly, sample by sample,
and where the run has come away from its stamps, a sample is put in or left out. That is done in the two lanes of the
record and of the timeline only: an engine gets every sample that was captured, and a device every sample that was
received, once and unchanged.
"""

from collections import deque
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.audio.playout_events import AudioHanded
from simulator.units import NS_PER_MS, SAMPLE_RATE_HZ, ns_to_samples

Samples = NDArray[np.int16]

_WINDOW_BLOCKS: Final = 250
"""Five seconds: long enough that stamps that jitter say something, in which the fastest clock gains half a ms."""

_SLIPS_FROM: Final = SAMPLE_RATE_HZ // 1000
"""A millisecond off: samples are slipped, in blocks that are quiet."""
_SLIPS_AT_ONCE_FROM: Final = 5 * SAMPLE_RATE_HZ // 1000
"""Five milliseconds off: in any block."""
_LARGEST_SLIP: Final = 8
"""Samples in one block, where samples were lost: a pitch of 1.7 % for as long as it takes."""
_QUIET: Final = 128
"""A block without a larger sample (-48 dBFS) is a pause."""

_AHEAD_NS: Final = 20 * NS_PER_MS
_BEHIND_NS: Final = 60 * NS_PER_MS
_BEHIND_BLOCKS: Final = 15


class Placed(NamedTuple):
    """A piece of audio and where it lies."""

    first_sample: int
    samples: Samples


class ClockSlip:
    """Watches how far a run of joined blocks lies behind its stamps, and slips blocks to stay with them. Pure."""

    def __init__(self) -> None:
        self._late: deque[int] = deque()
        self._sum = 0
        self._slipped = 0

    def restart(self) -> None:
        """Begin with a new run."""
        self._late.clear()
        self._sum = self._slipped = 0

    def note(self, late: int) -> None:
        """Take how many samples after its place in the run a block was stamped."""
        self._late.append(late + self._slipped)
        self._sum += late + self._slipped
        if len(self._late) > _WINDOW_BLOCKS:
            self._sum -= self._late.popleft()

    @property
    def knows(self) -> bool:
        """Whether the run has lasted for five seconds."""
        return len(self._late) == _WINDOW_BLOCKS

    @property
    def least(self) -> int:
        """By how many samples the run lies before all stamps of the last five seconds; negative: it leads one."""
        return min(self._late) - self._slipped

    @property
    def mean(self) -> int:
        """By how many samples the run lies before the stamps of the last five seconds on average."""
        return self._sum // len(self._late) - self._slipped

    def apply(self, samples: Samples, behind: int, *, loud: bool = True) -> Samples:
        """Return the block that takes this one's place: a sample longer or shorter, or a few where much is to do.

        Only quiet blocks are slipped, but for those of a run that is far off, if `loud` ones may be.
        """
        off = abs(behind)
        if off < _SLIPS_FROM or len(samples) < 2:
            return samples
        if not (loud and off >= _SLIPS_AT_ONCE_FROM) and not _is_quiet(samples):
            return samples
        count = min(_LARGEST_SLIP, len(samples) - 1, max(1, off // _SLIPS_AT_ONCE_FROM))
        by = count if behind > 0 else -count
        self._slipped += by
        return _stretched(samples, by)


def _is_quiet(samples: Samples) -> bool:
    return max(int(samples.max()), -int(samples.min())) <= _QUIET


def _stretched(samples: Samples, by: int) -> Samples:
    """Return a block that is `by` samples longer and sounds the same: no step at its ends."""
    count = len(samples)
    places = np.arange(count + by) * (count / (count + by))
    return np.asarray(np.rint(np.interp(places, np.arange(count), samples)), dtype=np.int16)


class CapturedTrack:
    """Places captured blocks on a clock: the blocks of one source are joined exactly, though their times jitter.

    A block is told of when its last sample was captured or later, never earlier: a sound server that was held up gives
    several at once. So one block that was there before the end of its place shows that the run lies too far ahead. By
    more than 20 ms (its first block came late) the run is moved back at once; what then overlaps is left out by those
    who draw and write. Late blocks move nothing at once: only where fifteen in turn are late by 60 ms have samples been
    lost. What is less than that is slipped away: `ClockSlip`.
    """

    def __init__(self, origin_ns: int) -> None:
        self._origin_ns = origin_ns
        self._next = 0
        self._begun = False
        self._late: deque[int] = deque(maxlen=_BEHIND_BLOCKS)
        self._slip = ClockSlip()

    def place(self, samples: Samples, ended_ns: int, *, begins: bool = False) -> Placed:
        """Return where samples lie, the last of which was captured at `ended_ns`; some may have been slipped.

        A source that `begins` with them is joined to nothing.
        """
        at = ns_to_samples(ended_ns - self._origin_ns) - len(samples)
        if at <= -len(samples):
            return Placed(0, samples[:0])  # before the session began
        if not self._begun and at < 0 and _is_quiet(samples[:-at]):
            samples = samples[-at:]  # of a block that goes on into the session, what lies in it
        at = max(0, at)
        late = at - self._next
        self._late.append(late)
        self._slip.note(late)
        if begins or not self._begun:
            self._begun = True
            self._move_to(max(self._next, at))
        elif late < -ns_to_samples(_AHEAD_NS):
            self._move_to(at)
        elif len(self._late) == _BEHIND_BLOCKS and min(self._late) > ns_to_samples(_BEHIND_NS):
            self._move_to(self._next + min(self._late))
        elif self._slip.knows or self._slip.least < 0:
            # A run that leads its stamps from its first block on may wait for a pause.
            samples = self._slip.apply(samples, self._slip.least, loud=self._slip.knows)
        position = self._next
        self._next += len(samples)
        return Placed(position, samples)

    def _move_to(self, position: int) -> None:
        self._next = position
        self._late.clear()
        self._slip.restart()


class HandedTrack:
    """Places what was handed on a clock, for the record and the waveform.

    Pieces handed one after the other are joined exactly, as devices ask for blocks in bursts; each run of them begins
    where its first block was handed; nothing overlaps. A jump of more than 250 ms, where the device stood still or
    was changed, begins a new run. Within a run, the drift of the device's clock since it began is slipped away.
    """

    _JOIN_WITHIN_SAMPLES: Final = SAMPLE_RATE_HZ // 4

    def __init__(self, origin_ns: int) -> None:
        self._origin_ns = origin_ns
        self._next_output_sample = -1
        self._next_position = 0
        self._slip = ClockSlip()
        self._at_first: int | None = None
        """How far the run's first five seconds lay from it: what bursts make, not the clock."""

    def place(self, piece: AudioHanded) -> Placed:
        """Return where the piece lies, in samples of the clock; some may have been slipped."""
        at = ns_to_samples(piece.handed_ns - self._origin_ns) + piece.block_offset
        samples = piece.samples
        follows = piece.output_sample == self._next_output_sample
        late = at - self._next_position
        if not follows or abs(late) > self._JOIN_WITHIN_SAMPLES:
            self._next_position = max(self._next_position, at)
            self._slip.restart()
            self._at_first = None
            late = at - self._next_position
        self._slip.note(late)
        if self._at_first is not None:
            samples = self._slip.apply(samples, self._slip.mean - self._at_first)
        elif self._slip.knows:
            self._at_first = self._slip.mean
        position = self._next_position
        self._next_position += len(samples)
        self._next_output_sample = piece.output_sample + len(piece.samples)
        return Placed(position, samples)
