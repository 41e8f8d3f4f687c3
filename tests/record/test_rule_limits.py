"""The rules of a live session keep the limits of the specification that its record names."""

from typing import Any

import pytest

from simulator.record.entries import Direction, Entry
from simulator.record.rules.live import LiveRules
from simulator.units import NS_PER_MS

OURS = {
    "maxOnsetDelayMs": 1000,
    "maxResponseStartMs": 5000,
    "maxCancelToDoneMs": 1500,
    "eventTimeoutMs": 15000,
    "noReplyWindowMs": 1500,
    "truncateAckTimeoutMs": 3000,
}


def unanswered_after(milliseconds: int, **started: Any) -> bool:
    """Whether a session.update is found unanswered so long after it was sent."""
    rules = LiveRules()
    rules.feed(Entry(0, 0, Direction.NOTED, "record.started", started))
    update = {"type": "session.update", "event_id": "e", "session": {"type": "realtime"}}
    rules.feed(Entry(1, 0, Direction.SENT, "session.update", update))
    return "update answered" in [broken.clause for broken in rules.tick(milliseconds * NS_PER_MS)]


def test_the_limits_of_a_loaded_specification_count() -> None:
    limits = {**OURS, "eventTimeoutMs": 400}
    assert not unanswered_after(400, thresholds=limits)
    assert unanswered_after(401, thresholds=limits)


@pytest.mark.parametrize("thresholds", [None, "long", {**OURS, "eventTimeoutMs": "400"}, [400], OURS])
def test_without_limits_or_with_none_that_can_be_read_the_programs_own_count(thresholds: Any) -> None:
    assert not unanswered_after(15_000, thresholds=thresholds)
    assert unanswered_after(15_001, thresholds=thresholds)
