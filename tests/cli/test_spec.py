"""`spec`: where the platform's specification file differs, and `--spec` of `check`."""

import json
from pathlib import Path

import pytest

from simulator.cli import main
from tests.profile.spec_file import spec_document, write_spec


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_spec(tmp_path / "spec.json", spec_document())


def test_a_file_in_other_words_is_told_from_one_with_other_facts(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["spec", str(file)]) == 0
    told = capsys.readouterr().out
    assert "Questions in the file's words: vasrating." in told
    assert "Other words:" in told
    assert "Other values:" not in told
    assert '    program: "Rate on the scale that your screen shows: a number that lies within its limits."\n' in told
    assert '    file:    "The tests\' words for answer_scale."\n' in told

    document = spec_document()
    document["conformance"]["thresholds"]["maxOnsetDelayMs"] = 800
    document["conformance"]["checks"].pop()
    document["voiceEngine"]["video"] = {"codec": "none"}
    write_spec(file, document)
    assert main(["spec", str(file)]) == 0
    told = capsys.readouterr().out
    assert (
        "Other values:\n  conformance.thresholds.maxOnsetDelayMs\n    program: 1000\n    file:    800\n\n"
        'Only in the file:\n  voiceEngine.video\n    file:    {"codec":"none"}\n\n'
        "Not in the file:\n  conformance.checks.turn_detection_fields\n"
        '    program: {"id":"turn_detection_fields","perTurnDetection":true}\n\nOther words:\n'
    ) in told


def test_the_differences_as_json(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["spec", str(file), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["specVersion"], told["wordedQuestions"]) == ("0.2.0", ["vasrating"])
    assert len(told["sha256"]) == 64
    assert {each["kind"] for each in told["differences"]} == {"wording"}
    assert set(told["differences"][0]) == {"path", "known", "given", "kind"}


@pytest.mark.parametrize("command", [["spec"], ["check", "--engine", "embedded", "--only", "handshake", "--spec"]])
def test_a_file_that_cannot_be_followed_is_wrong_use(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "spec.json"
    for contents, sentence in (
        (None, "There is no file"),
        ("# prose", "is not JSON"),
        ('{"specVersion":"1.0.0"}', "this program follows 0.2.x"),
        ('{"specVersion":"0.2.0"}', "expected a list with at least one entry at answers, found nothing"),
    ):
        if contents is not None:
            path.write_text(contents, encoding="utf-8")
        assert main([*command, str(path)]) == 3
        out, err = capsys.readouterr()
        assert (out, sentence in err) == ("", True), err


@pytest.mark.parametrize("command", ["check", "run"])
def test_help_says_what_the_option_does(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    assert "agent-spec.json (0.2.x)" in capsys.readouterr().out
