"""Loads an ended record into a view: entries, measures, and waveforms from its audio files.

A live session's record has a track on the session's clock (`heard`). A check's record has not: there the participant's
audio lies where it was sent, and the engine's where a loudspeaker would have played it, from its arrival on, one
piece behind the other.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from simulator.audio.peaks import PeakCollector, PeakPyramid
from simulator.participant.messages import Lane
from simulator.record.entries import Entry, Track
from simulator.record.reader import audio, read_record
from simulator.units import ns_to_samples
from ui.record_view import RecordView

Samples = NDArray[np.int16]


def load_view(path: Path, title: str) -> RecordView:
    """Read a record whole. Raises UnreadableFile; may take seconds: call it in a thread."""
    record = read_record(path)
    view = RecordView(title, path)
    view.add(record.entries)
    heard = audio(path, Track.HEARD)
    if len(heard):
        view.lanes[Lane.PARTICIPANT].append(np.ascontiguousarray(heard[:, 0]))
        view.lanes[Lane.AGENT].append(np.ascontiguousarray(heard[:, 1]))
    else:
        _place(view.lanes[Lane.PARTICIPANT], record.entries, audio(path, Track.PARTICIPANT), Track.PARTICIPANT)
        _place(view.lanes[Lane.AGENT], record.entries, audio(path, Track.AGENT), Track.AGENT)
    return view


def _place(lane: PeakPyramid, entries: list[Entry], track: Samples, which: Track) -> None:
    """Put each event's audio on the clock: sent audio ends when it was sent, received audio begins when it came."""
    collector = PeakCollector(lane.base)
    cursor = 0
    for entry in entries:
        span = entry.audio
        if span is None or span.track is not which or not span.samples:
            continue
        at = ns_to_samples(entry.t_ns)
        cursor = max(cursor, at - span.samples if which is Track.PARTICIPANT else at)
        collector.place(cursor, np.asarray(track[span.first_sample : span.first_sample + span.samples]))
        cursor += span.samples
    collector.flush()
    for first_sample, (mins, maxs) in collector.take():
        lane.place_peaks(first_sample, mins, maxs)
