"""A session with a scripted engine on one side and a scripted loudspeaker on the other.

Events go through the real codec as JSON, and what the session sends is looked at as JSON. The loudspeaker is a real
reading of the same contract that `simulator.audio.playout` fulfils: items in order, a cut returns what was handed.
"""

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from simulator.protocol.client_events import encode
from simulator.protocol.codec import decode
from simulator.session.actions import Action, CutPlayback, EndItem, Note, Play, Send, Settled
from simulator.session.participant import ParticipantSession
from simulator.session.playback import PlaybackEnded, PlaybackStarted
from simulator.session.settings import SessionSettings

MS = 1_000_000
SAMPLES_A_MS = 24


class Heard(NamedTuple):
    """What was handed of one item."""

    item_id: str
    received_samples: int
    handed_samples: int
    begun: bool
    complete: bool


class _Queued:
    def __init__(self, item_id: str) -> None:
        self.item_id = item_id
        self.received_bytes = 0
        self.handed_samples = 0
        self.complete = False

    @property
    def received_samples(self) -> int:
        return self.received_bytes // 2


class Loudspeaker:
    """Plays items in order when it is told to; silent after a cut."""

    def __init__(self) -> None:
        self.items: list[_Queued] = []

    def play(self, action: Play) -> None:
        if not self.items or all(each.item_id != action.item_id for each in self.items):
            self.items.append(_Queued(action.item_id))
        next(each for each in self.items if each.item_id == action.item_id).received_bytes += len(action.audio)

    def end(self, item_id: str) -> None:
        for each in self.items:
            if each.item_id == item_id:
                each.complete = True

    def cut(self) -> list[Heard]:
        heard = [
            Heard(each.item_id, each.received_samples, each.handed_samples, each.handed_samples > 0, each.complete)
            for each in self.items
        ]
        self.items.clear()
        return heard


class Conversation:
    """Feeds a session and keeps what it did; `now_ns` is moved by hand."""

    def __init__(self, settings: SessionSettings | None = None, *, standing: bool = True) -> None:
        self.session = ParticipantSession(settings or SessionSettings())
        self.loudspeaker = Loudspeaker()
        self.now_ns = 0
        self.seq = 0
        self.actions: list[Action] = []
        """Everything that the last step brought, in the order in which it was executed."""
        self.history: list[Action] = []
        if standing:
            self.run(self.session.started(self.now_ns))
            self.engine("session.created", session={})
            self.answer_update()

    # The process

    def run(self, actions: list[Action], *, first: bool = True) -> list[Action]:
        """Execute actions as the process does."""
        if first:
            self.actions = []
        for action in actions:
            self.actions.append(action)
            self.history.append(action)
            match action:
                case Play():
                    self.loudspeaker.play(action)
                case EndItem(item_id):
                    self.loudspeaker.end(item_id)
                case CutPlayback():
                    self.run(self.session.cut_result(self.loudspeaker.cut(), self.now_ns), first=False)
        return self.actions

    def hear(self, milliseconds: int) -> list[Action]:
        """Let the loudspeaker hand so much, and report it."""
        self.run([])
        left = milliseconds * SAMPLES_A_MS
        for item in list(self.loudspeaker.items):
            handed = min(left, item.received_samples - item.handed_samples)
            if handed and item.handed_samples == 0:
                started = PlaybackStarted(item.item_id, self.now_ns, self.now_ns + 30 * MS, "stream.latency")
                self.run(self.session.playback(started, self.now_ns), first=False)
            item.handed_samples += handed
            left -= handed
            if item.complete and item.handed_samples == item.received_samples:
                self.loudspeaker.items.remove(item)
                ended = PlaybackEnded(item.item_id, item.handed_samples, self.now_ns)
                self.run(self.session.playback(ended, self.now_ns), first=False)
            elif not item.complete:
                break
        return self.actions

    def speak(self) -> list[Action]:
        """The microphone has 20 ms."""
        return self.run(self.session.captured(bytes(960), self.now_ns))

    def pass_time(self, milliseconds: int) -> list[Action]:
        self.now_ns += milliseconds * MS
        return self.run(self.session.tick(self.now_ns))

    # The engine

    def frame(self, text: str | bytes) -> list[Action]:
        self.seq += 1
        return self.run(self.session.received(decode(text), self.seq, self.now_ns))

    def engine(self, kind: str, **fields: Any) -> list[Action]:
        return self.frame(json.dumps({"type": kind, **fields}))

    def answer_update(self, **changed: Any) -> list[Action]:
        """session.updated with the settings in force, as an engine that takes everything would echo them."""
        session = {**(self.session.session_requested or {}), "id": "sess_1", **changed}
        return self.engine("session.updated", session=session)

    def error(self, message: str = "no", code: str = "invalid_value", event_id: str | None = None) -> list[Action]:
        return self.engine("error", error={"type": "x", "code": code, "message": message, "event_id": event_id})

    def speech_started(self, item_id: str = "item_user") -> list[Action]:
        return self.engine("input_audio_buffer.speech_started", audio_start_ms=100, item_id=item_id)

    def speech_stopped(self, item_id: str = "item_user") -> list[Action]:
        return self.engine("input_audio_buffer.speech_stopped", audio_end_ms=900, item_id=item_id)

    def committed(self, item_id: str = "item_user") -> list[Action]:
        return self.engine("input_audio_buffer.committed", item_id=item_id)

    def created(self, response_id: str = "resp_1", **fields: Any) -> list[Action]:
        return self.engine("response.created", response={"id": response_id, "status": "in_progress", **fields})

    def done(
        self,
        response_id: str = "resp_1",
        status: str = "completed",
        calls: Sequence[Mapping[str, str]] = (),
        **more: Any,
    ) -> list[Action]:
        output = [{"type": "function_call", **each} for each in calls]
        return self.engine("response.done", response={"id": response_id, "status": status, "output": output, **more})

    def audio(self, milliseconds: int, item_id: str = "item_1", response_id: str = "resp_1") -> list[Action]:
        return self.audio_bytes(bytes(milliseconds * SAMPLES_A_MS * 2), item_id, response_id)

    def audio_bytes(self, audio: bytes, item_id: str = "item_1", response_id: str = "resp_1") -> list[Action]:
        delta = base64.b64encode(audio).decode()
        return self.engine("response.output_audio.delta", response_id=response_id, item_id=item_id, delta=delta)

    def audio_done(self, item_id: str = "item_1", response_id: str = "resp_1") -> list[Action]:
        return self.engine("response.output_audio.done", response_id=response_id, item_id=item_id)

    def call(self, name: str, arguments: str, call_id: str = "call_1", response_id: str = "resp_1") -> list[Action]:
        return self.engine(
            "response.function_call_arguments.done",
            response_id=response_id,
            call_id=call_id,
            name=name,
            arguments=arguments,
        )

    # What the last step brought

    @property
    def sent(self) -> list[dict[str, Any]]:
        """The events sent, as JSON without their event ids."""
        return [without_id(each) for each in sent_in(self.actions)]

    @property
    def sent_types(self) -> list[str]:
        return [each["type"] for each in sent_in(self.actions)]

    @property
    def last_event_id(self) -> str:
        """The id of the event sent last in the whole conversation."""
        return str(sent_in(self.history)[-1]["event_id"])

    @property
    def truncated(self) -> list[tuple[str, int]]:
        truncates = [each for each in self.sent if each["type"] == "conversation.item.truncate"]
        return [(each["item_id"], each["audio_end_ms"]) for each in truncates]

    def notes(self, kind: str) -> list[dict[str, Any]]:
        return [each.fields for each in self.actions if isinstance(each, Note) and each.type == kind]

    @property
    def settled(self) -> list[tuple[int, str | None]]:
        return [(each.token, each.error) for each in self.actions if isinstance(each, Settled)]

    @property
    def cut(self) -> bool:
        return any(isinstance(each, CutPlayback) for each in self.actions)

    @property
    def played(self) -> list[str]:
        return [each.item_id for each in self.actions if isinstance(each, Play)]


def sent_in(actions: list[Action]) -> list[dict[str, Any]]:
    """The events that actions send, as another reader of the wire sees them."""
    return [json.loads(encode(each.event)) for each in actions if isinstance(each, Send)]


def without_id(event: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in event.items() if key != "event_id"}
