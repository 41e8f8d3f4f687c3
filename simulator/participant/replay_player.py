"""Replays a recorded participant in the open session: the runner says what comes next, the session's commands do it.

What the participant said comes from the record's heard track, as a tape that lies over whatever voice was chosen; all
else is executed as the operator's commands are, in the same order, so that the operator may push by hand in between.
What was done when, missed and refused stands in the record (`replay.started`, `replay.act`, `replay.missed`,
`replay.refused`, `replay.ended`): whoever runs a replay reads its outcome there.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, Protocol

from simulator.audio.tape import SpeechBegan, SpeechEnded, TapeEvent, TapeFailed
from simulator.errors import SimulatorError, UsageError
from simulator.participant.happenings import Crashed, Happenings, Settled
from simulator.participant.live_events import LiveEvent, ReplySounds
from simulator.participant.messages import AnyCommand, Replay, ReplayProgress, Reply, StopReplay
from simulator.participant.own_fault import own_fault
from simulator.participant.replay_commands import carried_over, command_for
from simulator.participant.replay_runner import ReplayRunner, Start
from simulator.participant.replay_source import ReadPlan, ReplaySource, tape_of
from simulator.participant.replies import ReplyOver
from simulator.participant.voice import Voice
from simulator.record.folder import record_file
from simulator.record.replay.deeds import Anchor, By, Instruct, Listen, Push, Say
from simulator.record.replay.words import describe
from simulator.session.participant import ParticipantSession
from simulator.units import NS_PER_MS, NS_PER_S

ReplayEnd = Literal["finished", "stopped", "session ended", "failed"]

ANSWERED_WITHIN_S: Final = 30.0
"""So long what is still open when all else is over is waited for: the answer to a question."""

_LOOK_EVERY_NS: Final = 20 * NS_PER_MS


class Execute(Protocol):
    """Executes a command as if it came from the operator, a push with these images."""

    def __call__(self, command: AnyCommand, images: Sequence[bytes] | None = None, /) -> Awaitable[Reply]: ...


_Told = ReplySounds | ReplyOver | TapeEvent


class ReplayPlayer:
    """Plays one replay at a time. Belongs to the loop.

    `note` writes into the record, `session` is the one that is open and not about to end, `changed` is called when
    `progress` may have changed, `read_plan` gives the plan of a record, in a thread.
    """

    def __init__(
        self,
        execute: Execute,
        voice: Voice,
        note: Callable[[str, Mapping[str, object]], None],
        session: Callable[[], ParticipantSession | None],
        changed: Callable[[], None],
        read_plan: ReadPlan,
    ) -> None:
        self._read_plan = read_plan
        self._execute = execute
        self._voice = voice
        self._note = note
        self._session = session
        self._changed = changed
        self._early: dict[str, list[ReplySounds | ReplyOver]] = {}
        """Replies that sound while nothing is replayed yet, or were over since the replay was asked for."""
        self._prepared: ReplaySource | None = None
        """Read before the session was opened, for its first replay."""
        self._beginning: asyncio.Task[Any] | None = None
        self._play: _Play | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def progress(self) -> ReplayProgress | None:
        """Where the replay stands; None while there is none."""
        return self._play.progress if self._play is not None else None

    @property
    def busy(self) -> bool:
        """Whether something is replayed, or is about to be."""
        return self._play is not None or self._beginning is not None

    async def prepare(self, record: Path) -> None:
        """Read the record that the session about to be opened will replay: the engine then need not wait for that.

        Raises SimulatorError where it cannot be replayed.
        """
        self._prepared = await _read(record, self._read_plan)

    def forget_prepared(self) -> None:
        """There is no session for what was prepared, or no more."""
        if self._prepared is not None:
            _close_beside(self._prepared)
            self._prepared = None

    async def command(self, command: Replay | StopReplay) -> None:
        """Begin a replay, or stop it. Raises SimulatorError with the reason why not."""
        if isinstance(command, Replay):
            await self._begin(command)
        elif not self.busy:
            raise UsageError("Nothing is replayed: there is nothing to stop.")
        else:
            await self._stop("stopped")

    def happened(self, event: LiveEvent) -> None:
        """Tell the replay what it may wait for."""
        if not isinstance(event, ReplySounds | ReplyOver):
            return
        if self._play is not None:
            self._play.happenings.tell(event)
        elif isinstance(event, ReplySounds) or self._beginning is not None:
            self._early.setdefault(event.response_id, []).append(event)
        else:
            self._early.pop(event.response_id, None)

    async def session_over(self) -> None:
        """The session ended, and with it the replay."""
        self._early.clear()
        self.forget_prepared()
        await self._stop("session ended")

    async def _begin(self, command: Replay) -> None:
        if self.busy:
            raise UsageError("A session is replayed already: stop it first.")
        if self._voice.muted:
            raise UsageError("The participant's voice is muted: let it through before a session is replayed.")
        self._beginning = asyncio.ensure_future(self._source(Path(command.record)))
        try:
            source = await self._beginning
            self._beginning = asyncio.ensure_future(_made(source, command.by))
            play = await self._beginning
        except asyncio.CancelledError:
            asking = asyncio.current_task()
            if asking is not None and asking.cancelling():
                raise
            raise UsageError("The replay was stopped before it began.") from None
        finally:
            self._beginning = None
        session = self._session()
        if session is None:
            play.close()
            raise UsageError("The session ended before the replay began.")
        play.instructions = str((session.session_requested or {}).get("instructions", ""))
        for event in (each for reply in self._early.values() for each in reply):
            play.happenings.tell(event)
        self._early.clear()
        self._play = play
        self._voice.lay_over(play.tape, play.source.sayings)
        self._task = asyncio.create_task(self._run(play))

    async def _source(self, record: Path) -> ReplaySource:
        """Return the record that was prepared, once, or else read it now."""
        prepared = self._prepared
        if prepared is not None and prepared.plan.source == record_file(record):
            self._prepared = None
            return prepared
        return await _read(record, self._read_plan)

    async def _stop(self, end: ReplayEnd) -> None:
        if self._beginning is not None:
            self._beginning.cancel()
        play, task = self._play, self._task
        if play is not None and task is not None:
            play.end = play.end or end
            # Behind its first step: one that is cancelled before it never runs, and would never be over.
            asyncio.get_running_loop().call_soon(task.cancel)
            await asyncio.wait([task])

    # ---- one replay

    async def _run(self, play: "_Play") -> None:
        source = play.source
        self._note(
            "replay.started",
            {
                "of": source.name,
                "of_sha256": source.sha256,
                "studies": list(source.plan.studies),
                "by": play.by,
                "acts": len(source.plan.acts),
                "lacks": list(source.plan.lacks),
            },
        )
        try:
            await self._go_through(play)
            play.end = play.end or "finished"
        except asyncio.CancelledError:
            # Only `_stop` cancels, and says why.
            if play.end is None:
                raise
        except SimulatorError as error:
            play.end = "failed"
            sentence = f"The replay ended, as what was said cannot be read from the record any more: {error}"
            fields = {"whose": "environment", "code": "replay_failed", "sentence": sentence, "details": error.details}
            self._note("problem", fields)
        except Exception as error:
            play.end = "failed"
            self._note("problem", own_fault("replay_failed", "the replay", error))
        finally:
            self._voice.take_off(play.tape)
            play.close()
            self._play = self._task = None
            figures = {"missed": len(play.runner.missed), "refused": play.refused}
            self._note("replay.ended", {"end": play.end or "stopped", **figures})
            self._changed()

    async def _go_through(self, play: "_Play") -> None:
        session = self._session()
        if session is not None and not session.listening_wanted:
            # A record that begins otherwise switches it off itself.
            await self._execute(command_for(Listen(on=True)))
        play.begun_ns = time.monotonic_ns()
        begun = play.runner.begin(play.begun_ns)
        if play.by == "clock":
            play.tape.start(play.begun_ns)
        while True:
            await self._while_in_session()
            for start in begun:
                self._begin_act(play, start)
            self._changed()
            if play.runner.finished:
                break
            begun = self._take(play, await play.next_happening(play.runner.due_ns))
        await self._settle(play)
        for act in sorted(play.open):
            self._refused(play, act, f"This was not done within {ANSWERED_WITHIN_S:g} s of the end of all else.")

    async def _settle(self, play: "_Play") -> None:
        """Wait for what is still open, and until the end of the voice was captured."""
        now_ns = time.monotonic_ns()
        until_ns = now_ns + round(ANSWERED_WITHIN_S * NS_PER_S)
        while (play.open or play.tape.speaking) and now_ns < until_ns:
            look_ns = now_ns + _LOOK_EVERY_NS if play.tape.speaking else until_ns
            self._take(play, await play.next_happening(look_ns))
            await self._while_in_session()
            now_ns = time.monotonic_ns()

    async def _while_in_session(self) -> None:
        if self._session() is None:
            # What ended only because the session did is followed by nothing; `session_over` comes.
            await asyncio.get_running_loop().create_future()

    def _take(self, play: "_Play", happening: _Told | Settled | Crashed | None) -> list[Start]:
        """Tell the runner what happened, and return the acts that begin now."""
        runner, now_ns = play.runner, time.monotonic_ns()
        begun: list[Start] = []
        match happening:
            case ReplySounds(response_id, at_ns):
                begun = runner.reply_sounds(response_id, at_ns, now_ns)
            case ReplyOver(response_id, _, at_ns):
                begun = runner.reply_over(response_id, at_ns, now_ns)
            case SpeechBegan(speech, at_ns):
                start = play.start_of(speech)
                self._note_act(play, start, at_ns)
                self._check_heard(play, start.act)
            case SpeechEnded(at_ns=at_ns) if play.by == "replies":
                begun = runner.said(at_ns, now_ns)
            case TapeFailed(error) | Crashed(error):
                raise error
            case Settled(act, error):
                play.open.discard(act)
                if error is not None:
                    self._refused(play, act, error)
                begun = runner.settled(act, now_ns)
            case None:
                begun = runner.tick(now_ns)
        for missed in runner.missed[play.missed_noted :]:
            self._note("replay.missed", missed._asdict())
        play.missed_noted = len(runner.missed)
        return begun

    def _begin_act(self, play: "_Play", start: Start) -> None:
        deed = play.source.plan.acts[start.act].deed
        if isinstance(deed, Say):
            # By the clock the whole voice is on its way. The note comes when the speech is heard to begin.
            if play.by == "replies":
                play.speeches.append(start)
                play.tape.start(start.due_ns)
            return
        self._note_act(play, start, time.monotonic_ns())
        if isinstance(deed, Instruct):
            deed = carried_over(deed, play.source.plan.settings.instructions, play.instructions)
        images = deed.images if isinstance(deed, Push) else None
        play.takes_time(start.act, self._execute(command_for(deed), images))

    def _note_act(self, play: "_Play", start: Start, at_ns: int) -> None:
        act = play.source.plan.acts[start.act]
        after = Anchor() if play.by == "clock" else act.after
        fields: dict[str, object] = {
            "number": start.act + 1,
            "what": describe(act.deed),
            "after": after.moment,
            "exchange": after.exchange,
            "after_ms": round((act.at_ns if play.by == "clock" else act.after_ns) / NS_PER_MS, 1),
            "late_ms": round((at_ns - start.due_ns) / NS_PER_MS, 1),
        }
        if isinstance(act.deed, Say):
            fields["samples"] = act.deed.samples
        self._note("replay.act", fields)

    def _check_heard(self, play: "_Play", act: int) -> None:
        """What is said was heard in the record: where nothing of it reaches the engine, that is told."""
        session = self._session()
        if session is not None and not session.listening_wanted:
            self._refused(play, act, "Listening is off: the engine does not hear this.")
        elif self._voice.muted:
            self._refused(play, act, "The participant's voice is muted: the engine does not hear this.")

    def _refused(self, play: "_Play", act: int, sentence: str) -> None:
        play.refused += 1
        self._note("replay.refused", {"number": act + 1, "sentence": sentence})


async def _made(source: ReplaySource, by: By) -> "_Play":
    play = _Play(source, by)
    try:
        await play.tape.prepare()
    except BaseException:
        play.close()
        raise
    return play


class _Play:
    """One replay that goes on."""

    def __init__(self, source: ReplaySource, by: By) -> None:
        self.source = source
        self.by = by
        self.runner = ReplayRunner(source.plan, by)
        self.happenings: Happenings[_Told] = Happenings()
        self.tape = tape_of(source, by, self.happenings.tell)
        self.end: ReplayEnd | None = None
        self.instructions = ""
        """What the new session began with."""
        self.speeches: list[Start] = []
        """By the replies: those that the tape was told of, in order."""
        self.begun_ns = 0
        self.missed_noted = 0
        self.refused = 0
        self.open: set[int] = set()
        """Acts that have not settled yet."""
        self._under_way: set[asyncio.Task[None]] = set()

    @property
    def progress(self) -> ReplayProgress:
        """Where it stands."""
        waits_for = self.runner.waits_for()
        if not waits_for and self.open:
            waits_for = "the answer"
        plan = self.source.plan
        return ReplayProgress(str(plan.source), self.by, self.runner.done, len(plan.acts), waits_for)

    def start_of(self, speech: int) -> Start:
        """Return when a speech, by its number, was due."""
        if self.by == "replies":
            return self.speeches[speech]
        act = [at for at, each in enumerate(self.source.plan.acts) if isinstance(each.deed, Say)][speech]
        return Start(act, self.begun_ns + self.source.plan.acts[act].at_ns)

    def takes_time(self, act: int, doing: Awaitable[Reply]) -> None:
        """Let what an act asks for take effect beside all else. What is begun in order leaves in order."""
        self.open.add(act)

        async def done() -> str | None:
            return (await doing).error

        task = self.happenings.settle(act, done())
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def next_happening(self, due_ns: int | None) -> _Told | Settled | Crashed | None:
        """Return what happens next, or None when the time has come."""
        wait_s = None if due_ns is None else max(0.0, (due_ns - time.monotonic_ns()) / NS_PER_S)
        return await self.happenings.next(wait_s)

    def close(self) -> None:
        """Give up what is under way, and read no more."""
        for task in self._under_way:
            task.cancel()
        self.tape.close()
        _close_beside(self.source)


async def _read(record: Path, read_plan: ReadPlan) -> ReplaySource:
    """Read a record in a thread. Cancelled, its files are closed as soon as the thread has opened them."""
    reading = asyncio.ensure_future(asyncio.to_thread(ReplaySource, record, read_plan))
    try:
        return await asyncio.shield(reading)
    except asyncio.CancelledError:
        reading.add_done_callback(_close_late)
        raise


def _close_late(reading: asyncio.Task[ReplaySource]) -> None:
    if not reading.cancelled() and reading.exception() is None:
        _close_beside(reading.result())


def _close_beside(source: ReplaySource) -> None:
    """Close files, which may block, without waiting for it."""
    asyncio.get_running_loop().run_in_executor(None, source.close)
