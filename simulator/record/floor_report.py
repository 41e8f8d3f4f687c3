"""The measures of a record by both sources, and how far the two disagree."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Final

from simulator.errors import UnreadableFile, UnreadableRecording
from simulator.record.floor import Floor, Spurt, Transfer, floor
from simulator.record.floor_sources import Talk, Thresholds, not_listened_ms, talk_by_energy, talk_by_events
from simulator.record.folder import record_file
from simulator.record.integrity import alteration
from simulator.record.measures import SIMULATED
from simulator.record.reader import stream
from simulator.record.story import Story, collect
from simulator.units import NS_PER_MS

SAME_WITHIN_NS: Final = 1_000 * NS_PER_MS
"""What both sources found lies at most this far apart: an engine may count 300 ms before the onset as speech."""


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a measure, with both end points."""

    at_ns: int
    """By when it is found again in the other source: one of the end points."""
    from_ns: int
    to_ns: int
    ms: float
    kind: str = ""
    """Of what kind it is, where a measure has several: `gap` and `pause`, `to agent` and `to participant`."""


@dataclass(frozen=True, slots=True)
class Pair:
    """The same thing by both sources."""

    events: Value
    energy: Value

    @property
    def difference_ms(self) -> float:
        """How much larger it is by the energy."""
        return self.energy.ms - self.events.ms


@dataclass(frozen=True, slots=True)
class Compared:
    """One measure by both sources, in ms."""

    measure: str
    events: list[Value]
    energy: list[Value] | None
    """None where there is no audio."""
    pairs: list[Pair]
    """What both found, one a turn."""

    @property
    def median_difference_ms(self) -> float | None:
        """The median of the differences, signs kept; None where nothing was found by both."""
        return median(pair.difference_ms for pair in self.pairs) if self.pairs else None

    @property
    def largest_difference_ms(self) -> float | None:
        """The difference that is furthest from 0, its sign kept."""
        return max((pair.difference_ms for pair in self.pairs), key=abs, default=None)


@dataclass(frozen=True, slots=True)
class FloorReport:
    """What `measures` tells of a record."""

    events: Floor
    energy: Floor | None
    measures: list[Compared]
    thresholds: Thresholds
    not_listened_ms: float
    silent_stops: int = 0
    """The interruptions of which no barge-in stop is measured: there was no loudspeaker that could fall silent."""
    problems: list[str] = field(default_factory=list)
    """What the record lacks, a sentence each."""


def report(path: Path, thresholds: Thresholds | None = None) -> FloorReport:
    """Measure a record: its .jsonl file or its folder. Raises UnreadableFile."""
    thresholds = thresholds or Thresholds()
    problems: list[str] = []
    story = collect(stream(path, problems))
    if not story.entries:
        raise UnreadableFile(f"{record_file(path)} is empty: it holds no record.")
    by_energy: Talk | None = None
    try:
        by_energy = talk_by_energy(path, story, thresholds)
        problems += [by_energy.lack] if by_energy.lack else []
    except UnreadableRecording as error:
        problems.append(str(error))
    altered = alteration(path)
    problems += [altered] if altered is not None else []
    return compared(story, by_energy, thresholds, problems)


def compared(story: Story, by_energy: Talk | None, thresholds: Thresholds, problems: list[str]) -> FloorReport:
    """Return the measures of what a record tells, beside those of its audio."""
    by_events = talk_by_events(story)
    events = floor(by_events.participant, by_events.agent)
    energy = floor(by_energy.participant, by_energy.agent) if by_energy is not None else None
    found, found_by_energy = _values(events), _values(energy) if energy is not None else None
    found["barge-in stop"] = _stops(story, None)
    if by_energy is not None and found_by_energy is not None:
        found_by_energy["barge-in stop"] = _stops(story, by_energy.agent)
    rows = []
    for name, values in found.items():
        others = None if found_by_energy is None else found_by_energy[name]
        rows.append(Compared(name, values, others, _pairs(values, others or [])))
    unheard = sum(each.dac_source == SIMULATED for each in story.measures.barge_ins)
    return FloorReport(events, energy, rows, thresholds, not_listened_ms(story), unheard, problems)


def _values(measured: Floor) -> dict[str, list[Value]]:
    """Return each measure that has a value a turn, in the order of time."""
    to_agent = [_transfer(each) for each in measured.transfers if each.to == "agent"]
    to_participant = [_transfer(each) for each in measured.transfers if each.to == "participant"]
    return {
        "transfer to agent": to_agent,
        "transfer to participant": to_participant,
        "overlap at transfer": [
            Value(
                each.to_ns,
                each.to_ns,
                each.to_ns + round(each.overlap_ms * NS_PER_MS),
                each.overlap_ms,
                f"to {each.to}",
            )
            for each in measured.transfers
        ],
        "response latency": [_transfer(each) for each in measured.responses],
        "barge-in yield": [
            Value(each.started_ns, each.started_ns, each.silent_ns, each.yield_ms, "yielded")
            for each in measured.interruptions
            if each.silent_ns is not None and each.yield_ms is not None
        ],
        "silence": [
            Value(each.ended_ns, each.started_ns, each.ended_ns, each.length_ms, each.kind)
            for each in measured.silences
        ],
    }


def _transfer(transfer: Transfer) -> Value:
    return Value(transfer.to_ns, transfer.from_ns, transfer.to_ns, transfer.offset_ms)


def _stops(story: Story, agent: Sequence[Spurt] | None) -> list[Value]:
    """Return how long after speech_started was read the agent fell silent: by the notes, or in the audio.

    Where the loudspeaker was only simulated nothing was measured.
    """
    begins = [spurt.started_ns for spurt in agent or ()]
    stops = []
    for each in story.measures.barge_ins:
        if each.dac_source == SIMULATED:
            continue
        read_ns = each.received_ns
        if agent is None:
            silent_ns = each.cut_ns if each.last_sound_handed_ns is None else each.last_sound_handed_ns
        else:
            before = bisect_left(begins, read_ns)
            silent_ns = agent[before - 1].ended_ns if agent and before else read_ns
        # Sound that ended before speech_started came took no time to stop.
        silent_ns = max(silent_ns, read_ns)
        stops.append(Value(read_ns, read_ns, silent_ns, (silent_ns - read_ns) / NS_PER_MS))
    return stops


def _pairs(events: list[Value], energy: list[Value]) -> list[Pair]:
    """Return what was found by both: each with the nearest that is free."""
    times = [value.at_ns for value in energy]
    free = set(range(len(energy)))
    pairs = []
    for value in events:
        first = bisect_left(times, value.at_ns - SAME_WITHIN_NS)
        last = bisect_left(times, value.at_ns + SAME_WITHIN_NS + 1)
        near = min(
            (place for place in range(first, last) if place in free),
            key=lambda place: abs(times[place] - value.at_ns),
            default=None,
        )
        if near is not None:
            free.discard(near)
            pairs.append(Pair(value, energy[near]))
    return pairs
