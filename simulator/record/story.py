"""What a record tells: its measures, its answers and when each of the participant's turns was spoken."""

from array import array
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from simulator.record.entries import Direction, Entry, Track, clamped_ns
from simulator.record.fields import text, whole_number
from simulator.record.measures import Measures, SpeechSpan
from simulator.units import NS_PER_MS, NS_PER_S, SAMPLE_RATE_HZ, samples_to_ns

_LATEST_NOTICE_NS: Final = 5 * NS_PER_S
"""How long after speech began an engine may tell of it; where its positions say otherwise they count from elsewhere."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer, of the agent or the participant's own. Times are seconds; `asked_s` None: not known."""

    seq: int
    asked_s: float | None
    answered_s: float
    by: str
    fields: dict[str, Any]
    part: str


@dataclass(slots=True)
class Story:
    """What a record tells, collected from its entries in one pass."""

    started: dict[str, Any] = field(default_factory=dict)
    """The fields of its first entry."""
    measures: Measures = field(default_factory=Measures)
    answers: list[Answer] = field(default_factory=list)
    entries: int = 0
    last_ns: int = 0
    told_samples: dict[Track, int] = field(default_factory=dict)
    """How far the events say that each track reaches."""
    _part: str = ""
    _append_ends: "array[int]" = field(default_factory=partial(array, "q"))
    """For each append the sample behind it …"""
    _append_ns: "array[int]" = field(default_factory=partial(array, "q"))
    """… and when it was sent."""

    def feed(self, entry: Entry) -> None:
        """Take the next entry."""
        self.entries += 1
        self.last_ns = max(self.last_ns, clamped_ns(entry.t_ns))
        self.measures.feed(entry)
        if (span := entry.audio) is not None:
            told = span.first_sample + max(span.samples, 0)
            self.told_samples[span.track] = max(told, self.told_samples.get(span.track, 0))
        if entry.direction is Direction.SENT and entry.audio is not None:
            self._appended(entry)
        elif entry.direction is Direction.NOTED:
            self._noted(entry)

    def session_ns(self, sample: int) -> int | None:
        """Return when a sample of the sent audio was spoken; None where it was never sent."""
        at = bisect_right(self._append_ends, sample)
        if at >= len(self._append_ends) or sample < 0:
            return None
        return self._append_ns[at] - samples_to_ns(self._append_ends[at] - sample)

    def _appended(self, entry: Entry) -> None:
        span = entry.audio
        if span is None or span.track is not Track.PARTICIPANT or span.samples <= 0:
            return
        end, t_ns = span.first_sample + span.samples, clamped_ns(entry.t_ns)
        if not self._append_ends or end > self._append_ends[-1]:
            self._append_ends.append(end)
            self._append_ns.append(t_ns)

    def _noted(self, entry: Entry) -> None:
        match entry.type:
            case "record.started" if entry.seq == 0:
                self.started = entry.event
            case "part":
                self._part = text(entry, "name") or ""
            case "answer" | "own_answer":
                asked, answered = whole_number(entry, "asked_ns"), whole_number(entry, "answered_ns")
                own = entry.type == "own_answer"
                self.answers.append(
                    Answer(
                        entry.seq,
                        None if asked is None else seconds(asked),
                        seconds(entry.t_ns if answered is None else answered),
                        "participant" if own else text(entry, "by") or "agent",
                        entry.event,
                        self._part,
                    )
                )


def collect(entries: Iterable[Entry]) -> Story:
    """Return what the entries of a record tell."""
    story = Story()
    for entry in entries:
        story.feed(entry)
    return story


def seconds(t_ns: int) -> float:
    """Return a time of the record's clock in seconds, at microseconds; what no session reaches is clamped."""
    return round(clamped_ns(t_ns) / NS_PER_S, 6)


def speech_times(story: Story) -> dict[str, tuple[float, float]]:
    """Return when each of the participant's turns was spoken, by the item's name."""
    found = ((each.item_id, *spoken(story, each)) for each in story.measures.speech_spans)
    return {item_id: (seconds(start), seconds(end)) for item_id, start, end in found}


def spoken(story: Story, span: SpeechSpan) -> tuple[int, int]:
    """Return when a turn was spoken: by the engine's positions in the audio, or else by when it told of them."""
    stopped_ns = story.last_ns if span.stopped_ns is None else span.stopped_ns
    start = _position(story, span.audio_start_ms, span.started_ns)
    end = _position(story, span.audio_end_ms, stopped_ns)
    start_ns, end_ns = span.started_ns if start is None else start, stopped_ns if end is None else end
    return (start_ns, end_ns) if start_ns <= end_ns else (span.started_ns, stopped_ns)


def _position(story: Story, audio_ms: int | None, told_ns: int) -> int | None:
    if audio_ms is None:
        return None
    at_ns = story.session_ns(audio_ms * SAMPLE_RATE_HZ // 1000)
    # A position may be told of at once, and a few chunks are on their way.
    if at_ns is None or not told_ns - _LATEST_NOTICE_NS <= at_ns <= told_ns + 100 * NS_PER_MS:
        return None
    return at_ns


def started_at(story: Story) -> str | None:
    """Return the date and time of day when the record began, as it says."""
    value = story.started.get("started_at")
    return value if isinstance(value, str) else None
