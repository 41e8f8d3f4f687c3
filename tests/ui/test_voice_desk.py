"""Saying something with the participant's voice: typed, on a cue, from a folder, impaired; driven by keys."""

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from simulator.audio.impairments import Impairments
from simulator.participant.messages import CancelCue, ConnectionState, Cue, SetTalk, Speak, Status, VoiceKind
from simulator.record.entries import Direction, Entry
from tests.ui.window_rig import WindowRig, wait_until
from ui.dialogs.impairments import ImpairmentsDialog
from ui.models.entry_text import gist
from ui.models.impairing import FIELDS, impairments_of, told, values_of
from ui.models.voices import Voice
from ui.panels.notices import RecordBanner
from ui.panels.say_bar import ImpairmentsBanner, SayBar
from ui.record_view import RecordView
from ui.theme import Theme

CONNECTED = Status(connection=ConnectionState.CONNECTED, voice=VoiceKind.SILENCE)
RECORDING = Status(connection=ConnectionState.CONNECTED, voice=VoiceKind.RECORDING, voice_name="coffee_or_tea")


@pytest.fixture
def bar(theme: Theme) -> SayBar:
    bar = SayBar(theme)
    bar.open_line()
    return bar


@pytest.fixture
def asked(bar: SayBar) -> list[Any]:
    asked: list[Any] = []
    bar.command_requested.connect(asked.append)
    return asked


def choose(bar: SayBar, words: str, seconds: float, *, repeat: bool = False) -> None:
    bar.seconds.setValue(seconds)
    bar.moment.setCurrentIndex(bar.moment.findText(words))
    bar.repeat.setChecked(repeat)


def test_enter_says_what_was_typed_and_clears_the_line(bar: SayBar, asked: list[Any]) -> None:
    bar.show_status(CONNECTED)
    QTest.keyClicks(bar.text, "Good morning.")
    QTest.keyClick(bar.text, Qt.Key.Key_Return)
    assert asked == [Speak(id=0, text="Good morning.")]
    assert bar.text.text() == ""
    bar.give_back("Good morning.")
    assert bar.text.text() == "Good morning."


def test_nothing_is_said_without_a_session_or_without_words(bar: SayBar, asked: list[Any]) -> None:
    QTest.keyClicks(bar.text, "Good morning.")
    QTest.keyClick(bar.text, Qt.Key.Key_Return)
    assert bar.say_button.toolTip() == "Connect first (F5)."
    bar.show_status(CONNECTED)
    bar.text.clear()
    QTest.keyClick(bar.text, Qt.Key.Key_Return)
    assert asked == []


def test_an_empty_line_says_the_recording_that_is_the_voice(bar: SayBar, asked: list[Any]) -> None:
    bar.show_status(RECORDING)
    QTest.keyClick(bar.text, Qt.Key.Key_Return)
    choose(bar, "after the reply begins", 2.0)
    assert bar.say_button.text() == "Set the cue  ⏎"
    QTest.keyClick(bar.seconds, Qt.Key.Key_Return)
    assert asked == [SetTalk(id=0, down=True), Cue(id=0, after="reply_begins", seconds=2.0)]


def test_a_cue_is_said_each_time_only_after_an_event(bar: SayBar, asked: list[Any]) -> None:
    bar.show_status(RECORDING)
    choose(bar, "after the reply ends", 0.5, repeat=True)
    bar.say()
    choose(bar, "from now", 3.0, repeat=True)
    assert not bar.repeat.isVisibleTo(bar)
    bar.say()
    assert asked == [
        Cue(id=0, after="reply_ends", seconds=0.5, repeat=True),
        Cue(id=0, after="now", seconds=3.0, repeat=False),
    ]


def test_a_cue_that_waits_is_seen_though_the_line_was_closed(bar: SayBar, asked: list[Any]) -> None:
    bar.shut()
    assert bar.isHidden()
    bar.show_status(Status(connection=ConnectionState.CONNECTED, cue="2 s after the reply begins: “Wait!”"))
    assert not bar.isHidden()
    assert not bar.text.isVisibleTo(bar)
    assert bar.cue.text() == "Cue: 2 s after the reply begins: “Wait!”"
    bar.cancel_button.click()
    assert asked == [CancelCue(id=0)]
    bar.show_status(CONNECTED)
    assert bar.isHidden()


def test_t_opens_the_line_and_a_text_that_is_refused_comes_back(rig: WindowRig) -> None:
    rig.connect_session()
    bar = rig.window.voice_desk.bar
    assert bar.isHidden()
    QTest.keyClick(rig.window, Qt.Key.Key_T)
    wait_until(bar.text.hasFocus)
    QTest.keyClicks(bar.text, "refuse this")
    QTest.keyClick(bar.text, Qt.Key.Key_Return)
    wait_until(lambda: bar.text.text() == "refuse this")
    assert rig.wait_for_command("speak")["text"] == "refuse this"
    assert "Nothing in it can be pronounced." in rig.window.notices.text.text()
    assert rig.commands("set_talk") == []  # the space between the words is no talk key


def test_impairments_take_effect_while_they_are_chosen_and_a_strip_says_so(rig: WindowRig) -> None:
    rig.connect_session()
    QTest.keyClick(rig.window, Qt.Key.Key_I, Qt.KeyboardModifier.ControlModifier)
    dialog = rig.window.findChild(ImpairmentsDialog)
    assert dialog is not None
    assert dialog.message.text() == "Now: nothing."
    dialog.form.set_values({"noise": "pink", "noise_db": -30, "delay": 150})
    banner = rig.window.voice_desk.banner
    wait_until(lambda: not banner.isHidden())
    assert rig.commands("impair")[-1]["impairments"]["noise"] == "pink"
    assert banner.text.text().endswith("pink noise at −30 dBFS · 150 ms delay")
    wait_until(lambda: dialog.message.text() == "Now: pink noise at −30 dBFS · 150 ms delay.")
    dialog.form.set_values({"noise": "brown"})
    wait_until(lambda: dialog.message.text() == "There is no noise “brown”.")
    dialog.nothing_button.click()
    dialog.close()  # what was chosen last holds, however soon the dialog is closed
    wait_until(banner.isHidden)
    assert rig.commands("impair")[-1]["impairments"] is None


def test_the_strip_counts_what_clips_and_ends_the_impairments(theme: Theme) -> None:
    banner, ended = ImpairmentsBanner(theme), []
    banner.end_requested.connect(lambda: ended.append(True))
    banner.show_status(Status(impairments=Impairments(noise="white", noise_db=-6), clipped_samples=3))
    assert banner.text.text().endswith("white noise at −6 dBFS · 3 samples clipped")
    banner.end_button.click()
    assert ended == [True]
    banner.show_status(Status())
    assert banner.isHidden()


def test_the_banner_of_a_record_says_that_its_voice_was_impaired(theme: Theme) -> None:
    banner = RecordBanner(theme)
    banner.show_title("barge_in", "20 ms delay")
    assert banner.text.text() == "Showing the record of  barge_in     ⚠ voice impaired: 20 ms delay"


@pytest.mark.parametrize(
    "impairments",
    [
        Impairments(noise="pink", noise_db=-30, drop_percent=5, burst_ms=60, dropped="late", delay_ms=150, seed=7),
        Impairments(noise="/tmp/street.wav", noise_db=10, relative_to="speech"),
        Impairments(),
    ],
)
def test_the_form_shows_what_is_done_and_says_the_same_again(impairments: Impairments) -> None:
    values = {field.name: field.default for field in FIELDS} | values_of(impairments)
    assert impairments_of(values) == impairments


def test_a_record_tells_of_its_impairments() -> None:
    fields = {"noise": "white", "noise_db": -30.0, "delay_ms": 20}
    assert told({"active": True, **fields}) == "white noise at −30 dBFS · 20 ms delay"
    assert told({"active": False}) == ""
    assert told({"active": True, "noise_db": "loud"}) == "in a way that this program does not know"


def test_a_folder_is_offered_as_a_voice_and_its_place_is_shown(rig: WindowRig, tmp_path: Path) -> None:
    picker = rig.window.connection.voice_picker
    picker.setCurrentIndex(picker.findText("Folder of recordings…"))
    picker.activated.emit(picker.currentIndex())
    dialog = rig.window.findChild(QFileDialog)
    assert dialog is not None
    folder = tmp_path / "turns"
    folder.mkdir()
    dialog.fileSelected.emit(str(folder))
    dialog.close()
    wait_until(lambda: rig.commands("choose_voice")[-1]["recording"] == str(folder.resolve()))
    assert Voice(VoiceKind.RECORDING, str(folder)).label == "turns (folder)"
    panel = rig.window.connection
    panel.show_status(Status(voice=VoiceKind.RECORDING, voice_name="turns: 3 of 12 9.wav", voice_place="3 of 12 9.wav"))
    assert panel.place.text() == "3 of 12 9.wav"
    assert panel.talk_button.toolTip() == "Say 3 of 12 9.wav; again to stop it. Key: Space."


def test_a_view_knows_that_its_voice_was_impaired_at_some_time() -> None:
    view = RecordView()
    begun = Entry(1, 0, Direction.NOTED, "impairments", {"active": True, "delay_ms": 20})
    view.add([begun, Entry(2, 1, Direction.NOTED, "impairments", {"active": False})])
    assert view.impaired == "20 ms delay"
    assert gist(begun) == "20 ms delay"
