"""Sound devices: which there are, which are used, and whether they work, tried outside the session.

Non-modal: open it with `show()`. Its pages are a tab each, so that others can stand beside the first.
"""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from simulator.participant.messages import VoiceKind
from simulator.units import NS_PER_MS
from ui.device_trial import DeviceTrial, TrialLine
from ui.models.devices import Device, Devices, Direction, Output
from ui.models.voices import Voice
from ui.panels.round_trip import RoundTripPage
from ui.theme import SPACE_PX, Theme
from ui.widgets.device_list import DeviceList
from ui.widgets.level_meter import LevelMeter

_LEVEL_EVERY_NS = 40 * NS_PER_MS
_IN_SESSION = (
    "A session is open: a tone would be heard in its room, and a second program at the microphone can take it away "
    "from the session."
)
_OPENING = "Opening…"
_STATES = {
    "listening": "Listening: speak, and watch the level.",
    "recording": "Recording three seconds: speak now.",
    "playing": "Playing…",
}


class DevicesDialog(QDialog):
    """Two lists, and below each what can be done with the device that is selected in it."""

    voice_chosen = Signal(Voice)
    output_chosen = Signal(object)
    list_requested = Signal()

    def __init__(self, theme: Theme, trial: DeviceTrial, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Sound devices")
        self.resize(1060, 560)
        self._trial = trial
        self._devices = Devices()
        self._voice, self._output = Voice(VoiceKind.SILENCE), Output()
        self._connected = False
        self._level_ns = 0
        self._tried = self._voice
        self.inputs = DeviceList("Microphones", "input")
        self.outputs = DeviceList("Loudspeakers", "output")
        self.meter = LevelMeter(theme)
        self.round_trip = RoundTripPage()
        self.round_trip.measure_requested.connect(lambda: self._try("round_trip"))
        self._build()
        self._lay_out()
        self.inputs.pointed.connect(self._pointed)
        self.outputs.pointed.connect(self._pointed)
        self.inputs.taken.connect(self._use_input)
        self.outputs.taken.connect(self._use_output)
        trial.told.connect(self._told)
        trial.ended.connect(self._show_trial)
        self._show_trial()

    @property
    def microphone(self) -> Voice:
        """The microphone that is selected, and its channel."""
        device, channel = self.inputs.device, self.channel_picker.currentData()
        return Voice(
            VoiceKind.MICROPHONE,
            device.name if device is not None else None,
            device.host_api or None if device is not None else None,
            channel,
        )

    @property
    def output(self) -> Output:
        """The loudspeaker that is selected."""
        device = self.outputs.device
        return Output() if device is None else Output(device.name, device.host_api or None)

    def show_devices(self, devices: Devices) -> None:
        """Show the devices that there are."""
        self._devices = devices
        self.list_button.setEnabled(True)
        self.list_button.setText("List again  F4")
        self._show_lists()

    def show_chosen(self, voice: Voice, output: Output) -> None:
        """Mark what is used."""
        self._voice, self._output = voice, output
        self._show_lists()

    def show_session(self, connected: bool) -> None:
        """A session began or ended: while one is open, trying a device would disturb it."""
        if connected == self._connected:
            return
        self._connected = connected
        self.all_the_same.setChecked(False)
        if connected:
            self._trial.stop()
        self._show_trial()

    def show_level(self, rms_dbfs: float, peak_dbfs: float, t_ns: int) -> None:
        """Show the level that the session gets, where its microphone is the one selected."""
        if self._connected and self._trial.doing is None and self.microphone == self._voice:
            self.meter.set_level(rms_dbfs, peak_dbfs, t_ns)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Let go of the devices."""
        self._trial.stop()
        super().closeEvent(event)

    def reject(self) -> None:
        """Close on Escape as by the button: nothing is tried any more."""
        self._trial.stop()
        super().reject()

    def _build(self) -> None:
        self.input_hint, self.output_hint = QLabel(), QLabel()
        self.channel_picker = QComboBox()
        self.channel_picker.setAccessibleName("Channel of the microphone")
        self.channel_picker.currentIndexChanged.connect(self._pointed)
        self.use_input = QPushButton("Use this microphone")
        self.use_input.clicked.connect(self._use_input)
        self.use_output = QPushButton("Use this loudspeaker")
        self.use_output.clicked.connect(self._use_output)
        self.listen_button = QPushButton("Listen")
        self.listen_button.setCheckable(True)
        self.listen_button.setToolTip("Show the level of the selected microphone.")
        self.listen_button.clicked.connect(self._listen)
        self.tone_button = QPushButton("Play a tone")
        self.tone_button.setToolTip("440 Hz at −20 dBFS on the selected loudspeaker, for one and a half seconds.")
        self.tone_button.clicked.connect(lambda: self._try("tone"))
        self.repeat_button = QPushButton("Record 3 s and play them")
        self.repeat_button.setToolTip("From the selected microphone, on the selected loudspeaker.")
        self.repeat_button.clicked.connect(lambda: self._try("repeat"))
        self.all_the_same = QCheckBox("Try all the same")
        self.all_the_same.toggled.connect(self._show_trial)
        self.message = QLabel()
        for label in (self.message, self.input_hint, self.output_hint):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
        for label in (self.input_hint, self.output_hint):
            label.setProperty("role", "muted")
        self.list_button = QPushButton("List again  F4")
        self.list_button.setShortcut("F4")
        self.list_button.setText("List again  F4")
        self.list_button.clicked.connect(self._list_again)

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(6 * SPACE_PX)
        grid.setVerticalSpacing(2 * SPACE_PX)
        grid.setRowStretch(1, 1)
        for column in range(2):
            grid.setColumnStretch(column, 1)
        below_input = _row("Channel", self.channel_picker, None, self.use_input)
        below_output = _row("", None, self.use_output)
        listening = _row("", self.meter, self.listen_button)
        playing = _row("", self.tone_button, self.repeat_button, None)
        columns = (
            ("MICROPHONES", self.inputs, self.input_hint, below_input, listening),
            ("LOUDSPEAKERS", self.outputs, self.output_hint, below_output, playing),
        )
        for column, (title, table, hint, using, trying) in enumerate(columns):
            heading = QLabel(title)
            heading.setProperty("role", "heading")
            grid.addWidget(heading, 0, column)
            grid.addWidget(table, 1, column)
            grid.addWidget(hint, 2, column)
            grid.addLayout(using, 3, column)
            grid.addLayout(trying, 4, column)
        page = QWidget()
        rows = QVBoxLayout(page)
        rows.setContentsMargins(0, 3 * SPACE_PX, 0, 0)
        rows.setSpacing(3 * SPACE_PX)
        rows.addLayout(grid, 1)
        told = QHBoxLayout()
        told.addWidget(self.message, 1)
        told.addWidget(self.all_the_same)
        rows.addLayout(told)
        self.pages = QTabWidget()
        self.pages.setDocumentMode(True)
        self.pages.addTab(page, "Devices")
        self.pages.addTab(self.round_trip, "Round trip")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        last = QHBoxLayout()
        last.addWidget(self.list_button)
        last.addStretch(1)
        last.addWidget(buttons)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(4 * SPACE_PX, 2 * SPACE_PX, 4 * SPACE_PX, 3 * SPACE_PX)
        whole.addWidget(self.pages, 1)
        whole.addLayout(last)

    def _show_lists(self) -> None:
        voice, output = self._voice, self._output
        is_microphone = voice.kind is VoiceKind.MICROPHONE
        name = voice.name if is_microphone else None
        self.inputs.show_devices(self._devices.of("input"), name, voice.host_api, used=is_microphone)
        self.outputs.show_devices(self._devices.of("output"), output.name, output.host_api, used=True)

    def _pointed(self) -> None:
        """Another device is selected: what is known of it, and what can be tried."""
        for table, hint, direction in self._columns():
            device = table.device or table.default
            hint.setText((device.hint(direction) if device is not None else None) or "")
            hint.setVisible(bool(hint.text()))
        self._offer_channels(self.inputs.device or self.inputs.default)
        loudspeaker, microphone = ((table.device or table.default) for table in (self.outputs, self.inputs))
        self.round_trip.show_pair(
            loudspeaker.name if loudspeaker is not None else "no loudspeaker",
            microphone.name if microphone is not None else "no microphone",
        )
        self._show_trial()
        if self._trial.doing == "level" and self.microphone != self._tried:
            self._try("level")

    def _columns(self) -> Sequence[tuple[DeviceList, QLabel, Direction]]:
        return ((self.inputs, self.input_hint, "input"), (self.outputs, self.output_hint, "output"))

    def _offer_channels(self, device: Device | None) -> None:
        picker = self.channel_picker
        before = picker.currentData() if picker.count() else self._voice.channel
        count = min(device.max_input_channels, 32) if device is not None else 1
        picker.blockSignals(True)
        picker.clear()
        picker.addItem("as the system gives it", None)
        if count > 1:
            picker.addItem("all, mixed", "mix")
            for channel in range(1, count + 1):
                picker.addItem(str(channel), channel)
        picker.setCurrentIndex(max(0, picker.findData(before)))
        picker.setEnabled(count > 1)
        picker.blockSignals(False)

    def _use_input(self) -> None:
        self.voice_chosen.emit(self.microphone)

    def _use_output(self) -> None:
        self.output_chosen.emit(self.output)

    def _list_again(self) -> None:
        self.list_button.setEnabled(False)
        self.list_button.setText("Listing…")
        self.list_requested.emit()

    def _listen(self, on: bool) -> None:
        if on:
            self._try("level")
        else:
            self._trial.stop()

    def _try(self, do: str) -> None:
        self.meter.clear()
        self._level_ns = 0
        self._tried = self.microphone
        self._trial.start(do, self.microphone, self.output)
        self.message.setText(_OPENING)
        self._show_trial()

    def _told(self, line: TrialLine) -> None:
        if line.level is not None:
            self._level_ns += _LEVEL_EVERY_NS
            self.meter.set_level(*line.level, self._level_ns)
        elif line.round_trip is not None:
            self.round_trip.show_result(line.round_trip)
        elif line.error is not None and self._trial.doing == "round_trip":
            self.round_trip.show_result(line.error)
        elif line.error is not None:
            self.message.setText(line.error)
        elif line.state == "playing":
            self.meter.clear()
            self.message.setText(_STATES[line.state])
        elif line.state is not None:
            self.message.setText(_STATES.get(line.state, ""))

    def _show_trial(self) -> None:
        doing = self._trial.doing
        free = not self._connected or self.all_the_same.isChecked()
        self.all_the_same.setVisible(self._connected)
        self.listen_button.setChecked(doing == "level")
        self.listen_button.setText("Stop listening" if doing == "level" else "Listen")
        for button, what in ((self.listen_button, "level"), (self.tone_button, "tone"), (self.repeat_button, "repeat")):
            button.setEnabled(free and doing in (None, "level", what) and not (doing == what != "level"))
        if doing is None and not free:
            same = self.microphone == self._voice
            level = " The meter shows what the session gets: hold Talk and speak." if same else ""
            self.message.setText(_IN_SESSION + level)
        elif doing is None and self.message.text().startswith((*_STATES.values(), _OPENING, _IN_SESSION)):
            self.message.setText("")
        if doing in (None, "tone") and not self._connected:
            self.meter.clear()
        self.round_trip.show_state(measuring=doing == "round_trip", free=free and doing in (None, "round_trip"))
        self.use_input.setEnabled(self.microphone != self._voice)
        self.use_output.setEnabled(self.output != self._output)


def _row(label: str, *widgets: QWidget | None) -> QHBoxLayout:
    """Return widgets in a row; None is a stretch."""
    row = QHBoxLayout()
    row.setSpacing(2 * SPACE_PX)
    if label:
        row.addWidget(QLabel(label))
    for widget in widgets:
        if widget is None:
            row.addStretch(1)
        else:
            row.addWidget(widget)
    return row
