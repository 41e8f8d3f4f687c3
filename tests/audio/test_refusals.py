"""A device that does not open is told by what its system says."""

import pytest

from simulator.audio.refusals import why_not_opened

HOST_ERROR = ("Error opening InputStream: Unanticipated host error", -9999)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (("Error opening InputStream: Device unavailable", -9985), "is in use by another program"),
        ((*HOST_ERROR, (0, -16, "Device or resource busy")), "is in use by another program"),
        ((*HOST_ERROR, (13, -2004287478, "AUDCLNT_E_DEVICE_IN_USE")), "is in use by another program"),
        ((*HOST_ERROR, (13, -2147024891, "Access is denied")), "may not be used by this program"),
        ((*HOST_ERROR, (0, -13, "Permission denied")), "may not be used by this program"),
        ((*HOST_ERROR, (0, -19, "No such device")), "has gone"),
        (("Error opening InputStream: Invalid device", -9996), "has gone"),
        ((*HOST_ERROR, (0, -5, "Input/output error")), "has gone"),
        (HOST_ERROR, "cannot be opened"),
    ],
)
def test_what_a_system_says_becomes_a_sentence(said: tuple[object, ...], words: str) -> None:
    sentence = why_not_opened("The microphone “USB”", [Exception(*said)])
    assert sentence.startswith(f"The microphone “USB” {words}")
    assert ": " in sentence
