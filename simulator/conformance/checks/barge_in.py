"""barge_in: speech while the engine is talking makes it stop by itself, and it grades what was heard.

- The precondition: at the onset of the interruption at least `PLAYED_MS` of the reply was played, and the reply is not
  over. An engine that had finished by then was not interrupted: tried again with a longer request, then inconclusive.
- speech_started arrives at the onset (common rules).
- response.done comes for that response as cancelled, within maxCancelToDoneMs of speech_started, without any
  response.cancel of ours. It may even come just before its speech_started. Deltas until then are counted and tolerated.
- After it no audio of that response comes for noReplyWindowMs. The engine's own reply to the interruption is another
  response.
- The item being heard is truncated at what was played, at most what was received: conversation.item.truncated follows
  within truncateAckTimeoutMs for the same item at the same audio_end_ms.
"""

from typing import Final

from simulator.audio.recordings import Role
from simulator.conformance.check import Check, Clause, Findings, label
from simulator.conformance.clauses import (
    CUT_SHORT,
    REPLY_BEGINS,
    SPEECH_NOTICED,
    accepted,
    acknowledged,
    cancelled_in_time,
    no_audio_after,
    reply_to,
    speech_noticed,
    spoken,
)
from simulator.conformance.driver import Driver, of_response, received
from simulator.conformance.evidence import Response
from simulator.record.entries import Direction, Entry
from simulator.record.fields import number, text

TRUNCATION_ACCEPTED: Final = Clause("truncation accepted", "The truncation is not refused.")
TRUNCATION_ACKNOWLEDGED: Final = Clause("truncation acknowledged", "truncated comes within truncateAckTimeoutMs.")
TRUNCATED_ITEM: Final = Clause("truncated item", "truncated is for the item that was truncated.")
TRUNCATED_POSITION: Final = Clause("truncated position", "truncated is at the very audio_end_ms that was sent.")

PLAYED_MS: Final = 1_000


async def drive(driver: Driver) -> None:
    """Ask for a long reply, interrupt it, truncate it where it was heard, and watch what follows."""
    await driver.open_session()
    driver.start_stream()
    response_id, created = await driver.ask_for_long_reply()
    await driver.until_played(response_id, PLAYED_MS)
    interruption = await driver.say(Role.INTERRUPTION)
    started = await driver.wait_for(received("input_audio_buffer.speech_started"), what="speech_started", since=created)
    heard = driver.heard(response_id, started)
    done = await driver.see(
        of_response("response.done", response_id),
        what="response.done",
        since=created,
        timeout_ms=2 * driver.limits.max_cancel_to_done_ms,
    )
    if heard is not None:
        item_id, audio_end_ms = heard
        truncate = {"item_id": item_id, "content_index": 0, "audio_end_ms": audio_end_ms}
        sent = await driver.wire.send({"type": "conversation.item.truncate", **truncate})
        truncated = received("conversation.item.truncated", item_id=item_id)
        ack_ms = driver.limits.truncate_ack_timeout_ms
        await driver.see(truncated, what="conversation.item.truncated", since=sent, timeout_ms=ack_ms)
    if done is not None:
        await driver.watch(driver.limits.no_reply_window_ms, "audio after the cancelled reply")
    await driver.until_sent(interruption.offset_sample)


def judge(findings: Findings) -> None:
    """Follow the interruption from its onset to the acknowledged truncation."""
    acknowledged(findings)
    evidence = findings.evidence
    response = reply_to(findings, evidence.sent("response.create"))
    _, onset, _ = spoken(findings, Role.INTERRUPTION)
    _judge_precondition(findings, response, onset)
    started = speech_noticed(findings, onset)
    own = evidence.sent("response.cancel")
    if own is not None:
        findings.fault(f"We cancelled the reply ourselves ({label(own)}).")
    done = cancelled_in_time(findings, response, started, "speech_started")
    if response.status == "cancelled" and response.reason != "turn_detected":
        findings.warn(f"The reason of the cancelled reply is {response.reason!r}, not 'turn_detected' ({label(done)}).")
    between = sum(started.seq < entry.seq < done.seq for entry in response.deltas)
    findings.measure("deltas between speech_started and response.done", between, "", start=started, end=done)
    no_audio_after(findings, response, done)
    _judge_truncation(findings, started)


def _judge_precondition(findings: Findings, response: Response, onset: Entry) -> None:
    played_ms = findings.evidence.playback.played_ms(response.response_id, onset.t_ns)
    findings.measure("played before the interruption", played_ms, "ms", end=onset)
    if response.done is not None and response.done.seq < onset.seq:
        findings.doubt("The engine had finished its reply before it could be interrupted.", retry=True)
        raise findings.stop()
    if played_ms < PLAYED_MS:
        findings.doubt(f"Only {played_ms:.0f} ms of the reply was played before the interruption.", retry=True)
        raise findings.stop()


def _judge_truncation(findings: Findings, started: Entry) -> None:
    evidence = findings.evidence
    sent = evidence.sent("conversation.item.truncate", since=started)
    if sent is None:
        findings.doubt("No truncation was sent.", retry=True)
        raise findings.stop()
    item_id, audio_end_ms = text(sent, "item_id"), number(sent, "audio_end_ms")
    accepted(findings, TRUNCATION_ACCEPTED, sent, "the truncation")
    limit_ms = findings.limits.truncate_ack_timeout_ms
    answers = list(evidence.all(Direction.RECEIVED, "conversation.item.truncated", since=sent.seq))
    answer = next((entry for entry in answers if text(entry, "item_id") == item_id), None)
    if answer is None and answers:
        reason = f"conversation.item.truncated is for another item than the truncation ({label(answers[0])})."
        findings.fail(TRUNCATED_ITEM, reason)
        raise findings.stop()
    kind = "conversation.item.truncated"
    answer = findings.need(TRUNCATION_ACKNOWLEDGED, answer, kind, since=sent, within_ms=limit_ms)
    findings.at_most(TRUNCATION_ACKNOWLEDGED, "truncate to its acknowledgement", sent, answer, limit_ms)
    graded_ms = number(answer, "audio_end_ms")
    if graded_ms is not None and audio_end_ms is not None:
        apart_ms = graded_ms - audio_end_ms
        findings.measure("graded position against the request", apart_ms, "ms", start=sent, end=answer)
    if graded_ms != audio_end_ms:
        reason = f"Truncated at {audio_end_ms} ms, but acknowledged at {graded_ms} ({label(answer)})."
        findings.fail(TRUNCATED_POSITION, reason)


CHECK = Check(
    id="barge_in",
    clause=(
        "Speech over the engine's reply fires speech_started; the engine then cancels that reply by itself, sends no "
        "more of its audio, and acknowledges the truncation of what was heard."
    ),
    per_turn_detection=True,
    clauses=(
        *(REPLY_BEGINS, SPEECH_NOTICED, *CUT_SHORT),
        *(TRUNCATION_ACCEPTED, TRUNCATION_ACKNOWLEDGED, TRUNCATED_ITEM, TRUNCATED_POSITION),
    ),
    drive=drive,
    judge=judge,
)
