"""Gathers what happened into the feed's batches, about 30 a second."""

import numpy as np
from numpy.typing import NDArray

from simulator.audio.levels import dbfs_peak, dbfs_rms
from simulator.participant.feed import Publish
from simulator.participant.messages import Entries, Level, Peaks, Status
from simulator.record.entries import Entry


class Batches:
    """Collects entries and levels, and publishes them with `flush`. Statuses go out only when something changed."""

    def __init__(self, publish: Publish) -> None:
        self._publish = publish
        self._entries: list[Entry] = []
        self._voice: list[NDArray[np.int16]] = []
        self._status: Status | None = None

    def entry(self, entry: Entry) -> None:
        """Take an entry of the record."""
        self._entries.append(entry)

    def voice(self, samples: NDArray[np.int16]) -> None:
        """Take what the participant's voice was, for the level."""
        self._voice.append(samples)

    def flush(self, t_ns: int, peaks: list[Peaks], status: Status) -> None:
        """Publish what came since the last call; `t_ns` is the present record time."""
        if self._entries:
            entries, self._entries = self._entries, []
            self._publish(Entries(entries=entries))
        for lane in peaks:
            self._publish(lane)
        if self._voice:
            samples = np.concatenate(self._voice)
            self._voice.clear()
            self._publish(Level(t_ns=t_ns, rms_dbfs=dbfs_rms(samples), peak_dbfs=dbfs_peak(samples)))
        self.status(status)

    def status(self, status: Status) -> None:
        """Publish the state if it changed."""
        if status != self._status:
            self._status = status
            self._publish(status)
