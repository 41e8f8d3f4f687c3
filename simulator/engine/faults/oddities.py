"""What is unusual and allowed: no check may mind it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from simulator.engine.behaviour import Behaviour, Event, Said
from simulator.engine.configuration import SERVER_VAD
from simulator.engine.faults.fault import (
    ASKING,
    CALLING,
    INTERRUPTING,
    PAUSING,
    SEMANTIC_VAD,
    SPEAKING,
    Changed,
    Responses,
    changed,
    oddity,
    oddity_in,
)
from simulator.engine.mind import Call, Say

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from simulator.engine.generation import Pace
    from simulator.engine.mind import Step
    from simulator.engine.request import ResponseRequest

_LONG = ("engine_turn", *INTERRUPTING)
_STARTED = "input_audio_buffer.speech_started"
_UNKNOWN_EVENTS = 10_000
_ID_MARK = "№ a/b c·"
_ID_FIELDS = frozenset({"id", "item_id", "previous_item_id", "response_id", "call_id", "conversation_id"})


# Delivery.


@oddity(_LONG)
class TenTimesRealTime(Behaviour):
    """Speech is delivered ten times faster than real time."""

    def pace(self, pace: Pace) -> Pace:
        return replace(pace, rate=10.0)


@oddity(_LONG)
class ExactlyRealTime(Behaviour):
    """Speech is delivered exactly in real time, 100 ms ahead."""

    def pace(self, pace: Pace) -> Pace:
        return replace(pace, rate=1.0, lead_ms=100)


@oddity(_LONG)
class LongDeltas(Behaviour):
    """Audio comes in deltas of 1.9 s."""

    def pace(self, pace: Pace) -> Pace:
        return replace(pace, delta_ms=1_900)


@oddity((*SPEAKING, "cancel"))
class SlowLine(Behaviour):
    """Everything that the engine says arrives 700 ms late."""

    def says(self, event: Event) -> Iterable[Said]:
        return (Said(event, 700),)


@oddity(("engine_turn",))
class SlowAnswer(Changed):
    """The answer to a turn begins 4.2 s after committed."""

    def __init__(self) -> None:
        super().__init__("response.", self._later, Responses.ANSWERS)

    def _later(self, event: Event) -> Iterator[Said]:
        yield Said(event, 4_200)


# Turns.


@oddity(("engine_turn",), SEMANTIC_VAD)
class PatientSemanticDetection(Behaviour):
    """Semantic detection waits 3.9 s before it takes a turn for finished."""

    def turn_detection(self, shown: Event | None) -> Event | None:
        semantic = shown is not None and shown["type"] == "semantic_vad"
        return {**SERVER_VAD, "silence_duration_ms": 3_900} if semantic else shown


@oddity_in(_STARTED, ("engine_turn", *PAUSING))
def no_padding(event: Event) -> Iterator[Said]:
    """audio_start_ms lies a little after the onset, without any padding."""
    yield Said(changed(event, "audio_start_ms", event["audio_start_ms"] + 600))


@oddity_in("input_audio_buffer.committed", ("engine_turn", "listening_pause"))
def slow_commit(event: Event) -> Iterator[Said]:
    """committed is announced a second late, after its item."""
    yield Said(event, 900)


@oddity_in("conversation.item.done", ("engine_turn", "listening_pause"))
def unasked_transcription(event: Event) -> Iterator[Said]:
    """Spoken turns are transcribed though nobody asked for it."""
    yield Said(event)
    if any(part["type"] == "input_audio" for part in event["item"].get("content", ())):
        place = {"item_id": event["item"]["id"], "content_index": 0}
        kind = "conversation.item.input_audio_transcription"
        yield Said({"type": f"{kind}.delta", **place, "delta": "Hello."}, 200)
        yield Said({"type": f"{kind}.completed", **place, "transcript": "Hello.", "usage": None}, 400)


# Replies.


@oddity(_LONG)
class TwoMessageItems(Behaviour):
    """A spoken reply is split into two message items."""

    def step(self, _request: ResponseRequest, step: Step) -> Iterable[Step]:
        if isinstance(step, Call) or ". " not in step.text:
            return (step,)
        first, _, rest = step.text.partition(". ")
        return (replace(step, text=first + "."), Say(rest))


@oddity_in(_STARTED, ("barge_in",))
def done_before_speech_started(event: Event) -> Iterator[Said]:
    """The response.done of an interrupted reply comes just before the speech_started that interrupted it."""
    yield Said(event, 20)


@oddity(INTERRUPTING)
class AudioUntilDone(Behaviour):
    """A cancelled reply goes on for a second before its response.done."""

    def __init__(self) -> None:
        self._last: Event | None = None

    def says(self, event: Event) -> Iterable[Said]:
        if event["type"] == "response.output_audio.delta":
            self._last = event
        if event["type"] == "response.done" and event["response"]["status"] == "cancelled" and self._last is not None:
            for after_ms in range(100, 1_000, 100):
                yield Said(self._last, after_ms)
            yield Said(event, 1_000)
        else:
            yield Said(event)


@oddity_in("conversation.item.truncated", ("barge_in",))
def slow_acknowledgement(event: Event) -> Iterator[Said]:
    """A truncation is acknowledged after 2 s."""
    yield Said(event, 2_000)


# Tools.


@oddity(("function_call",))
class SpokenPreamble(Behaviour):
    """A response speaks before it calls a tool."""

    def step(self, request: ResponseRequest, step: Step) -> Iterable[Step]:
        if isinstance(step, Call) and request.speaks:
            yield Say("One moment, I will do that.")
        yield step


@oddity(ASKING)
class WrittenPreamble(Behaviour):
    """A silent answer holds a written message before its call."""

    def step(self, request: ResponseRequest, step: Step) -> Iterable[Step]:
        if isinstance(step, Call) and not request.speaks:
            yield Say("Let me think about it.")
        yield step


@oddity_in("response.function_call_arguments.done", CALLING)
def spacious_arguments(event: Event) -> Iterator[Said]:
    """The arguments of calls are spread over several lines."""
    yield Said(changed(event, "arguments", json.dumps(json.loads(event["arguments"]), indent=4) + "\n"))


@oddity(("image_context",))
class ColourInSentence(Behaviour):
    """The colour of an image is named in capitals in a sentence."""

    def step(self, _request: ResponseRequest, step: Step) -> Iterable[Step]:
        if isinstance(step, Call) and "text" in step.arguments:
            step = replace(step, arguments={"text": f"It is all {step.arguments['text'].upper()}!"})
        return (step,)


# The shape of events.


@oddity(("handshake", "engine_turn", "turn_detection_fields"))
class TenThousandUnknownEvents(Behaviour):
    """Ten thousand events that nobody knows follow the first session.updated."""

    def __init__(self) -> None:
        self._left = _UNKNOWN_EVENTS

    def says(self, event: Event) -> Iterable[Said]:
        yield Said(event)
        if event["type"] == "session.updated":
            for number in range(self._left):
                yield Said({"type": "vendor.notice", "number": number})
            self._left = 0


@oddity(("engine_turn", "listening_pause_silent", "silent_tool", "cancel"))
class PingsAndIgnoredEvents(Behaviour):
    """Between all other events come pings, warnings and events that the platform ignores."""

    def says(self, event: Event) -> Iterable[Said]:
        yield Said({"type": "ping"})
        yield Said(event)
        yield Said({"type": "rate_limits.updated", "rate_limits": []})
        yield Said({"type": "warning", "message": "All is well.", "delta": 1, "item_id": None})


@oddity(("engine_turn", "silent_tool"))
class HarmlessError(Behaviour):
    """An error that concerns no event of the client comes after the first session.updated."""

    def __init__(self) -> None:
        self._told = False

    def says(self, event: Event) -> Iterable[Said]:
        yield Said(event)
        if event["type"] == "session.updated" and not self._told:
            self._told = True
            error = {"type": "server_error", "code": "noise", "message": "Never mind.", "param": None, "event_id": None}
            yield Said({"type": "error", "error": error})


@oddity(("handshake", "turn_detection_fields", "engine_turn", "silent_tool"))
class MoreFields(Behaviour):
    """Every event, and every object in it, has fields that nobody knows."""

    def says(self, event: Event) -> Iterable[Said]:
        return (Said(_rebuilt(event, lambda fields: {**fields, "vendor_hint": {"level": 1}})),)


@oddity(("handshake", "turn_detection_fields", "engine_turn", "silent_tool"))
class KeysReversed(Behaviour):
    """The fields of every object come in reverse order."""

    def says(self, event: Event) -> Iterable[Said]:
        return (Said(_rebuilt(event, lambda fields: dict(reversed(fields.items())))),)


@oddity(("handshake", "engine_turn", "barge_in", "turn_detection_fields", "listening_pause_silent"))
class NumbersAsFloats(Behaviour):
    """Every whole number is written with a decimal point, as 24000.0."""

    def says(self, event: Event) -> Iterable[Said]:
        return (Said({name: _floats(value) for name, value in event.items()}),)


def _floats(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _floats(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_floats(each) for each in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


@oddity(("engine_turn", "barge_in", "listening_pause", "cancel", "function_call"))
class StrangeIds(Behaviour):
    """Ids hold spaces, slashes and letters that are not ASCII."""

    def says(self, event: Event) -> Iterable[Said]:
        return (Said(_rebuilt(event, self._marked)),)

    def hears(self, event: Event) -> Iterable[Event]:
        return (_rebuilt(event, self._plain),)

    def _marked(self, fields: Event) -> Event:
        return {
            name: _ID_MARK + value if name in _ID_FIELDS and isinstance(value, str) else value
            for name, value in fields.items()
        }

    def _plain(self, fields: Event) -> Event:
        return {
            name: value.removeprefix(_ID_MARK) if name in _ID_FIELDS and isinstance(value, str) else value
            for name, value in fields.items()
        }


def _rebuilt(value: Any, change: Any) -> Any:
    """A copy in which every object, from the inside out, was changed."""
    if isinstance(value, dict):
        return change({name: _rebuilt(each, change) for name, each in value.items()})
    return [_rebuilt(each, change) for each in value] if isinstance(value, list) else value
