"""listening_pause: switching turn detection off in mid-speech and committing keeps what was said as that same turn.

- Long speech without a pause. About `OFF_AFTER_MS` after its speech_started nothing more is appended, turn detection
  is switched off, and once that is acknowledged the buffer is committed.
- Exactly one committed follows, for the item of that speech_started. An engine that had ended the turn by then is
  tried again.
- No response from switching off until noReplyWindowMs after committed.
- Turn detection on again, silence, speech: a new item, noticed at its onset, with audio_start_ms counted from the
  moment at which it was switched on (see choices.py).
"""

from typing import Final

from simulator.audio.recordings import Role
from simulator.conformance.check import Check, Clause, Findings, label
from simulator.conformance.clauses import COMMITTED, SAME_ITEM, accepted, acknowledged, begun, speech_noticed, update
from simulator.conformance.driver import Driver, received, refused
from simulator.conformance.pauses import (
    DETECTION_OFF,
    NEW_TURN,
    PAUSE,
    enough_before,
    judge_next_speech,
    nothing_appended,
    switch_on_and_speak,
)
from simulator.record.entries import Direction, Entry
from simulator.record.fields import milliseconds, text, value_at

COMMIT_ACCEPTED: Final = Clause("commit accepted", "The commit is not refused.")
ONE_COMMIT: Final = Clause("one commit", "The turn is committed once.")
NO_REPLY: Final = Clause("no reply in the pause", "No response is created while turn detection is off.")

OFF_AFTER_MS: Final = 1_000


async def drive(driver: Driver) -> None:
    """Speak, stop listening in mid-speech, commit, watch; then listen again and speak."""
    await driver.open_session()
    driver.start_stream()
    await driver.silence(5_000, 6_500)
    await driver.say(Role.MONOLOGUE)
    started = await driver.wait_for(received("input_audio_buffer.speech_started"), what="speech_started")
    await driver.watch(OFF_AFTER_MS, "speech before the pause")
    await driver.stop_stream()
    await driver.set_turn_detection(None)
    commit = await driver.wire.send({"type": "input_audio_buffer.commit"})
    committed = received("input_audio_buffer.committed")
    await driver.see(lambda entry: committed(entry) or refused(entry, commit), what="committed", since=started)
    await driver.watch(driver.limits.no_reply_window_ms, "a reply to the commit")
    await switch_on_and_speak(driver)


def judge(findings: Findings) -> None:
    """Follow the turn into the pause, and the next one out of it."""
    acknowledged(findings)
    _, onset = begun(findings, Role.MONOLOGUE)
    started = speech_noticed(findings, onset)
    item_id = text(started, "item_id")
    off, off_answer = update(findings, 1, "switches turn detection off")
    if value_at(off_answer, "session", "audio", "input", "turn_detection") is not None:
        findings.fail(DETECTION_OFF, f"Turn detection is still on after it was switched off ({label(off_answer)}).")
    enough_before(findings, off)
    _judge_turn_goes_on(findings, started, off)
    commit = findings.evidence.sent("input_audio_buffer.commit", since=off_answer)
    if commit is None:
        findings.doubt("Nothing was committed.", retry=True)
        raise findings.stop()
    on, on_answer = _switched_on(findings, commit)
    committed = _judge_commit(findings, commit, off, on, item_id)
    _judge_no_reply(findings, off, committed, on)
    nothing_appended(findings, off, on)
    judge_next_speech(findings, on, on_answer, item_id)


def _judge_turn_goes_on(findings: Findings, started: Entry, off: Entry) -> None:
    for kind in ("input_audio_buffer.speech_stopped", "input_audio_buffer.committed"):
        early = findings.evidence.received(kind, since=started)
        if early is not None and early.seq < off.seq:
            findings.doubt(f"The engine had ended the turn before the pause ({label(early)}).", retry=True)
            raise findings.stop()


def _switched_on(findings: Findings, commit: Entry) -> tuple[Entry, Entry]:
    """Return the update that switches on again; where the drive never came so far, what the commit lacked is judged."""
    if len(findings.evidence.updates) < 3:
        committed = findings.evidence.received("input_audio_buffer.committed", since=commit)
        timeout_ms = findings.limits.event_timeout_ms
        findings.need(COMMITTED, committed, "committed", since=commit, within_ms=timeout_ms)
    return update(findings, 2, "switches turn detection on again")


def _judge_commit(findings: Findings, commit: Entry, off: Entry, on: Entry, item_id: str | None) -> Entry:
    accepted(findings, COMMIT_ACCEPTED, commit, "the commit")
    kind = "input_audio_buffer.committed"
    all_committed = [
        entry for entry in findings.evidence.all(Direction.RECEIVED, kind, since=off.seq) if entry.seq < on.seq
    ]
    first = all_committed[0] if all_committed else None
    first = findings.need(COMMITTED, first, "committed", since=commit, within_ms=0)
    if len(all_committed) > 1:
        reason = f"The turn was committed {len(all_committed)} times ({label(all_committed[1])})."
        findings.fail(ONE_COMMIT, reason)
    if text(first, "item_id") != item_id:
        findings.fail(SAME_ITEM, f"committed is for another item than speech_started ({label(first)}).")
    findings.at_most(COMMITTED, "commit to committed", commit, first, findings.limits.event_timeout_ms)
    return first


def _judge_no_reply(findings: Findings, off: Entry, committed: Entry, on: Entry) -> None:
    window_ms = findings.limits.no_reply_window_ms
    reply = findings.evidence.received("response.created", since=off)
    if reply is not None and reply.seq < on.seq:
        findings.fail(NO_REPLY, f"A reply was started while turn detection was off ({label(reply)}).")
    elif milliseconds(committed, on) < window_ms:
        findings.doubt(f"Less than {window_ms} ms were watched after the commit.", retry=True)


CHECK = Check(
    id="listening_pause",
    clause=(
        "Turn detection switched off in mid-speech, then a commit: what was said stays that same turn and gets no "
        "reply. Switched on again, the next speech is a new turn, timed from there."
    ),
    per_turn_detection=True,
    clauses=(*PAUSE, COMMITTED, SAME_ITEM, COMMIT_ACCEPTED, ONE_COMMIT, NO_REPLY, NEW_TURN),
    drive=drive,
    judge=judge,
)
