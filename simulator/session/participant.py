"""The participant's side of a session: events, commands, playback and time go in, actions come out.

This is the composition of the parts that own the rules:

    listening      whether anything is appended, and how it is switched off and on
    turns          what the engine hears of the participant
    agent_voice    what is played, cut, dropped and truncated
    responses      one response at a time
    answering      the question on the screen, and the calls that answer it
    context        what the study tells, and its images
    settings       what was asked for and what is in force
    engine_events  what the engine says, given to these parts

Nothing here waits, reads a clock or touches a socket. All times are nanoseconds of one monotonic clock.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from simulator.errors import UsageError
from simulator.profile import answers, context_items
from simulator.profile.tools import ARGUMENT_OF, tool_for
from simulator.protocol import client_events as client
from simulator.protocol import server_events as server
from simulator.session.actions import Action, Note, Settled
from simulator.session.agent_voice import AgentVoice
from simulator.session.answering import Answering
from simulator.session.calls import HeldCall, How
from simulator.session.composed import why_unsendable
from simulator.session.context import ContextItems
from simulator.session.engine_events import EngineEvents, Parts
from simulator.session.listening import Listening
from simulator.session.outbox import Outbox
from simulator.session.playback import ItemHeard, PlaybackReport
from simulator.session.questions import MOST_ATTEMPTS, OpenQuestion
from simulator.session.responses import Request, Responses, spoken
from simulator.session.settings import (
    SessionSettings,
    SettingsInForce,
    only_instructions,
    only_tools,
)
from simulator.session.turns import Turns
from simulator.units import NS_PER_MS

_NO_SESSION = "There is no session: connect first."


class ParticipantSession:
    """One session with one engine, from the open socket to its end."""

    def __init__(self, settings: SessionSettings) -> None:
        self._start = settings
        self._outbox = Outbox()
        self._answered_within_ms = settings.specification.thresholds.event_timeout_ms
        self._settings = SettingsInForce(self._outbox, self._answered_within_ms)
        self._turns = Turns()
        self._listening = Listening(
            settings.listening, settings.turn_detection, self._outbox, self._settings, self._turns
        )
        self._responses = Responses(self._outbox, self._answered_within_ms)
        self._voice = AgentVoice(self._outbox, self._responses)
        self._context = ContextItems(self._outbox)
        declared = [str(each["name"]) for each in settings.declared_tools]
        self._answering = Answering(self._outbox, self._responses, declared, self._announce)
        parts = Parts(
            outbox=self._outbox,
            settings=self._settings,
            turns=self._turns,
            listening=self._listening,
            responses=self._responses,
            voice=self._voice,
            answering=self._answering,
        )
        self._events = EngineEvents(settings, parts)
        self._opened_ns: int | None = None
        self._closed = False

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
        return self._answering.question

    @property
    def questions_waiting(self) -> int:
        """How many questions wait behind it."""
        return self._answering.questions_waiting

    @property
    def calls_in_hand(self) -> bool:
        """Whether the agent's calls wait for the operator."""
        return self._answering.in_hand

    @property
    def held_calls(self) -> list[HeldCall]:
        """The calls that wait, oldest first."""
        return self._answering.held

    def may_sound(self, response_id: str) -> bool:
        """Whether this response is one that may have audio, as long as it is in progress."""
        return not self._responses.is_silent(response_id)

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
        return actions + self._answering.abandon(sentence, now_ns)

    def tick(self, now_ns: int) -> list[Action]:
        """Time passed: give up what the engine did not answer in time."""
        if self._closed:
            return []
        actions: list[Action] = []
        limit_ns = self._answered_within_ms * NS_PER_MS
        seconds = f"{self._answered_within_ms / 1000:g}"
        if self._opened_ns is not None and not self._events.created and now_ns - self._opened_ns > limit_ns:
            self._opened_ns = None
            actions.append(
                _problem("no_session_created", f"The engine did not say session.created within {seconds} s.")
            )
        for update in self._settings.overdue(now_ns):
            sentence = f"The engine did not answer session.update within {seconds} s."
            actions.append(_problem("update_unanswered", sentence))
            actions += self._events.update_settled(update, sentence, now_ns)
        actions += self._responses.overdue(now_ns)
        return actions + self._answering.ask_failed_again(now_ns)

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
        video_chat: bool | None = None,
        token: int | None = None,
    ) -> list[Action]:
        """Send a context item with PNG or JPEG files; settled when it is sent.

        Listening follows `video_chat`, whether the screen shows the video chat: it is switched before the item.
        """
        if not self._events.created or self._closed:
            return _settled(token, _NO_SESSION)
        try:
            item = self._context.item(context, images)
        except UsageError as error:
            return _refused(token, str(error))
        actions = [*self._show_video_chat(video_chat, now_ns), *item, *_settled(token)]
        return actions + (self.request_reply(None, now_ns) if ask_reply else [])

    def ask(
        self,
        component: str,
        config: Mapping[str, Any],
        during_video: bool,
        now_ns: int,
        *,
        shown_on: str = "screen",
        attempts: int = 3,
        video_chat: bool | None = None,
        adds_tool: bool = False,
        token: int | None = None,
    ) -> list[Action]:
        """Put a question on the screen, behind those that are there or wait, and request its silent answer.

        Settled when it is answered or given up: after so many `attempts`. `adds_tool` lets a session that was begun
        without the tool declare it now; the platform itself declares all that a study needs at the start.
        """
        if not self._events.created or self._closed:
            return _settled(token, _NO_SESSION)
        try:
            if not 1 <= attempts <= MOST_ATTEMPTS:
                raise UsageError(f"A question is asked from 1 to {MOST_ATTEMPTS} times, not {attempts} times.")
            answers.check_place(component, shown_on)
            tool = tool_for(component, config)
            if adds_tool and tool not in self._start.specification.tool_names:
                raise UsageError(f"The specification in force has no tool {tool}, which this question needs.")
            wording = self._start.specification.wording
            text = wording.question_text(component, config)
            question = OpenQuestion(
                component=component,
                config=dict(config),
                tool=tool,
                context=context_items.question(tool, text, during_video),
                wording=wording.source_of(component, config),
                during_video=during_video,
                shown_on=shown_on,
                video_chat=video_chat,
                most_attempts=attempts,
                token=token,
            )
            return self._answering.ask(question, now_ns, self._add_tool if adds_tool else None)
        except UsageError as error:
            return _refused(token, str(error))

    def withdraw(self, token: int, now_ns: int) -> list[Action]:
        """Give up what a command still waits for, which nobody does any more: a question that is not answered yet."""
        if self._closed:
            return []
        return self._answering.withdraw(token, "The question was given up before it was answered.", now_ns)

    def set_calls_in_hand(self, on: bool, now_ns: int, *, token: int | None = None) -> list[Action]:
        """Let the agent's calls wait for the operator, or not; switched off, those that wait are answered as judged."""
        if self._closed:
            return _settled(token, _NO_SESSION)
        return [*self._answering.set_in_hand(on, now_ns), *_settled(token)]

    def answer_call(self, call_id: str, how: How, text: str, now_ns: int, *, token: int | None = None) -> list[Action]:
        """Answer a call that waits for the operator."""
        if self._closed:
            return _settled(token, _NO_SESSION)
        try:
            return [*self._answering.answer_call(call_id, how, text, now_ns), *_settled(token)]
        except UsageError as error:
            return _refused(token, str(error))

    def keep_own_answer(
        self, component: str, config: Mapping[str, Any], value: Any, *, token: int | None = None
    ) -> list[Action]:
        """Note what the participant answered himself, if it fits the component's value schema."""
        if not self._events.created or self._closed:
            return _settled(token, _NO_SESSION)
        try:
            tool = tool_for(component, config)
            judged = answers.judge(component, config, tool, json.dumps({ARGUMENT_OF[tool]: value}))
        except (UsageError, ValueError, TypeError, RecursionError) as error:
            return _refused(token, str(error))
        if judged.error is not None:
            return _refused(token, f"This is no answer to the question: {judged.error}")
        fields = {"component": component, "config": dict(config), "value": judged.value}
        return [Note("own_answer", fields), *_settled(token)]

    def set_instructions(
        self, text: str | None, now_ns: int, *, part: str | None = None, token: int | None = None
    ) -> list[Action]:
        """Change only the instructions, entering a `part` of the study by it; settled when the engine answered.

        `text` None leaves them as they are: the part is noted alone.
        """
        if not self._events.created or self._closed:
            return _settled(token, _NO_SESSION)
        entered = [] if part is None else [Note("part", {"name": part})]
        if text is None:
            return [*entered, *_settled(token)]
        return [*entered, self._settings.send(only_instructions(text), "instructions", now_ns, token)]

    def request_reply(self, instructions: str | None, now_ns: int, *, token: int | None = None) -> list[Action]:
        """Ask for a spoken reply as soon as no response is in progress; settled when its response was created."""
        if not self._events.created or self._closed:
            return _settled(token, _NO_SESSION)
        self._answering.somebody_spoke()
        return self._responses.request(Request(spoken(instructions), token), now_ns)

    def create_response(self, response: Mapping[str, Any], now_ns: int, *, token: int | None = None) -> list[Action]:
        """Ask for a response with these parameters: as `request_reply`, or at once where it is no part of the
        conversation (``"conversation": "none"``)."""
        if not self._events.created or self._closed:
            return _settled(token, _NO_SESSION)
        wrong = why_unsendable({"type": "response.create", "response": response})
        if wrong is not None:
            return _refused(token, wrong)
        self._answering.somebody_spoke()
        return self._responses.request(Request(dict(response), token), now_ns)

    def send_event(self, event: Mapping[str, Any], now_ns: int, *, token: int | None = None) -> list[Action]:
        """Send any event as it stands, at once; settled when it is sent."""
        if not self._events.created or self._closed:
            return _settled(token, _NO_SESSION)
        wrong = why_unsendable(event)
        if wrong is not None:
            return _refused(token, wrong)
        wire = dict(event)
        if wire["type"] == "session.update":
            self._settings.raw_sent(wire, now_ns)
        return [self._outbox.raw(wire), Note("raw", {}), *_settled(token)]

    # The engine

    def received(self, event: server.Received, seq: int, now_ns: int) -> list[Action]:
        """An event of the engine arrived: entry `seq` of the record, read from the socket at `now_ns`."""
        return [] if self._closed else self._events.received(event, seq, now_ns)

    def _add_tool(self, tool: str, now_ns: int) -> list[Action]:
        """Declare one more tool of the specification's: an update with the whole list."""
        wire = [
            each
            for each in self._start.specification.tools
            if each["name"] == tool or self._answering.declares(str(each["name"]))
        ]
        return [
            self._settings.send(only_tools(wire), "tools", now_ns),
            Note("tool.added", {"name": tool, "tools": [each["name"] for each in wire]}),
        ]

    def _announce(self, question: OpenQuestion, now_ns: int) -> list[Action]:
        item = self._context.item(question.context, asked=question.asked)
        return [*self._show_video_chat(question.video_chat, now_ns), *item]

    def _show_video_chat(self, shown: bool | None, now_ns: int) -> list[Action]:
        """The screen shows the video chat, or hides it: the participant is heard or not."""
        return [] if shown is None else self._listening.wish(shown, now_ns, None)


def _settled(token: int | None, error: str | None = None) -> list[Action]:
    return [] if token is None else [Settled(token, error)]


def _refused(token: int | None, sentence: str) -> list[Action]:
    return [
        Note("problem", {"whose": "ours", "code": "refused_command", "sentence": sentence}),
        *_settled(token, sentence),
    ]


def _problem(code: str, sentence: str) -> Note:
    return Note("problem", {"whose": "engine", "code": code, "sentence": sentence})
