"""The agent: its instructions as asked for and in force, the session as requested and as accepted, its last answer."""

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from simulator.participant.messages import ConnectionState, Status
from simulator.profile.facts import DEFAULT_VOICE
from simulator.record.entries import Entry
from simulator.units import NS_PER_MS
from ui.models.plain import tip
from ui.models.saved_settings import SavedSettings
from ui.models.session_diff import FieldPair, Match, compare_sessions, in_words
from ui.panels.calls import CallsPanel
from ui.theme import SPACE_PX, Theme

VOICES = ("marin", "cedar", "alloy", "ash", "ballad", "coral", "echo", "sage", "shimmer", "verse")
"""Voices of the interface at the time of HRP 0.2.0; an engine may have others: the field takes any name."""


class AgentPanel(QFrame):
    """Editor with Apply, the two sessions side by side, and the last answer."""

    instructions_applied = Signal(str)
    wording_requested = Signal()
    """The specification that is followed is to be shown."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "panel")
        self._theme = theme
        self._status = Status()
        self._refused = ""
        self._answer: Entry | None = None
        self._saved: SavedSettings | None = None
        self._part = ""
        self._compared: tuple[Any, Any] | None = None
        self._build()
        self._lay_out()
        theme.changed.connect(self._recolour)
        self.show_status(Status())
        self.show_answer(None)

    @property
    def instructions(self) -> str:
        """What the editor holds."""
        return self.editor.toPlainText()

    @property
    def voice(self) -> str:
        """The voice to ask for at the next connection."""
        return self.voice_picker.currentText().strip() or DEFAULT_VOICE

    def show_status(self, status: Status) -> None:
        """Show what is in force."""
        self._status = status
        connected = status.connection is ConnectionState.CONNECTED
        self.voice_picker.setEnabled(status.connection is ConnectionState.IDLE)
        self.voice_picker.setToolTip(
            "Asked for at the next connection."
            if not connected
            else "Disconnect first: a session cannot change its voice once it spoke."
        )
        if not connected:
            self._refused = ""
            self._part = ""
        self._show_instructions()
        self.calls.show_status(status)
        self._compare()

    def show_saved(self, saved: SavedSettings | None) -> None:
        """Show the settings of a record in the place of the live session's, to be read only; None: the live ones.

        What the operator wrote stays in its editor, and counts for the next connection.
        """
        self._saved = saved
        self.heading.setText("AGENT" if saved is None else "AGENT · of this record")
        self.session_heading.setText("SESSION" if saved is None else "SESSION · of this record")
        self.editors.setCurrentWidget(self.editor if saved is None else self.saved_editor)
        for part in (self.study_heading, self.saved_study):
            part.setVisible(saved is not None)
        for own, of_record in ((self.voice_picker, self.saved_voice), (self.wording_button, self.saved_wording)):
            own.setVisible(saved is None)
            of_record.setVisible(saved is not None)
        if saved is not None:
            self.saved_editor.setPlainText(saved.instructions)
            self.saved_voice.setText(saved.voice or "not said")
            self.saved_wording.setText(saved.wording or "not said")
            self.saved_study.setText(", ".join(dict.fromkeys(saved.studies)) or "none was played")
            self.saved_study.setToolTip("It lies beside the events: “Show the folder”" if saved.studies else "")
        self._compared = None
        self._show_instructions()
        self._compare()
        self.show_answer(self._answer)

    def show_part(self, name: str) -> None:
        """The instructions in force are those of the editor with the guidance of this part of the study; "" of none."""
        if name != self._part:
            self._part = name
            self._show_instructions()

    def show_applied(self, error: str | None) -> None:
        """Say what became of the last Apply."""
        self._refused = error or ""
        self._show_instructions()

    def show_wording(self, line: str, more: str) -> None:
        """Say in whose words the agent is asked."""
        self.wording_button.setText(line)
        self.wording_button.setToolTip(more)

    def show_answer(self, entry: Entry | None) -> None:
        """Show the last answer of the agent in the live session, once that is what is shown."""
        self._answer = entry
        colours = self._theme.colours
        if self._saved is not None:
            entry = self._saved.answer
        if entry is None:
            self.answer_value.setText("none yet" if self._saved is None else "none")
            self.answer_value.setStyleSheet(f"color: {colours.text_muted};")
            self.answer_line.setText(
                "Push a question (Ctrl+2): the agent answers it silently, by a tool."
                if self._saved is None
                else "This record holds no answers."
            )
            return
        event = entry.event
        accepted = bool(event.get("accepted"))
        self.answer_value.setText(in_words(event.get("value")) if accepted else str(event.get("arguments") or "—"))
        self.answer_value.setStyleSheet(f"color: {colours.passed if accepted else colours.failed}; font-weight: 600;")
        verdict = "✓ accepted" if accepted else f"✕ refused: {event.get('error') or 'no reason given'}"
        seconds = _seconds(event)
        self.answer_line.setText(f"{event.get('tool', '')}{seconds}\n{verdict}")

    def apply(self) -> None:
        """Ask for the instructions in the editor."""
        if self.apply_button.isEnabled():
            self._refused = ""
            self.state.setText("… waiting for the engine")
            self.instructions_applied.emit(self.instructions)

    def _build(self) -> None:
        self.editor = QPlainTextEdit()
        self.editor.setAccessibleName("Instructions")
        self.editor.setPlaceholderText("How the agent is to behave. Sent when you connect, and with Apply.")
        self.editor.setTabChangesFocus(True)
        self.editor.textChanged.connect(self._show_instructions)
        self.saved_editor = QPlainTextEdit()
        self.saved_editor.setAccessibleName("Instructions of this record")
        self.saved_editor.setPlaceholderText("No instructions in this record.")
        self.saved_editor.setReadOnly(True)
        self.saved_editor.setTabChangesFocus(True)
        self.editors = QStackedWidget()
        self.editors.addWidget(self.editor)
        self.editors.addWidget(self.saved_editor)
        self.apply_button = QPushButton("Apply  Ctrl+⏎")
        self.apply_button.clicked.connect(self.apply)
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            shortcut = QShortcut(QKeySequence(keys), self.editor)
            shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
            shortcut.activated.connect(self.apply)
        self.state = QLabel()
        self.state.setTextFormat(Qt.TextFormat.PlainText)
        self.state.setWordWrap(True)
        self.voice_picker = QComboBox()
        self.voice_picker.setAccessibleName("Voice of the agent")
        self.voice_picker.setEditable(True)
        self.voice_picker.addItems(VOICES)
        self.voice_picker.setCurrentText(DEFAULT_VOICE)
        self.wording_button = QPushButton()
        self.wording_button.setAccessibleName("Wording of tools and questions")
        self.wording_button.setStyleSheet("text-align: left;")
        self.wording_button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.wording_button.clicked.connect(self.wording_requested)
        self.saved_voice, self.saved_wording, self.saved_study = _plain_label(), _plain_label(), _plain_label()
        self.session = QTreeWidget()
        self.session.setAccessibleName("Session: requested and accepted")
        self.session.setHeaderLabels(["Field", "Value"])
        self.session.setIndentation(8)
        self.session.setUniformRowHeights(True)
        self.session.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        header = self.session.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        header.resizeSection(0, header.fontMetrics().horizontalAdvance("silence_duration_ms") + 36)
        self.session_line = QLabel()
        self.session_line.setWordWrap(True)
        self.session_line.setProperty("role", "muted")
        self.answer_value = QLabel()
        self.answer_value.setTextFormat(Qt.TextFormat.PlainText)
        self.answer_value.setWordWrap(True)
        self.answer_line = QLabel()
        self.answer_line.setTextFormat(Qt.TextFormat.PlainText)
        self.answer_line.setWordWrap(True)
        self.answer_line.setProperty("role", "muted")
        self.calls = CallsPanel(self._theme)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * SPACE_PX, 2 * SPACE_PX, 2 * SPACE_PX, 2 * SPACE_PX)
        column.setSpacing(2 * SPACE_PX)
        self.heading = _heading("AGENT")
        column.addWidget(self.heading)
        column.addWidget(self.editors, 3)
        row = QHBoxLayout()
        row.addWidget(self.state, 1)
        row.addWidget(self.apply_button, 0, Qt.AlignmentFlag.AlignTop)
        column.addLayout(row)
        choices = QGridLayout()
        choices.setSpacing(SPACE_PX)
        choices.setHorizontalSpacing(2 * SPACE_PX)
        choices.setColumnStretch(1, 1)
        for row_number, (text, widget) in enumerate((("Voice", self.voice_picker), ("Wording", self.wording_button))):
            label = QLabel(text)
            label.setProperty("role", "muted")
            label.setBuddy(widget)
            choices.addWidget(label, row_number, 0)
            choices.addWidget(widget, row_number, 1)
        for row_number, shown in enumerate((self.saved_voice, self.saved_wording)):
            choices.addWidget(shown, row_number, 1)
            shown.hide()
        self.study_heading = QLabel("Study")
        self.study_heading.setProperty("role", "muted")
        for column_number, part in enumerate((self.study_heading, self.saved_study)):
            choices.addWidget(part, 2, column_number)
            part.hide()
        column.addLayout(choices)
        self._session_part = QWidget()
        session = QVBoxLayout(self._session_part)
        session.setContentsMargins(0, 0, 0, 0)
        session.setSpacing(2 * SPACE_PX)
        self.session_heading = _heading("SESSION")
        session.addWidget(self.session_heading)
        session.addWidget(self.session_line)
        session.addWidget(self.session, 1)
        column.addWidget(self._session_part, 4)
        self._answer_part = QWidget()
        answer = QVBoxLayout(self._answer_part)
        answer.setContentsMargins(0, 0, 0, 0)
        answer.setSpacing(2 * SPACE_PX)
        answer.addWidget(_heading("LAST ANSWER"))
        answer.addWidget(self.answer_value)
        answer.addWidget(self.answer_line)
        column.addWidget(self._answer_part)
        column.addWidget(self.calls, 0)
        self.calls.waiting_changed.connect(self._make_room)

    def _make_room(self, waiting: int) -> None:
        """Let what waits for the operator take the place of what can be looked up later."""
        self._session_part.setHidden(waiting > 0)
        self._answer_part.setHidden(waiting > 0 and self._answer is None)
        column = self.layout()
        assert isinstance(column, QVBoxLayout)
        column.setStretchFactor(self.calls, 6 if waiting else 0)

    def _compare(self) -> None:
        """Show what was requested beside what was accepted."""
        shown = self._saved
        if shown is None:
            compared = self._status.session_requested, self._status.session_accepted
        else:
            compared = shown.requested, shown.accepted
        if self._compared != compared:
            self._compared = compared
            self._show_session(compare_sessions(*compared))

    def _show_instructions(self) -> None:
        colours = self._theme.colours
        if self._saved is not None:
            self.apply_button.setEnabled(False)
            self.apply_button.setToolTip("Go back to the live session (F8) to change instructions.")
            self.state.setText("As recorded. Your own text is back with the live session (F8)")
            self.state.setStyleSheet(f"color: {colours.text_muted};")
            return
        connected = self._status.connection is ConnectionState.CONNECTED
        same = self._status.instructions_accepted == self.instructions or bool(self._part)
        self.apply_button.setEnabled(connected and not same)
        self.apply_button.setToolTip(
            "Send these instructions (Ctrl+Enter in the editor)."
            if connected and not same
            else "These instructions are in force already."
            if connected
            else "Connect first (F5): they are sent when you connect."
        )
        if self._refused:
            text, colour = f"✕ Refused: {self._refused} The earlier instructions stay in force.", colours.error
        elif not connected:
            text, colour = "○ Sent when you connect", colours.text_muted
        elif same:
            text, colour = f"✓ In force, with part “{self._part}”" if self._part else "✓ In force", colours.passed
        elif self._status.replay is not None:
            text, colour = "○ The replay has instructions of its own", colours.text_muted
        else:
            text, colour = "● Edited: not in force yet", colours.warning
        self.state.setText(text)
        self.state.setStyleSheet(f"color: {colour};")

    def _show_session(self, pairs: list[FieldPair]) -> None:
        self.session.clear()
        colour = self._theme.colour
        groups: dict[str, QTreeWidgetItem] = {}
        for pair in pairs:
            group, _, name = pair.path.removeprefix("audio.").rpartition(".")
            item = QTreeWidgetItem(self._group(groups, group), [name, _both(pair)])
            role = {Match.DIFFERS: "error", Match.ENGINES_OWN: "text_muted"}.get(pair.match, "text")
            for column in range(2):
                item.setForeground(column, colour(role))
                both = f"requested: {pair.requested or '—'}\naccepted: {pair.accepted or '—'}"
                item.setToolTip(column, tip(f"{pair.path}\n{both}"))
        self.session.expandAll()
        differing = sum(pair.match is Match.DIFFERS for pair in pairs)
        if not pairs and self._saved is not None:
            text, role = "This record does not say what was requested and accepted.", "text_muted"
        elif not pairs:
            text, role = "What was requested of the engine and what it accepted appears here.", "text_muted"
        elif any(pair.match is Match.UNANSWERED for pair in pairs):
            text, role = "… requested, not accepted yet" if self._saved is None else "… never accepted", "text_muted"
        elif differing:
            names = ", ".join(pair.path.rpartition(".")[2] for pair in pairs if pair.match is Match.DIFFERS)
            text, role = f"≠ not as requested: {names}", "error"
        else:
            text, role = "✓ accepted as requested", "passed"
        self.session_line.setText(text)
        self.session_line.setStyleSheet(f"color: {getattr(self._theme.colours, role)};")

    def _group(self, groups: dict[str, QTreeWidgetItem], path: str) -> QTreeWidgetItem:
        """Return the branch of a path, made where it does not exist."""
        if not path:
            return self.session.invisibleRootItem()
        if path not in groups:
            parent, _, name = path.rpartition(".")
            groups[path] = QTreeWidgetItem(self._group(groups, parent), [name])
            groups[path].setForeground(0, self._theme.colour("text_muted"))
            groups[path].setFirstColumnSpanned(True)
        return groups[path]

    def _recolour(self) -> None:
        self._show_instructions()
        self._compared = None
        self._compare()
        self.show_answer(self._answer)


def _both(pair: FieldPair) -> str:
    """Return both values of a field in one: ``500 ✓``, ``marin ≠ alloy``; one alone is the engine's own."""
    match pair.match:
        case Match.SAME:
            return f"{pair.requested} ✓"
        case Match.DIFFERS:
            return f"{pair.requested} ≠ {pair.accepted or 'missing'}"
        case Match.UNANSWERED:
            return f"{pair.requested} …"
        case Match.ENGINES_OWN:
            return pair.accepted


def _heading(text: str) -> QLabel:
    label = QLabel(text)
    label.setProperty("role", "heading")
    return label


def _plain_label() -> QLabel:
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def _seconds(event: dict[str, Any]) -> str:
    asked, answered = event.get("asked_ns"), event.get("answered_ns")
    if isinstance(asked, int) and isinstance(answered, int):
        return f"  after {(answered - asked) / NS_PER_MS:,.0f} ms"
    return ""
