"""Recordings that the user adds: annotated by energy, refused where no measurement could rest on them."""

from pathlib import Path

import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray

from simulator.audio.audio_files import load_recording
from simulator.audio.own_recordings import add_recording, remove_recording
from simulator.audio.recordings import (
    Pause,
    Role,
    own_recordings,
    project_recordings,
    recording,
    recordings,
    recordings_for,
    sha256_of,
)
from simulator.errors import SimulatorError, StorageFault, UnknownName, UnreadableFile, UnreadableRecording, UsageError


@pytest.fixture(autouse=True)
def data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    monkeypatch.setenv("PARTICIPANT_SIMULATOR_DATA", str(folder))
    return folder


def burst(ms: int, rate_hz: int = 24_000, level: float = 0.25) -> NDArray[np.float32]:
    """A tone of 1 kHz."""
    return (level * np.sin(2 * np.pi * 1_000 * np.arange(ms * rate_hz // 1_000) / rate_hz)).astype(np.float32)


def gap(ms: int, rate_hz: int = 24_000) -> NDArray[np.float32]:
    return np.zeros(ms * rate_hz // 1_000, np.float32)


def written(path: Path, *parts: NDArray[np.float32], rate_hz: int = 24_000) -> Path:
    soundfile.write(path, np.concatenate(parts), rate_hz, subtype="PCM_16")
    return path


def test_speech_and_pauses_are_found_and_the_copy_is_kept(tmp_path: Path, data_folder: Path) -> None:
    """400 ms of silence, 1000 of sound, 700 of silence, 500 of sound, 200 of silence."""
    file = written(tmp_path / "My question, 2.wav", gap(400), burst(1_000), gap(700), burst(500), gap(200))
    added = add_recording(file, words="What?")
    assert (added.name, added.words, added.added) == ("My_question_2", "What?", True)
    assert (added.onset_ms, added.offset_ms, added.duration_ms) == (400, 2_600, 2_800)
    assert added.pauses == (Pause(1_400, 2_100),)
    assert added.path == data_folder / "recordings" / "My_question_2.flac"
    assert added.sha256 == sha256_of(added.path)
    file.unlink()
    assert load_recording(added.path).size == 2_800 * 24
    assert own_recordings() == [added]
    assert recordings() == [*project_recordings(), added]
    assert recording("My_question_2") == added


def test_any_rate_and_both_channels_are_taken(tmp_path: Path) -> None:
    """Stereo at 48 kHz, with sound in the right channel only. Resampling may smear an edge by one window of 5 ms."""
    mono = np.concatenate([gap(300, 48_000), burst(600, 48_000), gap(300, 48_000)])
    soundfile.write(tmp_path / "stereo.flac", np.stack([np.zeros_like(mono), mono], axis=1), 48_000)
    added = add_recording(tmp_path / "stereo.flac")
    assert abs(added.onset_ms - 300) <= 5
    assert abs(added.offset_ms - 900) <= 5
    assert added.duration_ms == 1_200


def test_a_role_is_kept_and_the_recording_listed_after_the_programs(tmp_path: Path) -> None:
    file = written(tmp_path / "wait.wav", gap(100), burst(3_000), gap(100))
    added = add_recording(file, name="wait", role=Role.INTERRUPTION)
    assert recordings_for(Role.INTERRUPTION)[-1] == added
    assert added not in recordings_for(Role.MONOLOGUE)
    assert recordings_for(Role.INTERRUPTION)[0].name == "interruption"


def test_speech_that_does_not_fit_the_role_is_refused(tmp_path: Path) -> None:
    file = written(tmp_path / "short.wav", gap(100), burst(2_000), gap(100))
    with pytest.raises(UsageError, match=r"^short\.wav cannot be used as interruption: its speech lasts 2000 ms"):
        add_recording(file, role=Role.INTERRUPTION)
    assert own_recordings() == []


def test_what_is_silent_is_refused(tmp_path: Path, data_folder: Path) -> None:
    for level in (0.0, 0.0005):
        file = written(tmp_path / "quiet.wav", burst(1_000, level=level))
        with pytest.raises(UnreadableRecording, match=r"^quiet\.wav is silent"):
            add_recording(file)
    assert not data_folder.exists()


def test_what_clips_is_refused_with_the_place(tmp_path: Path) -> None:
    """A tone three times too loud, from 1.5 s on: the first sample at full scale is the 24000 * 1.5 + 2nd."""
    loud = np.clip(burst(500, level=3.0), -1, 32_767 / 32_768)
    file = written(tmp_path / "loud.wav", gap(500), burst(1_000), loud)
    with pytest.raises(UnreadableRecording, match=r"^loud\.wav clips at 1\.50 s"):
        add_recording(file)


def test_one_channel_that_clips_is_enough(tmp_path: Path) -> None:
    loud = np.clip(burst(500, level=3.0), -1, 32_767 / 32_768)
    soundfile.write(tmp_path / "half.wav", np.stack([burst(500), loud], axis=1), 24_000)
    with pytest.raises(UnreadableRecording, match=r"clips at 0\.00 s"):
        add_recording(tmp_path / "half.wav")


def test_speech_that_only_touches_full_scale_does_not_clip(tmp_path: Path) -> None:
    speech = burst(500, level=0.5)
    speech[1_000:1_002] = 32_767 / 32_768
    assert add_recording(written(tmp_path / "hot.wav", gap(100), speech, gap(100))).speech_ms == 500


@pytest.mark.parametrize("content", [b"", b"no audio at all", b"RIFF\x24\0\0\0WAVEfmt "])
def test_what_cannot_be_read_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "notes.wav").write_bytes(content)
    with pytest.raises(UnreadableRecording, match=r"notes\.wav"):
        add_recording(tmp_path / "notes.wav")
    with pytest.raises(UnreadableRecording, match="check the name"):
        add_recording(tmp_path / "missing.wav")


@pytest.mark.parametrize("name", ["coffee_or_tea", "Coffee_or_TEA", "mic", "silence", "own", "OWN"])
def test_a_name_that_is_taken_is_refused(tmp_path: Path, name: str) -> None:
    file = written(tmp_path / "own.wav", burst(500))
    add_recording(file)
    with pytest.raises(UsageError, match="is taken"):
        add_recording(file, name=name)
    assert [each.name for each in own_recordings()] == ["own"]


@pytest.mark.parametrize("name", ["a/b", "../a", "a b", ".a", "-a", "a" * 65, "a.flac"])
def test_a_name_that_is_no_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="cannot be the name"):
        add_recording(written(tmp_path / "own.wav", burst(500)), name=name)


def test_a_recording_of_ones_own_can_be_removed_and_its_name_used_again(tmp_path: Path) -> None:
    file = written(tmp_path / "own.wav", burst(500))
    path = add_recording(file).path
    remove_recording("own")
    assert own_recordings() == []
    assert not path.exists()
    assert add_recording(file).path == path
    with pytest.raises(UnknownName, match="There are: own"):
        remove_recording("coffee_or_tea")


def test_a_list_that_cannot_be_read_is_said_and_never_overwritten(tmp_path: Path, data_folder: Path) -> None:
    manifest = data_folder / "recordings" / "manifest.json"
    manifest.parent.mkdir(parents=True)
    manifest.write_text("[")
    with pytest.raises(UnreadableFile, match="move the file away"):
        recordings()
    with pytest.raises(SimulatorError, match="move the file away"):
        add_recording(written(tmp_path / "own.wav", burst(500)))
    assert manifest.read_text() == "["


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path, data_folder: Path) -> None:
    data_folder.write_text("a file where the folder should be")
    with pytest.raises(StorageFault, match="cannot be written"):
        add_recording(written(tmp_path / "own.wav", burst(500)))
