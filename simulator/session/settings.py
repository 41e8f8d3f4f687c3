"""The session's settings: what it starts with, what was asked for, and what is in force.

Updates are answered in order by session.updated, which does not name the update, or by an error that does. An update
is atomic: one refused field leaves all of it out of force. So nothing counts as accepted before its answer, and what
counts is what the engine echoed, not what was asked.
"""

from collections import deque
from typing import Any, Literal

import msgspec

from simulator.profile import facts
from simulator.profile.agent_spec import OWN, AgentSpec
from simulator.protocol.client_events import (
    AudioInput,
    AudioOutput,
    Session,
    SessionAudio,
    SessionUpdate,
)
from simulator.protocol.server_events import SessionObject
from simulator.session.actions import Send
from simulator.session.outbox import Outbox, id_of
from simulator.units import NS_PER_MS


class SessionSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of the first session.update (voiceEngine.clientEvents, first example)."""

    instructions: str = ""
    voice: str = facts.DEFAULT_VOICE
    speed: float = 1
    turn_detection: dict[str, Any] = msgspec.field(default_factory=lambda: facts.turn_detection("server_vad"))
    """The whole wire object, used while listening is on."""
    listening: bool = True
    """Whether the session starts by listening; if not, its first turn detection is null."""
    specification: AgentSpec = OWN
    """Whose tools, words and limits are followed."""
    tools: tuple[str, ...] | None = None
    """Names of the specification's tools to declare; None: all."""

    @property
    def declared_tools(self) -> list[dict[str, Any]]:
        """The wire objects of the tools that the session declares, in the specification's order."""
        return [each for each in self.specification.tools if self.tools is None or each["name"] in self.tools]


def whole_session(settings: SessionSettings, listening: bool) -> Session:
    """Return the session object of the first update."""
    turn_detection = settings.turn_detection if listening else None
    return Session(
        output_modalities=["audio"],
        instructions=settings.instructions,
        tools=settings.declared_tools,
        tool_choice="auto",
        audio=SessionAudio(
            input=AudioInput(turn_detection=turn_detection),
            output=AudioOutput(voice=settings.voice, speed=settings.speed),
        ),
    )


def only_turn_detection(turn_detection: dict[str, Any] | None) -> Session:
    """Return the session object that changes turn detection: the input half whole, and nothing else."""
    return Session(audio=SessionAudio(input=AudioInput(turn_detection=turn_detection)))


def only_instructions(instructions: str) -> Session:
    """Return the session object that changes the instructions and keeps every other setting."""
    return Session(instructions=instructions)


def only_tools(tools: list[dict[str, Any]]) -> Session:
    """Return the session object that changes the list of tools, which is sent whole, and nothing else."""
    return Session(tools=tools)


UpdateKind = Literal["start", "turn_detection", "instructions", "tools", "raw"]


class PendingUpdate(msgspec.Struct, frozen=True):
    """A session.update that was not answered yet."""

    event_id: str | None
    kind: UpdateKind
    session: dict[str, Any]
    sent_ns: int
    token: int | None


class SettingsInForce:
    """The updates under way, and the settings that the engine said are in force."""

    def __init__(self, outbox: Outbox, answered_within_ms: int) -> None:
        self._outbox = outbox
        self._answered_within_ms = answered_within_ms
        self._pending: deque[PendingUpdate] = deque()
        self.requested: dict[str, Any] | None = None
        """The wire object of all that was asked for."""
        self.accepted: dict[str, Any] | None = None
        """The last effective session that the engine gave as an answer."""
        self.instructions: str | None = None
        """The instructions in force."""

    def send(self, session: Session, kind: UpdateKind, now_ns: int, token: int | None = None) -> Send:
        """Return the action that asks for these settings."""
        send = self._outbox.send(SessionUpdate(session=session))
        wire: dict[str, Any] = msgspec.to_builtins(session)
        self._pending.append(PendingUpdate(id_of(send), kind, wire, now_ns, token))
        self.requested = _merged(self.requested or {}, wire)
        return send

    def raw_sent(self, wire: dict[str, Any], now_ns: int) -> None:
        """A session.update that somebody wrote by hand was sent: it is answered in its turn, too."""
        session, event_id = wire.get("session"), wire.get("event_id")
        asked = session if isinstance(session, dict) else {}
        known = event_id if isinstance(event_id, str) else None
        self._pending.append(PendingUpdate(known, "raw", asked, now_ns, None))
        if isinstance(asked.get("audio", {}), dict):
            self.requested = _merged(self.requested or {}, asked)

    def answered(self, echo: SessionObject | None) -> PendingUpdate | None:
        """Take a session.updated (None: it carried no session) and return the update that it answers, if any."""
        update = self._pending.popleft() if self._pending else None
        if echo is not None:
            self.accepted = echo.wire
        if echo is not None and echo.instructions is not None:
            self.instructions = echo.instructions
        elif update is not None and isinstance(update.session.get("instructions"), str):
            self.instructions = update.session["instructions"]
        return update

    def refused(self, event_id: str | None) -> PendingUpdate | None:
        """Take an error and return the update that it refuses, if it names one.

        An error that names nothing refuses the oldest update if that is one without an id.
        """
        for update in self._pending if event_id is not None else list(self._pending)[:1]:
            if update.event_id == event_id:
                self._pending.remove(update)
                return update
        return None

    def overdue(self, now_ns: int) -> list[PendingUpdate]:
        """Return and forget the updates that were not answered within eventTimeoutMs."""
        limit_ns = self._answered_within_ms * NS_PER_MS
        late = [each for each in self._pending if now_ns - each.sent_ns > limit_ns]
        self._pending = deque(each for each in self._pending if each not in late)
        return late

    def abandon(self) -> list[PendingUpdate]:
        """Return and forget all updates under way: the connection ended."""
        pending, self._pending = list(self._pending), deque()
        return pending


def _merged(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """Return `old` with what `new` holds; the audio's halves are replaced whole, as they are sent whole."""
    merged = old | new
    if "audio" in old and "audio" in new:
        merged["audio"] = old["audio"] | new["audio"]
    return merged


def not_in_force(requested: object, echoed: object, path: str = "session") -> list[str]:
    """Return the paths of all that was requested and is not contained in the echo.

    Numbers are compared by value, key order does not matter, the echo may hold more and may leave out what is null.
    """
    if isinstance(requested, dict) and isinstance(echoed, dict):
        missing = [f"{path}.{key}" for key, value in requested.items() if value is not None and key not in echoed]
        both = [key for key in requested if key in echoed]
        return missing + [each for key in both for each in not_in_force(requested[key], echoed[key], f"{path}.{key}")]
    if isinstance(requested, list) and isinstance(echoed, list) and len(requested) == len(echoed):
        pairs = enumerate(zip(requested, echoed, strict=True))
        return [each for index, (one, other) in pairs for each in not_in_force(one, other, f"{path}[{index}]")]
    same_kind = isinstance(requested, bool) == isinstance(echoed, bool)
    return [] if same_kind and requested == echoed else [path]
