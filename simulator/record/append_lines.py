"""Lines of the participant's audio, fifty a second, read as columns of numbers: no entry is made of any of them.

Nine lines in ten of a record differ from the one before in seven numbers only. Those of one length are laid under each
other as rows of bytes; where a row holds at its places nothing but what the first one holds there, and digits where
that has digits, its numbers are read for all rows at once. A line that differs in anything else is left to the decoder,
so that whatever comes out is what the decoder would have said.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from simulator.record.entries import AudioSpan, Direction, Entry, Track

TYPE: Final = "input_audio_buffer.append"
_LAYOUT: Final = re.compile(
    rb'\{"seq":(\d+),"t_ns":(\d+),"direction":"sent","type":"input_audio_buffer\.append",'
    rb'"event":\{"type":"input_audio_buffer\.append","event_id":"event_(\d+)","audio":""\},"size_bytes":(\d+),'
    rb'"audio":\{"track":"participant","first_sample":(\d+),"samples":(\d+),"payload_bytes":(\d+)\}\}\n'
)
_COLUMNS: Final = _LAYOUT.groups
_SHORTEST_BYTES: Final = 230
_LONGEST_BYTES: Final = 360
_FEWEST_ROWS: Final = 8
"""Below so many lines of one length the decoder is as fast."""
_MOST_LAYOUTS: Final = 6
"""Of one length: where a number gains a digit two of them meet in a block, seldom three."""
_MOST_DIGITS: Final = (18, 15, 18, 18, 10, 9, 9)
"""Of each number: more may be too large for 64 bits, those of a piece of audio for 32, or later than a record gets."""

_Rows = NDArray[np.uint8]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Appends:
    """The plain appends among some lines, in order: where they lie, and their numbers, one array each."""

    places: Numbers
    """The index of each line."""
    seqs: Numbers
    times_ns: Numbers
    event_numbers: Numbers
    """17 of ``event_17``."""
    sizes_bytes: Numbers
    first_samples: Numbers
    samples: Numbers
    payloads_bytes: Numbers

    @classmethod
    def none(cls) -> Self:
        """Return no append."""
        return cls(*np.empty((1 + _COLUMNS, 0), dtype=np.int64))

    def __len__(self) -> int:
        return len(self.places)

    def before(self, place: int) -> Self:
        """Return those of the lines before `place`."""
        end = int(np.searchsorted(self.places, place))
        return type(self)(*(getattr(self, name)[:end] for name in self.__slots__))

    def entry(self, index: int) -> Entry:
        """Return one of them as the entry that it is."""
        span = AudioSpan(
            Track.PARTICIPANT,
            int(self.first_samples[index]),
            int(self.samples[index]),
            int(self.payloads_bytes[index]),
        )
        return Entry(
            int(self.seqs[index]),
            int(self.times_ns[index]),
            Direction.SENT,
            TYPE,
            event_of(int(self.event_numbers[index])),
            int(self.sizes_bytes[index]),
            span,
        )


@dataclass(frozen=True, slots=True)
class Block:
    """Lines of a record that follow each other: the plain appends among them, and the entries of all others."""

    lines: int
    appends: Appends
    places: Sequence[int]
    """The index of each of `entries` among the lines."""
    entries: Sequence[Entry]


def event_of(number: int) -> dict[str, str]:
    """Return the event of a plain append."""
    return {"type": TYPE, "event_id": f"event_{number}", "audio": ""}


def find_appends(block: bytes, starts: Numbers, first_seq: int) -> Appends:
    """Return the plain appends among the lines of a block.

    Args:
        block: Whole lines.
        starts: Where each of them begins, and the end of the last one.
        first_seq: The number that the first line is to have, and so on: one that has not is no plain append.
    """
    lengths = np.diff(starts)
    found: list[NDArray[np.int64]] = []
    # Most blocks hold two or three lengths of appends, but each length of other lines that there is.
    for length, count in zip(*np.unique(lengths, return_counts=True), strict=True):
        if count >= _FEWEST_ROWS and _SHORTEST_BYTES <= length <= _LONGEST_BYTES:
            found += _of_one_length(block, starts, np.flatnonzero(lengths == length), int(length))
    if not found:
        return Appends.none()
    columns = np.concatenate(found, axis=1)
    columns = columns[:, np.argsort(columns[0], kind="stable")]
    return Appends(*columns[:, columns[1] == columns[0] + first_seq])


def _of_one_length(block: bytes, starts: Numbers, places: Numbers, length: int) -> list[Numbers]:
    """Return the places and numbers of the appends among lines of one length, once for each layout of its digits."""
    whole = np.frombuffer(block, dtype=np.uint8)
    rows = np.lib.stride_tricks.sliding_window_view(whole, length)[starts[places]]
    found = []
    for _ in range(_MOST_LAYOUTS):
        layout = _LAYOUT.fullmatch(rows[0].tobytes())
        done = np.zeros(len(rows), dtype=bool)
        if layout is not None:
            done, columns = _numbers(rows, [layout.span(number + 1) for number in range(_COLUMNS)])
            found.append(np.stack([places[done], *(column[done] for column in columns)]))
        done[0] = True
        places, rows = places[~done], rows[~done]
        if len(places) < _FEWEST_ROWS:
            break
    return found


def _numbers(rows: _Rows, spans: list[tuple[int, int]]) -> tuple[NDArray[np.bool_], list[Numbers]]:
    """Return which rows are laid out as the first one is, and the number of each row in each of `spans`."""
    same = rows == rows[0]
    columns = []
    for (first, end), most_digits in zip(spans, _MOST_DIGITS, strict=True):
        digits = rows[:, first:end] - ord("0")  # wraps: what comes before the digits becomes large
        same[:, first:end] = digits < 10
        if end - first > 1:
            same[:, first] &= digits[:, 0] > 0
        if end - first > most_digits:
            same[:, first] = False
        value = digits[:, 0].astype(np.int64)
        for column in range(1, end - first):
            value = value * 10 + digits[:, column]
        columns.append(value)
    return same.all(axis=1), columns
