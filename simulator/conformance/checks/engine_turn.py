"""engine_turn: by the engine's own turn detection a spoken question becomes a turn and gets a complete spoken answer.

- speech_started arrives at the onset: 0 to maxOnsetDelayMs after the chunk that carried the onset was sent.
- Its audio_start_ms lies at the onset on the audio clock. Padding may put it earlier: more than the padding and
  some slack is worth a warning, more than maxOnsetDelayMs a failure. The silence before the speech is of random
  length, so that no constant can pass.
- committed, conversation.item.added and conversation.item.done carry the item_id of speech_started.
- The first audio comes within maxResponseStartMs of committed. (Semantic detection may wait for seconds before it
  commits; the time from the end of speech is reported beside it.)
- The answer is complete: status completed, at least `SHORTEST_ANSWER_MS` of audio, output_audio.done, a transcript that
  is not empty, and whole numbers of tokens in total, in and out.
"""

from typing import Final

from simulator.audio.recordings import Role
from simulator.conformance.check import Check, Clause, Findings, label
from simulator.conformance.choices import RESPONSE_START
from simulator.conformance.clauses import (
    AUDIO_START,
    COMMITTED,
    RESPONSE_ENDS,
    SAME_ITEM,
    SPEECH_NOTICED,
    acknowledged,
    audio_start_in_place,
    ended,
    padding_of,
    speech_noticed,
    spoken,
)
from simulator.conformance.driver import Driver, received
from simulator.conformance.evidence import Response
from simulator.record.entries import Direction, Entry
from simulator.record.fields import milliseconds, text, value_at, whole_number
from simulator.units import samples_to_ms

TURN_ADDED: Final = Clause("turn added", "conversation.item.added and .done carry the item_id of speech_started.")
ANSWER_BEGINS: Final = Clause("answer begins", "The first audio comes within maxResponseStartMs of committed.")
ANSWER_COMPLETED: Final = Clause("answer completed", "The answer ends as completed.")
ANSWER_AUDIBLE: Final = Clause("answer audible", "The answer holds at least half a second of audio.")
AUDIO_ENDED: Final = Clause("audio ended", "response.output_audio.done ends the audio of the answer.")
TRANSCRIPT: Final = Clause("transcript", "The answer has a transcript that is not empty.")
USAGE: Final = Clause("usage", "The answer's usage counts total, input and output tokens in whole numbers.")

SHORTEST_ANSWER_MS: Final = 500


async def drive(driver: Driver) -> None:
    """Ask a short question after a silence of random length, and wait for the whole answer."""
    await driver.open_session()
    driver.start_stream()
    await driver.silence(1_200, 3_200)
    question = await driver.say(Role.QUESTION)
    started = await driver.wait_for(received("input_audio_buffer.speech_started"), what="speech_started")
    await driver.until_sent(question.offset_sample)
    await driver.wait_for(received("input_audio_buffer.committed"), what="committed", since=started)
    created = await driver.wait_for(received("response.created"), what="response.created", since=started)
    await driver.until_done(created)


def judge(findings: Findings) -> None:
    """Follow the turn from its onset to the end of the answer."""
    session = acknowledged(findings)
    utterance, onset, offset = spoken(findings, Role.QUESTION)
    timeout_ms = findings.limits.event_timeout_ms
    evidence = findings.evidence

    started = speech_noticed(findings, onset)
    audio_start_in_place(findings, started, samples_to_ms(utterance.onset_sample), padding_of(session))

    committed = evidence.received("input_audio_buffer.committed", since=started)
    committed = findings.need(COMMITTED, committed, "committed", since=offset, within_ms=timeout_ms)
    findings.measure("end of speech to committed", milliseconds(offset, committed), "ms", start=offset, end=committed)
    _judge_item(findings, started, committed)

    # An engine may have begun its answer before it tells of the commit that led to it.
    response = evidence.response_after(started)
    created = None if response is None else response.created
    created = findings.need(ANSWER_BEGINS, created, "response.created", since=committed, within_ms=timeout_ms)
    assert response is not None
    first = response.deltas[0] if response.deltas else None
    limit_ms = findings.limits.max_response_start_ms
    first = findings.need(
        ANSWER_BEGINS, first, "audio of the answer", since=committed, within_ms=limit_ms, over=response.done
    )
    for name, start in (("committed", committed), ("end of speech", offset)):
        if name == RESPONSE_START.value:
            findings.at_most(ANSWER_BEGINS, f"{name} to first audio", start, first, limit_ms)
        else:
            findings.measure(f"{name} to first audio", milliseconds(start, first), "ms", start=start, end=first)
    _judge_answer(findings, response, first)


def _judge_item(findings: Findings, started: Entry, committed: Entry) -> None:
    item_id = text(started, "item_id")
    if text(committed, "item_id") != item_id:
        where = f"{label(started)}, {label(committed)}"
        findings.fail(SAME_ITEM, f"committed is for another item than speech_started ({where}).")
    for kind in ("conversation.item.added", "conversation.item.done"):
        entries = list(findings.evidence.all(Direction.RECEIVED, kind, since=started.seq))
        entry = next((each for each in entries if text(each, "item", "id") == item_id), None)
        if entry is None and entries and findings.evidence.noted("drive.ended") is not None:
            findings.fail(
                TURN_ADDED,
                f"No {kind} came for the item of speech_started; the next was for another ({label(entries[0])}).",
            )
        else:
            findings.need(TURN_ADDED, entry, f"{kind} for the turn", since=committed, within_ms=1_000)


def _judge_answer(findings: Findings, response: Response, first: Entry) -> None:
    done = ended(findings, response, first)
    findings.measure("answer", samples_to_ms(response.audio_samples), "ms", limit=SHORTEST_ANSWER_MS, end=done)
    if response.status != "completed":
        why = response.reason or response.failure
        findings.fail(ANSWER_COMPLETED, f"The answer ended as {response.status} {why} ({label(done)}).")
    if samples_to_ms(response.audio_samples) < SHORTEST_ANSWER_MS:
        findings.fail(
            ANSWER_AUDIBLE,
            f"The answer holds {samples_to_ms(response.audio_samples):.0f} ms of audio, {SHORTEST_ANSWER_MS} at least.",
        )
    if response.audio_done is None:
        findings.fail(AUDIO_ENDED, "The answer has no response.output_audio.done.")
    if not any((text(entry, "transcript") or "").strip() for entry in response.transcript_done):
        findings.fail(TRANSCRIPT, "The answer has no transcript: no response.output_audio_transcript.done with words.")
    for name in ("total_tokens", "input_tokens", "output_tokens"):
        if whole_number(done, "response", "usage", name) is None:
            found = value_at(done, "response", "usage", name)
            reason = f"response.usage.{name} of the answer is {found!r}, not a whole number ({label(done)})."
            findings.fail(USAGE, reason)


CHECK = Check(
    id="engine_turn",
    clause=(
        "Speech fires speech_started at its onset, becomes one committed turn, and gets a complete spoken answer "
        "with a transcript and usage."
    ),
    per_turn_detection=True,
    clauses=(
        *(SPEECH_NOTICED, AUDIO_START, COMMITTED, SAME_ITEM, TURN_ADDED, ANSWER_BEGINS, RESPONSE_ENDS),
        *(ANSWER_COMPLETED, ANSWER_AUDIBLE, AUDIO_ENDED, TRANSCRIPT, USAGE),
    ),
    drive=drive,
    judge=judge,
)
