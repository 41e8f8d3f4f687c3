"""The participant's speeches in the audio of a record: where each begins and ends.

Talk is what is loud, and a speech is talk with the pauses that belong to it. Pure, but for the audio that is read.
"""

import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from simulator.record.floor import spurts
from simulator.record.floor_sources import frame_squares, mean_square, runs_ns
from simulator.record.tracks import Samples
from simulator.units import NS_PER_MS

PAUSE_NS: Final = 1_000 * NS_PER_MS
"""A shorter pause lies within a speech."""
RECORDED_PAUSE_NS: Final = 3_000 * NS_PER_MS
"""So does a shorter one within a recording that was said, as what is in it was meant so."""
REACTION_NS: Final = 200 * NS_PER_MS
"""Nobody answers what he heard sooner than that."""

_LOUD_DBFS: Final = -45.0
"""The level from which a frame is talk, as in the measures of the floor …"""
_ABOVE_ROOM: Final = 10.0
"""… or so many times the power of the room, where that is noisier: 10 dB above it, but no higher than in the middle
between the room and the loudest talk …"""
_BELOW_LOUDEST: Final = 1 / 30
"""… or so much of the power of the loudest talk, where that is softer: 15 dB below it …"""
_SOFTEST_DBFS: Final = -60.0
"""… but no softer than this."""
_LEAST_RANGE: Final = 4.0
"""Where the loudest is no more than so many times the power of the quietest, it is all talk, or all room …"""
_SOFT_RANGE: Final = 16.0
"""… and where it is soft, a room has sounds of its own."""
_ROOM_SHARE: Final = 0.2
"""The quietest share of the frames is the room: nobody talks for longer than the rest."""
_LOUDEST_SHARE: Final = 0.999


class Span(NamedTuple):
    """From when to when, on the record's clock."""

    started_ns: int
    ended_ns: int


@dataclass(frozen=True, slots=True)
class Heard:
    """A reply as it was audible."""

    begun_ns: int
    ended_ns: int
    """When its last sound was over."""
    handed_ns: int
    """When its last sample was handed over, or it was cut: from then on others took it to be over."""
    cut: bool
    open: bool = False
    """It still sounded when the record ended."""


def loud(blocks: Iterable[Samples]) -> list[tuple[int, int]]:
    """Return from when to when the first channel is louder than the room, in ns from the first sample."""
    parts = [squares[:, 0].astype(np.float32) for squares in frame_squares(block[:, :1] for block in blocks)]
    squares = np.concatenate(parts) if parts else np.zeros(0, dtype=np.float32)
    if not len(squares):
        return []
    room, loudest = np.quantile(squares, [_ROOM_SHARE, _LOUDEST_SHARE], method="lower").astype(float)
    return runs_ns(squares >= _limit(room, loudest))


def _limit(room: float, loudest: float) -> float:
    """Return the mean square from which a frame is talk."""
    limit = mean_square(_LOUD_DBFS)
    if loudest > room * _SOFT_RANGE:
        limit = min(limit, max(mean_square(_SOFTEST_DBFS), loudest * _BELOW_LOUDEST))
    if loudest > room * _LEAST_RANGE:
        limit = max(limit, min(room * _ABOVE_ROOM, math.sqrt(room * loudest)))
    return limit


def speeches(
    talk: Iterable[tuple[int, int]],
    unheard: Sequence[Span],
    recordings: Sequence[Span],
    replies: Sequence[Heard],
) -> list[Span]:
    """Return the speeches in `talk`, in order, from their first loud frame to their last.

    `unheard` are the times at which nobody listened, in order. A pause ends a speech where it is long, where listening
    was off in it, where one recording ended and another began, and where a reply was heard to its end in it, so that
    the participant could answer. One that was cut took the pause for the end of the speech.
    """
    found: list[Span] = []
    for spurt in spurts(talk, unheard):
        if found and _belongs(Span(found[-1].ended_ns, spurt.started_ns), unheard, recordings, replies):
            found[-1] = Span(found[-1].started_ns, spurt.ended_ns)
        else:
            found.append(Span(spurt.started_ns, spurt.ended_ns))
    return found


def _belongs(pause: Span, unheard: Sequence[Span], recordings: Sequence[Span], replies: Sequence[Heard]) -> bool:
    """Whether a pause lies within a speech."""
    if any(_overlapping(pause, unheard)):
        return False
    said = list(_overlapping(pause, recordings))
    if len(said) == 1 and said[0].started_ns <= pause.started_ns and pause.ended_ns <= said[0].ended_ns:
        return pause.ended_ns - pause.started_ns < RECORDED_PAUSE_NS
    if any(pause.started_ns < each.started_ns < pause.ended_ns for each in said):
        return False
    if pause.ended_ns - pause.started_ns >= PAUSE_NS:
        return False
    latest_ns = pause.ended_ns - REACTION_NS
    return not any(not each.cut and pause.started_ns <= each.ended_ns <= latest_ns for each in replies)


def reacts_since_ns(speech: Span, recordings: Sequence[Span]) -> int:
    """Return up to when a reply may have begun that a speech can be a reaction to; a recording is started for it."""
    in_recording = any(_overlapping(Span(speech.started_ns, speech.started_ns + 1), recordings))
    return speech.started_ns - (0 if in_recording else REACTION_NS)


def _overlapping(span: Span, others: Sequence[Span]) -> Iterator[Span]:
    """Yield those of `others`, which are in order and free of overlaps, that share time with a span."""
    first = bisect_left(others, span.started_ns, key=lambda each: each.ended_ns)
    for other in others[first:]:
        if other.started_ns >= span.ended_ns:
            return
        if other.ended_ns > span.started_ns:
            yield other
