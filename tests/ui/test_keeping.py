"""Sessions without audio: chosen in the menu of the records, remembered, and shown while one goes on."""

from pathlib import Path

from tests.ui.window_rig import WindowRig, wait_until
from ui.actions import menu_called
from ui.theme import Theme


def test_the_audio_is_left_out_of_new_sessions_once_that_was_chosen_and_not_before(
    theme: Theme, tmp_path: Path
) -> None:
    first = WindowRig(theme, tmp_path)
    first.start()
    switch = first.window.keeping.switch
    assert switch in menu_called(first.window, "&Records").actions()
    first.connect_session()
    assert first.commands("connect")[-1].get("keep_audio", True) is True
    switch.trigger()
    light = first.window.connection.recording_light
    assert light.text() == "● rec", "the session that goes on stays as it began"
    first.window.toggle_connection()
    wait_until(lambda: light.text() == "○ rec")
    first.close()
    rig = WindowRig(theme, tmp_path)
    rig.start()
    rig.connect_session()
    assert rig.commands("connect")[-1]["keep_audio"] is False
    light = rig.window.connection.recording_light
    assert light.text() == "● rec, no audio"
    assert light.toolTip().startswith("Everything but the voices is written to ")
    rig.close()
