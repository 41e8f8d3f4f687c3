"""Who has the floor: the measures of conversation research, from the times at which two people talk.

Pure: it takes spurts, wherever they come from (`floor_sources`), and docs/measures.md defines what it returns. All
times are nanoseconds on the record's clock, all lengths milliseconds.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from simulator.units import NS_PER_MS

Who = Literal["participant", "agent"]

JOINED_NS: Final = 200 * NS_PER_MS
"""A shorter pause lies within a spurt: stops of consonants are that long."""
SHORTEST_NS: Final = 50 * NS_PER_MS
"""A shorter sound is a click."""
YIELDS_WITHIN_NS: Final = 1_000 * NS_PER_MS
"""An agent that falls silent later than this after the participant did has not yielded."""


@dataclass(frozen=True, slots=True)
class Spurt:
    """A stretch of talk of one of the two, from its first sound to its last."""

    started_ns: int
    ended_ns: int


@dataclass(frozen=True, slots=True)
class Transfer:
    """The floor passed `to` one of them: the other's last sound was at `from_ns`, the new one's first at `to_ns`."""

    to: Who
    from_ns: int
    to_ns: int
    overlap_ms: float
    """For how long both talked at it."""

    @property
    def offset_ms(self) -> float:
        """The floor transfer offset: below 0 where the new speaker began before the other had ended."""
        return _ms(self.to_ns - self.from_ns)


@dataclass(frozen=True, slots=True)
class Interruption:
    """The participant began at `started_ns` while the agent talked, who fell silent at `silent_ns`; None: went on."""

    started_ns: int
    silent_ns: int | None

    @property
    def yield_ms(self) -> float | None:
        """From the participant's first sound to the agent's last."""
        return None if self.silent_ns is None else _ms(self.silent_ns - self.started_ns)


@dataclass(frozen=True, slots=True)
class Silence:
    """Nobody talked; a `gap` lies between two speakers, a `pause` within the talk of one."""

    started_ns: int
    ended_ns: int
    kind: Literal["gap", "pause"]

    @property
    def length_ms(self) -> float:
        """How long it was."""
        return _ms(self.ended_ns - self.started_ns)


@dataclass(frozen=True, slots=True)
class Shares:
    """How the time from the first sound to the last is shared out; the four add up to it."""

    participant_ms: float = 0.0
    """The participant alone."""
    agent_ms: float = 0.0
    """The agent alone."""
    both_ms: float = 0.0
    silence_ms: float = 0.0

    @property
    def total_ms(self) -> float:
        """The time that is shared out."""
        return sum(share_ms for _, share_ms in self.parts())

    def parts(self) -> tuple[tuple[str, float], ...]:
        """Return who talked and for how long."""
        return (
            ("participant", self.participant_ms),
            ("agent", self.agent_ms),
            ("both", self.both_ms),
            ("nobody", self.silence_ms),
        )


@dataclass(frozen=True, slots=True)
class Floor:
    """All that was measured of one conversation, in the order of time."""

    transfers: tuple[Transfer, ...]
    interruptions: tuple[Interruption, ...]
    silences: tuple[Silence, ...]
    shares: Shares
    first_ns: int = 0
    """The first sound of anybody …"""
    last_ns: int = 0
    """… and the last: the time that is shared out."""

    @property
    def responses(self) -> tuple[Transfer, ...]:
        """The transfers that are response latencies: the agent began after the participant had ended."""
        return tuple(each for each in self.transfers if each.to == "agent" and each.offset_ms >= 0)


def spurts(spans: Iterable[tuple[int, int]], without: Sequence[tuple[int, int]] = ()) -> list[Spurt]:
    """Return spans of sound as spurts: without some times, short pauses joined, clicks left out.

    `without` must be in order and free of overlaps.
    """
    joined: list[list[int]] = []
    for started_ns, ended_ns in _outside(sorted(spans), without):
        if joined and started_ns - joined[-1][1] < JOINED_NS:
            joined[-1][1] = max(joined[-1][1], ended_ns)
        else:
            joined.append([started_ns, ended_ns])
    return [Spurt(started_ns, ended_ns) for started_ns, ended_ns in joined if ended_ns - started_ns >= SHORTEST_NS]


def floor(participant: Sequence[Spurt], agent: Sequence[Spurt]) -> Floor:
    """Return the measures of a conversation; the spurts of each are in order and do not overlap."""
    order: list[tuple[Spurt, Who]] = [(each, "participant") for each in participant]
    order += [(each, "agent") for each in agent]
    order.sort(key=lambda each: each[0].started_ns)
    return Floor(
        tuple(_transfers(order)),
        tuple(_interruptions(participant, agent)),
        tuple(_silences(order)),
        _shares(participant, agent),
        min((each.started_ns for each, _ in order), default=0),
        max((each.ended_ns for each, _ in order), default=0),
    )


def _transfers(order: Sequence[tuple[Spurt, Who]]) -> Iterable[Transfer]:
    holder, end_ns = None, 0
    for spurt, who in order:
        if holder is None or who == holder:
            holder, end_ns = who, max(end_ns, spurt.ended_ns)
            continue
        yields = who == "participant" and end_ns <= spurt.ended_ns + YIELDS_WITHIN_NS
        if spurt.ended_ns > end_ns or yields:
            overlap_ns = min(end_ns, spurt.ended_ns) - spurt.started_ns
            yield Transfer(who, end_ns, spurt.started_ns, _ms(max(0, overlap_ns)))
            holder, end_ns = who, spurt.ended_ns


def _interruptions(participant: Sequence[Spurt], agent: Sequence[Spurt]) -> Iterable[Interruption]:
    talks = iter(agent)
    talk = next(talks, None)
    for spurt in participant:
        while talk is not None and talk.ended_ns <= spurt.started_ns:
            talk = next(talks, None)
        if talk is not None and talk.started_ns < spurt.started_ns:
            yields = talk.ended_ns <= spurt.ended_ns + YIELDS_WITHIN_NS
            yield Interruption(spurt.started_ns, talk.ended_ns if yields else None)


def _silences(order: Sequence[tuple[Spurt, Who]]) -> Iterable[Silence]:
    end_ns, last = None, None
    for spurt, who in order:
        if end_ns is not None and spurt.started_ns > end_ns:
            yield Silence(end_ns, spurt.started_ns, "pause" if who == last else "gap")
        if end_ns is None or spurt.ended_ns > end_ns:
            end_ns, last = spurt.ended_ns, who


def _shares(participant: Sequence[Spurt], agent: Sequence[Spurt]) -> Shares:
    changes = [(each.started_ns, 1, 0) for each in participant] + [(each.ended_ns, -1, 0) for each in participant]
    changes += [(each.started_ns, 0, 1) for each in agent] + [(each.ended_ns, 0, -1) for each in agent]
    changes.sort()
    talk_ns = {(True, False): 0, (False, True): 0, (True, True): 0, (False, False): 0}
    participant_talks, agent_talks = 0, 0
    for (at_ns, of_participant, of_agent), (next_ns, _, _) in pairwise(changes):
        participant_talks += of_participant
        agent_talks += of_agent
        talk_ns[participant_talks > 0, agent_talks > 0] += next_ns - at_ns
    return Shares(*map(_ms, talk_ns.values()))


def _outside(spans: Iterable[tuple[int, int]], without: Sequence[tuple[int, int]]) -> Iterable[tuple[int, int]]:
    """Yield what of the spans lies outside of the times in `without`; both are in order."""
    first = 0
    for started_ns, ended_ns in spans:
        while first < len(without) and without[first][1] <= started_ns:
            first += 1
        for off_ns, on_ns in without[first:]:
            if off_ns >= ended_ns:
                break
            if off_ns > started_ns:
                yield started_ns, off_ns
            started_ns = max(started_ns, on_ns)
        if ended_ns > started_ns:
            yield started_ns, ended_ns


def _ms(ns: int) -> float:
    return ns / NS_PER_MS
