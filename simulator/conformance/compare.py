"""What changed between two reports: verdicts a check and mode, and how far measurements moved."""

from collections.abc import Iterator
from itertools import groupby
from urllib.parse import urlsplit

import msgspec

from simulator.conformance.check import Verdict
from simulator.conformance.repeats import Cell, Repeats, summarise
from simulator.conformance.report import Report


class Change(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """One check in one mode: the verdict over all its runs; null where a report does not have it."""

    check: str
    turn_detection: str | None
    before: Verdict | None
    after: Verdict | None
    passed_before: str
    """n of N."""
    passed_after: str
    reasons: list[str]
    """Of the runs that did not pass, afterwards."""


class Shift(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """One measurement: its medians in both reports."""

    check: str
    turn_detection: str | None
    name: str
    unit: str
    threshold: int | float | None
    before: float
    after: float
    by: float


class Comparison(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Two reports beside each other. `notes` say what makes them hard to compare."""

    before: Verdict
    after: Verdict
    notes: list[str]
    changes: list[Change]
    shifts: list[Shift]

    @property
    def exit_code(self) -> int:
        """1 where something that passed now fails, 2 where something that passed cannot be judged any more, else 0."""
        lost = [change.after for change in self.changes if change.before is Verdict.PASSED]
        return 1 if Verdict.FAILED in lost else 2 if lost else 0


def compare(before: Report, after: Report) -> Comparison:
    """Return the cells whose verdict or share of passes changed, and every measurement that both reports hold."""
    old, new = _cells(before), _cells(after)
    keys = list(dict.fromkeys([*old, *new]))
    return Comparison(
        before=before.verdict,
        after=after.verdict,
        notes=list(_notes(before, after)),
        changes=[change for key in keys if (change := _change(key, old.get(key), new.get(key), after)) is not None],
        shifts=[shift for key in keys if key in old and key in new for shift in _shifts(old[key], new[key])],
    )


def to_text(comparison: Comparison) -> str:
    """Return the comparison for a terminal."""
    lines = [f"Verdict: {comparison.before.value}, then {comparison.after.value}.", *comparison.notes]
    lines += ["", "Verdicts that changed:"] if comparison.changes else ["", "No verdict changed."]
    for change in comparison.changes:
        before, after = (_said(each) for each in (change.before, change.after))
        counts = f"  ({change.passed_before}, then {change.passed_after} passed)"
        lines.append(f"  {_name(change.check, change.turn_detection):42} {before:12} → {after:12}{counts}")
        lines += [f"      {reason}" for reason in change.reasons]
    moved = [shift for shift in comparison.shifts if shift.by]
    lines += ["", "Measurements that moved (medians):"] if moved else ["", "No measurement moved."]
    for (check, mode), shifts in groupby(moved, key=lambda shift: (shift.check, shift.turn_detection)):
        lines.append(f"  {_name(check, mode)}")
        for shift in shifts:
            values = f"{shift.before:g} → {shift.after:g} {shift.unit}".rstrip()
            lines.append(f"      {shift.name}: {values} ({shift.by:+g})")
    return "\n".join(lines)


def _cells(report: Report) -> dict[Cell, Repeats]:
    return {(each.check, each.turn_detection): each for each in summarise(report.results)}


def _notes(before: Report, after: Report) -> Iterator[str]:
    facts = [
        ("engine", before.engine.name, after.engine.name),
        ("address", _address(before), _address(after)),
        ("model", before.engine.model, after.engine.model),
        ("suite version", str(before.suite_version), str(after.suite_version)),
        ("specification", before.spec_version, after.spec_version),
        ("limits", str(before.thresholds), str(after.thresholds)),
        ("specification file", before.spec_sha256, after.spec_sha256),
    ]
    for name, old, new in facts:
        if old != new:
            yield f"The {name} differs: {old or 'none'}, then {new or 'none'}."


def _address(report: Report) -> str:
    """Return the address; of a loopback one without its port, which is another each time an engine is started."""
    parts = urlsplit(report.engine.url)
    loopback = parts.hostname in ("127.0.0.1", "::1", "localhost")
    return f"{parts.scheme}://{parts.hostname}{parts.path}" if loopback else report.engine.url


def _change(key: Cell, old: Repeats | None, new: Repeats | None, after: Report) -> Change | None:
    if old is not None and new is not None:
        same_share = old.passed * new.runs == new.passed * old.runs
        if same_share and _verdict(old) is _verdict(new):
            return None
    runs = [result for result in after.results if (result.check, result.turn_detection) == key]
    reasons = [reason for run in runs if run.verdict is not Verdict.PASSED for reason in run.reasons]
    return Change(
        check=key[0],
        turn_detection=key[1],
        before=_verdict(old),
        after=_verdict(new),
        passed_before=_count(old),
        passed_after=_count(new),
        reasons=list(dict.fromkeys(reasons)),
    )


def _verdict(cell: Repeats | None) -> Verdict | None:
    if cell is None:
        return None
    return Verdict.FAILED if cell.failed else Verdict.INCONCLUSIVE if cell.inconclusive else Verdict.PASSED


def _count(cell: Repeats | None) -> str:
    return "0 of 0" if cell is None else f"{cell.passed} of {cell.runs}"


def _shifts(old: Repeats, new: Repeats) -> Iterator[Shift]:
    after = {(each.name, each.unit): each for each in new.spread}
    for each in old.spread:
        if (found := after.get((each.name, each.unit))) is not None:
            yield Shift(
                check=old.check,
                turn_detection=old.turn_detection,
                name=each.name,
                unit=each.unit,
                threshold=found.threshold,
                before=each.median,
                after=found.median,
                by=round(found.median - each.median, 1),
            )


def _said(verdict: Verdict | None) -> str:
    return "not run" if verdict is None else verdict.value


def _name(check: str, mode: str | None) -> str:
    return check if mode is None else f"{check} ({mode})"
