"""Entries of hours in little memory: fifty a second say the same, but for where their 20 ms of audio lie.

Such an entry takes some fifty bytes here instead of nearly a thousand, and is made again when it is asked for. All
others are kept as they are. The number of an event that counts its sender's events (``event_17``) is kept as one.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Any, Final, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from simulator.record.append_lines import TYPE, Block, event_of
from simulator.record.entries import AudioSpan, Direction, Entry, Track

_AS_IT_IS: Final = -1
_NARROW: Final = 1 << 31
_ID: Final = "event_id"
_COUNTED: Final = "event_"
_UNCOUNTED: Final = -1
_LONGEST_COUNTED: Final = len(_COUNTED) + 18
"""A number of more digits may be too large for 64 bits."""


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
        self._event_numbers = array("q")
        self._columns = (
            self._seqs,
            self._times_ns,
            self._sizes_bytes,
            self._forms_of,
            self._first_samples,
            self._samples,
            self._payloads_bytes,
            self._event_numbers,
        )
        self._forms: list[_Form] = []
        self._newest: dict[tuple[Direction, str], int] = {}
        self._event_ids: dict[int, Any] = {}
        """Of the events of audio whose id is no number of ours."""
        self._kinds: dict[int, int] = {}
        """The number of each kind, by form and count of samples, in order of appearance."""
        self._as_they_are: dict[int, Entry] = {}
        self.extend(entries)

    def append(self, entry: Entry) -> None:
        """Add an entry at the end."""
        for column, value in zip(self._columns, self._row(entry, len(self._seqs)), strict=True):
            column.append(value)

    def extend(self, entries: Iterable[Entry]) -> None:
        """Add entries at the end, in order."""
        for entry in entries:
            self.append(entry)

    def extend_block(self, block: Block) -> None:
        """Add a block of a record at the end: as its entries one by one, in a fraction of the time."""
        first, appends = len(self._seqs), block.appends
        rows = [self._row(entry, first + place) for place, entry in zip(block.places, block.entries, strict=True)]
        of_entries = np.array(rows, dtype=np.int64).reshape(-1, len(self._columns)).T
        plain = self._form_number(_Form(Direction.SENT, TYPE, Track.PARTICIPANT, _without_id(event_of(0))))
        of_appends = (
            appends.seqs,
            appends.times_ns,
            appends.sizes_bytes,
            np.full(len(appends), plain),
            appends.first_samples,
            appends.samples,
            appends.payloads_bytes,
            appends.event_numbers,
        )
        places = np.asarray(block.places, dtype=np.intp)
        for column, some, others in zip(self._columns, of_appends, of_entries, strict=True):
            merged = np.empty(block.lines, dtype=column.typecode)
            merged[appends.places], merged[places] = some, others
            column.frombytes(merged.tobytes())

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

    def kinds(self, first: int, end: int) -> NDArray[np.intc]:
        """Return the kind of each of the entries [first, end): -1 of one that is like no other.

        Entries of a kind are pieces of audio that differ in number, time, size, place and event id only.
        """
        forms = np.frombuffer(self._forms_of[first:end], dtype=np.intc)
        samples = np.frombuffer(self._samples[first:end], dtype=np.uintc)
        keys = np.where(forms == _AS_IT_IS, -1, (forms.astype(np.int64) << 32) | samples)
        if not len(keys):
            return forms
        # Most follow one of their own kind: what is sorted is a fraction of them.
        begins = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
        found, which = np.unique(keys[begins], return_inverse=True)
        numbers = [-1 if key < 0 else self._kinds.setdefault(key, len(self._kinds)) for key in found.tolist()]
        lengths = np.diff(np.append(begins, len(keys)))
        return np.repeat(np.array(numbers, dtype=np.intc)[which], lengths)

    def samples_of_kinds(self, first: int) -> list[Entry]:
        """Return an entry for each kind from number `first` on: without number, time, size, place and event id."""
        found = []
        for key in list(self._kinds)[first:]:
            form = self._forms[key >> 32]
            event = {name: value for name, value in form.event.items() if name != _ID}
            span = AudioSpan(form.track, 0, int(np.int64(key).astype(np.intc)), 0)
            found.append(Entry(0, 0, form.direction, form.type, event, 0, span))
        return found

    def ids_holding(self, word: str, first: int, end: int) -> NDArray[np.bool_]:
        """Return which pieces of audio among the entries [first, end) have an event id that holds a lower-case word."""
        found = np.zeros(end - first, dtype=bool)
        if word in _COUNTED:
            found |= np.frombuffer(self._event_numbers[first:end], dtype=np.int64) != _UNCOUNTED
        elif _COUNTED.endswith(word.rstrip("0123456789")):
            numbers = self._event_numbers[first:end]
            found |= [number != _UNCOUNTED and word in f"{_COUNTED}{number}" for number in numbers]
        for place in takewhile(lambda place: place >= first, reversed(self._event_ids)):
            if place < end and word in str(self._event_ids[place]).lower():
                found[place - first] = True
        return found

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
        event, event_number = form.event, self._event_numbers[place]
        if event_number != _UNCOUNTED:
            event = {**event, _ID: f"{_COUNTED}{event_number}"}
        elif place in self._event_ids:
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

    def _row(self, entry: Entry, place: int) -> tuple[int, ...]:
        """Return what of an entry the columns hold, and keep the rest of it."""
        span, event = entry.audio, entry.event
        if span is None or entry.problem is not None or entry.raw_text is not None or not _fits(span):
            self._as_they_are[place] = entry
            return entry.seq, 0, 0, _AS_IT_IS, 0, 0, 0, _UNCOUNTED
        number, form = _UNCOUNTED, self._newest_like(entry, span)
        if _ID in event:
            number = _counted(event[_ID])
            if number == _UNCOUNTED:
                self._event_ids[place] = event[_ID]
            event = event if form != _AS_IT_IS else _without_id(event)
        if form == _AS_IT_IS:
            form = self._form_number(_Form(entry.direction, entry.type, span.track, event))
        return (
            entry.seq,
            entry.t_ns,
            entry.size_bytes,
            form,
            span.first_sample,
            span.samples,
            span.payload_bytes,
            number,
        )

    def _newest_like(self, entry: Entry, span: AudioSpan) -> int:
        """Return the newest form of this kind where it is that of the entry too, which it nearly always is."""
        number = self._newest.get((entry.direction, entry.type), _AS_IT_IS)
        if number == _AS_IT_IS:
            return number
        form, event = self._forms[number], entry.event
        if form.track is not span.track:
            return _AS_IT_IS
        return number if form.event == (_without_id(event) if _ID in event else event) else _AS_IT_IS

    def _form_number(self, form: _Form) -> int:
        kind = form.direction, form.type
        number = self._newest.get(kind, _AS_IT_IS)
        if number == _AS_IT_IS or self._forms[number] != form:
            number = self._newest[kind] = len(self._forms)
            self._forms.append(form)
        return number


def _without_id(event: dict[str, Any]) -> dict[str, Any]:
    """Return an event without its number, whose place in the order of fields, which is for the eye only, is kept."""
    return {**event, _ID: ""}


def _counted(event_id: object) -> int:
    """Return 17 of ``event_17``; `_UNCOUNTED` of any other id."""
    if not isinstance(event_id, str) or not event_id.startswith(_COUNTED) or len(event_id) > _LONGEST_COUNTED:
        return _UNCOUNTED
    digits = event_id[len(_COUNTED) :]
    if not (digits.isascii() and digits.isdigit()) or (digits[0] == "0" and digits != "0"):
        return _UNCOUNTED
    return int(digits)


def _fits(span: AudioSpan) -> bool:
    """Whether the numbers of a piece go into the columns: a damaged record may tell of hours in one event."""
    return -_NARROW <= span.samples < _NARROW and -_NARROW <= span.payload_bytes < _NARROW
