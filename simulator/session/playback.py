"""What was received of each item of the agent's voice, and what became of it at the loudspeaker.

"The agent is talking" is a fact about the loudspeaker: an item stays open here until it was heard to its end or cut,
long after its response was done. Received is counted in whole samples of the bytes that came, so that a truncation is
never above it (the engine would refuse it).
"""

from collections.abc import Iterable
from typing import Protocol

import msgspec

from simulator.session.actions import Note
from simulator.units import BYTES_PER_SAMPLE, whole_ms


class PlaybackStarted(msgspec.Struct, frozen=True):
    """The first sample of an item was handed to the device at `handed_ns`; it sounds at `dac_ns`."""

    item_id: str
    handed_ns: int
    dac_ns: int | None
    dac_source: str | None


class PlaybackGap(msgspec.Struct, frozen=True):
    """`gap_samples` of silence were handed in the middle of an item, because its audio came too late."""

    item_id: str
    gap_samples: int


class PlaybackEnded(msgspec.Struct, frozen=True):
    """The last sample of an item was handed at `handed_ns`: it was heard to its end."""

    item_id: str
    handed_samples: int
    handed_ns: int


PlaybackReport = PlaybackStarted | PlaybackGap | PlaybackEnded


class ItemHeard(Protocol):
    """What was handed of an item when the playback was cut; `simulator.audio.playout` returns these."""

    @property
    def item_id(self) -> str: ...
    @property
    def received_samples(self) -> int: ...
    @property
    def handed_samples(self) -> int: ...
    @property
    def begun(self) -> bool: ...
    @property
    def complete(self) -> bool: ...


class PlayedItem(msgspec.Struct):
    """One item of the agent's voice that is queued or being heard."""

    item_id: str
    response_id: str
    received_bytes: int = 0
    complete: bool = False
    """No more audio of it comes."""

    @property
    def received_samples(self) -> int:
        """Whole samples received."""
        return self.received_bytes // BYTES_PER_SAMPLE


class Truncation(msgspec.Struct, frozen=True):
    """Where an item is to be truncated."""

    item_id: str
    audio_end_ms: int


class PlaybackLedger:
    """The open items: received, and neither heard to their end nor cut."""

    def __init__(self) -> None:
        self._open: dict[str, PlayedItem] = {}
        self._seen: set[str] = set()
        self._complete: set[tuple[str, str]] = set()

    @property
    def anything_open(self) -> bool:
        """Whether at least a sample is queued or being heard, or was heard of an item that goes on."""
        return any(item.received_samples for item in self._open.values())

    @property
    def open_responses(self) -> set[str]:
        """The responses whose audio is queued or being heard."""
        return {item.response_id for item in self._open.values()}

    def first_sight(self, item_id: str) -> bool:
        """Whether audio of this item comes for the first time; from then on it does not."""
        new = item_id not in self._seen
        self._seen.add(item_id)
        return new

    def received(self, item_id: str, response_id: str, size_bytes: int) -> None:
        """Count the payload of one delta that is going to be played."""
        self._seen.add(item_id)
        item = self._open.setdefault(item_id, PlayedItem(item_id, response_id))
        item.received_bytes += size_bytes

    def complete(self, item_id: str) -> PlayedItem | None:
        """No more audio of this item comes; return it if it is open and was not complete before."""
        item = self._open.get(item_id)
        if item is None or item.complete:
            return None
        item.complete = True
        self._complete.add((item.response_id, item_id))
        return item

    def is_complete(self, item_id: str, response_id: str) -> bool:
        """Whether the end of this item was announced."""
        return (response_id, item_id) in self._complete

    def incomplete_of(self, response_id: str) -> list[str]:
        """The open items of a response whose end was not announced."""
        return [each.item_id for each in self._open.values() if each.response_id == response_id and not each.complete]

    def report(self, report: PlaybackReport) -> list[Note]:
        """Take what the loudspeaker reports and return its note. A report about an item that was cut is void."""
        item = self._open.get(report.item_id)
        if item is None:
            return []
        fields = msgspec.to_builtins(report)
        if isinstance(report, PlaybackStarted):
            return [Note("playback.started", {**fields, "response_id": item.response_id})]
        if isinstance(report, PlaybackGap):
            return [Note("playback.gap", fields)]
        del self._open[report.item_id]
        return [Note("playback.ended", {**fields, "received_samples": item.received_samples})]

    def cut(self, heard: Iterable[ItemHeard], cut_ns: int, cause: str) -> tuple[list[Note], list[Truncation]]:
        """Close all items after a cut; return the notes, and the truncations in the order of `heard`.

        The item being heard is truncated at the whole milliseconds handed of it, never above what was received of it;
        items behind it at 0. None for an item that was heard to its end, or of which no audio came.
        """
        notes: list[Note] = []
        truncations: list[Truncation] = []
        for each in heard:
            item = self._open.pop(each.item_id, None)
            if item is None:
                continue
            received = item.received_samples
            handed = min(each.handed_samples, received)
            if received == 0:
                continue
            counts = {"item_id": each.item_id, "handed_samples": handed, "received_samples": received}
            if each.complete and handed == received:
                notes.append(Note("playback.ended", {**counts, "handed_ns": cut_ns}))
                continue
            fields = {"response_id": item.response_id, "begun": each.begun, "cut_ns": cut_ns, "cause": cause}
            notes.append(Note("playback.cut", counts | fields))
            truncations.append(Truncation(each.item_id, whole_ms(handed) if each.begun else 0))
        self._open.clear()
        return notes, truncations
