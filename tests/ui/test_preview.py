"""The preview draws what the participant sees, and gives the answer that the schema wants."""

from simulator.participant.messages import ConnectionState, Status
from simulator.study.steps import AskQuestion, Step
from ui.panels.preview import PreviewPanel
from ui.theme import Theme

COFFEE_OR_TEA = AskQuestion("multiplechoice", {"question": "Coffee or tea?", "choices": ["Coffee", "Tea"]})


def test_an_answer_is_given_and_then_revealed(theme: Theme) -> None:
    panel = PreviewPanel(theme)
    panel.show_status(Status(connection=ConnectionState.CONNECTED))
    answers: list[tuple[object, ...]] = []
    revealed: list[object] = []
    panel.answered.connect(lambda *answer: answers.append(answer))
    panel.reveal_requested.connect(revealed.append)
    panel.show_step(Step(COFFEE_OR_TEA))
    assert not panel.answer_button.isEnabled()
    panel.selected.answering.buttons[1].click()
    panel.answer_button.click()
    panel.reveal_button.click()
    assert answers == [("multiplechoice", COFFEE_OR_TEA.config, "Tea")]
    assert revealed == ["Tea"]
