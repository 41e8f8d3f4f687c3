"""What a growing record says at a moment: turn detection in force, requests under way, responses. Pure.

Answers are matched as the profile lets them be: session.updated by order, a response.created to the oldest
response.create that it fits, an error by the event_id that it names.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from simulator.profile.facts import THRESHOLDS, Thresholds
from simulator.record.entries import Direction, Entry
from simulator.record.fields import dicts_at, text, value_at
from simulator.units import samples_to_ms

_DETECTION: Final = ("session", "audio", "input", "turn_detection")


@dataclass(slots=True, eq=False)
class LiveResponse:
    """A response that was created."""

    response_id: str
    created: Entry
    request: Entry | None
    """The response.create that asked for it; None where the engine began it by itself."""
    last: Entry
    """Its latest event."""
    spoke: bool = False
    transcribed: bool = False
    audio_ended: bool = False
    calls: set[str] = field(default_factory=set)
    ending: Entry | None = None
    """What must cancel it: a response.cancel of ours, or a speech_started."""
    done: Entry | None = None
    blamed: set[str] = field(default_factory=set)
    """Rules that were found broken by it already."""

    @property
    def silent(self) -> bool:
        """Whether it was asked for as text only."""
        return self.request is not None and value_at(self.request, "response", "output_modalities") == ["text"]

    @property
    def forced_tool(self) -> str | None:
        """The tool that it was told to call."""
        return None if self.request is None else text(self.request, "response", "tool_choice", "name")

    @property
    def status(self) -> str | None:
        """How it ended."""
        return None if self.done is None else text(self.done, "response", "status")

    def blame(self, clause: str) -> bool:
        """Whether a rule is found broken by it for the first time."""
        new = clause not in self.blamed
        self.blamed.add(clause)
        return new


class Conversation:
    """Feed every entry, in order."""

    def __init__(self) -> None:
        self.limits: Thresholds = THRESHOLDS
        """Of the specification that the session follows: a record names them where they came from a file."""
        self.detection: dict[str, Any] | None = None
        """Turn detection as the engine acknowledged it last; None while it is off."""
        self.detection_known = False
        self.switching = False
        """An update of turn detection is not answered yet."""
        self.appended_samples = 0
        self.clock_zero_samples = 0
        """Where turn detection was switched on last, on the audio clock."""
        self.responses: dict[str, LiveResponse] = {}
        self.active: dict[str, LiveResponse] = {}
        self.refused: Entry | None = None
        """The event of ours that the error just fed names."""
        self.answered: Entry | None = None
        """Our session.update that the session.updated just fed answers."""
        self.updates: deque[Entry] = deque()
        """Our session.updates that were not answered yet."""
        self.creates: deque[Entry] = deque()
        """Our response.creates that were not answered yet."""
        self._sent: dict[str, Entry] = {}

    @property
    def detection_off(self) -> bool:
        """Whether turn detection is off for certain: acknowledged, and not being switched on again."""
        return self.detection_known and self.detection is None and not self.switching

    @property
    def clock_ms(self) -> float:
        """Audio appended since turn detection was switched on."""
        return samples_to_ms(self.appended_samples - self.clock_zero_samples)

    def response_of(self, entry: Entry) -> LiveResponse | None:
        """Return the response that an event belongs to."""
        return self.responses.get(text(entry, "response_id") or text(entry, "response", "id") or "")

    def feed(self, entry: Entry) -> None:
        """Take an entry."""
        self.refused = self.answered = None
        if entry.direction is Direction.SENT:
            self._sent_by_us(entry)
        elif entry.direction is Direction.RECEIVED:
            self._received(entry)
        elif entry.type == "record.started":
            self.limits = _limits(entry)

    def _sent_by_us(self, entry: Entry) -> None:
        if entry.type == "input_audio_buffer.append":
            self.appended_samples += 0 if entry.audio is None else entry.audio.samples
            return
        if (event_id := text(entry, "event_id")) is not None:
            self._sent[event_id] = entry
        match entry.type:
            case "session.update":
                self.updates.append(entry)
                self.switching = self.switching or _sets_detection(entry)
            case "response.create":
                self.creates.append(entry)
            case "response.cancel":
                for response in self._cancelled_by(entry):
                    response.ending = response.ending or entry

    def _cancelled_by(self, cancel: Entry) -> Iterator[LiveResponse]:
        response_id = text(cancel, "response_id")
        yield from (each for each in self.active.values() if response_id in (None, each.response_id))

    def _received(self, entry: Entry) -> None:
        match entry.type:
            case "session.updated":
                self._updated()
            case "error":
                self._error(entry)
            case "response.created":
                self._created(entry)
            case kind if kind.startswith("response."):
                self._response_event(entry)

    def _updated(self) -> None:
        update = self.answered = self.updates.popleft() if self.updates else None
        if update is not None and _sets_detection(update):
            was_off = self.detection is None
            wanted = value_at(update, *_DETECTION)
            self.detection, self.detection_known = (wanted if isinstance(wanted, dict) else None), True
            if was_off and self.detection is not None:
                self.clock_zero_samples = self.appended_samples
        self.switching = any(_sets_detection(each) for each in self.updates)

    def _error(self, entry: Entry) -> None:
        refused = self.refused = self._sent.get(text(entry, "error", "event_id") or "")
        for pending in (self.updates, self.creates):
            if refused is not None and refused in pending:
                pending.remove(refused)
        self.switching = any(_sets_detection(each) for each in self.updates)

    def _created(self, entry: Entry) -> None:
        response_id = text(entry, "response", "id")
        modalities = value_at(entry, "response", "output_modalities")
        fitting = (
            each
            for each in self.creates
            if modalities is None or value_at(each, "response", "output_modalities") in (None, modalities)
        )
        request = next(fitting, None)
        if request is not None:
            self.creates.remove(request)
        if response_id is not None:
            response = LiveResponse(response_id, entry, request, entry)
            self.responses[response_id] = self.active[response_id] = response

    def _response_event(self, entry: Entry) -> None:
        response = self.response_of(entry)
        if response is None:
            return
        response.last = entry
        match entry.type:
            case "response.output_audio.delta":
                response.spoke = True
            case "response.output_audio.done":
                response.audio_ended = True
            case "response.output_audio_transcript.done":
                response.transcribed |= bool((text(entry, "transcript") or "").strip())
            case "response.function_call_arguments.done":
                response.calls.add(text(entry, "call_id") or "")
            case "response.done":
                response.done = response.done or entry
                self.active.pop(response.response_id, None)


def calls_in(done: Entry) -> set[str]:
    """Return the ids of the calls that a response.done holds."""
    items = dicts_at(done, "response", "output")
    return {str(item.get("call_id")) for item in items if item.get("type") == "function_call"}


def _sets_detection(update: Entry) -> bool:
    inner = value_at(update, *_DETECTION[:-1])
    return isinstance(inner, dict) and "turn_detection" in inner


def _limits(started: Entry) -> Thresholds:
    """Return the limits that a record names; this program's where it names none, or what are none."""
    try:
        return msgspec.convert(value_at(started, "thresholds"), Thresholds)
    except msgspec.ValidationError:
        return THRESHOLDS
