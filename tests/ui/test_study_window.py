"""The study in the window, by its keys: opened, pushed, played, arranged, edited, saved."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QModelIndex, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QImage, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QInputDialog, QLineEdit, QMessageBox, QPlainTextEdit

from simulator.profile import context_items
from simulator.study.loading import Loaded
from simulator.study.steps import AskQuestion, EnterPart, PushContext, Step, Study, Wait
from simulator.study.study_file import read_study
from simulator.study.study_writing import write_study
from tests.ui.window_rig import WindowRig, wait_until
from ui.dialogs.import_notes import ImportNotesDialog
from ui.dialogs.step import StepDialog
from ui.dialogs.study_settings import StudySettingsDialog
from ui.models.deck import Mark
from ui.models.step_kinds import gist
from ui.theme import Theme

Key, Control, Alt = Qt.Key, Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
QUESTION = AskQuestion("likertscale", {"question": "How was it?", "scale": 7}, own_answer=5)
STUDY = Study(
    "Tea",
    (
        Step(PushContext(context_items.screen("showtext", "Welcome"))),
        Step(EnterPart("Talk", "Be brief.")),
        Step(PushContext(context_items.experimenter_message("one"))),
        Step(PushContext(context_items.experimenter_message("two"))),
        Step(QUESTION),
        Step(Wait(1)),
    ),
    instructions="Be kind.",
    voice="cedar",
    turn_detection={"type": "server_vad", "silence_duration_ms": 900},
)


@pytest.fixture
def study_file(tmp_path: Path) -> Path:
    path = tmp_path / "study" / "tea.yaml"
    path.parent.mkdir()
    write_study(STUDY, path)
    return path


@pytest.fixture
def tea(rig: WindowRig, study_file: Path) -> Iterator[WindowRig]:
    """A window in which the study was opened."""
    rig.window.study_desk.files.open(study_file)
    wait_until(lambda: rig.window.deck.rows)
    yield rig
    rig.window.deck.load(Study("", ()), None)  # nothing unsaved: the window closes without a question


def gists(rig: WindowRig) -> list[str]:
    return [gist(row.step.action) for row in rig.window.deck.rows]


def marks(rig: WindowRig) -> list[Mark]:
    return [rig.window.deck.mark(row.key) for row in rig.window.deck.rows]


def press(rig: WindowRig, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """Press a key in the list of steps."""
    view = rig.window.study.deck.view
    view.setFocus()
    QTest.keyClick(view, key, modifier)


def answer(box: QMessageBox, button: QMessageBox.StandardButton) -> None:
    found = box.button(button)
    assert found is not None
    found.click()


def guard_box() -> QMessageBox:
    wait_until(lambda: isinstance(QApplication.activeModalWidget(), QMessageBox))
    box = QApplication.activeModalWidget()
    assert isinstance(box, QMessageBox)
    return box


def step_dialog(rig: WindowRig) -> StepDialog:
    wait_until(lambda: any(dialog.isVisible() for dialog in rig.window.findChildren(StepDialog)))
    return next(dialog for dialog in rig.window.findChildren(StepDialog) if dialog.isVisible())


def test_a_window_without_a_study_says_what_to_do_and_offers_the_samples(rig: WindowRig) -> None:
    panel = rig.window.study.deck
    assert panel.samples_button.isVisible()
    assert not panel.view.isVisible()
    menu = panel.samples_button.menu()
    menu.aboutToShow.emit()
    sample = next(action for action in menu.actions() if action.text() == "A short conversation")
    sample.trigger()
    wait_until(panel.view.isVisible)
    assert len(rig.window.deck.rows) == 20
    assert rig.window.deck.path is None
    assert not rig.window.deck.unsaved


def test_an_opened_study_gives_the_session_its_instructions_voice_turn_detection_and_tools(tea: WindowRig) -> None:
    window = tea.window
    assert window.agent.instructions == "Be kind."
    assert window.study.deck.name.text() == "Tea"
    tea.connect_session()
    sent = tea.wait_for_command("connect")
    assert (sent["instructions"], sent["voice"], sent["tools"]) == ("Be kind.", "cedar", ["answer_scale"])
    assert sent["turn_detection"] == {"type": "server_vad", "silence_duration_ms": 900}


def test_without_a_session_a_push_is_refused_with_the_reason(tea: WindowRig) -> None:
    press(tea, Key.Key_N)
    press(tea, Key.Key_Return)
    press(tea, Key.Key_P)
    assert tea.window.study.deck.reason.text() == "Connect first (F5): a push needs a session."
    assert not tea.commands("push")
    assert set(marks(tea)) == {Mark.NONE}


def test_n_pushes_one_step_after_the_other_and_enter_the_selected_again(tea: WindowRig) -> None:
    tea.connect_session()
    for _ in range(4):
        press(tea, Key.Key_N)
    tea.wait_for_command("push", 3)
    wait_until(lambda: Mark.SENT not in marks(tea))
    assert marks(tea) == [Mark.SHOWN, *[Mark.PUSHED] * 3, Mark.NONE, Mark.NONE]
    assert [sent["context"].get("text") for sent in tea.commands("push")] == ["Welcome", "one", "two"]
    press(tea, Key.Key_Up)
    press(tea, Key.Key_Return)
    assert tea.wait_for_command("push", 4)["context"]["text"] == "one"
    press(tea, Key.Key_N)
    assert tea.wait_for_command("push", 5)["context"]["text"] == "two"
    # What was pushed is in front, not what was selected.
    wait_until(lambda: Mark.SENT not in marks(tea))
    assert tea.window.study.preview.on_screen_button.isChecked()


def test_entering_a_part_sends_the_whole_instructions_and_the_agent_panel_says_so(tea: WindowRig) -> None:
    tea.connect_session()
    press(tea, Key.Key_N)
    press(tea, Key.Key_N)
    sent = tea.wait_for_command("set_instructions")
    assert (sent["instructions"], sent["part"]) == ("Be kind.\n\nBe brief.", "Talk")
    wait_until(lambda: tea.window.agent.state.text() == "✓ In force, with part “Talk”")
    # Another study has other instructions: they are not those in force.
    tea.window.study.deck.view.setFocus()
    press(tea, Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    assert (tea.window.agent.instructions, tea.window.agent.state.text()) == ("", "● Edited: not in force yet")


def test_a_question_is_asked_and_the_own_answer_kept(tea: WindowRig) -> None:
    tea.connect_session()
    tea.window.study.deck.view.select([4])
    press(tea, Key.Key_Return)
    assert tea.wait_for_command("ask")["config"] == {"question": "How was it?", "scale": 7}
    assert tea.wait_for_command("keep_own_answer")["value"] == 5
    wait_until(lambda: tea.window.deck.answers)
    tip = tea.window.study.deck.view.rows.index(4).data(Qt.ItemDataRole.ToolTipRole)
    assert "The agent answered: Tea" in tip


def test_several_selected_steps_are_pushed_in_order_and_a_refusal_is_marked(tea: WindowRig) -> None:
    window = tea.window
    refused = Step(PushContext(context_items.experimenter_message("refuse this")))
    window.deck.insert(3, [refused])
    window.study.deck.refresh()
    tea.connect_session()
    window.study.deck.view.select([2, 3, 4])
    press(tea, Key.Key_Return)
    tea.wait_for_command("push", 3)
    wait_until(lambda: marks(tea)[2:5] == [Mark.PUSHED, Mark.REFUSED, Mark.PUSHED])
    assert [sent["context"]["text"] for sent in tea.commands("push")] == ["one", "refuse this", "two"]
    assert window.study.deck.reason.text() == "The engine refused the push."
    tip = window.study.deck.view.rows.index(3).data(Qt.ItemDataRole.ToolTipRole)
    assert "Refused: The engine refused the push." in tip


def test_tags_in_a_study_stay_text_wherever_it_is_shown(tea: WindowRig) -> None:
    window, tags = tea.window, "<b>bold</b> <img src='file:///etc/hostname'>"
    window.deck.load(Study(tags, (Step(PushContext(context_items.screen("showtext", tags))),)), None)
    window.study.deck.refresh()
    row = window.study.deck.view.rows.index(0)
    assert tags in row.data(Qt.ItemDataRole.DisplayRole)
    for drawn in (row.data(Qt.ItemDataRole.ToolTipRole), window.study.deck.name.toolTip()):
        document = QTextDocument()
        document.setHtml(drawn)
        assert tags in document.toPlainText()
    for label in (window.study.deck.name, window.study.deck.reason, window.notices.text, window.agent.state):
        assert label.textFormat() is Qt.TextFormat.PlainText


def test_a_new_session_begins_without_marks(tea: WindowRig) -> None:
    tea.connect_session()
    press(tea, Key.Key_N)
    wait_until(lambda: marks(tea)[0] is Mark.SHOWN)
    QTest.keyClick(tea.window, Key.Key_F5)
    wait_until(lambda: tea.feed.status.connected_since_ns is None)
    assert marks(tea)[0] is Mark.SHOWN
    tea.connect_session()
    wait_until(lambda: marks(tea)[0] is Mark.NONE)


def test_p_plays_from_the_selected_step_shows_how_far_it_is_and_stops_it(tea: WindowRig) -> None:
    tea.connect_session()
    panel = tea.window.study.deck
    panel.view.select([2])
    press(tea, Key.Key_P)
    sent = tea.wait_for_command("play_study")
    assert (sent["first_step"], sent.get("speaks", True), len(sent["study"]["steps"])) == (2, True, 6)
    wait_until(lambda: marks(tea)[2:4] == [Mark.PUSHED, Mark.REFUSED])
    assert panel.play_button.text() == "Stop  P"
    assert panel.reason.text() == "● Playing: waits for the agent's reply"
    press(tea, Key.Key_P)
    tea.wait_for_command("stop_study")
    wait_until(lambda: panel.play_button.text() == "Play  P")


def test_the_keys_of_the_list_arrange_the_steps(tea: WindowRig) -> None:
    window = tea.window
    window.study.deck.view.select([2])
    press(tea, Key.Key_Down, Alt)
    assert gists(tea)[2:4] == ["two", "one"]
    assert window.study.deck.view.places == [3]
    press(tea, Key.Key_D, Control)
    assert gists(tea)[2:5] == ["two", "one", "one"]
    assert window.study.deck.view.places == [4]
    press(tea, Key.Key_Delete)
    press(tea, Key.Key_Up)
    press(tea, Key.Key_Up, Alt)
    assert gists(tea)[1:4] == ["Talk", "one", "two"]
    assert window.study.deck.name.text() == "Tea *"
    for _ in range(4):
        press(tea, Key.Key_Z, Control)
    assert gists(tea)[2:4] == ["one", "two"]
    assert window.study.deck.name.text() == "Tea"
    # Elsewhere in the window these keys leave the study alone.
    window.agent.editor.setFocus()
    QTest.keyClick(window.agent.editor, Key.Key_Delete)
    assert len(window.deck.rows) == 6


def test_f2_edits_a_step_and_says_what_is_wrong_while_it_is_typed(tea: WindowRig) -> None:
    tea.window.study.deck.view.select([4])
    press(tea, Key.Key_F2)
    dialog = step_dialog(tea)
    ok = dialog.buttons.button(QDialogButtonBox.StandardButton.Ok)
    own, question = dialog.form.fields["own_answer"], dialog.form.fields["question"]
    assert isinstance(own, QLineEdit)
    assert isinstance(question, QPlainTextEdit)
    own.setText("8")
    assert not ok.isEnabled()
    assert "Your own answer" in dialog.message.text()
    QTest.keyClick(own, Key.Key_Return)
    assert dialog.isVisible()
    own.setText("")
    question.setPlainText("How warm was it?")
    assert "How warm was it?" in dialog.told.toPlainText()
    # Another kind keeps the words of the question.
    dialog.kind_picker.setCurrentText("Text input")
    QTest.keyClick(dialog.form.fields["question"], Key.Key_Return)
    wait_until(lambda: gists(tea)[4] == "How warm was it?")
    action = tea.window.deck.rows[4].step.action
    assert action == AskQuestion("textinput", {"question": "How warm was it?"})


def test_the_settings_of_the_study_are_edited_and_what_is_no_turn_detection_is_refused(tea: WindowRig) -> None:
    window = tea.window
    window.study_desk.editing.edit_settings()
    dialog = window.findChild(StudySettingsDialog)
    assert isinstance(dialog, StudySettingsDialog)
    ok = dialog.buttons.button(QDialogButtonBox.StandardButton.Ok)
    for wrong in ("semantic_vad", '{"eagerness": "low"}'):
        dialog.form.set_values({"turn_detection": wrong})
        assert not ok.isEnabled()
        assert "turn detection" in dialog.message.text()
    dialog.form.set_values({"name": "Coffee", "text_chat": "yes", "turn_detection": '{"type": "semantic_vad"}'})
    ok.click()
    assert window.study.deck.name.text() == "Coffee *"
    assert window.connection.turn_detection == {"type": "semantic_vad"}
    assert window.study_desk.tools == ["send_chat", "answer_scale"]


def test_a_step_is_added_behind_the_selected_one(tea: WindowRig) -> None:
    panel = tea.window.study.deck
    panel.view.select([0])
    timer = next(action for action in panel.add_button.menu().actions() if action.text() == "Timer")
    timer.trigger()
    step_dialog(tea).accept()
    assert gists(tea)[:2] == ["Welcome", "30 s left"]
    assert panel.view.places == [1]


def drop(rig: WindowRig, data: QMimeData, row: int, on: int | None = None) -> None:
    """Drop data before a row of the deck, or on one."""
    rows = rig.window.study.deck.view.rows
    parent = QModelIndex() if on is None else rows.index(on)
    assert rows.canDropMimeData(data, Qt.DropAction.MoveAction, row, 0, parent)
    rows.dropMimeData(data, Qt.DropAction.MoveAction, row, 0, parent)


def files(*paths: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


def test_rows_are_dragged_to_another_place(tea: WindowRig) -> None:
    rows = tea.window.study.deck.view.rows
    drop(tea, rows.mimeData([rows.index(3), rows.index(2)]), 0)
    assert gists(tea)[:3] == ["one", "two", "Welcome"]
    assert tea.window.study.deck.view.places == [0, 1]


def test_images_are_dropped_on_a_screen_or_between_and_other_files_are_refused(tea: WindowRig, tmp_path: Path) -> None:
    cat, dog, text = tmp_path / "a_cat.png", tmp_path / "dog.jpg", tmp_path / "words.png"
    for path in (cat, dog):
        assert QImage(4, 4, QImage.Format.Format_RGB32).save(str(path))
    text.write_text("no image")
    drop(tea, files(cat, dog), -1, on=0)
    wait_until(lambda: tea.window.deck.unsaved)
    screen = tea.window.deck.rows[0].step.action
    assert isinstance(screen, PushContext)
    assert screen.images == (str(cat), str(dog))
    assert screen.context["images"] == ["attached: the image (a cat)", "attached: the image (dog)"]
    drop(tea, files(dog), 1)
    wait_until(lambda: len(tea.window.deck.rows) == 7)
    added = tea.window.deck.rows[1].step.action
    assert isinstance(added, PushContext)
    assert (added.context["type"], added.images) == ("showimage", (str(dog),))
    QTest.keyClick(tea.window, Key.Key_S, Control)
    told = tea.window.study.deck.reason
    wait_until(lambda: told.text().startswith("Saved"))
    assert told.text() == "Saved as tea.yaml; the files that it names were copied to “tea files”."
    kept = [step.action for step in read_study(tmp_path / "study" / "tea.yaml").steps[:2]]
    assert [image for action in kept if isinstance(action, PushContext) for image in action.images] == [
        str(tmp_path / "study" / "tea files" / name) for name in ("a_cat.png", "dog.jpg", "dog.jpg")
    ]
    drop(tea, files(text), 0)
    wait_until(lambda: "words.png is neither a PNG nor a JPEG file" in tea.window.notices.text.text())
    assert len(tea.window.deck.rows) == 7


def test_a_study_that_is_dropped_anywhere_on_the_window_is_opened(rig: WindowRig, study_file: Path) -> None:
    window = rig.window
    data, copy = files(study_file), Qt.DropAction.CopyAction
    left, plain = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    editor, field = window.agent.editor.viewport(), window.log.filter_field
    # Qt hands a drop to the widget that took the drag: where none did, to the window.
    for target, taker in ((window.study.deck.view.viewport(), window), (editor, editor), (field, field)):
        window.study_desk.new()
        QApplication.sendEvent(target, enter := QDragEnterEvent(QPoint(9, 9), copy, data, left, plain))
        assert enter.isAccepted()
        QApplication.sendEvent(taker, QDropEvent(QPointF(9, 9), copy, data, left, plain))
        wait_until(lambda: window.deck.path == study_file)
    assert window.agent.instructions == "Be kind."
    assert field.text() == ""


def test_a_file_with_a_mistake_is_told_with_its_line_and_the_study_stays(tea: WindowRig, tmp_path: Path) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text("format: participant-simulator/study\nversion: 1\nsteps:\n  - scren: {text: a}\n")
    tea.window.study_desk.files.ask_file(path)
    wait_until(tea.window.notices.isVisible)
    assert f"{path}, line 4: expected" in tea.window.notices.text.text()
    assert tea.window.deck.head.name == "Tea"


def test_what_an_import_left_out_is_shown_to_read(rig: WindowRig) -> None:
    loaded = Loaded(STUDY, ["State “Eyes”: gazeoverlay means nothing to a voice agent.", "Two roles."])
    rig.window.study_desk.files.opened.emit(loaded, None)
    dialog = rig.window.findChild(ImportNotesDialog)
    assert isinstance(dialog, ImportNotesDialog)
    assert [dialog.list.item(row).text() for row in range(dialog.list.count())] == loaded.notes
    dialog.reject()


def test_an_experiment_with_several_roles_asks_which_one_the_agent_plays(rig: WindowRig, tmp_path: Path) -> None:
    path = tmp_path / "experiment.json"
    state = {
        "id": "s1",
        "name": "Rate",
        "focusComponent": {"type": "likertscale", "config": {"prompt": "Warm?", "scalePoints": 5}},
        "transitionRules": {"type": "allComplete"},
        "unheardOf": 1,
    }
    roles = {"teller": {"name": "Teller"}, "judge": {"name": "Judge"}}
    path.write_text(json.dumps({"name": "Stories", "roles": roles, "states": [state]}))
    rig.window.study_desk.files.open(path)
    wait_until(lambda: isinstance(QApplication.activeModalWidget(), QInputDialog))
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, QInputDialog)
    assert dialog.comboBoxItems() == ["Teller  (teller)", "Judge  (judge)"]
    dialog.setTextValue("Judge  (judge)")
    dialog.accept()
    wait_until(lambda: rig.window.deck.rows)
    assert "Warm?" in gists(rig)
    assert (rig.window.deck.head.name, rig.window.deck.path, rig.window.deck.unsaved) == ("Stories", None, False)
    notes = rig.window.findChild(ImportNotesDialog)
    assert isinstance(notes, ImportNotesDialog)
    assert any("unheardOf" in notes.list.item(row).text() for row in range(notes.list.count()))
    notes.reject()


def test_changed_instructions_are_saved_with_the_study(tea: WindowRig, study_file: Path) -> None:
    tea.window.agent.editor.setPlainText("Be very kind.")
    assert tea.window.study.deck.name.text() == "Tea *"
    QTest.keyClick(tea.window, Key.Key_S, Control)
    wait_until(lambda: tea.window.study.deck.name.text() == "Tea")
    assert read_study(study_file).instructions == "Be very kind."


def test_comments_of_a_file_are_not_dropped_without_a_question(rig: WindowRig, study_file: Path) -> None:
    study_file.write_text("# for Monday\n" + study_file.read_text(encoding="utf-8"), encoding="utf-8")
    rig.window.study_desk.files.open(study_file)
    wait_until(lambda: rig.window.deck.rows)
    rig.window.agent.editor.setPlainText("Be very kind.")
    rig.window.study_desk.files.save()
    box = guard_box()
    assert box.text() == "tea.yaml has comments, which are not kept."
    answer(box, QMessageBox.StandardButton.Cancel)
    assert study_file.read_text(encoding="utf-8").startswith("# for Monday")
    rig.window.study_desk.files.save()
    next(button for button in guard_box().buttons() if button.text() == "Overwrite").click()
    wait_until(lambda: not rig.window.deck.unsaved)
    assert read_study(study_file).instructions == "Be very kind."
    rig.window.agent.editor.setPlainText("Be kind.")
    rig.window.study_desk.files.save()
    wait_until(lambda: not rig.window.deck.unsaved)
    rig.window.deck.load(Study("", ()), None)


def test_the_list_of_steps_ends_with_a_whole_row(tea: WindowRig) -> None:
    view = tea.window.study.deck.view
    for height in (201, 210, 219):
        view.setFixedHeight(height)
        wait_until(lambda: view.viewport().height() % view.sizeHintForRow(0) == 0)
    assert view.viewport().height() > 150


def test_closing_asks_about_what_is_unsaved(tea: WindowRig, study_file: Path) -> None:
    window = tea.window
    press(tea, Key.Key_Delete)
    window.close()
    box = guard_box()
    assert box.text() == "Save the changes to “Tea”?"
    answer(box, QMessageBox.StandardButton.Cancel)
    assert window.isVisible()
    window.close()
    answer(guard_box(), QMessageBox.StandardButton.Save)
    wait_until(lambda: not window.isVisible())
    assert len(read_study(study_file).steps) == 5


def test_the_file_is_open_again_at_the_next_start_with_what_was_given_up_undone(
    theme: Theme, tmp_path: Path, study_file: Path
) -> None:
    first = WindowRig(theme, tmp_path)
    first.start()
    first.window.study_desk.files.open(study_file)
    wait_until(lambda: first.window.deck.rows)
    press(first, Key.Key_Delete)
    first.window.study_desk.new()
    answer(guard_box(), QMessageBox.StandardButton.Cancel)
    assert len(first.window.deck.rows) == 5
    first.window.end()
    first.close()
    second = WindowRig(theme, tmp_path)
    second.start()
    wait_until(lambda: len(second.window.deck.rows) == 6)
    assert second.window.study_desk.files.recent == [study_file]
    second.close()
