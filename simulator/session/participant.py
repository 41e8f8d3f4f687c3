"""The participant's side of a session: events, commands, playback and time go in, actions come out.

This is the composition of the parts that own the rules:

    listening      whether anything is appended, and how it is switched off and on
    turns          what the engine hears of the participant
    agent_voice    what is played, cut, dropped and truncated
    responses      one response at a time
    questions      the question on the screen and the calls that answer it
    settings       what was asked for and what is in force

Nothing here waits, reads a clock or touches a socket. All times are nanoseconds of one monotonic clock.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from simulator.errors import UsageError
from simulator.profile import answers, context_items, facts, tools
from simulator.protocol import client_events as client
from simulator.protocol import server_events as server
from simulator.session.actions import Action, Note, Settled
from simulator.session.agent_voice import AgentVoice
from simulator.session.listening import Listening
from simulator.session.outbox import Outbox
from simulator.session.playback import ItemHeard, PlaybackReport
from simulator.session.questions import MOST_ATTEMPTS, OpenQuestion, Questions
from simulator.session.responses import Request, Responses, silent, spoken
from simulator.session.settings import (
    PendingUpdate,
    SessionSettings,
    SettingsInForce,
    not_in_force,
    only_instructions,
    whole_session,
)
from simulator.session.turns import Turns
from simulator.units import NS_PER_MS

_BENIGN = frozenset({"response_cancel_not_active", "input_audio_buffer_commit_empty"})
_MOST_FOLLOW_UPS = 5
_NO_SESSION = "There is no session: connect first."


class ParticipantSession:
    """One session with one engine, from the open socket to its end."""

    def __init__(self, settings: SessionSettings) -> None:
        self._start = settings
        self._outbox = Outbox()
        self._settings = SettingsInForce(self._outbox)
        self._turns = Turns()
        self._listening = Listening(
            settings.listening, settings.turn_detection, self._outbox, self._settings, self._turns
        )
        self._responses = Responses(self._outbox)
        self._voice = AgentVoice(self._outbox, self._responses)
        self._questions = Questions(self._outbox)
        self._images_sent: set[bytes] = set()
        self._opened_ns: int | None = None
        self._created = False
        self._closed = False
        self._beta_named = False
        self._follow_ups = 0

    # What is shown

    @property
    def listening(self) -> bool:
        """Whether audio is appended now."""
        return self._listening.appending

    @property
    def listening_wanted(self) -> bool:
        """Whether listening is on or being switched on."""
        return self._listening.wanted

    @property
    def response_active(self) -> bool:
        """Whether a response of the default conversation is in progress."""
        return self._responses.in_progress

    @property
    def instructions_accepted(self) -> str | None:
        """The instructions in force, None before the engine took any."""
        return self._settings.instructions

    @property
    def session_requested(self) -> dict[str, Any] | None:
        """All settings that were asked for, as a wire object."""
        return self._settings.requested

    @property
    def session_accepted(self) -> dict[str, Any] | None:
        """The effective session as the engine last gave it in answer to an update."""
        return self._settings.accepted

    @property
    def question(self) -> OpenQuestion | None:
        """The question on the screen."""
        return self._questions.current

    # The connection

    def started(self, now_ns: int) -> list[Action]:
        """The socket is open: the engine has eventTimeoutMs to say session.created."""
        self._opened_ns = now_ns
        return []

    def closed(self, code: int | None, reason: str, now_ns: int) -> list[Action]:
        """The connection ended, or is being closed by us: cut the playback, settle every command."""
        if self._closed:
            return []
        self._closed = True
        actions = self._voice.interrupt("closed")
        sentence = "The connection ended before this was done" + (f": {reason}." if reason else ".")
        for update in self._settings.abandon():
            actions += _settled(update.token, sentence)
        actions += self._listening.abandon(sentence)
        actions += self._responses.abandon(sentence)
        return actions + self._questions.give_up(sentence, now_ns)

    def tick(self, now_ns: int) -> list[Action]:
        """Time passed: give up what the engine did not answer in time."""
        if self._closed:
            return []
        actions: list[Action] = []
        limit_ns = facts.THRESHOLDS.event_timeout_ms * NS_PER_MS
        seconds = facts.THRESHOLDS.event_timeout_ms // 1000
        if self._opened_ns is not None and not self._created and now_ns - self._opened_ns > limit_ns:
            self._opened_ns = None
            actions.append(
                _problem("no_session_created", f"The engine did not say session.created within {seconds} s.")
            )
        for update in self._settings.overdue(now_ns):
            sentence = f"The engine did not answer session.update within {seconds} s."
            actions.append(_problem("update_unanswered", sentence))
            actions += self._update_settled(update, sentence, now_ns)
        actions += self._responses.overdue(now_ns)
        return actions + self._ask_failed_again(now_ns)

    # The participant and the loudspeaker

    def captured(self, samples: bytes, now_ns: int) -> list[Action]:
        """20 ms of the participant's voice, PCM16: append them while listening is on."""
        if self._closed or not self._listening.appending:
            return []
        return [self._outbox.send(client.InputAudioBufferAppend(audio=samples))]

    def playback(self, report: PlaybackReport, now_ns: int) -> list[Action]:
        """The loudspeaker reports its progress."""
        return self._voice.report(report)

    def cut_result(self, heard: Iterable[ItemHeard], now_ns: int) -> list[Action]:
        """A CutPlayback was executed at `now_ns`: `heard` is what was handed of each item that was not ended."""
        return self._voice.cut_result(heard, now_ns)

    # Commands

    def set_listening(self, on: bool, now_ns: int, *, token: int | None = None) -> list[Action]:
        """Switch listening off or on; settled when the engine answered."""
        return _settled(token, _NO_SESSION) if self._closed else self._listening.wish(on, now_ns, token)

    def stop_reply(self, now_ns: int, *, token: int | None = None) -> list[Action]:
        """Stop the agent: cut the playback, cancel the response in progress, truncate what was not heard."""
        if self._closed:
            return _settled(token, _NO_SESSION)
        actions = self._voice.interrupt("stop_reply", ending=self._responses.spoken_in_progress())
        return [*actions, *self._responses.cancel(now_ns), *_settled(token)]

    def push(
        self,
        context: Mapping[str, Any],
        images: Sequence[bytes],
        ask_reply: bool,
        now_ns: int,
        *,
        token: int | None = None,
    ) -> list[Action]:
        """Send a context item with PNG or JPEG files; an image is attached once a session. Settled when it is sent."""
        if not self._created or self._closed:
            return _settled(token, _NO_SESSION)
        new = {hashlib.sha256(each).digest(): each for each in images}
        fresh = [each for digest, each in new.items() if digest not in self._images_sent]
        try:
            urls = [context_items.data_url(each) for each in fresh]
            text = context_items.context_text(context)
        except (UsageError, ValueError, TypeError) as error:
            return _refused(token, str(error))
        self._images_sent |= set(new)
        actions = [*self._context_item(context, text, urls), *_settled(token)]
        return actions + (self.request_reply(None, now_ns) if ask_reply else [])

    def ask(
        self, component: str, config: Mapping[str, Any], during_video: bool, now_ns: int, *, token: int | None = None
    ) -> list[Action]:
        """Put a question on the screen and request its silent answer; settled when it is answered or given up."""
        if not self._created or self._closed:
            return _settled(token, _NO_SESSION)
        try:
            tool = tools.tool_for(component, config)
            text = answers.question_text(component, config)
        except UsageError as error:
            return _refused(token, str(error))
        earlier = self._questions.current
        if earlier is not None:
            self._responses.withdraw(earlier)
        question = OpenQuestion(component, dict(config), tool, now_ns, token)
        context = context_items.question(tool, text, during_video)
        actions = self._questions.open(question, now_ns)
        actions += self._context_item(context, context_items.context_text(context), [])
        return actions + self._ask_silently(question, now_ns)

    def set_instructions(self, text: str, now_ns: int, *, token: int | None = None) -> list[Action]:
        """Change only the instructions; settled when the engine answered."""
        if not self._created or self._closed:
            return _settled(token, _NO_SESSION)
        return [self._settings.send(only_instructions(text), "instructions", now_ns, token)]

    def request_reply(self, instructions: str | None, now_ns: int, *, token: int | None = None) -> list[Action]:
        """Ask for a spoken reply as soon as no response is in progress; settled when its response was created."""
        if not self._created or self._closed:
            return _settled(token, _NO_SESSION)
        self._follow_ups = 0
        return self._responses.request(Request(spoken(instructions), token), now_ns)

    # The engine

    def received(self, event: server.Received, seq: int, now_ns: int) -> list[Action]:
        """An event of the engine arrived: entry `seq` of the record, read from the socket at `now_ns`."""
        if self._closed:
            return []
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
                return self._responses.created(response, now_ns)
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
                return self._responses.created(server.ResponseObject({}), now_ns)
            case "response.done":
                return self._response_done(server.ResponseObject({}), now_ns)
        return []

    def _session_created(self, now_ns: int) -> list[Action]:
        if self._created:
            return []
        self._created = True
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
        return actions + self._update_settled(update, error, now_ns)

    def _update_settled(self, update: PendingUpdate, error: str | None, now_ns: int) -> list[Action]:
        if update.kind == "instructions":
            return [_instructions_note(update.session["instructions"], error), *_settled(update.token, error)]
        actions = self._listening.answered(now_ns, error)
        if update.kind == "start":
            actions.append(_instructions_note(update.session["instructions"], error))
            actions += self._responses.start(now_ns)
        return actions

    def _speech_started(self, item_id: str | None, seq: int, now_ns: int) -> list[Action]:
        self._turns.speech_started(item_id)
        self._follow_ups = 0
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
        question = active.request.question if active.request is not None else None
        for call in calls:
            actions += self._questions.call(call, question, now_ns)
        if question is not None:
            ended = f"The last response was {response.status or 'done'} without a call."
            actions += self._asked_in_vain(question, ended, now_ns)
        elif calls:
            actions += self._follow_up(now_ns)
        return actions + self._responses.resume(now_ns)

    def _ask_failed_again(self, now_ns: int) -> list[Action]:
        failed = self._responses.take_failed()
        return [each for question in failed for each in self._asked_in_vain(question, "None was begun.", now_ns)]

    def _asked_in_vain(self, question: OpenQuestion, ended: str, now_ns: int) -> list[Action]:
        """After a silent answer: ask again while the question is still on the screen, or give it up."""
        if self._questions.current is not question:
            return []
        if question.attempts < MOST_ATTEMPTS:
            return self._ask_silently(question, now_ns)
        sentence = f"The agent did not answer in {MOST_ATTEMPTS} attempts. {question.last_error or ended}"
        return [*self._questions.give_up(sentence, now_ns), _problem("question_unanswered", sentence)]

    def _ask_silently(self, question: OpenQuestion, now_ns: int) -> list[Action]:
        question.attempts += 1
        return self._responses.request(Request(silent(question.tool), question=question), now_ns)

    def _follow_up(self, now_ns: int) -> list[Action]:
        """After the outputs of calls nothing follows by itself: ask for it, but not for ever."""
        self._follow_ups += 1
        if self._follow_ups > _MOST_FOLLOW_UPS:
            sentence = f"The agent called tools in {self._follow_ups} responses on end; no further one is requested."
            return [_problem("tool_loop", sentence)]
        return self._responses.request(Request(spoken()), now_ns)

    def _error(self, error: server.ErrorObject, now_ns: int) -> list[Action]:
        sentence = f"The engine reports an error: {error.message}"
        update = self._settings.refused(error.event_id)
        if update is not None:
            refusal = f"The engine refused the settings: {error.message}"
            return [_problem(error.code or "update_refused", refusal), *self._update_settled(update, refusal, now_ns)]
        request = self._responses.refused(error.event_id, error.code, sentence, now_ns)
        if request is not None:
            return request + self._ask_failed_again(now_ns)
        sent = self._outbox.named(error.event_id)
        if sent is not None and sent.item_id is not None:
            return [Note("truncation.refused", {"item_id": sent.item_id, "message": error.message})]
        if error.code in _BENIGN:
            return []
        return [_problem(error.code or "error", sentence)]

    def _context_item(self, context: Mapping[str, Any], text: str, image_urls: Sequence[str]) -> list[Action]:
        content: list[client.InputText | client.InputImage] = [client.InputText(text)]
        content += [client.InputImage(each) for each in image_urls]
        send = self._outbox.send(client.ConversationItemCreate(item=client.MessageItem(content=content)))
        return [send, Note("push", {"context": dict(context), "images": len(image_urls)})]


def _settled(token: int | None, error: str | None = None) -> list[Action]:
    return [] if token is None else [Settled(token, error)]


def _refused(token: int | None, sentence: str) -> list[Action]:
    return [
        Note("problem", {"whose": "ours", "code": "refused_command", "sentence": sentence}),
        *_settled(token, sentence),
    ]


def _problem(code: str, sentence: str) -> Note:
    return Note("problem", {"whose": "engine", "code": code, "sentence": sentence})


def _instructions_note(instructions: str, error: str | None) -> Note:
    fields: dict[str, Any] = {"sha256": hashlib.sha256(instructions.encode()).hexdigest(), "accepted": error is None}
    return Note("instructions", fields if error is None else {**fields, "error": error})
