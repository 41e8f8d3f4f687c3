"""`fixture`: recordings of the user's own, added, listed, removed and spoken with."""

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile

from simulator.cli import main
from simulator.participant.recordings import open_recording


@pytest.fixture(autouse=True)
def _data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PARTICIPANT_SIMULATOR_DATA", str(tmp_path / "data"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Sound from 250 to 1250 ms."""
    samples = np.zeros(36_000, np.float32)
    samples[6_000:30_000] = 0.25 * np.sin(2 * np.pi * 1_000 * np.arange(24_000) / 24_000)
    soundfile.write(tmp_path / "mine.wav", samples, 24_000)
    return tmp_path / "mine.wav"


def test_an_added_recording_is_printed_and_spoken_by_its_name(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fixture", "add", str(file)]) == 0
    assert capsys.readouterr().out == "Added mine: speech from 0.25 to 1.25 s; no pause; voice: your own\n"
    opened = open_recording("mine")
    assert (opened.name, opened.onset_ms, opened.samples.size) == ("mine", 250, 36_000)


def test_the_entry_is_printed_as_json(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fixture", "add", str(file), "--name", "yes", "--words", "Yes?", "--role", "one_word", "--json"]) == 0
    entry = json.loads(capsys.readouterr().out)
    assert (entry["name"], entry["words"], entry["role"], entry["added"]) == ("yes", "Yes?", "one_word", True)
    assert (entry["onsetMs"], entry["offsetMs"], entry["durationMs"], entry["pauses"]) == (250, 1_250, 1_500, [])


def test_all_are_listed_and_only_the_users_own_removed(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["fixture", "add", str(file)])
    capsys.readouterr()
    assert main(["fixture", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "coffee_or_tea: speech from 0.62 to 2.80 s; no pause; question; voice: hibari heart"
    assert lines[-1].startswith("mine: ")
    assert main(["fixture", "remove", "mine"]) == 0
    assert main(["fixture", "remove", "mine"]) == 3
    assert main(["fixture", "list", "--json"]) == 0
    out, err = capsys.readouterr()
    assert "There is no recording of your own called “mine”" in err
    assert '"mine"' not in out


def test_a_refusal_is_one_sentence_and_exit_code_3(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    soundfile.write(tmp_path / "empty.wav", np.zeros(24_000), 24_000)
    (tmp_path / "a.wav").write_text("notes")
    for arguments, sentence in [
        (["add", str(tmp_path / "empty.wav")], "empty.wav is silent: record it again, more loudly.\n"),
        (
            ["add", str(tmp_path / "a.wav")],
            "a.wav cannot be read as audio: use a WAV, FLAC, OGG or MP3 file.\n",
        ),
        ([], "The following arguments are required: ACTION: see `participant-simulator fixture --help`.\n"),
    ]:
        assert main(["fixture", *arguments]) == 3
        assert capsys.readouterr() == ("", sentence)
