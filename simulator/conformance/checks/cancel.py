"""cancel: response.cancel ends the reply promptly, and no audio of it arrives afterwards.

- The cancel names the response, and is sent after at least `DELTAS` audio deltas of a long reply.
- response.done for it comes within maxCancelToDoneMs, as cancelled. A reply that was completed as the cancel crossed it
  proves nothing: tried again.
- After that no audio of it comes for noReplyWindowMs.
"""

from typing import Final

from simulator.conformance.check import Check, Findings
from simulator.conformance.clauses import (
    CUT_SHORT,
    REPLY_BEGINS,
    acknowledged,
    cancelled_in_time,
    no_audio_after,
    reply_to,
)
from simulator.conformance.driver import Driver, of_response, received
from simulator.record.fields import text

DELTAS: Final = 2


async def drive(driver: Driver) -> None:
    """Ask for a long reply, cancel it after its second delta, and watch what follows."""
    await driver.open_session()
    driver.start_stream()
    response_id, last = await driver.ask_for_long_reply()
    for _ in range(DELTAS):
        delta = received("response.output_audio.delta", response_id=response_id)
        last = await driver.wait_for(delta, what="audio of the reply", since=last)
    cancel = await driver.wire.send({"type": "response.cancel", "response_id": response_id})
    done = of_response("response.done", response_id)
    await driver.wait_for(done, what="response.done", since=cancel)
    await driver.watch(driver.limits.no_reply_window_ms, "audio after the cancelled reply")


def judge(findings: Findings) -> None:
    """Follow the reply from our cancel to the silence after it."""
    acknowledged(findings)
    evidence = findings.evidence
    response = reply_to(findings, evidence.sent("response.create"))
    cancel = evidence.sent("response.cancel")
    if cancel is None or text(cancel, "response_id") != response.response_id:
        findings.doubt("The reply was not cancelled, because it did not come so far.", retry=True)
        raise findings.stop()
    before = sum(entry.seq < cancel.seq for entry in response.deltas)
    findings.measure("deltas before the cancel", before, "", end=cancel)
    if before < DELTAS:
        findings.doubt(f"Only {before} deltas of the reply had come before the cancel.", retry=True)
    if response.done is not None and response.done.seq < cancel.seq:
        findings.doubt("The engine had finished its reply before it could be cancelled.", retry=True)
        raise findings.stop()
    done = cancelled_in_time(findings, response, cancel, "response.cancel")
    no_audio_after(findings, response, done)


CHECK = Check(
    id="cancel",
    clause="response.cancel ends the reply promptly as cancelled, and none of its audio arrives afterwards.",
    per_turn_detection=False,
    clauses=(REPLY_BEGINS, *CUT_SHORT),
    drive=drive,
    judge=judge,
)
