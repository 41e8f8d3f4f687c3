"""The page of sound devices: what is offered, what is chosen, and what is tried, with and without a session."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from simulator.participant.messages import VoiceKind
from tests.ui.window_rig import WindowRig, script, wait_until
from ui.device_trial import DeviceTrial, TrialLine
from ui.dialogs.devices import DevicesDialog
from ui.models.devices import Device, Devices, Output
from ui.models.voices import Voice
from ui.theme import Theme
from ui.widgets.device_list import DeviceList

MIC = Device("USB mic", "ALSA", 2, 0, 44_100, is_default_input=True)
BUSY = Device("Busy mic", "ALSA", 1, 0, 48_000)
MONITOR = Device("Monitor of Speakers", "ALSA", 2, 0, 48_000, input_hint="This records what the computer plays.")
SPEAKERS = Device("Speakers", "ALSA", 0, 2, 48_000, is_default_output=True)


class Page:
    """The dialog, its trial, and what it asked for."""

    def __init__(self, theme: Theme) -> None:
        self.trial = DeviceTrial(script("fake_trial.py"))
        self.lines: list[TrialLine] = []
        self.trial.told.connect(self.lines.append)
        self.dialog = DevicesDialog(theme, self.trial)
        self.asked: list[object] = []
        for signal in (self.dialog.voice_chosen, self.dialog.output_chosen):
            signal.connect(self.asked.append)
        self.dialog.list_requested.connect(lambda: self.asked.append("list"))
        self.dialog.show_chosen(Voice(VoiceKind.MICROPHONE), Output())
        self.dialog.show_devices(Devices((MIC, BUSY, MONITOR, SPEAKERS)))
        self.dialog.show()

    @property
    def opened(self) -> list[dict[str, Any]]:
        """What the process was asked, each time one began."""
        return [json.loads(line.opened) for line in self.lines if line.opened is not None]


@pytest.fixture
def page(theme: Theme) -> Iterator[Page]:
    page = Page(theme)
    yield page
    page.dialog.close()
    page.dialog.deleteLater()


def point(table: DeviceList, name: str) -> None:
    names = [row[0].strip("● ") for row in shown(table)]
    table.selectRow(next(row for row, each in enumerate(names) if each.startswith(name)))


def shown(table: DeviceList) -> list[list[str]]:
    cells = table.model()
    return [[cells.index(row, column).data().strip() for column in range(4)] for row in range(table.rowCount())]


def test_each_device_is_listed_with_interface_rate_and_channels_and_what_is_used_is_marked(page: Page) -> None:
    assert shown(page.dialog.inputs) == [
        ["● System default: USB mic", "ALSA", "44.1 kHz", "2"],
        ["USB mic", "ALSA", "44.1 kHz", "2"],
        ["Busy mic", "ALSA", "48 kHz", "1"],
        ["Monitor of Speakers", "ALSA", "48 kHz", "2"],
    ]
    page.dialog.show_chosen(Voice(VoiceKind.MICROPHONE, "USB mic", "ALSA"), Output("Speakers", "ALSA"))
    assert shown(page.dialog.inputs)[1][0] == "● USB mic"
    assert shown(page.dialog.outputs)[1][0] == "● Speakers"


def test_a_device_and_its_channel_are_chosen(page: Page) -> None:
    dialog = page.dialog
    assert not dialog.use_input.isEnabled()
    point(dialog.inputs, "USB mic")
    dialog.channel_picker.setCurrentText("2")
    dialog.use_input.click()
    point(dialog.outputs, "Speakers")
    dialog.use_output.click()
    assert page.asked == [Voice(VoiceKind.MICROPHONE, "USB mic", "ALSA", 2), Output("Speakers", "ALSA")]


def test_a_source_that_records_what_is_played_is_told(page: Page) -> None:
    assert not page.dialog.input_hint.isVisible()
    point(page.dialog.inputs, "Monitor")
    assert page.dialog.input_hint.isVisible()
    assert page.dialog.input_hint.text() == MONITOR.input_hint


def test_the_level_follows_the_selected_microphone_until_it_is_stopped(page: Page) -> None:
    dialog = page.dialog
    dialog.listen_button.click()
    wait_until(lambda: dialog.meter.text == "−20 dBFS")
    assert dialog.message.text() == "Listening: speak, and watch the level."
    dialog.show_devices(Devices((MIC, MONITOR, SPEAKERS)))
    point(dialog.inputs, "USB mic")
    wait_until(lambda: len(page.opened) == 2)
    assert [each["input"][0] for each in page.opened] == [None, "USB mic"]
    dialog.listen_button.click()
    assert page.trial.doing is None
    assert dialog.meter.text == ""


def test_a_tone_and_a_repetition_end_by_themselves(page: Page) -> None:
    dialog = page.dialog
    point(dialog.outputs, "Speakers")
    for button, what in ((dialog.tone_button, "tone"), (dialog.repeat_button, "repeat")):
        button.click()
        assert not button.isEnabled()
        wait_until(lambda: page.trial.doing is None)
        assert page.opened[-1]["do"] == what
        assert page.opened[-1]["output"] == ["Speakers", "ALSA", None]
        assert button.isEnabled()


def test_a_busy_device_is_named(page: Page) -> None:
    point(page.dialog.inputs, "Busy")
    page.dialog.listen_button.click()
    wait_until(lambda: page.trial.doing is None)
    assert "in use by another program" in page.dialog.message.text()


def test_in_a_session_the_page_says_that_trying_disturbs_and_shows_the_sessions_level(page: Page) -> None:
    dialog = page.dialog
    dialog.listen_button.click()
    dialog.show_session(True)
    assert page.trial.doing is None
    assert not dialog.tone_button.isEnabled()
    assert dialog.message.text().startswith("A session is open")
    dialog.show_level(-30.0, -20.0, 1)
    assert dialog.meter.text == "−30 dBFS"
    assert "hold Talk" in dialog.message.text()
    dialog.all_the_same.setChecked(True)
    assert dialog.tone_button.isEnabled()
    dialog.show_session(False)
    assert dialog.tone_button.isEnabled()
    assert dialog.message.text() == ""


def test_the_page_opens_by_its_key_lists_again_and_chooses_for_the_window(theme: Theme, tmp_path: Path) -> None:
    devices = [
        {"name": "Built-in mic", "host_api": "ALSA", "max_input_channels": 2},
        {"name": "Speakers", "host_api": "ALSA", "max_output_channels": 2},
    ]
    rig = WindowRig(theme, tmp_path, devices)
    rig.start()
    wait_until(lambda: rig.window.devices_feed.devices.known)
    QTest.keyClick(rig.window, Qt.Key.Key_D)
    dialog = rig.window.devices.dialog
    assert dialog is not None
    wait_until(lambda: dialog.outputs.rowCount() == 2)
    point(dialog.outputs, "Speakers")
    dialog.use_output.click()
    sent = rig.wait_for_command("choose_output")
    assert (sent["device"], sent["host_api"]) == ("Speakers", "ALSA")
    assert shown(dialog.outputs)[1][0] == "● Speakers"
    assert rig.window.connection.output_picker.currentText() == "Speakers"
    listed: list[object] = []
    rig.window.devices_feed.listed.connect(listed.append)
    dialog.list_button.click()
    assert not dialog.list_button.isEnabled()
    wait_until(lambda: listed)
    assert dialog.list_button.isEnabled()
    rig.close()


def test_the_round_trip_of_the_selected_pair_is_measured_and_kept_with_the_settings(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PARTICIPANT_SIMULATOR_CONFIG", str(tmp_path))
    round_trip = page.dialog.round_trip
    page.dialog.pages.setCurrentWidget(round_trip)
    point(page.dialog.outputs, "Speakers")
    point(page.dialog.inputs, "USB mic")
    assert round_trip.pair.text() == "Speakers  →  USB mic"
    round_trip.button.click()
    assert not round_trip.button.isEnabled()
    assert round_trip.result.text() == "Measuring…"
    wait_until(lambda: round_trip.button.isEnabled())
    assert round_trip.result.text() == "Round trip 130.0 ms."
    (asked,) = page.opened
    assert (asked["do"], asked["keep"]) == ("round_trip", str(tmp_path))
    assert asked["output"] == ["Speakers", "ALSA", None]


def test_why_nothing_was_measured_is_told_on_the_same_page(page: Page) -> None:
    round_trip = page.dialog.round_trip
    round_trip.button.click()
    wait_until(lambda: round_trip.button.isEnabled())
    assert round_trip.result.text() == "No click came back: turn the loudspeaker up."


def test_nothing_is_measured_while_a_session_uses_the_devices(page: Page) -> None:
    page.dialog.show_session(True)
    assert not page.dialog.round_trip.button.isEnabled()
    page.dialog.all_the_same.setChecked(True)
    assert page.dialog.round_trip.button.isEnabled()
