"""The table of sessions and the comparison of two, as a user meets them: keys, clicks, and folders with sessions."""

from pathlib import Path

import pytest
from PySide6.QtCore import QItemSelectionModel, QPoint, Qt
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QMessageBox

from simulator.record.session_comparison import compare
from simulator.record.sessions import sessions
from tests.record.export_record import Sheet, conversation
from tests.record.test_sessions import first_session, save, second_session
from tests.ui.window_rig import WindowRig, wait_until
from ui.dialogs.export import ExportDialog
from ui.dialogs.session_comparison import SessionComparisonDialog
from ui.dialogs.session_table import SessionTableDialog
from ui.models.session_rows import Column, row_of
from ui.theme import Scheme, Theme


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """The user's records: a, then b a day later."""
    folder = tmp_path / "data" / "records"
    save(folder / "a", first_session())
    save(folder / "b", second_session())
    return folder


def open_table(rig: WindowRig) -> SessionTableDialog:
    QTest.keyClick(rig.window, Qt.Key.Key_F3, Qt.KeyboardModifier.ShiftModifier)
    dialog = rig.window.session_table.dialog
    assert dialog is not None
    wait_until(dialog.read_button.isEnabled)
    QTest.qWaitForWindowActive(dialog)
    return dialog


@pytest.fixture
def table(theme: Theme, records: Path) -> SessionTableDialog:
    """The table alone, active, with the records."""
    dialog = SessionTableDialog(theme)
    dialog.show_folders([("", "Your records")], "")
    dialog.show()
    QTest.qWaitForWindowActive(dialog)
    fill(dialog, records)
    return dialog


def fill(dialog: SessionTableDialog, records: Path) -> None:
    rows = [row_of(session) for session in sessions(records)]
    dialog.begin()
    dialog.take(rows, len(rows), len(rows))
    dialog.end([row.session.folder for row in rows])


def names(dialog: SessionTableDialog) -> list[str]:
    rows = map(dialog.model.row_at, range(dialog.model.rowCount()))
    return [row.session.name for row in rows if row is not None]


def select(dialog: SessionTableDialog, *places: int) -> None:
    dialog.table.clearSelection()
    for place in places:
        chosen = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
        dialog.table.selectionModel().select(dialog.model.index(place, 0), chosen)


def test_sessions_are_listed_the_newest_first_and_the_selected_one_shows_its_answers(table: SessionTableDialog) -> None:
    dialog = table
    assert names(dialog) == ["b", "a"]
    assert dialog.count.text() == "2 sessions"
    assert "How warm?" in dialog.details.answers.toPlainText()
    assert "Talk at length." in dialog.details.instructions.toPlainText()
    select(dialog, 1)
    assert dialog.details.answers.toPlainText().startswith("a\n")  # its folder, which the table cuts
    assert "How close?  5" in dialog.details.answers.toPlainText()
    assert "Version A" in dialog.details.instructions.toPlainText()


def test_without_sessions_it_says_how_one_comes_about(rig: WindowRig) -> None:
    dialog = open_table(rig)
    assert dialog.stack.currentWidget() is dialog.empty
    assert "No sessions yet" in dialog.empty.text()
    assert not dialog.open_button.isEnabled()


def test_a_version_of_instructions_is_offered_with_its_first_words(table: SessionTableDialog) -> None:
    picker = table.filter.instructions
    offered = [picker.itemText(place) for place in range(1, picker.count())]
    assert offered == [
        "A   04ed0701   You are a guide. Be brief. Never sing.   (1)",
        "B   0304e608   You are a guide. Talk at length. Never sing.   (1)",
    ]


def test_a_day_that_is_none_is_told_in_a_sentence(table: SessionTableDialog) -> None:
    shown = table.filter
    shown.since.setText("2026-13")
    wait_until(shown.problem.isVisible)
    assert shown.problem.text().startswith("“2026-13” is no day, and is left out: write 2026-12-01")
    shown.since.setText("2026-12-02")
    wait_until(lambda: not shown.problem.isVisible())
    shown.until.setText("2026-12-01")
    wait_until(shown.problem.isVisible)
    assert shown.problem.text() == "The first day lies behind the last one: no session can match."
    shown.clear_button.click()
    assert not shown.problem.isVisible()


def test_where_the_files_lie_is_told_in_the_window_in_which_one_asked(
    rig: WindowRig, records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda _url: True)
    dialog = open_table(rig)
    dialog.folder_button.click()
    assert str(records / "b") in dialog.told.text()
    assert not dialog.told.text().startswith("✕")
    assert rig.window.notices.isHidden()
    dialog.hide()
    rig.window.activateWindow()
    rig.window.sessions.show_folder_of(records / "a")
    assert str(records / "a") in rig.window.notices.text.text()


def test_typing_filters_and_the_arrow_leads_into_the_table(table: SessionTableDialog) -> None:
    dialog = table
    QTest.keyClick(dialog.table, Qt.Key.Key_Slash)
    assert dialog.focusWidget() is dialog.filter.words
    QTest.keyClicks(dialog.filter.words, "brief tea")
    wait_until(lambda: names(dialog) == ["a"])
    assert dialog.count.text() == "1 of 2 sessions"
    QTest.keyClick(dialog.filter.words, Qt.Key.Key_Down)
    assert dialog.focusWidget() is dialog.table
    assert [row.session.name for row in dialog.chosen] == ["a"]
    dialog.filter.words.setText("elephant")
    wait_until(lambda: not names(dialog))
    assert "No session matches" in dialog.empty.text()
    dialog.filter.clear_button.click()
    assert names(dialog) == ["b", "a"]


def test_pickers_and_days_filter(table: SessionTableDialog) -> None:
    dialog = table
    picker = dialog.filter.instructions
    assert [picker.itemText(place)[:1] for place in range(picker.count())] == ["A", "A", "B"]  # all, and two versions
    picker.setCurrentIndex(2)
    assert names(dialog) == ["b"]
    picker.setCurrentIndex(0)
    dialog.filter.until.setText("2026-12-01")
    wait_until(lambda: names(dialog) == ["a"])
    dialog.filter.until.setText("2026-12-0")  # no day yet
    wait_until(lambda: names(dialog) == ["b", "a"])


def test_enter_opens_the_session_in_the_main_window(rig: WindowRig, records: Path) -> None:
    dialog = open_table(rig)
    select(dialog, 1)
    dialog.table.setCurrentIndex(dialog.model.index(1, 0))
    QTest.keyClick(dialog.table, Qt.Key.Key_Return)
    wait_until(lambda: rig.window.record.shown.title == "a")
    assert not dialog.isVisible()


def test_two_selected_sessions_are_compared_the_older_one_first(rig: WindowRig, records: Path) -> None:
    dialog = open_table(rig)
    assert not dialog.compare_button.isEnabled()
    select(dialog, 0, 1)
    QTest.keyClick(dialog.table, Qt.Key.Key_C)
    wait_until(lambda: rig.window.findChildren(SessionComparisonDialog))
    shown = rig.window.findChildren(SessionComparisonDialog)[0]
    assert "a  beside  b" in shown.windowTitle()


def test_a_session_that_cannot_be_compared_is_told_where_one_looks(rig: WindowRig, records: Path) -> None:
    dialog = open_table(rig)
    rig.window.session_table.compare(records / "a", records / "gone")
    wait_until(dialog.told.isVisible)
    assert "gone" in dialog.told.text()
    assert rig.window.notices.isHidden()
    dialog.hide()
    rig.window.session_table.compare(records / "a", records / "gone")
    wait_until(rig.window.notices.isVisible)
    assert "gone" in rig.window.notices.text.text()


def test_the_order_of_a_column_keeps_the_selection(table: SessionTableDialog) -> None:
    dialog = table
    select(dialog, 0)
    dialog.table.sortByColumn(Column.RESPONSE, Qt.SortOrder.AscendingOrder)
    assert names(dialog) == ["a", "b"]
    assert [row.session.name for row in dialog.chosen] == ["b"]


def test_replay_export_and_delete_are_asked_for_the_selected_session(rig: WindowRig, records: Path) -> None:
    dialog, asked = open_table(rig), list[Path]()
    select(dialog, 1)
    QTest.keyClick(dialog.table, Qt.Key.Key_X)
    export = QApplication.activeModalWidget()
    assert isinstance(export, ExportDialog)
    export.reject()
    QTest.keyClick(dialog.table, Qt.Key.Key_Delete)
    wait_until(lambda: isinstance(QApplication.activeModalWidget(), QMessageBox))
    box = QApplication.activeModalWidget()
    assert isinstance(box, QMessageBox)
    assert "“a”" in box.text()
    rig.click(next(button for button in box.buttons() if button.text() == "Delete"))
    wait_until(lambda: names(dialog) == ["b"])
    assert not (records / "a").exists()
    rig.window.session_table.replay_requested.disconnect()
    rig.window.session_table.replay_requested.connect(asked.append)
    select(dialog, 0)
    dialog.activateWindow()
    QTest.qWaitForWindowActive(dialog)
    QTest.keyClick(dialog.table, Qt.Key.Key_R)
    assert asked == [records / "b"]


def test_several_sessions_are_deleted_with_one_question(rig: WindowRig, records: Path) -> None:
    desk = rig.window.sessions
    desk.ask_delete_of([records / "a", records / "b"])
    box = QApplication.activeModalWidget()
    assert isinstance(box, QMessageBox)
    assert "2 sessions" in box.text()
    gone: list[Path] = []
    desk.deleted.connect(gone.append)
    rig.click(next(button for button in box.buttons() if button.text() == "Delete"))
    wait_until(lambda: len(gone) == 2)
    assert not list(records.glob("*/session.jsonl"))


def test_another_folder_is_shown_and_remembered(rig: WindowRig, records: Path, tmp_path: Path) -> None:
    save(tmp_path / "project" / "theirs", first_session())
    dialog = open_table(rig)
    rig.window.session_table.choose_folder(str(tmp_path / "project"))
    wait_until(lambda: names(dialog) == ["theirs"])
    assert rig.window.settings.text("sessions_folder") == str(tmp_path / "project")
    assert dialog.folders.currentData() == str(tmp_path / "project")
    dialog.folders.setCurrentIndex(0)
    dialog.folders.activated.emit(0)
    wait_until(lambda: names(dialog) == ["b", "a"])
    assert str(tmp_path / "project") in [dialog.folders.itemData(place) for place in range(dialog.folders.count())]


def test_a_session_that_ends_is_listed_at_once(rig: WindowRig, records: Path) -> None:
    dialog = open_table(rig)
    rig.connect_session()
    save(records / "c", first_session())
    rig.click(rig.window.connection.connect_button)
    wait_until(lambda: "c" in names(dialog))


def test_the_menu_puts_them_in_order_and_in_the_other_one(table: SessionTableDialog) -> None:
    table.table.customContextMenuRequested.emit(QPoint(5, 5))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    orders = {action.text(): action for action in menu.findChildren(QMenu)[0].actions()}
    orders["Folder"].trigger()
    assert names(table) == ["a", "b"]
    orders["Folder"].trigger()
    assert names(table) == ["b", "a"]
    menu.close()


def test_a_folder_that_is_gone_is_told(rig: WindowRig, tmp_path: Path) -> None:
    rig.window.settings.set_text("sessions_folder", str(tmp_path / "gone"))
    dialog = open_table(rig)
    assert "cannot be listed" in dialog.empty.text()


def test_reading_again_finds_what_is_new_drops_what_is_gone_and_can_be_stopped(rig: WindowRig, records: Path) -> None:
    dialog = open_table(rig)
    select(dialog, 0)
    save(records / "c", first_session())
    (records / "a" / "session.jsonl").unlink()
    QTest.keyClick(dialog, Qt.Key.Key_F5)
    wait_until(lambda: sorted(names(dialog)) == ["b", "c"])
    assert [row.session.name for row in dialog.chosen] == ["b"]
    rig.window.session_table.read()
    rig.click(dialog.cancel_button)
    assert "not all sessions are listed" in dialog.told.text()
    assert dialog.read_button.isEnabled()
    assert sorted(names(dialog)) == ["b", "c"]  # what was read before stays


def test_equal_instructions_have_the_same_letter_and_tip(table: SessionTableDialog, records: Path) -> None:
    save(records / "c", first_session())
    dialog = table
    fill(dialog, records)
    place = dialog.model.place_of(records / "c")
    other = dialog.model.place_of(records / "a")
    assert place is not None
    assert other is not None
    spoken = [
        dialog.model.index(each, Column.INSTRUCTIONS).data(Qt.ItemDataRole.AccessibleTextRole)
        for each in (place, other)
    ]
    assert spoken[0] == spoken[1]
    assert spoken[0].startswith("version A, ")
    tip = dialog.model.index(place, Column.INSTRUCTIONS).data(Qt.ItemDataRole.ToolTipRole)
    assert "Never sing." in tip


def page_of(theme: Theme, first: Path, second: Path) -> SessionComparisonDialog:
    return SessionComparisonDialog(compare(first, second), theme)


def test_the_comparison_shows_what_differs_with_signs(theme: Theme, records: Path) -> None:
    page = page_of(theme, records / "a", records / "b").page.toPlainText()
    for words in (
        "−  Be brief.",
        "+  Talk at length.",
        "≠ asked.voice",
        "≠ How close?",
        "≠ How warm?",
        "not answered",
        "+250",  # the medians of “response created”: 50 and 300 ms
    ):
        assert words in page, words


def test_a_session_beside_itself_is_the_same_in_everything(theme: Theme, records: Path) -> None:
    dialog = page_of(theme, records / "a", records / "a")
    page = dialog.page.toPlainText()
    assert "Both had the same instructions." in page
    assert "with the same settings" in page
    assert "= How close?" in page
    assert "≠" not in page
    assert [button.text() for button in dialog.section_buttons[:3]] == [
        "Instructions: same",
        "Settings: same",
        "Answers: same",
    ]


def test_empty_sessions_are_told_so(theme: Theme, tmp_path: Path) -> None:
    first, second = (save(tmp_path / name, Sheet()) for name in ("x", "y"))
    page = page_of(theme, first, second).page.toPlainText()
    for words in ("Neither had any.", "Nothing was answered in either.", "Nothing was said in either."):
        assert words in page, words


def test_the_state_has_the_room_that_it_needs_until_the_widths_are_chosen(
    table: SessionTableDialog, records: Path
) -> None:
    header = table.table.horizontalHeader()
    before_px = header.sectionSize(Column.STATE)
    sheet = Sheet()
    sheet.noted(20, "replay.started", of="a")
    sheet.noted(9_000, "replay.ended", end="finished", missed=2, refused=0)
    save(records / "again", sheet)
    fill(table, records)
    needed_px = table.table.fontMetrics().horizontalAdvance("not finished · ↻ 2 missed")
    assert before_px < needed_px < header.sectionSize(Column.STATE)
    header.resizeSection(Column.STATE, 70)
    fill(table, records)
    assert header.sectionSize(Column.STATE) == 70


def test_a_replay_says_of_what(theme: Theme, records: Path, tmp_path: Path) -> None:
    sheet = first_session()
    sheet.noted(20, "replay.started", of="a")
    sheet.noted(9_000, "replay.ended", end="finished", missed=2, refused=0)
    dialog = page_of(theme, records / "a", save(tmp_path / "replayed", sheet))
    assert "replay of a · 2 replies missed" in dialog.page.toPlainText()
    assert "B: replayed (replay of a · 2 replies missed)" in dialog.text


def test_what_was_never_heard_is_struck_out_and_said(theme: Theme, records: Path, tmp_path: Path) -> None:
    page = page_of(theme, save(tmp_path / "cut", conversation()), records / "b").page
    assert "(not heard)" in page.toPlainText()
    assert "line-through" in page.toHtml()


def test_markup_in_a_session_stays_text(theme: Theme, records: Path, tmp_path: Path) -> None:
    sheet = Sheet(engine="<b>bold</b>")
    sheet.noted(5, "answer", component="x", question="<img src=x>", value="<i>no</i>", accepted=True)
    dialog = page_of(theme, save(tmp_path / "hostile", sheet), records / "b")
    assert "<img src=x>" in dialog.page.toPlainText()
    assert "<i>no</i>" in dialog.page.toPlainText()


def test_the_comparison_is_copied_and_saved_in_light_colours(theme: Theme, records: Path, tmp_path: Path) -> None:
    theme.choose(Scheme.DARK)
    dialog = page_of(theme, records / "a", records / "b")
    rig_text = dialog.text
    dialog.copy()
    assert QGuiApplication.clipboard().text() == rig_text
    assert dialog.copy_button.text() == "✓ Copied"
    wait_until(lambda: dialog.copy_button.text() == "Copy as text")
    assert "-Be brief." in rig_text
    dialog.save(tmp_path / "page.html")
    dialog.save(tmp_path / "page.txt")
    html = (tmp_path / "page.html").read_text()
    assert "Talk at length." in html
    assert "#171c22" in html  # the ink of the light scheme
    assert (tmp_path / "page.txt").read_text() == rig_text
    dialog.save(tmp_path / "no such folder" / "page.txt")
    assert "cannot be written" in dialog.told.text()
    dialog.save(tmp_path / "page.txt")
    assert dialog.told.text() == f"✓  Written to {tmp_path / 'page.txt'}"
