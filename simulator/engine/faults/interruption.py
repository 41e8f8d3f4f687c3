"""Faults of replies that are cut short, and of truncation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.engine.behaviour import Behaviour, Event, Said
from simulator.engine.conversation import new_id
from simulator.engine.errors import Refusal
from simulator.engine.faults.fault import CALLING, INTERRUPTING, changed, fault, fault_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_TRUNCATED = "conversation.item.truncated"


@fault("reply begins", (*INTERRUPTING, *CALLING))
class NeverReplies(Behaviour):
    """response.create is not answered at all."""

    def hears(self, event: Event) -> Iterable[Event]:
        return () if event["type"] == "response.create" else (event,)


@fault("cancelled in time", ("barge_in",))
class NotInterrupted(Behaviour):
    """Speech does not end the reply, though interrupt_response is on."""

    def turn_detection(self, shown: Event | None) -> Event | None:
        return None if shown is None else {**shown, "interrupt_response": False}


@fault("cancelled in time", ("cancel",))
class CancelIgnored(Behaviour):
    """response.cancel does nothing."""

    def hears(self, event: Event) -> Iterable[Event]:
        return () if event["type"] == "response.cancel" else (event,)


@fault_in("response.done", "cancelled in time", INTERRUPTING)
def cancelled_late(event: Event) -> Iterator[Said]:
    """The response.done of a cancelled reply comes 1.8 s late."""
    yield Said(event, 1_800 if event["response"]["status"] == "cancelled" else 0)


@fault_in("response.done", "ends as cancelled", INTERRUPTING)
def cancelled_called_incomplete(event: Event) -> Iterator[Said]:
    """A cancelled reply ends as incomplete."""
    cancelled = event["response"]["status"] == "cancelled"
    yield Said(changed(event, "response.status", "incomplete") if cancelled else event)


@fault("no audio afterwards", INTERRUPTING)
class AudioAfterCancelled(Behaviour):
    """Half a second after its response.done more audio of a cancelled reply comes."""

    def __init__(self) -> None:
        self._last: Event | None = None

    def says(self, event: Event) -> Iterable[Said]:
        yield Said(event)
        if event["type"] == "response.output_audio.delta":
            self._last = event
        elif event["type"] == "response.done" and event["response"]["status"] == "cancelled" and self._last:
            yield Said(self._last, 500)


@fault_in(_TRUNCATED, "truncation acknowledged", ("barge_in",))
def truncation_unanswered(_event: Event) -> Iterator[Said]:
    """A truncation is not acknowledged."""
    yield from ()


@fault_in(_TRUNCATED, "truncation acknowledged", ("barge_in",))
def truncation_late(event: Event) -> Iterator[Said]:
    """A truncation is acknowledged 3.3 s late."""
    yield Said(event, 3_300)


@fault_in(_TRUNCATED, "truncated item", ("barge_in",))
def truncation_of_another_item(event: Event) -> Iterator[Said]:
    """The acknowledgement of a truncation names another item."""
    yield Said(changed(event, "item_id", new_id("item")))


@fault_in(_TRUNCATED, "truncated position", ("barge_in",))
def truncation_rounded(event: Event) -> Iterator[Said]:
    """The acknowledgement of a truncation rounds its position up to whole seconds and a half."""
    yield Said(changed(event, "audio_end_ms", event["audio_end_ms"] // 1_000 * 1_000 + 500))


@fault("truncation accepted", ("barge_in",))
class TruncationRefused(Behaviour):
    """A truncation is refused with an error."""

    def hears(self, event: Event) -> Iterable[Event]:
        if event["type"] == "conversation.item.truncate":
            raise Refusal("invalid_value", "Nothing can be truncated here.", "item_id")
        return (event,)
