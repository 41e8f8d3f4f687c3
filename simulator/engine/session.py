"""One client's session: takes its events in order, keeps the state, and says what happens.

Order of a spoken turn (HRP): speech_started, speech_stopped, committed, conversation.item.added,
conversation.item.done, response.created and so on. A running response of the default conversation is ended on the
speech_started edge. Everything runs on the event loop and nothing waits, except between two slices of a long append.
"""

from __future__ import annotations

import asyncio
import json
import logging
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from simulator.engine import configuration, fields, pcm
from simulator.engine.action_log import ActionLog
from simulator.engine.behaviour import Behaviour
from simulator.engine.conversation import Conversation, Item, new_id, spoken_item
from simulator.engine.ears import NOT_INSTALLED
from simulator.engine.errors import Refusal, missing
from simulator.engine.generation import Delivery, Pace, generate
from simulator.engine.hearing import Hearing, failed
from simulator.engine.input_audio import (
    InputAudio,
    Silence,
    TurnEvent,
    TurnHeard,
    TurnStarted,
    TurnStopped,
    TurnUndecided,
)
from simulator.engine.mind import MindError
from simulator.engine.request import response_request
from simulator.engine.response import Response
from simulator.engine.script_mind import ScriptMind
from simulator.engine.turn_detection import DetectionSettings

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterable, Callable, Coroutine

    from simulator.engine.activity import SpeechActivity
    from simulator.engine.ears import Ears
    from simulator.engine.mind import Mind, Step
    from simulator.engine.outbox import Outbox
    from simulator.engine.request import ResponseRequest
    from simulator.engine.voice import Voice

_LOG = logging.getLogger(__name__)
_APPEND_LIMIT_BYTES = 15 * 1024 * 1024
_SLICE_BYTES = 1_000 * pcm.BYTES_PER_MS

Event = dict[str, Any]


class Session:
    """The state of one connection.

    Args:
        settings: see configuration.defaults.
        rate: how many times faster than real time the agent's audio is delivered.
        log: is told what the session hears.
        ears: recognise words; None where nothing is installed that could.
        mind: decides what responses hold; the script, where none is given.
    """

    def __init__(
        self,
        settings: configuration.Settings,
        outbox: Outbox,
        activity: SpeechActivity,
        voice: Voice,
        rate: float,
        behaviour: Behaviour | None = None,
        log: ActionLog | None = None,
        ears: Ears | None = None,
        mind: Mind | None = None,
    ) -> None:
        self._settings = settings
        self._outbox = outbox
        self._voice = voice
        self._behaviour = behaviour or Behaviour()
        self._mind = mind or ScriptMind()
        self._log = log or ActionLog()
        self._delivery = Delivery(self._behaviour.pace(Pace(rate)), outbox.room)
        self._conversation = Conversation()
        self._hearing = Hearing(ears, outbox.put, self._wants_transcripts) if ears is not None else None
        self._input = InputAudio(activity, lambda: new_id("item"), knows_words=ears is not None)
        self._running: dict[Response, asyncio.Task[None]] = {}
        self._spoke = False
        self._handlers: dict[str, Callable[[Event], None] | Callable[[Event], Coroutine[Any, Any, None]]] = {
            "session.update": self._update,
            "input_audio_buffer.append": self._append,
            "input_audio_buffer.commit": self._commit,
            "input_audio_buffer.clear": self._clear,
            "conversation.item.create": self._create_item,
            "conversation.item.retrieve": self._retrieve_item,
            "conversation.item.delete": self._delete_item,
            "conversation.item.truncate": self._truncate_item,
            "response.create": self._create_response,
            "response.cancel": self._cancel_response,
        }

    async def run(self, messages: AsyncIterable[str | bytes]) -> None:
        """Answers the client's messages until they end; then nothing of the session is left running."""
        self._outbox.put({"type": "session.created", "session": self._shown_settings()})
        self._input.set_turn_detection(self._detection())
        try:
            async for message in messages:
                await self._take(message)
        finally:
            tasks = list(self._running.values())
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            if self._hearing is not None:
                await self._hearing.close()

    async def _take(self, message: str | bytes) -> None:
        """Carries one message out. What is wrong with it becomes an error event; the session goes on."""
        client_event_id: str | None = None
        try:
            event = _parsed(message)
            if event.get("event_id") is not None:
                client_event_id = fields.a_name(event["event_id"], "event_id", 512)
            self._log.heard(event)
            for heard in self._behaviour.hears(event):
                await self._carry_out(heard)
        except Refusal as refusal:
            self._outbox.put(refusal.event(client_event_id))
        except Exception:
            _LOG.exception("an event could not be carried out")
            sorry = Refusal("internal_error", "The engine failed on this event; see its log.", kind="server_error")
            self._outbox.put(sorry.event(client_event_id))

    async def _carry_out(self, event: Event) -> None:
        handler = self._handlers.get(event["type"])
        if handler is None:
            known = ", ".join(f"'{name}'" for name in self._handlers)
            raise Refusal("invalid_value", f"Invalid value: '{event['type']}'. Supported: {known}.", "type")
        waiting = handler(event)
        if waiting is not None:
            await waiting

    # ---- session

    def _update(self, event: Event) -> None:
        if "session" not in event:
            raise missing("session")
        spoke = self._spoke or any(response.spoke for response in self._running)
        self._settings = configuration.merged(self._settings, event["session"], voice_is_fixed=spoke)
        self._input.set_turn_detection(self._detection())
        self._outbox.put({"type": "session.updated", "session": self._shown_settings()})

    def _shown_settings(self) -> configuration.Settings:
        # An update makes new settings and leaves these as they are, so an event may hold them.
        return self._settings

    def _turn_detection(self) -> dict[str, Any] | None:
        return self._behaviour.turn_detection(self._settings["audio"]["input"]["turn_detection"])

    def _detection(self) -> DetectionSettings | None:
        wire = self._turn_detection()
        return DetectionSettings.of(wire) if wire else None

    # ---- input audio

    async def _append(self, event: Event) -> None:
        if "audio" not in event:
            raise missing("audio")
        audio = pcm.decoded(fields.a_text(event["audio"], "audio"), "audio")
        if len(audio) > _APPEND_LIMIT_BYTES:
            raise Refusal("invalid_value", "An append may carry 15 MiB of audio at most.", "audio")
        for start in range(0, len(audio), _SLICE_BYTES):
            for found in self._input.append(audio[start : start + _SLICE_BYTES]):
                await self._turn_event(found)
            if start + _SLICE_BYTES < len(audio):
                await asyncio.sleep(0)  # a long append must not hold up other sessions

    async def _turn_event(self, event: TurnEvent) -> None:
        match event:
            case TurnStarted():
                self._turn_started(event)
            case TurnHeard() if self._hearing is not None:
                self._hearing.heard(event)
            case TurnUndecided() if self._hearing is not None:
                # The words are mostly known by now: they were asked for 300 ms of audio ago.
                words = await self._hearing.words(event.item_id)
                if words is not None:
                    self._input.wait(words)
            case TurnStopped() | Silence():
                self._turn_ended(event)

    def _turn_started(self, event: TurnStarted) -> None:
        place = {"audio_start_ms": event.audio_start_ms, "item_id": event.item_id}
        self._outbox.put({"type": "input_audio_buffer.speech_started", **place})
        active = self._active()
        if active is not None and (self._turn_detection() or {}).get("interrupt_response"):
            self._end(active, "turn_detected")

    def _turn_ended(self, event: TurnStopped | Silence) -> None:
        place = {"audio_end_ms": event.audio_end_ms, "item_id": event.item_id}
        if isinstance(event, Silence):
            place["audio_start_ms"] = event.audio_start_ms
            self._outbox.put({"type": "input_audio_buffer.timeout_triggered", **place})
            self._committed(event.item_id, event.audio, 0, silent=True)
        else:
            self._outbox.put({"type": "input_audio_buffer.speech_stopped", **place})
            self._committed(event.item_id, event.audio, event.speech_bytes)
        if (self._turn_detection() or {}).get("create_response"):
            try:
                self._respond(None)
            except Refusal as refusal:  # a response is running that must not be interrupted
                self._outbox.put(refusal.event(None))

    def _commit(self, _event: Event) -> None:
        item_id, audio = self._input.commit()
        self._committed(item_id, audio, len(audio))

    def _committed(self, item_id: str, audio: bytes, speech_bytes: int, *, silent: bool = False) -> None:
        item = spoken_item(item_id, audio, silent=silent)
        previous = self._conversation.append(item)
        place = {"item_id": item_id, "previous_item_id": previous}
        self._outbox.put({"type": "input_audio_buffer.committed", **place})
        self._announce(item, previous)
        if self._hearing is not None:
            self._hearing.committed(item, speech_bytes)
        elif self._wants_transcripts():
            self._outbox.put(failed(item_id, "recogniser_unavailable", NOT_INSTALLED))

    def _wants_transcripts(self) -> bool:
        return self._settings["audio"]["input"]["transcription"] is not None

    def _clear(self, _event: Event) -> None:
        self._input.clear()
        if self._hearing is not None:
            self._hearing.dropped()
        self._outbox.put({"type": "input_audio_buffer.cleared"})

    # ---- conversation

    def _announce(self, item: Item, previous: str | None) -> None:
        place = {"previous_item_id": previous, "item": item.shown()}
        self._outbox.put({"type": "conversation.item.added", **place})
        self._outbox.put({"type": "conversation.item.done", **place})

    def _create_item(self, event: Event) -> None:
        item, previous = self._conversation.create(event)
        self._announce(item, previous)
        if self._hearing is not None:
            self._hearing.created(item)

    def _retrieve_item(self, event: Event) -> None:
        item = self._conversation.retrieve(_required(event, "item_id"))
        self._outbox.put({"type": "conversation.item.retrieved", "item": item.with_audio()})

    def _delete_item(self, event: Event) -> None:
        item_id = _required(event, "item_id")
        self._conversation.delete(item_id)
        self._outbox.put({"type": "conversation.item.deleted", "item_id": item_id})

    def _truncate_item(self, event: Event) -> None:
        names = ("item_id", "content_index", "audio_end_ms")
        place = {name: _required(event, name) for name in names}
        self._conversation.truncate(**place)
        self._outbox.put({"type": "conversation.item.truncated", **place})

    # ---- responses

    def _active(self) -> Response | None:
        """The running response of the default conversation."""
        running = (r for r in self._running if r.request.in_conversation and not r.ended)
        return next(running, None)

    def _create_response(self, event: Event) -> None:
        self._respond(event.get("response"))

    def _respond(self, given: object) -> None:
        """Starts a response.

        Raises:
            Refusal: its fields are wrong, or the conversation already has an active response.
        """
        request = response_request(given, self._settings, self._conversation)
        active = self._active()
        if request.in_conversation and active is not None:
            message = f"Conversation already has an active response in progress: {active.id}."
            raise Refusal("conversation_already_has_active_response", message)
        response = Response(request, self._conversation, self._outbox.put)
        response.start()
        task = asyncio.get_running_loop().create_task(self._generate(response))
        self._running[response] = task
        task.add_done_callback(lambda _task: self._forget(response))

    async def _generate(self, response: Response) -> None:
        try:
            if self._hearing is not None:
                await self._hearing.known(response.request.items)
            await generate(response, self._steps(response.request), self._voice, self._delivery)
        except MindError as error:
            _LOG.warning("%s", error.message)
            response.finish("failed", error={"type": "server_error", "code": error.code, "message": error.message})
        except Exception as error:
            _LOG.exception("a response failed")
            shown = {"type": "server_error", "code": "generation_failed", "message": f"The reply failed: {error}"}
            response.finish("failed", error=shown)

    async def _steps(self, request: ResponseRequest) -> AsyncGenerator[Step, None]:
        """What a response holds, as the mind gives it."""
        async with aclosing(self._mind.think(request)) as thought:
            async for step in thought:
                for held in self._behaviour.step(request, step):
                    yield held

    def _forget(self, response: Response) -> None:
        self._spoke |= response.spoke
        del self._running[response]
        idle_timeout_ms = (self._turn_detection() or {}).get("idle_timeout_ms")
        if idle_timeout_ms and response.status == "completed" and response.request.in_conversation:
            # The listener hears it in real time: at the end of a fast delivery most of it is still to be played.
            unplayed_ms = response.audio_ms * max(0.0, 1 - 1 / self._delivery.pace.rate)
            self._input.await_speech(unplayed_ms, idle_timeout_ms)

    def _cancel_response(self, event: Event) -> None:
        wanted = event.get("response_id")
        found = self._active() if wanted is None else next((r for r in self._running if r.id == wanted), None)
        if found is None or found.ended:
            raise Refusal("response_cancel_not_active", "Cancellation failed: no active response found.", "response_id")
        self._end(found, "client_cancelled")

    def _end(self, response: Response, reason: str) -> None:
        """Cuts a response now: all its *.done events are said before anything else."""
        response.finish("cancelled", reason)
        self._running[response].cancel()


def _parsed(message: str | bytes) -> Event:
    """The message as an object with a type.

    Raises:
        Refusal: it is not one.
    """
    try:
        event = json.loads(message, parse_constant=_no_constant)
    except ValueError as error:
        raise Refusal("invalid_json", f"The message is not valid JSON: {error}") from error
    except RecursionError as error:
        raise Refusal("invalid_json", "The message is nested too deeply.") from error
    if not isinstance(event, dict):
        raise Refusal("invalid_event", "A message must be a JSON object.")
    if "type" not in event:
        raise missing("type")
    fields.a_text(event["type"], "type")
    return event


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON value")


def _required(event: Event, name: str) -> Any:
    if event.get(name) is None:
        raise missing(name)
    return event[name]
