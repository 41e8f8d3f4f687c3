"""Loads an ended record into a view: entries and measures at once, waveforms from its audio files.

A live session's record has a track on the session's clock (`heard`). A check's record has not: there the participant's
audio lies where it was sent, and the engine's where a loudspeaker would have played it, from its arrival on, one
piece behind the other, until a cut.

An hour's sound takes seconds to decode, and its entries one: `open_view` leaves the sound out, and `SavedSound` fills
it in from the beginning on while the record is on screen already.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal, Slot

from simulator.audio.peaks import BASE_SAMPLES, PeakCollector, PeakPyramid, Peaks, block_peaks
from simulator.errors import UnreadableRecording
from simulator.participant.messages import Lane
from simulator.record.entries import Entry, Track
from simulator.record.finishing import start as start_finishing
from simulator.record.folder import is_running, is_session, record_file
from simulator.record.reader import audio, blocks, read_record
from simulator.record.tracks import TrackFile, cut_off
from simulator.units import ns_to_samples, samples_to_ns
from ui.background import Background
from ui.models.implied_notes import ImpliedNotes, Played
from ui.record_view import RecordView

Samples = NDArray[np.int16]

_PIECE_FRAMES: Final = 1 << 18
"""Eleven seconds of sound a step: some hundred steps an hour."""


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


def open_view(path: Path) -> RecordView:
    """Read what a user opens: a session's folder, or a .jsonl file; up to its damage, which `view.lacks` tells.

    A session's sound is left to `SavedSound`. A crash's leftovers are finished by a process of its own from now on.
    Raises UnreadableFile, UnreadableRecording; takes about a second an hour: call it in a thread.
    """
    path = record_file(path).resolve()
    folder = path.parent
    title = folder.name if is_session(folder) else path.stem
    lacks: list[str] = []
    found = blocks(path, lacks)
    try:
        with TrackFile(path, Track.HEARD) as heard:
            frames, on_one_clock = heard.frames, heard.path is not None
    except UnreadableRecording as error:
        frames, on_one_clock = 0, True
        lacks.append(str(error))
    if not on_one_clock and not is_session(folder):
        view = load_view(path, title)
        for _ in found:  # says what is wrong
            pass
    else:
        view = RecordView(title, path)
        for block in found:
            view.add_block(block)
        view.now_ns = max(view.now_ns, samples_to_ns(frames))
    running = is_session(folder) and is_running(folder)
    if view.entries and view.entries[0].event.get("audio_kept") is False:
        lacks.append("The audio was left out of this session on purpose.")
    if running:
        lacks.append("This session still goes on: it is shown as far as it was written when it was opened.")
    elif not lacks and (not view.entries or view.entries[-1].type != "record.ended"):
        lacks.append("This session was broken off: it is shown up to the last event that was written.")
    view.lacks = lacks
    if is_session(folder):
        start_finishing(folder)
    return view


class SavedSound(QObject):
    """Reads the waveforms of one saved session at a time, in the background."""

    came = Signal(object, object)
    """The view has more of its waveforms: from which time until which, in nanoseconds."""
    ended = Signal(str)
    """All that there is was read: what is wrong with it in a sentence, or nothing."""
    _read = Signal(int, int, object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._background = Background(self)
        self._number = 0
        self._view: RecordView | None = None
        self._read.connect(self._place)

    @property
    def reading(self) -> bool:
        """Whether more is to come."""
        return self._view is not None

    def read(self, view: RecordView) -> None:
        """Fill in the waveforms of a view that `open_view` made; one that is being filled stays as it is."""
        self.stop()
        if view.path is None or any(len(lane) for lane in view.lanes.values()):
            return
        number, self._view = self._number, view

        def done(lack: str | None, error: Exception | None) -> None:
            if number == self._number:
                self._view = None
                self.ended.emit(lack if error is None else str(error))

        self._background.run(partial(self._work, number, view.path), done)

    def stop(self) -> None:
        """Read no further."""
        self._number += 1
        self._view = None

    def _work(self, number: int, path: Path) -> str:
        return heard_peaks(path, partial(self._read.emit, number), lambda: number == self._number)

    @Slot(int, int, object)
    def _place(self, number: int, first_sample: int, peaks: tuple[Peaks, Peaks]) -> None:
        if number != self._number or self._view is None:
            return
        for lane, (mins, maxs) in zip((Lane.PARTICIPANT, Lane.AGENT), peaks, strict=True):
            self._view.lanes[lane].place_peaks(first_sample, mins, maxs)
        last_sample = first_sample + len(peaks[0][0]) * BASE_SAMPLES
        self.came.emit(samples_to_ns(first_sample), samples_to_ns(last_sample))


def heard_peaks(
    path: Path, take: Callable[[int, tuple[Peaks, Peaks]], None], wanted: Callable[[], bool] = lambda: True
) -> str:
    """Give the peaks of both voices to `take` in pieces, from the beginning on, as long as they are `wanted`.

    Returns in a sentence where the sound ends before its file says; nothing where it is whole.
    """
    with TrackFile(path, Track.HEARD) as heard:
        first = held = 0
        pieces: list[Samples] = []
        for block in heard.blocks():
            pieces.append(block)
            held += len(block)
            if held < _PIECE_FRAMES:
                continue
            if not wanted():
                return ""
            joined = np.concatenate(pieces)
            whole = held - held % BASE_SAMPLES
            take(first, _both(joined[:whole]))
            pieces, held, first = [joined[whole:]], held - whole, first + whole
        if held:
            take(first, _both(np.concatenate(pieces)))
        if heard.path is None or first + held >= heard.frames:
            return ""
        return cut_off(heard.path, first + held, heard.frames)


def _both(heard: Samples) -> tuple[Peaks, Peaks]:
    return block_peaks(np.ascontiguousarray(heard[:, 0])), block_peaks(np.ascontiguousarray(heard[:, 1]))


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
