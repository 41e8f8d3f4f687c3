"""The window as a user meets it: keys and clicks become commands, the feed becomes what is shown."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QShortcut
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QSpinBox,
)

from simulator.participant.messages import ConnectionState, SoundWarning, Status, VoiceKind
from tests.ui.window_rig import DEVICES, WindowRig, wait_until
from ui.models.log_model import Column
from ui.models.pushes import PUSHES, push_key
from ui.theme import Theme


def types_in_log(rig: WindowRig) -> list[str]:
    model = rig.window.log.model
    return [str(model.index(row, Column.TYPE).data()) for row in range(model.rowCount())]


def test_idle_window_says_what_to_do_and_forbids_what_needs_a_session(rig: WindowRig) -> None:
    window = rig.window
    assert window.connection.connect_button.text() == "Connect  F5"
    assert "Connect (F5)" in window.log.empty.text()
    assert not window.study.pushes.push_button.isEnabled()
    assert window.study.pushes.push_button.toolTip() == "Connect first (F5): a push needs a session."
    assert not window.agent.apply_button.isEnabled()
    assert "Connect first" in window.agent.apply_button.toolTip()


def test_connecting_asks_for_the_chosen_engine_and_shows_the_session(rig: WindowRig) -> None:
    window = rig.window
    window.agent.editor.setPlainText("Be brief.")
    rig.connect_session()
    sent = rig.wait_for_command("connect")
    assert (sent["engine"], sent["instructions"], sent["voice"]) == ("embedded", "Be brief.", "marin")
    assert sent["turn_detection"] == {
        "type": "server_vad",
        "silence_duration_ms": 500,
        "create_response": True,
        "interrupt_response": True,
    }
    wait_until(lambda: len(types_in_log(rig)) == 4)
    assert types_in_log(rig) == ["record.started", "session.created", "session.update", "session.updated"]
    assert window.connection.state_label.text() == "● connected"
    assert window.connection.recording_light.text() == "● rec"
    assert window.windowTitle().startswith("embedded · connected")
    assert window.agent.state.text() == "✓ In force"


def test_f5_disconnects_again_and_the_record_stays_on_screen(rig: WindowRig) -> None:
    rig.connect_session()
    QTest.keyClick(rig.window, Qt.Key.Key_F5)
    wait_until(lambda: rig.feed.status.connection is ConnectionState.IDLE)
    wait_until(lambda: "connection.closed" in types_in_log(rig))
    assert rig.window.connection.state_label.text() == "○ not connected"
    assert types_in_log(rig)[0] == "record.started"


def test_a_second_session_starts_an_empty_log(rig: WindowRig) -> None:
    rig.connect_session()
    rig.click(rig.window.connection.connect_button)
    wait_until(lambda: rig.feed.status.connection is ConnectionState.IDLE)
    rig.connect_session()
    wait_until(lambda: len(types_in_log(rig)) == 4)
    assert "connection.closed" not in types_in_log(rig)


def test_an_engine_that_cannot_be_reached_is_told_in_its_own_sentence(rig: WindowRig) -> None:
    rig.window.connection.set_engines(["embedded"], "ws://unreachable")
    rig.click(rig.window.connection.connect_button)
    wait_until(rig.window.notices.isVisible)
    assert "ws://unreachable did not answer: check the address." in rig.window.notices.text.text()
    rig.click(rig.window.notices.dismiss_button)
    assert not rig.window.notices.isVisible()


def test_space_talks_with_a_recording_but_not_while_typing(rig: WindowRig) -> None:
    rig.connect_session()
    window = rig.window
    QTest.keyClick(window, Qt.Key.Key_Space)
    wait_until(lambda: rig.feed.status.talking)
    assert window.connection.talk_button.text() == "Stop  Space"
    assert rig.wait_for_command("set_talk", 2)["down"] is False
    talks = len(rig.commands("set_talk"))
    window.agent.editor.setFocus()
    QTest.keyClicks(window.agent.editor, "a b l m")
    assert window.agent.instructions == "a b l m"
    window.log.filter_field.setFocus()
    QTest.keyClicks(window.log.filter_field, "x l")
    assert window.log.filter_field.text() == "x l"
    window.study.pushes.choose(2)
    window.study.pushes.push()
    rig.wait_for_command("push")
    assert len(rig.commands("set_talk")) == talks
    assert not rig.commands("set_listening")
    assert not rig.commands("set_muted")


def test_the_connect_button_does_not_take_the_talk_key_after_a_click(rig: WindowRig) -> None:
    QTest.mouseClick(rig.window.connection.connect_button, Qt.MouseButton.LeftButton)
    wait_until(lambda: rig.feed.status.connection is ConnectionState.CONNECTED)
    QTest.keyClick(rig.window.focusWidget(), Qt.Key.Key_Space)
    rig.wait_for_command("set_talk")
    assert not rig.commands("disconnect")


def test_holding_space_opens_a_microphone_and_letting_go_closes_it(theme: Theme, tmp_path: Path) -> None:
    rig = WindowRig(theme, tmp_path, DEVICES)
    rig.start()
    wait_until(lambda: rig.window.connection.voice.label == "Mic: system default")
    QTest.keyPress(rig.window, Qt.Key.Key_Space)
    rig.wait_for_command("set_talk", 1)
    # How X11 tells of a key that is held.
    for _ in range(3):
        QTest.keyRelease(rig.window, Qt.Key.Key_Space)
        QTest.keyPress(rig.window, Qt.Key.Key_Space)
    QTest.keyRelease(rig.window, Qt.Key.Key_Space)
    rig.wait_for_command("set_talk", 2)
    assert [command["down"] for command in rig.commands("set_talk")] == [True, False]
    wait_until(lambda: not rig.window.connection.open_button.isChecked())
    QTest.keyClick(rig.window, Qt.Key.Key_O)
    assert rig.wait_for_command("set_talk", 3)["down"] is True
    rig.close()


def test_open_mic_shows_whether_the_microphone_is_open(theme: Theme, tmp_path: Path) -> None:
    rig = WindowRig(theme, tmp_path, DEVICES)
    rig.start()
    button = rig.window.connection.open_button
    wait_until(button.isVisible)
    QTest.keyClick(rig.window, Qt.Key.Key_O)
    wait_until(lambda: rig.feed.status.talking)
    assert button.isChecked()
    # The talk key closes what is open when it is let go.
    QTest.keyClick(rig.window, Qt.Key.Key_Space)
    wait_until(lambda: not rig.feed.status.talking)
    assert not button.isChecked()
    # So the next O opens it again.
    QTest.keyClick(rig.window, Qt.Key.Key_O)
    wait_until(lambda: rig.feed.status.talking)
    assert [command["down"] for command in rig.commands("set_talk")] == [True, True, False, True]
    rig.close()


def test_a_question_is_typed_at_once_and_a_click_on_a_picker_leaves_space_to_the_talk_key(rig: WindowRig) -> None:
    study = rig.window.study.pushes
    QTest.keyClick(rig.window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    wait_until(lambda: QApplication.focusWidget() is study.forms[1].fields["question"])
    question = study.forms[1].fields["question"]
    assert isinstance(question, QLineEdit)
    question.selectAll()
    QTest.keyClicks(question, "Did it rain?")
    assert question.text() == "Did it rain?"
    rig.window.setFocus()
    picker = study.forms[1].fields["component"]
    assert isinstance(picker, QComboBox)
    QTest.mouseClick(picker, Qt.MouseButton.LeftButton)
    wait_until(picker.view().isVisible)
    picker.hidePopup()
    wait_until(lambda: QApplication.activePopupWidget() is None)
    assert not picker.hasFocus()
    QTest.keyClick(rig.window, Qt.Key.Key_Space)
    rig.wait_for_command("set_talk", 2)
    assert [command["down"] for command in rig.commands("set_talk")] == [True, False]
    assert not picker.view().isVisible()


def test_without_a_microphone_the_first_voice_is_a_recording(rig: WindowRig) -> None:
    assert rig.window.connection.voice.name == "coffee_or_tea"
    sent = rig.wait_for_command("choose_voice")
    assert (sent["kind"], sent["recording"]) == ("recording", "coffee_or_tea")


def test_keys_switch_listening_and_mute(rig: WindowRig) -> None:
    rig.connect_session()
    button = rig.window.connection.listening_button
    assert button.text() == "LISTENING ON"
    QTest.keyClick(rig.window, Qt.Key.Key_L)
    wait_until(lambda: button.text() == "LISTENING OFF")
    assert rig.commands("set_listening")[-1]["on"] is False
    rig.click(button)
    wait_until(lambda: button.text() == "LISTENING ON")
    QTest.keyClick(rig.window, Qt.Key.Key_M)
    wait_until(lambda: rig.feed.status.muted)
    assert rig.window.connection.mute_button.text() == "Muted  M"


def test_escape_stops_the_reply_and_does_nothing_without_one(rig: WindowRig) -> None:
    rig.connect_session()
    QTest.keyClick(rig.window, Qt.Key.Key_Escape)
    rig.window.study.choose_push(6)
    rig.window.study.pushes.forms[6].fields["text"].setText("speak")  # type: ignore[attr-defined]
    rig.window.study.pushes.push()
    wait_until(rig.window.connection.stop_button.isEnabled)
    assert not rig.commands("stop_reply")
    assert rig.window.connection.activity.text() == "agent speaks"
    # The longest that the bars get: they must not push the right column off a screen of 1280 pixels.
    assert rig.window.connection.minimumSizeHint().width() <= 1280
    QTest.keyClick(rig.window, Qt.Key.Key_Escape)
    rig.wait_for_command("stop_reply")
    wait_until(lambda: not rig.window.connection.stop_button.isEnabled())


@pytest.mark.parametrize(
    ("row", "context"),
    [
        (0, {"event": "screen", "type": "showtext", "text": "Please introduce yourselves."}),
        (2, {"event": "timer", "secondsLeft": 30}),
        (3, {"event": "typed", "speaker": "Alex", "said": "hello?"}),
        (4, {"event": "paused", "waitingFor": ["Alex (A)"]}),
        (5, {"event": "resumed"}),
        (6, {"event": "experimenter_message", "text": "Please answer honestly."}),
        (7, {"event": "revealed", "name": "Alex", "role": "A", "answer": 70}),
        (8, {"event": "participants", "others": [{"name": "Alex", "role": "A"}]}),
    ],
)
def test_a_quick_push_sends_its_context_item(rig: WindowRig, row: int, context: dict[str, object]) -> None:
    rig.connect_session()
    rig.window.study.choose_push(row)
    rig.click(rig.window.study.pushes.push_button)
    sent = rig.wait_for_command("push")
    assert sent["context"] == context
    assert sent.get("ask_reply", False) is (context["event"] == "typed")
    wait_until(lambda: rig.window.study.pushes.reason.text() == "Pushed.")


@pytest.mark.parametrize("row", range(len(PUSHES)), ids=[kind.name for kind in PUSHES])
def test_a_kind_is_pushed_by_its_key_and_enter(rig: WindowRig, row: int) -> None:
    rig.connect_session()
    key = Qt.Key(Qt.Key.Key_0.value + int(push_key(row)[-1]))
    QTest.keyClick(rig.window, key, Qt.KeyboardModifier.ControlModifier)
    focus = QApplication.focusWidget()
    assert focus is not None
    QTest.keyClick(focus, Qt.Key.Key_Return)
    wait_until(lambda: rig.window.study.pushes.reason.text() == "Pushed.")


def test_enter_in_a_field_or_in_the_list_of_kinds_pushes_once(rig: WindowRig) -> None:
    rig.connect_session()
    study = rig.window.study.pushes
    pushed: list[object] = []
    study.push_requested.connect(pushed.append)
    count = 0
    for row, form in enumerate(study.forms):
        for field in (study.kinds, study.push_button, *form.fields.values()):
            rig.window.study.choose_push(row)
            field.setFocus()
            QTest.keyClick(field, Qt.Key.Key_Return)
            count += 1
            assert len(pushed) == count, f"{form.kind.name}: {field.accessibleName()}"


def test_enter_in_a_form_pushes(rig: WindowRig) -> None:
    rig.connect_session()
    QTest.keyClick(rig.window, Qt.Key.Key_4, Qt.KeyboardModifier.ControlModifier)
    said = rig.window.study.pushes.forms[3].fields["said"]
    said.setFocus()
    QTest.keyClicks(said, " you")
    QTest.keyClick(said, Qt.Key.Key_Return)
    assert rig.wait_for_command("push")["context"]["said"] == "hello? you"


def test_a_question_is_previewed_as_soon_as_the_agent_was_told_of_it(rig: WindowRig) -> None:
    rig.connect_session()
    rig.window.study.choose_push(1)
    form = rig.window.study.pushes.forms[1]
    form.set_values({"question": "answer this never"})
    rig.click(rig.window.study.pushes.push_button)
    preview = rig.window.study.preview
    wait_until(lambda: preview.on_screen.question is not None)
    assert preview.on_screen.question is not None
    assert preview.on_screen.question.config["question"] == "answer this never"
    assert preview.on_screen_button.isChecked()
    assert rig.window.study.pushes.reason.text() == "Sent; waiting for it to take effect…"


def test_the_kinds_of_questions_are_called_as_a_person_calls_them(rig: WindowRig) -> None:
    form = rig.window.study.pushes.forms[1]
    picker = form.fields["component"]
    assert isinstance(picker, QComboBox)
    assert picker.currentText() == "Multiple choice"
    picker.setCurrentText("Visual analog scale")
    assert (form.values["component"], form.values["details"]) == ("vasrating", "0 to 100")


def test_menus_are_short_and_sound_has_one_of_its_own(rig: WindowRig) -> None:
    names: dict[str, list[str]] = {}
    for action in rig.window.menuBar().actions():
        menu = action.menu()
        assert isinstance(menu, QMenu)
        names[action.text()] = [each.text() for each in menu.actions() if each.text()]
    assert all(len(names[title]) <= 16 for title in ("&Session", "&Records", "V&oice", "So&und"))
    assert names["&Session"][-1] == "&Quit"
    assert "Sound de&vices…" in names["So&und"]
    assert names["V&oice"][1:3] == ["&Talk key opens and closes the microphone", "&Open or close the microphone"]


def test_what_lacks_is_a_hint_until_a_session_suffers_from_it(rig: WindowRig) -> None:
    notices = rig.window.notices
    notices.show_lacks(["No loudspeaker."], hints=True)
    assert notices.text.text() == "No loudspeaker."
    notices.show_lacks(["No loudspeaker."])
    assert notices.text.text() == "⚠  No loudspeaker."
    notices.dismiss()
    notices.show_lacks(["No loudspeaker."], hints=True)
    assert not notices.isVisible()


def test_a_question_is_asked_and_its_answer_shown(rig: WindowRig) -> None:
    rig.connect_session()
    rig.window.study.choose_push(1)
    rig.click(rig.window.study.pushes.push_button)
    sent = rig.wait_for_command("ask")
    assert (sent["component"], sent["config"]) == (
        "multiplechoice",
        {"question": "Coffee or tea?", "choices": ["Coffee", "Tea"]},
    )
    wait_until(lambda: rig.window.agent.answer_value.text() == "Tea")
    assert "answer_choice  after 42 ms" in rig.window.agent.answer_line.text()
    assert "✓ accepted" in rig.window.agent.answer_line.text()
    table = rig.window.answers.table
    assert [str(table.model().index(0, column).data()) for column in (1, 2, 3, 4)] == [
        "Coffee or tea?",
        "answer_choice",
        "Tea",
        "✓ accepted",
    ]


def test_refused_instructions_show_why_and_what_stays_in_force(rig: WindowRig) -> None:
    rig.connect_session()
    editor = rig.window.agent.editor
    editor.setFocus()
    editor.setPlainText("refuse this")
    assert rig.window.agent.state.text() == "● Edited: not in force yet"
    QTest.keyClick(editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    wait_until(lambda: "Refused" in rig.window.agent.state.text())
    assert (
        "The engine refused the instructions. The earlier instructions stay in force." in rig.window.agent.state.text()
    )
    editor.setPlainText("Be kind.")
    rig.window.agent.apply()
    wait_until(lambda: rig.window.agent.state.text() == "✓ In force")


def test_a_field_that_the_engine_did_not_take_stands_out(rig: WindowRig) -> None:
    rig.connect_session()
    wait_until(lambda: rig.window.agent.session_line.text() == "≠ not as requested: voice")
    tree = rig.window.agent.session
    rows = {
        tree.model().index(row, 0).data(): tree.model().index(row, 1).data() for row in range(tree.topLevelItemCount())
    }
    assert rows == {"output_modalities": "audio ✓", "voice": "marin ≠ alloy", "speed": "1.0"}


def test_the_talk_key_opens_and_closes_a_microphone_where_that_was_chosen_and_is_remembered(
    theme: Theme, tmp_path: Path
) -> None:
    first = WindowRig(theme, tmp_path, DEVICES)
    first.start()
    first.window.talking.switch.setChecked(True)
    first.close()
    rig = WindowRig(theme, tmp_path, DEVICES)
    rig.start()
    wait_until(lambda: rig.window.connection.voice.label == "Mic: system default")
    let_go: list[bool] = []
    rig.window.talking.key.released.connect(lambda: let_go.append(True))
    QTest.keyClick(rig.window, Qt.Key.Key_Space)
    wait_until(lambda: rig.feed.status.talking and let_go)
    QTest.keyClick(rig.window, Qt.Key.Key_Space)
    wait_until(lambda: not rig.feed.status.talking)
    assert [command["down"] for command in rig.commands("set_talk")] == [True, False]
    rig.window.study.choose_push(6)
    field = rig.window.study.pushes.forms[6].fields["text"]
    field.setFocus()
    QTest.keyClicks(field, "a b")
    assert len(rig.commands("set_talk")) == 2
    rig.close()


def test_a_dead_process_is_told_and_replaced(rig: WindowRig) -> None:
    rig.connect_session()
    rig.window.study.choose_push(6)
    rig.window.study.pushes.forms[6].fields["text"].setText("die")  # type: ignore[attr-defined]
    rig.window.study.pushes.push()
    wait_until(lambda: "ended with code 7" in rig.window.notices.text.text())
    assert "it was asked to die" in rig.window.notices.text.text()
    assert rig.window.connection.state_label.text() == "○ not connected"
    rig.connect_session()
    assert rig.commands("choose_voice")[-1]["recording"] == "coffee_or_tea"


def test_events_left_out_of_the_feed_are_read_from_the_record(rig: WindowRig) -> None:
    rig.connect_session()
    rig.window.study.choose_push(6)
    rig.window.study.pushes.forms[6].fields["text"].setText("gap")  # type: ignore[attr-defined]
    rig.window.study.pushes.push()
    wait_until(lambda: "after.the.gap" in types_in_log(rig))
    assert types_in_log(rig)[-4:] == ["voice.muted", "voice.muted", "voice.muted", "after.the.gap"]
    assert [entry.seq for entry in rig.feed.view.entries] == list(range(8))


def test_slash_filters_the_log_as_you_type_and_a_row_moves_the_timeline(rig: WindowRig) -> None:
    rig.connect_session()
    window = rig.window
    wait_until(lambda: len(types_in_log(rig)) == 4)
    QTest.keyClick(window, Qt.Key.Key_Slash)
    QTest.keyClicks(window.log.filter_field, "session.upd")
    wait_until(lambda: types_in_log(rig) == ["session.update", "session.updated"])
    QTest.keyClick(window.log.filter_field, Qt.Key.Key_Return)
    assert window.log.table.hasFocus()
    assert '"turn_detection"' in window.log.inspector.text
    assert window.timeline.canvas.cursor_ns == 20_000_000
    window.timeline.mark_clicked.emit(1)
    wait_until(lambda: window.log.table.currentIndex().siblingAtColumn(Column.TYPE).data() == "session.created")


def test_splitters_engine_and_voice_are_remembered(theme: Theme, tmp_path: Path) -> None:
    first = WindowRig(theme, tmp_path)
    first.start()
    first.window.log.splitter.setSizes([10, 90])
    moved = first.window.log.splitter.saveState()
    first.window.connection.set_engines(["embedded", "openai"], "openai")
    first.window.connection.engine_chosen.emit("openai")
    picker = first.window.connection.voice_picker
    first.window.choices.choose_voice(picker.itemData(picker.findText("monologue")))
    voice = first.window.connection.voice
    first.close()
    second = WindowRig(theme, tmp_path)
    assert second.window.log.splitter.saveState() == moved
    assert second.window.connection.engine == "openai"
    assert second.window.connection.voice == voice
    assert voice.name != "coffee_or_tea"
    second.close()


def test_closing_ends_the_participant_in_order(theme: Theme, tmp_path: Path) -> None:
    rig = WindowRig(theme, tmp_path)
    rig.start()
    rig.connect_session()
    rig.close()
    assert rig.commands("quit")


def test_every_control_has_a_name_for_screen_readers(rig: WindowRig) -> None:
    parts_of = ("QComboBox", "QAbstractItemView", "QLineEdit", "QAbstractSpinBox", "QMenuBar", "QTabBar")
    nameless = []
    for kind in (QAbstractButton, QAbstractItemView, QComboBox, QLineEdit, QPlainTextEdit, QSpinBox):
        for widget in rig.window.findChildren(kind):
            parent = widget.parentWidget()
            is_part = parent is None or any(parent.inherits(name) for name in parts_of)
            is_part = is_part or widget.window() is not rig.window
            text = widget.text() if isinstance(widget, QAbstractButton) else ""
            if not (is_part or text or widget.accessibleName()):
                nameless.append(f"{type(widget).__name__} in {type(parent).__name__}")
    assert nameless == []


def test_no_key_of_the_window_does_two_things(rig: WindowRig) -> None:
    window_wide = Qt.ShortcutContext.WindowShortcut
    keys = [
        (key.toString(), action.text())
        for action in rig.window.findChildren(QAction)
        if action.shortcutContext() == window_wide
        for key in action.shortcuts()
    ]
    keys += [
        (short.key().toString(), short.objectName())
        for short in rig.window.findChildren(QShortcut)
        if short.context() == window_wide
    ]
    used: dict[str, set[str]] = {}
    for key, what in keys:
        used.setdefault(key, set()).add(what)
    assert {key: what for key, what in used.items() if len(what) > 1} == {}


def test_the_window_fits_a_screen_of_1280_pixels(rig: WindowRig) -> None:
    warnings = [SoundWarning("too_quiet", "Speak up.", 0), SoundWarning("echo", "Use headphones.", 0)]
    idle = Status(talking=True, muted=True, recording=True, keeps_audio=False, agent_heard=True)
    live = replace(idle, connection=ConnectionState.CONNECTED)
    spoken = replace(live, voice=VoiceKind.MICROPHONE, sound=warnings)
    recorded = replace(live, voice=VoiceKind.RECORDING, listening=False)
    for status in (idle, spoken, recorded):
        rig.feed.status_changed.emit(status)
        QApplication.processEvents()
        assert rig.window.minimumSizeHint().width() <= 1280
