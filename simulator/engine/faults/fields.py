"""Required fields that are left out, one fault each, and one of a wrong type.

The transcription events and `error` have required fields too, but no check of the suite brings them about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.engine.behaviour import Event, Said
from simulator.engine.faults.fault import (
    ALL_CHECKS,
    BOTH_MODES,
    CALLING,
    FAULT,
    SPEAKING,
    SPOKEN_REPLY,
    Changed,
    Fault,
    changed,
    fault_in,
    without,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_ADDING = ("engine_turn", "barge_in", "listening_pause", "cancel", *CALLING)
_RESPONDING = ("engine_turn", "barge_in", "cancel", *CALLING)

_REQUIRED = {
    "session.created": (("session",), ALL_CHECKS),
    "session.updated": (("session",), ALL_CHECKS),
    "input_audio_buffer.speech_started": (("audio_start_ms", "item_id"), SPEAKING),
    "input_audio_buffer.speech_stopped": (("audio_end_ms", "item_id"), ("engine_turn",)),
    "input_audio_buffer.committed": (("item_id",), ("engine_turn", "listening_pause")),
    "conversation.item.added": (("item",), _ADDING),
    "conversation.item.done": (("item",), _ADDING),
    "conversation.item.truncated": (("item_id", "audio_end_ms"), ("barge_in",)),
    "response.created": (("response",), _RESPONDING),
    "response.done": (("response",), _RESPONDING),
    "response.output_audio.delta": (("response_id", "item_id", "delta"), SPOKEN_REPLY),
    "response.output_audio.done": (("response_id", "item_id"), SPOKEN_REPLY),
    "response.output_audio_transcript.delta": (("response_id", "item_id", "delta"), SPOKEN_REPLY),
    "response.output_audio_transcript.done": (("response_id", "item_id", "transcript"), SPOKEN_REPLY),
    "response.function_call_arguments.done": (("response_id", "call_id", "name", "arguments"), CALLING),
}


def _left_out(kind: str, name: str, checks: tuple[str, ...]) -> Fault:
    def change(event: Event) -> Iterator[Said]:
        yield Said(without(event, name))

    does = f"{kind} comes without {name}."
    return Fault(f"no_{kind}.{name}", FAULT, does, "required fields", checks, BOTH_MODES, lambda: Changed(kind, change))


LEFT_OUT = tuple(_left_out(kind, name, checks) for kind, (names, checks) in _REQUIRED.items() for name in names)


@fault_in("input_audio_buffer.speech_started", "required fields", SPEAKING)
def audio_start_ms_as_text(event: Event) -> Iterator[Said]:
    """audio_start_ms of speech_started is a text."""
    yield Said(changed(event, "audio_start_ms", str(event["audio_start_ms"])))
