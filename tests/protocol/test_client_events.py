"""Client events on the wire: each shape of voiceEngine.clientEvents, letter by letter."""

import base64
import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai import BaseModel
from openai.types.realtime import RealtimeClientEvent

from simulator.profile.agent_spec import AgentSpec
from simulator.protocol import client_events as client
from simulator.session.responses import silent, spoken
from simulator.session.settings import SessionSettings, only_instructions, only_turn_detection, whole_session

TOOL = {"type": "function", "name": "answer_choice", "description": "d", "parameters": {"type": "object"}}

GOLDEN: list[tuple[client.ClientEvent, str]] = [
    (
        client.SessionUpdate(
            session=whole_session(SessionSettings(specification=AgentSpec(tools=(TOOL,))), listening=True)
        ),
        '{"type":"session.update","session":{"type":"realtime","output_modalities":["audio"],"instructions":"",'
        '"tools":[{"type":"function","name":"answer_choice","description":"d","parameters":{"type":"object"}}],'
        '"tool_choice":"auto","audio":{"input":{"format":{"type":"audio/pcm","rate":24000},"transcription":null,'
        '"turn_detection":{"type":"server_vad","silence_duration_ms":500,"create_response":true,'
        '"interrupt_response":true}},"output":{"format":{"type":"audio/pcm","rate":24000},"voice":"marin","speed":1}}}}',
    ),
    (
        client.SessionUpdate(session=only_instructions("Be kind.")),
        '{"type":"session.update","session":{"type":"realtime","instructions":"Be kind."}}',
    ),
    (
        client.SessionUpdate(session=only_turn_detection(None)),
        '{"type":"session.update","session":{"type":"realtime","audio":{"input":{"format":{"type":"audio/pcm",'
        '"rate":24000},"transcription":null,"turn_detection":null}}}}',
    ),
    (client.InputAudioBufferCommit(), '{"type":"input_audio_buffer.commit"}'),
    (client.InputAudioBufferAppend(audio=b"\x01\x02"), '{"type":"input_audio_buffer.append","audio":"AQI="}'),
    (
        client.ConversationItemCreate(item=client.MessageItem(content=[client.InputText('[context] {"a":1}')])),
        '{"type":"conversation.item.create","item":{"type":"message","role":"user","content":[{"type":"input_text",'
        '"text":"[context] {\\"a\\":1}"}]}}',
    ),
    (
        client.ConversationItemCreate(
            item=client.MessageItem(content=[client.InputText("t"), client.InputImage("data:image/png;base64,AA==")])
        ),
        '{"type":"conversation.item.create","item":{"type":"message","role":"user","content":[{"type":"input_text",'
        '"text":"t"},{"type":"input_image","image_url":"data:image/png;base64,AA=="}]}}',
    ),
    (
        client.ConversationItemCreate(item=client.FunctionCallOutput("call_1", '{"accepted":true}')),
        '{"type":"conversation.item.create","item":{"type":"function_call_output","call_id":"call_1",'
        '"output":"{\\"accepted\\":true}"}}',
    ),
    (
        client.ConversationItemTruncate(item_id="item_1", audio_end_ms=1840),
        '{"type":"conversation.item.truncate","item_id":"item_1","content_index":0,"audio_end_ms":1840}',
    ),
    (
        client.ResponseCreate(response=spoken()),
        '{"type":"response.create","response":{"output_modalities":["audio"]}}',
    ),
    (
        client.ResponseCreate(response=silent("answer_scale")),
        '{"type":"response.create","response":{"output_modalities":["text"],"tool_choice":{"type":"function",'
        '"name":"answer_scale"}}}',
    ),
    (
        client.ResponseCancel(response_id="resp_1"),
        '{"type":"response.cancel","response_id":"resp_1"}',
    ),
]


GOLDEN_IDS = [f"{number}-{client.wire_type(event)}" for number, (event, _) in enumerate(GOLDEN)]


@pytest.mark.parametrize(("event", "frame"), GOLDEN, ids=GOLDEN_IDS)
def test_each_event_of_the_profile(event: client.ClientEvent, frame: str) -> None:
    assert client.encode(event) == frame


def test_the_event_id_is_sent_when_there_is_one() -> None:
    frame = json.loads(client.encode(client.InputAudioBufferCommit(event_id="event_7")))
    assert frame == {"type": "input_audio_buffer.commit", "event_id": "event_7"}


def test_the_record_gets_the_event_without_its_audio() -> None:
    event = client.InputAudioBufferAppend(event_id="event_1", audio=b"\x01\x02")
    assert client.record_json(event) == {"type": "input_audio_buffer.append", "event_id": "event_1", "audio": ""}
    truncate = client.ConversationItemTruncate(item_id="i", audio_end_ms=5)
    assert client.record_json(truncate) == json.loads(client.encode(truncate))


WITNESSES = {
    each.model_fields["type"].annotation.__args__[0]: each for each in get_args(get_args(RealtimeClientEvent)[0])
}


def unknown_to_the_witness(model: object, path: str) -> list[str]:
    """The paths of all fields that the stock client's models do not have."""
    if isinstance(model, list):
        return [each for item in model for each in unknown_to_the_witness(item, path)]
    if not isinstance(model, BaseModel):
        return []
    inner = [(name, getattr(model, name)) for name in model.model_fields_set]
    extra = [f"{path}.{name}" for name in model.model_extra or {}]
    return extra + [each for name, value in inner for each in unknown_to_the_witness(value, f"{path}.{name}")]


@pytest.mark.parametrize(("event", "frame"), GOLDEN, ids=GOLDEN_IDS)
def test_the_stock_clients_models_know_every_field(event: client.ClientEvent, frame: str) -> None:
    """The openai package is the independent witness: no field is misspelt, and every value is of its kind."""
    model = WITNESSES[client.wire_type(event)].model_validate_json(frame)
    assert unknown_to_the_witness(model, "") == []
    assert model.model_dump(mode="json", exclude_unset=True) == json.loads(frame)


texts = st.text()
parts = st.builds(client.InputText, texts) | st.builds(client.InputImage, texts)
items = st.builds(client.MessageItem, content=st.lists(parts, max_size=3)) | st.builds(
    client.FunctionCallOutput, texts, texts
)


@given(items)
def test_any_item_is_read_back_by_another_reader(item: client.MessageItem | client.FunctionCallOutput) -> None:
    wire: dict[str, Any] = json.loads(client.encode(client.ConversationItemCreate(item=item)))["item"]
    if isinstance(item, client.FunctionCallOutput):
        assert wire == {"type": "function_call_output", "call_id": item.call_id, "output": item.output}
    else:
        read = [each.get("text", each.get("image_url")) for each in wire["content"]]
        assert read == [each.text if isinstance(each, client.InputText) else each.image_url for each in item.content]


@given(st.binary(max_size=2000))
def test_any_audio_is_read_back_by_another_reader(audio: bytes) -> None:
    wire = json.loads(client.encode(client.InputAudioBufferAppend(audio=audio)))
    assert base64.b64decode(wire["audio"], validate=True) == audio


def test_an_event_written_by_hand_is_sent_as_it_stands() -> None:
    raw = client.RawEvent({"type": "input_audio_buffer.clear", "später": [1.0, None, {"b": 1, "a": 2}]})
    assert client.encode(raw) == '{"type":"input_audio_buffer.clear","später":[1.0,null,{"b":1,"a":2}]}'
    assert client.record_json(raw) == raw.wire
    assert client.audio_of(raw) is None


def test_the_audio_of_an_append_written_by_hand_is_known_and_kept_out_of_the_record() -> None:
    raw = client.RawEvent({"type": "input_audio_buffer.append", "audio": "AQI=", "event_id": "mine"})
    assert client.audio_of(raw) == b"\x01\x02"
    assert client.record_json(raw) == {"type": "input_audio_buffer.append", "audio": "", "event_id": "mine"}


@pytest.mark.parametrize("audio", ["no base64!", 5, None])
def test_what_is_no_audio_is_sent_all_the_same(audio: object) -> None:
    raw = client.RawEvent({"type": "input_audio_buffer.append", "audio": audio})
    assert client.audio_of(raw) is None
    assert json.loads(client.encode(raw))["audio"] == audio
