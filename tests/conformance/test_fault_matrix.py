"""Every clause of every check can be broken, and is noticed; nothing legal is minded.

Each fault, in one mode, meets the checks that must catch it and one that must not mind it; each oddity the checks that
it could fool; the clean engine all fifteen. `python3 dev.py bench faults` runs the whole matrix.
"""

import faulthandler
from typing import Final

import pytest

from simulator.conformance.check import Verdict
from simulator.conformance.report import Result
from simulator.conformance.rules import RULES
from simulator.engine.faults import FAULT, ODDITY, Fault, catalogue
from simulator.engine.faults.fields import LEFT_OUT
from simulator.profile.facts import CHECKS as NAMED
from simulator.profile.facts import REQUIRED_SERVER_FIELDS
from tests.conformance.fault_matrix import CHECKS, Cell, catches, cell, cells_of, run_cells

CATALOGUE: Final = catalogue()
FAULTS: Final = [each for each in CATALOGUE.values() if each.kind == FAULT]
ODDITIES: Final = [each for each in CATALOGUE.values() if each.kind == ODDITY]

BLINDING: Final = ("update_unanswered", "update_refused")
"""Without settings in force, the other checks have nothing to judge: none stays green."""
SPARED: Final = ("silent_tool", "cancel", "function_call", "turn_detection_fields", "handshake", "engine_turn")
"""The first of these that need not catch a fault must not mind it."""


def _met(fault: Fault) -> tuple[str, ...]:
    """The checks that a fault meets here: all that must catch it, and of the many omitted fields one each."""
    return fault.checks[-1:] if fault in LEFT_OUT else fault.checks


def _spared(fault: Fault) -> list[Cell]:
    return [cell(fault, check) for check in SPARED if check not in fault.checks][:1]


RED: Final = [cell(fault, check) for fault in FAULTS for check in _met(fault)]
GREEN: Final = [each for fault in FAULTS if fault.name not in BLINDING for each in _spared(fault)]
BLIND: Final = [cell(CATALOGUE[name], "silent_tool") for name in BLINDING]
ODD: Final = [cell(oddity, check) for oddity in ODDITIES for check in oddity.checks]
CLEAN: Final = cells_of(None)


@pytest.fixture(scope="module")
def results(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[Cell, Result]:
    """The results of the cells whose tests were selected, all run side by side before the first of them."""
    calls = [getattr(item, "callspec", None) for item in request.session.items if item.path == request.path]
    wanted = [call.params["case"] for call in calls if call is not None and "case" in call.params]
    faulthandler.cancel_dump_traceback_later()  # it would take the long wait of the first test for a hang
    return run_cells(wanted, tmp_path_factory.mktemp("matrix"))


pytestmark = pytest.mark.timeout(900)  # the first test waits for all


@pytest.mark.parametrize("case", RED, ids=str)
def test_a_fault_turns_its_checks_red_with_the_reason_that_names_the_clause(
    results: dict[Cell, Result], case: Cell
) -> None:
    assert catches(results[case], CATALOGUE[case.fault].clause), results[case]


@pytest.mark.parametrize("case", GREEN, ids=str)
def test_a_fault_leaves_another_check_green(results: dict[Cell, Result], case: Cell) -> None:
    assert (results[case].verdict, results[case].reasons) == (Verdict.PASSED, [])


@pytest.mark.parametrize("case", BLIND, ids=str)
def test_what_was_never_in_force_is_not_judged(results: dict[Cell, Result], case: Cell) -> None:
    assert results[case].verdict is Verdict.INCONCLUSIVE
    assert any("No session.update was ever acknowledged" in reason for reason in results[case].reasons)


@pytest.mark.parametrize("case", ODD, ids=str)
def test_an_oddity_turns_no_check(results: dict[Cell, Result], case: Cell) -> None:
    assert (results[case].verdict, results[case].reasons) == (Verdict.PASSED, [])


@pytest.mark.parametrize("case", CLEAN, ids=str)
def test_the_clean_engine_passes_without_a_word(results: dict[Cell, Result], case: Cell) -> None:
    assert (results[case].verdict, results[case].reasons, results[case].warnings) == (Verdict.PASSED, [], [])


def test_every_clause_of_every_check_has_a_fault() -> None:
    broken = {(check, fault.clause) for fault in FAULTS for check in fault.checks}
    own = {(check.id, clause.name) for check in CHECKS.values() for clause in check.clauses}
    assert own - broken == set()
    assert {clause.name for clause in RULES} - {clause for _, clause in broken} == set()


def test_every_fault_names_a_clause_of_each_of_its_checks() -> None:
    common = {clause.name for clause in RULES}
    for fault in FAULTS:
        assert fault.checks, fault.name
        for check in fault.checks:
            assert fault.clause in common | {clause.name for clause in CHECKS[check].clauses}, (fault.name, check)


def test_there_are_enough_faults_and_oddities_and_each_says_what_it_does() -> None:
    assert len(FAULTS) - len(LEFT_OUT) + 1 >= 40
    assert len(ODDITIES) >= 12
    for each in CATALOGUE.values():
        assert each.does.endswith("."), each.name
        assert set(each.checks) <= set(NAMED), each.name


def test_every_required_field_that_a_check_can_see_can_be_left_out() -> None:
    never_seen = {
        "conversation.item.input_audio_transcription.completed",
        "conversation.item.input_audio_transcription.failed",
        "error",
    }
    required = {
        f"no_{kind}.{name}"
        for kind, names in REQUIRED_SERVER_FIELDS.items()
        for name in names
        if kind not in never_seen
    }
    assert {fault.name for fault in LEFT_OUT} == required
