"""The marker key: it marks at once, and a note can be typed while everything goes on."""

import json
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.ui.test_sessions_desk import open_session, save_session
from tests.ui.window_rig import WindowRig, wait_until
from ui.models.log_model import Column


def test_the_key_marks_at_once_and_enter_keeps_the_note(rig: WindowRig) -> None:
    rig.connect_session()
    window = rig.window
    QTest.keyClick(window, Qt.Key.Key_X)
    assert rig.wait_for_command("mark").get("note", "") == ""
    line = window.marking.bar.note
    assert line.isVisible()
    assert line.hasFocus()
    QTest.keyClicks(line, "six laughs, L")  # keys of the window are letters here
    assert rig.commands("note_mark") == []
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert rig.wait_for_command("note_mark")["note"] == "six laughs, L"
    assert not line.isVisible()
    assert len(rig.commands("mark")) == 1
    assert rig.commands("set_listening") == []
    wait_until(lambda: [mark.note for mark in rig.feed.view.measures.marks] == ["six laughs, L"])
    window.tabs.setCurrentWidget(window.transcript)
    wait_until(lambda: "six laughs, L" in window.transcript.text)
    model = window.log.model
    kinds = [model.index(row, Column.TYPE).data() for row in range(model.rowCount())]
    assert kinds[-2:] == ["mark", "mark.note"]


def test_a_second_mark_keeps_what_was_typed_about_the_first(rig: WindowRig) -> None:
    rig.connect_session()
    desk = rig.window.marking
    desk.mark()
    QTest.keyClicks(desk.bar.note, "first")
    desk.mark()
    desk.bar.close_button.click()
    rig.wait_for_command("mark", 2)
    kinds = [json.loads(line)["command"] for line in rig.log.read_text().splitlines()]
    assert [kind for kind in kinds if "mark" in kind] == ["mark", "note_mark", "mark"]
    assert desk.bar.isHidden()


def test_there_is_nothing_to_mark_without_a_session(rig: WindowRig) -> None:
    failures: list[str] = []
    rig.window.marking.failed.connect(failures.append)
    QTest.keyClick(rig.window, Qt.Key.Key_X)
    assert failures == [
        "Marks are set while a session goes on, and none goes on now: a record that has ended takes no more."
    ]
    assert rig.window.marking.bar.isHidden()


def test_the_line_goes_with_the_session_and_a_refusal_is_told(rig: WindowRig) -> None:
    rig.connect_session()
    desk = rig.window.marking
    failures: list[str] = []
    desk.failed.connect(failures.append)
    desk.mark()
    desk.bar.note.setText("refuse this")
    desk.bar.keep()
    wait_until(lambda: failures == ["No moment of this session was marked yet."])
    desk.mark()
    rig.window.toggle_connection()
    wait_until(desk.bar.isHidden)


def test_over_a_saved_record_the_line_says_that_the_live_session_is_marked(rig: WindowRig, tmp_path: Path) -> None:
    rig.connect_session()
    desk = rig.window.marking
    desk.mark()
    assert desk.bar.label.text() == "Marked. Note"
    open_session(rig, save_session(tmp_path / "pilot"))
    desk.mark()
    assert desk.bar.label.text() == "Marked in the session that goes on. Note"
    rig.window.record.show_live()
    assert desk.bar.label.text() == "Marked. Note"
