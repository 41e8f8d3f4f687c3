"""The project's recordings are what their manifest says, and fit for what the checks do with them."""

from pathlib import Path

import numpy as np
import pytest
import soundfile

from simulator.audio.audio_files import load_recording
from simulator.audio.recordings import (
    Pause,
    Role,
    SpeechExtent,
    SpeechRecording,
    project_recordings,
    recording,
    sha256_of,
    speech_extent,
    unfit_for,
)
from simulator.errors import UnknownName
from simulator.resources import fixtures_dir

ALL = project_recordings()


@pytest.mark.parametrize("entry", ALL, ids=lambda entry: entry.name)
def test_a_recording_is_what_the_manifest_says(entry: SpeechRecording) -> None:
    samples, rate_hz = soundfile.read(entry.path, dtype="int16")
    assert (rate_hz, samples.ndim) == (24_000, 1)
    assert sha256_of(entry.path) == entry.sha256
    assert speech_extent(samples) == SpeechExtent(entry.onset_ms, entry.offset_ms, entry.pauses)
    assert entry.duration_ms == len(samples) * 1000 // 24_000
    assert not samples[: entry.onset_ms * 24].any()
    assert not samples[entry.offset_ms * 24 :].any()


def test_every_file_is_in_the_manifest_and_its_voice_and_role_in_the_readme() -> None:
    files = {path.stem for path in (fixtures_dir() / "speech").glob("*.flac")}
    assert files == {entry.name for entry in ALL}
    readme = (fixtures_dir() / "README.md").read_text(encoding="utf-8")
    for entry in ALL:
        assert f"| {entry.voice} |" in readme
        assert f"| {entry.role} |" in readme
        assert entry.licence == "MIT"


@pytest.mark.parametrize("role", Role)
def test_each_role_is_spoken_by_six_voices(role: Role) -> None:
    assert len({entry.voice for entry in ALL if entry.role is role}) == 6


@pytest.mark.parametrize("entry", ALL, ids=lambda entry: entry.name)
def test_a_recording_fits_its_role(entry: SpeechRecording) -> None:
    speech_ms = entry.offset_ms - entry.onset_ms
    if entry.role is Role.PAUSES:
        assert any(pause.to_ms - pause.from_ms >= 650 for pause in entry.pauses)
    else:
        assert all(pause.to_ms - pause.from_ms <= 350 for pause in entry.pauses)
    if entry.role in (Role.ONE_WORD, Role.BACKCHANNEL):
        assert speech_ms <= 1_000
    if entry.role is Role.INTERRUPTION:
        assert speech_ms >= 2_500
    if entry.role is Role.MONOLOGUE:
        assert speech_ms >= 3_000


def test_spliced_pauses_have_the_length_that_was_spliced() -> None:
    long_pauses_ms = {
        entry.name: [pause.to_ms - pause.from_ms for pause in entry.pauses if pause.to_ms - pause.from_ms > 350]
        for entry in ALL
        if entry.role is Role.PAUSES
    }
    assert long_pauses_ms == {
        "pause_in_the_middle": [1_200],
        "pauses_pico_us": [800, 1_600],
        "pauses_pico_gb": [2_000],
        "pauses_slt": [1_000, 700],
        "pauses_rms": [1_400],
        "pauses_awb": [1_800],
    }


def test_no_two_leads_are_alike_and_all_is_small() -> None:
    leads_ms = [entry.onset_ms for entry in ALL]
    assert len(set(leads_ms)) == len(leads_ms)
    assert max(leads_ms) - min(leads_ms) > 500
    assert sum(entry.path.stat().st_size for entry in ALL) < 6_000_000


@pytest.mark.parametrize(
    ("role", "extent", "why"),
    [
        (Role.INTERRUPTION, SpeechExtent(100, 2_600, ()), None),
        (Role.INTERRUPTION, SpeechExtent(100, 2_599, ()), "2499 ms"),
        (Role.MONOLOGUE, SpeechExtent(100, 3_100, ()), None),
        (Role.MONOLOGUE, SpeechExtent(100, 3_099, ()), "2999 ms"),
        (Role.ONE_WORD, SpeechExtent(0, 1_000, ()), None),
        (Role.BACKCHANNEL, SpeechExtent(0, 1_001, ()), "1001 ms"),
        (Role.QUESTION, SpeechExtent(0, 2_000, (Pause(500, 850),)), None),
        (Role.QUESTION, SpeechExtent(0, 2_000, (Pause(500, 851), Pause(900, 950))), "pauses for 351 ms"),
        (Role.PAUSES, SpeechExtent(0, 2_000, (Pause(500, 1_150),)), None),
        (Role.PAUSES, SpeechExtent(0, 2_000, (Pause(500, 1_149),)), "649 ms"),
    ],
)
def test_a_role_asks_for_so_much_speech_and_so_long_pauses(role: Role, extent: SpeechExtent, why: str | None) -> None:
    reason = unfit_for(role, extent)
    assert reason is None if why is None else why in (reason or "")


def test_speech_is_found_by_its_energy() -> None:
    samples = np.zeros(24_000, np.int16)
    samples[2_400:4_800] = 8_000
    samples[9_600:12_000] = -8_000
    assert speech_extent(samples) == SpeechExtent(100, 500, (Pause(200, 400),))
    assert speech_extent(np.zeros(24_000, np.int16)) is None
    assert speech_extent(np.full(24_000, 10, np.int16)) is None
    assert speech_extent(np.zeros(0, np.int16)) is None


def test_a_background_is_no_speech() -> None:
    """A hum of -50 dBFS under a voice of -12: both are above the voice's -40 dB, and yet the hum is silence."""
    samples = np.full(24_000, 100, np.int16)
    samples[2_400:4_800] = 8_000
    samples[9_600:12_000] = -8_000
    assert speech_extent(samples) == SpeechExtent(100, 500, (Pause(200, 400),))


def test_speech_without_any_silence_is_speech_from_end_to_end() -> None:
    assert speech_extent(np.full(24_000, 3_000, np.int16)) == SpeechExtent(0, 1_000, ())


PEOPLE = Path(__file__).parents[2].parent / "shared" / "fixtures"


@pytest.mark.skipif(not PEOPLE.is_dir(), reason="the shared recordings are not beside this checkout")
def test_pauses_of_a_person_in_a_noisy_hall_are_found() -> None:
    """Measured by hand: 1.06, 1.02 and 0.58 s, besides short ones. Faint breath at their edges may count as silence."""
    extent = speech_extent(load_recording(PEOPLE / "jfk.flac"))
    assert extent is not None
    found_ms = [pause.to_ms - pause.from_ms for pause in extent.pauses]
    assert [ms for ms in found_ms if ms > 400] == pytest.approx([1_060, 1_020, 580], abs=150)


@pytest.mark.parametrize(("name", "nearest"), [("monolog", "monologue"), ("x", "coffee_or_tea")])
def test_an_unknown_name_is_answered_with_the_nearest(name: str, nearest: str) -> None:
    with pytest.raises(UnknownName, match=f"“{name}”: use {nearest}, or another that `.* fixture list` prints"):
        recording(name)
