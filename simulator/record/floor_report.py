"""The measures of a record by both sources, and how far the two disagree."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Final

from simulator.errors import UnreadableRecording
from simulator.record.floor import Floor, Spurt, floor
from simulator.record.floor_sources import Talk, Thresholds, not_listened_ms, talk_by_energy, talk_by_events
from simulator.record.measures import SIMULATED
from simulator.record.reader import stream
from simulator.record.story import Story, collect
from simulator.units import NS_PER_MS

SAME_WITHIN_NS: Final = 1_000 * NS_PER_MS
"""What both sources found lies at most this far apart: an engine may count 300 ms before the onset as speech."""

Values = list[tuple[int, float]]
"""When something was, in ns, and its value in ms; in the order of time."""


@dataclass(frozen=True, slots=True)
class Pair:
    """The same thing by both sources; `at_ns` is the events' time of it."""

    at_ns: int
    events_ms: float
    energy_ms: float

    @property
    def difference_ms(self) -> float:
        """How much larger it is by the energy."""
        return self.energy_ms - self.events_ms


@dataclass(frozen=True, slots=True)
class Compared:
    """One measure by both sources, in ms."""

    measure: str
    events: Values
    energy: Values | None
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
    problems: list[str] = field(default_factory=list)
    """What the record lacks, a sentence each."""


def report(path: Path, thresholds: Thresholds | None = None) -> FloorReport:
    """Measure a record: its .jsonl file or its folder. Raises UnreadableFile."""
    thresholds = thresholds or Thresholds()
    problems: list[str] = []
    story = collect(stream(path, problems))
    by_energy: Talk | None = None
    try:
        by_energy = talk_by_energy(path, story, thresholds)
    except UnreadableRecording as error:
        problems.append(str(error))
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
    return FloorReport(events, energy, rows, thresholds, not_listened_ms(story), problems)


def _values(measured: Floor) -> dict[str, Values]:
    """Return each measure that has a value a turn."""
    to_agent = [each for each in measured.transfers if each.to == "agent"]
    to_participant = [each for each in measured.transfers if each.to == "participant"]
    yields = [(each.started_ns, each.yield_ms) for each in measured.interruptions]
    return {
        "transfer to agent": [(each.to_ns, each.offset_ms) for each in to_agent],
        "transfer to participant": [(each.to_ns, each.offset_ms) for each in to_participant],
        "overlap at transfer": [(each.to_ns, each.overlap_ms) for each in measured.transfers],
        "response latency": [(each.to_ns, each.offset_ms) for each in measured.responses],
        "barge-in yield": [(at_ns, yield_ms) for at_ns, yield_ms in yields if yield_ms is not None],
        "silence": [(each.ended_ns, each.length_ms) for each in measured.silences],
    }


def _stops(story: Story, agent: Sequence[Spurt] | None) -> Values:
    """Return how long after speech_started was read the agent fell silent: by the notes, or in the audio.

    Where the loudspeaker was only simulated nothing was measured.
    """
    begins = [spurt.started_ns for spurt in agent or ()]
    stops: Values = []
    for each in story.measures.barge_ins:
        if each.dac_source == SIMULATED:
            continue
        if agent is None:
            silent_ns = each.cut_ns if each.last_sound_handed_ns is None else each.last_sound_handed_ns
        else:
            before = bisect_left(begins, each.received_ns)
            silent_ns = agent[before - 1].ended_ns if agent and before else each.received_ns
        # Sound that ended before speech_started came took no time to stop.
        stops.append((each.received_ns, max(0, silent_ns - each.received_ns) / NS_PER_MS))
    return stops


def _pairs(events: Values, energy: Values) -> list[Pair]:
    """Return what was found by both: each with the nearest that is free."""
    times = [at_ns for at_ns, _ in energy]
    free = set(range(len(energy)))
    pairs = []
    for at_ns, value_ms in events:
        first = bisect_left(times, at_ns - SAME_WITHIN_NS)
        last = bisect_left(times, at_ns + SAME_WITHIN_NS + 1)
        near = min(
            (place for place in range(first, last) if place in free),
            key=lambda place: abs(times[place] - at_ns),
            default=None,
        )
        if near is not None:
            free.discard(near)
            pairs.append(Pair(at_ns, value_ms, energy[near][1]))
    return pairs
