"""The participant's voice in a record, read by its position on the session's clock."""

from pathlib import Path
from types import TracebackType
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from simulator.record.entries import Track
from simulator.record.tracks import TrackFile
from simulator.units import SAMPLE_RATE_HZ

BLOCK_SAMPLES: Final = SAMPLE_RATE_HZ
"""How much is decoded at once."""


class ParticipantVoice:
    """The left channel of the heard track of a record. Context manager; belongs to one thread.

    At most two seconds of it are held. Raises UnreadableFile where there is no record, UnreadableRecording where its
    track is of another program; one without a track is silent.
    """

    def __init__(self, record: Path) -> None:
        self._file = TrackFile(record, Track.HEARD)
        self._blocks: dict[int, NDArray[np.int16]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def samples(self) -> int:
        """How much there is, by the file's own word."""
        return self._file.frames

    def read(self, first_sample: int, samples: int) -> NDArray[np.int16]:
        """Return so many samples from a position on, zeros where there is none: before the session, and after it."""
        read = np.zeros(max(0, samples), dtype=np.int16)
        end = first_sample + len(read)
        for number in range(first_sample // BLOCK_SAMPLES, -(-end // BLOCK_SAMPLES)):
            block, start = self._block(number), number * BLOCK_SAMPLES
            since, until = max(first_sample, start), min(end, start + len(block))
            if since < until:
                read[since - first_sample : until - first_sample] = block[since - start : until - start]
        return read

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _block(self, number: int) -> NDArray[np.int16]:
        if number not in self._blocks:
            while len(self._blocks) > 1:
                del self._blocks[next(iter(self._blocks))]
            inside = 0 <= number * BLOCK_SAMPLES < self.samples
            frames = self._file.read(number * BLOCK_SAMPLES, BLOCK_SAMPLES) if inside else np.zeros((0, 2), np.int16)
            self._blocks[number] = np.ascontiguousarray(frames[:, 0])
        return self._blocks[number]
