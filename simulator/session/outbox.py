"""Numbering of the events that are sent, and what each number stood for when an error of the engine names it."""

from typing import Any, Final

import msgspec

from simulator.protocol.client_events import (
    ClientEvent,
    ConversationItemTruncate,
    InputAudioBufferAppend,
    RawEvent,
    wire_type,
)
from simulator.session.actions import Send

_REMEMBERED: Final = 1_000


class Sent(msgspec.Struct, frozen=True):
    """An event that was sent: its type on the wire, and the item that it is about, if any."""

    type: str
    item_id: str | None = None


class Outbox:
    """Gives every client event its `event_id`, and remembers the last thousand that were not audio."""

    def __init__(self) -> None:
        self._count = 0
        self._sent: dict[str, Sent] = {}

    def send(self, event: ClientEvent) -> Send:
        """Return the action that sends the event under the next `event_id`."""
        self._count += 1
        event_id = f"event_{self._count}"
        if not isinstance(event, InputAudioBufferAppend):
            item_id = event.item_id if isinstance(event, ConversationItemTruncate) else None
            self._sent[event_id] = Sent(wire_type(event), item_id)
            if len(self._sent) > _REMEMBERED:
                del self._sent[next(iter(self._sent))]
        return Send(msgspec.structs.replace(event, event_id=event_id))

    def raw(self, wire: dict[str, Any]) -> Send:
        """Return the action that sends an event as somebody wrote it, without an `event_id` of ours."""
        return Send(RawEvent(wire))

    def named(self, event_id: str | None) -> Sent | None:
        """Return what was sent under the id that an error names, or None."""
        return self._sent.get(event_id) if event_id is not None else None


def id_of(send: Send) -> str:
    """Return the event_id that `Outbox.send` gave."""
    return str(send.event.event_id) if isinstance(send.event, ClientEvent) else ""
