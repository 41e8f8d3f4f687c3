"""The top bar: which engine, connected or not, whose voice, and the states to be read from two metres away."""

import json
from collections.abc import Sequence
from typing import Any, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from simulator.engines.profiles import EMBEDDED
from simulator.participant.messages import ConnectionState, Level, Status, VoiceKind
from simulator.profile.agent_spec import OWN, AgentSpec
from ui.models.conformance import Conformance, long_text, short_text
from ui.models.devices import Output
from ui.models.entry_text import long_clock
from ui.models.plain import tip
from ui.models.turn_detections import title_of
from ui.models.voices import Voice
from ui.panels.pickers import EnginePicker, OutputPicker, Picker, VoicePicker
from ui.panels.sound_strip import SoundSign
from ui.panels.talk_buttons import ListeningButton, TalkButton, set_role
from ui.theme import SPACE_PX, Theme
from ui.widgets.elided_label import ElidedLabel
from ui.widgets.engine_delegate import STATES
from ui.widgets.level_meter import LevelMeter

CONNECTION_WORDS: Final = {
    ConnectionState.IDLE: ("○ not connected", "text_muted"),
    ConnectionState.CONNECTING: ("◐ connecting…", "running"),
    ConnectionState.CONNECTED: ("● connected", "passed"),
    ConnectionState.CLOSING: ("◐ closing…", "running"),
}
"""What is said of the connection: shape and word, and the role of its colour."""


class ConnectionPanel(QFrame):
    """Two rows: engine and connection above, voice and listening below. Knows no process: it tells intents."""

    connect_requested = Signal()
    disconnect_requested = Signal()
    engine_chosen = Signal(str)
    address_requested = Signal()
    edit_engines_requested = Signal()
    voice_chosen = Signal(Voice)
    voice_file_requested = Signal()
    recording_requested = Signal()
    """The user wants to add a recording for good."""
    output_chosen = Signal(object)
    """An `Output`."""
    talk_pressed = Signal()
    talk_released = Signal()
    mic_open_requested = Signal(bool)
    mute_requested = Signal(bool)
    listening_requested = Signal(bool)
    say_requested = Signal()
    """The user wants to type what the participant says, or set a cue."""
    stop_reply_requested = Signal()
    problems_requested = Signal()
    faults_requested = Signal()
    """The user wants to choose rules that the embedded engine is to break."""
    report_requested = Signal()
    """The user wants to see what the engine's conformance rests on."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "bar")
        self._theme = theme
        self._status = Status()
        self._conformance = Conformance()
        self._faults: list[str] = []
        self._talk_toggles = False
        self._spec = OWN
        self._elsewhere = ""
        self._build()
        self._lay_out()
        theme.changed.connect(self._recolour)
        self.show_status(self._status)

    @property
    def engine(self) -> str:
        """Name or address of the engine chosen."""
        return self.engine_picker.engine

    @property
    def turn_detection(self) -> dict[str, Any]:
        """The whole wire object of the turn detection chosen."""
        chosen = self.turn_detection_picker.currentData()
        return dict(chosen) if isinstance(chosen, dict) else self._spec.turn_detection(str(chosen))

    @property
    def voice(self) -> Voice:
        """The voice chosen."""
        return self.voice_picker.voice

    def set_engines(self, names: list[str], chosen: str) -> None:
        """Offer these engines and addresses."""
        self.engine_picker.offer(names, chosen)
        self._show_conformance()
        self._show_faults()

    def show_conformance(self, conformance: Conformance) -> None:
        """Show what the stored reports say about the engines."""
        self._conformance = conformance
        self._show_conformance()

    def show_faults(self, chosen: Sequence[str]) -> None:
        """Show which rules the embedded engine will be told to break."""
        self._faults = list(chosen)
        self._show_faults()

    def offer_turn_detection(self, wire: dict[str, Any] | None) -> None:
        """Offer and choose the turn detection of a study, beside the usual ones; None takes the last one back."""
        picker = self.turn_detection_picker
        if isinstance(picker.itemData(picker.count() - 1), dict):
            picker.removeItem(picker.count() - 1)
        if wire is not None:
            picker.addItem(f"study: {wire.get('type', '')}", wire)
            picker.setItemData(picker.count() - 1, json.dumps(wire, indent=1), Qt.ItemDataRole.ToolTipRole)
            picker.setCurrentIndex(picker.count() - 1)

    def follow(self, spec: AgentSpec) -> None:
        """Offer the turn detections of a specification."""
        self._spec = spec
        picker = self.turn_detection_picker
        chosen = picker.currentIndex()
        wire = picker.itemData(picker.count() - 1)
        study = wire if isinstance(wire, dict) else None
        picker.clear()
        for each in spec.turn_detections:
            picker.addItem(title_of(each), each["type"])
        self.offer_turn_detection(study)
        picker.setCurrentIndex(min(chosen, picker.count() - 1))

    def show_elsewhere(self, engine: str, turn_detection: str) -> None:
        """Show what was chosen elsewhere for one session; empty texts show again what is chosen here, which stays."""
        self._elsewhere = engine
        self.engine_picker.show_instead(engine)
        self.turn_detection_picker.show_instead(turn_detection)
        self._show_conformance()
        self._show_faults()

    def set_voices(self, voices: list[Voice], chosen: Voice) -> None:
        """Offer these voices; the chosen one is added where it is not among them."""
        self.voice_picker.offer(voices, chosen)
        self._show_talk()

    def set_outputs(self, outputs: Sequence[Output], chosen: Output) -> None:
        """Offer these output devices; the chosen one is added where it is not among them."""
        self.output_picker.offer(outputs, chosen)

    def put_beside_output(self, widget: QWidget) -> None:
        """Add a widget at the end, where the loudspeaker is chosen."""
        self._lower.addWidget(widget)

    def show_status(self, status: Status) -> None:
        """Show what the participant process says of itself."""
        self._status = status
        focused = QApplication.focusWidget()
        state = status.connection
        connected = state is ConnectionState.CONNECTED
        idle = state is ConnectionState.IDLE
        self.connect_button.setText("Connect  F5" if idle else ("Disconnect  F5" if connected else "Cancel  F5"))
        set_role(self.connect_button, "primary" if idle else "")
        for picker in (self.engine_picker, self.turn_detection_picker):
            picker.setEnabled(idle)
            what = str(picker.accessibleName())
            picker.setToolTip(what if idle else f"{what}: a session keeps it; disconnect first to choose another.")
        what, written = (
            ("● rec", "Everything") if status.keeps_audio else ("● rec, no audio", "Everything but the voices")
        )
        self.recording_light.setText(what if status.recording else "○ rec")
        self.recording_light.setToolTip(
            f"{written} is written to {status.record_path}" if status.recording else "Nothing is being recorded."
        )
        self.mute_button.setChecked(status.muted)
        self.mute_button.setText("Muted  M" if status.muted else "Mute  M")
        self.listening_button.show_status(status)
        speaking = connected and (status.response_active or status.agent_heard)
        self.stop_button.setEnabled(speaking)
        self.stop_button.setToolTip("Cancel the reply and its sound." if speaking else "No reply is in progress.")
        self.place.setText(status.voice_place)
        self.place.setToolTip(tip(status.voice_name))
        self.place.setVisible(bool(status.voice_place))
        self._show_talk()
        self._recolour()
        if focused is not None and not focused.isEnabled():
            # Qt moves the focus on to the next button, which Space would then press.
            self.window().setFocus()

    def show_problems(self, count: int) -> None:
        """Show how many problems the record on screen holds."""
        self.problems_button.setText(f"⚠ {count}")
        self.problems_button.setToolTip(
            "No problems so far." if not count else f"{count} problem{'s' * (count != 1)}: show them in the log."
        )
        set_role(self.problems_button, "danger" if count else "quiet")

    def show_talk_toggles(self, toggles: bool) -> None:
        """Say what the talk button does to a microphone: open and close it, or let it through while it is held."""
        self._talk_toggles = toggles
        self._show_talk()

    def show_level(self, level: Level) -> None:
        """Show the level of the participant's voice."""
        self.meter.set_level(level.rms_dbfs, level.peak_dbfs, level.t_ns)

    def show_now(self, now_ns: int) -> None:
        """Advance the clock of the session."""
        since = self._status.connected_since_ns
        if since is not None and self._status.connection is ConnectionState.CONNECTED:
            text = long_clock(now_ns - since)
            if text != self.clock.text():
                self.clock.setText(text)

    def _build(self) -> None:
        self.engine_picker = EnginePicker(self._theme)
        self.engine_picker.engine_chosen.connect(self._engine_chosen)
        self.engine_picker.address_requested.connect(self.address_requested)
        self.engine_picker.edit_requested.connect(self.edit_engines_requested)
        self.conformance_button = QPushButton()
        self.conformance_button.setProperty("role", "quiet")
        self.conformance_button.setAccessibleName("Conformance of the engine")
        self.conformance_button.clicked.connect(self.report_requested)
        self.faults_button = QPushButton("Faults…")
        self.faults_button.clicked.connect(self.faults_requested)
        self.turn_detection_picker = Picker("Turn detection", 150)
        for wire in self._spec.turn_detections:
            self.turn_detection_picker.addItem(title_of(wire), wire["type"])
        self.connect_button = QPushButton()
        self.connect_button.setMinimumWidth(128)
        self.connect_button.clicked.connect(self._connect_clicked)
        self.state_label = QLabel()
        self.state_label.setProperty("role", "figure")
        self.clock = QLabel("00:00:00")
        self.clock.setProperty("role", "figure")
        self.clock.setAccessibleName("Time connected")
        self.activity = QLabel()
        self.activity.setAccessibleName("What the agent does")
        self.recording_light = QLabel()
        self.recording_light.setAccessibleName("Recording")
        self.problems_button = QPushButton("⚠ 0")
        self.problems_button.setAccessibleName("Problems")
        self.problems_button.clicked.connect(self.problems_requested)
        self.voice_picker = VoicePicker()
        self.voice_picker.voice_chosen.connect(self._voice_chosen)
        self.voice_picker.file_requested.connect(self.voice_file_requested)
        self.voice_picker.recording_requested.connect(self.recording_requested)
        self.output_picker = OutputPicker()
        self.output_picker.output_chosen.connect(self.output_chosen)
        self.meter = LevelMeter(self._theme)
        self.meter.setAccessibleName("Level of the participant's voice")
        self.sound_sign = SoundSign(self._theme)
        self.place = ElidedLabel()
        self.place.setAccessibleName("Place in the folder of recordings")
        self.talk_button = TalkButton()
        self.talk_button.pressed.connect(self.talk_pressed)
        self.talk_button.released.connect(self.talk_released)
        self.open_button = QPushButton("Open mic  O")
        self.open_button.setCheckable(True)
        self.open_button.setToolTip("Let the voice through without holding Talk.")
        self.open_button.clicked.connect(self.mic_open_requested)
        self.mute_button = QPushButton("Mute  M")
        self.mute_button.setCheckable(True)
        self.mute_button.setToolTip("Send silence instead of the voice.")
        self.mute_button.clicked.connect(self.mute_requested)
        self.say_button = QPushButton("Say…  T")
        self.say_button.setToolTip("Type what the participant says, or let something be said on a cue.")
        self.say_button.clicked.connect(self.say_requested)
        self.listening_button = ListeningButton(self._theme)
        self.listening_button.clicked.connect(self.listening_requested)
        self.stop_button = QPushButton("Stop reply  Esc")
        self.stop_button.setProperty("role", "danger")
        self.stop_button.clicked.connect(self.stop_reply_requested)

    def _lay_out(self) -> None:
        upper, lower = QHBoxLayout(), QHBoxLayout()
        self._lower = lower
        for row in (upper, lower):
            row.setSpacing(2 * SPACE_PX)
        _add_labelled(upper, "Engine", self.engine_picker)
        upper.addWidget(self.conformance_button)
        upper.addWidget(self.faults_button)
        upper.addWidget(self.turn_detection_picker)
        upper.addWidget(self.connect_button)
        upper.addSpacing(2 * SPACE_PX)
        upper.addWidget(self.state_label)
        upper.addWidget(self.clock)
        upper.addSpacing(2 * SPACE_PX)
        upper.addWidget(self.activity)
        upper.addStretch(1)
        upper.addWidget(self.recording_light)
        upper.addSpacing(SPACE_PX)
        upper.addWidget(self.problems_button)
        _add_labelled(lower, "Voice", self.voice_picker)
        self.meter.setMinimumWidth(74)
        self.meter.setMaximumWidth(420)
        lower.addWidget(self.meter, 5)
        lower.addWidget(self.sound_sign)
        lower.addWidget(self.place, 2)
        for button in (self.talk_button, self.open_button, self.mute_button, self.say_button):
            lower.addWidget(button)
        lower.addStretch(1)
        lower.addWidget(self.listening_button)
        lower.addWidget(self.stop_button)
        _add_labelled(lower, "Out", self.output_picker)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(3 * SPACE_PX, 2 * SPACE_PX, 3 * SPACE_PX, 2 * SPACE_PX)
        rows.setSpacing(2 * SPACE_PX)
        rows.addLayout(upper)
        rows.addLayout(lower)

    def _show_conformance(self) -> None:
        button = self.conformance_button
        self.engine_picker.show_conformance(self._conformance)
        status = self._conformance.status(self._elsewhere or self.engine)
        button.setVisible(status is not None)
        if status is not None:
            state = STATES[status.state]
            idle = self._status.connection is ConnectionState.IDLE
            words = short_text(status) if idle or state is None else ""
            button.setText(f"{'' if state is None else state.sign} {words}".strip())
            button.setToolTip(f"{long_text(status)}\nClick for the checks.")
            colours = self._theme.colours
            button.setStyleSheet(f"color: {colours.text_muted if state is None else colours.of_state(state)};")

    def _show_faults(self) -> None:
        count, button = len(self._faults), self.faults_button
        button.setVisible((self._elsewhere or self.engine) == EMBEDDED)
        button.setText(f"⚠ {count} fault{'s' * (count != 1)}…" if count else "Faults…")
        button.setToolTip(
            "The engine will misbehave on purpose, from the next connection and in the checks:\n"
            + "\n".join(self._faults)
            if count
            else "Let the embedded engine misbehave on purpose, for a demonstration."
        )
        set_role(button, "danger" if count else "quiet")

    def _recolour(self) -> None:
        self._show_conformance()
        colours = self._theme.colours
        words, role = CONNECTION_WORDS[self._status.connection]
        self.state_label.setText(words)
        self.state_label.setStyleSheet(f"color: {getattr(colours, role)};")
        self.clock.setVisible(self._status.connection is ConnectionState.CONNECTED)
        speaking = self._status.agent_heard
        self.activity.setText("agent speaks" if speaking else "reply under way" if self._status.response_active else "")
        self.activity.setStyleSheet(f"color: {colours.agent if speaking else colours.response}; font-size: 13pt;")
        light = colours.recording if self._status.recording else colours.text_muted
        self.recording_light.setStyleSheet(f"color: {light}; font-weight: 600;")

    def _show_talk(self) -> None:
        kind = self.voice.kind
        self.open_button.setVisible(kind is VoiceKind.MICROPHONE)
        self.open_button.setChecked(kind is VoiceKind.MICROPHONE and self._status.talking)
        self.mute_button.setEnabled(kind is not VoiceKind.SILENCE)
        self.talk_button.show_talk(self._status, kind, toggles=self._talk_toggles)

    def _connect_clicked(self) -> None:
        if self._status.connection is ConnectionState.IDLE:
            self.connect_requested.emit()
        else:
            self.disconnect_requested.emit()

    def _engine_chosen(self, engine: str) -> None:
        self._show_conformance()
        self._show_faults()
        self.engine_chosen.emit(engine)

    def _voice_chosen(self, voice: Voice) -> None:
        self._show_talk()
        self.voice_chosen.emit(voice)

    def show_voice(self, voice: Voice) -> None:
        """Set the picker to a voice that it offers."""
        self.voice_picker.show_voice(voice)
        self._show_talk()


def _add_labelled(row: QHBoxLayout, text: str, widget: QWidget) -> None:
    label = QLabel(text)
    label.setProperty("role", "muted")
    label.setBuddy(widget)
    label.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
    row.addWidget(label)
    row.addWidget(widget)
