"""Events that somebody composed by hand: what is looked at before they are sent, and nothing more."""

from collections.abc import Mapping
from typing import Any, Final

from simulator.protocol.client_events import RawEvent, encode
from simulator.protocol.codec import MOST_NESTED, is_shallow

LARGEST_EVENT_BYTES: Final = 15 * 1024 * 1024
"""What an engine takes as one event."""


def why_unsendable(event: Mapping[str, Any]) -> str | None:
    """Return why an event that somebody composed cannot be sent, None where it can."""
    if not isinstance(event.get("type"), str) or not event["type"]:
        return "The event has no type: give it a “type”, such as “response.create”."
    if not is_shallow(event):
        return f"An event may be nested {MOST_NESTED} levels deep, not deeper."
    try:
        size_bytes = len(encode(RawEvent(dict(event))).encode())
    except (TypeError, ValueError) as error:
        return f"The event cannot be said in JSON: {error}."
    if size_bytes > LARGEST_EVENT_BYTES:
        most = f"{LARGEST_EVENT_BYTES >> 20} MiB"
        return (
            f"The event has {size_bytes / (1 << 20):.1f} MiB, and an engine takes {most} at most: send less at a time."
        )
    return None
