"""What the user chooses before and between sessions: engine, voice and loudspeaker; offered, remembered, told to the
participant process."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QFileDialog

from simulator.audio.recordings import project_recordings, recordings
from simulator.engines.profiles import EMBEDDED, is_address, load_profiles
from simulator.errors import SimulatorError
from simulator.participant.messages import VoiceKind
from ui.commands import SessionCommands
from ui.devices_feed import Devices, DevicesFeed
from ui.dialogs.address import AddressDialog
from ui.dialogs.engines import EnginesDialog
from ui.models.devices import Output, completed, output_from_key
from ui.models.voices import AUDIO_SUFFIXES, Voice, first_voice, recorded_voices, voice_from_key
from ui.panels.connection import ConnectionPanel
from ui.recording_adder import RecordingAdder
from ui.settings import WindowSettings
from ui.theme import Theme

_SILENCE = Voice(VoiceKind.SILENCE)


class Choices(QObject):
    """Fills the pickers of the top bar and keeps what was chosen."""

    failed = Signal(str)
    changed = Signal()
    """Another voice or output was chosen."""

    def __init__(
        self,
        panel: ConnectionPanel,
        commands: SessionCommands,
        devices: DevicesFeed,
        settings: WindowSettings,
        theme: Theme,
    ) -> None:
        super().__init__(panel)
        self._panel, self._commands, self._settings, self._theme = panel, commands, settings, theme
        self._microphones: list[Voice] = []
        self._outputs: list[Output] = []
        self._recordings: list[Voice] = []
        self.adder = RecordingAdder(self)
        self.adder.added.connect(self._recording_added)
        self.adder.failed.connect(self.failed)
        remembered = voice_from_key(settings.text("voice"))
        self._user_chose = remembered is not None
        devices.listed.connect(self._take_devices)
        panel.engine_chosen.connect(settings.remember_engine)
        panel.address_requested.connect(self.ask_address)
        panel.edit_engines_requested.connect(self.edit_engines)
        panel.voice_chosen.connect(self.choose_voice)
        panel.voice_file_requested.connect(self.ask_voice_file)
        panel.voice_picker.folder_requested.connect(self.ask_voice_folder)
        panel.recording_requested.connect(self.ask_recording)
        panel.output_chosen.connect(self.choose_output)
        self.load_recordings()
        self._offer_voices(remembered or first_voice(self._offered()))
        self.output = output_from_key(settings.text("output"))
        """The output chosen."""
        panel.set_outputs([], self.output)
        if self.output != Output():
            commands.choose_output(self.output)

    @property
    def voice(self) -> Voice:
        """The voice chosen."""
        return self._panel.voice

    def load_engines(self, chosen: str | None = None) -> None:
        """Offer the engines of the file; `chosen` None takes the one remembered."""
        wanted = chosen or self._settings.text("engine") or EMBEDDED
        try:
            names = [profile.name for profile in load_profiles()]
        except SimulatorError as error:
            names = [EMBEDDED]
            self.failed.emit(str(error))
        self._panel.set_engines(names, wanted if wanted in names or is_address(wanted) else names[0])

    def choose_voice(self, voice: Voice) -> None:
        """Take the participant's voice from there, now and next time."""
        self._user_chose = True
        self._settings.set_text("voice", voice.key)
        self._offer_voices(voice)

    def load_recordings(self) -> None:
        """Read which recordings there are."""
        try:
            self._recordings = recorded_voices(recordings())
        except SimulatorError as error:
            self._recordings = recorded_voices(project_recordings())
            # Later: nobody listens yet while the window is being made.
            QTimer.singleShot(0, self, partial(self.failed.emit, str(error)))

    def ask_voice_file(self) -> None:
        """Let the user choose an audio file as the voice."""
        self._ask_file("A recording as the voice", self._file_chosen)

    def ask_voice_folder(self) -> None:
        """Let the user choose a folder as the voice: each press of the talk key says the next of its recordings."""
        self._panel.show_voice(self._commands.voice)
        dialog = QFileDialog(self._panel.window(), "A folder of recordings as the voice")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly, False)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._file_chosen)
        dialog.open()

    def ask_recording(self) -> None:
        """Let the user choose an audio file that is added to the recordings, and take it as the voice."""
        self._ask_file("Add a recording", lambda name: self.adder.add(Path(name)))

    def _ask_file(self, title: str, take: Callable[[str], None]) -> None:
        self._panel.show_voice(self._commands.voice)
        patterns = " ".join(f"*{suffix}" for suffix in sorted(AUDIO_SUFFIXES))
        dialog = QFileDialog(self._panel.window(), title, "", f"Audio ({patterns});;All files (*)")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(take)
        dialog.open()

    def ask_address(self) -> None:
        """Let the user type the address of an engine."""
        dialog = AddressDialog(self._panel.window())
        dialog.address_given.connect(self._take_engine)
        dialog.open()

    def edit_engines(self) -> None:
        """Open the file of engines in a dialog."""
        dialog = EnginesDialog(self._theme, self._panel.engine, self._panel.window())
        dialog.engines_changed.connect(self._engines_changed)
        dialog.open()

    def _take_engine(self, engine: str) -> None:
        self._settings.remember_engine(engine)
        self.load_engines(engine)

    def _engines_changed(self, saved: str) -> None:
        if saved:
            self._take_engine(saved)
        else:
            self.load_engines(self._panel.engine)

    def _file_chosen(self, name: str) -> None:
        self.choose_voice(Voice(VoiceKind.RECORDING, str(Path(name).resolve())))

    def _recording_added(self, name: str) -> None:
        self.load_recordings()
        self.choose_voice(Voice(VoiceKind.RECORDING, name))

    def choose_output(self, output: Output) -> None:
        """Play the agent's voice there, now and next time."""
        self.output = output
        self._settings.set_text("output", output.key)
        self._commands.choose_output(output)
        self._panel.set_outputs(self._outputs, output)
        self.changed.emit()

    def _take_devices(self, devices: Devices) -> None:
        inputs, outputs = devices.once("input"), devices.once("output")
        default = [Voice(VoiceKind.MICROPHONE)] if inputs else []
        named = [Voice(VoiceKind.MICROPHONE, device.name, device.host_api or None) for device in inputs]
        self._microphones = [*default, *named]
        voice = self._panel.voice if self._user_chose else first_voice(self._offered())
        if voice.kind is VoiceKind.MICROPHONE and voice.name is not None:
            voice = replace(voice, host_api=completed(voice.name, voice.host_api, inputs))
        self._offer_voices(voice)
        if self.output.name is not None:
            self.output = replace(self.output, host_api=completed(self.output.name, self.output.host_api, outputs))
        self._outputs = [Output(device.name, device.host_api or None) for device in outputs]
        self._panel.set_outputs(self._outputs, self.output)

    def _offered(self) -> list[Voice]:
        return [*self._microphones, *self._recordings, _SILENCE]

    def _offer_voices(self, chosen: Voice) -> None:
        self._panel.set_voices(self._offered(), chosen)
        if chosen != self._commands.voice:
            self._commands.choose_voice(chosen)
            self.changed.emit()
