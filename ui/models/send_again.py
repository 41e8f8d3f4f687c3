"""An event of a record made whole again, so that it can be sent once more: its audio is read from the record's file."""

import base64
from pathlib import Path
from typing import Any

import numpy as np

from simulator.errors import UsageError
from simulator.record.entries import Direction, Entry
from simulator.record.reader import audio
from simulator.record.redact import PLACEHOLDER
from simulator.units import BYTES_PER_SAMPLE


def why_not(entry: Entry) -> str | None:
    """Return why an entry cannot be sent again, in one sentence; None where it can, its audio not yet looked for."""
    if entry.direction is not Direction.SENT:
        return "Only what was sent can be sent again: choose a row with ▶."
    if not isinstance(entry.event.get("type"), str):
        return "This is no event: it has no type."
    if PLACEHOLDER in str(entry.event):
        return "A key was taken out of this event before it was kept: it cannot be sent again."
    return None


def event_of(entry: Entry, record: Path | None) -> dict[str, Any]:
    """Return the event that was sent; `record` is the record's file. Raises UsageError, UnreadableRecording."""
    reason = why_not(entry)
    if reason is not None:
        raise UsageError(reason)
    # The number of an event is its own: an error that names it would be taken for one about the first sending.
    event = {name: value for name, value in entry.event.items() if name != "event_id"}
    span = entry.audio
    if span is None:
        return event
    if span.payload_bytes != span.samples * BYTES_PER_SAMPLE:
        raise UsageError(
            "The audio of this event ended in the middle of a sample, and the record kept whole ones only."
        )
    if record is None:
        raise UsageError("The audio of this event was not kept: there is no record on the disk.")
    samples = audio(record, span.track)[span.first_sample : span.first_sample + span.samples]
    if len(samples) < span.samples:
        raise UsageError("The audio of this event is not in the record's file, or not yet: try again in a second.")
    event["audio"] = base64.b64encode(np.ascontiguousarray(samples, dtype="<i2").tobytes()).decode()
    return event
