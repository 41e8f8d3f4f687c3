"""The engine's responses, and how long the participant waited for them."""

from dataclasses import replace
from typing import Any

from simulator.record.entries import Direction, Entry
from simulator.record.fields import text
from simulator.record.measures.ledger import Growing, Ledger, Steps
from simulator.record.measures.objects import ResponseSpan
from simulator.record.measures.speech import Speech


class Responses:
    """Keeps the spans of responses."""

    def __init__(self, ledger: Ledger, speech: Speech) -> None:
        self._ledger = ledger
        self._speech = speech
        self.spans: Growing[ResponseSpan] = Growing()
        self._open: set[str] = set()
        self._own_requests: list[object] = []  # event_id of each response.create not answered yet
        self._commits: dict[str, Entry] = {}  # the end of turn that a response answers, until its first audio

    def steps(self) -> Steps:
        """Return what is done with which entry."""
        return {
            (Direction.RECEIVED, "response.created"): self._response_created,
            (Direction.RECEIVED, "error"): self._refused,
            (Direction.SENT, "response.create"): self._reply_requested,
        }

    def audio_came(self, entry: Entry) -> None:
        """Take an audio delta: the first one of a response that answers a turn ends a latency."""
        response_id = text(entry, "response_id")
        commit = self._commits.pop(response_id, None) if response_id is not None else None
        if commit is not None:
            self._ledger.latency("first_audio", "committed", "first audio delta", commit, entry)
            self._ledger.revision += 1

    def close(self, t_ns: int) -> None:
        """End what is open: the connection ended."""
        for response_id in self._open:
            response = self.spans.get(response_id)
            if response is not None:
                self.spans.put(response_id, replace(response, done_ns=t_ns))
        self._open.clear()

    def _reply_requested(self, entry: Entry) -> None:
        self._own_requests.append(entry.event.get("event_id"))

    def _refused(self, entry: Entry) -> None:
        error = entry.event.get("error")
        event_id = error.get("event_id") if isinstance(error, dict) else None
        if event_id is not None and event_id in self._own_requests:
            self._own_requests.remove(event_id)

    def _response_created(self, entry: Entry) -> None:
        response_id = text(entry, "response", "id") or f"response {entry.seq}"
        self.spans.add(response_id, ResponseSpan(response_id, entry.t_ns, None, None, None, entry.seq))
        self._open.add(response_id)
        if self._own_requests:
            del self._own_requests[0]  # asked for by us: it says nothing about the engine's end of turn
        else:
            stop, commit = self._speech.take_end()
            if stop is not None:
                self._ledger.latency("response_start", "speech_stopped", "response.created", stop, entry)
            if commit is not None:
                self._commits[response_id] = commit
        self._ledger.revision += 1

    def response_done(self, entry: Entry) -> None:
        """Take the end of a response."""
        response_id = text(entry, "response", "id")
        span = self.spans.get(response_id) if response_id is not None else None
        if response_id is None or span is None or span.done_ns is not None:
            return
        response: dict[str, Any] = entry.event["response"]
        details = response.get("status_details")
        reason = details.get("reason") if isinstance(details, dict) else None
        status = response.get("status")
        self.spans.put(
            response_id,
            replace(
                span,
                done_ns=entry.t_ns,
                status=status if isinstance(status, str) else None,
                reason=reason if isinstance(reason, str) else None,
            ),
        )
        self._open.discard(response_id)
        self._commits.pop(response_id, None)
        self._ledger.revision += 1
