"""What a record shows over time: both waveforms, what the engine heard, its responses, and the marks between.

`timeline_svg` draws it. The agent's voice lies where a participant's loudspeaker plays it: in
order and in real time, from its arrival. Where the participant interrupted or cancelled, the rest of that reply is
drawn as never heard.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from simulator.conformance.evidence import Evidence
from simulator.record.entries import Direction, Entry, Track
from simulator.record.fields import text, value_at
from simulator.record.measures import Measures, ResponseSpan, SpeechSpan
from simulator.record.reader import Record, audio
from simulator.units import NS_PER_MS, NS_PER_S, ns_to_samples, samples_to_ns

LONGEST_PICTURE_S: Final = 20 * 60
"""A record that says it is longer has lost its clock, and gets no picture."""
MOST_MARKS: Final = 80
_GAP_NS: Final = 300 * NS_PER_MS
"""A pause between two appends that is longer than lateness explains: the stream stopped."""

Samples = NDArray[np.int16]
Span = tuple[int, int]
"""From and to, in nanoseconds of the record."""

_MARKS: Final = {
    (Direction.SENT, "session.update"): "update",
    (Direction.SENT, "response.create"): "ask reply",
    (Direction.SENT, "response.cancel"): "cancel",
    (Direction.SENT, "conversation.item.truncate"): "truncate",
    (Direction.SENT, "input_audio_buffer.commit"): "commit",
    (Direction.SENT, "conversation.item.create"): "item",
    (Direction.RECEIVED, "input_audio_buffer.committed"): "committed",
    (Direction.RECEIVED, "conversation.item.truncated"): "truncated",
    (Direction.RECEIVED, "response.function_call_arguments.done"): "call",
    (Direction.RECEIVED, "error"): "error",
    (Direction.RECEIVED, "malformed"): "malformed",
    (Direction.NOTED, "problem"): "problem",
    (Direction.NOTED, "connection.closed"): "closed",
}


@dataclass(frozen=True, slots=True)
class Mark:
    """One event that a reader looks for."""

    t_ns: int
    seq: int
    label: str
    type: str
    direction: Direction


@dataclass(slots=True)
class Timeline:
    """What a record shows over time. Waveforms hold one sample per sample of the record's clock, from 0 on."""

    end_ns: int
    participant: Samples
    heard: Samples
    """The agent's voice as it was played."""
    unheard: Samples
    """What of it was received and cut."""
    spoken: list[Span] = field(default_factory=list)
    """Where the recordings hold speech: what the engine should have heard."""
    speech: list[SpeechSpan] = field(default_factory=list)
    responses: list[ResponseSpan] = field(default_factory=list)
    listening_off: list[Span] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)

    @property
    def is_silent(self) -> bool:
        """Whether there is nothing to see: no voice of either side."""
        return not (self.participant.any() or self.heard.any() or self.unheard.any())


def timeline_of(record: Record) -> Timeline | None:
    """Return the picture's facts, or None where the record has no usable clock.

    Raises UnreadableRecording where the audio is not of this program.
    """
    end_ns = max((entry.t_ns for entry in record.entries), default=0)
    if not 0 < end_ns <= LONGEST_PICTURE_S * NS_PER_S:
        return None
    evidence, measures = Evidence(record.entries), Measures()
    for entry in record.entries:
        measures.feed(entry)
    length = ns_to_samples(end_ns)
    heard, unheard = _agent(record, length)
    return Timeline(
        end_ns=end_ns,
        participant=_participant(record, length),
        heard=heard,
        unheard=unheard,
        spoken=list(_spoken(evidence)),
        speech=measures.speech_spans,
        responses=measures.responses,
        listening_off=list(_listening_off(evidence, end_ns)),
        marks=list(_marks(record.entries)),
    )


def _participant(record: Record, length: int) -> Samples:
    track, lane = audio(record.path, Track.PARTICIPANT), np.zeros(length, np.int16)
    for entry in record.entries:
        span = entry.audio
        if span is not None and span.track is Track.PARTICIPANT:
            _place(lane, ns_to_samples(entry.t_ns), track[span.first_sample : span.first_sample + span.samples])
    return lane


def _agent(record: Record, length: int) -> tuple[Samples, Samples]:
    """Play what arrived; at a cut the rest of the queue becomes what was never heard."""
    track = audio(record.path, Track.AGENT)
    heard, unheard = np.zeros(length, np.int16), np.zeros(length, np.int16)
    playing_until_ns, unheard_until_ns = 0, 0
    cut_responses, queued = set[str | None](), set[str | None]()
    for entry in record.entries:
        span = entry.audio
        if span is not None and span.track is Track.AGENT:
            samples = track[span.first_sample : span.first_sample + span.samples]
            length_ns = samples_to_ns(span.samples)
            if (response := text(entry, "response_id")) in cut_responses:
                begins_ns = max(unheard_until_ns, entry.t_ns)
                unheard_until_ns = begins_ns + length_ns
                _place(unheard, ns_to_samples(begins_ns), samples)
            else:
                begins_ns = max(playing_until_ns, entry.t_ns)
                playing_until_ns = begins_ns + length_ns
                _place(heard, ns_to_samples(begins_ns), samples)
                queued.add(response)
        elif _cuts(entry) and entry.t_ns < playing_until_ns:
            at = max(ns_to_samples(entry.t_ns), 0)
            unheard[at:] += heard[at:]
            heard[at:] = 0
            unheard_until_ns, playing_until_ns = playing_until_ns, entry.t_ns
            cut_responses |= queued
            queued.clear()
    return heard, unheard


def _cuts(entry: Entry) -> bool:
    interrupted = entry.direction is Direction.RECEIVED and entry.type == "input_audio_buffer.speech_started"
    return interrupted or (entry.direction is Direction.SENT and entry.type == "response.cancel")


def _place(lane: Samples, at: int, samples: Samples) -> None:
    first = max(-at, 0)
    room = lane[max(at, 0) :]
    piece = samples[first : first + len(room)]
    room[: len(piece)] = piece


def _spoken(evidence: Evidence) -> Iterator[Span]:
    """Yield when the speech of each recording was sent; where the stream stops inside it, the rest was never sent."""
    for utterance in evidence.utterances:
        began: int | None = None
        ended = 0
        for entry in evidence.all(Direction.SENT, "input_audio_buffer.append"):
            span = entry.audio
            if span is None or span.first_sample + span.samples <= utterance.onset_sample:
                continue
            if span.first_sample >= utterance.offset_sample or (began is not None and entry.t_ns > ended + _GAP_NS):
                break
            began, ended = entry.t_ns if began is None else began, entry.t_ns + samples_to_ns(span.samples)
        if began is not None:
            yield began, ended


def _listening_off(evidence: Evidence, end_ns: int) -> Iterator[Span]:
    """Listening is off from the update that takes turn detection away to the one that gives it back."""
    began: int | None = None
    for entry in evidence.all(Direction.SENT, "session.update"):
        told = value_at(entry, "session", "audio", "input")
        if not isinstance(told, dict) or "turn_detection" not in told:
            continue
        if told["turn_detection"] is None:
            began = entry.t_ns if began is None else began
        elif began is not None:
            yield began, entry.t_ns
            began = None
    if began is not None:
        yield began, end_ns


def _marks(entries: Sequence[Entry]) -> Iterator[Mark]:
    told = 0
    for entry in entries:
        label = _MARKS.get((entry.direction, entry.type))
        if entry.type == "connection.closed" and text(entry, "by") == "us":
            label = None
        if label is not None and told < MOST_MARKS:
            told += 1
            yield Mark(entry.t_ns, entry.seq, label, entry.type, entry.direction)
