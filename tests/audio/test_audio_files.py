"""People's audio files: any format, rate and number of channels; what is wrong with one is a sentence."""

from pathlib import Path

import numpy as np
import pytest
import soundfile

from simulator.audio import audio_files
from simulator.audio.audio_files import audio_suffixes, load_recording
from simulator.audio.resample import resample, resample_pieces
from simulator.errors import UnreadableRecording


@pytest.mark.parametrize("channels", [1, 2, 8])
@pytest.mark.parametrize("rate_hz", [8_000, 44_100, 192_000])
def test_a_recording_is_read_at_24_khz_mono_whatever_its_rate_and_channels(
    tmp_path: Path, rate_hz: int, channels: int
) -> None:
    """A second of 440 Hz at half of full scale in the first channel only: the mean is that by their number."""
    sound = np.zeros((rate_hz, channels), dtype=np.float32)
    sound[:, 0] = 0.5 * np.sin(2 * np.pi * 440 * np.arange(rate_hz) / rate_hz)
    soundfile.write(tmp_path / "a.wav", sound, rate_hz, subtype="PCM_24")
    samples = load_recording(tmp_path / "a.wav")
    assert samples.dtype == np.int16
    assert len(samples) == 24_000
    assert np.abs(samples[1000:-1000].astype(int)).max() == pytest.approx(16384 / channels, rel=0.01)
    assert np.argmax(np.abs(np.fft.rfft(samples))) == 440


@pytest.mark.parametrize(
    ("form", "subtype"), [("MP3", "MPEG_LAYER_III"), ("OGG", "OPUS"), ("AIFF", None), ("W64", None)]
)
def test_a_file_is_known_by_what_it_holds_and_not_by_its_suffix(tmp_path: Path, form: str, subtype: str | None) -> None:
    sound = 0.5 * np.sin(2 * np.pi * 440 * np.arange(48_000) / 48_000)
    soundfile.write(tmp_path / "speech.txt", sound, 48_000, format=form, subtype=subtype)
    samples = load_recording(tmp_path / "speech.txt")
    assert len(samples) == pytest.approx(24_000, abs=1_200)
    assert np.argmax(np.abs(np.fft.rfft(samples, 24_000))) == pytest.approx(440, abs=1)


def test_a_24_khz_16_bit_recording_is_read_exactly(tmp_path: Path) -> None:
    samples = np.random.default_rng(1).integers(-32768, 32768, 500_000).astype(np.int16)
    soundfile.write(tmp_path / "a.wav", samples, 24_000)
    assert np.array_equal(load_recording(tmp_path / "a.wav"), samples)


@pytest.mark.parametrize("rate_hz", [11_025, 44_100, 96_000])
def test_pieces_are_resampled_as_the_whole_is(rate_hz: int) -> None:
    whole = np.random.default_rng(2).uniform(-0.5, 0.5, rate_hz * 3).astype(np.float32)
    pieces = resample_pieces(np.array_split(whole, 7), rate_hz, 24_000)
    assert np.array_equal(np.concatenate(list(pieces)), resample(whole, rate_hz, 24_000))


def test_a_recording_that_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "notes.wav").write_text("this is no audio")
    (tmp_path / "headerless.raw").write_bytes(bytes(100))
    (tmp_path / "cut.flac").write_bytes(b"fLaC" + bytes(40))
    soundfile.write(tmp_path / "empty.wav", np.zeros(0, dtype=np.int16), 24_000)
    for name in ("notes.wav", "headerless.raw", "cut.flac"):
        with pytest.raises(UnreadableRecording, match=rf"{name} cannot be read as audio: use a WAV"):
            load_recording(tmp_path / name)
    with pytest.raises(UnreadableRecording, match=r"empty\.wav holds no audio"):
        load_recording(tmp_path / "empty.wav")
    with pytest.raises(UnreadableRecording, match=r"There is no recording .*missing\.wav"):
        load_recording(tmp_path / "missing.wav")
    with pytest.raises(UnreadableRecording, match="There is no recording"):
        load_recording(tmp_path)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_no_numbers_are_told_with_their_place(tmp_path: Path, value: float) -> None:
    """In the second of two channels, at sample 6,000 of 24,000 a second."""
    sound = np.zeros((12_000, 2), dtype=np.float32)
    sound[6_000:, 1] = value
    soundfile.write(tmp_path / "a.wav", sound, 24_000, subtype="FLOAT")
    with pytest.raises(UnreadableRecording, match=r"no numbers, first at 0\.25 s: export it again"):
        load_recording(tmp_path / "a.wav")


def test_a_recording_louder_than_full_scale_is_told(tmp_path: Path) -> None:
    """A sine of twice full scale lies beyond it for two thirds of the time: |sin| > 1/2."""
    sine = 2 * np.sin(2 * np.pi * np.arange(24_000) / 240)
    soundfile.write(tmp_path / "loud.wav", sine, 24_000, subtype="FLOAT")
    with pytest.raises(UnreadableRecording, match=r"loud\.wav is louder than full scale in 6\d% of its samples"):
        load_recording(tmp_path / "loud.wav")
    soundfile.write(tmp_path / "touching.wav", np.where(np.arange(24_000) % 200, 0.5, 1.01), 24_000, subtype="FLOAT")
    assert load_recording(tmp_path / "touching.wav").max() == 32767


def test_a_recording_of_hours_is_told_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with soundfile.SoundFile(tmp_path / "day.wav", "w", 1_000, 1, subtype="PCM_U8") as file:
        file.write(np.zeros(1_000 * 3 * 3600, dtype=np.int16))

    def no_reading(*_: object) -> None:
        raise AssertionError("read")

    monkeypatch.setattr(audio_files, "_pieces", no_reading)
    with pytest.raises(UnreadableRecording, match=r"day\.wav lasts 3 h 0 min: cut out what is to be said"):
        load_recording(tmp_path / "day.wav")


def test_a_rate_that_no_recording_has_is_told(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", np.zeros(10), 7)
    with pytest.raises(UnreadableRecording, match="says that it has 7 samples a second"):
        load_recording(tmp_path / "a.wav")


def test_the_suffixes_of_a_folder_are_those_that_can_be_read() -> None:
    assert {".wav", ".flac", ".ogg", ".mp3", ".aiff", ".aif", ".opus", ".w64", ".au"} <= audio_suffixes()
    assert ".raw" not in audio_suffixes()
