"""Rules of responses: how they end, what a silent answer may hold, and what must not follow. Pure."""

import json
from collections.abc import Iterator
from typing import Final

from simulator.record.entries import Direction, Entry
from simulator.record.fields import dicts_at, milliseconds, text, value_at, whole_number
from simulator.record.rules.conversation import Conversation, LiveResponse, calls_in
from simulator.record.rules.event import Broken
from simulator.units import NS_PER_MS

CROSSING_MS: Final = 250
"""A reply completed this soon after what should have ended it was over before the engine could act."""

_TOKENS: Final = ("total_tokens", "input_tokens", "output_tokens")
_SOUND: Final = frozenset(
    {
        "response.output_audio.delta",
        "response.output_audio_transcript.delta",
        "response.output_audio_transcript.done",
    }
)


class ResponseRules:
    """Feed every entry after the conversation took it."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._ids: set[str] = set()
        self._silent_done: Entry | None = None
        """The end of the last silent answer, as long as nothing came that may bring a response."""

    def feed(self, entry: Entry) -> Iterator[Broken]:
        """Take an entry and yield what it breaks."""
        if entry.type == "answer" and entry.direction is Direction.NOTED:
            yield from _answer(entry)
        if entry.direction is not Direction.RECEIVED:
            return
        response = self._conversation.response_of(entry)
        match entry.type:
            case "input_audio_buffer.speech_started":
                self._interrupt(entry)
                self._silent_done = None
            case "input_audio_buffer.committed":
                self._silent_done = None
            case "response.created" if response is not None:
                yield from self._created(response)
            case "response.done" if response is not None and response.done is entry:
                yield from self._done(response, entry)
            case "response.function_call_arguments.done":
                yield from _call(entry, response)
            case "response.created" if text(entry, "response", "id") is None and "response" in entry.event:
                yield Broken("required fields", "The response in response.created has no id", entry.seq)
            case "response.output_audio.delta" if response is not None and response.status == "cancelled":
                assert response.done is not None
                if response.blame("no audio afterwards"):
                    after_ms = milliseconds(response.done, entry)
                    what = f"Audio of the cancelled reply came {after_ms:.0f} ms after its response.done"
                    yield Broken("no audio afterwards", what, entry.seq)
        if entry.type in _SOUND and response is not None and response.silent and response.blame("no sound"):
            yield Broken("no sound", f"{entry.type} came for a silent answer", entry.seq)

    def tick(self, now_ns: int) -> Iterator[Broken]:
        """Time passed: yield what should have come by now."""
        for response in list(self._conversation.active.values()):
            ending, limit_ms = response.ending, self._conversation.limits.max_cancel_to_done_ms
            if ending is not None and now_ns - ending.t_ns > (limit_ms + CROSSING_MS) * NS_PER_MS:
                if response.blame("cancelled in time"):
                    what = f"The reply had not ended {limit_ms} ms after {ending.type}"
                    yield Broken("cancelled in time", what, ending.seq)
                continue
            timeout_ms = self._conversation.limits.event_timeout_ms
            late = now_ns - response.last.t_ns > timeout_ms * NS_PER_MS
            if late and response.blame("response ends"):
                seconds = timeout_ms // 1000
                yield Broken("response ends", f"A response brought nothing for {seconds} s", response.last.seq)

    def _interrupt(self, started: Entry) -> None:
        """Speech ends each spoken response that is under way, where the engine was asked for that."""
        detection = self._conversation.detection
        if detection is None or detection.get("interrupt_response") is False:
            return
        for response in self._conversation.active.values():
            if response.spoke and not response.silent:
                response.ending = response.ending or started

    def _created(self, response: LiveResponse) -> Iterator[Broken]:
        entry = response.created
        if response.response_id in self._ids:
            yield Broken("another response", "A response has the id of one before it", entry.seq)
        self._ids.add(response.response_id)
        answered, self._silent_done = self._silent_done, None
        unasked = response.request is None and not self._conversation.detection_off
        window_ms = self._conversation.limits.no_reply_window_ms
        if unasked and answered is not None and milliseconds(answered, entry) <= window_ms:
            yield Broken("answered once", "A second response came for one question", entry.seq)

    def _done(self, response: LiveResponse, done: Entry) -> Iterator[Broken]:
        if response.ending is not None:
            limit_ms = self._conversation.limits.max_cancel_to_done_ms
            yield from _ended(response, response.ending, done, limit_ms)
        if response.status in ("incomplete", "failed"):
            clause = "silent answer completed" if response.silent else "answer completed"
            yield Broken(clause, f"The response ended as {response.status}", done.seq)
        if response.status != "completed":
            return
        for name in _TOKENS:
            if whole_number(done, "response", "usage", name) is None and response.blame("usage"):
                yield Broken("usage", f"response.usage.{name} is not a whole number", done.seq)
        if not calls_in(done) <= response.calls:
            yield Broken("call told", "A call came without response.function_call_arguments.done", done.seq)
        if response.silent:
            self._silent_done = done
            yield from _silent_answer(response, done)
        elif response.spoke:
            if not response.audio_ended:
                yield Broken("audio ended", "The reply has no response.output_audio.done", done.seq)
            if not response.transcribed:
                yield Broken("transcript", "The reply has no transcript with words", done.seq)


def _ended(response: LiveResponse, ending: Entry, done: Entry, limit_ms: int) -> Iterator[Broken]:
    took_ms = milliseconds(ending, done)
    if response.status == "completed" and took_ms <= CROSSING_MS:
        return
    if took_ms > limit_ms and response.blame("cancelled in time"):
        what = f"{ending.type} to response.done took {took_ms:.0f} ms, {limit_ms} at most"
        yield Broken("cancelled in time", what, done.seq)
    if response.status != "cancelled":
        yield Broken("ends as cancelled", f"The reply ended as {response.status}, not as cancelled", done.seq)


def _silent_answer(response: LiveResponse, done: Entry) -> Iterator[Broken]:
    calls = len(response.calls | calls_in(done))
    if response.forced_tool is not None and calls != 1:
        yield Broken("one call", f"The silent answer holds {calls} calls, and one was asked for", done.seq)
    for item in dicts_at(done, "response", "output"):
        parts = item.get("content")
        kinds = {each.get("type") for each in parts if isinstance(each, dict)} if isinstance(parts, list) else set()
        if kinds & {"audio", "output_audio"} and response.blame("no sound"):
            yield Broken("no sound", "The silent answer holds an audio part", done.seq)


def _answer(note: Entry) -> Iterator[Broken]:
    """The session judged the call of a silent answer against its question: without a call it was given up.

    What the operator decided is not the engine's doing: then it counts how the call was judged.
    """
    by_operator = text(note, "by") == "operator"
    if not text(note, "call_id"):
        return
    if text(note, "judged") is not None if by_operator else value_at(note, "accepted") is False:
        refusal = text(note, "judged") if by_operator else text(note, "error")
        why = (refusal or "it does not fit").rstrip(".")
        yield Broken("call fits", f"The call does not answer the question: {why}", note.seq)


def _call(entry: Entry, response: LiveResponse | None) -> Iterator[Broken]:
    if text(entry, "call_id") == "":
        yield Broken("call_id", "The call has no call_id", entry.seq)
    arguments = text(entry, "arguments")
    silent = response is not None and response.silent  # then the call is judged with its question
    if arguments is not None and not silent and not _is_object(arguments):
        yield Broken("arguments are an object", "The arguments of the call are not a JSON object", entry.seq)


def _is_object(arguments: str) -> bool:
    try:
        return isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        return False
