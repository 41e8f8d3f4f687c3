"""Loads an ended record into a view: entries, measures, and waveforms from its audio files.

A live session's record has a track on the session's clock (`heard`). A check's record has not: there the participant's
audio lies where it was sent, and the engine's where a loudspeaker would have played it, from its arrival on, one
piece behind the other, until a cut.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from simulator.audio.peaks import PeakCollector, PeakPyramid
from simulator.participant.messages import Lane
from simulator.record.entries import Entry, Track
from simulator.record.reader import audio, read_record
from simulator.units import ns_to_samples, samples_to_ns
from ui.models.implied_notes import ImpliedNotes, Played
from ui.record_view import RecordView

Samples = NDArray[np.int16]


def load_view(path: Path, title: str) -> RecordView:
    """Read a record whole. Raises UnreadableFile; may take seconds: call it in a thread."""
    record = read_record(path)
    heard = audio(path, Track.HEARD)
    if len(heard):
        view = RecordView(title, path)
        view.add(record.entries)
        view.lanes[Lane.PARTICIPANT].append(np.ascontiguousarray(heard[:, 0]))
        view.lanes[Lane.AGENT].append(np.ascontiguousarray(heard[:, 1]))
        return view
    implied = ImpliedNotes()
    view = RecordView(title, path, implied)
    view.add(record.entries)
    _place(view.lanes[Lane.PARTICIPANT], _sent(record.entries), audio(path, Track.PARTICIPANT))
    _place(view.lanes[Lane.AGENT], implied.played, audio(path, Track.AGENT))
    return view


def _sent(entries: Iterable[Entry]) -> Iterator[Played]:
    """Yield the participant's audio, which was over when it was sent."""
    free_ns = 0
    for entry in entries:
        span = entry.audio
        if span is not None and span.track is Track.PARTICIPANT:
            begins_ns = max(free_ns, entry.t_ns - samples_to_ns(span.samples))
            free_ns = begins_ns + samples_to_ns(span.samples)
            yield Played(begins_ns, span.first_sample, span.samples)


def _place(lane: PeakPyramid, pieces: Iterable[Played], track: Samples) -> None:
    """Put pieces of a track on the clock, one behind the other where rounding lets them overlap."""
    collector = PeakCollector(lane.base)
    cursor = 0
    for piece in pieces:
        samples = np.asarray(track[piece.first_sample : piece.first_sample + piece.samples])
        if len(samples):
            cursor = max(cursor, ns_to_samples(piece.at_ns))
            collector.place(cursor, samples)
            cursor += len(samples)
    collector.flush()
    for first_sample, (mins, maxs) in collector.take():
        lane.place_peaks(first_sample, mins, maxs)
