"""The record on screen: the live one or that of a check, shown by all panels that draw records, and led through by
clicks on any of them."""

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QTabWidget, QWidget

from ui.models.notices import LIVE
from ui.models.saved_settings import saved_settings
from ui.panels.agent import AgentPanel
from ui.panels.answers import AnswersPanel
from ui.panels.connection import ConnectionPanel
from ui.panels.latency import LatencyPanel
from ui.panels.log import LogPanel
from ui.panels.notices import RecordBanner
from ui.panels.timeline import TimelinePanel
from ui.panels.transcript import TranscriptPanel
from ui.record_view import RecordView
from ui.session_feed import SessionFeed


class RecordDesk(QObject):
    """Gives the panels their record and what is new in it."""

    live_shown = Signal(bool)
    """The record on screen is the live one, or no longer."""

    def __init__(
        self,
        window: QWidget,
        feed: SessionFeed,
        *,
        banner: RecordBanner,
        connection: ConnectionPanel,
        timeline: TimelinePanel,
        tabs: QTabWidget,
        log: LogPanel,
        transcript: TranscriptPanel,
        latency: LatencyPanel,
        answers: AnswersPanel,
        agent: AgentPanel,
    ) -> None:
        super().__init__(window)
        self._feed, self._shown = feed, feed.view
        self._banner, self._connection, self._agent = banner, connection, agent
        self._timeline, self._tabs, self._log = timeline, tabs, log
        self._transcript, self._latency, self._answers = transcript, latency, answers
        feed.entries_added.connect(self._take_entries)
        feed.view_started.connect(self._view_started)
        feed.now_changed.connect(self._show_now)
        banner.back_requested.connect(self.show_live)
        log.entry_selected.connect(lambda entry: timeline.show_time(entry.t_ns))
        for source in (timeline, transcript, latency):
            source.mark_clicked.connect(self.show_seq)
        answers.answer_clicked.connect(self.show_seq)

    @property
    def shown(self) -> RecordView:
        """The record on screen."""
        return self._shown

    @property
    def name(self) -> str:
        """What the record on screen is called among others: its path, and LIVE for the live one."""
        return LIVE if self._shown is self._feed.view else str(self._shown.path or self._shown.title)

    def show_live(self) -> None:
        """Put the live session on screen."""
        self.show_view(self._feed.view)

    def show_view(self, view: RecordView) -> None:
        """Put a record on screen."""
        self._shown = view
        is_live = view is self._feed.view
        self._banner.show_title("" if is_live else view.title, view.impaired, view.replay_of)
        self.live_shown.emit(is_live)
        self._timeline.set_source(view.measures, view.lanes, ended_ns=None if is_live else view.now_ns)
        if is_live:
            self._timeline.set_now(view.now_ns)
        self._transcript.set_source(view.measures, ended=not is_live)
        self._latency.set_source(view.measures, ended=not is_live)
        self._answers.set_view(view)
        self._agent.show_saved(None if is_live else saved_settings(view.entries.without_audio()))
        self._log.set_view(view)
        self._connection.show_problems(view.problems)

    def show_seq(self, seq: int) -> None:
        """Go to an entry: its row in the log, its time in the timeline."""
        position = self._shown.position_of(seq)
        if position is None:
            return
        self._tabs.setCurrentWidget(self._log)
        self._log.show_seq(seq)
        self._timeline.show_time(self._shown.entries[position].t_ns)

    def _view_started(self, view: RecordView) -> None:
        if not self._shown.title:
            self.show_view(view)
        self._agent.show_answer(None)

    def _take_entries(self, first: int, last: int) -> None:
        live = self._feed.view
        for entry in live.entries[first:last]:
            if entry.type == "answer":
                self._agent.show_answer(entry)
        if self._shown is not live:
            return
        self._log.take_new()
        self._answers.take_new()
        self._transcript.refresh()
        self._latency.refresh()
        self._timeline.refresh()
        self._connection.show_problems(live.problems)

    def _show_now(self, now_ns: int) -> None:
        self._connection.show_now(now_ns)
        if self._shown is self._feed.view:
            self._timeline.set_now(now_ns)
