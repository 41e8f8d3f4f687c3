"""One live session, from the open socket to the closed record: the place where everything meets.

The session decides, this executes. A frame is stamped, kept in the record and given to the session; what the session
wants is done at once and in order, so that from the arrival of speech_started to the cut there is no await, no queue
and no other task. Times given to the session are on the record's clock, so its notes are too.
"""

import asyncio
import time
import traceback
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Final

from simulator.audio.pcm import SampleAssembler, samples_to_bytes
from simulator.audio.playout import (
    AudioHanded,
    ItemHeard,
    LastSound,
    PlaybackEnded,
    PlaybackEvent,
    PlaybackGap,
    PlaybackStarted,
    Playout,
)
from simulator.audio.streams import DacSource
from simulator.errors import OwnFault, SimulatorError
from simulator.participant.connection import Connection, Ended
from simulator.participant.live_events import (
    Answered,
    LiveEvent,
    RecordingSaid,
    ReplySounds,
    SessionStood,
    TurnCommitted,
)
from simulator.participant.recorder import SessionRecorder
from simulator.participant.replies import ReplyWatch
from simulator.participant.rule_watch import RuleWatch
from simulator.participant.sending import Outgoing, Sent
from simulator.participant.voice import SpokenChunk
from simulator.protocol.codec import as_json, decode
from simulator.protocol.server_events import (
    IgnoredEvent,
    InputAudioBufferCommitted,
    MalformedEvent,
    OutputAudioDelta,
    Received,
    ResponseDone,
    UnknownEvent,
)
from simulator.record.entries import Entry
from simulator.session import playback
from simulator.session.actions import Action, CutPlayback, EndItem, Note, Play, Send, Settled
from simulator.session.participant import ParticipantSession
from simulator.session.settings import SessionSettings
from simulator.units import NS_PER_MS

_WHOSE: Final = {"engine": "engine", "lost": "environment", "us": "ours"}
_TICK_NS: Final = 100 * NS_PER_MS


Act = Callable[[ParticipantSession, int], list[Action]]
"""A command of the session, given the session and the time."""


class LiveSession:
    """Holds one session. Belongs to the loop's thread.

    `on_event` hears what a study waits for, `on_handed` what is played; `dac_source` says where the output's times come
    from.
    """

    def __init__(
        self,
        connection: Connection,
        settings: SessionSettings,
        playout: Playout,
        recorder: SessionRecorder,
        *,
        dac_source: Callable[[], DacSource],
        on_event: Callable[[LiveEvent], None],
        on_handed: Callable[[AudioHanded], None],
    ) -> None:
        self._connection = connection
        self._playout = playout
        self._recorder = recorder
        self._dac_source = dac_source
        self._on_event = on_event
        self._on_handed = on_handed
        self.session = ParticipantSession(settings)
        self._rules = RuleWatch(recorder)
        self._assemblers: dict[str, SampleAssembler] = {}
        self._replies = ReplyWatch()
        self._unheard: dict[str, str] = {}
        """The first item of each reply that was not handed to the loudspeaker yet, and the reply's response."""
        self._output_latency_ns = 0
        """From handing the last item's first sample to when it was audible."""
        self._settling: dict[int, asyncio.Future[str | None]] = {}
        self._outgoing = Outgoing(connection, recorder, self._fail)
        self._failure: OwnFault | None = None
        self._captured_ns = 0
        self._barge_in: dict[str, Any] | None = None
        self._ticked_ns = 0
        self._allowance_ns = playout.allowance_ns
        self._stood = False
        self.ended: Ended | None = None
        self.stood = asyncio.Event()
        """Set once the engine answered the session's settings, with yes or no, and when the session ended."""

    @property
    def append_delays_ns(self) -> Sequence[int]:
        """How long each of the newest chunks took from its capture to the socket."""
        return self._outgoing.delays_ns

    def _clock(self, at_ns: int) -> int:
        """Return a monotonic time on the record's clock."""
        return at_ns - self._recorder.started_ns

    def _now(self) -> int:
        return self._clock(time.monotonic_ns())

    async def run(self) -> Ended:
        """Hold the session until its connection ends, and return why."""
        self._do(self.session.started(self._now()))
        ended = await self._connection.run(self._on_frame)
        if self._failure is not None:
            ended = Ended("us", ended.code, ended.reason, str(self._failure))
        self._end(ended)
        return ended

    async def close(self) -> None:
        """End the session: `run` returns."""
        self._do(self.session.closed(1000, "", self._now()))
        await self._connection.close()

    def _fail(self, error: Exception) -> None:
        """A bug must cost neither the record nor the process: the session ends in order and says so."""
        if self._failure is None:
            details = "".join(traceback.format_exception(error))
            self._failure = OwnFault(
                f"The program itself failed ({type(error).__name__}), so the session was closed: please report it with "
                "its record.",
                details,
            )
            self._closing = asyncio.create_task(self._connection.close())

    # ---- from the engine

    def _on_frame(self, frame: bytes, at_ns: int) -> None:
        try:
            self._take(frame, at_ns)
            self._rules.judge()
        except Exception as error:
            self._fail(error)

    def _take(self, frame: bytes, at_ns: int) -> None:
        event = decode(frame)
        entry = self._keep(event, frame, at_ns)
        done = event.response.id if isinstance(event, ResponseDone) else None
        may_sound = done is not None and self.session.may_sound(done)
        self._do(self.session.received(event, entry.seq, self._clock(at_ns)))
        if isinstance(event, ResponseDone) and done is not None:
            self._tell(self._replies.done(done, event.response.status, at_ns, may_sound=may_sound))
        elif isinstance(event, InputAudioBufferCommitted):
            self._on_event(TurnCommitted())
        if not self._stood and self.session.session_accepted is not None:
            self._stood = True
            self.stood.set()
            self._on_event(SessionStood())

    def _keep(self, event: Received, frame: bytes, at_ns: int) -> Entry:
        log, size_bytes = self._recorder.log, len(frame)
        match event:
            case OutputAudioDelta(delta=delta):
                return log.received(as_json(frame), at_ns, audio=delta, size_bytes=size_bytes)
            case MalformedEvent(wire=dict() as wire, sentence=sentence) if event.type is not None:
                return log.received(wire, at_ns, size_bytes=size_bytes, problem=sentence)
            case MalformedEvent(text=text, sentence=sentence):
                return log.received_malformed(text, at_ns, problem=sentence, size_bytes=size_bytes)
            case UnknownEvent(wire=wire, sentence=sentence):
                return log.received(wire, at_ns, size_bytes=size_bytes, problem=sentence)
            case IgnoredEvent(wire=wire):
                return log.received(wire, at_ns, size_bytes=size_bytes)
            case _:
                return log.received(as_json(frame), at_ns, size_bytes=size_bytes)

    def _end(self, ended: Ended) -> None:
        self.ended = ended
        self._rules.judge()
        self._do(self.session.closed(ended.code, ended.reason, self._now()))
        if delays := self._outgoing.delays():
            self._recorder.note("voice.delays", delays)
        self._recorder.note("connection.closed", {"code": ended.code, "reason": ended.reason, "by": ended.by})
        if ended.sentence:
            fields = {"whose": _WHOSE[ended.by], "code": f"connection_{ended.by}", "sentence": ended.sentence}
            if self._failure is not None:
                fields["details"] = self._failure.details
            self._recorder.note("problem", fields)
        for future in self._settling.values():
            if not future.done():
                future.set_result("The session ended before the engine answered: connect again.")
        self.stood.set()

    # ---- from the participant

    def captured(self, chunk: SpokenChunk) -> None:
        """Take 20 ms of the participant's voice: to the record, and to the engine while it listens."""
        try:
            self._say(chunk)
        except Exception as error:
            self._fail(error)

    def _say(self, chunk: SpokenChunk) -> None:
        if chunk.recorded:
            self._recorder.captured(chunk.samples, chunk.ended_ns, begins=chunk.begins)
        if self.ended is not None:
            return
        if chunk.started is not None:
            saying, offset = chunk.started
            fields = {
                "name": saying.name,
                "first_sample": self._outgoing.appended_samples + offset,
                "samples": saying.samples,
            }
            if saying.onset_ms is not None:
                fields["onset_ms"] = saying.onset_ms
            self._recorder.note("recording.started", fields)
        self._captured_ns = chunk.ended_ns
        if chunk.sent:
            self._do(self.session.captured(samples_to_bytes(chunk.samples), self._now()))
        if chunk.ended is not None:
            self._recorder.note("recording.ended", {"name": chunk.ended})
            self._on_event(RecordingSaid(chunk.ended))

    def settle(self, token: int, act: Act) -> Awaitable[None]:
        """Execute a command of the session now; what is returned waits until it took effect.

        Raises SimulatorError with its refusal, here or there.
        """
        if self.ended is not None:
            raise SimulatorError("The session has ended: connect again.")
        future = self._settling[token] = asyncio.get_running_loop().create_future()
        try:
            self._do(act(self.session, self._now()))
        except BaseException:
            del self._settling[token]
            raise
        return self._settled(token, future)

    async def _settled(self, token: int, future: "asyncio.Future[str | None]") -> None:
        try:
            error = await future
        except asyncio.CancelledError:
            self._do(self.session.withdraw(token, self._now()))
            raise
        finally:
            del self._settling[token]
        if error is not None:
            raise SimulatorError(error)

    # ---- from the loudspeaker

    def pump(self) -> None:
        """Take what the loudspeaker did since the last call, and let time pass for the session."""
        try:
            self._go_on()
        except Exception as error:
            self._fail(error)

    def _go_on(self) -> None:
        self._report(self._playout.progress())
        now_ns = time.monotonic_ns()
        self._recorder.advance(now_ns)
        if self.ended is None and now_ns - self._ticked_ns >= _TICK_NS:
            self._ticked_ns = now_ns
            self._do(self.session.tick(self._clock(now_ns)))
            self._rules.tick(self._clock(now_ns))

    def _report(self, events: Iterable[PlaybackEvent]) -> None:
        for event in events:
            match event:
                case AudioHanded():
                    self._recorder.handed([event])
                    self._on_handed(event)
                case PlaybackStarted(item_id, handed_ns, dac_ns):
                    self._note_buffer()
                    self._output_latency_ns = dac_ns - handed_ns
                    started = playback.PlaybackStarted(
                        item_id, self._clock(handed_ns), self._clock(dac_ns), self._dac_source()
                    )
                    self._do(self.session.playback(started, self._now()))
                    if (response_id := self._unheard.pop(item_id, None)) is not None:
                        self._on_event(ReplySounds(response_id, dac_ns))
                case PlaybackGap(item_id, gap_samples):
                    self._do(self.session.playback(playback.PlaybackGap(item_id, gap_samples), self._now()))
                case PlaybackEnded(item_id, handed_samples, ended_ns, _):
                    ended = playback.PlaybackEnded(item_id, handed_samples, self._clock(ended_ns))
                    self._do(self.session.playback(ended, self._now()))
                    self._tell(self._replies.heard(item_id, ended_ns + self._output_latency_ns))
                case LastSound():
                    self._note_barge_in(event)

    def _note_buffer(self) -> None:
        """Say how late audio may come without a gap, where that changed since a reply began."""
        if self._playout.allowance_ns != self._allowance_ns:
            self._allowance_ns = self._playout.allowance_ns
            self._recorder.note("playout.buffer", {"allowance_ms": self._allowance_ns / NS_PER_MS})

    # ---- what the session wants

    def _do(self, actions: list[Action]) -> None:
        sent: Sent | None = None
        for action in actions:
            match action:
                case CutPlayback():
                    self._cut(action)
                case Send(event):
                    sent = self._outgoing.send(event, self._captured_ns)
                case Play(item_id, response_id, audio):
                    self._play(item_id, response_id, audio)
                case EndItem(item_id):
                    self._playout.item_complete(item_id)
                case Note(type="push" | "raw" as kind, fields=fields) if sent is not None:
                    sent.note_after(kind, fields)
                case Note(kind, fields):
                    self._recorder.note(kind, fields)
                    if kind == "answer":
                        self._on_event(Answered(fields))
                    elif kind == "instructions":
                        self.stood.set()
                case Settled(token, error):
                    self._settle(token, error)

    def _cut(self, action: CutPlayback) -> None:
        cut_ns = time.monotonic_ns()
        heard = self._playout.cut(cut_ns)
        if action.seq is not None and action.received_ns is not None:
            self._expect_barge_in(action.seq, action.received_ns, self._clock(cut_ns), heard)
        self._report(self._playout.progress())
        self._do(self.session.cut_result(heard, self._clock(cut_ns)))
        for item in heard:
            self._unheard.pop(item.item_id, None)
        self._tell(self._replies.cut((item.item_id for item in heard), cut_ns + self._output_latency_ns))

    def _expect_barge_in(self, seq: int, received_ns: int, cut_ns: int, heard: list[ItemHeard]) -> None:
        """Keep what is known of a barge-in until the last sound is."""
        begun = [item for item in heard if item.begun]
        self._barge_in = None
        if begun:
            self._barge_in = {
                "speech_started_seq": seq,
                "received_ns": received_ns,
                "cut_ns": cut_ns,
                "item_id": begun[0].item_id,
            }

    def _note_barge_in(self, last: LastSound) -> None:
        if self._barge_in is None:
            return
        known, self._barge_in = self._barge_in, None
        times = {
            "last_sound_handed_ns": self._clock(last.handed_ns),
            "inaudible_ns": self._clock(last.dac_ns),
            "dac_source": self._dac_source(),
        }
        self._recorder.note("barge_in", known | times)

    def _play(self, item_id: str, response_id: str, audio: bytes) -> None:
        samples = self._assemblers.setdefault(item_id, SampleAssembler()).feed(audio)
        if self._playout.add(item_id, samples, time.monotonic_ns()):
            began = self._replies.sound(response_id, item_id)
            self._unheard.update((item_id, each.response_id) for each in began)
            self._tell(began)
        else:
            fields = {"response_id": response_id, "item_id": item_id, "samples": len(samples)}
            self._recorder.note("audio.dropped", fields)

    def _settle(self, token: int, error: str | None) -> None:
        future = self._settling.get(token)
        if future is not None and not future.done():
            future.set_result(error)

    def _tell(self, events: Iterable[LiveEvent]) -> None:
        for event in events:
            self._on_event(event)
