"""The agent's exchanges in a record, and the moment of them from which each deed of the participant is timed. Pure.

An exchange is one reply, or several that nothing called for in between: no speech began, and no response was asked for.
A reply that began within a speech, or too shortly before it to be reacted to, and was over before the speech was, is
none: the agent took a pause for an end.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from simulator.record.replay.deeds import Anchor
from simulator.record.replay.speeches import Heard, Span, reacts_since_ns
from simulator.record.replay.walk import ONE_STOP_NS


class Moment(NamedTuple):
    """A moment of an exchange."""

    noticed_ns: int
    """From when on a deed may follow it."""
    at_ns: int
    """When it was heard: what a deed is timed from."""
    anchor: Anchor


BEGINNING: Final = Anchor()


class Moments:
    """The moments of all exchanges, from which deeds are timed."""

    def __init__(self, began_ns: int, exchanges: Sequence[Heard]) -> None:
        moments = [Moment(began_ns, began_ns, BEGINNING)]
        for number, each in enumerate(exchanges, 1):
            moments.append(Moment(each.begun_ns, each.begun_ns, Anchor("reply begins", number)))
            goes_on = number < len(exchanges) and each.handed_ns >= exchanges[number].begun_ns
            if not (each.open or goes_on):
                moments.append(Moment(each.handed_ns, each.ended_ns, Anchor("reply ends", number)))
        self._moments = sorted(moments, key=lambda each: each.noticed_ns)
        self._times = [each.noticed_ns for each in self._moments]

    def before(self, at_ns: int, *, stops_reply: bool = False) -> Moment:
        """Return the latest moment up to `at_ns`. What `stops_reply` is not timed from the end that it made."""
        latest = max(0, bisect_right(self._times, at_ns) - 1)
        while stops_reply and latest and self._is_end_at(latest, at_ns):
            latest -= 1
        return self._moments[latest]

    def _is_end_at(self, number: int, at_ns: int) -> bool:
        moment = self._moments[number]
        return moment.anchor.moment == "reply ends" and at_ns - moment.noticed_ns < ONE_STOP_NS


def exchanges(
    replies: Iterable[Heard], speeches: Sequence[Span], recordings: Sequence[Span], requests_ns: Iterable[int]
) -> list[Heard]:
    """Return the exchanges in order, each as if it was one reply; `requests_ns` are when responses were asked for."""
    reacted_ns = [reacts_since_ns(each, recordings) for each in speeches]
    calls = sorted([*(each.started_ns for each in speeches), *requests_ns])
    found: list[Heard] = []
    last_begun_ns = 0
    for reply in sorted(replies, key=lambda each: each.begun_ns):
        if _is_premature(reply, speeches, reacted_ns):
            continue
        if found and bisect_right(calls, last_begun_ns) == bisect_right(calls, reply.begun_ns):
            found[-1] = _joined(found[-1], reply)
        else:
            found.append(reply)
        last_begun_ns = reply.begun_ns
    return found


def _is_premature(reply: Heard, speeches: Sequence[Span], reacted_ns: Sequence[int]) -> bool:
    at = bisect_left(reacted_ns, reply.begun_ns) - 1
    return at >= 0 and not reply.open and reply.ended_ns < speeches[at].ended_ns


def _joined(first: Heard, second: Heard) -> Heard:
    last = max(first, second, key=lambda each: each.handed_ns)
    return Heard(
        first.begun_ns,
        max(first.ended_ns, second.ended_ns),
        last.handed_ns,
        last.cut,
        first.open or second.open,
    )
