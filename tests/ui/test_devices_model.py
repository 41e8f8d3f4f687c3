"""The devices as the window offers them: each name once in the pickers, all of them on the devices page."""

import pytest

from ui.models.devices import Device, Devices, Output, completed, output_from_key

SPEAKERS_MME = Device("Speakers", "MME", max_output_channels=2)
SPEAKERS = Device("Speakers", "WASAPI", max_output_channels=2)
HEADSET = Device("Headset", "WASAPI", max_input_channels=1, max_output_channels=2, is_default_output=True)
OLD = Device("Old card", "MME", max_output_channels=2)


def test_the_short_list_has_each_name_once_with_the_host_api_of_the_default() -> None:
    devices = Devices((SPEAKERS_MME, OLD, SPEAKERS, HEADSET))
    assert devices.once("output") == [HEADSET, OLD, SPEAKERS]
    assert devices.once("input") == [HEADSET]


def test_the_long_list_has_all_of_them_the_default_first() -> None:
    devices = Devices((SPEAKERS_MME, SPEAKERS, HEADSET))
    assert devices.of("output") == [HEADSET, SPEAKERS_MME, SPEAKERS]


@pytest.mark.parametrize("output", [Output(), Output("none"), Output("USB: 2", "ALSA"), Output("USB", None, 3)])
def test_an_output_is_remembered(output: Output) -> None:
    assert output_from_key(output.key) == output


def test_a_device_remembered_without_its_host_api_gets_the_one_it_has() -> None:
    assert completed("Speakers", None, [SPEAKERS]) == "WASAPI"
    assert completed("Speakers", "MME", [SPEAKERS]) == "MME"
    assert completed("Gone", None, [SPEAKERS]) is None
