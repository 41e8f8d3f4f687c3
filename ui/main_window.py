"""The window: which panels and desks it has, and which lies where. Everything else lives in them."""

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QMainWindow,
    QSplitter,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from simulator.engines.profiles import config_folder
from simulator.participant.messages import ConnectionState, Level, Status, VoiceKind
from simulator.profile.agent_spec import AgentSpec
from simulator.profile.facts import TURN_DETECTIONS
from simulator.profile.tools import TOOLS
from simulator.resources import data_folder
from ui.calls_desk import CallsDesk
from ui.checks_desk import ChecksDesk
from ui.checks_feed import ChecksFeed
from ui.choices import Choices
from ui.commands import SessionCommands
from ui.composer_desk import ComposerDesk
from ui.devices_desk import DevicesDesk
from ui.devices_feed import DevicesFeed
from ui.ending import Ending
from ui.faults_feed import FaultsFeed
from ui.keeping import Keeping
from ui.mark_desk import MarkDesk
from ui.menus import TABS, WindowMenus
from ui.models.deck import Deck
from ui.models.notices import Notice
from ui.models.presets import FILE_NAME, Presets
from ui.panels.agent import VOICES, AgentPanel
from ui.panels.answers import AnswersPanel
from ui.panels.checks import ChecksPanel
from ui.panels.composer import ComposerPanel
from ui.panels.connection import ConnectionPanel
from ui.panels.latency import LatencyPanel
from ui.panels.log import LogPanel
from ui.panels.notice_bar import NoticeBar
from ui.panels.notices import FaultsBanner, RecordBanner
from ui.panels.replay_banner import ReplayBanner
from ui.panels.study import StudyPanel
from ui.panels.timeline import TimelinePanel
from ui.panels.transcript import TranscriptPanel
from ui.presenter_desk import PresenterDesk
from ui.recognition import Recognition
from ui.record_desk import RecordDesk
from ui.replay_desk import ReplayDesk
from ui.reports_feed import ReportsFeed
from ui.session_feed import SessionFeed
from ui.session_table_desk import SessionTableDesk
from ui.sessions_desk import SessionsDesk
from ui.settings import WindowSettings
from ui.sound_desk import SoundDesk
from ui.specification_desk import SpecificationDesk
from ui.study_desk import StudyDesk
from ui.talk_key import takes_text
from ui.talking import Talking
from ui.theme import Scheme, Theme
from ui.voice_desk import VoiceDesk
from ui.volume_desk import VolumeDesk
from ui.window_signals import connect_desks, connect_panels

TITLE = "Participant Simulator"


class MainWindow(QMainWindow):
    """Composed of a feed and panels; `start` sets its processes going, `ended` says that all of them are gone."""

    ended = Signal()

    def __init__(
        self,
        feed: SessionFeed,
        theme: Theme,
        *,
        checks: ChecksFeed | None = None,
        devices: DevicesFeed | None = None,
        reports: ReportsFeed | None = None,
        faults: FaultsFeed | None = None,
    ) -> None:
        super().__init__()
        self.setWindowTitle(TITLE)
        self.feed = feed
        self.theme = theme
        modes = [str(mode["type"]) for mode in TURN_DETECTIONS]
        self.checks_feed = checks or ChecksFeed(modes, data_folder() / "checks")
        self.devices_feed = devices or DevicesFeed()
        self.reports_feed = reports or ReportsFeed()
        self.faults_feed = faults or FaultsFeed()
        for child in (feed, self.checks_feed, self.devices_feed, self.reports_feed, self.faults_feed):
            child.setParent(self)
        self.settings = WindowSettings(config_folder())
        self.commands = SessionCommands(feed, self)
        self._leaves_study = False
        self._ending = Ending(self, feed, self.checks_feed)
        self._ending.ended.connect(self.ended)
        self._make_panels()
        self.voice_desk = VoiceDesk(self, theme, feed)
        self.marking = MarkDesk(self, feed)
        self.sound = SoundDesk(self, theme, feed, self.settings, self.connection.sound_sign)
        self.volume = VolumeDesk(feed, self.settings, self)
        self.connection.put_beside_output(self.volume.button)
        self._lay_out()
        self.record = RecordDesk(
            self,
            feed,
            banner=self.banner,
            connection=self.connection,
            timeline=self.timeline,
            tabs=self.tabs,
            log=self.log,
            transcript=self.transcript,
            latency=self.latency,
            answers=self.answers,
            agent=self.agent,
        )
        self.sessions = SessionsDesk(
            self, feed, self.record, self.banner, self.timeline, self.settings, lambda: self.choices.output
        )
        self.study_desk = StudyDesk(
            self, theme, self.deck, self.study, feed, self.commands, self.agent, self.connection, self.settings
        )
        self.recognition = Recognition(self, feed, self.settings, self.transcript)
        self.choices = Choices(self.connection, self.commands, self.devices_feed, self.settings, theme)
        self.talking = Talking(self, feed, self.commands, self.settings, self.connection)
        self.devices = DevicesDesk(self, theme, feed, self.devices_feed, self.choices)
        self.desk = ChecksDesk(
            self,
            theme,
            feed,
            self.checks_feed,
            self.reports_feed,
            self.faults_feed,
            self.connection,
            self.checks,
        )
        self.composing = ComposerDesk(self, feed, self.composer, self.log)
        self.calls = CallsDesk(self, feed, self.agent.calls)
        self.specification = SpecificationDesk(self, theme, feed, self.settings, self.agent)
        self.keeping = Keeping(self, self.settings)
        self.replaying = ReplayDesk(
            self,
            theme,
            feed,
            self.commands,
            self.settings,
            record=self.record,
            sessions=self.sessions,
            checks=self.desk,
            specification=self.specification,
            keeping=self.keeping,
            connection=self.connection,
            agent=self.agent,
            banner=self.replay_banner,
            record_banner=self.banner,
        )
        self.session_table = SessionTableDesk(self, theme, feed, self.sessions, self.settings)
        self._present()
        self.menus = WindowMenus(self)
        connect_desks(self)
        connect_panels(self)
        self._restore()
        self.record.show_live()
        self.show_status(feed.status)

    def start(self, record: Path | None = None) -> None:
        """Start the participant process, ask for devices and checks in the background, and open `record`."""
        self.setFocus()
        self.feed.start()
        self.devices_feed.refresh()
        self.checks_feed.list_checks()
        self.study_desk.restore()
        if record is not None:
            self.sessions.open(record)

    def toggle_connection(self) -> None:
        """Connect, or disconnect."""
        if self.replaying.replayed:
            self.replaying.stop()
            return
        if self.feed.status.connection is not ConnectionState.IDLE:
            self.commands.close_session()
            return
        self.record.show_live()
        panel = self.connection
        self.settings.remember_engine(panel.engine)
        self.commands.open_session(
            panel.engine,
            panel.turn_detection,
            self.agent.instructions,
            self.agent.voice,
            self.desk.faults,
            self.study_desk.tools,
            self.specification.path,
            keep_audio=self.keeping.keeps_audio,
        )

    def end(self) -> None:
        """Close, whatever is unsaved: the user was asked, or the system ends the program."""
        self._leaves_study = True
        self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Hide at once, unless the study is unsaved; the processes end within two seconds, then `ended` follows."""
        if self.deck.unsaved and not (self._ending.begun or self._leaves_study):
            event.ignore()
            self.study_desk.files.guard(self.end)
            return
        event.accept()
        if self._ending.begun:
            return
        self.desk.close()
        self.settings.save(self.presenting.layout)
        self.study_desk.close()
        feeds = (self.devices_feed, self.reports_feed, self.faults_feed)
        desks = (self.choices.adder, self.devices, self.sessions, self.replaying, self.session_table)
        self._ending.begin([*feeds, *desks])

    def quit(self) -> None:
        """Close the window, as its cross does."""
        self.close()

    def _make_panels(self) -> None:
        theme = self.theme
        self.connection = ConnectionPanel(theme)
        self.notices = NoticeBar(theme)
        self.banner = RecordBanner(theme)
        self.misbehaviour = FaultsBanner(theme)
        self.replay_banner = ReplayBanner(theme)
        self.deck = Deck()
        self.study = StudyPanel(self.deck, theme)
        self.agent = AgentPanel(theme)
        self.timeline = TimelinePanel(theme)
        self.log = LogPanel(theme, self.feed.view)
        self.transcript = TranscriptPanel(theme)
        self.checks = ChecksPanel(theme, self.checks_feed)
        self.latency = LatencyPanel(theme)
        self.answers = AnswersPanel(theme)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.composer = ComposerPanel(theme, TOOLS, VOICES, Presets(config_folder() / FILE_NAME))
        panels = (self.log, self.transcript, self.checks, self.latency, self.answers, self.composer)
        for name, panel in zip(TABS, panels, strict=True):
            self.tabs.addTab(panel, name)

    def _lay_out(self) -> None:
        self._centre = QSplitter(Qt.Orientation.Vertical)
        self._centre.addWidget(self.timeline)
        self._centre.addWidget(self.tabs)
        self._centre.setStretchFactor(0, 1)
        self._centre.setStretchFactor(1, 1)
        self._centre.setSizes([310, 340])
        self._columns = QSplitter(Qt.Orientation.Horizontal)
        for panel, stretch in ((self.study, 1), (self._centre, 6), (self.agent, 2)):
            self._columns.addWidget(panel)
            self._columns.setStretchFactor(self._columns.count() - 1, stretch)
        self._columns.setSizes([268, 702, 310])
        self.study.setMinimumWidth(268)
        self.agent.setMinimumWidth(240)
        central = QWidget()
        rows = self._rows = QVBoxLayout(central)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addWidget(self.connection)
        rows.addWidget(self.voice_desk.bar)
        rows.addWidget(self.voice_desk.banner)
        rows.addWidget(self.marking.bar)
        rows.addWidget(self.replay_banner)
        rows.addWidget(self.misbehaviour)
        rows.addWidget(self.sound.banner)
        rows.addWidget(self.sound.strip)
        rows.addWidget(self.notices)
        rows.addWidget(self.banner)
        rows.addWidget(self._columns, 12)
        self.setCentralWidget(central)
        self._splitters = {
            "columns": self._columns,
            "centre": self._centre,
            "log": self.log.splitter,
            "composer": self.composer.reply.splitter,
            "checks": self.checks.splitter,
            "study": self.study.splitter,
        }
        # Space is the talk key: a button or a picker takes it only when it was reached by Tab.
        takers = [*self.findChildren(QAbstractButton), *self.findChildren(QComboBox)]
        for taker in takers:
            if not takes_text(taker):
                taker.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def _present(self) -> None:
        """Make the presenter view, of what stands in the window."""
        sound = self.sound
        strips = (self.replay_banner, self.misbehaviour, sound.banner, sound.strip, self.notices, self.banner)
        self.presenting = PresenterDesk(
            self,
            self.theme,
            self.feed,
            self.checks_feed,
            self.sessions.player,
            record=self.record,
            timeline=self.timeline,
            connection=self.connection,
            checks=self.checks,
            tabs=self.tabs,
            hidden=(self.connection, self.study, self.agent, self.tabs),
            strips=[strip.text for strip in strips],
            splitters=self._splitters,
        )
        self._rows.insertWidget(0, self.presenting.bar)
        self._rows.addWidget(self.presenting.checks, 7)

    def _restore(self) -> None:
        self.resize(1280, 800)
        self.settings.restore(self, self._splitters)
        scheme = self.settings.text("scheme")
        if scheme in set(Scheme):
            self.theme.choose(Scheme(scheme))
        self.choices.load_engines()
        self.specification.restore()

    def follow(self, spec: AgentSpec) -> None:
        """Take tools, turn detections and the words of questions from a specification."""
        self.connection.follow(spec)
        self.study.pushes.follow(spec.wording)
        self.study_desk.editing.wording = spec.wording
        self.composer.reply.set_tools(spec.tools)
        self.desk.specification = self.specification.path

    def show_status(self, status: Status) -> None:
        """Show the state of the session in panels, strips and the title."""
        self.connection.show_status(status)
        self.agent.show_status(status)
        self.notices.show_lacks(status.lacks, hints=status.connection is ConnectionState.IDLE)
        faults = [] if status.connection is ConnectionState.IDLE else status.faults
        self.misbehaviour.show_faults(faults, self.faults_feed.choice.described(faults))
        idle = status.connection is ConnectionState.IDLE
        speak = "hold Space and speak" if self.connection.voice.kind is VoiceKind.MICROPHONE else "Talk (Space)"
        self.timeline.set_empty_text(f"Connect (F5), then {speak}: the conversation appears here" if idle else "")
        waits = "a call waits · " if status.held_calls else ""
        replayed = f"replaying {self.replaying.replayed} · " if self.replaying.replayed else ""
        state = f"{waits}{replayed}{status.engine} · {status.connection.value}"
        self.setWindowTitle(TITLE if idle else f"{state} — {TITLE}")

    def show_level(self, level: Level) -> None:
        """Show how loud the voice is."""
        self.connection.show_level(level)

    def tell(self, sentence: str) -> None:
        """Tell what went wrong in the live session."""
        self.notices.tell(sentence)

    def tell_of_record(self, sentence: str) -> None:
        """Tell what went wrong with the record on screen: it goes with it."""
        self.tell_quietly(Notice(sentence, self.record.name))

    def tell_quietly(self, notice: Notice) -> None:
        """Tell a notice about sessions, unless the table of sessions tells it."""
        if not self.session_table.in_front:
            self.notices.tell(notice)

    def show_tab(self, place: int) -> None:
        """Show the tab at `place` and type into it."""
        self.tabs.setCurrentIndex(place)
        panel = self.tabs.currentWidget()
        if panel is not None:
            panel.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def filter_log(self) -> None:
        """Show the log, and type into its filter."""
        self.tabs.setCurrentWidget(self.log)
        self.log.focus_filter()

    def show_problems(self) -> None:
        """Show the log, and only the problems in it."""
        self.tabs.setCurrentWidget(self.log)
        self.log.show_problems()

    def stop_reply_or_typing(self) -> None:
        """Stop the reply; without one, leave the field being typed into."""
        if not self.commands.stop_reply() and takes_text(QApplication.focusWidget()):
            self.setFocus()

    def run_all_checks(self) -> None:
        """Show the checks and run all of them."""
        self.tabs.setCurrentWidget(self.checks)
        self.desk.run_all()
