"""When a step begins, in its dialog and in the list."""

from typing import Any

import pytest

from simulator.study.steps import Say, Step, When
from ui.dialogs.step import StepDialog
from ui.models.deck_list import timing
from ui.theme import Theme


def _edited(theme: Theme, step: Step, **values: Any) -> tuple[StepDialog, list[Step]]:
    told: list[Step] = []
    dialog = StepDialog(theme, step, "Step")
    dialog.done_with.connect(told.append)
    dialog.timing.set_values(values)
    dialog.accept()
    return dialog, told


def test_seconds_into_a_reply_are_kept_and_told(theme: Theme) -> None:
    step = Step(Say(text="Wait!"), when=When.DURING_REPLY, after_s=2.5)
    _, told = _edited(theme, step)
    assert told == [step]
    assert timing(step) == "during +2.5 s"
    _, told = _edited(theme, step, when="after the agent's reply", after_s="0.5")
    assert [(each.when, each.after_s) for each in told] == [(When.AFTER_REPLY, 0.5)]
    _, told = _edited(theme, step, after_s="")
    assert told[0].after_s is None
    assert timing(told[0]) == "during"


def test_a_step_that_begins_at_once_has_none(theme: Theme) -> None:
    _, told = _edited(theme, Step(Say(text="Hi"), when=When.AFTER_REPLY, after_s=3), when="at once")
    assert [(each.when, each.after_s) for each in told] == [(When.NOW, None)]


@pytest.mark.parametrize("typed", ["soon", "-1", "601"])
def test_seconds_that_are_none_are_said(theme: Theme, typed: str) -> None:
    dialog, told = _edited(theme, Step(Say(text="Hi"), when=When.AFTER_REPLY), after_s=typed)
    assert told == []
    assert "Seconds of it" in dialog.message.text()
