"""`run --impair`."""

import pytest

from simulator.audio.impairments import Impairments
from simulator.cli.impair import impairments_from
from simulator.errors import UsageError


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("noise=-30", Impairments(noise="white", noise_db=-30)),
        ("noise=-30, kind=babble", Impairments(noise="babble", noise_db=-30)),
        ("snr=5,kind=my street.wav", Impairments(noise="my street.wav", noise_db=5, relative_to="speech")),
        (
            "drop=2.5,burst=60,dropped=late,delay=150,seed=7",
            Impairments(drop_percent=2.5, burst_ms=60, dropped="late", delay_ms=150, seed=7),
        ),
    ],
)
def test_a_list_says_what_is_done(text: str, means: Impairments) -> None:
    assert impairments_from(text) == means


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "“” in --impair is not understood: give noise, snr, kind"),
        ("volume=3", "“volume=3” in --impair is not understood"),
        ("noise=-30,snr=5", "has two levels"),
        ("kind=pink", "has no level: add noise=-40"),
        ("noise=loud", "cannot be used"),
        ("delay=150.5", "cannot be used"),
        ("drop=2,dropped=never", "cannot be used"),
        ("noise=6", "use a value from -80 to 0"),
    ],
)
def test_what_is_wrong_in_it_is_told(text: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        impairments_from(text)
