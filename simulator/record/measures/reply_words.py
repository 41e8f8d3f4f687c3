"""The words of the agent's replies, as the engine told them: piece by piece, as a final text, or both.

The final text of a part corrects its pieces. It is no longer believed where the reply was interrupted: an engine
forgets the words of what it truncated, and its final text is then empty, or the end of the reply alone. What was told
stays.
"""

from dataclasses import dataclass
from typing import Any


@dataclass(slots=True)
class _Part:
    """One content part of an item: what its pieces say, its text, and the last final text that may correct it."""

    told: str = ""
    text: str = ""
    final: str = ""

    def goes_on(self, piece: str) -> None:
        self.told += piece
        self.text += piece
        self.final = ""  # it was none

    def corrected(self, final: str, *, interrupted: bool) -> None:
        if not final.strip():
            return
        if not interrupted:
            self.final = final
        if _covers(final, self.text) or not (interrupted or _is_part(final, self.text)):
            self.text = final

    def settled(self, *, completed: bool) -> None:
        if completed:
            self.text = self.final or self.text
        elif not _covers(self.text, self.told):
            self.text = self.told


class ReplyWords:
    """Keeps the words of each item; `text(item_id)` is what to believe by now. Nothing is said of unknown items."""

    def __init__(self) -> None:
        self._parts: dict[str, dict[int, _Part]] = {}
        self._interrupted: set[str] = set()
        self._items: dict[str, set[str]] = {}
        """The items of each response that is not done."""

    def text(self, item_id: str) -> str:
        """Return the words of an item, its parts in order."""
        parts = self._parts.get(item_id, {})
        if len(parts) == 1:
            return next(iter(parts.values())).text
        return " ".join(text for _, part in sorted(parts.items()) if (text := part.text.strip()))

    def told(self, item_id: str, part: int, piece: str, response_id: str | None) -> None:
        """Take a piece of a part's words."""
        self._part(item_id, part, response_id).goes_on(piece)

    def final(self, item_id: str, part: int, words: str, response_id: str | None) -> None:
        """Take the final text of a part."""
        self._part(item_id, part, response_id).corrected(words, interrupted=item_id in self._interrupted)

    def item(self, item: dict[str, Any], response_id: str | None) -> bool:
        """Take an item of the agent's as it ended, with the texts of its parts; return whether it has any.

        Of an item whose words are known, a part that nobody told is left out: it is another numbering of the same.
        """
        item_id, content = item.get("id"), item.get("content")
        if not isinstance(item_id, str) or item.get("role") != "assistant" or not isinstance(content, list):
            return False
        known, any_words = set(self._parts.get(item_id, ())), False
        for number, part in enumerate(content):
            words = part.get("transcript") if isinstance(part, dict) else None
            if isinstance(words, str) and words and (not known or number in known):
                self.final(item_id, number, words, response_id)
                any_words = True
        return any_words

    def interrupted(self, item_id: str) -> None:
        """Take that an item was cut or truncated: what the engine calls its text from now on may lack some of it."""
        self._interrupted.add(item_id)

    def done(self, response_id: str, *, completed: bool) -> list[str]:
        """Take the end of a response; return its items."""
        items = sorted(self._items.pop(response_id, ()))
        for item_id in items:
            for part in self._parts[item_id].values():
                part.settled(completed=completed)
        return items

    def _part(self, item_id: str, part: int, response_id: str | None) -> _Part:
        if response_id is not None:
            self._items.setdefault(response_id, set()).add(item_id)
        return self._parts.setdefault(item_id, {}).setdefault(part, _Part())


def _covers(words: str, others: str) -> bool:
    """Whether a text begins with all of another one; how they are spaced says nothing."""
    return " ".join(words.split()).startswith(" ".join(others.split()))


def _is_part(words: str, others: str) -> bool:
    return " ".join(words.split()) in " ".join(others.split())
