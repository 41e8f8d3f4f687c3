"""Who speaks at a moment of a record, whether that is heard, and what went wrong last: what is to be read from afar."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from simulator.units import SAMPLE_RATE_HZ, ns_to_samples
from ui.models.entry_text import gist, long_clock
from ui.models.plain import line
from ui.record_view import RecordView

_LOUD: Final = 4
"""Of 128: −30 dBFS. Rooms are below that, voices in front of a microphone above."""
_PAUSE_SAMPLES: Final = SAMPLE_RATE_HZ * 3 // 10
"""Between two words nobody stops speaking."""
_BESIDE: Final = 4
"""So many spans before the last one that began may still go on."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Speaking:
    """What goes on at one moment."""

    participant: bool = False
    """The participant's voice is loud."""
    heard: bool = False
    """The engine says that he speaks."""
    agent: bool = False
    """The agent's voice leaves the loudspeaker."""
    replying: bool = False
    """A response is in progress."""
    listening: bool = True


def speaking_at(view: RecordView, t_ns: int) -> Speaking:
    """Return who speaks at a moment of a record, living or ended; in microseconds, however long the record is."""
    measures = view.measures
    end = ns_to_samples(t_ns)
    mins, maxs = view.lanes["participant"].query(max(0, end - _PAUSE_SAMPLES), end, 1)
    return Speaking(
        participant=max(int(maxs[0]), -int(mins[0])) >= _LOUD,
        heard=_goes_on(measures.speech_spans, t_ns, lambda span: (span.started_ns, span.stopped_ns)),
        agent=_goes_on(measures.heard, t_ns, lambda span: (span.started_ns, span.ended_ns)),
        replying=_goes_on(measures.responses, t_ns, lambda span: (span.created_ns, span.done_ns)),
        listening=not _goes_on(measures.listening_off, t_ns, lambda span: span),
    )


def problem_line(view: RecordView) -> str:
    """Return the last problem of a record with its time; empty without one."""
    last = view.last_problem
    if last is None or not view.problems:
        return ""
    return line(f"{long_clock(last.t_ns)}  {last.type}  {gist(last)}")


def _goes_on(spans: Sequence[T], t_ns: int, ends: Callable[[T], tuple[int, int | None]]) -> bool:
    """Return whether one of the spans, which lie in the order of their begins, holds this moment."""
    count = bisect_right(spans, t_ns, key=lambda span: ends(span)[0])
    latest = (ends(span)[1] for span in spans[max(0, count - _BESIDE) : count])
    return any(end_ns is None or end_ns > t_ns for end_ns in latest)
