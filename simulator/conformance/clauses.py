"""Parts of clauses that several checks share. Each states what it finds, and ends the judge where nothing follows."""

from typing import Any, Final

from simulator.audio.recordings import Role
from simulator.conformance.check import Clause, Findings, label
from simulator.conformance.evidence import Answered, Response, Utterance
from simulator.record.entries import Direction, Entry
from simulator.record.fields import milliseconds, number, text, value_at

UPDATE_ANSWERED: Final = Clause("update answered", "session.updated answers our session.update, in time.")
SPEECH_NOTICED: Final = Clause("speech noticed", "Speech brings speech_started.")
AUDIO_START: Final = Clause("audio_start_ms in place", "audio_start_ms lies at the onset of speech.")
COMMITTED: Final = Clause("committed", "The turn is committed.")
SAME_ITEM: Final = Clause("turn keeps its item", "committed carries the item_id of speech_started.")
REPLY_BEGINS: Final = Clause("reply begins", "response.create brings response.created, and is not refused.")
RESPONSE_ENDS: Final = Clause("response ends", "response.done ends the response.")
CANCELLED_IN_TIME: Final = Clause("cancelled in time", "response.done comes within maxCancelToDoneMs.")
ENDS_AS_CANCELLED: Final = Clause("ends as cancelled", "The reply that was cut short ends as cancelled.")
NO_AUDIO_AFTERWARDS: Final = Clause("no audio afterwards", "No audio of the reply comes after its response.done.")
CALL_TOLD: Final = Clause("call told", "A call comes as response.function_call_arguments.done.")

CUT_SHORT: Final = (CANCELLED_IN_TIME, ENDS_AS_CANCELLED, NO_AUDIO_AFTERWARDS)
"""What holds of a reply that was cut short, by speech or by us."""

CROSSING_MS: Final = 250
"""A reply completed this soon after what should have ended it was over before the engine could act."""


def acknowledged(findings: Findings) -> Entry:
    """Return the answer to our first session.update; without one nothing here can be judged."""
    answer = findings.evidence.updates[0].answer if findings.evidence.updates else None
    if answer is None:
        findings.doubt("No session.update was ever acknowledged, so the settings of this check were never in force.")
        raise findings.stop()
    return answer


def update(findings: Findings, number_of_update: int, what: str) -> tuple[Entry, Entry]:
    """Return the n-th session.update (from 0), which `what` describes, with its answer."""
    updates = findings.evidence.updates
    if number_of_update >= len(updates):
        findings.doubt(f"The update that {what} was not sent.", retry=True)
        raise findings.stop()
    found: Answered = updates[number_of_update]
    accepted(findings, UPDATE_ANSWERED, found.sent, f"the update that {what}")
    timeout_ms = findings.limits.event_timeout_ms
    wanted = f"session.updated for the update that {what}"
    answer = findings.need(UPDATE_ANSWERED, found.answer, wanted, since=found.sent, within_ms=timeout_ms)
    return found.sent, answer


def accepted(findings: Findings, clause: Clause, request: Entry, what: str) -> None:
    """Fail and end the judge where an error of the engine names the event we sent."""
    refusal = findings.evidence.error_for(request)
    if refusal is not None:
        said = value_at(refusal, "error", "message")
        findings.fail(clause, f"The engine refused {what} ({label(refusal)}): {said}")
        raise findings.stop()


def begun(findings: Findings, role: Role) -> tuple[Utterance, Entry]:
    """Return the utterance of a role with the entry that sent its onset."""
    evidence = findings.evidence
    for utterance in evidence.utterances:
        onset = evidence.carrier_of(utterance.onset_sample)
        if utterance.role == role and onset is not None:
            return utterance, onset
    findings.doubt(f"The {_in_words(role)} was not spoken.", retry=True)
    raise findings.stop()


def spoken(findings: Findings, role: Role) -> tuple[Utterance, Entry, Entry]:
    """Return the utterance of a role with the entries that sent its onset and its end."""
    utterance, onset = begun(findings, role)
    offset = findings.evidence.carrier_of(utterance.offset_sample)
    if offset is None:
        findings.doubt(f"The {_in_words(role)} was not spoken to its end.", retry=True)
        raise findings.stop()
    return utterance, onset, offset


def speech_noticed(findings: Findings, onset: Entry) -> Entry:
    """Return the speech_started that an onset brought; that it came in time is judged by the common rules."""
    limit_ms = findings.limits.max_onset_delay_ms
    started = findings.evidence.received("input_audio_buffer.speech_started", since=onset)
    started = findings.need(SPEECH_NOTICED, started, "speech_started", since=onset, within_ms=limit_ms)
    delay_ms = milliseconds(onset, started)
    findings.measure("onset to speech_started", delay_ms, "ms", limit=limit_ms, start=onset, end=started)
    return started


def reply_to(findings: Findings, request: Entry | None) -> Response:
    """Return the response that the engine created for our response.create."""
    if request is None:
        findings.doubt("No reply was asked for.", retry=True)
        raise findings.stop()
    accepted(findings, REPLY_BEGINS, request, "response.create")
    response = findings.evidence.response_after(request)
    created = None if response is None else response.created
    timeout_ms = findings.limits.event_timeout_ms
    findings.need(REPLY_BEGINS, created, "response.created", since=request, within_ms=timeout_ms)
    assert response is not None
    return response


def ended(findings: Findings, response: Response, since: Entry) -> Entry:
    """Return the response.done of a response; the time limit begins anew with each of its events."""
    timeout_ms = findings.limits.event_timeout_ms
    last = max((since, *response.entries), key=lambda entry: entry.t_ns)
    return findings.need(RESPONSE_ENDS, response.done, "response.done", since=last, within_ms=timeout_ms)


def cancelled_in_time(findings: Findings, response: Response, cause: Entry, what: str) -> Entry:
    """Return the response.done that `cause`, named `what`, brought: in time, and as cancelled."""
    limit_ms = findings.limits.max_cancel_to_done_ms
    done = findings.need(
        CANCELLED_IN_TIME, response.done, f"response.done after {what}", since=cause, within_ms=limit_ms
    )
    if response.status == "completed" and milliseconds(cause, done) <= CROSSING_MS:
        findings.doubt(f"The engine had finished its reply just as {what} came.", retry=True)
        raise findings.stop()
    findings.at_most(CANCELLED_IN_TIME, f"{what} to response.done", cause, done, limit_ms)
    if response.status != "cancelled":
        reason = f"The reply ended as {response.status}, not as cancelled ({label(done)})."
        findings.fail(ENDS_AS_CANCELLED, reason)
    return done


def no_audio_after(findings: Findings, response: Response, done: Entry) -> None:
    """No audio of a response comes after its end, for as long as the suite watches."""
    window_ms = findings.limits.no_reply_window_ms
    late = [entry for entry in response.deltas if entry.seq > done.seq]
    if late:
        after_ms = milliseconds(done, late[0])
        findings.fail(
            NO_AUDIO_AFTERWARDS,
            f"Audio of the cancelled reply came {after_ms:.0f} ms after its response.done ({label(late[0])}).",
        )
    elif not findings.covers(done, window_ms):
        findings.doubt(f"The record ends less than {window_ms} ms after the reply was cancelled.", retry=True)


def audio_start_in_place(findings: Findings, started: Entry, onset_ms: float, padding_ms: float | None) -> None:
    """Hold audio_start_ms against the onset on an audio clock; padding may put it earlier."""
    audio_start_ms = number(started, "audio_start_ms")
    if audio_start_ms is None:
        raise findings.stop()  # the common rules named the field
    early_ms, limit_ms = onset_ms - audio_start_ms, findings.limits.max_onset_delay_ms
    findings.measure("audio_start_ms before the onset", early_ms, "ms", limit=limit_ms, end=started)
    where = f"audio_start_ms is {audio_start_ms:g}, and speech began at {onset_ms:.0f} ({label(started)})"
    padding_ms = DEFAULT_PADDING_MS if padding_ms is None else padding_ms
    if abs(early_ms) > limit_ms:
        findings.fail(AUDIO_START, f"{where}: more than {limit_ms} ms apart.")
    elif early_ms > padding_ms + PADDING_SLACK_MS:
        findings.warn(f"{where}: earlier than {padding_ms:g} ms of padding explain.")


DEFAULT_PADDING_MS: Final = 300
PADDING_SLACK_MS: Final = 200


def padding_of(answer: Entry) -> float | None:
    """Return the padding that the engine says it puts in front of speech."""
    return number(answer, "session", "audio", "input", "turn_detection", "prefix_padding_ms")


def calls_of(response: Response) -> dict[str, tuple[str | None, str | None]]:
    """Return the function calls of a response by call_id, with name and arguments, however they were told."""
    calls: dict[str, tuple[str | None, str | None]] = {}
    output = None if response.done is None else value_at(response.done, "response", "output")
    for item in output if isinstance(output, list) else []:
        if isinstance(item, dict) and item.get("type") == "function_call" and isinstance(item.get("call_id"), str):
            calls[item["call_id"]] = _text_or_none(item.get("name")), _text_or_none(item.get("arguments"))
    for entry in response.calls:
        call_id = text(entry, "call_id")
        if call_id is not None:
            calls[call_id] = text(entry, "name"), text(entry, "arguments")
    return calls


def has_output(response: Response) -> bool:
    """Whether a response brought anything: audio, a transcript, or items in its end."""
    output = None if response.done is None else value_at(response.done, "response", "output")
    said = any((text(entry, "transcript") or "").strip() for entry in response.transcript_done)
    return bool(response.audio_samples or said or (isinstance(output, list) and output))


def item_added(findings: Findings, since: Entry, **fields: Any) -> Entry | None:
    """Return the conversation.item.added whose item has these fields, after an entry."""
    for entry in findings.evidence.all(Direction.RECEIVED, "conversation.item.added", since=since.seq):
        if all(value_at(entry, "item", name) == value for name, value in fields.items()):
            return entry
    return None


def _in_words(role: Role) -> str:
    return role.value.replace("_", " ")


def _text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) else None
