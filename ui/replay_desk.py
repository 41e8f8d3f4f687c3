"""A saved session replayed against an engine: asked how, connected, replayed on screen, and both sessions compared."""

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from simulator.engines.profiles import EMBEDDED, load_profiles
from simulator.errors import SimulatorError
from simulator.participant.messages import Connect, ConnectionState, Replay, SetListening, SetMuted, Status, StopReplay
from simulator.record.folder import record_file
from simulator.record.replay.deeds import By, Plan
from simulator.record.replay.plan import plan as read_plan
from ui.actions import Deed
from ui.checks_desk import ChecksDesk
from ui.commands import SessionCommands
from ui.dialogs.replay import Offered, ReplayDialog
from ui.keeping import Keeping
from ui.models.replay import ReplayChoice, lost, name_of, tools_of
from ui.models.turn_detections import title_of
from ui.panels.agent import AgentPanel
from ui.panels.connection import ConnectionPanel
from ui.panels.notices import RecordBanner
from ui.panels.replay_banner import ReplayBanner
from ui.record_desk import RecordDesk
from ui.session_feed import SessionFeed
from ui.sessions_desk import SessionsDesk
from ui.settings import WindowSettings
from ui.specification_desk import SpecificationDesk
from ui.theme import Theme

NAME: Final = "Re&play against an engine…"
_KEY: Final = "Ctrl+F5"
_BY: Final = "replay_by"
_NO_SESSION: Final = "There is nothing to replay yet: open a saved session (F3), or hold one and disconnect (F5)."
_STILL_HELD: Final = "The session on screen still goes on: disconnect (F5), then replay it."
_STILL_REPLAYED: Final = "A replay goes on already: stop it first, or wait for its end."


@dataclass(slots=True)
class _Run:
    """One replay, from Connect on."""

    source: Path
    choice: ReplayChoice
    muted: bool
    """Whether the voice was muted before, and is to be so again."""
    record: Path | None = None
    """The new record; None: not connected yet."""
    ended: dict[str, Any] | None = None
    """The note `replay.ended`."""
    name: str = field(init=False)

    def __post_init__(self) -> None:
        self.name = name_of(self.source)


class ReplayDesk(QObject):
    """Owns the strip; one replay at a time. `window` is the parent of its dialogs."""

    failed = Signal(str)
    compared = Signal(Path, Path)
    """A replay came to its end: the record that was replayed, and the new one."""
    engines_changed = Signal()
    """The file of engines was edited."""

    def __init__(
        self,
        window: QWidget,
        theme: Theme,
        feed: SessionFeed,
        commands: SessionCommands,
        settings: WindowSettings,
        *,
        record: RecordDesk,
        sessions: SessionsDesk,
        checks: ChecksDesk,
        specification: SpecificationDesk,
        keeping: Keeping,
        connection: ConnectionPanel,
        agent: AgentPanel,
        banner: ReplayBanner,
        record_banner: RecordBanner,
    ) -> None:
        super().__init__(window)
        self._window, self._theme, self._feed, self._commands = window, theme, feed, commands
        self._settings, self._record, self._sessions, self._checks = settings, record, sessions, checks
        self._specification, self._connection, self._agent = specification, connection, agent
        self._keeping = keeping
        self.read = read_plan
        """Makes a plan of a record; called in a thread."""
        self._run: _Run | None = None
        self._typed: dict[Path, str] = {}
        """Instructions that were typed for the replay of a record."""
        self.banner = banner
        self.banner.stop_requested.connect(self.stop)
        self.replay_button = QPushButton("Replay…")
        self.replay_button.setToolTip(f"Hold this session again, with another engine ({_KEY})")
        self.replay_button.clicked.connect(lambda: self.ask())
        self.replay_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        record_banner.add(self.replay_button)
        feed.status_changed.connect(self._take_status)
        feed.entries_added.connect(self._take_entries)

    def deeds(self) -> list[Deed]:
        """Return the entry of the menu."""
        return [Deed(NAME, _KEY, self.ask)]

    @property
    def replayed(self) -> str:
        """The name of the session that is replayed at present; empty: none is."""
        return self._run.name if self._run is not None else ""

    def ask(self, path: Path | None = None) -> None:
        """Ask how to replay a session, given by its folder or .jsonl file; None: the one on screen."""
        if self._run is not None:
            self.failed.emit(_STILL_REPLAYED)
            return
        path = path or self._sessions.shown_path
        if path is None:
            self.failed.emit(_NO_SESSION)
            return
        try:
            path = record_file(path).resolve()
        except SimulatorError as error:
            self.failed.emit(str(error))
            return
        status = self._feed.status
        if status.connection is not ConnectionState.IDLE and status.record_path and Path(status.record_path) == path:
            self.failed.emit(_STILL_HELD)
            return
        typed = self._typed.get(path)
        dialog = ReplayDialog(self._theme, path, self._offered(typed), self.read, self._window)
        dialog.typed.connect(partial(self._typed.__setitem__, path))
        dialog.chosen.connect(partial(self._start, path))
        dialog.disconnect_requested.connect(self._commands.close_session)
        dialog.engines_changed.connect(self.engines_changed)
        dialog.show_status(status)
        self._feed.status_changed.connect(dialog.show_status)
        dialog.open()

    def stop(self) -> None:
        """Stop the replay and end its session; both records stay."""
        run = self._run
        if run is None:
            return
        if self._feed.status.replay is not None:
            self._feed.send(StopReplay(id=0), lambda _error: None)
        self._over()
        self._commands.close_session()

    def stop_and_wait(self) -> None:
        """Wait for nothing any more: the window closes, and its process ends the session."""
        self._run = None

    def _offered(self, typed: str | None) -> Offered:
        connection, impairments = self._connection, self._feed.status.impairments
        by: By = "clock" if self._settings.text(_BY) == "clock" else "replies"
        try:
            engines = [profile.name for profile in load_profiles()]
        except SimulatorError as error:
            engines = [EMBEDDED]
            self.failed.emit(str(error))
        return Offered(
            engines=engines,
            engine=connection.engine,
            conformance=self._checks.conformance,
            specification=self._specification.spec,
            instructions=self._agent.instructions,
            typed=typed,
            faults=self._checks.chosen_faults,
            impaired=impairments.words if impairments is not None else "",
            by=by,
        )

    def _start(self, source: Path, plan: Plan, choice: ReplayChoice) -> None:
        self._settings.set_text(_BY, choice.by)
        run = self._run = _Run(source, choice, self._feed.status.muted)
        self._record.show_live()
        self._connection.show_elsewhere(choice.engine, title_of(choice.turn_detection))
        self.banner.show_replay(run.name, choice.engine, None)
        if not self._feed.status.listening:  # a record that began so has it among its deeds
            self._feed.send(SetListening(id=0, on=True))
        if run.muted:
            self._feed.send(SetMuted(id=0, muted=False))
        command = Connect(
            id=0,
            engine=choice.engine,
            turn_detection=choice.turn_detection,
            instructions=choice.instructions,
            voice=plan.settings.voice,
            tools=tools_of(plan, self._specification.spec)[0],
            faults=self._checks.chosen_faults if choice.engine == EMBEDDED else [],
            specification=self._specification.path,
            keep_audio=self._keeping.keeps_audio,
            replay=str(source),
        )
        self._feed.send(command, partial(self._connected, run))

    def _connected(self, run: _Run, error: str | None) -> None:
        if self._run is not run:  # stopped meanwhile
            return
        if error is not None:
            self._over()
            self.failed.emit(error)
            return
        run.record = Path(self._feed.status.record_path or "")
        self._feed.send(Replay(id=0, record=str(run.source), by=run.choice.by), partial(self._begun, run))

    def _begun(self, run: _Run, error: str | None) -> None:
        if self._run is run and error is not None:
            self._over()
            self._commands.close_session()
            self.failed.emit(error)

    def _take_status(self, status: Status) -> None:
        run = self._run
        if run is None or run.record is None:
            return
        if status.connection is ConnectionState.IDLE:
            self._over()
            self._tell_end(run)
        elif run.ended is None and status.replay is not None:
            self.banner.show_replay(run.name, run.choice.engine, status.replay)

    def _take_entries(self, first: int, last: int) -> None:
        run = self._run
        if run is None or run.record is None or run.ended is not None:
            return
        for entry in self._feed.view.entries[first:last]:
            if entry.type == "replay.ended":
                run.ended = entry.event
                self.banner.show_ending(run.name)
                if self._feed.status.connection is ConnectionState.CONNECTED:
                    self._commands.close_session()

    def _over(self) -> None:
        if self._run is not None and self._run.muted:
            self._feed.send(SetMuted(id=0, muted=True))
        self._run = None
        self.banner.hide()
        self._connection.show_elsewhere("", "")

    def _tell_end(self, run: _Run) -> None:
        """The session has ended: compare where the replay came to its end, else say that it did not."""
        if run.ended is None or run.ended.get("end") != "finished":
            self.failed.emit(f"The replay of {run.name} did not come to its end: the log says why.")
            return
        if sentence := lost(run.name, run.ended):
            self.failed.emit(sentence)
        assert run.record is not None
        self.compared.emit(run.source, run.record)
