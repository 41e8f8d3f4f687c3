"""Waveforms for drawing: the smallest and largest sample of each block of 64, and a pyramid over them.

A peak is an int8, `sample >> 8`: a waveform is drawn a hundred pixels high, and a byte a peak keeps three hours at
11 MiB. Block n of a lane covers samples [64 n, 64 n + 64) on the lane's clock; what was never written is silence.

The pyramid's level k holds the peaks of 64 * 4**k samples each. A query reads the coarsest level that still has a
peak for each column, so its cost follows the width of the picture and not the length of the session. Storage grows
by whole chunks: doubling an array of an hour would stall a frame.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

BASE_SAMPLES: Final = 64
_CHUNK_PEAKS: Final = 1 << 16

Peaks = tuple[NDArray[np.int8], NDArray[np.int8]]
"""Smallest and largest sample of each block, `sample >> 8`, two arrays of one length."""


def block_peaks(samples: NDArray[np.int16], base: int = BASE_SAMPLES) -> Peaks:
    """Return the peaks of `samples`, cut into blocks of `base`; the last block may be shorter."""
    if not len(samples):
        return np.empty(0, dtype=np.int8), np.empty(0, dtype=np.int8)
    starts = np.arange(0, len(samples), base)
    mins = np.minimum.reduceat(samples, starts) >> 8
    maxs = np.maximum.reduceat(samples, starts) >> 8
    return mins.astype(np.int8), maxs.astype(np.int8)


class PeakCollector:
    """Turns placed audio into whole blocks to be sent: a block that was sent once is never sent again.

    Audio comes in the order of its positions, with gaps where there is silence. The block being filled is kept until
    audio beyond its end comes, or `flush`.
    """

    def __init__(self, base: int = BASE_SAMPLES) -> None:
        self._base = base
        self._open = np.empty(0, dtype=np.int16)
        self._open_from = 0
        self._done: list[tuple[int, Peaks]] = []

    def place(self, first_sample: int, samples: NDArray[np.int16]) -> None:
        """Add audio at `first_sample` of the lane. What lies before audio that was placed already is left out."""
        end = self._open_from + len(self._open)
        samples = samples[max(0, end - first_sample) :]
        first_sample = max(first_sample, end)
        if not len(samples):
            return
        gap = first_sample - end
        if gap >= self._base:
            self.flush()
            # Blocks lie on the lane's grid: the first one begins with silence.
            self._open_from = first_sample - first_sample % self._base
            gap = first_sample - self._open_from
        self._open = np.concatenate((self._open, np.zeros(gap, dtype=np.int16), samples))
        self._close(len(self._open) // self._base * self._base)

    def flush(self) -> None:
        """End the block being filled, as if silence followed."""
        silence = np.zeros(-len(self._open) % self._base, dtype=np.int16)
        self._open = np.concatenate((self._open, silence))
        self._close(len(self._open))

    def take(self) -> list[tuple[int, Peaks]]:
        """Return the runs of whole blocks since the last call: the first sample of the run, and its peaks."""
        done, self._done = self._done, []
        return done

    def _close(self, count: int) -> None:
        if count:
            self._done.append((self._open_from, block_peaks(self._open[:count], self._base)))
            self._open = self._open[count:].copy()
            self._open_from += count


class PeakPyramid:
    """The peaks of a lane at all zooms; grows while a session runs, and answers in microseconds."""

    def __init__(self, base: int = BASE_SAMPLES, factor: int = 4) -> None:
        if base < 1 or factor < 2:
            raise ValueError("a pyramid needs a base of at least 1 and a factor of at least 2")
        self.base = base
        self.factor = factor
        self._levels = [_Level()]
        self._samples = 0

    def __len__(self) -> int:
        """The length of the lane in samples."""
        return self._samples

    @property
    def memory_bytes(self) -> int:
        """Bytes held by the peaks of all levels."""
        return sum(level.memory_bytes for level in self._levels)

    def append(self, samples: NDArray[np.int16]) -> None:
        """Add audio at the end of the lane; the last block may be filled up by later calls."""
        if not len(samples):
            return
        first_block, offset = divmod(self._samples, self.base)
        self._samples += len(samples)
        head = min(len(samples), (self.base - offset) % self.base)
        if head:
            self._merge(first_block, *block_peaks(samples[:head], self.base))
            first_block += 1
        if head < len(samples):
            self._merge(first_block, *block_peaks(samples[head:], self.base))

    def place_peaks(self, first_sample: int, mins: NDArray[np.int8], maxs: NDArray[np.int8]) -> None:
        """Put blocks where they belong: silence before them where nothing was, joined with what was there.

        Raises ValueError if `first_sample` is not on the grid of blocks, or the arrays differ in length.
        """
        if first_sample < 0 or first_sample % self.base:
            raise ValueError(f"peaks begin at a multiple of {self.base} samples, not at {first_sample}")
        if len(mins) != len(maxs):
            raise ValueError(f"{len(mins)} smallest and {len(maxs)} largest samples do not belong together")
        if not len(mins):
            return
        self._samples = max(self._samples, first_sample + len(mins) * self.base)
        self._merge(first_sample // self.base, mins, maxs)

    def query(self, first_sample: int, last_sample: int, n_columns: int) -> Peaks:
        """Return the peaks of `n_columns` equal columns over samples [first_sample, last_sample).

        Each column holds the peaks of all blocks that begin in it, the first one also those of the block it begins
        in; a column narrower than a block holds those of the blocks it lies in. So no peak is lost at any zoom.
        Columns outside the lane are zero.
        """
        mins = np.zeros(n_columns, dtype=np.int8)
        maxs = np.zeros(n_columns, dtype=np.int8)
        if n_columns < 1 or last_sample <= first_sample:
            return mins, maxs
        number, size = self._level_for((last_sample - first_sample) / n_columns)
        level = self._levels[number]
        edges = np.linspace(first_sample, last_sample, n_columns + 1) / size
        starts = np.floor(edges[:-1])
        if last_sample - first_sample >= n_columns * size:
            starts[1:] = np.ceil(edges[1:-1])
        ends = np.maximum(np.ceil(edges[1:]), starts + 1)
        starts = np.clip(starts, 0, level.count).astype(np.int64)
        ends = np.clip(ends, 0, level.count).astype(np.int64)
        inside = np.flatnonzero(ends > starts)
        if not inside.size:
            return mins, maxs
        low, high = int(starts[inside[0]]), int(ends[inside[-1]])
        # Each pair of indices is one column; the one value too many lets the last pair end at the end.
        pairs = np.stack((starts[inside], ends[inside]), axis=1).ravel() - low
        level_mins, level_maxs = level.read(low, high)
        mins[inside] = np.minimum.reduceat(np.append(level_mins, level_mins[-1]), pairs)[::2]
        maxs[inside] = np.maximum.reduceat(np.append(level_maxs, level_maxs[-1]), pairs)[::2]
        return mins, maxs

    def _level_for(self, samples_per_column: float) -> tuple[int, int]:
        number, size = 0, self.base
        while number + 1 < len(self._levels) and size * self.factor <= samples_per_column:
            number, size = number + 1, size * self.factor
        return number, size

    def _merge(self, first: int, mins: NDArray[np.int8], maxs: NDArray[np.int8]) -> None:
        """Join peaks into the base level from block `first` on, and bring the levels above up to date."""
        end = first + len(mins)
        # Where blocks were jumped over, the block above the last one known now holds silence too.
        first_changed = min(first, max(0, self._levels[0].count - 1))
        self._levels[0].merge(first, mins, maxs)
        first = first_changed
        number = 0
        while self._levels[number].count > self.factor:
            first, end = first // self.factor, -(-end // self.factor)
            below = self._levels[number]
            number += 1
            if number == len(self._levels):
                self._levels.append(_Level())
                first, end = 0, -(-below.count // self.factor)
            children = below.read(first * self.factor, min(end * self.factor, below.count))
            starts = np.arange(0, len(children[0]), self.factor)
            self._levels[number].overwrite(
                first, np.minimum.reduceat(children[0], starts), np.maximum.reduceat(children[1], starts)
            )


class _Level:
    """One row of peaks, in chunks that never move."""

    def __init__(self) -> None:
        self.count = 0
        self._chunks: list[NDArray[np.int8]] = []

    @property
    def memory_bytes(self) -> int:
        return sum(chunk.nbytes for chunk in self._chunks)

    def read(self, first: int, end: int) -> Peaks:
        """Return peaks [first, end); a view where they lie in one chunk."""
        pieces = [self._chunks[chunk][:, low:high] for chunk, low, high in _pieces(first, end)]
        rows = pieces[0] if len(pieces) == 1 else np.concatenate(pieces, axis=1)
        return rows[0], rows[1]

    def overwrite(self, first: int, mins: NDArray[np.int8], maxs: NDArray[np.int8]) -> None:
        """Set the peaks from `first` on."""
        done = 0
        for chunk, low, high in self._reserve(first, first + len(mins)):
            rows = self._chunks[chunk]
            rows[0, low:high] = mins[done : done + high - low]
            rows[1, low:high] = maxs[done : done + high - low]
            done += high - low

    def merge(self, first: int, mins: NDArray[np.int8], maxs: NDArray[np.int8]) -> None:
        """Join peaks with those from `first` on; a peak never written before is taken as it is."""
        known = max(0, min(self.count - first, len(mins)))
        if known:
            old_mins, old_maxs = self.read(first, first + known)
            self.overwrite(first, np.minimum(old_mins, mins[:known]), np.maximum(old_maxs, maxs[:known]))
        if known < len(mins):
            self.overwrite(first + known, mins[known:], maxs[known:])

    def _reserve(self, first: int, end: int) -> list[tuple[int, int, int]]:
        while len(self._chunks) * _CHUNK_PEAKS < end:
            self._chunks.append(np.zeros((2, _CHUNK_PEAKS), dtype=np.int8))
        self.count = max(self.count, end)
        return _pieces(first, end)


def _pieces(first: int, end: int) -> list[tuple[int, int, int]]:
    """Return (chunk, low, high) for each chunk that peaks [first, end) lie in."""
    return [
        (chunk, max(first - chunk * _CHUNK_PEAKS, 0), min(end - chunk * _CHUNK_PEAKS, _CHUNK_PEAKS))
        for chunk in range(first // _CHUNK_PEAKS, (end - 1) // _CHUNK_PEAKS + 1)
    ]
