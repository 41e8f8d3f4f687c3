"""`check --fault`: the embedded engine breaks a rule, its check catches that, and the report says so."""

import json
from pathlib import Path

import pytest

from simulator.cli import main


@pytest.fixture(autouse=True)
def _folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PARTICIPANT_SIMULATOR_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("PARTICIPANT_SIMULATOR_DATA", str(tmp_path / "data"))


def test_a_fault_turns_its_check_red_and_the_embedded_engine_keeps_its_name_clean(
    capsys: pytest.CaptureFixture[str],
) -> None:
    command = ["check", "--engine", "embedded", "--only", "handshake", "--fault", "output_rate_missing", "--json"]
    assert main(command) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["engine"]["name"] == "embedded with output_rate_missing"
    assert report["results"][0]["reasons"][0].startswith("output format")
    assert main(["reports", "--json"]) == 0
    states = {each["engine"]: each["state"] for each in json.loads(capsys.readouterr().out)["engines"]}
    assert states["embedded"] == "none"


@pytest.mark.parametrize(
    ("engine", "fault", "sentence"),
    [
        ("embedded", "no_such", "There is no fault called “no_such”: see `engine --list-faults`."),
        (
            "ws://127.0.0.1:9/v1",
            "odd_bytes",
            "Only the embedded engine can be told to break rules: give --engine embedded.",
        ),
    ],
)
def test_a_fault_that_cannot_be_had_is_wrong_use(
    engine: str, fault: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "--engine", engine, "--only", "handshake", "--fault", fault]) == 3
    assert capsys.readouterr().err.strip() == sentence


def test_a_voice_that_there_is_not_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--engine", "embedded", "--only", "engine_turn", "--voice", "nobody"]) == 3
    assert "no voice or recording called “nobody”" in capsys.readouterr().err
