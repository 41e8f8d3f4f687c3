"""What speaks and acts by itself in a session: a study that is played, a session that is replayed, a cue."""

from collections.abc import Callable, Mapping

from simulator.errors import UsageError
from simulator.participant.cues import Cues
from simulator.participant.live_events import LiveEvent
from simulator.participant.messages import CancelCue, Cue, PlayStudy, Replay, Speak, StopReplay, StopStudy
from simulator.participant.replay_player import Execute, ReplayPlayer
from simulator.participant.replay_source import ReadPlan
from simulator.participant.session_commands import NOT_CONNECTED
from simulator.participant.study_player import StudyPlayer
from simulator.participant.voice import Voice
from simulator.session.participant import ParticipantSession
from simulator.study.steps import Study

PerformanceCommand = PlayStudy | StopStudy | Speak | Replay | StopReplay | Cue | CancelCue


class Performances:
    """Belongs to the loop.

    `execute` executes a command as if it came from the operator, `note` writes into the record, `session` is the one
    that is open and not about to end, `agent_heard` says whether the agent is audible now and `sounding_until_ns` until
    when, `changed` is called when the status may have changed, `on_study` gets each study that began, `read_plan`
    gives the plan of a record, in a thread.
    """

    def __init__(
        self,
        execute: Execute,
        voice: Voice,
        note: Callable[[str, Mapping[str, object]], None],
        session: Callable[[], ParticipantSession | None],
        *,
        agent_heard: Callable[[], bool],
        sounding_until_ns: Callable[[], int],
        changed: Callable[[], None],
        on_study: Callable[[Study], None],
        read_plan: ReadPlan,
    ) -> None:
        self.studies = StudyPlayer(execute, voice, note, session, agent_heard, changed)
        self.replays = ReplayPlayer(execute, voice, note, session, changed, read_plan)
        self.cues = Cues(voice, self.studies.sayings, sounding_until_ns, note, changed)
        self._session = session
        self._on_study = on_study

    async def command(self, command: PerformanceCommand) -> None:
        """Execute a command. Raises SimulatorError where it cannot be done: a study and a replay exclude each other."""
        if self._session() is None:
            raise UsageError(NOT_CONNECTED)
        match command:
            case Cue() | CancelCue():
                await self.cues.command(command)
            case Replay() if self.studies.progress is not None:
                raise UsageError("A study is played: stop it first.")
            case PlayStudy() if self.replays.busy:
                raise UsageError("A session is replayed: stop that first.")
            case Replay() | StopReplay():
                await self.replays.command(command)
            case PlayStudy(study=study):
                await self.studies.command(command)
                self._on_study(study)
            case StopStudy() | Speak():
                await self.studies.command(command)

    def happened(self, event: LiveEvent) -> None:
        """Tell them what they may wait for."""
        self.studies.happened(event)
        self.replays.happened(event)
        self.cues.happened(event)

    async def session_over(self) -> None:
        """The session ended, and all of them with it."""
        self.cues.close()
        await self.studies.session_over()
        await self.replays.session_over()

    async def close(self) -> None:
        """End for good."""
        await self.replays.session_over()
        await self.studies.close()
