"""What the stored reports say in the window, and what can be done with them."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QAction, QDesktopServices
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu

from tests.ui.window_rig import WindowRig, wait_until
from ui.dialogs.comparison import ComparisonDialog
from ui.models.conformance import (
    Conformance,
    EngineStatus,
    Standing,
    StoredReport,
    long_text,
    name_in_reports,
    short_text,
    when_text,
)
from ui.reports_desk import copy_report

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)


def status(state: Standing, **more: Any) -> EngineStatus:
    return EngineStatus("embedded", "", state, **more)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (status(Standing.NONE), "not checked"),
        (status(Standing.STALE, passed=15, runs=15), "stale"),
        (status(Standing.FAILED, passed=14, runs=15), "14 of 15 passed"),
        (status(Standing.INCONCLUSIVE, passed=3, runs=15), "3 of 15 passed"),
    ],
)
def test_a_standing_in_few_words(given: EngineStatus, words: str) -> None:
    assert short_text(given, NOON) == words


def test_times_are_those_of_the_day_or_the_day() -> None:
    now = NOON.astimezone()
    assert when_text(NOON.isoformat(), now) == f"{now:%H:%M}"
    assert when_text("2026-11-29T12:00:00+00:00", now) == "29 Nov"
    assert when_text("2025-11-29T12:00:00+00:00", now) == "29 Nov 2025"
    assert when_text("whenever", now) == ""


def test_a_standing_says_why() -> None:
    given = status(
        Standing.STALE, passed=15, runs=15, suite_version=5, finished_at=NOON.isoformat(), why=["It is old."]
    )
    first, second, third = long_text(given).splitlines()
    assert (first, third) == ("embedded", "It is old.")
    assert second.startswith("15 of 15 runs passed on 1 Dec")
    assert second.endswith("suite 5.")


def test_engines_are_found_by_the_names_that_reports_use() -> None:
    assert name_in_reports("ws://127.0.0.1:9/v1") == "127.0.0.1:9"
    assert name_in_reports("embedded", ["odd_bytes"]) == "embedded with odd_bytes"
    known = Conformance((status(Standing.PASSED),))
    assert known.status("embedded") == status(Standing.PASSED)
    unknown = known.status("ws://10.0.0.1/v1")
    assert unknown is not None
    assert unknown.state is Standing.NONE
    assert Conformance().status("embedded") is None


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two reports of the embedded engine, and what `reports --json` says of them."""
    folder = tmp_path / "reports"
    listed = []
    for name, passed in (("new", 14), ("old", 15)):
        (folder / name / "records").mkdir(parents=True)
        record = folder / name / "records" / "cancel.jsonl"
        record.write_text("{}\n")
        page, report = folder / name / "report.html", folder / name / "report.json"
        page.write_text(f"<p>{name}</p>")
        results = [{"check": "cancel", "record": "records/cancel.jsonl"}, {"check": "handshake", "record": None}]
        report.write_text(json.dumps({"results": results, "extras": []}))
        facts = {"engine": "embedded", "model": "", "suiteVersion": 6, "startedAt": NOON.isoformat()}
        facts |= {"finishedAt": NOON.isoformat(), "verdict": "failed" if passed < 15 else "passed", "runs": 15}
        listed.append(facts | {"passed": passed, "report": str(report), "page": str(page)})
    engines = [
        listed[0] | {"state": "failed", "why": []},
        {"engine": "openai", "model": "m", "state": "none", "why": ["It was never checked."]},
    ]
    answer = tmp_path / "reports.json"
    answer.write_text(json.dumps({"engines": engines, "reports": listed, "problems": []}))
    monkeypatch.setenv("FAKE_REPORTS", str(answer))
    return folder


@pytest.fixture
def known(stored: Path, rig: WindowRig) -> WindowRig:
    """A window that has read the reports."""
    wait_until(lambda: rig.reports.conformance.engines)
    return rig


def test_the_picker_shows_where_each_engine_stands(known: WindowRig) -> None:
    panel = known.window.connection
    assert panel.conformance_button.text() == "✕ 14 of 15 passed"
    panel.engine_picker.setCurrentIndex(panel.engine_picker.findData("openai"))
    panel.engine_picker.activated.emit(panel.engine_picker.currentIndex())
    assert panel.conformance_button.text() == "not checked"
    assert not known.window.checks.report_button.isEnabled()


def report_actions(rig: WindowRig) -> dict[str, QAction]:
    """Return what the menu of the checks offers to do with reports."""
    (menu,) = (action.menu() for action in rig.window.menuBar().actions() if action.text() == "&Checks")
    assert isinstance(menu, QMenu)
    return {action.text().replace("&", ""): action for action in menu.actions() if "report" in action.text()}


def test_both_menus_offer_the_same_and_say_why_not(known: WindowRig) -> None:
    panel, actions = known.window.checks, report_actions(known)
    compare = actions["Compare with an earlier report…"]
    assert all(action.isEnabled() for action in (*actions.values(), panel.compare_action))
    newest = known.reports.conformance.reports[:1]
    known.reports.conformance = replace(known.reports.conformance, reports=newest)
    known.reports.changed.emit()
    assert [action.isEnabled() for action in (compare, panel.compare_action, actions["Open the report"])] == [
        False,
        False,
        True,
    ]
    for action in (compare, panel.compare_action):
        assert action.toolTip() == "There is one report of this engine: run the checks again to compare."
    engines = known.window.connection.engine_picker
    engines.setCurrentIndex(engines.findData("openai"))
    engines.activated.emit(engines.currentIndex())
    assert not any(action.isEnabled() for action in actions.values())
    assert compare.toolTip() == "There is no report of this engine yet: run the checks."
    assert panel.report_button.toolTip() == compare.toolTip()


def test_in_a_session_the_standing_is_only_a_sign(known: WindowRig) -> None:
    known.connect_session()
    assert known.window.connection.conformance_button.text() == "✕"


def test_the_reports_are_read_again_after_a_run(known: WindowRig) -> None:
    wait_until(lambda: known.checks.model.checks)
    heard: list[bool] = []
    known.reports.changed.connect(lambda: heard.append(True))
    known.click(known.window.checks.run_all_button)
    wait_until(lambda: not known.checks.running and heard)


def test_the_newest_report_opens_in_the_browser(
    known: WindowRig, stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[QUrl] = []

    def open_url(url: QUrl) -> bool:
        opened.append(url)
        return True

    monkeypatch.setattr(QDesktopServices, "openUrl", open_url)
    known.window.checks.open_action.trigger()
    assert [url.toLocalFile() for url in opened] == [str(stored / "new" / "report.html")]


def test_a_missing_browser_is_told(known: WindowRig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: False)
    known.window.checks.open_action.trigger()
    assert "No browser could be started" in known.window.notices.text.text()


def test_a_report_is_saved_where_the_user_says(known: WindowRig, tmp_path: Path) -> None:
    known.window.checks.save_action.trigger()
    wait_until(lambda: isinstance(QApplication.activeModalWidget(), QFileDialog))
    dialog = cast("QFileDialog", QApplication.activeModalWidget())
    dialog.fileSelected.emit(str(tmp_path / "copy.html"))
    dialog.close()
    wait_until((tmp_path / "copy.html").exists)
    assert (tmp_path / "copy.html").read_text() == "<p>new</p>"


def test_a_copied_report_still_finds_its_records(stored: Path, tmp_path: Path) -> None:
    source = stored / "new" / "report.json"
    report = StoredReport("embedded", "", 6, "", "", "passed", 15, 15, str(source))
    target = tmp_path / "elsewhere" / "copy.json"
    target.parent.mkdir()
    copy_report(report, target)
    first, second = json.loads(target.read_text())["results"]
    assert (target.parent / first["record"]).resolve() == (stored / "new" / "records" / "cancel.jsonl").resolve()
    assert second["record"] is None


def test_the_newest_report_is_compared_with_one_before_it(known: WindowRig) -> None:
    known.window.checks.compare_action.trigger()
    wait_until(lambda: isinstance(QApplication.activeModalWidget(), ComparisonDialog))
    dialog = cast("ComparisonDialog", QApplication.activeModalWidget())
    assert dialog.picker.count() == 1
    wait_until(lambda: dialog.text.toPlainText() == "Verdict: passed, then failed. report.json report.json")
    dialog.close()
