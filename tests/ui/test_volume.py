"""How loud the agent is played: by the button beside the loudspeaker and by key; it is remembered."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.ui.window_rig import WindowRig, wait_until
from ui.theme import Theme


def test_the_volume_goes_by_key_and_slider_and_is_told_to_the_next_process(theme: Theme, tmp_path: Path) -> None:
    rig = WindowRig(theme, tmp_path)
    rig.start()
    button = rig.window.volume.button
    assert button.text() == "0 dB"
    assert rig.commands("set_volume") == []
    QTest.keyClick(rig.window, Qt.Key.Key_Down, Qt.KeyboardModifier.ControlModifier)
    assert rig.wait_for_command("set_volume")["db"] == -3
    wait_until(lambda: rig.feed.status.volume_db == -3)
    assert button.text() == "−3 dB"
    button.click()
    assert button.slider.isVisible()
    button.slider.setValue(6)
    wait_until(lambda: rig.feed.status.volume_db == 6)
    assert button.text() == "+6 dB"
    button.slider.window().close()
    rig.close()
    again = WindowRig(theme, tmp_path)
    again.start()
    wait_until(lambda: again.feed.status.volume_db == 6)
    assert again.window.volume.button.text() == "+6 dB"
    again.close()


def test_the_volume_stays_within_its_bounds(rig: WindowRig) -> None:
    rig.window.volume.choose(40)
    wait_until(lambda: rig.feed.status.volume_db == 12)
    rig.window.volume.choose(-100)
    wait_until(lambda: rig.feed.status.volume_db == -60)
    assert rig.window.volume.button.text() == "−60 dB"


@pytest.mark.parametrize("edited", ["loud", "nan", "300"])
def test_a_volume_that_was_edited_by_hand_into_nonsense_is_none(theme: Theme, tmp_path: Path, edited: str) -> None:
    rig = WindowRig(theme, tmp_path)
    rig.window.settings.set_text("volume_db", edited)
    rig.close()
    again = WindowRig(theme, tmp_path)
    assert again.window.volume.button.text() == "0 dB"
    again.close()
