"""The matrix of checks: what the window starts, what it makes of progress and report, and what a click opens."""

import json
from pathlib import Path

import pytest
from PySide6.QtWidgets import QTextBrowser

from tests.ui.window_rig import MODES, WindowRig, script, wait_until
from ui.checks_feed import ChecksFeed
from ui.models.checks_model import (
    Cell,
    CellState,
    CheckInfo,
    ChecksModel,
    Measurement,
    Progress,
    ReportResults,
    Result,
    measurement_text,
    title_of,
)
from ui.models.log_model import Column
from ui.theme import Theme

HANDSHAKE, SERVER, SEMANTIC = ("handshake", None), ("barge_in", "server_vad"), ("barge_in", "semantic_vad")


def states(rig: WindowRig) -> dict[tuple[str, str | None], CellState]:
    return {key: cell.state for key, cell in rig.checks.model.cells.items()}


def arguments(folder: Path) -> list[str]:
    found: list[str] = json.loads((folder / "checks" / "arguments.json").read_text())
    return found


@pytest.fixture
def listed(rig: WindowRig) -> WindowRig:
    wait_until(lambda: rig.checks.model.checks)
    rig.window.tabs.setCurrentWidget(rig.window.checks)
    return rig


def test_the_matrix_has_the_checks_of_this_build_and_no_others(listed: WindowRig) -> None:
    assert states(listed) == dict.fromkeys((HANDSHAKE, SERVER, SEMANTIC), CellState.NOT_RUN)
    table = listed.window.checks.table
    assert [table.model().index(row, 0).data() for row in range(table.rowCount())] == ["handshake", "barge_in"]
    assert table.columnSpan(0, 1) == 2
    assert listed.window.tabs.tabText(2) == "Checks 3"


def test_run_all_fills_the_cells_while_a_session_goes_on(listed: WindowRig, tmp_path: Path) -> None:
    listed.connect_session()
    listed.click(listed.window.checks.run_all_button)
    assert set(states(listed).values()) == {CellState.QUEUED}
    assert not listed.window.checks.run_all_button.isEnabled()
    wait_until(lambda: not listed.checks.running)
    assert states(listed) == {
        HANDSHAKE: CellState.PASSED,
        SERVER: CellState.FAILED,
        SEMANTIC: CellState.INCONCLUSIVE,
    }
    assert arguments(tmp_path)[:4] == ["--json", "--until-stdin-closes", "--engine", "embedded"]
    assert [word for word in arguments(tmp_path) if word in {"handshake", "barge_in"}] == ["handshake", "barge_in"]
    assert listed.window.checks.summary.text() == "✓ 1   ✕ 1   ? 1"
    assert listed.window.checks.summary.accessibleName() == "1 passed, 1 failed, 1 inconclusive"
    assert listed.window.tabs.tabText(2) == "Checks 3  ✕ 1"
    assert listed.window.connection.state_label.text() == "● connected"


def test_run_selected_runs_one_check_in_one_mode(listed: WindowRig, tmp_path: Path) -> None:
    panel = listed.window.checks
    panel.table.setCurrentCell(1, 2)
    listed.click(panel.run_selected_button)
    assert states(listed) == {HANDSHAKE: CellState.NOT_RUN, SERVER: CellState.NOT_RUN, SEMANTIC: CellState.QUEUED}
    wait_until(lambda: not listed.checks.running)
    words = arguments(tmp_path)
    assert words[words.index("--only") + 1] == "barge_in"
    assert words.count("--only") == 1
    assert words[words.index("--turn-detection") + 1] == "semantic_vad"


def test_a_running_cell_says_what_it_waits_for_and_stop_keeps_what_was_judged(listed: WindowRig) -> None:
    listed.window.connection.set_engines(["embedded"], "slow")
    listed.click(listed.window.checks.run_all_button)
    wait_until(lambda: states(listed)[SEMANTIC] is CellState.WAITING)
    assert listed.checks.model.cells[SERVER] == Cell(CellState.WAITING, waiting_for="speech_started")
    listed.click(listed.window.checks.stop_button)
    wait_until(lambda: not listed.checks.running)
    assert states(listed) == {HANDSHAKE: CellState.PASSED, SERVER: CellState.STOPPED, SEMANTIC: CellState.STOPPED}
    assert not listed.window.notices.isVisible()


def test_a_run_that_cannot_start_gives_its_reason(listed: WindowRig) -> None:
    listed.window.connection.set_engines(["embedded"], "unreachable")
    listed.click(listed.window.checks.run_all_button)
    wait_until(listed.window.notices.isVisible)
    assert (
        "The checks did not finish: The engine did not answer: check the address." in listed.window.notices.text.text()
    )
    assert set(states(listed).values()) == {CellState.STOPPED}


def test_a_click_opens_reason_measurements_and_the_checks_own_record(listed: WindowRig) -> None:
    listed.connect_session()
    window = listed.window
    listed.click(window.checks.run_all_button)
    wait_until(lambda: not listed.checks.running)
    window.checks.table.setCurrentCell(1, 1)
    window.checks.table.itemClicked.emit(window.checks.table.currentItem())
    wait_until(window.banner.isVisible)
    assert window.banner.text.text() == "Showing the record of  barge_in · server_vad"
    detail = window.checks.detail.toPlainText()
    assert "response.done came 1,900 ms after speech_started." in detail
    for text in ("cancel to done", "1900 ms", "1500 ms", "event 41 → event 57"):
        assert text in detail
    rows = [window.log.model.index(row, Column.TYPE).data() for row in range(window.log.model.rowCount())]
    assert rows == ["record.started", "✕ error"]
    assert window.connection.problems_button.text() == "⚠ 1"
    assert window.answers.empty.text() == "This record holds no answers."
    assert window.latency.empty_text == "This record holds no latencies."
    listed.click(window.banner.back_button)
    assert not window.banner.isVisible()
    assert window.log.model.rowCount() == 4
    assert window.connection.problems_button.text() == "⚠ 0"
    assert "Push a question" in window.answers.empty.text()
    assert "No latency measured yet." in window.latency.empty_text


def test_closing_the_window_ends_a_run(theme: Theme, tmp_path: Path) -> None:
    rig = WindowRig(theme, tmp_path)
    rig.start()
    wait_until(lambda: rig.checks.model.checks)
    rig.window.connection.set_engines(["embedded"], "slow")
    rig.click(rig.window.checks.run_all_button)
    wait_until(lambda: states(rig)[SEMANTIC] is CellState.WAITING)
    rig.close()
    assert not rig.checks.running


def test_progress_of_a_check_that_is_not_in_the_matrix_changes_nothing(tmp_path: Path) -> None:
    model = ChecksModel(("server_vad",))
    model.set_checks([CheckInfo("handshake")])
    assert model.take_progress(Progress("running", "cancel"), tmp_path) is None
    assert model.cells == {("handshake", None): Cell()}


def test_the_list_of_checks_that_cannot_be_read_is_told(theme: Theme, tmp_path: Path) -> None:
    feed = ChecksFeed(MODES, tmp_path, [*script("fake_check.py")[:1], "-c", "print('no list')"])
    told: list[str] = []
    feed.failed.connect(told.append)
    feed.list_checks()
    wait_until(lambda: told)
    assert told == ["The list of checks could not be read (exit code 0): see the terminal."]


def test_a_pass_at_the_second_attempt_says_so(listed: WindowRig, tmp_path: Path) -> None:
    result = Result("handshake", "passed", attempts=2)
    listed.checks.model.take_report(ReportResults([result]), tmp_path)
    panel = listed.window.checks
    panel.refresh()
    panel.table.setCurrentCell(0, 1)
    assert listed.checks.model.cells[HANDSHAKE].word == "passed, 2nd attempt"
    assert "✓ passed, 2nd attempt" in panel.detail.toPlainText()
    listed.checks.model.begin([HANDSHAKE], runs=2)
    listed.checks.model.take_report(ReportResults([result, Result("handshake", "passed")]), tmp_path)
    assert listed.checks.model.cells[HANDSHAKE].tally == "2 of 2 passed, up to 2 attempts each"


def lines_of(detail: QTextBrowser) -> list[str]:
    """Return the lines as they are broken on screen."""
    found: list[str] = []
    block = detail.document().begin()
    while block.isValid():
        layout, text = block.layout(), block.text()
        for number in range(layout.lineCount()):
            line = layout.lineAt(number)
            found.append(text[line.textStart() : line.textStart() + line.textLength()].replace("\xa0", " "))
        block = block.next()
    return found


def test_a_narrow_detail_breaks_no_number_and_begins_with_what_is_demanded(listed: WindowRig, tmp_path: Path) -> None:
    figure = Measurement("from the last sample of speech to input_audio_buffer.committed", 15_000, "ms", 15_000)
    failed = Result("handshake", "failed", reasons=["It came 15000 ms late."], measurements=[figure])
    listed.checks.model.take_report(ReportResults([failed]), tmp_path)
    panel = listed.window.checks
    panel.splitter.setSizes([2_000, 1])
    panel.refresh()
    panel.table.setCurrentCell(0, 1)
    detail = panel.detail
    wait_until(lambda: any("15000 ms, limit 15000 ms" in line for line in lines_of(detail)))
    assert detail.document().idealWidth() <= detail.viewport().width()
    words = detail.toPlainText()
    assert words.index("What this check demands") < words.index("Why") < words.index("Measured")


def test_figures_and_titles_in_words() -> None:
    assert measurement_text(1900.0, "ms") == "1900 ms"
    assert measurement_text(0.25, "s") == "0.2 s"
    assert measurement_text(None, "ms") == "—"
    assert measurement_text(True, "") == "yes"
    assert title_of(("barge_in", "server_vad")) == "barge_in · server_vad"
    assert title_of(("handshake", None)) == "handshake"
