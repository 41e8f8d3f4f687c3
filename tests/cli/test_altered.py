"""Whoever uses a session whose files were changed after its end hears it, in every command that reads one."""

import json
from pathlib import Path

import pytest

from simulator.cli import main
from simulator.record.export.page import LARGEST_INSIDE_BYTES
from simulator.record.finishing import finish
from tests.record.replay.replayed import Session

SENTENCE = (
    "This session is not as it was when it was finished: session.heard.flac is not there any more, study.yaml is new."
)


def _session(folder: Path) -> Path:
    session = Session().says(300, 500)
    session.push(600, {"event": "timer", "secondsLeft": 30})
    written = session.end(2_000).write(folder)
    finish(written)
    return written


@pytest.fixture
def altered(tmp_path: Path) -> Path:
    session = _session(tmp_path / "altered")
    (session / "session.heard.flac").unlink()
    (session / "study.yaml").write_text("name: x\n")
    return session


def test_measures_and_export_tell_it(altered: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measures", str(altered)]) == 0
    assert SENTENCE in capsys.readouterr().err.splitlines()
    assert main(["measures", str(altered), "--json"]) == 0
    assert SENTENCE in json.loads(capsys.readouterr().out)["problems"]
    assert main(["export", str(altered), "--to", "html", "--out", str(tmp_path / "out")]) == 0
    assert SENTENCE in capsys.readouterr().err.splitlines()
    (page,) = (tmp_path / "out").glob("*.html")
    assert page.stat().st_size < LARGEST_INSIDE_BYTES
    assert SENTENCE in page.read_text(encoding="utf-8")


def test_a_redacted_copy_does_not_hold_the_names_of_files(
    altered: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(["export", str(altered), "--to", "html", "--redacted", "--out", str(out), "--json"]) == 0
    assert SENTENCE in json.loads(capsys.readouterr().out)["notes"]
    assert all(b"study.yaml" not in path.read_bytes() for path in out.iterdir())


def test_comparing_and_replaying_tell_of_which_session(
    altered: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = _session(tmp_path / "whole")
    assert main(["sessions", "--compare", str(whole), str(altered), "--json"]) == 0
    assert capsys.readouterr().err == f"altered: {SENTENCE}\n"
    nobody = ["--engine", "ws://127.0.0.1:9/v1/realtime"]
    assert main(["replay", str(altered), *nobody]) == 3
    assert SENTENCE in capsys.readouterr().err.splitlines()
    assert main(["replay", str(whole), *nobody]) == 3
    assert "not as it was" not in capsys.readouterr().err
