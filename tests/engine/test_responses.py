"""response.create: what may be asked of a response, and what it then holds."""

import base64
import json
from typing import Any

import pytest

from tests.engine.client import Client

CHOICE = {
    "type": "function",
    "name": "answer_choice",
    "description": "Answer the question with one choice.",
    "parameters": {
        "type": "object",
        "properties": {"choice": {"type": "string"}},
        "required": ["choice"],
        "additionalProperties": False,
    },
}
SCALE = {
    **CHOICE,
    "name": "answer_scale",
    "parameters": {
        "type": "object",
        "properties": {"value": {"type": "number"}},
        "required": ["value"],
        "additionalProperties": False,
    },
}
QUESTION = (
    '[context] {"event":"question","tool":"answer_scale","question":"Question: How warm was your partner?\\n'
    'This is a visual analog rating scale from 0 to 10.\\nRespond with a number between 0 and 10.","duringVideo":false}'
)


async def test_silent_forced_tool(client: Client) -> None:
    await client.update(tools=[CHOICE, SCALE])
    await client.text(QUESTION)
    seen = len(client.events)
    response = await client.response(
        output_modalities=["text"], tool_choice={"type": "function", "name": "answer_scale"}
    )
    assert response["status"] == "completed"
    assert response["output_modalities"] == ["text"]
    [call] = response["output"]
    assert (call["type"], call["name"], call["status"]) == ("function_call", "answer_scale", "completed")
    arguments = json.loads(call["arguments"])
    assert list(arguments) == ["value"]
    assert 0 <= arguments["value"] <= 10
    types = [event["type"] for event in client.events[seen:]]
    assert set(types) == {
        "response.created",
        "response.output_item.added",
        "conversation.item.added",
        "response.function_call_arguments.delta",
        "response.function_call_arguments.done",
        "response.output_item.done",
        "conversation.item.done",
        "response.done",
    }
    done = client.of("response.function_call_arguments.done")[0]
    assert (done["call_id"], done["name"], done["arguments"]) == (call["call_id"], "answer_scale", call["arguments"])
    deltas = "".join(event["delta"] for event in client.of("response.function_call_arguments.delta"))
    assert deltas == call["arguments"]


async def test_nothing_follows_a_call_until_it_is_asked_for(client: Client) -> None:
    await client.update(tools=[CHOICE])
    response = await client.response(tool_choice="required")
    [call] = response["output"]
    output = {"type": "function_call_output", "call_id": call["call_id"], "output": '{"accepted":true}'}
    await client.item(output)
    assert await client.settled() == []
    following = await client.response()
    assert following["id"] != response["id"]
    assert [item["type"] for item in following["output"]] == ["message"]


async def test_tool_asked_for_by_name_is_called_once(client: Client) -> None:
    await client.update(tools=[CHOICE, SCALE])
    await client.text("Please call answer_scale now.")
    [call] = (await client.response())["output"]
    assert call["name"] == "answer_scale"
    await client.item({"type": "function_call_output", "call_id": call["call_id"], "output": "{}"})
    assert [item["type"] for item in (await client.response())["output"]] == ["message"]


async def test_tools_of_the_response_only(client: Client) -> None:
    response = await client.response(tools=[CHOICE], tool_choice="required")
    assert response["output"][0]["name"] == "answer_choice"
    assert (await client.update())["tools"] == []


async def test_tool_choice_none_calls_nothing(client: Client) -> None:
    await client.update(tools=[CHOICE], tool_choice="required")
    await client.text("Please call answer_choice.")
    response = await client.response(tool_choice="none")
    assert [item["type"] for item in response["output"]] == ["message"]


async def test_written_response_has_no_audio(client: Client) -> None:
    await client.text("Hello?")
    response = await client.response(output_modalities=["text"])
    [item] = response["output"]
    [part] = item["content"]
    assert part["type"] == "output_text"
    assert part["text"] == client.of("response.output_text.done")[0]["text"]
    assert part["text"] == "".join(event["delta"] for event in client.of("response.output_text.delta"))
    assert not any("audio" in event["type"] for event in client.events[1:])
    assert response["usage"]["output_token_details"]["audio_tokens"] == 0


async def test_metadata_comes_back(client: Client) -> None:
    metadata = {"purpose": "test", "round": "3"}
    assert (await client.response(metadata=metadata))["metadata"] == metadata
    assert client.of("response.created")[0]["response"]["metadata"] == metadata


async def test_out_of_band_response_leaves_no_trace_and_runs_beside_another(client: Client) -> None:
    user = await client.text("Please tell me a long story.")
    await client.send({"type": "response.create"})
    await client.until("response.output_audio.delta")
    aside: dict[str, Any] = {"conversation": "none", "output_modalities": ["text"], "instructions": "Say hello."}
    await client.send({"type": "response.create", "response": aside})
    first = (await client.until("response.done"))["response"]
    assert first["conversation_id"] is None
    second = (await client.until("response.done"))["response"]
    assert second["conversation_id"].startswith("conv_")
    added = [event["item"]["id"] for event in client.of("conversation.item.added")]
    assert added == [user["id"], second["output"][0]["id"]]
    retrieve = {"type": "conversation.item.retrieve", "item_id": first["output"][0]["id"]}
    assert (await client.refused(retrieve))["code"] == "item_retrieve_invalid_item_id"


async def test_input_replaces_the_conversation(client: Client) -> None:
    long = await client.text("Please tell me a long story.")
    hello = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hello?"}]}
    brief = await client.response(input=[hello], conversation="none", output_modalities=["text"])
    reference = {"type": "item_reference", "id": long["id"]}
    story = await client.response(input=[reference], conversation="none", output_modalities=["text"])
    empty = await client.response(input=[], conversation="none", output_modalities=["text"])
    lengths = [len(response["output"][0]["content"][0]["text"]) for response in (brief, story, empty)]
    assert lengths[1] > 5 * max(lengths[0], lengths[2])
    unknown = {"type": "response.create", "response": {"input": [{"type": "item_reference", "id": "nobody"}]}}
    assert (await client.refused(unknown))["code"] == "item_not_found"


async def test_instructions_of_the_response_only(client: Client) -> None:
    response = await client.response(instructions="Tell me a long story, please.", output_modalities=["text"])
    assert len(response["output"][0]["content"][0]["text"]) > 400
    response = await client.response(output_modalities=["text"])
    assert len(response["output"][0]["content"][0]["text"]) < 200


async def test_token_limit_makes_the_response_incomplete(client: Client) -> None:
    await client.text("Please tell me a long story.")
    response = await client.response(max_output_tokens=60)
    assert response["status"] == "incomplete"
    assert response["status_details"] == {"type": "incomplete", "reason": "max_output_tokens"}
    assert 40 < response["usage"]["output_tokens"] <= 60
    assert response["output"][0]["status"] == "incomplete"


async def test_speed_changes_how_long_it_takes(client: Client) -> None:
    lengths = []
    for speed in (1.5, 1.0, 0.25):
        await client.update(audio={"output": {"speed": speed}})
        # The same context each time, so that the same words are said.
        response = await client.response(input=[], conversation="none")
        lengths.append(sum(map(len, _audio(client, response["id"]))))
    assert lengths[0] < 0.8 * lengths[1]
    assert 3 * lengths[1] < lengths[2] < 5 * lengths[1]


def _audio(client: Client, response_id: str) -> list[bytes]:
    deltas = client.of("response.output_audio.delta")
    return [base64.b64decode(event["delta"]) for event in deltas if event["response_id"] == response_id]


@pytest.mark.parametrize(
    ("fields", "code", "param"),
    [
        ({"modalities": ["audio"]}, "unknown_parameter", "response.modalities"),
        ({"output_modalities": ["audio", "text"]}, "invalid_value", "response.output_modalities"),
        ({"conversation": "other"}, "invalid_value", "response.conversation"),
        ({"tool_choice": {"type": "function", "name": "nope"}}, "invalid_value", "response.tool_choice"),
        ({"tool_choice": "required"}, "invalid_value", "response.tool_choice"),
        ({"max_output_tokens": 5000}, "invalid_value", "response.max_output_tokens"),
        ({"metadata": {"a": 1}}, "invalid_type", "response.metadata.a"),
        ({"metadata": {str(n): "x" for n in range(17)}}, "invalid_value", "response.metadata"),
        ({"audio": {"output": {"format": {"type": "audio/pcma"}}}}, "invalid_value",
         "response.audio.output.format.type"),
        ({"input": {}}, "invalid_type", "response.input"),
    ],
)  # fmt: skip
async def test_bad_fields_are_refused(client: Client, fields: dict[str, Any], code: str, param: str) -> None:
    error = await client.refused({"type": "response.create", "response": fields})
    assert (error["code"], error["param"]) == (code, param)
