"""Plays studies in the open session: the study's runner says what comes next, the participant's own commands do it.

A step of a study is executed as the operator's commands are, so that both keep their order on the wire, and the
operator may push by hand in between. What was begun, refused and left open stands in the record (`study.started`,
`study.step`, `study.refused`, `study.ended`): whoever runs a study reads its outcome there.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, Literal

import msgspec

from simulator.errors import SimulatorError, UsageError
from simulator.participant.happenings import Crashed, Happenings, Settled
from simulator.participant.live_events import LiveEvent, RecordingSaid, TurnCommitted
from simulator.participant.messages import (
    AnyCommand,
    Ask,
    KeepOwnAnswer,
    PlayStudy,
    Push,
    Reply,
    RequestReply,
    SetInstructions,
    SetListening,
    Speak,
    StopStudy,
    StudyProgress,
    VoiceKind,
)
from simulator.participant.own_fault import own_fault
from simulator.participant.replies import ReplyBegan, ReplyOver
from simulator.participant.sayings import Sayings
from simulator.participant.voice import Voice
from simulator.session.participant import ParticipantSession
from simulator.study import steps
from simulator.study.needs import standing_before
from simulator.study.runner import ReplyEnd, StudyRunner
from simulator.study.words import describe
from simulator.units import NS_PER_S

StudyEnd = Literal["finished", "stopped", "session ended", "failed"]

_LOOK_EVERY_S: Final = 0.05
"""How often the loudspeaker is asked whether the agent is heard, while a reply is awaited."""
_OWN_ID: Final = 0
"""The id of commands that nobody sent."""


class StudyPlayer:
    """Plays one study at a time, and speaks for the operator. Belongs to the loop.

    `execute` executes a command as if it came from the operator, `note` writes into the record, `session` is the one
    that is open and not about to end, `agent_heard` says whether the agent is audible now, `changed` is called when
    `progress` may have changed.
    """

    def __init__(
        self,
        execute: Callable[[AnyCommand], Awaitable[Reply]],
        voice: Voice,
        note: Callable[[str, Mapping[str, object]], None],
        session: Callable[[], ParticipantSession | None],
        agent_heard: Callable[[], bool],
        changed: Callable[[], None],
    ) -> None:
        self._execute = execute
        self._voice = voice
        self._note = note
        self._session = session
        self._agent_heard = agent_heard
        self._changed = changed
        self.sayings = Sayings(voice)
        self._play: _Play | None = None
        self._task: asyncio.Task[None] | None = None
        self._speaking: set[asyncio.Task[Any]] = set()

    @property
    def progress(self) -> StudyProgress | None:
        """Where the study stands; None while none is played."""
        return self._play.progress if self._play is not None else None

    async def command(self, command: PlayStudy | StopStudy | Speak) -> None:
        """Begin or stop playing, or say a text and return when it was said. Raises SimulatorError with the reason."""
        match command:
            case PlayStudy():
                await self._begin(command)
            case StopStudy():
                if self._play is None:
                    raise UsageError("No study is played: there is nothing to stop.")
                await self._stop("stopped")
            case Speak(text=text, voice=voice, recording=recording):
                saying = steps.Say(recording, text, voice)
                task = asyncio.ensure_future(self.sayings.say(saying))
                self._speaking.add(task)
                try:
                    await task
                except asyncio.CancelledError:
                    asking = asyncio.current_task()
                    if asking is not None and asking.cancelling():
                        raise
                    raise UsageError("The session ended before all was said.") from None
                finally:
                    self._speaking.discard(task)

    def happened(self, event: LiveEvent) -> None:
        """Tell the study what it may wait for."""
        if self._play is not None:
            self._play.happenings.tell(event)

    async def session_over(self) -> None:
        """The session ended, and with it the study; what is being said stops."""
        for task in self._speaking:
            task.cancel()
        await self._stop("session ended")

    async def close(self) -> None:
        """End for good."""
        await self.session_over()
        await self.sayings.close()

    async def _begin(self, command: PlayStudy) -> None:
        study = command.study
        if self._play is not None:
            raise UsageError("A study is played already: stop it first.")
        if not 0 <= command.first_step < len(study.steps):
            raise UsageError(f"There is no step {command.first_step + 1} in the study: it has {len(study.steps)}.")
        play = self._play = _Play(study, command.first_step, self._speaker(command))
        try:
            if command.speaks:
                coming = (step.action for step in study.steps[command.first_step :])
                await self.sayings.prepare(action for action in coming if isinstance(action, steps.Say))
        except BaseException:
            if self._play is play:
                self._play = None
            raise
        if self._play is not play:
            raise UsageError("The study was stopped before it began.")
        self._task = asyncio.create_task(self._run(play))

    def _speaker(self, command: PlayStudy) -> "_Speaker":
        if command.speaks:
            return "study"
        return "nobody" if self._voice.kind is VoiceKind.SILENCE else "operator"

    async def _stop(self, end: StudyEnd) -> None:
        if self._play is None:
            return
        play, task = self._play, self._task
        play.end = end
        if task is None:  # it was still being made ready
            self._play = None
            return
        # Behind its first step: one that is cancelled before it never runs, and would never be over.
        asyncio.get_running_loop().call_soon(task.cancel)
        await asyncio.wait([task])

    # ---- one study

    async def _run(self, play: "_Play") -> None:
        study = play.study
        self._note(
            "study.started",
            {"name": study.name, "steps": len(study.steps), "first_step": play.first_step, "says": play.speaker},
        )
        try:
            await self._catch_up(play)
            await self._go_through(play)
            play.end = "finished"
        except asyncio.CancelledError:
            # Only `_stop` cancels, and says why.
            if play.end is None:
                raise
        except Exception as error:
            play.end = "failed"
            self._note("problem", own_fault("study_failed", "the study", error))
        finally:
            play.cancel()
            self._play = self._task = None
            if play.end != "finished":
                play.runner.broken_off("the session ended" if play.end == "session ended" else "the study was stopped")
            missed = msgspec.to_builtins(
                {"unanswered": play.runner.unanswered, "missed_replies": play.runner.missed_replies}
            )
            self._note("study.ended", {"end": play.end or "stopped", **missed})
            self._changed()

    async def _catch_up(self, play: "_Play") -> None:
        """Put the session where the steps before the first one leave it; a study begins with its own instructions,
        and with the video chat on the screen.
        """
        session, study, first = self._session(), play.study, play.first_step
        if session is None:
            return
        standing = standing_before(study, first)
        wanted = study.instructions if standing.instructions is None else standing.instructions
        follows = isinstance(study.steps[first].action, steps.EnterPart | steps.ChangeInstructions)
        if not follows and wanted != (session.instructions_accepted or ""):
            await self._do(play, first, SetInstructions(id=_OWN_ID, instructions=wanted, part=standing.part))
        elif standing.part is not None:
            self._note("part", {"name": standing.part})
        shown = standing.listening is not False
        if session.listening_wanted is not shown:
            await self._do(play, first, SetListening(id=_OWN_ID, on=shown))

    async def _go_through(self, play: "_Play") -> None:
        begun = play.runner.begin(time.monotonic_ns())
        while True:
            if self._session() is None:
                # What ended only because the session did is followed by nothing; `session_over` comes.
                await asyncio.get_running_loop().create_future()
            for index in begun:
                await self._begin_step(play, index)
            self._changed()
            if play.runner.finished:
                return
            begun = play.take(await play.next_happening(), self._agent_heard())

    async def _begin_step(self, play: "_Play", index: int) -> None:
        step = play.study.steps[index]
        play.begin(index)
        self._note("study.step", {"step": index, "line": step.line, "what": describe(step.action)})
        self._changed()
        match step.action:
            case steps.PushContext(context, images, asks_reply, video_chat):
                push = Push(
                    id=_OWN_ID, context=context, images=list(images), ask_reply=asks_reply, video_chat=video_chat
                )
                await self._do(play, index, push)
            case steps.AskQuestion():
                play.takes_time(index, self._ask(step.action))
                await asyncio.sleep(0)  # the question comes before the participant's own answer to it
                await self._keep_own_answer(play, index, step.action)
            case steps.Say():
                if play.speaker == "study":
                    play.takes_time(index, self._say(index, step))
            case steps.SetListening(on):
                await self._do(play, index, SetListening(id=_OWN_ID, on=on))
            case steps.EnterPart(name=name):
                await self._enter(play, index, name, step.action)
            case steps.ChangeInstructions(instructions):
                await self._do(play, index, SetInstructions(id=_OWN_ID, instructions=instructions))
            case steps.RequestReply(instructions=hint):
                await self._do(play, index, RequestReply(id=_OWN_ID, instructions=hint))
            case steps.Wait():
                pass

    async def _do(self, play: "_Play", index: int, command: AnyCommand) -> None:
        self._refused(play.study.steps[index], index, (await self._execute(command)).error)

    def _refused(self, step: steps.Step, index: int, error: str | None) -> None:
        if error is not None:
            self._note("study.refused", {"step": index, "line": step.line, "sentence": error})

    async def _ask(self, question: steps.AskQuestion) -> str | None:
        return (await self._execute(Ask.of(question, _OWN_ID))).error

    async def _keep_own_answer(self, play: "_Play", index: int, question: steps.AskQuestion) -> None:
        if question.own_answer is not None:
            component, config = question.component, question.config
            own = KeepOwnAnswer(id=_OWN_ID, component=component, config=config, value=question.own_answer)
            await self._do(play, index, own)

    async def _say(self, index: int, step: steps.Step) -> str | None:
        assert isinstance(step.action, steps.Say)
        try:
            await self.sayings.say(step.action)
        except SimulatorError as error:
            self._refused(step, index, str(error))
            return str(error)
        return None

    async def _enter(self, play: "_Play", index: int, name: str, part: steps.EnterPart) -> None:
        instructions = play.study.instructions_in(part)
        if instructions is None:
            self._note("part", {"name": name})
        else:
            await self._do(play, index, SetInstructions(id=_OWN_ID, instructions=instructions, part=name))


_Speaker = Literal["study", "operator", "nobody"]
_Happening = LiveEvent | Settled | Crashed


class _Play:
    """One study that is played."""

    def __init__(self, study: steps.Study, first_step: int, speaker: _Speaker) -> None:
        self.study = study
        self.first_step = first_step
        self.speaker = speaker
        self.runner = StudyRunner(study, speaks=speaker != "nobody", first_step=first_step)
        self.happenings: Happenings[LiveEvent] = Happenings()
        self.end: StudyEnd | None = None
        self._step = -1
        self._under_way: asyncio.Task[None] | None = None
        """The question or the speech of the present step."""

    @property
    def progress(self) -> StudyProgress:
        """Where it stands."""
        return StudyProgress(self._step, len(self.study.steps), self.runner.waits_for())

    def begin(self, index: int) -> None:
        """A step begins."""
        self._step = index

    def takes_time(self, index: int, doing: Awaitable[str | None]) -> None:
        """Let something go on beside what the study waits for."""
        self._under_way = self.happenings.settle(index, doing)

    def cancel(self) -> None:
        """Give up what is under way."""
        if self._under_way is not None:
            self._under_way.cancel()
            self._under_way = None

    async def next_happening(self) -> _Happening | None:
        """Return what happens next, or None when the runner's time has come, or the loudspeaker is to be asked."""
        due_ns = self.runner.due_ns
        waits_s = [] if due_ns is None else [max(0.0, (due_ns - time.monotonic_ns()) / NS_PER_S)]
        if self.runner.awaits_reply:
            waits_s.append(_LOOK_EVERY_S)
        return await self.happenings.next(min(waits_s, default=None))

    def take(self, happening: _Happening | None, agent_heard: bool) -> list[int]:
        """Tell the runner, and return the steps that begin now."""
        begun = self.runner.agent_audible(agent_heard, time.monotonic_ns()) + self._told(happening)
        if self.runner.running != self._step:
            self.cancel()  # a question whose time is over
        return begun

    def _told(self, happening: _Happening | None) -> list[int]:
        runner, now_ns = self.runner, time.monotonic_ns()
        match happening:
            case Settled(step, error) if step == runner.running:
                if isinstance(self.study.steps[step].action, steps.Say):
                    return runner.said(now_ns) if error is None else runner.not_said(now_ns)
                return runner.answered(now_ns) if error is None else runner.not_answered(error, now_ns)
            case Crashed(error=bug):
                raise bug
            case TurnCommitted() | RecordingSaid() if self.speaker == "operator":
                return runner.said(now_ns)
            case ReplyBegan(response_id):
                return runner.reply_began(response_id, now_ns)
            case ReplyOver(response_id, end):
                return runner.reply_over(response_id, ReplyEnd(end), now_ns)
        return runner.tick(now_ns)
