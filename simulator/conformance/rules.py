"""What holds in every check, whatever its clause: judged over the whole record, in one place.

- Every required event that is seen carries its required fields (serverEvents.required).
- No audio delta is longer than the profile allows, ends inside a sample, or is anything but base64.
- Every speech_started comes with speech: within the onset limit of an onset, and none in silence. Every utterance
  counts by its own onset, so that a second onset after a pause inside it excuses no late first one.
- What is not the engine's doing is never its failure: late sends, a lost connection, a clock that jumped, a program
  that was held up, a rate limit, an interrupted run. A close by the engine leaves the clause undecided, with its code
  and what came before.
- Events that nobody knows never fail anything.
"""

from bisect import bisect_right
from typing import Final

from simulator.conformance.check import Clause, Findings, label
from simulator.conformance.evidence import CLOCK_JUMPED, DRIVE_ENDED, HELD_UP
from simulator.conformance.timekeeping import LONGEST_HOLD_MS
from simulator.profile.facts import MAX_AUDIO_DELTA_MS
from simulator.record.entries import Direction, Entry
from simulator.record.fields import milliseconds, number, text, value_at
from simulator.record.rules.event import AUDIO_DELTA, broken_by, delta_ms

REQUIRED_FIELDS: Final = Clause("required fields", "Each required event that is seen carries its required fields.")
DELTA_LENGTH: Final = Clause("delta length", "No audio delta is longer than maxAudioDeltaMs.")
WHOLE_SAMPLES: Final = Clause("whole samples", "No audio delta ends inside a sample.")
BASE64_AUDIO: Final = Clause("base64 audio", "The audio of deltas is base64.")
ONSET_IN_TIME: Final = Clause("onset in time", "speech_started comes within maxOnsetDelayMs of the onset.")
SPEECH_ONLY: Final = Clause("speech only", "speech_started does not come before anybody has spoken.")

RULES: Final = (REQUIRED_FIELDS, DELTA_LENGTH, WHOLE_SAMPLES, BASE64_AUDIO, ONSET_IN_TIME, SPEECH_ONLY)
"""What holds in every check."""

LATEST_SEND_MS: Final = LONGEST_HOLD_MS
"""An append later than this is our fault: the engine then heard silence where there was speech."""

_LIMITS: Final = ("rate_limit", "insufficient_quota", "session_expired")
"""What codes and types of errors begin with that say nothing about how the engine behaves."""

_OF_EVENTS: Final = {each.name: each for each in (REQUIRED_FIELDS, DELTA_LENGTH, WHOLE_SAMPLES, BASE64_AUDIO)}
"""What an event breaks by itself is found by the rules that live sessions use too (record.rules.event)."""


def apply_all(findings: Findings) -> None:
    """State everything that the common rules find."""
    _other_faults(findings)
    _late_sends(findings)
    _single_events(findings)
    _speech_started(findings)


def _single_events(findings: Findings) -> None:
    longest: Entry | None = None
    for entry in findings.evidence.entries:
        for broken in broken_by(entry):
            findings.fail(_OF_EVENTS[broken.clause], f"{broken.what} ({label(entry)}).")
        if entry.type == AUDIO_DELTA and delta_ms(entry) > (0.0 if longest is None else delta_ms(longest)):
            longest = entry
    if longest is not None:
        findings.measure("longest audio delta", delta_ms(longest), "ms", limit=MAX_AUDIO_DELTA_MS, end=longest)


def _speech_started(findings: Findings) -> None:
    evidence, limit_ms = findings.evidence, findings.limits.max_onset_delay_ms
    first_onsets = _carriers(findings, [each.onset_sample for each in evidence.utterances])
    resumed = _carriers(findings, [sample for each in evidence.utterances for sample in each.resumed_samples])
    onsets = sorted([*first_onsets, *resumed], key=lambda entry: entry.t_ns)
    times = [entry.t_ns for entry in onsets]
    judged: set[int] = set()
    for started in evidence.all(Direction.RECEIVED, "input_audio_buffer.speech_started"):
        at = bisect_right(times, started.t_ns) - 1
        if at < 0:
            findings.fail(SPEECH_ONLY, f"speech_started came without speech ({label(started)}).")
            continue
        utterance = max((each for each in first_onsets if each.t_ns <= started.t_ns), key=lambda each: each.t_ns)
        onset = onsets[at] if utterance.seq in judged else utterance
        judged.add(utterance.seq)
        delay_ms = milliseconds(onset, started)
        if delay_ms > limit_ms:
            findings.fail(
                ONSET_IN_TIME,
                f"speech_started came {delay_ms:.0f} ms after the onset of speech, {limit_ms} at most "
                f"({label(onset)} to {label(started)}).",
            )


def _carriers(findings: Findings, samples: list[int]) -> list[Entry]:
    """Return the appends that carried these samples; what was never sent is left out."""
    found = (findings.evidence.carrier_of(sample) for sample in samples)
    return [entry for entry in found if entry is not None]


def _late_sends(findings: Findings) -> None:
    late_ms, entry = findings.evidence.latest_send_ms()
    if entry is None:
        return
    findings.measure("latest send", late_ms, "ms", limit=LATEST_SEND_MS, end=entry)
    if late_ms > LATEST_SEND_MS:
        findings.fault(
            f"This computer was busy: our audio left {late_ms:.0f} ms late, {LATEST_SEND_MS} at most ({label(entry)}).",
            retry=True,
        )


def _other_faults(findings: Findings) -> None:
    evidence = findings.evidence
    back = evidence.clock_went_back()
    if back is not None:
        findings.fault(f"The clock of this computer went back ({label(back)}).")
    _time_not_kept(findings)
    for entry in evidence.all(Direction.RECEIVED, "error"):
        _limit_reached(findings, entry, "error")
    for entry in evidence.all(Direction.RECEIVED, "response.done"):
        _limit_reached(findings, entry, "response", "status_details", "error")
    ended = evidence.noted(DRIVE_ENDED)
    for entry in evidence.all(Direction.NOTED, "problem"):
        findings.fault(text(entry, "sentence") or "The program itself failed.")
    closed = evidence.noted("connection.closed")
    if closed is not None and (ended is None or closed.seq < ended.seq):
        _closed_early(findings, closed)
    if ended is None:
        findings.fault("The record has no end: the run was cut off.")
    elif value_at(ended, "interrupted") is True:
        findings.fault("The run was interrupted.")


def _time_not_kept(findings: Findings) -> None:
    jumped = findings.evidence.noted(CLOCK_JUMPED)
    if jumped is not None:
        by_ms = number(jumped, "by_ms") or 0
        reason = f"The clock of this computer jumped by {by_ms:.0f} ms: it was set, or the computer slept"
        findings.fault(f"{reason} ({label(jumped)}).", retry=True)
    held = max(
        findings.evidence.all(Direction.NOTED, HELD_UP), key=lambda entry: number(entry, "ms") or 0, default=None
    )
    if held is not None:
        held_ms = number(held, "ms") or 0
        reason = f"This computer was busy: the program was held up for {held_ms:.0f} ms, {LONGEST_HOLD_MS} at most"
        findings.fault(f"{reason} ({label(held)}).", retry=True)


def _limit_reached(findings: Findings, entry: Entry, *way: str) -> None:
    names = (text(entry, *way, "code"), text(entry, *way, "type"))
    reached = next((name for name in names if name is not None and name.startswith(_LIMITS)), None)
    if reached is not None:
        findings.fault(f"The engine refused to go on with {reached} ({label(entry)}): wait, and check the account.")


def _closed_early(findings: Findings, closed: Entry) -> None:
    before = next(
        (entry for entry in reversed(findings.evidence.entries[: closed.seq]) if entry.direction is Direction.RECEIVED),
        None,
    )
    after = "before it sent anything" if before is None else f"after {before.type} ({label(before)})"
    code = value_at(closed, "code")
    match text(closed, "by"):
        case "engine":
            reason = text(closed, "reason")
            said = f" “{reason}”" if reason else ""
            findings.fault(f"The engine closed the connection with code {code}{said} {after}.")
        case _:
            findings.fault(f"The connection was lost {after}.", retry=True)
