"""The composer: what is filled in becomes the command, what is wrong is said where it is."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox

from simulator.participant.messages import ConnectionState, CreateResponse, SendEvent, Status
from simulator.profile.client_event_examples import EXAMPLES
from simulator.profile.tools import TOOLS
from tests.ui.window_rig import WindowRig, wait_until
from ui.models.conversation_items import ConversationItem
from ui.models.presets import Presets
from ui.panels.composer import RAW, REPLY, ComposerPanel
from ui.theme import Theme

CONNECTED = Status(connection=ConnectionState.CONNECTED)
NO_BREAK = "10\u00a0km"


@pytest.fixture
def composer(theme: Theme, tmp_path: Path) -> ComposerPanel:
    panel = ComposerPanel(theme, TOOLS, ("marin", "cedar"), Presets(tmp_path / "responses.json"))
    panel.resize(760, 420)
    panel.show()
    panel.activateWindow()
    QTest.qWaitForWindowActive(panel)
    return panel


@pytest.fixture
def commands(composer: ComposerPanel) -> list[Any]:
    got: list[Any] = []
    composer.command_requested.connect(got.append)
    return got


def shown(composer: ComposerPanel) -> dict[str, Any]:
    """Return the response that the preview shows."""
    response: dict[str, Any] = json.loads(composer.reply.preview.text)["response"]
    return response


def test_a_spoken_reply_is_what_the_form_starts_with(composer: ComposerPanel, commands: list[Any]) -> None:
    composer.show_status(CONNECTED)
    composer.setFocus()
    focus = QApplication.focusWidget()
    assert focus is not None
    QTest.keyClick(focus, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert commands == [CreateResponse(id=0, response={"output_modalities": ["audio"]})]


def test_each_row_that_is_ticked_is_sent_and_previewed(composer: ComposerPanel, commands: list[Any]) -> None:
    composer.show_status(CONNECTED)
    rows = composer.reply.form.rows
    rows["output_modalities"].editors["choices"].write(["text"])
    rows["tool_choice"].box.click()
    rows["tool_choice"].editors["choice"].write("function")
    rows["tool_choice"].editors["name"].write("answer_scale")
    rows["instructions"].box.click()
    rows["instructions"].editors["text"].write(NO_BREAK)
    rows["tools"].box.click()
    rows["tools"].editors["names"].write(["answer_scale"])
    wanted = {
        "output_modalities": ["text"],
        "tool_choice": {"type": "function", "name": "answer_scale"},
        "instructions": NO_BREAK,
        "tools": [TOOLS[3]],
    }
    composer.reply.send_button.click()
    assert commands == [CreateResponse(id=0, response=wanted)]


def test_fields_appear_with_the_choice_that_needs_them(composer: ComposerPanel) -> None:
    row = composer.reply.form.rows["interim_response"]
    row.box.click()
    assert row.editors["texts"].widget.isVisible()
    assert not row.editors["model"].widget.isVisible()
    row.editors["choice"].write("llm_interim_response")
    assert row.editors["model"].widget.isVisible()
    assert not row.editors["texts"].widget.isVisible()


def test_what_is_wrong_is_said_at_its_row_and_not_sent(composer: ComposerPanel, commands: list[Any]) -> None:
    composer.show_status(CONNECTED)
    row = composer.reply.form.rows["max_output_tokens"]
    row.box.click()
    row.editors["tokens"].write("4097")
    assert "1 to 4096" in row.complaint.text()
    composer.reply.send()
    assert commands == []
    assert "max_output_tokens" in composer.reply.message.text()
    row.editors["tokens"].write("4096")
    assert row.complaint.isHidden()
    composer.reply.send()
    assert commands[0].response["max_output_tokens"] == 4096


def test_an_unknown_parameter_is_marked_and_sent(composer: ComposerPanel, commands: list[Any]) -> None:
    composer.show_status(CONNECTED)
    row = composer.reply.form.rows["further"]
    row.box.click()
    row.editors["json"].write('{"temperature": 0.8}')
    assert row.complaint.text().startswith("⚠")
    composer.reply.send()
    assert commands[0].response["temperature"] == 0.8


def test_without_a_session_nothing_is_sent_and_the_reason_is_told(composer: ComposerPanel, commands: list[Any]) -> None:
    composer.reply.send()
    assert "F5" in composer.reply.message.text()
    composer.show_page(RAW)
    composer.raw.show_event({"type": "response.cancel"})
    composer.raw.send()
    assert "F5" in composer.raw.message.text()
    assert commands == []


def test_metadata_are_typed_row_by_row(composer: ComposerPanel) -> None:
    row = composer.reply.form.rows["metadata"]
    row.box.click()
    table = row.editors["pairs"].widget
    table.item(0, 0).setText("trial")  # type: ignore[attr-defined]
    table.item(0, 1).setText("12")  # type: ignore[attr-defined]
    table.item(1, 0).setText("empty")  # type: ignore[attr-defined]
    assert shown(composer)["metadata"] == {"trial": "12", "empty": ""}
    table.setCurrentCell(0, 0)  # type: ignore[attr-defined]
    QTest.keyClick(table, Qt.Key.Key_Delete)
    assert shown(composer)["metadata"] == {"empty": ""}


def test_an_item_of_the_conversation_is_picked_as_a_reference(composer: ComposerPanel) -> None:
    composer.set_items(lambda: [ConversationItem("item_1", "user", "Hello"), ConversationItem("item_2", "user", "")])
    composer.reply.form.rows["input"].box.click()
    assert shown(composer)["input"] == []
    menu = composer.reply.reference_button.menu()
    menu.aboutToShow.emit()
    assert [action.text() for action in menu.actions()] == ["user  item_2", "user  Hello"]
    menu.actions()[1].trigger()
    assert shown(composer)["input"] == [{"type": "item_reference", "id": "item_1"}]


@pytest.mark.parametrize(
    "wrapped",
    [
        lambda response: response,
        lambda response: {"type": "response.create", "response": response},
        lambda response: {
            "seq": 4,
            "type": "response.create",
            "event": {"type": "response.create", "response": response},
        },
    ],
)
def test_a_response_is_pasted_as_it_was_copied(composer: ComposerPanel, wrapped: Callable[[Any], Any]) -> None:
    response = {"output_modalities": ["text"], "modalities": ["text"]}
    QGuiApplication.clipboard().setText(json.dumps(wrapped(response)))
    composer.reply.paste_button.click()
    assert shown(composer) == response
    assert "older Voice Live" in composer.reply.form.rows["further"].complaint.text()


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"type": "session.update", "session": {}}'])
def test_what_is_no_response_is_not_pasted(composer: ComposerPanel, text: str) -> None:
    QGuiApplication.clipboard().setText(text)
    composer.reply.paste_button.click()
    assert shown(composer) == {"output_modalities": ["audio"]}
    assert composer.reply.message.text().startswith("What was copied")


def test_a_preset_brings_the_form_back(composer: ComposerPanel) -> None:
    composer.reply.form.rows["reasoning"].box.click()
    composer.reply.presets.save("thinks")
    composer.reply.clear_button.click()
    assert "reasoning" not in shown(composer)
    picker = composer.reply.presets.picker
    picker.setCurrentText("thinks")
    picker.activated.emit(picker.currentIndex())
    assert shown(composer)["reasoning"] == {"effort": "low"}
    composer.reply.presets.rename("thinks a little")
    assert composer.reply.presets.name == "thinks a little"
    composer.reply.presets.delete()
    assert composer.reply.presets.name == ""
    assert picker.count() == 1


def test_a_field_that_is_no_json_is_never_left_out_in_silence(composer: ComposerPanel) -> None:
    row = composer.reply.form.rows["input"]
    row.box.click()
    row.editors["items"].write("[{]")
    composer.reply.presets.save("lossy")
    assert "left out" in composer.reply.message.text()
    assert composer.reply.presets.picker.count() == 1
    composer.reply.raw_button.click()
    assert composer.pages.currentIndex() == REPLY
    row.editors["items"].write("[]")
    composer.reply.raw_button.click()
    assert json.loads(composer.raw.editor.toPlainText())["response"]["input"] == []


def test_tools_of_another_specification_keep_their_ticks_and_get_its_words(composer: ComposerPanel) -> None:
    row = composer.reply.form.rows["tools"]
    row.box.click()
    row.editors["names"].write(["send_chat"])
    other = ({**TOOLS[0], "description": "Other words."}, {"type": "function", "name": "new_tool"})
    composer.reply.set_tools(other)
    assert shown(composer)["tools"] == [other[0]]
    name = composer.reply.form.rows["tool_choice"].editors["name"].widget
    assert isinstance(name, QComboBox)
    assert [name.itemText(place) for place in range(name.count())] == ["send_chat", "new_tool"]


def test_a_tool_is_forced_out_of_those_that_the_session_declared(composer: ComposerPanel) -> None:
    row = composer.reply.form.rows["tool_choice"]
    row.box.click()
    row.editors["choice"].write("function")
    row.editors["name"].write("answer_scale")
    accepted = {"tools": [{"type": "function", "name": "send_chat"}]}
    composer.show_status(msgspec.structs.replace(CONNECTED, session_accepted=accepted))
    name = row.editors["name"].widget
    assert isinstance(name, QComboBox)
    assert [name.itemText(place) for place in range(name.count())] == ["send_chat"]
    assert shown(composer)["tool_choice"]["name"] == "answer_scale", "what was typed stays"
    assert "not among the tools of the session" in row.complaint.text()
    assert composer.reply.send_button.isEnabled()


def test_a_raw_event_needs_json_and_a_type_and_no_more(composer: ComposerPanel, commands: list[Any]) -> None:
    composer.show_status(CONNECTED)
    composer.show_page(RAW)
    raw = composer.raw
    for text in ("{", "[]", "{}", '{"type": ""}'):
        raw.editor.setPlainText(text)
        assert not raw.send_button.isEnabled()
        assert raw.message.text().startswith("✕")
    raw.editor.setPlainText('{"type": "ping", "more": "a b"}')
    assert "no client event of HRP" in raw.message.text()
    composer.setFocus()
    QTest.keyClick(raw.editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert commands == [SendEvent(id=0, event={"type": "ping", "more": "a b"})]


def test_each_template_can_be_sent_as_it_stands(composer: ComposerPanel) -> None:
    composer.show_status(CONNECTED)
    composer.show_page(RAW)
    picker = composer.raw.templates
    for place, example in enumerate(EXAMPLES, start=1):
        picker.setCurrentIndex(place)
        picker.activated.emit(place)
        assert json.loads(composer.raw.editor.toPlainText()) == example.event
        assert composer.raw.message.text().startswith("✓"), example.title


def test_a_template_takes_the_ids_of_the_conversation(composer: ComposerPanel) -> None:
    composer.set_items(lambda: [ConversationItem("item_9", "assistant", ""), ConversationItem("i", "x", "", "call_9")])
    composer.show_page(RAW)
    for title, name, value in (("conversation.item.truncate", "item_id", "item_9"), ("answer to a call", "", "call_9")):
        place = next(place for place, each in enumerate(EXAMPLES, start=1) if title in each.title)
        composer.raw.templates.activated.emit(place)
        event = json.loads(composer.raw.editor.toPlainText())
        assert (event[name] if name else event["item"]["call_id"]) == value


def test_what_is_forbidden_in_the_form_can_go_on_as_json(composer: ComposerPanel) -> None:
    composer.show_status(CONNECTED)
    row = composer.reply.form.rows["max_output_tokens"]
    row.box.click()
    row.editors["tokens"].write("5000")
    composer.reply.raw_button.click()
    assert composer.pages.currentIndex() == RAW
    assert composer.raw.send_button.isEnabled()
    assert composer.raw.message.text().startswith("⚠ max_output_tokens")
    composer.show_page(REPLY)
    assert composer.reply.presets.isVisible()


def test_a_response_and_an_event_of_the_log_reach_the_live_process(rig: WindowRig) -> None:
    rig.connect_session()
    window = rig.window
    window.tabs.setCurrentWidget(window.composer)
    window.composer.reply.send()
    assert rig.wait_for_command("create_response")["response"] == {"output_modalities": ["audio"]}
    wait_until(lambda: "Sent" in window.composer.reply.message.text())
    window.tabs.setCurrentWidget(window.log)
    seq = next(entry.seq for entry in rig.feed.view.entries if entry.type == "session.update")
    window.log.show_seq(seq)
    window.log.table.setFocus()
    QTest.keyClick(window.log.table, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    wait_until(lambda: window.tabs.currentWidget() is window.composer)
    assert json.loads(window.composer.raw.editor.toPlainText())["type"] == "session.update"
    window.composer.raw.send()
    assert rig.wait_for_command("send_event")["event"]["type"] == "session.update"
    window.tabs.setCurrentWidget(window.log)
    window.log.show_seq(seq)
    modifiers = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(window.log.table, Qt.Key.Key_E, modifiers)
    rig.wait_for_command("send_event", 2)
    received = next(entry.seq for entry in rig.feed.view.entries if entry.type == "session.created")
    window.log.show_seq(received)
    window.log.menu.send_again()
    assert "Only what was sent" in window.notices.text.text()
