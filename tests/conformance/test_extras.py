"""settings_kept: what may and what may not change with the instructions."""

from typing import Any

import pytest

from simulator.conformance.check import Judgement, Verdict
from simulator.conformance.extras import discover
from simulator.conformance.extras.settings_kept import INSTRUCTIONS
from simulator.conformance.judging import judge
from simulator.conformance.suite import plan
from simulator.profile.facts import CHECKS
from tests.conformance.sheets import SESSION, Sheet, opened


def good() -> Sheet:
    sheet = opened("settings_kept", None)
    sheet.sent(6, "session.update", label="change", session={"instructions": INSTRUCTIONS}, event_id="change")
    sheet.received(7, "session.updated", label="changed", session={**SESSION, "instructions": INSTRUCTIONS})
    sheet.end(10)
    return sheet


def judged(sheet: Sheet) -> Judgement:
    return judge(discover()["settings_kept"], None, sheet.entries())


def test_extras_are_no_checks_of_the_suite() -> None:
    assert list(discover()) == ["settings_kept"]
    assert not set(discover()) & set(CHECKS)


def test_extras_run_where_everything_runs_or_they_are_named() -> None:
    assert plan()[-1].check.id == "settings_kept"
    assert [run.check.id for run in plan(["settings_kept"])] == ["settings_kept"]
    assert [run.check.id for run in plan(["handshake"])] == ["handshake"]


def test_nothing_else_changed() -> None:
    assert judged(good()).verdict is Verdict.PASSED


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({"audio": {"input": {"turn_detection": None}}}, "session.audio changed with the instructions"),
        ({"type": "transcription"}, "session.type changed with the instructions"),
        ({"instructions": "as before"}, "not those that were sent"),
    ],
)
def test_what_changed_is_named(changed: dict[str, Any], word: str) -> None:
    sheet = good()
    sheet.edit("changed", session={**SESSION, "instructions": INSTRUCTIONS, **changed})
    judgement = judged(sheet)
    assert judgement.verdict is Verdict.FAILED
    assert any(word in reason for reason in judgement.reasons), judgement.reasons
