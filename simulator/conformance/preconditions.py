"""What several judges ask before their clause begins."""

from simulator.conformance.check import Findings
from simulator.conformance.evidence import Response, Utterance, text
from simulator.record.entries import Entry


def acknowledged(findings: Findings) -> Entry:
    """Return the answer to our session.update; without one nothing here can be judged."""
    _, answer = findings.evidence.update_and_answer()
    if answer is None:
        findings.doubt("No session.update was ever acknowledged, so the settings of this check were never in force.")
        raise findings.stop()
    return answer


def spoken(findings: Findings, name: str) -> tuple[Utterance, Entry, Entry]:
    """Return an utterance with the entries that sent its onset and its end; without them there was no speech."""
    evidence = findings.evidence
    for utterance in evidence.utterances:
        onset, offset = evidence.carrier_of(utterance.onset_sample), evidence.carrier_of(utterance.offset_sample)
        if utterance.name == name and onset is not None and offset is not None:
            return utterance, onset, offset
    findings.doubt(f"“{name}” was not spoken to its end.", retry=True)
    raise findings.stop()


def requested_reply(findings: Findings) -> tuple[Entry, Response]:
    """Return our first response.create and the response that the engine created for it."""
    evidence = findings.evidence
    request = evidence.sent("response.create")
    if request is None:
        findings.doubt("No reply was asked for.", retry=True)
        raise findings.stop()
    response = evidence.response_after(request)
    created = None if response is None else response.created
    findings.need(created, "response.created", since=request, within_ms=findings.limits.event_timeout_ms)
    assert response is not None
    return request, response


def unchanged_id(entry: Entry, item_id: str | None) -> bool:
    """Whether an event is about the item."""
    return item_id is not None and text(entry, "item_id") == item_id
