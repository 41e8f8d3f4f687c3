"""What the engine says, and what the session makes of it: each event goes to the parts whose rules it touches."""

import hashlib
from typing import Any, Final

import msgspec

from simulator.protocol import server_events as server
from simulator.session.actions import Action, Note, Settled
from simulator.session.agent_voice import AgentVoice
from simulator.session.answering import Answering
from simulator.session.listening import Listening
from simulator.session.outbox import Outbox
from simulator.session.responses import Responses
from simulator.session.settings import PendingUpdate, SessionSettings, SettingsInForce, not_in_force, whole_session
from simulator.session.turns import Turns

_BENIGN: Final = frozenset({"response_cancel_not_active", "input_audio_buffer_commit_empty"})


class Parts(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """The parts of one session, each the owner of its rules."""

    outbox: Outbox
    settings: SettingsInForce
    turns: Turns
    listening: Listening
    responses: Responses
    voice: AgentVoice
    answering: Answering


class EngineEvents:
    """Takes the events of one session's engine."""

    def __init__(self, start: SessionSettings, parts: Parts) -> None:
        self._start = start
        self._outbox = parts.outbox
        self._settings = parts.settings
        self._turns = parts.turns
        self._listening = parts.listening
        self._responses = parts.responses
        self._voice = parts.voice
        self._answering = parts.answering
        self._beta_named = False
        self.created = False
        """Whether the engine said session.created."""

    def received(self, event: server.Received, seq: int, now_ns: int) -> list[Action]:
        """An event of the engine arrived: entry `seq` of the record, read from the socket at `now_ns`."""
        match event:
            case server.OutputAudioDelta():
                return self._voice.delta(event)
            case server.SpeechStarted(item_id=item_id):
                return self._speech_started(item_id, seq, now_ns)
            case server.MalformedEvent():
                return self._malformed(event, seq, now_ns)
            case server.UnknownEvent(beta=True) if not self._beta_named:
                self._beta_named = True
                return [_problem("beta_interface", f"The engine speaks the beta of the interface. {event.sentence}")]
            case server.OutputAudioDone(item_id=item_id):
                return self._voice.audio_done(item_id)
            case server.FunctionCallArgumentsDone():
                call = server.FunctionCall(event.call_id, event.name, event.arguments)
                self._responses.called(event.response_id, call)
                return []
            case _:
                return self._received_rarely(event, seq, now_ns)

    def _received_rarely(self, event: server.Received, seq: int, now_ns: int) -> list[Action]:
        match event:
            case server.SessionCreated():
                return self._session_created(now_ns)
            case server.SessionUpdated(session=session):
                return self._session_updated(session, now_ns)
            case server.SpeechStopped():
                self._turns.speech_stopped()
            case server.InputAudioBufferCommitted(item_id=item_id):
                self._turns.committed(item_id)
            case server.ResponseCreated(response=response):
                return self._responses.created(response, self._answering.question, now_ns)
            case server.ResponseDone(response=response):
                return self._response_done(response, now_ns)
            case server.ErrorEvent(error=error):
                return self._error(error, now_ns)
        return []

    def _malformed(self, event: server.MalformedEvent, seq: int, now_ns: int) -> list[Action]:
        """An event that breaks the profile: what its type says by itself counts all the same."""
        item_id = server.WireObject(event.wire).text("item_id")
        match event.type:
            case "input_audio_buffer.speech_started":
                return self._speech_started(item_id, seq, now_ns)
            case "input_audio_buffer.speech_stopped":
                self._turns.speech_stopped()
            case "input_audio_buffer.committed":
                self._turns.committed(item_id)
            case "session.created":
                return self._session_created(now_ns)
            case "session.updated":
                return self._session_updated(None, now_ns)
            case "response.created":
                return self._responses.created(server.ResponseObject({}), self._answering.question, now_ns)
            case "response.done":
                return self._response_done(server.ResponseObject({}), now_ns)
        return []

    def _session_created(self, now_ns: int) -> list[Action]:
        if self.created:
            return []
        self.created = True
        whole = whole_session(self._start, self._listening.wanted)
        return [self._settings.send(whole, "start", now_ns), *self._listening.first_update_sent()]

    def _session_updated(self, session: server.SessionObject | None, now_ns: int) -> list[Action]:
        update = self._settings.answered(session)
        if update is None:
            return []
        actions: list[Action] = []
        differing = not_in_force(update.session, session.wire) if session is not None else []
        if differing:
            sentence = f"The engine took the update, but not all of it is in force: {', '.join(differing)}."
            actions.append(_problem("setting_not_in_force", sentence))
        error = None
        if update.kind == "instructions" and "session.instructions" in differing:
            error = "The engine answered, but these instructions are not in force."
        return actions + self.update_settled(update, error, now_ns)

    def update_settled(self, update: PendingUpdate, error: str | None, now_ns: int) -> list[Action]:
        """An update was answered (`error` None), refused or given up."""
        if update.kind == "instructions":
            return [_instructions_note(update.session["instructions"], error), *_settled(update.token, error)]
        if update.kind == "raw":
            return []
        if update.kind == "tools":
            if error is not None:
                self._answering.tools_refused()
            return []
        actions = self._listening.answered(now_ns, error)
        if update.kind == "start":
            actions.append(_instructions_note(update.session["instructions"], error))
            actions += self._responses.start(now_ns)
        return actions

    def _speech_started(self, item_id: str | None, seq: int, now_ns: int) -> list[Action]:
        self._turns.speech_started(item_id)
        self._answering.somebody_spoke()
        interrupts = self._listening.turn_detection.get("interrupt_response") is not False
        ending = self._responses.spoken_in_progress() if interrupts else set()
        return self._voice.interrupt("speech_started", seq, now_ns, ending)

    def _response_done(self, response: server.ResponseObject, now_ns: int) -> list[Action]:
        active, calls = self._responses.done(response)
        actions = self._voice.response_done(active.response_id)
        if response.status == "failed":
            why = f": {response.failure}" if response.failure else ""
            stop = "" if why.endswith((".", "?", "!")) else "."
            actions.append(_problem("response_failed", f"The engine could not finish its response{why}{stop}"))
        actions += self._answering.response_done(active, calls, response, now_ns)
        return actions + self._responses.resume(now_ns)

    def _error(self, error: server.ErrorObject, now_ns: int) -> list[Action]:
        sentence = f"The engine reports an error: {error.message}"
        update = self._settings.refused(error.event_id)
        if update is not None:
            refusal = f"The engine refused the settings: {error.message}"
            return [_problem(error.code or "update_refused", refusal), *self.update_settled(update, refusal, now_ns)]
        request = self._responses.refused(error.event_id, error.code, sentence, now_ns)
        if request is not None:
            return request + self._answering.ask_failed_again(now_ns)
        sent = self._outbox.named(error.event_id)
        if sent is not None and sent.item_id is not None:
            return [Note("truncation.refused", {"item_id": sent.item_id, "message": error.message})]
        if error.code in _BENIGN:
            return []
        return [_problem(error.code or "error", sentence)]


def _settled(token: int | None, error: str | None = None) -> list[Action]:
    return [] if token is None else [Settled(token, error)]


def _problem(code: str, sentence: str) -> Note:
    return Note("problem", {"whose": "engine", "code": code, "sentence": sentence})


def _instructions_note(instructions: str, error: str | None) -> Note:
    fields: dict[str, Any] = {"sha256": hashlib.sha256(instructions.encode()).hexdigest(), "accepted": error is None}
    return Note("instructions", fields if error is None else {**fields, "error": error})
