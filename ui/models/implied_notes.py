"""What a check's record implies without saying it: when the agent's voice was played, cut and never heard, and when
listening was off.

A check has no loudspeaker and no panel, so its record has none of the notes of a live session. It plays by the same
rule as the check itself does: in order and in real time, from the arrival on, until the participant interrupts or
cancels. No Qt here.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from simulator.record.entries import Direction, Entry, Track
from simulator.record.fields import text, value_at, whole_number
from simulator.record.measures import SIMULATED
from simulator.units import ms_to_samples, ns_to_samples, samples_to_ns


@dataclass(slots=True)
class Played:
    """A piece of the agent's track, and when the simulated loudspeaker plays it."""

    at_ns: int
    first_sample: int
    samples: int


@dataclass(slots=True)
class _Item:
    item_id: str
    response_id: str | None
    begins_ns: int
    ends_ns: int
    received_samples: int = 0
    started: bool = False
    cut_ns: int | None = None
    heard_samples: int = 0


class ImpliedNotes:
    """Takes the entries of one check's record in order, and gives the notes that a live session would have had.

    A note has the `seq` of the entry that it follows from, so that a click on it leads there.
    """

    def __init__(self) -> None:
        self.played: list[Played] = []
        """What was heard: grows with each entry, and is shortened by a cut."""
        self._items: dict[str, _Item] = {}
        self._queue: list[_Item] = []
        self._free_ns = 0
        self._cut_responses: set[str | None] = set()

    def before(self, entry: Entry) -> Iterator[Entry]:
        """Yield what began or ended at the loudspeaker until the time of `entry`."""
        while self._queue and self._queue[0].begins_ns <= entry.t_ns:
            item = self._queue[0]
            if not item.started:
                item.started = True
                yield _note(entry, item.begins_ns, "playback.started", item_id=item.item_id)
            is_last = len(self._queue) == 1
            if item.ends_ns > entry.t_ns or (is_last and entry.type != "record.ended"):
                return
            del self._queue[0]
            yield self._ended(entry, item)

    def after(self, entry: Entry) -> Iterator[Entry]:
        """Yield what `entry` itself implies."""
        match entry.direction, entry.type:
            case Direction.RECEIVED, "response.output_audio.delta":
                yield from self._receive(entry)
            case Direction.RECEIVED, "input_audio_buffer.speech_started":
                cut = list(self._cut(entry))
                yield from cut
                if cut:
                    yield _barge_in(entry, cut[0])
            case Direction.SENT, "response.cancel":
                yield from self._cut(entry)
            case Direction.SENT, "conversation.item.truncate":
                yield from self._truncate(entry)
            case Direction.SENT, "session.update":
                told = value_at(entry, "session", "audio", "input")
                if isinstance(told, dict) and "turn_detection" in told:
                    kind = "listening.off" if told["turn_detection"] is None else "listening.on"
                    yield _note(entry, entry.t_ns, kind)

    def _receive(self, entry: Entry) -> Iterator[Entry]:
        span, response_id = entry.audio, text(entry, "response_id")
        item_id = text(entry, "item_id") or "unnamed"
        if span is None or span.track is not Track.AGENT:
            return
        item = self._items.get(item_id)
        begins_ns = max(self._free_ns, entry.t_ns)
        if item is None:
            item = self._items[item_id] = _Item(item_id, response_id, begins_ns, begins_ns)
        item.received_samples += span.samples
        if item.cut_ns is not None or response_id in self._cut_responses:
            item.cut_ns = entry.t_ns if item.cut_ns is None else item.cut_ns
            yield self._was_cut(entry, item)
            return
        if item not in self._queue:
            self._queue.append(item)
        self.played.append(Played(begins_ns, span.first_sample, span.samples))
        self._free_ns = item.ends_ns = begins_ns + samples_to_ns(span.samples)
        yield from self.before(entry)

    def _cut(self, entry: Entry) -> Iterator[Entry]:
        """Stop the loudspeaker: what it has not played by now is never heard. Nothing where it is silent."""
        if self._free_ns <= entry.t_ns:
            return
        for item in self._queue:
            item.cut_ns = entry.t_ns
            queued_ns = max(0, item.ends_ns - max(entry.t_ns, item.begins_ns))
            item.heard_samples = max(0, item.received_samples - ns_to_samples(queued_ns))
            self._cut_responses.add(item.response_id)
        self._free_ns = entry.t_ns
        self._shorten(entry.t_ns)
        cut, self._queue = self._queue, []
        for item in cut:
            yield self._was_cut(entry, item)

    def _shorten(self, until_ns: int) -> None:
        while self.played and self.played[-1].at_ns >= until_ns:
            del self.played[-1]
        if self.played:
            last = self.played[-1]
            last.samples = min(last.samples, ns_to_samples(until_ns - last.at_ns))

    def _truncate(self, entry: Entry) -> Iterator[Entry]:
        """The participant says how much of an item was heard: that counts, not what the clock says."""
        item, heard_ms = self._items.get(text(entry, "item_id") or ""), whole_number(entry, "audio_end_ms")
        if item is None or heard_ms is None:
            return
        if item in self._queue:
            for note in self._cut(entry):
                if text(note, "item_id") != item.item_id:
                    yield note
        if item.cut_ns is not None:
            item.heard_samples = min(max(0, ms_to_samples(heard_ms)), item.received_samples)
            yield self._was_cut(entry, item)

    def _was_cut(self, entry: Entry, item: _Item) -> Entry:
        assert item.cut_ns is not None
        return _note(
            entry,
            item.cut_ns,
            "playback.cut",
            item_id=item.item_id,
            cut_ns=item.cut_ns,
            handed_samples=item.heard_samples,
            received_samples=item.received_samples,
        )

    def _ended(self, entry: Entry, item: _Item) -> Entry:
        samples = item.received_samples
        return _note(
            entry,
            item.ends_ns,
            "playback.ended",
            item_id=item.item_id,
            handed_ns=item.ends_ns,
            handed_samples=samples,
            received_samples=samples,
        )


def _barge_in(entry: Entry, cut: Entry) -> Entry:
    """The mark of an interruption: a simulated loudspeaker falls silent at once, which is no measurement."""
    return _note(
        entry,
        entry.t_ns,
        "barge_in",
        item_id=text(cut, "item_id"),
        received_ns=entry.t_ns,
        cut_ns=entry.t_ns,
        speech_started_seq=entry.seq,
        dac_source=SIMULATED,
    )


def _note(entry: Entry, t_ns: int, kind: str, **event: Any) -> Entry:
    return Entry(entry.seq, t_ns, Direction.NOTED, kind, event)
