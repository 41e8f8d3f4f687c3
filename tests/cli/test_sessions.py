"""`sessions`: the table and the comparison as a person and as a script read them."""

import json
from pathlib import Path

import pytest

from simulator.cli import main
from simulator.cli.session_table import comparison_text
from simulator.record.session_comparison import compare
from tests.record.export_record import Sheet, conversation
from tests.record.test_sessions import FIRST, first_session, save, second_session

HASH = "04ed0701"
"""The first digits of `printf 'You are a guide.\\nBe brief.\\nNever sing.' | sha256sum`."""


@pytest.fixture
def records(tmp_path: Path) -> Path:
    save(tmp_path / "records" / "a", first_session())
    save(tmp_path / "records" / "b", second_session())
    return tmp_path / "records"


def test_the_table_has_a_line_a_session(records: Path, capsys: pytest.CaptureFixture[str]) -> None:
    painted = first_session()
    painted.noted(11_000, "study.started", name="\x1b[31mred")
    save(records / "c", painted, b"{")
    assert main(["sessions", str(records), "--engine", "embedded"]) == 0
    out, err = capsys.readouterr()
    heading, *lines = out.splitlines()
    assert heading.split()[:3] == ["started", "min:s", "engine"]
    assert sorted(line.rsplit("  ", 1)[1] for line in lines) == ["a", "c"]
    assert "\x1b" not in out + err
    (line,) = (line for line in lines if line.endswith("  a"))
    assert line.split()[2:9] == ["0:10", "embedded", "script", "Tea", "talk", HASH, "1"]
    assert line.split()[9:] == ["2+2", "50", "–", "–", "0", "1", "0.0", "ended", "a"]
    assert "was cut off in the middle" in err


def test_the_json_has_whole_hashes_and_texts(records: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sessions", str(records), "--json", "--instructions", HASH]) == 0
    (told,) = json.loads(capsys.readouterr().out)
    assert (told["name"], told["state"], told["participantTurns"]) == ("a", "ended", 2)
    assert [(each["sha256"][:8], len(each["sha256"]), each["text"]) for each in told["instructions"]] == [
        (HASH, 64, FIRST)
    ]
    assert told["mediansMs"]["response_start"] == 50
    assert told["answers"][0]["value"] == 5


def test_two_sessions_are_compared_by_name_or_path(records: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sessions", str(records), "--compare", "a", str(records / "b"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["first"]["name"], told["second"]["name"], told["bargeIns"]) == ("a", "b", [0, 0])
    assert "+Talk at length." in told["instructions"]
    assert [(each["first"], each["second"]) for each in told["answers"]] == [(5, 6), (None, 2)]
    assert [None if turn is None else turn["text"] for turn in told["transcript"][2]] == [None, "Wait."]


def test_the_comparison_is_a_page_of_text(records: Path) -> None:
    lines = comparison_text(compare(records / "a", records / "b"), 60)
    assert lines[:2] == ["A: a", "B: b"]
    assert "-Be brief." in lines
    assert lines[lines.index("* “How close?” (likertscale, warm-up)") + 1 :][:2] == ["    A  5", "    B  6"]
    transcript = lines[lines.index("Transcript") + 1 :]
    assert transcript[0] == "participant: Hello there.    │ participant: hello there"
    assert max(map(len, transcript)) <= 60
    latencies = lines[lines.index("Latencies in ms: n, median, p95; B − A: of the medians") + 1 :]
    assert [line.split() for line in latencies[:3]] == [
        ["A:", "n", "median", "p95", "B:", "n", "median", "p95", "B", "−", "A"],
        # 40 and 60; 200, 300 and 700 ms
        ["Response", "created", "2", "50", "60", "3", "300", "700", "+250"],
        ["Barge-ins", "0", "0", "+0"],
    ]
    same = comparison_text(compare(records / "a", records / "a"), 60)
    assert same[same.index("Instructions") + 1] == "  the same"
    assert same[same.index("Settings that differ") + 1] == "  none"


def _with_tools(*names: str) -> Sheet:
    sheet = Sheet(engine="embedded")
    tools = [{"type": "function", "name": name, "description": "Answers."} for name in names]
    sheet.sent(10, "session.update", session={"tools": tools, "voice": names[0]})
    return sheet


def test_tools_that_one_session_lacks_are_one_setting(tmp_path: Path) -> None:
    _with_tools("scale", "text", "choice").write(tmp_path / "a", audio=False)
    _with_tools("scale").write(tmp_path / "b", audio=False)
    lines = comparison_text(compare(tmp_path / "a", tmp_path / "b"), 80)
    settings = lines[lines.index("Settings that differ") + 1 : lines.index("Answers") - 1]
    assert settings == ["  asked.tools", "    A  text, choice (only here)", "    B  –"]
    _with_tools("rank").write(tmp_path / "c", audio=False)
    lines = comparison_text(compare(tmp_path / "b", tmp_path / "c"), 80)
    settings = lines[lines.index("Settings that differ") + 1 : lines.index("Answers") - 1]
    assert settings == [
        *("  asked.voice", "    A  scale", "    B  rank"),
        *("  asked.tools", "    A  scale (only here)", "    B  rank (only here)"),
    ]


def test_a_replay_says_so_in_the_table_and_is_found_by_its_study(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sheet = conversation()
    sheet.noted(6_000, "replay.started", of="session of Monday", studies=["Tea talk"])
    sheet.noted(6_000, "replay.ended", end="finished", missed=1, refused=0)
    sheet.write(tmp_path / "again")
    conversation().write(tmp_path / "other")
    assert main(["sessions", str(tmp_path), "--study", "tea"]) == 0
    heading, line = capsys.readouterr().out.splitlines()
    assert line[heading.index("study") :].startswith("Tea talk  ")
    assert line[heading.index("replay of") :] == "session of Monday · 1 reply missed  again"


def test_what_was_never_heard_of_a_reply_is_marked(tmp_path: Path) -> None:
    conversation().write(tmp_path / "a")
    lines = comparison_text(compare(tmp_path / "a", tmp_path / "a"), 80)
    assert "agent: One two ⟦three four.⟧           │ agent: One two ⟦three four.⟧" in lines
    assert lines[-1] == "⟦…⟧ was never heard."


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--compare", "a", "z"], "cannot be read"),
        (["--compare", "a", "b", "--engine", "x"], "leave out"),
        (["--instructions", "xyz"], "SHA-256"),
        (["--since", "yesterday"], "such as 2026-12-01"),
        (["--compare", "a", "\0"], "cannot be read"),
    ],
)
def test_wrong_use_is_one_sentence(
    records: Path, arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sessions", str(records), *arguments]) == 3
    err = capsys.readouterr().err
    assert told in err
    assert len(err.splitlines()) == 1


def test_no_session_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sessions", str(tmp_path)]) == 0
    assert capsys.readouterr() == ("", f"There is no session in {tmp_path}.\n")


def test_that_none_matches_is_said(records: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sessions", str(records), "--study", "nobody's"]) == 0
    assert capsys.readouterr().err.splitlines()[-1] == f"No session in {records} matches."


def test_the_folder_of_one_session_is_no_folder_of_sessions(records: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sessions", str(records / "a")]) == 3
    assert capsys.readouterr().err == f"{records / 'a'} is a session itself: give the folder that it lies in.\n"
