"""The pickers of the top bar: what they offer, and what choosing an entry asks for."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox

from simulator.participant.messages import VoiceKind
from ui.models.devices import Output
from ui.models.voices import Voice
from ui.panels.pickers import EnginePicker, OutputPicker, VoicePicker
from ui.theme import Theme


def choose(picker: QComboBox, text: str) -> None:
    """Choose an entry as a user does."""
    picker.setCurrentIndex(picker.findText(text))
    picker.activated.emit(picker.currentIndex())


def test_asking_for_an_address_leaves_the_engine_as_it_was(theme: Theme) -> None:
    picker = EnginePicker(theme)
    told: list[str] = []
    picker.engine_chosen.connect(told.append)
    picker.address_requested.connect(lambda: told.append("address?"))
    picker.edit_requested.connect(lambda: told.append("edit?"))
    picker.offer(["embedded", "openai"], "ws://laboratory:8080/")
    assert (picker.engine, picker.currentText()) == ("ws://laboratory:8080/", "ws://laboratory:8080/")
    choose(picker, "openai")
    choose(picker, "An address…")
    choose(picker, "Edit engines…")
    assert told == ["openai", "address?", "edit?"]
    assert (picker.engine, picker.currentText()) == ("openai", "openai")


def test_a_voice_that_is_not_offered_any_more_stays_chosen(theme: Theme) -> None:
    picker = VoicePicker()
    unplugged = Voice(VoiceKind.MICROPHONE, "Unplugged")
    picker.offer([Voice(VoiceKind.MICROPHONE), Voice(VoiceKind.SILENCE)], unplugged)
    assert picker.voice == unplugged
    told: list[object] = []
    picker.voice_chosen.connect(told.append)
    picker.recording_requested.connect(lambda: told.append("recording?"))
    choose(picker, Voice(VoiceKind.SILENCE).label)
    choose(picker, "Add recording…")
    assert told == [Voice(VoiceKind.SILENCE), "recording?"]


def test_fifty_recordings_hide_nothing_else_and_are_found_by_typing(theme: Theme) -> None:
    picker = VoicePicker()
    theirs = [Voice(VoiceKind.RECORDING, f"turn_{number}") for number in range(50)]
    mine = Voice(VoiceKind.RECORDING, "zebra_crossing", added=True)
    file = Voice(VoiceKind.RECORDING, str(Path("morning.wav").resolve()))
    picker.offer([Voice(VoiceKind.MICROPHONE), *theirs, mine, Voice(VoiceKind.SILENCE)], file)
    texts = [picker.itemText(row) for row in range(12)]
    first = ["Mic: system default", "Silence", "", "Recording from a file…", "Folder of recordings…", "Add recording…"]
    assert texts == [*first, "", "zebra crossing", "morning.wav", "", "turn 0", "turn 1"]
    assert picker.voice == file
    picker.show()
    QTest.keyClicks(picker, "zeb")
    assert picker.voice == mine
    picker.show_voice(Voice(VoiceKind.SILENCE))
    asked: list[str] = []
    picker.file_requested.connect(lambda: asked.append("file?"))
    QTest.keyClick(picker, Qt.Key.Key_Down)
    assert (picker.voice, asked) == (Voice(VoiceKind.SILENCE), [])
    bar = picker.view().verticalScrollBar()
    assert bar.isVisible()
    assert bar.maximum() > 0
    picker.hidePopup()


def test_a_loudspeaker_that_is_gone_stays_chosen_as_it_is_taken_back(theme: Theme) -> None:
    picker = OutputPicker()
    told: list[object] = []
    picker.output_chosen.connect(told.append)
    speakers, gone = Output("Speakers", "ALSA"), Output("Gone", "ALSA")
    picker.offer([speakers], gone)
    assert picker.currentText() == "Gone"
    for text in ("Speakers", "Silent (no sound)", "System default"):
        choose(picker, text)
    assert told == [speakers, Output("none"), Output()]


def test_a_loudspeaker_of_another_host_api_is_told_from_its_namesake(theme: Theme) -> None:
    picker = OutputPicker()
    chosen = Output("Speakers", "MME")
    picker.offer([Output("Speakers", "WASAPI")], chosen)
    assert picker.currentText() == "Speakers (MME)"
    assert picker.currentData() == chosen
