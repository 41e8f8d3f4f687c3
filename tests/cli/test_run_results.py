"""What `run` makes of its answers: the spread over several runs, a comparison, and a table for spreadsheets."""

import argparse
import csv
import errno
import io
import json
from pathlib import Path
from typing import Any

import pytest

from simulator.cli.output import result
from simulator.cli.run import _tell
from simulator.cli.run_files import answers_csv, check_place, read_instructions, read_result, write_csv
from simulator.cli.run_spread import comparison, comparison_text, spread, spread_text
from simulator.engines.profiles import EngineTarget
from simulator.errors import StorageFault, UnreadableFile, UsageError
from simulator.study.steps import Study


def _answer(component: str, value: Any, question: str = "How?", **more: Any) -> dict[str, Any]:
    times = {"askedS": 1.0, "answeredS": 2.0, "attempts": 1}
    return {"component": component, "value": value, "question": question, "part": None, **times, **more}


def _run(*answers: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"answers": list(answers), "latencies": {}, "record": "r", **more}


def _spread_of(component: str, *values: Any) -> dict[str, Any]:
    (answer,) = spread([_run(_answer(component, value)) for value in values])["answers"]
    return {name: answer[name] for name in answer if name not in ("part", "component", "question", "number")}


def test_numbers_have_their_mean_and_deviation() -> None:
    assert _spread_of("vasrating", 60, 70, 80) == {"n": 3, "mean": 70, "sd": 10, "min": 60, "max": 80}
    assert _spread_of("likertscale", 4) == {"n": 1, "mean": 4, "sd": None, "min": 4, "max": 4}


def test_choices_are_counted_rankings_averaged_and_texts_listed() -> None:
    assert _spread_of("multiplechoice", "Tea", "Coffee", "Tea") == {"n": 3, "counts": {"Tea": 2, "Coffee": 1}}
    assert _spread_of("multiplechoice", ["A", "B"], ["B"]) == {"n": 2, "counts": {"B": 2, "A": 1}}
    assert _spread_of("ranking", ["a", "b", "c"], ["b", "a", "c"], ["b", "a", "c"]) == {
        "n": 3,
        "meanRanks": {"b": 1.333, "a": 1.667, "c": 3.0},
    }
    assert _spread_of("textinput", "Yes.", "No.") == {"n": 2, "texts": ["Yes.", "No."]}
    assert _spread_of("rapidrate", {"Calm": 10}, {"Calm": 30})["scores"]["Calm"]["mean"] == 20


def test_latencies_have_their_median_and_95th_percentile() -> None:
    runs = [_run(latencies={"first_audio": list(range(1, 11))}), _run(latencies={"first_audio": list(range(11, 21))})]
    assert spread(runs)["latencies"] == [{"name": "first_audio", "n": 20, "medianMs": 10.5, "p95Ms": 19}]


def test_the_same_question_twice_is_two_answers() -> None:
    twice = _run(_answer("vasrating", 1), _answer("vasrating", 9))
    assert [each["mean"] for each in spread([twice, twice])["answers"]] == [1, 9]
    parts = _run(_answer("vasrating", 1, part="One"), _answer("vasrating", 9, part="Two"))
    assert [(each["part"], each["number"]) for each in spread([parts])["answers"]] == [("One", 1), ("Two", 1)]


def test_two_results_stand_side_by_side() -> None:
    this = spread([_run(_answer("vasrating", 60), _answer("textinput", "Yes."), latencies={"first_audio": [10]})])
    other = spread([_run(_answer("vasrating", 70), latencies={"first_audio": [20.5]}), _run(_answer("vasrating", 80))])
    compared = comparison(this, other)
    ratings, texts = compared["answers"]
    assert (ratings["this"]["mean"], ratings["other"]["mean"]) == (60, 75)
    assert texts["other"] is None
    assert comparison_text(compared, "first.json") == (
        "this run:   1 run\n"
        "first.json: 2 runs\n"
        "“How?” (vasrating)\n"
        "  this run:   n 1, mean 60, 60 to 60\n"
        "  first.json: n 2, mean 75, sd 7.07, 70 to 80\n"
        "“How?” (textinput)\n"
        "  this run:   n 1, Yes.\n"
        "  first.json: –\n"
        "First audio\n"
        "  this run:   n 1, median 10 ms, p95 10 ms\n"
        "  first.json: n 1, median 20.5 ms, p95 20.5 ms"
    )
    assert spread_text(other) == (
        "2 runs:\n"
        "  “How?” (vasrating): n 2, mean 75, sd 7.07, 70 to 80\n"
        "  First audio: n 1, median 20.5 ms, p95 20.5 ms"
    )


def test_the_table_has_a_row_an_answer_and_keeps_every_sign() -> None:
    own = {"component": "textinput", "value": "Ich", "question": "Wer?", "part": "Eins", "answeredS": 1.5}
    run = _run(
        _answer("textinput", 'Grün, "blau"\nund 日本', "Welche?", part="Eins", attempts=2),
        _answer("multiplechoice", ["A", "B"], answeredS=3.25),
        ownAnswers=[own],
    )
    rows = list(csv.DictReader(io.StringIO(answers_csv([_run(), run]), newline="")))
    assert [row["value"] for row in rows] == ["Ich", 'Grün, "blau"\nund 日本', '["A","B"]']
    assert rows[0] | {"by": "participant", "attempts": "", "asked_s": "", "answered_s": "1.500"} == rows[0]
    assert rows[1] == {
        "run": "2",
        "part": "Eins",
        "question": "Welche?",
        "component": "textinput",
        "value": 'Grün, "blau"\nund 日本',
        "attempts": "2",
        "asked_s": "1.000",
        "answered_s": "2.000",
        "by": "agent",
        "record": "r",
    }


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "  =1", "=cmd|' /C calc'!A0"])
def test_no_text_is_a_formula_in_a_spreadsheet(text: str) -> None:
    run = _run(_answer("textinput", text, question=text))
    (row,) = csv.DictReader(io.StringIO(answers_csv([run]), newline=""))
    assert row["value"] == row["question"] == f"'{text}"


def test_a_number_below_zero_stays_a_number() -> None:
    (row,) = csv.DictReader(io.StringIO(answers_csv([_run(_answer("vasrating", -5))])))
    assert row["value"] == "-5"


def test_an_earlier_result_is_read_whatever_else_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "first.json"
    old = {"study": "x", "runs": [{"record": None, "answers": [{"component": "vasrating", "tool": "t", "value": 5}]}]}
    path.write_text(json.dumps(old))
    (answer,) = spread(read_result(path))["answers"]
    assert (answer["question"], answer["mean"]) == ("", 5)
    for content in (b"", b"{}", b'{"runs": [{"answers": 5}]}', b"[" * 100_000, b"\xff"):
        path.write_bytes(content)
        with pytest.raises(UnreadableFile, match="is no result of a run"):
            read_result(path)
    with pytest.raises(UnreadableFile, match="No such file"):
        read_result(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("component", "value"),
    [
        ("ranking", 5),
        ("ranking", [["A"]]),
        ("multiplechoice", {"a": 1}),
        ("multiplechoice", [[1]]),
        ("rapidrate", [1]),
        ("rapidrate", {"Calm": "much"}),
        ("vasrating", None),
        ("textinput", ["A"]),
    ],
)
def test_an_earlier_result_with_answers_that_are_none_is_refused_before_the_runs(
    component: str, value: Any, tmp_path: Path
) -> None:
    path = tmp_path / "first.json"
    path.write_text(json.dumps({"runs": [{"answers": [{"component": component, "value": value}]}]}))
    with pytest.raises(UnreadableFile, match="is no result of a run"):
        read_result(path)


def test_an_earlier_result_keeps_the_answers_of_each_component(tmp_path: Path) -> None:
    values: list[tuple[str, Any]] = [
        ("multiplechoice", "Tea"),
        ("multiplechoice", ["Tea", "Milk"]),
        ("likertscale", 7),
        ("vasrating", 0.5),
        ("ranking", ["B", "A"]),
        ("textinput", "Warm."),
        ("rapidrate", {"Calm": 1}),
        ("audiorecording", "Yes."),
    ]
    path = tmp_path / "first.json"
    answers = [{"component": component, "value": value} for component, value in values]
    path.write_text(json.dumps({"runs": [{"answers": answers}]}))
    (run,) = read_result(path)
    assert [(answer["component"], answer["value"]) for answer in run["answers"]] == values


def test_instructions_are_read_from_a_file_of_text(tmp_path: Path) -> None:
    path = tmp_path / "instructions.txt"
    path.write_text("\ufeffSei freundlich.\n", encoding="utf-8")
    assert read_instructions(path) == "Sei freundlich."
    path.write_text(" \n")
    with pytest.raises(UnreadableFile, match="is empty: expected the agent's instructions"):
        read_instructions(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(UnreadableFile, match="is not text in UTF-8"):
        read_instructions(path)


def test_a_table_that_cannot_be_written_is_told_before_and_after(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none" / "a.csv"):
        with pytest.raises(UsageError, match="cannot be written: name a file in a folder that exists"):
            check_place(path)
        with pytest.raises(StorageFault):
            write_csv(path, [])
    check_place(tmp_path / "a.csv")
    write_csv(tmp_path / "a.csv", [_run(_answer("textinput", "Grün"))])
    assert "Grün" in (tmp_path / "a.csv").read_text(encoding="utf-8")


def test_a_file_without_an_end_is_not_read_to_it(tmp_path: Path) -> None:
    path = tmp_path / "endless"
    with path.open("wb") as file:
        file.truncate(64_000_001)
    with pytest.raises(UnreadableFile, match="endless is larger than 64 MB"):
        read_instructions(path)
    with pytest.raises(UnreadableFile, match="endless is larger than 64 MB"):
        read_result(path)


class _FullDisk(io.StringIO):
    def write(self, text: str) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_result_that_cannot_be_printed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", _FullDisk())
    with pytest.raises(StorageFault, match="cannot be written to standard output: No space left on device"):
        result("{}")


def test_a_key_in_the_name_of_a_study_is_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    key = "sk-planted-0123456789"
    target = EngineTarget(name="lab", url="wss://lab.example/", model="", headers={}, secrets=[key])
    options = argparse.Namespace(instructions=None, impair=None, runs=1, compare=None, csv=None, faults=[])
    _tell(options, Study(f"With {key}", ()), target, [_run()], None)
    assert json.loads(capsys.readouterr().out)["study"] == "With •••"
