"""Tables of events, turns, answers, latencies and measures as CSV by RFC 4180, in UTF-8.

A text that a spreadsheet would run as a formula gets an apostrophe in front. Times are seconds on the session's clock.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Final

import msgspec

from simulator.record.entries import Entry
from simulator.record.export.texts import no_formula
from simulator.record.export.tiers import plain
from simulator.record.fields import text
from simulator.record.floor_report import FloorReport
from simulator.record.story import Story, seconds, speech_times

EVENT_COLUMNS: Final = (
    *("seq", "t_s", "direction", "type", "item_id", "response_id", "event_id", "track", "first_sample", "samples"),
    *("size_bytes", "problem", "fields"),
)
TURN_COLUMNS: Final = (
    *("seq", "who", "item_id", "start_s", "end_s", "text", "heard_text", "heard_ms", "generated_ms"),
    *("recognised", "recogniser", "told_s"),
)
ANSWER_COLUMNS: Final = (
    *("seq", "part", "by", "component", "question", "value", "accepted", "attempts", "asked_s", "answered_s", "error"),
)
LATENCY_COLUMNS: Final = ("name", "from", "to", "value_ms", "from_seq", "to_seq")
MEASURE_COLUMNS: Final = ("measure", "source", "kind", "from_s", "to_s", "value_ms", "pair", "difference_ms")


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """Yield the lines of a table, the names of the columns first. None is an empty field."""
    for row in chain((columns,), rows):
        buffer = io.StringIO()
        csv.writer(buffer).writerow([cell(value) for value in row])
        yield buffer.getvalue()


def event_rows(entries: Iterable[Entry]) -> Iterator[Sequence[Any]]:
    """Yield a row for each entry; `fields` is the event as JSON."""
    for entry in entries:
        span = entry.audio
        yield (
            entry.seq,
            seconds(entry.t_ns),
            entry.direction.value,
            entry.type,
            text(entry, "item_id"),
            text(entry, "response_id") or text(entry, "response", "id"),
            text(entry, "event_id"),
            span.track.value if span else None,
            span.first_sample if span else None,
            span.samples if span else None,
            entry.size_bytes,
            entry.problem,
            msgspec.json.encode(entry.event).decode(),
        )


def turn_rows(story: Story) -> Iterator[Sequence[Any]]:
    """Yield a row for each paragraph of the transcript, in the order of their beginnings."""
    spoken = speech_times(story)
    heard = {each.item_id: each for each in story.measures.heard}
    for turn in story.measures.turns:
        start_s: float = seconds(turn.t_ns)
        end_s: float | None = None
        if turn.who == "participant" and turn.item_id in spoken:
            start_s, end_s = spoken[turn.item_id]
        elif (span := heard.get(turn.item_id)) is not None:
            start_s, end_s = seconds(span.started_ns), None if span.ended_ns is None else seconds(span.ended_ns)
        yield (
            *(turn.seq, turn.who, turn.item_id, start_s, end_s, turn.text, turn.heard_text),
            *(_rounded(turn.heard_ms), _rounded(turn.generated_ms), turn.recognised, turn.recogniser),
            seconds(turn.t_ns),
        )


def answer_rows(story: Story) -> Iterator[Sequence[Any]]:
    """Yield a row for each answer; a list or an object of values is JSON."""
    for answer in story.answers:
        fields = answer.fields
        value = fields.get("value")
        yield (
            answer.seq,
            answer.part,
            answer.by,
            plain(fields.get("component")),
            plain(fields.get("question")),
            msgspec.json.encode(value).decode() if isinstance(value, list | dict) else value,
            fields.get("accepted", True) is not False,
            fields.get("attempts"),
            answer.asked_s,
            answer.answered_s,
            fields.get("error"),
        )


def latency_rows(story: Story) -> Iterator[Sequence[Any]]:
    """Yield a row for each interval that was measured; `from_seq` and `to_seq` are the events at its ends."""
    for each in story.measures.latencies:
        yield each.name, each.from_label, each.to_label, _rounded(each.value_ms), each.from_seq, each.to_seq


def measure_rows(report: FloorReport) -> Iterator[Sequence[Any]]:
    """Yield a row for each value of docs/measures.md, by the events and by the energy.

    `pair` is equal for what both found of a measure; `difference_ms` (energy − events) stands in the row by the energy.
    """
    for measure in report.measures:
        pairs = [(number, pair) for number, pair in enumerate(measure.pairs, start=1)]
        by_events = {id(pair.events): (number, None) for number, pair in pairs}
        by_energy = {id(pair.energy): (number, _rounded(pair.difference_ms)) for number, pair in pairs}
        for source, values, paired in (("events", measure.events, by_events), ("energy", measure.energy, by_energy)):
            for value in values or ():
                ends = seconds(value.from_ns), seconds(value.to_ns)
                pair, difference_ms = paired.get(id(value), (None, None))
                yield measure.measure, source, value.kind, *ends, _rounded(value.ms), pair, difference_ms
    sources = [("events", report.events), *([("energy", report.energy)] if report.energy is not None else [])]
    for source, floor in sources:
        for each in floor.interruptions:
            if each.silent_ns is None:
                yield "barge-in yield", source, "talked on", seconds(each.started_ns), None, None, None, None
    for source, floor in sources:
        ends = seconds(floor.first_ns), seconds(floor.last_ns)
        others = zip(floor.shares.parts(), report.events.shares.parts(), strict=True)
        for pair, ((who, share_ms), (_, by_events_ms)) in enumerate(others, start=1):
            difference_ms = None if source == "events" else _rounded(share_ms - by_events_ms)
            yield "talk share", source, who, *ends, _rounded(share_ms), pair, difference_ms


def _rounded(value_ms: float | None) -> float | None:
    return None if value_ms is None else round(value_ms, 3)


def cell(value: Any) -> Any:
    """Return a value as it stands in a table: lists and objects as JSON, a text never as a formula."""
    if isinstance(value, list | dict):
        value = msgspec.json.encode(value).decode()
    if isinstance(value, str):
        return no_formula(value.replace("\0", " "))  # a lone NUL ends the field in some readers
    return value
