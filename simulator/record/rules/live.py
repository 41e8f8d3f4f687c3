"""The rules over a session that goes on: each entry is taken once, in order, and gives what it shows to be broken.

A rule is found broken where that is certain: by what came, or by what had not come when its time was over. Events that
nobody knows break nothing. Pure: times are those of the entries.
"""

from collections.abc import Iterator
from typing import Protocol

from simulator.record.entries import Direction, Entry
from simulator.record.rules.conversation import Conversation
from simulator.record.rules.event import Broken, broken_by
from simulator.record.rules.items import ItemRules
from simulator.record.rules.onsets import OnsetRules
from simulator.record.rules.responses import ResponseRules
from simulator.record.rules.settings import SettingsRules
from simulator.record.rules.turns import TurnRules


class _Rules(Protocol):
    def feed(self, entry: Entry) -> Iterator[Broken]: ...
    def tick(self, now_ns: int) -> Iterator[Broken]: ...


class LiveRules:
    """Feed every entry, and tick some ten times a second."""

    def __init__(self) -> None:
        self._conversation = Conversation()
        self._rules: tuple[_Rules, ...] = tuple(
            make(self._conversation) for make in (SettingsRules, ResponseRules, TurnRules, ItemRules, OnsetRules)
        )

    def feed(self, entry: Entry) -> list[Broken]:
        """Take an entry and return what it shows to be broken."""
        found = [*_unreadable(entry), *broken_by(entry)]
        self._conversation.feed(entry)
        for rules in self._rules:
            found += rules.feed(entry)
        return found

    def tick(self, now_ns: int) -> list[Broken]:
        """Time passed: return what should have come by now (`now_ns` on the record's clock)."""
        return [broken for rules in self._rules for broken in rules.tick(now_ns)]


def _unreadable(entry: Entry) -> Iterator[Broken]:
    if entry.direction is Direction.RECEIVED and entry.type == "malformed":
        yield Broken("readable events", (entry.problem or "A frame cannot be read").rstrip("."), entry.seq)
