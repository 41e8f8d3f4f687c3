"""Reading fields of events, whatever an engine put there."""

from typing import Any

import pytest

from simulator.record.entries import Direction, Entry
from simulator.record.fields import number, whole_number


def _entry(value: Any) -> Entry:
    return Entry(0, 0, Direction.RECEIVED, "input_audio_buffer.speech_started", {"audio_start_ms": value})


@pytest.mark.parametrize("value", [True, None, "12", [], {}, 10**400, -(10**400)])
def test_what_is_no_number_to_reckon_with_is_none(value: Any) -> None:
    assert number(_entry(value), "audio_start_ms") is None
    assert whole_number(_entry(value), "audio_start_ms") is None


def test_numbers_are_given_as_they_are() -> None:
    assert number(_entry(-1.5), "audio_start_ms") == -1.5
    assert number(_entry(10**300), "audio_start_ms") == 10**300
    assert whole_number(_entry(12.0), "audio_start_ms") == 12
    assert whole_number(_entry(12.5), "audio_start_ms") is None
    assert whole_number(_entry(-(2**63) + 1), "audio_start_ms") == -(2**63) + 1
    assert whole_number(_entry(2**63), "audio_start_ms") is None
    assert whole_number(_entry(1e300), "audio_start_ms") is None
    assert number(Entry(0, 0, Direction.RECEIVED, "x", {}), "audio_start_ms") is None
