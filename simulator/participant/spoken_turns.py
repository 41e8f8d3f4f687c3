"""The participant's turns as audio: what was sent of each, cut where the engine says that speech began and ended.

Pure: it is given the entries of a session's record and the samples of its lane, and keeps no more of them than a turn
may still need.
"""

from collections import deque
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.record.entries import Direction, Entry, Track
from simulator.record.fields import text, whole_number
from simulator.units import NS_PER_S, ms_to_samples, ns_to_samples, samples_to_ms

LONGEST_SAMPLES: Final = ns_to_samples(300 * NS_PER_S)
"""Of a longer turn the last five minutes count."""

_KEPT_SAMPLES: Final = ns_to_samples(4 * NS_PER_S)
"""How far back speech may have begun when the engine says so; what it says beyond is not believed."""
_USUAL_LEAD_SAMPLES: Final = ns_to_samples(NS_PER_S)

Samples = NDArray[np.int16]


class SpokenTurn(NamedTuple):
    """One turn: its item, and what was sent of it from one position of the participant's lane to another."""

    item_id: str
    from_sample: int
    to_sample: int
    samples: Samples


class SpokenTurns:
    """Cuts the turns of one session. Positions are those of the record's participant lane, in samples at 24 kHz."""

    def __init__(self) -> None:
        self._blocks: deque[tuple[int, Samples]] = deque()
        self._position = 0
        self._open: tuple[str | None, int] | None = None
        """The item and the beginning of the turn that is being spoken."""

    def heard(self, track: Track, samples: Samples) -> None:
        """Take what was written to a lane of the record; only the participant's counts."""
        if track is not Track.PARTICIPANT:
            return
        self._blocks.append((self._position, samples))
        self._position += len(samples)
        oldest = self._position - _KEPT_SAMPLES if self._open is None else self._open[1]
        oldest = max(oldest, self._position - LONGEST_SAMPLES)
        while self._blocks and self._blocks[0][0] + len(self._blocks[0][1]) <= oldest:
            self._blocks.popleft()

    @property
    def speaking(self) -> bool:
        """Whether the engine hears the participant speak."""
        return self._open is not None

    def take(self, entry: Entry) -> SpokenTurn | None:
        """Take the next entry of the record; return the turn that is over with it."""
        if entry.direction is not Direction.RECEIVED:
            return None
        match entry.type:
            case "input_audio_buffer.speech_started":
                self._open = text(entry, "item_id"), self._begin(whole_number(entry, "audio_start_ms"))
            case "input_audio_buffer.speech_stopped" | "input_audio_buffer.committed" if self._open is not None:
                (item_id, begin), self._open = self._open, None
                item_id = text(entry, "item_id") or item_id
                end_ms = whole_number(entry, "audio_end_ms")
                return None if item_id is None else self._cut(item_id, begin, end_ms)
        return None

    def _begin(self, start_ms: int | None) -> int:
        start = self._at(start_ms)
        if start is None or start < self._position - _KEPT_SAMPLES:
            start = self._position - _USUAL_LEAD_SAMPLES
        return max(0, start)

    def _at(self, ms: int | None) -> int | None:
        """Return the position that the engine names; None where it names none, or one that was not sent yet."""
        return ms_to_samples(ms) if ms is not None and 0 <= ms <= samples_to_ms(self._position) else None

    def _cut(self, item_id: str, begin: int, end_ms: int | None) -> SpokenTurn | None:
        end = self._at(end_ms)
        if end is None or end <= begin:
            end = self._position
        begin = max(begin, self._blocks[0][0] if self._blocks else end)
        parts = [
            samples[max(0, begin - first) : max(0, end - first)]
            for first, samples in self._blocks
            if first < end and first + len(samples) > begin
        ]
        return SpokenTurn(item_id, begin, end, np.concatenate(parts)) if parts else None
