"""A replay without a window: the participant plays it as for the window, and its record says what came of it.

The run ends when the replay is over, when the connection ends, or when it is cancelled; what was recorded until then
stands in its outcome.
"""

from collections.abc import Callable
from typing import Any, Literal

import msgspec

from simulator.engines.profiles import EngineTarget
from simulator.participant.host import InProcessHost
from simulator.participant.hosted_run import HostedRun, must
from simulator.participant.messages import RecogniseWords, Replay
from simulator.participant.replay_source import check_acts
from simulator.participant.study_run import Recogniser
from simulator.record.entries import Direction, Entry
from simulator.record.replay.deeds import By, Plan

End = Literal["finished", "interrupted", "connection ended", "failed"]


class ReplayOptions(msgspec.Struct, frozen=True):
    """How a record is replayed; None: as it was recorded."""

    by: By = "replies"
    turn_detection: dict[str, Any] | None = None
    """The whole wire object."""
    instructions: str | None = None
    """Those that the session begins with."""
    specification: str | None = None
    """The path of the platform's file that is followed; None: our own."""
    keep_audio: bool = True
    recogniser: Recogniser = Recogniser()
    faults: list[str] = []
    """Rules that the embedded engine is to break."""


class MissedReply(msgspec.Struct, frozen=True):
    """A reply of the record, by its number from 1, for which the new session has none."""

    exchange: int
    what: str


class RefusedAct(msgspec.Struct, frozen=True):
    """An act of the record, by its number from 1, that could not be done, or a question left unanswered."""

    act: int
    sentence: str


class ReplayOutcome(msgspec.Struct, rename="camel"):
    """What came of a replay."""

    source: str
    """The .jsonl file that was replayed."""
    by: By
    record: str | None = None
    """That of the new session."""
    end: End = "interrupted"
    acts: int = 0
    done: int = 0
    """Acts that began."""
    missed: list[MissedReply] = []
    refused: list[RefusedAct] = []
    lacks: list[str] = []
    """What of the record cannot be done again, in sentences."""
    problems: list[str] = []
    recorded: bool = True
    """Whether all of it reached the disk."""

    def connection_ended(self) -> None:
        """The connection ended before the replay did."""
        self.end = "connection ended"

    @property
    def complete(self) -> bool:
        """Whether all was done again, every reply came, and all of it was recorded."""
        return self.end == "finished" and self.recorded and not (self.missed or self.refused or self.lacks)


class ReplayRun:
    """One run. `progress` is told each act in a sentence; `outcome` holds what is known at any time."""

    def __init__(
        self,
        plan: Plan,
        target: EngineTarget,
        record_folder: str | None,
        options: ReplayOptions,
        progress: Callable[[str], None],
    ) -> None:
        self._plan = plan
        self._record_folder = record_folder
        self._options = options
        self._progress = progress
        self.outcome = ReplayOutcome(str(plan.source), options.by, acts=len(plan.acts), lacks=list(plan.lacks))
        self._hosted = HostedRun(target, self.outcome, progress, self._fed, lambda record: plan)

    async def run(self) -> ReplayOutcome:
        """Run to the end. Raises SimulatorError where it cannot begin: the engine, the tools, the record."""
        check_acts(self._plan)
        await self._hosted.run(self._begin)
        return self.outcome

    async def _begin(self, host: InProcessHost) -> None:
        options, recorded = self._options, self._plan.settings
        await must(host.send(RecogniseWords, on=options.recogniser.on, model=options.recogniser.model))
        await self._hosted.connect(
            host,
            instructions=recorded.instructions if options.instructions is None else options.instructions,
            voice=recorded.voice,
            turn_detection=options.turn_detection or recorded.turn_detection,
            record_folder=self._record_folder,
            tools=list(recorded.tools),
            specification=options.specification,
            keep_audio=options.keep_audio,
            replay=str(self._plan.source),
            faults=options.faults,
        )
        await must(host.send(Replay, record=str(self._plan.source), by=options.by))

    def _fed(self, entries: list[Entry]) -> None:
        for entry in entries:
            if entry.direction is Direction.NOTED:
                self._noted(entry)

    def _noted(self, entry: Entry) -> None:
        fields, outcome = entry.event, self.outcome
        match entry.type:
            case "replay.act":
                outcome.done += 1
                self._progress(f"{fields['number']} of {outcome.acts}: {fields['what']}.")
            case "replay.missed":
                outcome.missed.append(MissedReply(fields["exchange"], fields["what"]))
                self._progress(f"Reply {fields['exchange']} of the record: {fields['what']}.")
            case "replay.refused":
                outcome.refused.append(RefusedAct(fields["number"], fields["sentence"]))
                self._progress(f"{fields['number']} of {outcome.acts}: {fields['sentence']}")
            case "replay.ended" if fields["end"] in ("finished", "failed"):
                outcome.end = fields["end"]
                self._hosted.over.set()
            case "problem" if fields.get("code") in ("response_failed", "replay_failed"):
                self._hosted.problem(fields["sentence"])
