"""Faults of the turn that the engine ends by itself, and of its answer."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.engine.behaviour import Behaviour, Event, Said
from simulator.engine.conversation import new_id
from simulator.engine.faults.fault import (
    CALLING,
    SPOKEN_REPLY,
    Changed,
    Responses,
    changed,
    fault,
    fault_in,
    fault_of,
    without,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from simulator.engine.generation import Pace

_TURN = ("engine_turn",)
_COMMITTED = "input_audio_buffer.committed"
_SHORT_DELTAS = 4  # of 100 ms


class _OwnTurns(Behaviour):
    """Knows whether the engine ended a turn by itself: after a speech_stopped, and not because of a commit."""

    def __init__(self) -> None:
        self._own = False

    def says(self, event: Event) -> Iterable[Said]:
        if event["type"] == "input_audio_buffer.speech_stopped":
            self._own = True
        elif event["type"] == _COMMITTED and self._own:
            self._own = False
            return self._committed(event)
        return (Said(event),)

    def _committed(self, event: Event) -> Iterable[Said]:
        return (Said(event),)


@fault("committed", _TURN)
class TurnNotCommitted(_OwnTurns):
    """A turn that the engine ends brings no committed."""

    def _committed(self, _event: Event) -> Iterable[Said]:
        return ()


@fault("turn keeps its item", _TURN)
class TurnUnderNewItem(_OwnTurns):
    """A turn that the engine ends is committed under another item_id than speech_started gave."""

    def _committed(self, event: Event) -> Iterable[Said]:
        return (Said(changed(event, "item_id", new_id("item"))),)


def _is_speech(event: Event) -> bool:
    return any(part["type"] == "input_audio" for part in event["item"].get("content", ()))


@fault_in("conversation.item.added", "turn added", _TURN)
def turn_not_added(event: Event) -> Iterator[Said]:
    """A spoken turn brings no conversation.item.added."""
    if not _is_speech(event):
        yield Said(event)


@fault_in("conversation.item.done", "turn added", _TURN)
def turn_not_done(event: Event) -> Iterator[Said]:
    """A spoken turn brings no conversation.item.done."""
    if not _is_speech(event):
        yield Said(event)


@fault_in("conversation.item.added", "turn added", _TURN)
def turn_added_as_another(event: Event) -> Iterator[Said]:
    """A spoken turn is added under another id."""
    yield Said(changed(event, "item.id", new_id("item")) if _is_speech(event) else event)


@fault("answer begins", _TURN)
class NeverAnswers(Behaviour):
    """A turn is committed and never answered."""

    def turn_detection(self, shown: Event | None) -> Event | None:
        return None if shown is None else {**shown, "create_response": False}


@fault_of(Responses.ANSWERS, "response.", "answer begins", _TURN)
def answer_late(event: Event) -> Iterator[Said]:
    """The answer to a turn begins 5.2 s after committed."""
    yield Said(event, 5_200)


@fault_of(Responses.ANSWERS, "response.output_audio.delta", "answer begins", _TURN)
def answer_without_audio(_event: Event) -> Iterator[Said]:
    """The answer to a turn holds a transcript and no audio."""
    yield from ()


@fault("answer audible", _TURN)
class AnswerTooShort(Changed):
    """The answer to a turn holds 0.4 s of audio."""

    def __init__(self) -> None:
        super().__init__("response.output_audio.delta", self._first_ones, Responses.ANSWERS)
        self._sent = 0

    def _first_ones(self, event: Event) -> Iterator[Said]:
        self._sent += 1
        if self._sent <= _SHORT_DELTAS:
            yield Said(event)


@fault_of(Responses.ANSWERS, "response.done", "answer completed", _TURN)
def answer_fails(event: Event) -> Iterator[Said]:
    """The answer to a turn ends as failed, after all of its audio."""
    details = {"type": "failed", "error": {"type": "server_error", "code": "overloaded", "message": "Overloaded."}}
    yield Said(changed(changed(event, "response.status", "failed"), "response.status_details", details))


@fault_of(Responses.ANSWERS, "response.done", "answer completed", _TURN)
def answer_incomplete(event: Event) -> Iterator[Said]:
    """The answer to a turn ends as incomplete."""
    details = {"type": "incomplete", "reason": "max_output_tokens"}
    yield Said(changed(changed(event, "response.status", "incomplete"), "response.status_details", details))


@fault_of(Responses.ANSWERS, "response.output_audio.done", "audio ended", _TURN)
def audio_without_end(_event: Event) -> Iterator[Said]:
    """The audio of an answer ends without response.output_audio.done."""
    yield from ()


@fault_of(Responses.ANSWERS, "response.output_audio_transcript.done", "transcript", _TURN)
def transcript_without_end(_event: Event) -> Iterator[Said]:
    """The transcript of an answer ends without response.output_audio_transcript.done."""
    yield from ()


@fault_of(Responses.ANSWERS, "response.output_audio_transcript.done", "transcript", _TURN)
def transcript_empty(event: Event) -> Iterator[Said]:
    """The transcript of an answer is empty."""
    yield Said(changed(event, "transcript", ""))


@fault_in("response.done", "usage", _TURN)
def usage_missing(event: Event) -> Iterator[Said]:
    """response.done holds no usage."""
    yield Said(without(event, "response.usage"))


@fault_in("response.done", "usage", _TURN)
def usage_in_fractions(event: Event) -> Iterator[Said]:
    """The tokens of usage are no whole numbers."""
    total = event["response"]["usage"]["total_tokens"]
    yield Said(changed(event, "response.usage.total_tokens", total + 0.5))


@fault_in("response.done", "response ends", ("engine_turn", *CALLING))
def response_without_end(event: Event) -> Iterator[Said]:
    """A response that is not cancelled ends without response.done."""
    if event["response"]["status"] == "cancelled":
        yield Said(event)


@fault("delta length", ("engine_turn", "barge_in", "cancel"))
class DeltasTooLong(Behaviour):
    """Audio comes in deltas of 2.1 s."""

    def pace(self, pace: Pace) -> Pace:
        return replace(pace, delta_ms=2_100)


@fault_in("response.output_audio.delta", "whole samples", SPOKEN_REPLY)
def odd_bytes(event: Event) -> Iterator[Said]:
    """Audio deltas hold an odd number of bytes."""
    audio = base64.b64decode(event["delta"])[:-1]
    yield Said(changed(event, "delta", base64.b64encode(audio).decode()))


@fault_in("response.output_audio.delta", "base64 audio", SPOKEN_REPLY)
def audio_not_base64(event: Event) -> Iterator[Said]:
    """Audio deltas hold something else than base64."""
    yield Said(changed(event, "delta", "*" + event["delta"]))
