"""A study run without a window: the study's runner says what comes next, the participant does it.

The run ends when the study is finished, when the connection ends, or when it is cancelled; what was answered and
recorded until then stands in its outcome.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Any, Literal

import msgspec

from simulator.engines.profiles import EngineTarget
from simulator.errors import SimulatorError
from simulator.participant.connection import Ended
from simulator.participant.host import InProcessHost
from simulator.participant.live import Answered, LiveEvent, RecordingSaid, TurnCommitted
from simulator.participant.messages import (
    AnyFeed,
    Ask,
    ChooseVoice,
    Connect,
    ConnectionState,
    Disconnect,
    Entries,
    Push,
    RecogniseWords,
    RequestReply,
    SetInstructions,
    SetListening,
    SetTalk,
    Status,
    VoiceKind,
)
from simulator.participant.recordings import open_recording
from simulator.participant.replies import ReplyBegan, ReplyOver
from simulator.record.entries import Direction, Entry
from simulator.study import steps
from simulator.study.runner import Missed, ReplyEnd, StudyRunner
from simulator.units import NS_PER_S

End = Literal["finished", "interrupted", "connection ended"]


class RunVoice(msgspec.Struct, frozen=True):
    """Who speaks: the recordings that the study names, one recording for all that is said, a microphone, or nobody."""

    kind: VoiceKind
    recording: str | None = None
    """Instead of the study's own recordings."""


class RunOutcome(msgspec.Struct, rename="camel"):
    """What came of a run."""

    record: str | None = None
    end: End = "interrupted"
    answers: list[dict[str, Any]] = []
    unanswered: list[Missed] = []
    missed_replies: list[Missed] = []
    problems: list[str] = []
    recorded: bool = True
    """Whether all of it reached the disk."""

    @property
    def complete(self) -> bool:
        """Whether the study came to its end with every question answered, every reply heard and all of it recorded."""
        return self.end == "finished" and self.recorded and not self.unanswered and not self.missed_replies


class _Audible(msgspec.Struct, frozen=True):
    """The agent's voice began or ceased to be heard."""

    audible: bool


class _Settled(msgspec.Struct, frozen=True):
    """A question's command was replied to."""

    error: str | None


_Happening = LiveEvent | Ended | _Audible | _Settled


class StudyRun:
    """One run. `progress` is told each step in a sentence; `outcome` holds what is known at any time."""

    def __init__(
        self,
        study: steps.Study,
        target: EngineTarget,
        voice: RunVoice,
        record_folder: str | None,
        progress: Callable[[str], None],
        *,
        recognises: bool = False,
        recogniser: str | None = None,
    ) -> None:
        """`recognises` puts the participant's words into the record, by the model `recogniser` (see RecogniseWords)."""
        if voice.recording is not None and not study.speaks:
            # A study that says nothing itself is run with this voice all the same: it is said at the start.
            said = steps.Step(steps.Say(voice.recording), line=1)
            study = msgspec.structs.replace(study, steps=(said, *study.steps))
        self._study = study
        self._target = target
        self._voice = voice
        self._record_folder = record_folder
        self._progress = progress
        self._recognises, self._recogniser = recognises, recogniser
        self._recognition_lack: str | None = None
        self._happenings: asyncio.Queue[_Happening] = asyncio.Queue()
        self._runner = StudyRunner(study, speaks=voice.kind is not VoiceKind.SILENCE)
        self._asking: set[asyncio.Task[None]] = set()
        self._audible = False
        self._lacks: list[str] = []
        self.outcome = RunOutcome()

    async def run(self) -> RunOutcome:
        """Run to the end. Raises SimulatorError where it cannot begin: a recording, the microphone, the engine."""
        if self._voice.kind is VoiceKind.RECORDING:
            for step in self._study.steps:
                if isinstance(step.action, steps.Say):
                    await asyncio.to_thread(open_recording, self._voice.recording or step.action.recording)
        async with InProcessHost(
            self._fed,
            on_event=self._happenings.put_nowait,
            on_ended=self._happenings.put_nowait,
            find_engine=lambda name, model: self._target,
        ) as host:
            await self._begin(host)
            try:
                await self._go_through(host)
            finally:
                self.outcome.unanswered = self._runner.unanswered
                self.outcome.missed_replies = self._runner.missed_replies
                for task in self._asking:
                    task.cancel()
            await host.send(Disconnect)
        return self.outcome

    async def _begin(self, host: InProcessHost) -> None:
        await _must(host.send(RecogniseWords, on=self._recognises, model=self._recogniser))
        if self._voice.kind is VoiceKind.MICROPHONE:
            await _must(host.send(ChooseVoice, kind=VoiceKind.MICROPHONE))
            await _must(host.send(SetTalk, down=True))
        study = self._study
        await _must(
            host.send(
                Connect,
                engine=self._target.name,
                instructions=study.instructions,
                voice=study.voice,
                turn_detection=study.turn_detection,
                record_folder=self._record_folder,
            )
        )
        self.outcome.record = host.status.record_path
        self._progress(f"Connected to {self._target.name}. The record is {host.status.record_path}.")

    async def _go_through(self, host: InProcessHost) -> None:
        begun = self._runner.begin(time.monotonic_ns())
        while True:
            for step in begun:
                await self._execute(host, step)
            if self._runner.finished:
                self.outcome.end = "finished"
                return
            happening = await self._next()
            if isinstance(happening, Ended):
                self.outcome.end = "connection ended"
                self.outcome.problems.append(happening.sentence)
                self._progress(happening.sentence)
                return
            begun = self._take(happening)

    async def _next(self) -> _Happening | None:
        """Return what happens next, or None when the runner's time has come."""
        due_ns = self._runner.due_ns
        timeout_s = None if due_ns is None else max(0.0, (due_ns - time.monotonic_ns()) / NS_PER_S)
        try:
            # Not wait_for, which in Python 3.11 loses a cancellation that comes together with what it waits for.
            async with asyncio.timeout(timeout_s):
                return await self._happenings.get()
        except TimeoutError:
            return None

    def _take(self, happening: _Happening | None) -> list[steps.Step]:
        runner, now_ns = self._runner, time.monotonic_ns()
        match happening:
            case RecordingSaid():
                return runner.said(now_ns)
            case TurnCommitted() if self._voice.kind is VoiceKind.MICROPHONE:
                return runner.said(now_ns)
            case ReplyBegan(response_id):
                return runner.reply_began(response_id, now_ns)
            case ReplyOver(response_id, end):
                return runner.reply_over(response_id, ReplyEnd(end), now_ns)
            case _Audible(audible):
                return runner.agent_audible(audible, now_ns)
            case _Settled(None):
                return runner.answered(now_ns)
            case _Settled(str() as error):
                return runner.not_answered(error, now_ns)
            case Answered(fields):
                if fields["accepted"]:
                    self._answered(fields)
        return runner.tick(now_ns)

    def _answered(self, fields: dict[str, Any]) -> None:
        kept = {name: fields[name] for name in ("component", "tool", "value")}
        self.outcome.answers.append(kept)
        self._progress(f"The agent answered: {fields['value']}")

    async def _execute(self, host: InProcessHost, step: steps.Step) -> None:
        self._progress(f"Step in line {step.line}: {_describe(step.action)}")
        error: str | None = None
        match step.action:
            case steps.PushContext(context, images, asks_reply):
                error = await host.send(Push, context=context, images=list(images), ask_reply=asks_reply)
            case steps.AskQuestion():
                task = asyncio.create_task(self._ask(host, step.action))
                self._asking.add(task)
                task.add_done_callback(self._asking.discard)
            case steps.Say(recording):
                error = await self._say(host, recording)
            case steps.SetListening(on):
                error = await host.send(SetListening, on=on)
            case steps.EnterPart(name=name):
                instructions = self._study.instructions_in(step.action)
                if instructions is not None:
                    error = await host.send(SetInstructions, instructions=instructions, part=name)
            case steps.ChangeInstructions(instructions):
                error = await host.send(SetInstructions, instructions=instructions)
            case steps.RequestReply(instructions=hint):
                error = await host.send(RequestReply, instructions=hint)
            case steps.Wait():
                pass
        if error is not None:
            self.outcome.problems.append(f"Line {step.line}: {error}")
            self._progress(error)

    async def _ask(self, host: InProcessHost, question: steps.AskQuestion) -> None:
        error = await host.send(
            Ask, component=question.component, config=question.config, during_video=question.during_video
        )
        self._happenings.put_nowait(_Settled(error))

    async def _say(self, host: InProcessHost, recording: str) -> str | None:
        if self._voice.kind is VoiceKind.MICROPHONE:
            self._progress("Speak now.")
            return None
        chosen = self._voice.recording or recording
        error = await host.send(ChooseVoice, kind=VoiceKind.RECORDING, recording=chosen)
        return error or await host.send(SetTalk, down=True)

    def _fed(self, message: AnyFeed) -> None:
        if isinstance(message, Entries):
            for entry in message.entries:
                self._noted(entry)
        elif isinstance(message, Status):
            self._stands(message)

    def _noted(self, entry: Entry) -> None:
        """Tell why a response failed: the sentence of the record's note, which holds no key."""
        if entry.direction is not Direction.NOTED or entry.type != "problem":
            return
        if entry.event.get("code") == "response_failed":
            sentence = str(entry.event["sentence"])
            self._progress(sentence)
            if sentence not in self.outcome.problems:
                self.outcome.problems.append(sentence)

    def _stands(self, message: Status) -> None:
        connected = message.connection is ConnectionState.CONNECTED
        if message.recognition_lack not in {None, self._recognition_lack}:
            self._progress(str(message.recognition_lack))
        self._recognition_lack = message.recognition_lack
        for lack in message.lacks:
            if lack not in self._lacks:
                self._progress(lack)
                if connected:
                    self.outcome.problems.append(lack)
        self._lacks = message.lacks
        if connected and not message.recording:
            self.outcome.recorded = False
        if message.agent_heard != self._audible:
            self._audible = message.agent_heard
            self._happenings.put_nowait(_Audible(message.agent_heard))


async def _must(sending: Any) -> None:
    error = await sending
    if error is not None:
        raise SimulatorError(error)


def _describe(action: steps.StepAction) -> str:
    match action:
        case steps.PushContext(context=context):
            return f"{context['event']}"
        case steps.AskQuestion():
            return f"question “{action.text}”"
        case steps.Say(recording):
            return f"say {recording}"
        case steps.SetListening(on):
            return "listening on" if on else "listening off"
        case steps.EnterPart(name=name):
            return f"part “{name}”"
        case steps.ChangeInstructions():
            return "new instructions"
        case steps.RequestReply():
            return "ask for a reply"
        case steps.Wait(seconds):
            return f"wait {seconds:g} s"
