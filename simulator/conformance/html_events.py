"""The events of a record as rows of a page: bounded, folded where they repeat, and escaped.

Appended audio is left out, and runs of one kind of event are folded. What reasons and measurements name stays in.
"""

import re
from collections.abc import Iterable, Iterator
from html import escape
from itertools import groupby
from typing import Final

import msgspec

from simulator.conformance.plain_text import shortened, visible
from simulator.conformance.report import Result
from simulator.record.entries import Direction, Entry
from simulator.units import NS_PER_S

LONGEST_EVENT: Final = 1_200
"""Characters of an event's JSON; the record has the rest."""
FOLDED_FROM: Final = 4
"""So many events of one kind in a row become one line."""

_APPEND: Final = "input_audio_buffer.append"
_SIGNS: Final = {Direction.SENT: "→", Direction.RECEIVED: "←", Direction.NOTED: "·"}
_NAMED: Final = re.compile(r"\bevent (\d{1,9})\b")


def named_events(result: Result) -> set[int]:
    """Return the numbers of the events that a result names."""
    ends = (end for each in result.measurements for end in (each.start, each.end) if end is not None)
    texts = [*result.reasons, *result.warnings, *ends]
    return {int(number) for text in texts for number in _NAMED.findall(text)}


def anchor(run: str, seq: int) -> str:
    """Return the id of an event's row in the page."""
    return f"{run}-event-{seq}"


def linked(text: str, run: str, shown: set[int]) -> str:
    """Return escaped text in which the events that the page shows are links."""

    def link(match: re.Match[str]) -> str:
        seq = int(match.group(1))
        return f'<a href="#{anchor(run, seq)}">{match.group()}</a>' if seq in shown else match.group()

    return _NAMED.sub(link, escape(visible(text)))


def event_rows(entries: Iterable[Entry], run: str, named: set[int], limit_characters: int) -> tuple[str, set[int], int]:
    """Return the rows, the numbers of the events shown, and how many entries were left out for their length."""
    rows: list[str] = []
    shown: set[int] = set()
    room, left_out = limit_characters, 0
    for group in _groups(entries, named):
        row = _folded(group) if len(group) >= FOLDED_FROM else "".join(_row(entry, run) for entry in group)
        if len(row) > room and group[0].seq not in named:
            left_out += len(group)
            continue
        room -= len(row)
        rows.append(row)
        if len(group) < FOLDED_FROM:
            shown |= {entry.seq for entry in group}
    return "".join(rows), shown, left_out


def _groups(entries: Iterable[Entry], named: set[int]) -> Iterator[list[Entry]]:
    """Yield the entries to show, in runs of one kind; an entry that is named stands alone."""
    wanted = (entry for entry in entries if entry.type != _APPEND or entry.seq in named)
    alone = -1
    for _, found in groupby(
        wanted, key=lambda entry: (entry.direction, entry.type, entry.seq if entry.seq in named else alone)
    ):
        yield list(found)


def _row(entry: Entry, run: str) -> str:
    event = {name: value for name, value in entry.event.items() if name != "type"}
    text = msgspec.json.encode(event).decode() if event else ""
    for more in (entry.raw_text, entry.problem):
        text += f" {more}" if more else ""
    if entry.audio is not None:
        text += f" [{entry.audio.samples} samples of audio]"
    return _cells(anchor(run, entry.seq), str(entry.seq), entry, entry.type, text)


def _folded(group: list[Entry]) -> str:
    samples = sum(entry.audio.samples for entry in group if entry.audio is not None)
    text = f"events {group[0].seq} to {group[-1].seq}" + (f" [{samples} samples of audio]" if samples else "")
    return _cells("", str(group[0].seq), group[0], f"{len(group)} × {group[0].type}", text)


def _cells(row_id: str, number: str, entry: Entry, kind: str, text: str) -> str:
    opened = f'<tr id="{row_id}">' if row_id else "<tr>"
    kind, text = (escape(visible(shortened(each, length))) for each, length in ((kind, 120), (text, LONGEST_EVENT)))
    time = f"{entry.t_ns / NS_PER_S:.3f} s"
    return f"{opened}<td>{number}</td><td>{time}</td><td>{_SIGNS[entry.direction]} {kind}</td><td>{text}</td></tr>"
