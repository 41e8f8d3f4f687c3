"""Faults of function calls, spoken and silent, and of images."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.engine import pcm
from simulator.engine.behaviour import Behaviour, Event, Said
from simulator.engine.conversation import new_id
from simulator.engine.errors import Refusal
from simulator.engine.faults.fault import ASKING, CALLING, Responses, changed, fault, fault_in, fault_of
from simulator.engine.mind import Call, Say

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from simulator.engine.mind import Step
    from simulator.engine.request import ResponseRequest

_CALL = ("function_call",)
_RATING = ("silent_tool",)
_IMAGE = ("image_context",)
_TOLD = "response.function_call_arguments.done"


# Any call.


@fault_in(_TOLD, "call told", CALLING)
def call_not_told(_event: Event) -> Iterator[Said]:
    """A call stands in response.done only: response.function_call_arguments.done never comes."""
    yield from ()


# Calls of a response that speaks.


@fault("tool called", _CALL)
class ToolNeverCalled(Behaviour):
    """A response that may speak never calls a tool, even where it is forced to."""

    def step(self, request: ResponseRequest, step: Step) -> Iterable[Step]:
        return (Say("I would rather talk."),) if request.speaks and isinstance(step, Call) else (step,)


@fault("right tool", _CALL)
class AnotherToolCalled(Behaviour):
    """A response that may speak calls another declared tool than it was asked for."""

    def step(self, request: ResponseRequest, step: Step) -> Iterable[Step]:
        return (_by_another_tool(request, step),) if request.speaks and isinstance(step, Call) else (step,)


def _by_another_tool(request: ResponseRequest, call: Call) -> Call:
    return replace(call, name=next(tool["name"] for tool in request.tools if tool["name"] != call.name))


@fault_of(Responses.SPOKEN, _TOLD, "call_id", _CALL)
def call_id_empty(event: Event) -> Iterator[Said]:
    """The call_id of a call is empty."""
    yield Said(changed(event, "call_id", ""))


@fault_of(Responses.SPOKEN, _TOLD, "arguments are an object", _CALL)
def arguments_a_list(event: Event) -> Iterator[Said]:
    """The arguments of a call are a JSON array."""
    yield Said(changed(event, "arguments", "[]"))


@fault_of(Responses.SPOKEN, _TOLD, "arguments are an object", _CALL)
def arguments_no_json(event: Event) -> Iterator[Said]:
    """The arguments of a call are no JSON."""
    yield Said(changed(event, "arguments", "message=hello"))


def _called(event: Event) -> bool:
    return any(item["type"] == "function_call" for item in event["response"]["output"])


@fault_of(Responses.SPOKEN, "response.done", "call completed", _CALL)
def call_incomplete(event: Event) -> Iterator[Said]:
    """A response with a call ends as incomplete."""
    yield Said(changed(event, "response.status", "incomplete") if _called(event) else event)


# What follows a call.


@fault("output accepted", _CALL)
class OutputRefused(Behaviour):
    """The output of a function is refused with an error."""

    def hears(self, event: Event) -> Iterable[Event]:
        if event["type"] == "conversation.item.create" and event["item"]["type"] == "function_call_output":
            raise Refusal("invalid_tool_call_id", "There is no such call.", "item.call_id")
        return (event,)


@fault_in("conversation.item.added", "output added", _CALL)
def output_not_added(event: Event) -> Iterator[Said]:
    """The output of a function brings no conversation.item.added."""
    if event["item"]["type"] != "function_call_output":
        yield Said(event)


@fault("another response", _CALL)
class FollowUpUnderOldId(Behaviour):
    """The response after a function's output has the id of the response with the call."""

    def __init__(self) -> None:
        self._old = ""
        self._new = ""

    def says(self, event: Event) -> Iterable[Said]:
        response = event.get("response", {})
        if event["type"] == "response.done" and not self._old and _called(event):
            self._old = response["id"]
        elif event["type"] == "response.created" and self._old:
            self._new = response["id"]
        if self._new and response.get("id") == self._new:
            event = changed(event, "response.id", self._old)
        elif self._new and event.get("response_id") == self._new:
            event = {**event, "response_id": self._old}
        return (Said(event),)


class _FollowUp(Behaviour):
    """Knows when a function's output was given."""

    def __init__(self) -> None:
        self.output_given = False

    def hears(self, event: Event) -> Iterable[Event]:
        if event["type"] == "conversation.item.create" and event["item"]["type"] == "function_call_output":
            self.output_given = True
        return (event,)


@fault("follow-up completed", _CALL)
class FollowUpIncomplete(_FollowUp):
    """The response after a function's output ends as incomplete."""

    def says(self, event: Event) -> Iterable[Said]:
        ends = event["type"] == "response.done" and self.output_given
        return (Said(changed(event, "response.status", "incomplete") if ends else event),)


@fault("follow-up holds output", _CALL)
class FollowUpEmpty(_FollowUp):
    """The response after a function's output holds nothing."""

    def step(self, _request: ResponseRequest, step: Step) -> Iterable[Step]:
        return () if self.output_given else (step,)


# Silent answers.


class _Silent(Behaviour):
    """Changes the calls of silent answers."""

    def step(self, request: ResponseRequest, step: Step) -> Iterable[Step]:
        return self.called(request, step) if isinstance(step, Call) and not request.speaks else (step,)

    def called(self, request: ResponseRequest, call: Call) -> Iterable[Step]:
        """What a silent answer holds in place of a call."""
        raise NotImplementedError


@fault("one call", ASKING)
class SilentAnswerWithoutCall(_Silent):
    """A silent answer is written instead of called."""

    def called(self, _request: ResponseRequest, _call: Call) -> Iterable[Step]:
        return (Say("I think so."),)


@fault("one call", ASKING)
class TwoCalls(_Silent):
    """A silent answer calls the tool twice."""

    def called(self, _request: ResponseRequest, call: Call) -> Iterable[Step]:
        return call, call


@fault("call fits", ASKING)
class SilentAnswerByAnotherTool(_Silent):
    """A silent answer calls another tool than the one that was forced."""

    def called(self, request: ResponseRequest, call: Call) -> Iterable[Step]:
        return (_by_another_tool(request, call),)


@fault("call fits", ASKING)
class ArgumentsMissing(_Silent):
    """A silent answer leaves out the required arguments."""

    def called(self, _request: ResponseRequest, call: Call) -> Iterable[Step]:
        return (replace(call, arguments={}),)


@fault("call fits", _RATING)
class AnswerOutOfRange(_Silent):
    """A rating lies outside the scale that the question names."""

    def called(self, _request: ResponseRequest, call: Call) -> Iterable[Step]:
        return (replace(call, arguments={"value": 1_000}) if "value" in call.arguments else call,)


@fault_of(Responses.SILENT, _TOLD, "no sound", ASKING)
def audio_in_silent_answer(event: Event) -> Iterator[Said]:
    """A silent answer brings an audio delta."""
    place = {name: event[name] for name in ("response_id", "item_id", "output_index")}
    audio = pcm.encoded(bytes(100 * pcm.BYTES_PER_MS))
    yield Said({"type": "response.output_audio.delta", **place, "content_index": 0, "delta": audio})
    yield Said(event)


@fault_of(Responses.SILENT, _TOLD, "no sound", ASKING)
def transcript_in_silent_answer(event: Event) -> Iterator[Said]:
    """A silent answer brings a transcript."""
    place = {name: event[name] for name in ("response_id", "item_id", "output_index")}
    words = {"content_index": 0, "transcript": "I think so."}
    yield Said({"type": "response.output_audio_transcript.done", **place, **words})
    yield Said(event)


@fault_of(Responses.SILENT, "response.done", "no sound", ASKING)
def audio_part_in_silent_answer(event: Event) -> Iterator[Said]:
    """The output of a silent answer holds an audio part."""
    part = {"type": "output_audio", "transcript": "I think so."}
    item = {"id": new_id("item"), "object": "realtime.item", "type": "message", "status": "completed"}
    message = {**item, "role": "assistant", "content": [part]}
    yield Said(changed(event, "response.output", [*event["response"]["output"], message]))


@fault_of(Responses.SILENT, "response.done", "silent answer completed", ASKING)
def silent_answer_incomplete(event: Event) -> Iterator[Said]:
    """A silent answer ends as incomplete."""
    yield Said(changed(event, "response.status", "incomplete"))


@fault_of(Responses.SILENT, "response.done", "answered once", ASKING)
def second_response(event: Event) -> Iterator[Said]:
    """Half a second after a silent answer another response comes."""
    yield Said(event)
    response = copy.deepcopy(event["response"])
    response |= {"id": new_id("resp"), "status": "in_progress", "output": [], "usage": None}
    yield Said({"type": "response.created", "response": response}, 500)
    yield Said({"type": "response.done", "response": {**response, "status": "completed"}}, 520)


# Images.


@fault("image accepted", _IMAGE)
class ImageRefused(Behaviour):
    """An item with an image is refused with an error."""

    def hears(self, event: Event) -> Iterable[Event]:
        if event["type"] == "conversation.item.create":
            parts = event["item"].get("content") or ()
            if any(part["type"] == "input_image" for part in parts):
                raise Refusal("invalid_value", "This engine takes no images.", "item.content[1].type")
        return (event,)


class _Sees(_Silent):
    """Answers questions for text with the same words always."""

    words: str

    def called(self, _request: ResponseRequest, call: Call) -> Iterable[Step]:
        return (replace(call, arguments={"text": self.words}) if "text" in call.arguments else call,)


@fault("colour seen", _IMAGE)
class ImageNotSeen(_Sees):
    """The engine takes an image and knows nothing about it."""

    words = "I cannot see any image, I am afraid."


@fault("colour seen", _IMAGE)
class AnotherColourSeen(_Sees):
    """The engine sees blue in every image."""

    words = "Blue."


@fault("no other colour", _IMAGE)
class TwoColoursNamed(_Sees):
    """The engine names two colours for an image of one."""

    words = "Red, or maybe blue."
