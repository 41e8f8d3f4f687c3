"""The audio of a record, as WAV and as FLAC, whole and damaged."""

import os
import sys
import wave
from pathlib import Path

import numpy as np
import pytest
import soundfile

from simulator.errors import UnreadableFile, UnreadableRecording
from simulator.record.entries import Track
from simulator.record.manifest import read_manifest
from simulator.record.reader import audio, audio_lack, read_record
from simulator.record.tracks import TrackFile
from simulator.record.wav import HEADER_BYTES, flac_path, header, track_path

GOLDEN = Path(__file__).parent / "golden"
NOISE = np.random.default_rng(1).integers(-20_000, 20_000, (50_000, 2)).astype(np.int16)


def write_wav(path: Path, samples: np.ndarray) -> None:
    data = samples.astype("<i2").tobytes()
    path.write_bytes(header(samples.shape[1] if samples.ndim > 1 else 1, len(data)) + data)


@pytest.fixture(params=["wav", "flac"])
def heard(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The folder of a session whose heard track is `NOISE`, in either form."""
    record = tmp_path / "session.jsonl"
    record.write_bytes((GOLDEN / "version-1" / "session.jsonl").read_bytes())
    if request.param == "wav":
        write_wav(track_path(record, Track.HEARD), NOISE)
    else:
        soundfile.write(flac_path(record, Track.HEARD), NOISE, 24_000, subtype="PCM_16")
    return tmp_path


def test_a_record_of_format_version_1_opens_as_it_was_written() -> None:
    record = read_record(GOLDEN / "version-1")
    assert record.path == GOLDEN / "version-1" / "session.jsonl"
    assert (record.problems, record.ended, record.keeps_audio) == ([], True, True)
    assert [entry.type for entry in record.entries] == [
        "record.started",
        "session.created",
        "input_audio_buffer.append",
        "malformed",
        "response.output_audio.delta",
        "record.ended",
    ]
    assert record.entries[3].raw_text == '{"typ'
    assert audio(record.path, Track.PARTICIPANT).tolist() == [1, -2, 32767]
    assert audio(record.path, Track.AGENT).tolist() == [5, -32768]
    assert audio(record.path, Track.HEARD).tolist() == [[0, 0], [1, 0], [-2, 5], [32767, -32768]]
    assert [audio_lack(record, track) for track in Track] == [None, None, None]


def test_a_folder_that_was_finished_in_format_version_1_opens_as_it_was_written() -> None:
    folder = GOLDEN / "version-1-finished"
    assert read_record(folder).entries == read_record(GOLDEN / "version-1").entries
    for track in Track:
        assert np.array_equal(audio(folder, track), audio(GOLDEN / "version-1", track))
    manifest = read_manifest(folder)
    assert (manifest.format_version, manifest.entries, manifest.ended) == (1, 6, "disconnected")
    assert len(manifest.files) == 7


def test_both_forms_read_alike_whole_and_in_pieces(heard: Path) -> None:
    assert np.array_equal(audio(heard, Track.HEARD), NOISE)
    assert audio(heard / "session.jsonl", Track.AGENT).tolist() == []
    with TrackFile(heard, Track.HEARD) as file:
        assert file.frames == 50_000
        assert np.array_equal(file.read(49_990, 100), NOISE[49_990:])
        assert np.array_equal(file.read(3, 20_000), NOISE[3:20_003])
        assert file.read(50_000, 5).shape == (0, 2)
        assert file.read(7, 0).shape == (0, 2)
        assert np.array_equal(np.concatenate(list(file.blocks(4_999))), NOISE)


def test_what_was_read_outlives_the_file(heard: Path) -> None:
    samples = audio(heard, Track.HEARD)
    if os.name != "nt":  # Windows keeps a mapped file
        for path in heard.iterdir():
            path.unlink()
    assert np.array_equal(samples, NOISE)


def test_a_file_that_was_cut_off_opens_up_to_there_and_says_so(heard: Path) -> None:
    (path,) = heard.glob("session.heard.*")
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 3 // 5])
    samples = audio(heard, Track.HEARD)
    assert 10_000 < len(samples) < 50_000
    assert np.array_equal(samples, NOISE[: len(samples)])


def test_garbage_in_the_middle_of_a_flac_ends_what_is_read_and_is_told(tmp_path: Path) -> None:
    record = tmp_path / "session.jsonl"
    record.write_bytes((GOLDEN / "version-1" / "session.jsonl").read_bytes())
    path = flac_path(record, Track.AGENT)
    soundfile.write(path, NOISE[:, 0], 24_000, subtype="PCM_16")
    whole = path.read_bytes()
    path.write_bytes(whole[:40_000] + b"\x55" * 9_000 + whole[49_000:])
    samples = audio(record, Track.AGENT)
    # A frame of FLAC holds 4,096 samples, here in about 8 kB: four of them, whole, lie before the damage.
    assert 4 * 4096 <= len(samples) < 6 * 4096
    assert np.array_equal(samples, NOISE[: len(samples), 0])
    lack = audio_lack(read_record(record), Track.AGENT)
    assert lack is not None
    assert lack.startswith("session.agent.flac is damaged or was cut off: it opens up to ")
    assert lack.endswith(" s of 2.1 s.")
    with TrackFile(record, Track.AGENT) as file:
        file.read(22_000, 10)  # whatever comes of it, the rest can still be read
        assert np.array_equal(file.read(3, 10), NOISE[3:13, 0])


def test_a_track_whose_file_is_gone_is_told(tmp_path: Path) -> None:
    (tmp_path / "session.jsonl").write_bytes((GOLDEN / "version-1" / "session.jsonl").read_bytes())
    record = read_record(tmp_path)
    assert audio_lack(record, Track.AGENT) == "The audio of the track “agent” is not there."
    assert audio_lack(record, Track.HEARD) is None
    track_path(record.path, Track.AGENT).write_bytes(b"RIFF" + b"\0" * 60)
    assert str(audio_lack(record, Track.AGENT)).endswith("is not the audio of a record.")


@pytest.mark.parametrize("rate_hz", [24_000, 48_000])
def test_a_flac_of_another_form_is_not_of_a_record(tmp_path: Path, rate_hz: int) -> None:
    record = tmp_path / "session.jsonl"
    soundfile.write(flac_path(record, Track.AGENT), NOISE, rate_hz, subtype="PCM_16")
    with pytest.raises(UnreadableRecording, match="is not the audio of a record"):
        audio(record, Track.AGENT)
    flac_path(record, Track.AGENT).write_bytes(b"fLaC and nothing else")
    with pytest.raises(UnreadableRecording, match="is not the audio of a record"):
        audio(record, Track.AGENT)


def test_a_folder_stands_for_the_one_record_in_it(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="holds no session"):
        read_record(tmp_path)
    line = (GOLDEN / "version-1" / "session.jsonl").read_bytes().split(b"\n")[0] + b"\n"
    (tmp_path / "turns.jsonl").write_bytes(line)
    assert read_record(tmp_path).path == tmp_path / "turns.jsonl"
    (tmp_path / "other.jsonl").write_bytes(line)
    with pytest.raises(UnreadableFile, match="holds 2 records"):
        read_record(tmp_path)
    (tmp_path / "session.jsonl").write_bytes(line)
    assert read_record(tmp_path).path == tmp_path / "session.jsonl"


@pytest.mark.skipif(sys.platform == "win32", reason="there, the holes of a file take room")
def test_a_day_of_stereo_opens_whole_here_and_up_to_four_gibibytes_elsewhere(tmp_path: Path) -> None:
    """The header counts in 32 bits. A hole stands for what was said."""
    day, path = 24 * 3600 * 24_000, tmp_path / "session.heard.wav"
    with path.open("wb") as file:
        file.write(header(2, 4 * day))
        file.truncate(HEADER_BYTES + 4 * day)
        file.seek(HEADER_BYTES + 4 * (day - 2))
        file.write(np.array([[1, 2], [3, 4]], "<i2").tobytes())
    with TrackFile(tmp_path / "session.jsonl", Track.HEARD) as track:
        assert track.frames == day
        assert track.read(day - 3, 9).tolist() == [[0, 0], [1, 2], [3, 4]]
        assert track.all()[-1].tolist() == [3, 4]
    with soundfile.SoundFile(path) as elsewhere:
        assert elsewhere.frames == (2**32 - 1 - 44) // 4
        elsewhere.seek(elsewhere.frames - 1)
        assert elsewhere.read(2, dtype="int16").tolist() == [[0, 0]]
    with wave.open(str(path)) as other:
        assert other.getnframes() == (2**32 - 1 - 44) // 4


def test_a_flac_whose_header_does_not_know_its_length_is_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "session.heard.flac"
    soundfile.write(path, NOISE, 24_000, subtype="PCM_16")
    whole = path.read_bytes()
    # Bytes 21 to 25 of the file: the last 36 bits are the number of samples; 0 is unknown.
    path.write_bytes(whole[:21] + bytes([whole[21] & 0xF0]) + bytes(4) + whole[26:])
    with TrackFile(tmp_path / "session.jsonl", Track.HEARD) as track:
        assert track.frames == len(NOISE)
        assert np.array_equal(track.read(100, 50), NOISE[100:150])
        assert np.array_equal(np.concatenate(list(track.blocks())), NOISE)
