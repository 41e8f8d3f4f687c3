"""The project's recordings are what their manifest says, and fit for what the checks do with them."""

import numpy as np
import pytest
import soundfile

from simulator.audio.recordings import (
    Pause,
    SpeechExtent,
    SpeechRecording,
    recording,
    recordings,
    sha256_of,
    speech_extent,
)
from simulator.errors import UnknownName
from simulator.resources import fixtures_dir

ALL = recordings()


@pytest.mark.parametrize("entry", ALL, ids=lambda entry: entry.name)
def test_a_recording_is_what_the_manifest_says(entry: SpeechRecording) -> None:
    samples, rate_hz = soundfile.read(entry.path, dtype="int16")
    assert (rate_hz, samples.ndim) == (24_000, 1)
    assert sha256_of(entry.path) == entry.sha256
    assert speech_extent(samples) == SpeechExtent(entry.onset_ms, entry.offset_ms, entry.pauses)
    assert entry.duration_ms == len(samples) * 1000 // 24_000
    assert not samples[: entry.onset_ms * 24].any()
    assert not samples[entry.offset_ms * 24 :].any()


def test_every_file_is_in_the_manifest_and_its_licence_is_named() -> None:
    files = {path.stem for path in (fixtures_dir() / "speech").glob("*.flac")}
    assert files == {entry.name for entry in ALL}
    readme = (fixtures_dir() / "README.md").read_text(encoding="utf-8")
    for entry in ALL:
        assert f"{entry.name}.flac" in readme
        assert entry.licence


def test_recordings_fit_what_they_are_for() -> None:
    for entry in ALL:
        if entry.name != "pause_in_the_middle":
            assert entry.longest_pause_ms <= 350, entry.name
    assert recording("interruption").offset_ms - recording("interruption").onset_ms >= 2_500
    assert recording("monologue").offset_ms - recording("monologue").onset_ms >= 3_000
    assert recording("pause_in_the_middle").longest_pause_ms > 1_000
    assert recording("one_word").offset_ms - recording("one_word").onset_ms < 1_000
    leads_ms = [entry.onset_ms for entry in ALL]
    assert len(set(leads_ms)) == len(leads_ms)


def test_speech_is_found_by_its_energy() -> None:
    samples = np.zeros(24_000, np.int16)
    samples[2_400:4_800] = 8_000
    samples[9_600:12_000] = -8_000
    assert speech_extent(samples) == SpeechExtent(100, 500, (Pause(200, 400),))
    assert speech_extent(np.zeros(24_000, np.int16)) is None
    assert speech_extent(np.full(24_000, 10, np.int16)) is None
    assert speech_extent(np.zeros(0, np.int16)) is None


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="coffee_or_tea"):
        recording("tea_or_coffee")
