"""The session's settings: what is merged, what is refused, and that a refusal changes nothing."""

from typing import Any

import pytest

from simulator.engine.configuration import defaults, merged
from simulator.engine.errors import Refusal
from tests.engine.client import Client

TOOL = {"type": "function", "name": "answer_choice", "description": "Answer.", "parameters": {"type": "object"}}


def fresh() -> dict[str, Any]:
    return defaults("sess_1", "some-model", 1_800_000_000)


def update(settings: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return merged(settings, {"type": "realtime", **changes}, voice_is_fixed=False)


def contains(whole: Any, part: Any) -> bool:
    """Whether what was asked for is in what is in force."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(key in whole and contains(whole[key], part[key]) for key in part)
    return bool(whole == part)


async def test_session_begins_with_everything_in_force(client: Client) -> None:
    session = client.events[0]["session"]
    assert session["model"] == "some-model"
    assert session["id"].startswith("sess_")
    assert session["output_modalities"] == ["audio"]
    assert session["instructions"]
    assert session["audio"]["input"]["turn_detection"] == {
        "type": "server_vad",
        "threshold": 0.5,
        "prefix_padding_ms": 300,
        "silence_duration_ms": 500,
        "idle_timeout_ms": None,
        "create_response": True,
        "interrupt_response": True,
    }
    for direction in ("input", "output"):
        assert session["audio"][direction]["format"] == {"type": "audio/pcm", "rate": 24_000}


async def test_update_is_answered_with_the_whole_session(client: Client) -> None:
    wanted = {
        "output_modalities": ["audio"],
        "instructions": "Be brief.",
        "tools": [TOOL],
        "tool_choice": "auto",
        "audio": {
            "input": {
                "format": {"type": "audio/pcm", "rate": 24_000},
                "transcription": None,
                "turn_detection": {"type": "semantic_vad", "eagerness": "low", "create_response": True},
            },
            "output": {"format": {"type": "audio/pcm", "rate": 24_000}, "voice": "cedar", "speed": 1},
        },
    }
    session = await client.update(**wanted)
    assert contains(session, wanted)
    assert session["audio"]["input"]["turn_detection"]["interrupt_response"] is True
    again = await client.update(instructions="Be long.")
    assert again == {**session, "instructions": "Be long."}


async def test_refused_update_changes_nothing(client: Client) -> None:
    before = await client.update()
    error = await client.refused(
        {
            "type": "session.update",
            "session": {"type": "realtime", "instructions": "New.", "audio": {"output": {"speed": 9}}},
        }
    )
    assert (error["type"], error["code"]) == ("invalid_request_error", "invalid_value")
    assert error["param"] == "session.audio.output.speed"
    assert await client.update() == before


async def test_voice_is_fixed_once_it_was_heard(client: Client) -> None:
    await client.update(audio={"output": {"voice": "cedar"}})
    await client.text("Hello?")
    await client.response()
    session = {"type": "realtime", "audio": {"output": {"voice": "ash"}}}
    error = await client.refused({"type": "session.update", "session": session})
    assert error["code"] == "cannot_update_voice"
    assert (await client.update(audio={"output": {"voice": "cedar"}}))["audio"]["output"]["voice"] == "cedar"


def test_same_mode_keeps_fields_that_are_not_sent() -> None:
    settings = update(fresh(), audio={"input": {"turn_detection": {"type": "server_vad", "threshold": 0.7}}})
    settings = update(settings, audio={"input": {"turn_detection": {"type": "server_vad", "silence_duration_ms": 300}}})
    detection = settings["audio"]["input"]["turn_detection"]
    assert (detection["threshold"], detection["silence_duration_ms"]) == (0.7, 300)


def test_other_mode_and_switching_on_begin_with_defaults() -> None:
    settings = update(fresh(), audio={"input": {"turn_detection": {"type": "server_vad", "threshold": 0.7}}})
    settings = update(settings, audio={"input": {"turn_detection": {"type": "semantic_vad"}}})
    assert settings["audio"]["input"]["turn_detection"] == {
        "type": "semantic_vad",
        "eagerness": "auto",
        "create_response": True,
        "interrupt_response": True,
    }
    settings = update(settings, audio={"input": {"turn_detection": None}})
    assert settings["audio"]["input"]["turn_detection"] is None
    settings = update(settings, audio={"input": {"turn_detection": {"type": "server_vad"}}})
    assert settings["audio"]["input"]["turn_detection"]["threshold"] == 0.5


@pytest.mark.parametrize(
    "changes",
    [
        {"tracing": None, "prompt": None, "include": None, "max_output_tokens": "inf", "tools": []},
        {"tracing": "auto"},
        {"audio": {"input": {"transcription": {"model": "a-model-of-tomorrow"}, "noise_reduction": None}}},
        {"audio": {"input": {"noise_reduction": {"type": "near_field"}}}},
        {"audio": {"output": {"voice": "anything at all", "speed": 0.25}}},
        {"audio": {"output": {"voice": {"id": "voice_1234"}, "speed": 1.5}}},
        {"audio": {"input": {"turn_detection": {"type": "server_vad", "idle_timeout_ms": 6000}}}},
        {"max_output_tokens": 4096, "tool_choice": "required"},
        {"tools": [TOOL], "tool_choice": {"type": "function", "name": "answer_choice"}},
        {"output_modalities": ["text"], "model": "some-model"},
        {"reasoning": {"effort": "low"}, "parallel_tool_calls": True, "truncation": "disabled"},
    ],
)
def test_what_stock_clients_send_is_taken_and_shown_again(changes: dict[str, Any]) -> None:
    assert contains(update(fresh(), **changes), changes)


def test_missing_rate_is_filled_in_and_null_means_the_default() -> None:
    settings = update(fresh(), audio={"input": {"format": {"type": "audio/pcm"}}, "output": {"voice": None}})
    assert settings["audio"]["input"]["format"] == {"type": "audio/pcm", "rate": 24_000}
    assert settings["audio"]["output"]["voice"] == "marin"


@pytest.mark.parametrize(
    ("changes", "code", "param"),
    [
        ({"modalities": ["audio"]}, "unknown_parameter", "session.modalities"),
        ({"turn_detection": None}, "unknown_parameter", "session.turn_detection"),
        ({"type": "transcription"}, "invalid_value", "session.type"),
        ({"model": "another"}, "cannot_update_model", "session.model"),
        ({"output_modalities": ["audio", "text"]}, "invalid_value", "session.output_modalities"),
        ({"instructions": 5}, "invalid_type", "session.instructions"),
        ({"max_output_tokens": 0}, "invalid_value", "session.max_output_tokens"),
        ({"max_output_tokens": True}, "invalid_type", "session.max_output_tokens"),
        ({"tools": [{"type": "function"}]}, "missing_required_parameter", "session.tools[0].name"),
        ({"tools": [{"type": "mcp"}]}, "invalid_value", "session.tools[0].type"),
        ({"tools": [TOOL, TOOL]}, "duplicate_tool", "session.tools[1].name"),
        ({"tools": [{**TOOL, "meta": 1}]}, "unknown_parameter", "session.tools[0].meta"),
        ({"tool_choice": "always"}, "invalid_value", "session.tool_choice"),
        ({"audio": {"input": {"format": {"type": "audio/pcmu"}}}}, "invalid_value", "session.audio.input.format.type"),
        ({"audio": {"output": {"format": {"rate": 16000}}}}, "invalid_value", "session.audio.output.format.rate"),
        ({"audio": {"output": {"speed": 0.2}}}, "invalid_value", "session.audio.output.speed"),
        ({"audio": {"output": {"speed": "1"}}}, "invalid_type", "session.audio.output.speed"),
        ({"audio": []}, "invalid_type", "session.audio"),
    ],
)
def test_refusals_name_the_field(changes: dict[str, Any], code: str, param: str) -> None:
    with pytest.raises(Refusal) as caught:
        update(fresh(), **changes)
    assert (caught.value.code, caught.value.param) == (code, param)


@pytest.mark.parametrize(
    ("detection", "code", "field"),
    [
        ({"type": "magic"}, "invalid_value", "type"),
        ({"type": "server_vad", "threshold": 1.1}, "invalid_value", "threshold"),
        ({"type": "server_vad", "eagerness": "low"}, "unknown_parameter", "eagerness"),
        ({"type": "semantic_vad", "threshold": 0.5}, "unknown_parameter", "threshold"),
        ({"type": "semantic_vad", "eagerness": "very"}, "invalid_value", "eagerness"),
        ({"type": "server_vad", "silence_duration_ms": -1}, "invalid_value", "silence_duration_ms"),
        ({"type": "server_vad", "create_response": "yes"}, "invalid_type", "create_response"),
        ({"type": "server_vad", "idle_timeout_ms": 100}, "invalid_value", "idle_timeout_ms"),
    ],
)
def test_refusals_in_turn_detection(detection: dict[str, Any], code: str, field: str) -> None:
    with pytest.raises(Refusal) as caught:
        update(fresh(), audio={"input": {"turn_detection": detection}})
    assert caught.value.code == code
    assert caught.value.param == f"session.audio.input.turn_detection.{field}"


def test_type_is_required() -> None:
    with pytest.raises(Refusal) as caught:
        merged(fresh(), {"instructions": "Hello."}, voice_is_fixed=False)
    assert (caught.value.code, caught.value.param) == ("missing_required_parameter", "session.type")
