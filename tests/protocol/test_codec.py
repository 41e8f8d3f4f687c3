"""Reading frames: events become typed values, everything else a value with one sentence, and nothing raises."""

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.profile import facts
from simulator.protocol import server_events as server
from simulator.protocol.codec import MOST_NESTED, as_json, decode

SAMPLE_FIELDS: dict[str, Any] = {
    "session": {"type": "realtime", "instructions": "Be kind."},
    "response": {"id": "resp_1", "status": "completed", "output": []},
    "item": {"id": "item_1", "type": "message", "role": "user"},
    "error": {"type": "invalid_request_error", "code": "c", "message": "m", "event_id": "event_1"},
    "audio_start_ms": 4180,
    "audio_end_ms": 5000,
    "item_id": "item_1",
    "response_id": "resp_1",
    "delta": "AAEC",
    "transcript": "Hello.",
    "call_id": "call_1",
    "name": "answer_scale",
    "arguments": "{}",
}


def frame_of(kind: str, **changed: Any) -> dict[str, Any]:
    required = {field: SAMPLE_FIELDS[field] for field in facts.REQUIRED_SERVER_FIELDS[kind]}
    return {"type": kind, "event_id": "ev_1", **required, **changed}


@pytest.mark.parametrize("kind", facts.REQUIRED_SERVER_FIELDS)
def test_each_required_event_becomes_its_struct(kind: str) -> None:
    event = decode(json.dumps(frame_of(kind)))
    assert isinstance(event, server.ServerEvent)
    assert event.__struct_config__.tag == kind


@pytest.mark.parametrize(
    ("kind", "field"), [(kind, field) for kind, fields in facts.REQUIRED_SERVER_FIELDS.items() for field in fields]
)
def test_a_missing_required_field_is_named(kind: str, field: str) -> None:
    frame = frame_of(kind)
    del frame[field]
    event = decode(json.dumps(frame))
    assert isinstance(event, server.MalformedEvent)
    assert event.type == kind
    assert event.sentence == f"{kind} lacks “{field}”, which HRP requires."
    assert event.text == json.dumps(frame)
    assert event.wire == frame


def test_an_audio_delta_becomes_bytes() -> None:
    event = decode(json.dumps(frame_of("response.output_audio.delta")))
    assert event == server.OutputAudioDelta("resp_1", "item_1", b"\x00\x01\x02")


@pytest.mark.parametrize("delta", ["AAE", "AA=E", "not base64!", "A-_E"])
def test_invalid_base64_is_said_and_kept(delta: str) -> None:
    frame = json.dumps(frame_of("response.output_audio.delta", delta=delta))
    event = decode(frame)
    assert isinstance(event, server.MalformedEvent)
    assert event.type == "response.output_audio.delta"
    assert "base64" in event.sentence
    assert event.text == frame


@pytest.mark.parametrize(
    "frame", ["", "nope", '{"type":', "{'type':'error'}", '{"type":"error"', "NaN", b"\xff\xfe\x00"]
)
def test_what_is_not_json_is_said_and_kept(frame: str | bytes) -> None:
    event = decode(frame)
    assert isinstance(event, server.MalformedEvent)
    assert event.sentence.startswith("The engine sent a frame that is not JSON: ")
    assert event.type is None
    assert as_json(frame) == {}
    if isinstance(frame, str):
        assert event.text == frame


def test_json_without_an_event_is_said() -> None:
    assert decode("[1]").sentence == "The engine sent JSON that is not an object."  # type: ignore[union-attr]
    assert decode('{"a":1}').sentence == "The engine sent an object without an event type."  # type: ignore[union-attr]
    assert as_json("[1]") == {}
    assert as_json('{"a":1}') == {"a": 1}


def test_endless_nesting_is_a_value_too() -> None:
    event = decode('{"type":"session.created","session":' + '{"a":' * 100_000)
    assert isinstance(event, server.MalformedEvent)


@pytest.mark.parametrize("open_and_close", [('{"a":', "}"), ("[", "]")])
def test_what_is_nested_deeper_than_anyone_descends_ends_at_the_socket(open_and_close: tuple[str, str]) -> None:
    opening, closing = open_and_close

    def frame(levels: int) -> str:
        # The event itself is the first level.
        inner = opening * (levels - 1) + "1" + closing * (levels - 1)
        return f'{{"type": "input_audio_buffer.speech_started", "audio_start_ms": 1, "item_id": "i", "more": {inner}}}'

    assert decode(frame(MOST_NESTED)) == server.SpeechStarted(1, "i")
    event = decode(frame(MOST_NESTED + 1))
    assert isinstance(event, server.MalformedEvent)
    assert event.sentence == "The engine sent JSON that is nested more than 128 levels deep."
    # The agent is interrupted all the same: what the event says by its type and item counts.
    assert (event.type, event.wire["item_id"]) == ("input_audio_buffer.speech_started", "i")
    shallow = {"type": "input_audio_buffer.speech_started", "audio_start_ms": 1, "item_id": "i"}
    assert event.wire == as_json(frame(MOST_NESTED + 1)) == shallow


def test_many_values_side_by_side_are_not_deep() -> None:
    calls = [{"type": "message", "content": [[]]}] * 1000
    assert isinstance(decode(json.dumps({"type": "vendor.list", "calls": calls})), server.UnknownEvent)


@pytest.mark.parametrize("kind", sorted(facts.IGNORED_SERVER_EVENTS))
def test_events_that_the_profile_ignores(kind: str) -> None:
    frame = {"type": kind, "extra": [1]}
    assert decode(json.dumps(frame)) == server.IgnoredEvent(kind, frame)


def test_an_unknown_event_is_named() -> None:
    event = decode('{"type":"ping","at":1}')
    assert event == server.UnknownEvent("ping", {"type": "ping", "at": 1}, "“ping” is not an event of HRP 0.2.0.")


@pytest.mark.parametrize(("beta", "ours"), facts.BETA_SERVER_EVENTS.items())
def test_the_beta_of_the_interface_is_recognised(beta: str, ours: str) -> None:
    event = decode(json.dumps({"type": beta}))
    assert isinstance(event, server.UnknownEvent)
    assert event.beta
    assert f"“{ours}”" in event.sentence


def test_a_message_of_three_mebibytes() -> None:
    audio = bytes(3 * 2**20 * 3 // 4)
    frame = json.dumps(frame_of("response.output_audio.delta", delta=base64.b64encode(audio).decode()))
    assert len(frame) > 3 * 2**20
    assert decode(frame) == server.OutputAudioDelta("resp_1", "item_1", audio)
    assert as_json(frame)["delta"] == ""


def test_the_record_keeps_all_but_the_audio() -> None:
    frame = frame_of("response.output_audio.delta", vendor={"x": 1})
    assert as_json(json.dumps(frame)) == {**frame, "delta": ""}
    transcript = frame_of("response.output_audio_transcript.delta", delta="Hel")
    assert as_json(json.dumps(transcript)) == transcript
    beta = {"type": "response.audio.delta", "delta": "AAEC"}
    assert as_json(json.dumps(beta)) == {**beta, "delta": ""}


@pytest.mark.parametrize(
    "response",
    [
        {},
        {"id": 3, "status": ["x"], "status_details": "no", "output": "no", "usage": 7, "output_modalities": 1},
        {
            "id": "r",
            "output": [1, None, {"type": "function_call"}, {"type": "function_call", "call_id": "c", "name": 2}],
        },
        {"status_details": {"error": []}, "conversation_id": 4},
    ],
)
def test_odd_values_inside_a_response_do_not_cost_the_event(response: dict[str, Any]) -> None:
    event = decode(json.dumps({"type": "response.done", "response": response}))
    assert isinstance(event, server.ResponseDone)
    seen = event.response
    assert seen.wire == response
    assert seen.status is None
    assert seen.reason is None
    assert seen.failure is None
    assert seen.output_modalities is None
    assert seen.function_calls == []
    assert not seen.out_of_band


def test_a_whole_response_is_read() -> None:
    call = {"type": "function_call", "call_id": "call_1", "name": "send_chat", "arguments": '{"message":"hi"}'}
    wire = {
        "id": "resp_1",
        "status": "cancelled",
        "status_details": {"type": "cancelled", "reason": "turn_detected", "error": {"message": "broken"}},
        "output_modalities": ["audio"],
        "conversation_id": None,
        "output": [{"type": "message"}, call],
    }
    seen = server.ResponseObject(wire)
    assert (seen.id, seen.status, seen.reason, seen.failure) == ("resp_1", "cancelled", "turn_detected", "broken")
    assert seen.output_modalities == ["audio"]
    assert seen.out_of_band
    assert seen.function_calls == [server.FunctionCall("call_1", "send_chat", '{"message":"hi"}')]


def test_an_error_may_be_a_text_or_empty() -> None:
    assert decode('{"type":"error","error":"overloaded"}').error.message == "overloaded"  # type: ignore[union-attr]
    assert decode('{"type":"error","error":{"code":"x"}}').error.message == "x"  # type: ignore[union-attr]
    assert decode('{"type":"error","error":{}}').error.message == "no message"  # type: ignore[union-attr]


def test_half_a_surrogate_pair_is_replaced_and_a_whole_one_kept() -> None:
    """Engines that stream text by UTF-16 units split a sign between two deltas."""
    frame = (
        '{"type":"response.output_audio_transcript.delta","response_id":"r","item_id":"i",'
        r'"delta":"a\ud83d b\ud83d\ude00 c\ude00 d\\ud83d"}'
    )
    event = decode(frame)
    assert isinstance(event, server.OutputAudioTranscriptDelta)
    assert event.delta == "a\ufffd b😀 c\ufffd d\\ud83d"
    assert as_json(frame)["delta"] == event.delta


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
kinds = st.sampled_from(
    [*facts.REQUIRED_SERVER_FIELDS, *facts.IGNORED_SERVER_EVENTS, *facts.BETA_SERVER_EVENTS, "ping"]
)


@given(kinds, st.dictionaries(st.sampled_from(sorted(SAMPLE_FIELDS)), json_values))
def test_no_values_of_the_fields_raise(kind: str, fields: dict[str, Any]) -> None:
    frame = json.dumps({"type": kind, **fields})
    event = decode(frame)
    if isinstance(event, server.MalformedEvent):
        assert event.sentence.endswith(".")
        assert event.text == frame
    json.dumps(as_json(frame))


@given(st.binary() | st.text(alphabet=st.characters(codec=None)))
def test_no_frame_raises(frame: str | bytes) -> None:
    event = decode(frame)
    as_json(frame)
    if isinstance(event, server.MalformedEvent):
        event.text.encode()


@given(st.text(), st.text(), st.binary(max_size=300))
def test_any_delta_of_another_writer_is_read(response_id: str, item_id: str, audio: bytes) -> None:
    frame = json.dumps(
        {
            "delta": base64.b64encode(audio).decode(),
            "item_id": item_id,
            "type": "response.output_audio.delta",
            "output_index": 0,
            "response_id": response_id,
        }
    )
    assert decode(frame) == server.OutputAudioDelta(response_id, item_id, audio)
