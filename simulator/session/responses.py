"""The responses: one at a time in the default conversation, and which of them are still wanted.

A request waits while a response is in progress or an earlier request is unanswered, and after a cancel for
response.done. The engine makes responses of its own at the end of a turn, and the two may cross: then it refuses ours
with conversation_already_has_active_response, and the request waits again.

response.created does not name the request. The next one whose modalities fit is taken to be ours, until an error
says otherwise. Responses outside the default conversation run beside it, block nothing and wait for nothing.
"""

from collections import deque
from typing import Any, Final

import msgspec
from msgspec import UNSET

from simulator.protocol import client_events as client
from simulator.protocol.server_events import FunctionCall, ResponseObject
from simulator.session.actions import Action, Note, Settled
from simulator.session.outbox import Outbox, id_of
from simulator.session.questions import OpenQuestion
from simulator.units import NS_PER_MS

ALREADY_ACTIVE: Final = "conversation_already_has_active_response"
_MOST_ATTEMPTS: Final = 3


class Request(msgspec.Struct, eq=False):
    """A response that we want."""

    response: client.Response | dict[str, Any]
    """Its parameters; a wire object where somebody composed them."""
    token: int | None = None
    question: OpenQuestion | None = None
    """The question that it answers silently; None for any other."""
    attempts: int = 0

    @property
    def output_modalities(self) -> object:
        """What was asked for, None where nothing was said about it."""
        if isinstance(self.response, dict):
            return self.response.get("output_modalities")
        return self.response.output_modalities

    @property
    def beside(self) -> bool:
        """Whether it is to run outside the default conversation."""
        return isinstance(self.response, dict) and self.response.get("conversation") == "none"

    @property
    def in_hand(self) -> bool:
        """Whether the operator has a call in hand that may be the answer: so long it is not asked for."""
        return self.question is not None and self.question.in_hand > 0

    @property
    def void(self) -> bool:
        """Whether nobody needs it any more: its question was answered or given up."""
        return self.question is not None and self.question.closed


def spoken(instructions: str | None = None) -> client.Response:
    """Return the parameters of a spoken reply."""
    return client.Response(output_modalities=["audio"], instructions=UNSET if instructions is None else instructions)


def silent(tool: str) -> client.Response:
    """Return the parameters of a silent answer (voiceEngine.questionRequest)."""
    return client.Response(output_modalities=["text"], tool_choice=client.ForcedTool(tool))


class ActiveResponse(msgspec.Struct):
    """A response in progress; `request` None for one that the engine made by itself."""

    response_id: str
    request: Request | None = None
    event_id: str | None = None
    """The response.create that it is taken to answer."""
    output_modalities: object = None
    """What the engine says that it holds, None where it says nothing."""
    beside: bool = False
    """It runs outside the default conversation."""
    blocks: bool = True
    """It keeps others from beginning."""
    begun_with: OpenQuestion | None = None
    """The question that was on the screen when it began."""
    cancelled_ns: int | None = None

    @property
    def silent(self) -> bool:
        """Whether it is without audio: asked for so, or said to be so by the engine."""
        asked = self.request.output_modalities if self.request is not None else None
        return ["text"] in (asked, self.output_modalities)


class _Outstanding(msgspec.Struct, eq=False):
    request: Request
    event_id: str
    sent_ns: int
    cancel: bool = False


class Responses:
    """The requests that wait, the one that is unanswered, the responses in progress and the unwanted ones."""

    def __init__(self, outbox: Outbox, answered_within_ms: int) -> None:
        self._outbox = outbox
        self._answered_within_ms = answered_within_ms
        self._ready = False
        self._queue: deque[Request] = deque()
        self._outstanding: _Outstanding | None = None
        self._beside: deque[_Outstanding] = deque()
        self._active: dict[str, ActiveResponse] = {}
        self._calls: dict[str, dict[str, FunctionCall]] = {}
        self._unwanted: set[str] = set()
        self._failed: list[OpenQuestion] = []

    @property
    def in_progress(self) -> bool:
        """Whether a response of the default conversation is in progress."""
        return any(each.blocks for each in self._active.values())

    def is_wanted(self, response_id: str) -> bool:
        """Whether audio of this response is still to be played."""
        return response_id not in self._unwanted

    def is_silent(self, response_id: str) -> bool:
        """Whether this response was asked for without audio."""
        return response_id in self._active and self._active[response_id].silent

    def drop(self, response_ids: set[str]) -> None:
        """Play no more audio of these."""
        self._unwanted |= response_ids

    def spoken_in_progress(self) -> set[str]:
        """The responses in progress that may have audio."""
        return {each.response_id for each in self._active.values() if not each.silent}

    def start(self, now_ns: int) -> list[Action]:
        """The session is configured: what waits may be sent."""
        self._ready = True
        return self._pump(now_ns)

    def request(self, request: Request, now_ns: int) -> list[Action]:
        """Ask for a response as soon as none is in progress; for one beside the conversation at once."""
        self._queue.append(request)
        return self._pump(now_ns)

    def cancel(self, now_ns: int) -> list[Action]:
        """Stop the response in progress, or the one that was asked for and did not begin."""
        open_ones = [each for each in self._active.values() if each.cancelled_ns is None]
        if not open_ones and not self._active and self._outstanding is not None:
            self._outstanding.cancel = True
        actions: list[Action] = []
        for each in open_ones:
            each.cancelled_ns = now_ns
            response_id = each.response_id or UNSET
            actions.append(self._outbox.send(client.ResponseCancel(response_id=response_id)))
        return actions

    def created(self, response: ResponseObject, question: OpenQuestion | None, now_ns: int) -> list[Action]:
        """A response began; `question` is the one on the screen."""
        outstanding, beside = self._request_of(response)
        active = ActiveResponse(
            response.id or "",
            output_modalities=response.output_modalities,
            beside=beside,
            blocks=not beside,
            begun_with=question,
        )
        self._active[active.response_id] = active
        if outstanding is None:
            return []
        active.request, active.event_id = outstanding.request, outstanding.event_id
        token, active.request.token = active.request.token, None
        actions: list[Action] = [] if token is None else [Settled(token)]
        if outstanding.cancel:
            self.drop({active.response_id})
            actions += self.cancel(now_ns)
        return actions

    def _request_of(self, response: ResponseObject) -> tuple["_Outstanding | None", bool]:
        """Take the request that a new response is the answer to, and say whether it runs beside the conversation."""
        outstanding = self._outstanding
        if response.out_of_band:
            return (self._beside.popleft() if self._beside else None), True
        if outstanding is not None and _fits(outstanding.request, response):
            self._outstanding = None
            return outstanding, False
        unsaid = next((each for each in self._beside if _shows(each.request, response)), None)
        if outstanding is None and unsaid is not None:
            self._beside.remove(unsaid)
            return unsaid, True
        return None, False

    def called(self, response_id: str, call: FunctionCall) -> None:
        """A call came; whether it is complete is known when its response is done."""
        self._calls.setdefault(response_id, {})[call.call_id] = call

    def done(self, response: ResponseObject) -> tuple[ActiveResponse, list[FunctionCall]]:
        """A response ended; return it and its calls: none where it was cancelled or failed.

        One that does not say its id ends the only response in progress.
        """
        response_id = response.id
        if response_id is None:
            response_id = next(iter(self._active)) if len(self._active) == 1 else ""
        unknown = ActiveResponse(response_id, beside=response.out_of_band, blocks=False)
        active = self._active.pop(response_id, unknown)
        if active.silent:
            self.drop({response_id})
        calls = self._calls.pop(response_id, {})
        calls.update({each.call_id: each for each in response.function_calls})
        if response.status in ("cancelled", "failed"):
            return active, []
        return active, list(calls.values())

    def resume(self, now_ns: int) -> list[Action]:
        """A response ended and was dealt with, or the operator answered a call: send what waits and may go."""
        return self._pump(now_ns)

    def refused(self, event_id: str | None, code: str | None, sentence: str, now_ns: int) -> list[Action] | None:
        """Take an error; return None where it refuses no request of ours.

        A request that crossed a response of the engine's own waits again, at most three times in all.
        """
        request = self._refused_request(event_id)
        if request is None:
            return None
        if code == ALREADY_ACTIVE and request.attempts < _MOST_ATTEMPTS and not request.beside:
            self._queue.appendleft(request)
            return self._pump(now_ns)
        return [*self._fail(request, sentence, code or "response_refused"), *self._pump(now_ns)]

    def take_failed(self) -> list[OpenQuestion]:
        """Return and forget the questions whose request the engine refused or did not answer."""
        failed, self._failed = self._failed, []
        return failed

    def overdue(self, now_ns: int) -> list[Action]:
        """Give up what the engine did not answer within eventTimeoutMs: a request, or a cancel."""
        limit_ns = self._answered_within_ms * NS_PER_MS
        seconds = f"{self._answered_within_ms / 1000:g}"
        actions: list[Action] = []
        late = [each for each in self._sent if now_ns - each.sent_ns > limit_ns]
        for outstanding in late:
            self._forget(outstanding)
            sentence = f"The engine did not begin the requested response within {seconds} s."
            actions += self._fail(outstanding.request, sentence, "response_not_created")
        for each in list(self._active.values()):
            if each.cancelled_ns is not None and now_ns - each.cancelled_ns > limit_ns:
                del self._active[each.response_id]
                sentence = f"The engine did not end the cancelled response within {seconds} s."
                actions.append(Note("problem", {"whose": "engine", "code": "cancel_unanswered", "sentence": sentence}))
        return actions + (self._pump(now_ns) if actions else [])

    def abandon(self, error: str) -> list[Action]:
        """The connection ended: nothing that was asked for comes any more."""
        requests = [*(each.request for each in self._sent), *self._queue]
        self._ready = False
        self._queue.clear()
        self._outstanding = None
        self._beside.clear()
        self._active.clear()
        return [Settled(each.token, error) for each in requests if each.token is not None]

    def _refused_request(self, event_id: str | None) -> Request | None:
        """Return the request whose response.create an error names, and take back what it was thought to have made."""
        if event_id is None:
            return None
        for outstanding in self._sent:
            if outstanding.event_id == event_id:
                self._forget(outstanding)
                return outstanding.request
        for active in self._active.values():
            if active.event_id == event_id and active.request is not None:
                request = active.request
                active.request = active.event_id = None
                return request
        return None

    def _fail(self, request: Request, sentence: str, code: str) -> list[Action]:
        if request.question is not None:
            self._failed.append(request.question)
        actions: list[Action] = [Note("problem", {"whose": "engine", "code": code, "sentence": sentence})]
        if request.token is not None:
            actions.append(Settled(request.token, sentence))
        return actions

    @property
    def _sent(self) -> list["_Outstanding"]:
        """The requests that are not answered yet."""
        return [*([self._outstanding] if self._outstanding is not None else []), *self._beside]

    def _forget(self, outstanding: "_Outstanding") -> None:
        if outstanding is self._outstanding:
            self._outstanding = None
        else:
            self._beside.remove(outstanding)

    def _pump(self, now_ns: int) -> list[Action]:
        """Send what waits and may go: all that run beside the conversation, and one that does not."""
        if not self._ready:
            return []
        actions: list[Action] = []
        kept: deque[Request] = deque()
        for request in self._queue:
            free = not self.in_progress and self._outstanding is None and not request.in_hand
            if request.void:
                continue
            if not (request.beside or free):
                kept.append(request)
                continue
            request.attempts += 1
            send = self._outbox.send(client.ResponseCreate(response=request.response))
            outstanding = _Outstanding(request, id_of(send), now_ns)
            if request.beside:
                self._beside.append(outstanding)
            else:
                self._outstanding = outstanding
            actions.append(send)
        self._queue = kept
        return actions


def _shows(request: Request, response: ResponseObject) -> bool:
    """Whether a response that does not say where it runs shows otherwise that it is this one beside the conversation.

    What an engine begins by itself is spoken and has no metadata of ours.
    """
    if "conversation_id" in response.wire or not isinstance(request.response, dict):
        return False
    metadata = request.response.get("metadata")
    same_metadata = bool(metadata) and response.wire.get("metadata") == metadata
    return same_metadata or response.output_modalities == request.output_modalities == ["text"]


def _fits(request: Request, response: ResponseObject) -> bool:
    asked, given = request.output_modalities, response.output_modalities
    return asked is None or given is None or asked == given
