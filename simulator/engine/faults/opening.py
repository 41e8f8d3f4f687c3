"""Faults of the session's opening and of what session.updated shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.engine.behaviour import Behaviour, Event, Said
from simulator.engine.configuration import SERVER_VAD
from simulator.engine.errors import Refusal
from simulator.engine.faults.fault import changed, fault, fault_in, without

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_HANDSHAKE = ("handshake",)
_FIELDS = ("turn_detection_fields",)
_DETECTION = "session.audio.input.turn_detection"


@fault_in("session.updated", "update answered", _HANDSHAKE)
def update_unanswered(_event: Event) -> Iterator[Said]:
    """No session.update is ever answered."""
    yield from ()


@fault("update answered", _HANDSHAKE)
class UpdateRefused(Behaviour):
    """Every session.update is refused with an error."""

    def hears(self, event: Event) -> Iterable[Event]:
        if event["type"] == "session.update":
            raise Refusal("invalid_value", "This engine takes no settings.", "session")
        return (event,)


@fault_in("session.updated", "input format", _HANDSHAKE)
def input_rate_missing(event: Event) -> Iterator[Said]:
    """session.updated names the format of the input without its rate."""
    yield Said(without(event, "session.audio.input.format.rate"))


@fault_in("session.updated", "input format", _HANDSHAKE)
def input_format_other(event: Event) -> Iterator[Said]:
    """session.updated shows another format for the input than was asked for."""
    yield Said(changed(event, "session.audio.input.format", {"type": "audio/pcmu"}))


@fault_in("session.updated", "output format", _HANDSHAKE)
def output_rate_missing(event: Event) -> Iterator[Said]:
    """session.updated names the format of the output without its rate."""
    yield Said(without(event, "session.audio.output.format.rate"))


@fault_in("session.updated", "output format", _HANDSHAKE)
def output_rate_other(event: Event) -> Iterator[Said]:
    """session.updated shows 16,000 Hz for the output."""
    yield Said(changed(event, "session.audio.output.format.rate", 16_000))


@fault("update answered", _FIELDS)
class ModeChangeRefused(Behaviour):
    """An update from one kind of turn detection to the other is refused."""

    def __init__(self) -> None:
        self._kind: str | None = None

    def hears(self, event: Event) -> Iterable[Event]:
        if event["type"] == "session.update":
            given = event.get("session", {}).get("audio", {}).get("input", {}).get("turn_detection")
            kind = None if given is None else given.get("type")
            if self._kind is not None and kind not in (None, self._kind):
                raise Refusal("invalid_value", "The kind of turn detection cannot be changed.", _DETECTION)
            self._kind = self._kind or kind
        return (event,)


def _shown(event: Event, name: str, value: object) -> Iterator[Said]:
    """session.updated with another value in a setting of the turn detection that it shows."""
    shown = event["session"]["audio"]["input"]["turn_detection"]
    yield Said(changed(event, f"{_DETECTION}.{name}", value) if shown and name in shown else event)


@fault_in("session.updated", "settings unchanged", _FIELDS)
def silence_duration_other(event: Event) -> Iterator[Said]:
    """session.updated shows 200 ms more of silence_duration_ms than was asked for."""
    shown = event["session"]["audio"]["input"]["turn_detection"] or {}
    yield from _shown(event, "silence_duration_ms", shown.get("silence_duration_ms", 0) + 200)


@fault_in("session.updated", "settings unchanged", _FIELDS)
def eagerness_resolved(event: Event) -> Iterator[Said]:
    """session.updated shows the eagerness that auto stands for."""
    yield from _shown(event, "eagerness", "medium")


@fault_in("session.updated", "settings unchanged", _FIELDS)
def interrupt_response_off(event: Event) -> Iterator[Said]:
    """session.updated shows interrupt_response as false."""
    yield from _shown(event, "interrupt_response", False)


@fault_in("session.updated", "settings unchanged", _FIELDS)
def create_response_left_out(event: Event) -> Iterator[Said]:
    """session.updated does not show create_response."""
    shown = event["session"]["audio"]["input"]["turn_detection"]
    yield Said(without(event, f"{_DETECTION}.create_response") if shown else event)


@fault_in("session.updated", "settings unchanged", _FIELDS)
def server_vad_only(event: Event) -> Iterator[Said]:
    """Semantic detection is silently replaced by server_vad, and session.updated shows that."""
    shown = event["session"]["audio"]["input"]["turn_detection"]
    semantic = shown is not None and shown["type"] == "semantic_vad"
    yield Said(changed(event, _DETECTION, dict(SERVER_VAD)) if semantic else event)
