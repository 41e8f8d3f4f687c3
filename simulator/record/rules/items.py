"""Rules of what we send into the conversation: truncations, function outputs and images are taken. Pure."""

from collections.abc import Iterator

from simulator.record.entries import Direction, Entry
from simulator.record.fields import dicts_at, milliseconds, number, text
from simulator.record.rules.conversation import Conversation
from simulator.record.rules.event import Broken
from simulator.units import NS_PER_MS


class ItemRules:
    """Feed every entry after the conversation took it."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._truncations: list[Entry] = []
        self._outputs: list[Entry] = []
        """Function outputs that did not come back yet."""

    def feed(self, entry: Entry) -> Iterator[Broken]:
        """Take an entry and yield what it breaks."""
        match entry.direction, entry.type:
            case Direction.SENT, "conversation.item.truncate":
                self._truncations.append(entry)
            case Direction.SENT, "conversation.item.create" if _is_output(entry):
                self._outputs.append(entry)
            case Direction.RECEIVED, "conversation.item.truncated":
                yield from self._truncated(entry)
            case Direction.RECEIVED, "conversation.item.added":
                call_id = text(entry, "item", "call_id")
                if call_id is not None and text(entry, "item", "type") == "function_call_output":
                    self._outputs = [each for each in self._outputs if text(each, "item", "call_id") != call_id]
            case Direction.RECEIVED, "error":
                yield from self._refused(entry)

    def tick(self, now_ns: int) -> Iterator[Broken]:
        """Time passed: yield what should have come by now."""
        limit_ms = self._conversation.limits.truncate_ack_timeout_ms
        for sent in _overdue(self._truncations, now_ns, limit_ms):
            yield Broken("truncation acknowledged", f"A truncation was not acknowledged in {limit_ms} ms", sent.seq)
        timeout_ms = self._conversation.limits.event_timeout_ms
        for sent in _overdue(self._outputs, now_ns, timeout_ms):
            what = f"No conversation.item.added came for a function output within {timeout_ms // 1000} s"
            yield Broken("output added", what, sent.seq)

    def _truncated(self, entry: Entry) -> Iterator[Broken]:
        item_id, limit_ms = text(entry, "item_id"), self._conversation.limits.truncate_ack_timeout_ms
        sent = next((each for each in self._truncations if text(each, "item_id") == item_id), None)
        if sent is None:
            if self._truncations:
                self._truncations.pop(0)
                what = "conversation.item.truncated is for another item than the truncation"
                yield Broken("truncated item", what, entry.seq)
            return
        self._truncations.remove(sent)
        took_ms = milliseconds(sent, entry)
        if took_ms > limit_ms:
            what = f"A truncation was acknowledged after {took_ms:.0f} ms, {limit_ms} at most"
            yield Broken("truncation acknowledged", what, entry.seq)
        wanted_ms, found_ms = number(sent, "audio_end_ms"), number(entry, "audio_end_ms")
        if found_ms is not None and found_ms != wanted_ms:
            what = f"Truncated at {wanted_ms} ms, but acknowledged at {found_ms:g}"
            yield Broken("truncated position", what, entry.seq)

    def _refused(self, entry: Entry) -> Iterator[Broken]:
        """A refused truncation is no violation: the engine may know best what it sent."""
        sent = self._conversation.refused
        if sent is None:
            return
        said = (text(entry, "error", "message") or "no reason").rstrip(".")
        if sent in self._truncations:
            self._truncations.remove(sent)
        elif sent in self._outputs:
            self._outputs.remove(sent)
            yield Broken("output accepted", f"The engine refused a function output: {said}", entry.seq)
        elif any(part.get("type") == "input_image" for part in dicts_at(sent, "item", "content")):
            yield Broken("image accepted", f"The engine refused an image: {said}", entry.seq)


def _is_output(entry: Entry) -> bool:
    return text(entry, "item", "type") == "function_call_output"


def _overdue(waiting: list[Entry], now_ns: int, limit_ms: int) -> list[Entry]:
    """Remove and return what has waited for longer than the limit."""
    late = [each for each in waiting if now_ns - each.t_ns > limit_ms * NS_PER_MS]
    for each in late:
        waiting.remove(each)
    return late
