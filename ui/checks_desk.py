"""What is done with the checks of the engine in the picker: run, with which faults, and what their reports and records
show."""

from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from simulator.engines.profiles import EMBEDDED
from simulator.errors import SimulatorError
from simulator.participant.messages import ConnectionState
from ui.background import Background
from ui.checks_feed import ChecksFeed
from ui.dialogs.faults import FaultsDialog
from ui.faults_feed import FaultsFeed
from ui.models.checks_model import CellKey, title_of
from ui.models.conformance import Conformance
from ui.panels.checks import ChecksPanel
from ui.panels.connection import ConnectionPanel
from ui.record_view import RecordView
from ui.reports_desk import ReportsDesk
from ui.reports_feed import ReportsFeed
from ui.saved_record import load_view
from ui.session_feed import SessionFeed
from ui.theme import Theme


class ChecksDesk(QObject):
    """Joins the panels of engine and checks to their feeds. `window` is the parent of its dialogs."""

    record_opened = Signal(RecordView)
    """The record of a check was read."""
    reports_counted = Signal(int)
    """How many reports there are about the engine in the picker."""
    failed = Signal(str)

    def __init__(
        self,
        window: QWidget,
        theme: Theme,
        session: SessionFeed,
        checks_feed: ChecksFeed,
        reports_feed: ReportsFeed,
        faults_feed: FaultsFeed,
        connection: ConnectionPanel,
        checks: ChecksPanel,
    ) -> None:
        super().__init__(window)
        self._window, self._theme, self._session = window, theme, session
        self._checks_feed, self._reports_feed, self._faults_feed = checks_feed, reports_feed, faults_feed
        self._connection, self._checks = connection, checks
        self._reports = ReportsDesk(reports_feed, window)
        self._background = Background(self)
        self._wanted: CellKey | None = None
        self.specification: str | None = None
        """The file that the checks follow; None: the program's own statement."""
        for source in (checks_feed, faults_feed, self._reports):
            source.failed.connect(self.failed)
        checks_feed.run_ended.connect(self._run_ended)
        reports_feed.changed.connect(self._show_reports)
        faults_feed.changed.connect(self._show_faults)
        connection.engine_chosen.connect(self._show_reports)
        connection.faults_requested.connect(self.ask_faults)
        checks.run_requested.connect(self._run)
        checks.record_requested.connect(self._open_record)
        checks.report_requested.connect(self.open_report)
        checks.save_requested.connect(self.save_report)
        checks.compare_requested.connect(self.compare_reports)

    @property
    def faults(self) -> list[str]:
        """The rules that the engine in the picker is to break."""
        return self.chosen_faults if self._connection.engine == EMBEDDED else []

    @property
    def chosen_faults(self) -> list[str]:
        """The rules that the embedded engine is to break, whichever engine is in the picker."""
        return list(self._faults_feed.choice.chosen)

    @property
    def conformance(self) -> Conformance:
        """What the stored reports say about the engines."""
        return self._reports_feed.conformance

    def run_all(self) -> None:
        """Run all checks against the engine in the picker."""
        self._run(self._checks_feed.model.all_keys())

    def ask_faults(self) -> None:
        """Let the user choose rules that the embedded engine is to break."""
        self._faults_feed.refresh()
        connected = self._session.status.connection is not ConnectionState.IDLE
        FaultsDialog(self._theme, self._faults_feed, connected, self._window).open()

    def open_report(self) -> None:
        """Show the newest report in the browser."""
        self._reports.open_page(self._connection.engine, self.faults)

    def save_report(self) -> None:
        """Copy the newest report to where the user says."""
        self._reports.save(self._connection.engine, self.faults)

    def compare_reports(self) -> None:
        """Show what changed from an earlier report to the newest."""
        self._reports.compare(self._connection.engine, self.faults)

    def close(self) -> None:
        """Ask for nothing further: the window closes."""
        self._checks_feed.run_ended.disconnect(self._run_ended)

    def _run(self, keys: list[CellKey]) -> None:
        repeat, jobs = self._checks.repeat, self._checks.jobs
        self._checks_feed.run(
            self._connection.engine,
            keys,
            repeat=repeat,
            jobs=jobs,
            faults=self.faults,
            specification=self.specification,
        )

    def _run_ended(self) -> None:
        self._checks.refresh()
        self._reports_feed.refresh()

    def _show_faults(self) -> None:
        self._connection.show_faults(self._faults_feed.choice.chosen)
        self._show_reports()

    def _show_reports(self) -> None:
        self._connection.show_conformance(self._reports_feed.conformance)
        count = len(self._reports.reports(self._connection.engine, self.faults))
        self._checks.show_reports(count)
        self.reports_counted.emit(count)

    def _open_record(self, key: CellKey) -> None:
        """Read the record of a check in the background."""
        path = self._checks_feed.model.cells[key].record
        if path is None:
            return
        self._wanted = key

        def loaded(view: RecordView | None, error: Exception | None) -> None:
            if self._wanted != key:
                return
            if view is not None:
                self.record_opened.emit(view)
            elif isinstance(error, SimulatorError):
                self.failed.emit(str(error))
            elif error is not None:
                raise error

        self._background.run(partial(load_view, path, title_of(key)), loaded)
