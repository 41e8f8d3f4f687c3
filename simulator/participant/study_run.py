"""A study run without a window: the participant plays it as for the window, and its record says what came of it.

The run ends when the study is finished, when the connection ends, or when it is cancelled; what was answered and
recorded until then stands in its outcome.
"""

import asyncio
import itertools
import json
import os
from collections.abc import Callable, Sequence
from typing import Any, Literal

import msgspec

from simulator.audio.impairments import Impairments
from simulator.audio.recordings import recording
from simulator.audio.synthesis import check_voice
from simulator.engines.profiles import EngineTarget
from simulator.errors import UnknownName
from simulator.participant.host import InProcessHost
from simulator.participant.hosted_run import HostedRun, must
from simulator.participant.messages import (
    ChooseVoice,
    Impair,
    PlayStudy,
    RecogniseWords,
    SetTalk,
    VoiceKind,
)
from simulator.participant.recording_queue import folder_called, recordings_in
from simulator.participant.recordings import open_named, open_recording
from simulator.participant.run_transcript import run_transcript
from simulator.record.entries import Direction, Entry
from simulator.record.measures import Measures
from simulator.study import steps
from simulator.study.needs import needed_tools
from simulator.study.runner import Missed
from simulator.units import NS_PER_S

End = Literal["finished", "interrupted", "connection ended"]


class RunVoice(msgspec.Struct, frozen=True):
    """Who speaks: the recordings and texts of the study, one recording for all of it, a microphone, or nobody."""

    kind: VoiceKind
    recording: str | None = None
    """Instead of the study's own recordings and texts."""


class Recogniser(msgspec.Struct, frozen=True):
    """Whether the participant's words are put into the record, and by which model (see `RecogniseWords`)."""

    on: bool = False
    model: str | None = None


class RunOutcome(msgspec.Struct, rename="camel"):
    """What came of a run. Times are seconds from the start of its record."""

    record: str | None = None
    end: End = "interrupted"
    answers: list[dict[str, Any]] = []
    own_answers: list[dict[str, Any]] = []
    """What the participant answered, as the study says."""
    chat: list[dict[str, Any]] = []
    """What the agent wrote in the text chat."""
    transcript: list[dict[str, Any]] = []
    """What was said and written, in words (see `run_transcript`); filled when the run ends."""
    unanswered: list[Missed] = []
    missed_replies: list[Missed] = []
    problems: list[str] = []
    latencies: dict[str, list[float]] = {}
    """Milliseconds, by name, as the window's latencies."""
    recorded: bool = True
    """Whether all of it reached the disk."""
    refused: int = 0
    """Steps that could not be done as the study says: `problems` tells why."""

    def connection_ended(self) -> None:
        """The connection ended before the study did."""
        self.end = "connection ended"

    @property
    def complete(self) -> bool:
        """Whether the study came to its end with every step done, every question answered, every reply heard and all
        of it recorded.
        """
        in_vain = self.refused or self.unanswered or self.missed_replies
        return self.end == "finished" and self.recorded and not in_vain


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
        recogniser: Recogniser | None = None,
        specification: str | None = None,
        impairments: Impairments | None = None,
        keep_audio: bool = True,
        faults: Sequence[str] = (),
        told: set[str] | None = None,
    ) -> None:
        """`specification` is the path of the platform's file that is followed; None: our own. `impairments` are done to
        the participant's voice, and the embedded engine breaks the rules that `faults` names. A voice that is a folder
        says its recordings one after the other. `told`: see `HostedRun`.

        Raises UnreadableRecording for a folder without any.
        """
        self._study = study if voice.recording is None else _spoken_by(study, voice.recording)
        self._impairments = impairments
        self._voice = voice
        self._record_folder = record_folder
        self._progress = progress
        self._recogniser = recogniser or Recogniser()
        self._specification = specification
        self._keep_audio = keep_audio
        self._faults = list(faults)
        self._measures = Measures()
        self._part: str | None = None
        self.outcome = RunOutcome()
        self._hosted = HostedRun(target, self.outcome, progress, self._fed, told=told)

    async def run(self) -> RunOutcome:
        """Run to the end. Raises SimulatorError where it cannot begin: a recording, the microphone, the engine."""
        if self._voice.kind is VoiceKind.RECORDING:
            await asyncio.to_thread(_check_sayings, self._study, self._voice)
        try:
            await self._hosted.run(self._begin)
        finally:
            self.outcome.transcript = run_transcript(self._measures.turns)
        return self.outcome

    async def _begin(self, host: InProcessHost) -> None:
        study = self._study
        await must(host.send(RecogniseWords, on=self._recogniser.on, model=self._recogniser.model))
        if self._impairments is not None:
            await must(host.send(Impair, impairments=msgspec.to_builtins(self._impairments)))
        if self._voice.kind is VoiceKind.MICROPHONE:
            await must(host.send(ChooseVoice, kind=VoiceKind.MICROPHONE))
            await must(host.send(SetTalk, down=True))
        await self._hosted.connect(
            host,
            instructions=study.instructions,
            voice=study.voice,
            turn_detection=study.turn_detection,
            record_folder=self._record_folder,
            tools=list(needed_tools(study)),
            specification=self._specification,
            keep_audio=self._keep_audio,
            faults=self._faults,
        )
        await must(host.send(PlayStudy, study=study, speaks=self._voice.kind is VoiceKind.RECORDING))

    def _fed(self, entries: list[Entry]) -> None:
        for entry in entries:
            self._measures.feed(entry)
            if entry.direction is Direction.NOTED:
                self._noted(entry)
        self.outcome.latencies = _by_name(self._measures)

    def _noted(self, entry: Entry) -> None:
        fields, outcome = entry.event, self.outcome
        match entry.type:
            case "study.step":
                self._progress(f"Step {_place(fields)}: {fields['what']}")
                step = self._study.steps[fields["step"]]
                if self._voice.kind is VoiceKind.MICROPHONE and isinstance(step.action, steps.Say):
                    self._progress("Speak now.")
            case "part":
                self._part = fields["name"]
            case "study.refused":
                outcome.refused += 1
                outcome.problems.append(f"Step {_place(fields)}: {fields['sentence']}")
                self._progress(fields["sentence"])
            case "study.ended":
                outcome.unanswered = msgspec.convert(fields["unanswered"], list[Missed])
                outcome.missed_replies = msgspec.convert(fields["missed_replies"], list[Missed])
                if fields["end"] == "finished":
                    outcome.end = "finished"
                if fields["end"] != "session ended":
                    self._hosted.over.set()
            case "answer" if fields["accepted"]:
                self._answered(fields)
            case "own_answer":
                config, kept = fields["config"], {name: fields[name] for name in ("component", "value")}
                question = steps.AskQuestion(fields["component"], config).text
                outcome.own_answers.append(
                    {**kept, "question": question, "part": self._part, "answeredS": entry.t_ns / NS_PER_S}
                )
            case "chat.sent":
                outcome.chat.append({"message": fields["message"], "part": self._part, "sentS": entry.t_ns / NS_PER_S})
                self._progress(f"The agent wrote: {fields['message']}")
            case "problem" if fields.get("code") in ("response_failed", "study_failed"):
                self._hosted.problem(fields["sentence"])

    def _answered(self, fields: dict[str, Any]) -> None:
        kept = {name: fields[name] for name in ("component", "tool", "value", "question", "attempts")}
        times = {"askedS": fields["asked_ns"] / NS_PER_S, "answeredS": fields["answered_ns"] / NS_PER_S}
        self.outcome.answers.append({**kept, "part": self._part, **times})
        value = fields["value"]
        words = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        self._progress(f"The agent answered: {words}")


def _spoken_by(study: steps.Study, voice: str) -> steps.Study:
    """Return the study with one recording for all that is said, or those of a folder in turn, and then from the first.

    A study that says nothing says it at the start.
    """
    sayings = itertools.cycle(_sayings(voice))
    if not study.speaks:
        return msgspec.structs.replace(study, steps=(steps.Step(next(sayings), line=1), *study.steps))
    said = (
        msgspec.structs.replace(step, action=next(sayings)) if isinstance(step.action, steps.Say) else step
        for step in study.steps
    )
    return msgspec.structs.replace(study, steps=tuple(said))


def _sayings(voice: str) -> list[steps.Say]:
    """Return what a recording, or a folder of them, says."""
    try:
        return [steps.Say(recording(voice).name)]
    except UnknownName:
        folder = folder_called(voice)
    if folder is not None:
        return [steps.Say(os.path.realpath(path)) for path in recordings_in(folder)]
    return [steps.Say(os.path.realpath(os.path.expanduser(voice)))]  # noqa: PTH111 - pathlib raises for an unknown user


def _check_sayings(study: steps.Study, voice: RunVoice) -> None:
    """Raise SimulatorError where something that is said cannot be."""
    if voice.recording is not None and folder_called(voice.recording) is None:
        open_recording(voice.recording)
        return
    sayings = dict.fromkeys(step.action for step in study.steps if isinstance(step.action, steps.Say))
    for saying in sayings:
        if saying.recording:
            open_named(saying.recording)
        else:
            check_voice(saying.voice)


def _place(fields: dict[str, Any]) -> str:
    """Return where a step stands: in its file, or in the study where that was imported."""
    return f"in line {fields['line']}" if fields["line"] else f"{fields['step'] + 1}"


def _by_name(measures: Measures) -> dict[str, list[float]]:
    latencies: dict[str, list[float]] = {}
    for latency in measures.latencies:
        latencies.setdefault(latency.name, []).append(round(latency.value_ms, 1))
    return latencies
