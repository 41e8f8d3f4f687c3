"""Two reports beside each other."""

import msgspec

from simulator.conformance.compare import Comparison, compare, to_text
from simulator.conformance.report import Engine, Result
from tests.conformance.reports import FAILED, INCONCLUSIVE, PASSED, measured, report, result


def compared(before: list[Result], after: list[Result]) -> Comparison:
    return compare(report(*before), report(*after))


def test_equal_reports_differ_in_nothing() -> None:
    same = [result("handshake", measurements=[measured("a", 1)]), result("cancel", verdict=FAILED)]
    found = compared(same, same)
    assert (found.changes, found.notes, found.exit_code) == ([], [], 0)
    assert "No verdict changed." in to_text(found)
    assert "No measurement moved." in to_text(found)


def test_the_exit_code_says_whether_something_that_passed_was_lost() -> None:
    good, bad, open_ = (result("cancel", verdict=each) for each in (PASSED, FAILED, INCONCLUSIVE))
    assert compared([good], [bad]).exit_code == 1
    assert compared([good], [open_]).exit_code == 2
    assert compared([good, result("handshake")], [good]).exit_code == 2
    assert compared([bad], [good]).exit_code == 0
    assert compared([bad], [open_]).exit_code == 0
    assert compared([open_], [bad]).exit_code == 0
    assert compared([good], [good, bad]).exit_code == 1
    assert compared([good, result("handshake")], [open_, result("handshake", verdict=FAILED)]).exit_code == 1


def test_changes_name_the_check_the_mode_the_counts_and_the_reasons() -> None:
    before = [result("barge_in", "server_vad"), result("barge_in", "semantic_vad")]
    late = result("barge_in", "semantic_vad", FAILED, reasons=["Too late."], repeat=2)
    found = compared(before, [*before, result("barge_in", "server_vad", repeat=2), late, result("cancel")])
    changes = [(each.check, each.turn_detection, each.before, each.after) for each in found.changes]
    assert changes == [("barge_in", "semantic_vad", PASSED, FAILED), ("cancel", None, None, PASSED)]
    assert (found.changes[0].passed_before, found.changes[0].passed_after) == ("1 of 1", "1 of 2")
    assert found.changes[0].reasons == ["Too late."]
    text = to_text(found)
    assert "barge_in (semantic_vad)" in text
    assert "Too late." in text
    assert "not run" in text


def test_shifts_are_between_medians() -> None:
    before = [result("cancel", repeat=n, measurements=[measured("done", value)]) for n, value in ((1, 80), (2, 100))]
    after = [result("cancel", measurements=[measured("done", 140.5, threshold=1_500), measured("new", 1)])]
    (shift,) = compared(before, after).shifts
    assert (shift.name, shift.before, shift.after, shift.by, shift.threshold) == ("done", 90, 140.5, 50.5, 1_500)
    assert "done: 90 → 140.5 ms (+50.5)" in to_text(compared(before, after))


def test_what_makes_reports_hard_to_compare_is_told() -> None:
    one = report(result("cancel"), engine=Engine(name="a", url="ws://127.0.0.1:40001/v1", model="m"))
    two = report(result("cancel"), engine=Engine(name="a", url="ws://127.0.0.1:40002/v1", model="n"), suite_version=7)
    assert compare(one, two).notes == ["The model differs: m, then n.", "The suite version differs: 6, then 7."]
    assert msgspec.json.decode(msgspec.json.encode(compare(one, two)))["changes"] == []
