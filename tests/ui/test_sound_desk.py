"""What is wrong with the sound, as the user sees it; half-duplex and echo cancelling are switches, and remembered."""

from pathlib import Path

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from simulator.participant.messages import SoundWarning, Status, VoiceKind
from tests.ui.window_rig import WindowRig, wait_until
from ui.panels.sound_strip import HalfDuplexBanner, SoundSign, SoundStrip
from ui.sound_desk import ECHO_CANCELLING, HALF_DUPLEX
from ui.theme import Theme

QUIET = SoundWarning("too_quiet", "The voice is too quiet: speak closer to the microphone.", 0)
ECHO = SoundWarning("echo", "The agent's voice comes back: use headphones.", 0)
GOOD = Status()


def wrong(*warnings: SoundWarning) -> Status:
    return Status(sound=list(warnings))


def test_the_sentences_stand_in_a_strip_for_as_long_as_they_hold(theme: Theme) -> None:
    strip = SoundStrip(theme)
    strip.show_status(wrong(QUIET, ECHO))
    assert not strip.isHidden()
    assert strip.text.text() == f"⚠  {QUIET.sentence}\n⚠  {ECHO.sentence}"
    strip.show_status(wrong(ECHO))
    assert strip.text.text() == f"⚠  {ECHO.sentence}"
    strip.show_status(GOOD)
    assert strip.isHidden()


def test_a_dismissed_warning_comes_back_when_it_begins_again_and_another_one_at_once(theme: Theme) -> None:
    strip = SoundStrip(theme)
    strip.show_status(wrong(QUIET))
    strip.dismiss_button.click()
    strip.show_status(wrong(QUIET))
    assert strip.isHidden()
    strip.show_status(wrong(QUIET, ECHO))
    assert strip.text.text() == f"⚠  {ECHO.sentence}"
    strip.show_status(wrong(ECHO))
    strip.show_status(wrong(QUIET, ECHO))
    assert QUIET.sentence in strip.text.text()


def test_the_sign_at_the_meter_says_it_in_two_words_and_brings_the_sentence_back(theme: Theme) -> None:
    strip, sign = SoundStrip(theme), SoundSign(theme)
    sign.clicked.connect(strip.bring_back)
    for widget in (strip, sign):
        widget.show_status(wrong(QUIET, ECHO))
    assert sign.text() == "⚠ too quiet +1"
    assert sign.toolTip() == f"{QUIET.sentence}\n{ECHO.sentence}"
    strip.dismiss()
    sign.click()
    assert not strip.isHidden()
    sign.show_status(GOOD)
    assert sign.isHidden()


def test_half_duplex_says_what_it_costs_where_a_microphone_is_the_voice(theme: Theme) -> None:
    banner = HalfDuplexBanner(theme)
    banner.show_status(Status(half_duplex=True, voice=VoiceKind.MICROPHONE))
    assert not banner.isHidden()
    assert "barge-in is impossible" in banner.text.text()
    banner.show_status(Status(half_duplex=True, voice=VoiceKind.RECORDING))
    assert banner.isHidden()


def test_both_are_switched_by_key_and_menu_and_told_to_the_next_process(theme: Theme, tmp_path: Path) -> None:
    rig = WindowRig(theme, tmp_path)
    rig.start()
    actions = rig.window.menus.actions
    assert rig.commands("set_half_duplex") == []
    QTest.keyClick(rig.window, Qt.Key.Key_M, Qt.KeyboardModifier.ShiftModifier)
    assert rig.wait_for_command("set_half_duplex")["on"] is True
    wait_until(lambda: rig.feed.status.half_duplex)
    assert actions[HALF_DUPLEX].isChecked()
    actions[ECHO_CANCELLING].trigger()
    wait_until(lambda: rig.feed.status.echo_cancelling)
    actions[HALF_DUPLEX].trigger()
    wait_until(lambda: not rig.feed.status.half_duplex)
    assert not actions[HALF_DUPLEX].isChecked()
    assert rig.wait_for_command("set_half_duplex", 2)["on"] is False
    rig.close()
    again = WindowRig(theme, tmp_path)
    again.start()
    assert again.wait_for_command("set_echo_cancelling", 2)["on"] is True
    assert len(again.commands("set_half_duplex")) == 2
    again.close()


def test_warnings_of_the_process_reach_strip_and_sign(rig: WindowRig) -> None:
    rig.feed.take([msgspec.structs.replace(rig.feed.status, sound=[ECHO])])
    assert rig.window.sound.strip.isVisible()
    assert rig.window.connection.sound_sign.isVisible()
    assert not rig.window.notices.isVisible()
