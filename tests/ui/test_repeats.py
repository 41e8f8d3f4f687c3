"""Cells of the matrix that stand for several runs."""

from pathlib import Path
from typing import Any

from ui.models.checks_model import (
    CellState,
    CheckInfo,
    ChecksModel,
    Progress,
    Repeats,
    ReportResults,
    Result,
    Spread,
)


def _finished(verdict: str, **more: Any) -> Progress:
    return Progress("finished", "cancel", verdict=verdict, **more)


def test_a_cell_of_several_runs_shows_the_worst_and_how_many_passed(tmp_path: Path) -> None:
    model = ChecksModel(("server_vad",))
    model.set_checks([CheckInfo("cancel")])
    key = ("cancel", None)
    model.begin([key], 3)
    model.take_progress(_finished("passed"), tmp_path)
    assert (model.cells[key].state, model.cells[key].tally) == (CellState.RUNNING, "1 of 1 passed, 2 to go")
    model.take_progress(_finished("failed", reasons=["late"], record="second.jsonl"), tmp_path)
    model.take_progress(Progress("waiting", "cancel", waiting_for="response.done"), tmp_path)
    assert model.cells[key].waiting_for == "response.done"
    model.take_progress(_finished("inconclusive", reasons=["busy"]), tmp_path)
    cell = model.cells[key]
    assert (cell.state, cell.tally, cell.reasons) == (CellState.FAILED, "1 of 3 passed", ("late",))
    assert cell.record is not None
    assert cell.record.name == "second.jsonl"


def test_the_report_of_several_runs_says_how_far_they_spread(tmp_path: Path) -> None:
    model = ChecksModel(("server_vad",))
    model.set_checks([CheckInfo("cancel")])
    key = ("cancel", None)
    model.begin([key], 2)
    spread = Spread("cancel to done", "ms", 1_500, 40, 45, 50)
    results = [Result("cancel", "passed"), Result("cancel", "passed")]
    model.take_report(ReportResults(results, [Repeats("cancel", None, [spread])]), tmp_path)
    assert model.cells[key].state is CellState.PASSED
    assert (model.cells[key].tally, model.cells[key].spreads) == ("2 of 2 passed", (spread,))


def test_a_single_run_has_no_tally(tmp_path: Path) -> None:
    model = ChecksModel(("server_vad",))
    model.set_checks([CheckInfo("cancel")])
    model.begin([("cancel", None)])
    model.take_progress(_finished("failed"), tmp_path)
    assert (model.cells["cancel", None].state, model.cells["cancel", None].tally) == (CellState.FAILED, "")
