"""Calls in the operator's hand: a card for each, and the answers that it gives."""

from typing import Any

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from simulator.participant.messages import AnswerCall, ConnectionState, HeldCall, Status
from simulator.units import NS_PER_S
from tests.ui.window_rig import WindowRig, wait_until
from ui.panels.calls import CallsPanel
from ui.theme import Theme

RATING = HeldCall(
    "call_1",
    "answer_scale",
    '{"value":140}',
    2 * NS_PER_S,
    "How warm was\nyour partner?",
    "140 lies above 100: answer from 0 to 100.",
)
CHAT = HeldCall("call_2", "send_chat", "{not JSON <b>", 5 * NS_PER_S)
HELD = Status(connection=ConnectionState.CONNECTED, calls_in_hand=True, held_calls=[RATING, CHAT])


@pytest.fixture
def panel(theme: Theme) -> CallsPanel:
    panel = CallsPanel(theme)
    panel.resize(300, 500)
    panel.show()
    panel.activateWindow()
    QTest.qWaitForWindowActive(panel)
    panel.show_status(HELD)
    return panel


@pytest.fixture
def commands(panel: CallsPanel) -> list[Any]:
    got: list[Any] = []
    panel.command_requested.connect(got.append)
    return got


def test_a_card_says_what_is_called_why_it_would_be_refused_and_how_long_it_waits(panel: CallsPanel) -> None:
    card = panel.cards["call_1"]
    panel.show_now(65 * NS_PER_S)
    assert card.arguments.toPlainText() == '{"value": 140}'
    assert card.question.text() == "How warm was your partner?"
    assert "140 lies above 100" in card.verdict.text()
    assert card.waits.text() == "waits 1:03"
    assert panel.state.text() == "● 2 calls wait"


def test_a_call_that_is_no_json_is_shown_as_it_came(panel: CallsPanel) -> None:
    card = panel.cards["call_2"]
    assert card.arguments.toPlainText() == "{not JSON <b>"
    assert card.question.isHidden()
    assert "Would be accepted" in card.verdict.text()


@pytest.mark.parametrize("how", ["as judged", "accept", "broken"])
def test_a_button_answers_its_own_call_and_once(panel: CallsPanel, commands: list[Any], how: str) -> None:
    button = panel.cards["call_2"].buttons[how]
    button.click()
    button.click()
    assert commands == [AnswerCall(id=0, call_id="call_2", how=how, text="")]  # type: ignore[arg-type]


def test_a_refusal_asks_for_its_text_first(panel: CallsPanel, commands: list[Any]) -> None:
    panel.answer_oldest("refuse")
    card = panel.cards["call_1"]
    assert card.reason.hasFocus()
    assert card.reason.text() == RATING.error
    card.reason.clear()
    QTest.keyClick(card.reason, Qt.Key.Key_Return)
    assert commands == []
    QTest.keyClicks(card.reason, "Not now")
    QTest.keyClick(card.reason, Qt.Key.Key_Return)
    assert commands == [AnswerCall(id=0, call_id="call_1", how="refuse", text="Not now")]


def test_escape_leaves_the_refusal(panel: CallsPanel, commands: list[Any]) -> None:
    panel.answer_oldest("refuse")
    card = panel.cards["call_1"]
    QTest.keyClick(card.reason, Qt.Key.Key_Escape)
    assert card.reason.isHidden() or not card.reason.isVisible()
    assert commands == []


def test_an_answer_that_was_not_taken_can_be_given_again(panel: CallsPanel, commands: list[Any]) -> None:
    panel.answer_oldest("accept")
    panel.show_answered("The engine closed.")
    panel.answer_oldest("accept")
    assert len(commands) == 2


def test_cards_go_with_their_calls_and_the_keys_pass_on_to_the_next(panel: CallsPanel, commands: list[Any]) -> None:
    waiting: list[int] = []
    panel.waiting_changed.connect(waiting.append)
    panel.show_status(msgspec.structs.replace(HELD, held_calls=[CHAT]))
    assert list(panel.cards) == ["call_2"]
    assert "F6" in panel.cards["call_2"].buttons["as judged"].text()
    panel.answer_oldest("as judged")
    assert commands[0].call_id == "call_2"
    panel.show_status(Status())
    assert panel.cards == {}
    assert panel.area.isHidden()
    assert waiting == [1, 0]
    panel.answer_oldest("accept")
    assert len(commands) == 1


def test_the_switch_and_the_keys_reach_the_live_process(rig: WindowRig) -> None:
    rig.connect_session()
    window = rig.window
    window.setFocus()
    QTest.keyClick(window, Qt.Key.Key_H)
    assert rig.wait_for_command("set_calls_in_hand")["on"] is True
    rig.feed.take([msgspec.structs.replace(rig.feed.status, calls_in_hand=True, held_calls=[RATING])])
    assert window.agent.calls.switch.isChecked()
    wait_until(lambda: window.agent.calls.cards["call_1"].isVisible())
    assert window.windowTitle().startswith("a call waits")
    assert not window.agent.session.isVisible(), "what waits takes the place of what can be looked up later"
    QTest.keyClick(window, Qt.Key.Key_F6, Qt.KeyboardModifier.ShiftModifier)
    answered = rig.wait_for_command("answer_call")
    assert (answered["call_id"], answered["how"]) == ("call_1", "accept")
