"""The record of one live session: every entry, the audio both ways, and what was said and heard on one clock."""

import time
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from simulator.audio.lanes import CapturedTrack, HandedTrack
from simulator.audio.peaks import PeakCollector
from simulator.audio.playout import AudioHanded
from simulator.errors import StorageFault
from simulator.participant.messages import Lane, Peaks
from simulator.record.backlog import OnLoss
from simulator.record.entries import Entry, Track
from simulator.record.log import RecordLog
from simulator.record.redact import Redactor
from simulator.record.writer import RecordWriter
from simulator.resources import exists
from simulator.units import NS_PER_S, SAMPLE_RATE_HZ, ns_to_samples

HEARD_LAG_NS: Final = NS_PER_S // 2
"""How long the heard track waits, so that both of its sides are complete when they are written."""

_AT_ONCE_SAMPLES: Final = 60 * SAMPLE_RATE_HZ
"""So much of the heard track is held at most: a process that stood still for hours, as a computer that slept, has as
much of silence to write."""

Samples = NDArray[np.int16]


class HeardTrack:
    """Joins two lanes to one stereo stream without holes: left the participant, right the agent."""

    def __init__(self, write: Callable[[Samples], None]) -> None:
        self._write = write
        self._written = 0
        self._pending = np.zeros((0, 2), dtype=np.int16)

    def place(self, side: int, first_sample: int, samples: Samples) -> None:
        """Put samples on a side (0 left, 1 right). What lies before what was written already is left out."""
        self.write_until(first_sample - _AT_ONCE_SAMPLES)  # so late that nothing else comes before it
        samples = samples[max(0, self._written - first_sample) :]
        start = max(first_sample, self._written) - self._written
        self._grow(start + len(samples))
        self._pending[start : start + len(samples), side] = samples

    def write_until(self, position: int) -> None:
        """Write everything before `position`, silence where nothing was placed."""
        while (count := min(position - self._written, _AT_ONCE_SAMPLES)) > 0:
            self._grow(count)
            self._write(self._pending[:count])
            self._pending = self._pending[count:].copy()
            self._written += count

    def finish(self, position: int) -> None:
        """Write everything that was placed, and silence up to `position` at least."""
        self.write_until(max(position, self._written + len(self._pending)))

    def _grow(self, count: int) -> None:
        missing = count - len(self._pending)
        if missing > 0:
            self._pending = np.concatenate((self._pending, np.zeros((missing, 2), dtype=np.int16)))


class SessionRecorder:
    """Writes one session to `path` and passes its entries on. Belongs to the loop's thread.

    `on_fault` is called from the writer's thread, once, when the disk fails; the session goes on without it. `on_loss`
    is called when the disk is too slow, and again with what was lost. `on_audio` gets what was sent and received,
    before the entry that tells of it. Without `keep_audio` no sample reaches the disk; all else is the same.
    """

    def __init__(
        self,
        path: Path,
        *,
        redactor: Redactor,
        on_entry: Callable[[Entry], None],
        on_fault: Callable[[StorageFault], None],
        on_loss: OnLoss = lambda lost, over: None,
        on_audio: Callable[[Track, Samples], None] = lambda track, samples: None,
        keep_audio: bool = True,
    ) -> None:
        self.path = path
        self.started_ns = time.monotonic_ns()
        self._writer = RecordWriter(path, on_fault=on_fault, on_loss=on_loss)
        self.keeps_audio = keep_audio
        self.log = RecordLog(
            self.started_ns,
            sinks=[self._writer.append, on_entry],
            audio_sinks=[self._write_audio, on_audio],
            redactor=redactor,
        )
        self._heard = HeardTrack(lambda samples: self._write_audio(Track.HEARD, samples))
        self._captured_track = CapturedTrack(self.started_ns)
        self._handed_track = HandedTrack(self.started_ns)
        self._peaks = {lane: PeakCollector() for lane in Lane}

    @property
    def healthy(self) -> bool:
        """Whether the record reaches the disk."""
        return self._writer.healthy

    @property
    def waiting_bytes(self) -> int:
        """How much waits for the disk."""
        return self._writer.waiting_bytes

    def note(self, kind: str, fields: Mapping[str, Any], at_ns: int | None = None) -> Entry:
        """Keep something the program says about itself, at `at_ns` or now."""
        return self.log.noted(kind, fields, time.monotonic_ns() if at_ns is None else at_ns)

    def captured(self, samples: Samples, ended_ns: int, *, begins: bool) -> None:
        """Keep what the participant's voice was, sent or not; another source of it `begins` with these samples."""
        placed = self._captured_track.place(samples, ended_ns, begins=begins)
        self._heard.place(0, *placed)
        self._peaks[Lane.PARTICIPANT].place(*placed)

    def handed(self, pieces: Iterable[AudioHanded]) -> None:
        """Keep what was handed to the output device."""
        for piece in pieces:
            placed = self._handed_track.place(piece)
            self._heard.place(1, *placed)
            self._peaks[Lane.AGENT].place(*placed)

    def take_peaks(self) -> list[Peaks]:
        """Return the waveforms' new blocks."""
        return [
            Peaks(lane=lane, first_sample=first_sample, mins=mins.tobytes(), maxs=maxs.tobytes())
            for lane, collector in self._peaks.items()
            for first_sample, (mins, maxs) in collector.take()
        ]

    def advance(self, now_ns: int) -> None:
        """Write the heard track as far as both of its sides are known."""
        self._heard.write_until(ns_to_samples(now_ns - HEARD_LAG_NS - self.started_ns))

    def close(self, reason: str, within_s: float | None = None) -> bool:
        """Write the end. Blocks until everything is on disk; nothing may be added afterwards.

        Returns False where the disk did not take it all within the time.
        """
        now_ns = time.monotonic_ns()
        self._heard.finish(ns_to_samples(now_ns - self.started_ns))
        for collector in self._peaks.values():
            collector.flush()
        self.note("record.ended", {"reason": reason}, now_ns)
        return self._writer.close(within_s)

    def _write_audio(self, track: Track, samples: Samples) -> None:
        if self.keeps_audio:
            self._writer.write_audio(track, samples)


def new_record_path(folder: Path, engine: str, now: datetime) -> Path:
    """Return the path of a new record: a folder of its own, named by date and engine, that does not exist yet."""
    safe = "".join(sign if sign.isalnum() or sign in "-_." else "-" for sign in engine)[:40].strip("-.") or "engine"
    name = f"{now:%Y-%m-%d %H.%M.%S} {safe}"
    path = folder / name
    number = 2
    while exists(path):
        path = folder / f"{name} {number}"
        number += 1
    return path / "session.jsonl"
