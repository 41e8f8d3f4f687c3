"""Faults of speech_started."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from simulator.engine.behaviour import Behaviour, Event, Said
from simulator.engine.conversation import new_id
from simulator.engine.faults.fault import CALLING, PAUSING, SPEAKING, changed, fault, fault_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_STARTED = "input_audio_buffer.speech_started"
_TIMED = ("engine_turn", *PAUSING)


@fault_in(_STARTED, "onset in time", SPEAKING)
def speech_started_late(event: Event) -> Iterator[Said]:
    """speech_started leaves 1.4 s after the engine noticed the speech."""
    yield Said(event, 1_400)


@fault_in(_STARTED, "speech noticed", SPEAKING)
def speech_never_noticed(_event: Event) -> Iterator[Said]:
    """speech_started never comes."""
    yield from ()


@fault("speech only", (*SPEAKING, "cancel", *CALLING))
class SpeechStartedInSilence(Behaviour):
    """speech_started comes soon after the first session.updated, though nobody speaks."""

    def __init__(self) -> None:
        self._opened = False

    def says(self, event: Event) -> Iterable[Said]:
        yield Said(event)
        if event["type"] == "session.updated" and not self._opened:
            self._opened = True
            yield Said({"type": _STARTED, "audio_start_ms": 0, "item_id": new_id("item")}, 300)


@fault_in(_STARTED, "audio_start_ms in place", _TIMED)
def audio_start_ms_constant(event: Event) -> Iterator[Said]:
    """audio_start_ms is always 0."""
    yield Said(changed(event, "audio_start_ms", 0))


@fault_in(_STARTED, "audio_start_ms in place", _TIMED)
def audio_start_ms_by_the_clock(event: Event) -> Iterator[Said]:
    """audio_start_ms is the time of day in milliseconds."""
    yield Said(changed(event, "audio_start_ms", time.time_ns() // 1_000_000))
