"""From a record to a judgement: common rules, then the clause, then the verdict."""

from collections.abc import Sequence

import msgspec

from simulator.conformance import rules
from simulator.conformance.check import Check, Findings, Judgement, NothingToJudge, Verdict
from simulator.conformance.evidence import CHECK_STARTED, Evidence
from simulator.profile.facts import THRESHOLDS, Thresholds
from simulator.record.entries import Entry
from simulator.record.fields import text, value_at
from simulator.record.reader import Record


def judge(
    check: Check,
    mode: str | None,
    entries: Sequence[Entry],
    problems: Sequence[str] = (),
    limits: Thresholds = THRESHOLDS,
) -> Judgement:
    """Judge the entries of one run of `check` in `mode`. Pure: the same entries always give the same judgement.

    `problems` are what the reader found wrong with the file.
    """
    findings = Findings(Evidence(entries), limits)
    for problem in problems:
        findings.fault(f"The record is damaged. {problem}")
    if _is_of(check, mode, findings):
        rules.apply_all(findings)
        ended = _follow_clause(check, findings)
    else:
        findings.fault("The record is of another check.")
        ended = False
    verdict = _verdict(findings, ended)
    retry = verdict is Verdict.INCONCLUSIVE and findings.worth_retrying and not findings.hopeless
    return Judgement(
        verdict=verdict,
        reasons=[*findings.faults, *findings.failures, *findings.doubts],
        warnings=findings.warnings,
        measurements=findings.measurements,
        readings=findings.readings,
        broken=findings.broken,
        worth_retrying=retry,
    )


def judge_record(check: Check, mode: str | None, record: Record) -> Judgement:
    """Judge a record as it was read from its file, by the limits that it was made under."""
    try:
        limits = _limits_of(record)
    except msgspec.ValidationError as error:
        return judge(check, mode, record.entries, [*record.problems, f"It names limits that are none: {error}."])
    return judge(check, mode, record.entries, record.problems, limits)


def _limits_of(record: Record) -> Thresholds:
    """Return the limits of a loaded specification, which the record names; those of this program where it names none.

    A record that was changed to have others no longer has the hash that its report states.
    """
    started = Evidence(record.entries).noted(CHECK_STARTED)
    named = value_at(started, "thresholds") if started is not None else None
    return THRESHOLDS if named is None else msgspec.convert(named, Thresholds)


def _is_of(check: Check, mode: str | None, findings: Findings) -> bool:
    started = findings.evidence.noted(CHECK_STARTED)
    return started is not None and text(started, "check") == check.id and value_at(started, "turn_detection") == mode


def _follow_clause(check: Check, findings: Findings) -> bool:
    """Let the judge go through its clause; False where it stopped on the way."""
    try:
        check.judge(findings)
    except NothingToJudge:
        return False
    return True


def _verdict(findings: Findings, ended: bool) -> Verdict:
    if findings.faults:
        return Verdict.INCONCLUSIVE
    if findings.failures:
        return Verdict.FAILED
    return Verdict.PASSED if ended and not findings.doubts else Verdict.INCONCLUSIVE
