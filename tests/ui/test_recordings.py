"""Adding a recording from the voice picker."""

import sys
from pathlib import Path

import numpy as np
import soundfile
from PySide6.QtWidgets import QFileDialog

from simulator.audio.recordings import SpeechRecording, own_recordings
from simulator.participant.messages import VoiceKind
from tests.ui.window_rig import WindowRig, wait_until
from ui.models.voices import Voice, recorded_voices
from ui.recording_adder import RecordingAdder
from ui.theme import Theme


def pick(rig: WindowRig, label: str) -> QFileDialog:
    """Choose an entry of the voice picker that asks for a file."""
    picker = rig.window.connection.voice_picker
    picker.setCurrentIndex(picker.findText(label))
    picker.activated.emit(picker.currentIndex())
    dialog = rig.window.findChild(QFileDialog)
    assert dialog is not None
    return dialog


def offered(rig: WindowRig) -> list[object]:
    picker = rig.window.connection.voice_picker
    return [picker.itemData(place) for place in range(picker.count())]


def test_a_recording_that_is_added_becomes_the_voice_and_stays_offered(rig: WindowRig, tmp_path: Path) -> None:
    samples = np.zeros(36_000, np.float32)
    samples[6_000:30_000] = 0.25 * np.sin(2 * np.pi * 1_000 * np.arange(24_000) / 24_000)
    soundfile.write(tmp_path / "my_turn.wav", samples, 24_000)
    dialog = pick(rig, "Add recording…")
    dialog.fileSelected.emit(str(tmp_path / "my_turn.wav"))
    dialog.close()
    mine = Voice(VoiceKind.RECORDING, "my_turn")
    wait_until(lambda: rig.window.connection.voice == mine)
    wait_until(lambda: rig.commands("choose_voice")[-1]["recording"] == "my_turn")
    assert [(each.name, each.onset_ms, each.offset_ms) for each in own_recordings()] == [("my_turn", 250, 1_250)]
    rig.window.choices.choose_voice(Voice(VoiceKind.SILENCE))
    picker = rig.window.connection.voice_picker
    # The user's own are together, between what is done with files and the recordings of the program.
    place = offered(rig).index(mine)
    assert [picker.itemText(row) for row in (place - 2, place)] == ["Add recording…", "my turn"]


def test_a_recording_that_cannot_be_added_is_said_and_the_voice_stays(rig: WindowRig, tmp_path: Path) -> None:
    soundfile.write(tmp_path / "nothing.wav", np.zeros(24_000), 24_000)
    said: list[str] = []
    rig.window.choices.failed.connect(said.append)
    before = rig.window.connection.voice
    dialog = pick(rig, "Add recording…")
    dialog.fileSelected.emit(str(tmp_path / "nothing.wav"))
    dialog.close()
    wait_until(lambda: said)
    assert said == ["nothing.wav is silent: record it again, more loudly."]
    assert rig.window.connection.voice == before


def test_files_are_added_one_at_a_time_and_a_program_that_will_not_start_is_said(theme: Theme, tmp_path: Path) -> None:
    adder = RecordingAdder(theme, [str(tmp_path / "no_such_program")])
    said: list[str] = []
    adder.failed.connect(said.append)
    adder.add(tmp_path / "one.wav")
    wait_until(lambda: said)
    assert said == ["The recording could not be added: try again."]
    adder = RecordingAdder(theme, [sys.executable, "-c", "import time; time.sleep(60)"])
    adder.failed.connect(said.append)
    adder.add(tmp_path / "one.wav")
    adder.add(tmp_path / "two.wav")
    assert said[1:] == ["A recording is being added: try again in a moment."]
    adder.stop_and_wait()


def test_the_users_own_come_after_the_newcomers() -> None:
    def entry(name: str, added: bool = False) -> SpeechRecording:
        return SpeechRecording(
            name=name, words="", voice="", duration_ms=1, onset_ms=0, offset_ms=1, sha256="", licence="", added=added
        )

    known = [entry("monologue"), entry("coffee_or_tea"), entry("alpha"), entry("mine", added=True)]
    assert [voice.name for voice in recorded_voices(known)] == ["coffee_or_tea", "mine", "monologue", "alpha"]
