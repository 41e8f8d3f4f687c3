"""The profile's numbers and lists, as the specification 0.2.0 has them."""

import msgspec
import pytest

from simulator.profile import facts
from simulator.protocol import server_events


def test_thresholds_encode_with_the_specifications_names() -> None:
    assert msgspec.to_builtins(facts.THRESHOLDS) == {
        "maxOnsetDelayMs": 1000,
        "maxResponseStartMs": 5000,
        "maxCancelToDoneMs": 1500,
        "eventTimeoutMs": 15000,
        "noReplyWindowMs": 1500,
        "truncateAckTimeoutMs": 3000,
    }


def test_a_session_lets_the_engine_reply_and_be_interrupted() -> None:
    assert facts.turn_detection("server_vad") == {
        "type": "server_vad",
        "silence_duration_ms": 500,
        "create_response": True,
        "interrupt_response": True,
    }
    assert facts.turn_detection("semantic_vad")["eagerness"] == "auto"
    with pytest.raises(KeyError):
        facts.turn_detection("none")


def test_changing_a_session_object_changes_no_other() -> None:
    facts.turn_detection("server_vad")["silence_duration_ms"] = 9
    assert facts.turn_detection("server_vad")["silence_duration_ms"] == 500


def test_ten_checks_of_which_five_run_per_turn_detection() -> None:
    assert len(facts.CHECKS) == 10
    assert [name for name, per_mode in facts.CHECKS.items() if per_mode] == [
        "engine_turn",
        "barge_in",
        "listening_pause",
        "listening_pause_silent",
        "turn_detection_fields",
    ]


def test_each_required_event_has_a_struct_with_just_its_required_fields() -> None:
    structs = {
        each.__struct_config__.tag: each.__struct_fields__ for each in server_events.ServerEvent.__subclasses__()
    }
    assert structs == dict(facts.REQUIRED_SERVER_FIELDS)


def test_no_event_is_both_required_and_ignored_or_beta() -> None:
    required = set(facts.REQUIRED_SERVER_FIELDS)
    assert len(required) == 18
    assert len(facts.IGNORED_SERVER_EVENTS) == 15
    assert not required & facts.IGNORED_SERVER_EVENTS
    assert not set(facts.BETA_SERVER_EVENTS) & (required | facts.IGNORED_SERVER_EVENTS)
