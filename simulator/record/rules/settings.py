"""Rules of settings and requests: they are answered in time, and what was asked for is what is shown. Pure."""

from collections.abc import Iterator
from typing import Final

from simulator.record.entries import Direction, Entry
from simulator.record.fields import contains, text, value_at
from simulator.record.rules.conversation import Conversation
from simulator.record.rules.event import Broken
from simulator.units import NS_PER_MS

_AUDIO: Final = ("session", "audio")
_DETECTION: Final = (*_AUDIO, "input", "turn_detection")


class SettingsRules:
    """Feed every entry after the conversation took it."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._blamed: set[int] = set()
        """Requests that were found unanswered."""

    def feed(self, entry: Entry) -> Iterator[Broken]:
        """Take an entry and yield what it breaks."""
        answered = self._conversation.answered
        if entry.direction is Direction.RECEIVED and answered is not None and "session" in entry.event:
            yield from _shown(answered, entry)
        refused = self._conversation.refused
        if refused is not None and refused.type == "session.update":
            said = (text(entry, "error", "message") or "no reason").rstrip(".")
            yield Broken("update answered", f"The engine refused our session.update: {said}", entry.seq)

    def tick(self, now_ns: int) -> Iterator[Broken]:
        """Time passed: yield what should have come by now."""
        limit_ms = self._conversation.limits.event_timeout_ms
        waiting = {"update answered": self._conversation.updates, "reply begins": self._conversation.creates}
        for clause, requests in waiting.items():
            for request in requests:
                if now_ns - request.t_ns > limit_ms * NS_PER_MS and request.seq not in self._blamed:
                    self._blamed.add(request.seq)
                    yield Broken(clause, f"{request.type} was not answered within {limit_ms // 1000} s", request.seq)


def _shown(update: Entry, answer: Entry) -> Iterator[Broken]:
    inner = value_at(update, *_DETECTION[:-1])
    if isinstance(inner, dict) and "turn_detection" in inner:
        requested, shown = inner["turn_detection"], value_at(answer, *_DETECTION)
        if requested is None and shown is not None:
            yield Broken("turn detection off", "Turn detection is still on after it was switched off", answer.seq)
        for name, value in requested.items() if isinstance(requested, dict) else ():
            found = shown.get(name) if isinstance(shown, dict) else None
            if not contains(value, found):
                what = f"turn_detection.{name} was asked for as {value!r} and is {found!r}"
                yield Broken("settings unchanged", what, answer.seq)
    for side in ("input", "output"):
        requested, shown = value_at(update, *_AUDIO, side, "format"), value_at(answer, *_AUDIO, side, "format")
        if requested is not None and not contains(requested, shown):
            yield Broken(f"{side} format", f"The {side}'s audio format is {shown!r}", answer.seq)
