"""Entries of hours in little memory: fifty a second say the same, but for where their 20 ms of audio lie.

Such an entry takes some forty bytes here instead of nearly a thousand, and is made again when it is asked for. All
others are kept as they are.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Any, Final, NamedTuple, overload

from simulator.record.entries import AudioSpan, Direction, Entry, Track

_AS_IT_IS: Final = -1
_ID: Final = "event_id"


class _Form(NamedTuple):
    """What an event of audio has in common with the one before it."""

    direction: Direction
    type: str
    track: Track
    event: dict[str, Any]
    """Its own number is kept apart."""


class EntryList(Sequence[Entry]):
    """Entries of ascending `seq`, to be appended and read as a list's; equal to what was appended, not the same object.

    The event of an entry must not be changed: others may share it.
    """

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._seqs = array("q")
        self._times_ns = array("q")
        self._sizes_bytes = array("q")
        self._forms_of = array("i")
        self._first_samples = array("q")
        self._samples = array("i")
        self._payloads_bytes = array("i")
        self._forms: list[_Form] = []
        self._newest: dict[tuple[Direction, str], int] = {}
        self._event_ids: dict[int, Any] = {}
        self._as_they_are: dict[int, Entry] = {}
        self.extend(entries)

    def append(self, entry: Entry) -> None:
        """Add an entry at the end."""
        place, span = len(self._seqs), entry.audio
        form = _AS_IT_IS
        if span is not None and entry.problem is None and entry.raw_text is None:
            form = self._form(entry, span, place)
        else:
            self._as_they_are[place] = entry
        self._seqs.append(entry.seq)
        self._times_ns.append(entry.t_ns)
        self._sizes_bytes.append(entry.size_bytes)
        self._forms_of.append(form)
        first, samples, payload = (span.first_sample, span.samples, span.payload_bytes) if span else (0, 0, 0)
        self._first_samples.append(first)
        self._samples.append(samples)
        self._payloads_bytes.append(payload)

    def extend(self, entries: Iterable[Entry]) -> None:
        """Add entries at the end, in order."""
        for entry in entries:
            self.append(entry)

    def position_of(self, seq: int) -> int | None:
        """Return the index of the entry numbered `seq`, or None where there is none."""
        position = bisect_left(self._seqs, seq)
        return position if position < len(self._seqs) and self._seqs[position] == seq else None

    def without_audio(self, first: int = 0) -> Iterator[Entry]:
        """Yield the entries from index `first` on that carry no audio, and those of it that are odd.

        Costs their number, a fraction of that of all.
        """
        if not first:
            return iter(self._as_they_are.values())
        latest_first = takewhile(lambda place: place >= first, reversed(self._as_they_are))
        return iter([self._as_they_are[place] for place in latest_first][::-1])

    def is_audio_only(self, index: int) -> bool:
        """Whether an entry is a piece of audio of which nothing else is to be said; costs no making of the entry."""
        return self._forms_of[index] != _AS_IT_IS

    def __len__(self) -> int:
        return len(self._seqs)

    def __iter__(self) -> Iterator[Entry]:
        return map(self._at, range(len(self._seqs)))

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> list[Entry]: ...
    def __getitem__(self, index: int | slice) -> Entry | list[Entry]:
        places = range(len(self._seqs))[index]
        return self._at(places) if isinstance(places, int) else [self._at(place) for place in places]

    def _at(self, place: int) -> Entry:
        number = self._forms_of[place]
        if number == _AS_IT_IS:
            return self._as_they_are[place]
        form = self._forms[number]
        event = form.event
        if place in self._event_ids:
            event = {**event, _ID: self._event_ids[place]}
        span = AudioSpan(form.track, self._first_samples[place], self._samples[place], self._payloads_bytes[place])
        return Entry(
            self._seqs[place],
            self._times_ns[place],
            form.direction,
            form.type,
            event,
            self._sizes_bytes[place],
            span,
        )

    def _form(self, entry: Entry, span: AudioSpan, place: int) -> int:
        event = entry.event
        if _ID in event:
            # Its own place in the order of fields, which a JSON object has for the eye only, is kept.
            self._event_ids[place] = event[_ID]
            event = {**event, _ID: ""}
        form = _Form(entry.direction, entry.type, span.track, event)
        kind = entry.direction, entry.type
        number = self._newest.get(kind, _AS_IT_IS)
        if number == _AS_IT_IS or self._forms[number] != form:
            number = self._newest[kind] = len(self._forms)
            self._forms.append(form)
        return number
