"""Two sessions beside each other: settings, instructions, answers, latencies, barge-ins, and what was said.

Pure but for reading the records.
"""

import difflib
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

from simulator.record.entries import Entry
from simulator.record.figures import p95
from simulator.record.folder import SESSION, record_file
from simulator.record.measures import Turn
from simulator.record.measures.titles import TITLES, TRANSFER
from simulator.record.reader import stream
from simulator.record.session_facts import Answer, Facts, FactsCollector

_LEFT_OUT: Final = frozenset({"id", "object", "expires_at", "instructions"})
"""Fields of a session object that differ anyway, and the instructions, which have a place of their own."""

_LOOK_EVERY: Final = 500

Row = tuple[Turn | None, Turn | None]


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two sessions."""

    name: str
    facts: Facts
    turns: list[Turn]
    """What was said, typed and pushed; the operator's marks are left out."""
    settings: dict[str, Any]
    """What the session began with, flat: the path of each setting, e.g. ``asked.audio.input.turn_detection.type``."""


@dataclass(frozen=True, slots=True)
class AnswerPair:
    """The answers to one question; None: not answered. `number` counts the same question in the same part, from 1."""

    part: str | None
    component: str
    question: str
    number: int
    first: Answer | None
    second: Answer | None


@dataclass(frozen=True, slots=True)
class LatencyPair:
    """One latency's values in both sessions, in milliseconds and in the order in which they were measured."""

    name: str
    first_ms: list[float]
    second_ms: list[float]

    @property
    def medians_ms(self) -> tuple[float | None, float | None]:
        """The median of each; None: it was never measured."""
        return self._each(statistics.median)

    @property
    def p95s_ms(self) -> tuple[float | None, float | None]:
        """The 95th percentile of each, nearest rank; None: it was never measured."""
        return self._each(p95)

    @property
    def difference_ms(self) -> float | None:
        """By how much the second median is larger; None where one of them was never measured."""
        first, second = self.medians_ms
        return None if first is None or second is None else second - first

    def _each(self, figure: Callable[[list[float]], float]) -> tuple[float | None, float | None]:
        first, second = (figure(values) if values else None for values in (self.first_ms, self.second_ms))
        return first, second


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting that differs; None where a session has none, or where null was set.

    What one session lacks as a whole (a tool, say) is one setting: its fields, by their paths within it.
    """

    path: str
    first: Any
    second: Any


@dataclass(frozen=True, slots=True)
class Comparison:
    """The differences of two sessions, and what they have in common to read them by."""

    first: Side
    second: Side
    answers: list[AnswerPair]
    latencies: list[LatencyPair]
    barge_ins: tuple[int, int]
    settings: list[Setting]
    """Those that differ."""
    instructions: list[str]
    """A unified difference, a line each; empty: they are the same. The nth text of one against the nth of the other."""
    transcript: list[Row]
    """Turns beside each other: an exchange begins with the participant's turn, and equal ones are in one row."""


def compare(first: Path, second: Path, looked: Callable[[], None] | None = None) -> Comparison:
    """Compare two sessions, each given by its folder or .jsonl file. Raises UnreadableFile; reads both whole.

    `looked` is called again and again meanwhile: what it raises ends the reading.
    """
    return compare_sides(_read(first, looked), _read(second, looked))


def compare_sides(first: Side, second: Side) -> Comparison:
    """Compare two sessions that were read. Pure."""
    return Comparison(
        first,
        second,
        _answer_pairs(first.facts.answers, second.facts.answers),
        _latency_pairs(first.facts.latencies, second.facts.latencies),
        (first.facts.barge_ins, second.facts.barge_ins),
        _differing(first.settings, second.settings),
        list(instructions_difference(first, second)),
        _beside(first.turns, second.turns),
    )


def latencies_in_order(compared: Comparison) -> list[LatencyPair]:
    """Return the latencies in the order in which they are shown, then when the agent took the floor."""
    order = {name: place for place, name in enumerate(TITLES)}
    pairs = sorted(compared.latencies, key=lambda pair: order.get(pair.name, len(order)))
    transfers = LatencyPair(TRANSFER, compared.first.facts.transfers_ms, compared.second.facts.transfers_ms)
    return [*pairs, transfers] if transfers.first_ms or transfers.second_ms else pairs


def side(name: str, entries: Iterable[Entry], problems: list[str]) -> Side:
    """Return a session's side of a comparison; `problems` is read after the entries: what is wrong with the record."""
    collector = FactsCollector()
    for entry in entries:
        collector.feed(entry)
    turns = [turn for turn in collector.measures.turns if turn.who != "mark"]
    return Side(name, collector.facts(problems), turns, _settings(collector))


def instructions_difference(first: Side, second: Side) -> Iterator[str]:
    """Yield the unified difference of the instructions in lines."""
    pairs = zip_longest(first.facts.instructions, second.facts.instructions, fillvalue="")
    for number, (one, other) in enumerate(pairs, start=1):
        again = f", change {number - 1}" if number > 1 else ""
        names = (f"{first.name}: instructions{again}", f"{second.name}: instructions{again}")
        yield from difflib.unified_diff(one.splitlines(), other.splitlines(), *names, lineterm="")


def _read(path: Path, looked: Callable[[], None] | None) -> Side:
    path = record_file(path).absolute()
    problems: list[str] = []
    entries = _watched(stream(path, problems), looked)
    return side(path.parent.name if path.name == SESSION else path.stem, entries, problems)


def _watched(entries: Iterable[Entry], looked: Callable[[], None] | None) -> Iterator[Entry]:
    for number, entry in enumerate(entries):
        if looked is not None and number % _LOOK_EVERY == 0:
            looked()
        yield entry


def _answer_pairs(first: Iterable[Answer], second: Iterable[Answer]) -> list[AnswerPair]:
    sides = [_by_question(each) for each in (first, second)]
    keys = dict.fromkeys(key for each in sides for key in each)
    return [AnswerPair(*key, sides[0].get(key), sides[1].get(key)) for key in keys]


def _by_question(answers: Iterable[Answer]) -> dict[tuple[str | None, str, str, int], Answer]:
    seen: Counter[tuple[str | None, str, str]] = Counter()
    found = {}
    for answer in answers:
        key = (answer.part, answer.component, answer.question)
        seen[key] += 1
        found[*key, seen[key]] = answer
    return found


def _latency_pairs(first: Mapping[str, list[float]], second: Mapping[str, list[float]]) -> list[LatencyPair]:
    names = dict.fromkeys([*first, *second])
    return [LatencyPair(name, first.get(name, []), second.get(name, [])) for name in names]


def _settings(collector: FactsCollector) -> dict[str, Any]:
    told = {name: collector.started.get(name) for name in ("engine", "model", "specification", "thresholds", "faults")}
    found = dict(_flat("", {name: value for name, value in told.items() if value is not None}))
    for word, session in (("asked", collector.requested), ("taken", collector.accepted)):
        given = {name: value for name, value in (session or {}).items() if name not in _LEFT_OUT}
        found |= _flat(word, given)
    return found


def _flat(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield each value with its path. Objects in a list that have names (tools) are told apart by them."""
    if isinstance(value, list) and value and all(isinstance(each, dict) and "name" in each for each in value):
        value = {str(each["name"]): {name: field for name, field in each.items() if name != "name"} for each in value}
    if isinstance(value, dict) and value:
        for name, field in value.items():
            yield from _flat(f"{path}.{name}" if path else name, field)
    else:
        yield path, value


def _differing(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[Setting]:
    sides = (_as_wholes(first, _stems(second)), _as_wholes(second, _stems(first)))
    pairs = (Setting(path, *(each.get(path) for each in sides)) for path in dict.fromkeys([*sides[0], *sides[1]]))
    return [each for each in pairs if each.first != each.second]


def _stems(settings: Iterable[str]) -> set[str]:
    """Return the paths of settings and of all that they lie in."""
    return {".".join(parts[: end + 1]) for parts in (path.split(".") for path in settings) for end in range(len(parts))}


def _as_wholes(settings: Mapping[str, Any], others: set[str]) -> dict[str, Any]:
    """Return settings by path; those in something that the other session lacks together, under the path of that."""
    wholes: dict[str, Any] = {}
    for path, value in settings.items():
        parts = path.split(".")
        whole = next(
            (".".join(parts[:end]) for end in range(2, len(parts)) if ".".join(parts[:end]) not in others), path
        )
        if whole == path:
            wholes[path] = value
        else:
            wholes.setdefault(whole, {})[path.removeprefix(f"{whole}.")] = value
    return wholes


def _beside(first: list[Turn], second: list[Turn]) -> list[Row]:
    ours, theirs = _exchanges(first), _exchanges(second)
    matcher = difflib.SequenceMatcher(None, list(map(_key, ours)), list(map(_key, theirs)), autojunk=False)
    rows: list[Row] = []
    for _, from_one, to_one, from_other, to_other in matcher.get_opcodes():
        none: list[Turn] = []
        pairs = zip_longest(ours[from_one:to_one], theirs[from_other:to_other], fillvalue=none)
        for one, other in pairs:
            rows += zip_longest(one, other)
    return rows


def _exchanges(turns: list[Turn]) -> list[list[Turn]]:
    """Return the turns in groups: each begins with one that is not the agent's."""
    groups: list[list[Turn]] = []
    for turn in turns:
        if not groups or not turn.who.startswith("agent"):
            groups.append([])
        groups[-1].append(turn)
    return groups


def _key(exchange: list[Turn]) -> tuple[str, ...]:
    """Return by what exchanges are the same: who began, and with which words."""
    opening = exchange[0]
    if opening.who.startswith("agent"):
        return ("agent",)
    said = opening.text or opening.recognised or ""
    return (opening.who, *"".join(sign if sign.isalnum() else " " for sign in said.casefold()).split())
