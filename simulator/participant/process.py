"""The participant process without its pipes: takes commands, holds a live session, publishes the feed.

The composition root of the live path. It owns the voice, the loudspeaker and the embedded engine for its whole life,
and a `LiveSession` with its record from Connect to the end of the connection.
"""

import asyncio
import contextlib
import logging
import secrets
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from simulator.audio.devices import Choice
from simulator.audio.playout import Playout
from simulator.engines.profiles import EngineTarget, resolve
from simulator.errors import EnvironmentFault, SimulatorError, UsageError
from simulator.participant.batches import Batches
from simulator.participant.connection import Connection, Ended
from simulator.participant.feed import Publish
from simulator.participant.live import LiveSession
from simulator.participant.live_events import LiveEvent, SessionStood
from simulator.participant.messages import (
    AnyCommand,
    AnyFeed,
    Connect,
    ConnectionState,
    Disconnect,
    Mark,
    NoteMark,
    Quit,
    RecogniseWords,
    Reply,
    SetListening,
    Status,
)
from simulator.participant.opening import first_settings, open_record, specification_of
from simulator.participant.own_engine import OwnEngine
from simulator.participant.performances import PerformanceCommand, Performances
from simulator.participant.recorder import SessionRecorder
from simulator.participant.replay_source import ReadPlan
from simulator.participant.session_commands import NOT_CONNECTED, SessionCommands
from simulator.participant.sound import Sound, SoundCommand
from simulator.participant.status import SessionOfNow, StatusBoard, without_keys
from simulator.participant.storage import Storage
from simulator.participant.versions import versions
from simulator.participant.voice import SpokenChunk
from simulator.participant.words import Words
from simulator.profile.agent_spec import AgentSpec
from simulator.record.entries import Direction, Entry
from simulator.record.redact import Redactor
from simulator.record.replay.plan import plan
from simulator.session.participant import ParticipantSession

_log = logging.getLogger(__name__)

FLUSH_EVERY_S: Final = 1 / 30
_STANDS_WITHIN_S: Final = 15.0
_WORDS_WITHIN_S: Final = 0.5
"""So long a record waits at its end for the words of the last turn."""

_WHY_ENDED: Final = {"us": "disconnected", "engine": "closed by the engine", "lost": "connection lost"}


class Participant:
    """Executes commands one by one or side by side; `publish` gets the feed. Belongs to one loop.

    `on_event` hears what a study waits for, `on_ended` why a connection ended. `find_engine` turns
    the engine's name and the model of a Connect into where and with what to connect, `read_plan`, in a thread, a record
    into what is to be replayed.
    """

    def __init__(
        self,
        publish: Publish,
        *,
        on_event: Callable[[LiveEvent], None] = lambda event: None,
        on_ended: Callable[[Ended], None] = lambda ended: None,
        find_engine: Callable[[str, str | None], EngineTarget] = resolve,
        read_plan: ReadPlan = plan,
    ) -> None:
        self._publish = publish
        self._find_engine = find_engine
        self._on_event = on_event
        self._on_ended = on_ended
        self._redactor = Redactor()
        """Knows the keys of the present or last engine, which it may repeat in whatever it says."""
        self._batches = Batches(self._publish_without_keys)
        self._sound = Sound(self._spoken, self._pump, self._note, self._show)
        self._own_engine = OwnEngine()
        self._words = Words(self._note)
        self._session_commands = SessionCommands()
        self._storage = Storage(self._note, self._show)
        self._performances = Performances(
            self.handle,
            self._sound.voice,
            self._note,
            self._session,
            agent_heard=self._agent_heard,
            sounding_until_ns=self._sound.sounding_until_ns,
            changed=self._show,
            on_study=lambda study: self._storage.keep_study(study, self._recorder, self._redactor),
            read_plan=read_plan,
        )
        self._board = StatusBoard(self._sound, self._words, self._storage, self._performances)
        self._pseudonym = ""
        self._live: LiveSession | None = None
        self._recorder: SessionRecorder | None = None
        self._running: asyncio.Task[None] | None = None
        self._connecting: asyncio.Task[None] | None = None
        self._flushing: asyncio.Task[None] | None = None
        self._state = ConnectionState.IDLE
        self._target: EngineTarget | None = None
        self._faults: list[str] = []
        self._connected_since_ns: int | None = None
        self._listening_at_start = True
        self._ending = ""
        """Why we are ending the session, if we are."""
        self._marked_seq: int | None = None
        """Entry of the session's last mark."""
        self._problems = 0
        self.quit = asyncio.Event()
        """Set by a Quit command."""

    async def start(self) -> None:
        """Begin: the voice is silence, and the output is tried once to see what this computer lacks."""
        self._show()
        self._sound.voice.start()
        self._flushing = asyncio.create_task(self._flush_for_ever())
        with contextlib.suppress(EnvironmentFault):  # what is lacking stands in the status
            await self._sound.loudspeaker.choose_device(Choice())
        self._show()

    async def warm_engine(self) -> None:
        """Start the embedded engine ahead of the first Connect."""
        with contextlib.suppress(SimulatorError):  # Connect tries again, and says why not
            await self._own_engine.at(())

    async def handle(self, command: AnyCommand, images: Sequence[bytes] | None = None) -> Reply:
        """Execute a command and return its reply, after it took effect or was refused.

        `images` are those of a push that has none on this computer.
        """
        try:
            await self._execute(command, images)
        except SimulatorError as error:
            return Reply(id=command.id, error=self._redactor.text(str(error)))
        except Exception as error:
            return Reply(id=command.id, error=self._own_fault(command, error))
        finally:
            self._show()
        return Reply(id=command.id)

    async def close(self) -> None:
        """Microphone off, session closed, record finished, engine ended."""
        await self._sound.microphone_off()
        await self._hang_up("the program ended")
        await self._performances.close()
        # The socket is closed: the engine may end while the record is finished.
        await asyncio.gather(self._finish(), self._own_engine.stop())
        if self._flushing is not None:
            self._flushing.cancel()
        await self._sound.close()
        self._flush()

    async def _finish(self) -> None:
        await self._finished()
        await self._words.close()

    @property
    def append_delays_ns(self) -> Sequence[int]:
        """How long each chunk of the present session took from its capture to the socket."""
        return self._live.append_delays_ns if self._live is not None else ()

    # ---- commands

    async def _execute(self, command: AnyCommand, images: Sequence[bytes] | None) -> None:
        match command:
            case Connect():
                await self._connect(command)
            case Disconnect():
                await self._hang_up("disconnected")
                await self._finished()
            case RecogniseWords(on=on, model=model):
                await self._words.choose(on, model)
            case SetListening(on=on) if self._live is None:
                self._listening_at_start = on
            case Quit():
                self.quit.set()
            case Mark() | NoteMark():
                self._mark(command)
            case _ if isinstance(command, PerformanceCommand):
                await self._performances.command(command)
            case _ if isinstance(command, SoundCommand):
                await self._sound.command(command)
            case _:
                await self._session_commands.execute(command, self._live, images)

    def _mark(self, command: Mark | NoteMark) -> None:
        if self._recorder is None or self._live is None:
            raise UsageError(NOT_CONNECTED)
        if isinstance(command, Mark):
            self._marked_seq = self._recorder.note("mark", {"note": command.note}).seq
        elif self._marked_seq is None:
            raise UsageError("No moment of this session was marked yet.")
        else:
            self._recorder.note("mark.note", {"mark": self._marked_seq, "note": command.note})

    # ---- connecting

    async def _connect(self, command: Connect) -> None:
        if self._state is not ConnectionState.IDLE:
            raise UsageError("A session is open already: disconnect first.")
        self._state = ConnectionState.CONNECTING
        self._show()
        self._connecting = asyncio.create_task(self._open(command))
        try:
            await self._connecting
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not self._connecting.cancelled() or (task is not None and task.cancelling()):
                raise
            raise UsageError("Connecting was cancelled.") from None
        finally:
            self._connecting = None
            if self._live is None:
                self._state = ConnectionState.IDLE
                self._performances.replays.forget_prepared()

    async def _open(self, command: Connect) -> None:
        target = self._find_engine(command.engine, command.model)
        self._redactor = Redactor(target.secrets)
        if target.is_embedded:
            target = target.at(await self._own_engine.at(command.faults, target.thinking))
        elif command.faults:
            raise UsageError("Only the embedded engine can be told to break rules: choose it, or no faults.")
        specification = await specification_of(command)
        await asyncio.to_thread(versions)  # reads files: what was read is at hand when the record begins
        if command.replay is not None:
            await self._performances.replays.prepare(Path(command.replay))
        # A pseudonym for each session: engines see that it is one participant, never who.
        self._pseudonym = secrets.token_hex(16)
        connection = await Connection.open(target, self._pseudonym)
        try:
            live = await self._begin(target, command, specification, connection)
        except BaseException:
            await connection.close()
            raise
        await self._wait_until_it_stands(live)

    async def _begin(
        self, target: EngineTarget, command: Connect, specification: AgentSpec, connection: Connection
    ) -> LiveSession:
        playout = Playout()
        await self._sound.play(playout)
        # Not before here: listening may be switched as long as the engine does not answer.
        settings = first_settings(command, specification, listening=self._listening_at_start)
        self._problems = 0
        self._marked_seq = None
        self._storage.begin()
        self._words.begin()
        recorder = open_record(
            command,
            specification,
            target,
            connection.subprotocol,
            self._redactor,
            on_entry=self._entry,
            on_fault=self._storage.failed,
            on_loss=self._storage.lost,
            on_audio=self._words.heard,
        )
        live = LiveSession(
            connection,
            settings,
            playout,
            recorder,
            dac_source=self._sound.dac_source,
            on_event=self._happened,
            on_handed=self._sound.microphone_filter.played,
        )
        self._ending = ""
        self._target, self._recorder, self._live = target, recorder, live
        self._faults = command.faults
        self._state = ConnectionState.CONNECTED
        self._sound.note_beginning()
        self._running = asyncio.create_task(self._hold(live, recorder))
        return live

    async def _wait_until_it_stands(self, live: LiveSession) -> None:
        with contextlib.suppress(TimeoutError):  # the session itself notes what the engine did not answer
            async with asyncio.timeout(_STANDS_WITHIN_S):
                await live.stood.wait()
        if live.ended is not None:
            await self._finished()
            raise SimulatorError(live.ended.sentence or "The session was closed before the engine accepted it.")

    async def _hold(self, live: LiveSession, recorder: SessionRecorder) -> None:
        """Run the session to its end, whoever ends it, and finish its record."""
        ended = await live.run()
        self._state = ConnectionState.CLOSING
        await self._performances.session_over()
        self._pump()
        self._sound.look(self._live is not None, everything=True)
        await self._sound.loudspeaker.end()
        await self._words.settle(_WORDS_WITHIN_S)
        self._pump()
        self._flush()
        self._live = None
        await self._storage.close(recorder, self._ending or _WHY_ENDED[ended.by])
        self._flush()
        self._state = ConnectionState.IDLE
        self._connected_since_ns = None
        self._show()
        self._on_ended(ended._replace(sentence=self._redactor.text(ended.sentence)))

    async def _hang_up(self, reason: str) -> None:
        """Cancel connecting, or close the socket of the session."""
        if self._connecting is not None:
            self._connecting.cancel()
            await asyncio.wait([self._connecting])
        live = self._live
        if live is not None and live.ended is None:
            self._ending = reason
            self._state = ConnectionState.CLOSING
            await live.close()

    async def _finished(self) -> None:
        """Wait until the record of the session that is ending is finished."""
        if self._running is not None:
            await self._running

    def _own_fault(self, command: AnyCommand, error: Exception) -> str:
        """A bug: whoever asked hears of it, the record keeps where it is, and everything goes on."""
        sentence = (
            f"The program itself failed at this ({type(error).__name__}), and nothing was done: please report it."
        )
        details = self._redactor.text("".join(traceback.format_exception(error)))
        _log.error("%s", details)
        name = type(command).__name__
        self._note(
            "problem",
            {"whose": "ours", "code": "command_failed", "command": name, "sentence": sentence, "details": details},
        )
        return sentence

    # ---- what happens meanwhile

    def _happened(self, event: LiveEvent) -> None:
        if isinstance(event, SessionStood) and self._recorder is not None:
            self._connected_since_ns = time.monotonic_ns() - self._recorder.started_ns
            self._show()
        self._performances.happened(event)
        self._on_event(event)

    def _spoken(self, chunk: SpokenChunk) -> None:
        if self._live is not None:
            self._live.captured(chunk)
        if chunk.recorded:
            self._batches.voice(chunk.samples)

    def _pump(self) -> None:
        if self._live is not None:
            self._live.pump()

    def _entry(self, entry: Entry) -> None:
        if entry.direction is Direction.NOTED and entry.type in {"problem", "violation"}:
            self._problems += 1
        self._batches.entry(entry)
        self._words.entry(entry)

    def _note(self, kind: str, fields: Mapping[str, object]) -> None:
        if self._recorder is not None and self._live is not None:
            self._recorder.note(kind, fields)

    def feed_overflowed(self, first: int, last: int) -> None:
        """Note that the window was too slow for these entries."""
        self._note("feed.overflow", {"first": first, "last": last})

    # ---- the feed

    async def _flush_for_ever(self) -> None:
        while True:
            await asyncio.sleep(FLUSH_EVERY_S)
            self._sound.loudspeaker.look()
            self._pump()
            self._sound.look(self._live is not None)
            self._flush()

    def _flush(self) -> None:
        recorder = self._recorder
        peaks = recorder.take_peaks() if recorder is not None else []
        now_ns = time.monotonic_ns()
        t_ns = now_ns - recorder.started_ns if recorder is not None and self._live is not None else 0
        self._batches.flush(t_ns, peaks, self._status())

    def _publish_without_keys(self, message: AnyFeed) -> None:
        """Publish. Entries were redacted with the record; in the state is what was asked of an engine, and taken."""
        if isinstance(message, Status):
            message = without_keys(message, self._redactor)
        self._publish(message)

    def _session(self) -> ParticipantSession | None:
        if self._live is None or self._live.ended is not None or self._state is ConnectionState.CLOSING:
            return None
        return self._live.session

    def _agent_heard(self) -> bool:
        return self._live is not None and self._sound.sounds

    def _show(self) -> None:
        self._batches.status(self._status())

    def _status(self) -> Status:
        now = SessionOfNow(
            self._state,
            self._target,
            self._faults,
            self._live,
            self._recorder,
            self._connected_since_ns,
            self._listening_at_start,
            self._problems,
            self._redactor,
        )
        return self._board.status(now, agent_heard=self._agent_heard())
