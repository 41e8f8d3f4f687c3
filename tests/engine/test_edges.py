"""The corners of the interface, each as a hosted engine has it."""

import asyncio
import base64
import json
from typing import Any

import pytest

from tests.engine.client import Client
from tests.engine.speech import sentence, spliced

TEXT: Any = {"output_modalities": ["text"]}
ASIDE: Any = {**TEXT, "conversation": "none"}
TOOL = {
    "type": "function",
    "name": "answer_text",
    "parameters": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
}


# The session.


async def test_model_that_was_named_stays(client: Client) -> None:
    update = {"type": "session.update", "session": {"type": "realtime", "model": "another", "instructions": "New."}}
    error = await client.refused(update)
    assert (error["type"], error["code"], error["param"]) == (
        "invalid_request_error",
        "cannot_update_model",
        "session.model",
    )
    session = await client.update(model="some-model")
    assert session["model"] == "some-model"
    assert session["instructions"] != "New."


async def test_updates_of_one_thing_leave_the_others(client: Client) -> None:
    before = await client.update(instructions="Be brief.", tools=[TOOL], tool_choice="required", max_output_tokens=900)
    after = await client.update(tracing="auto")
    assert after == {**before, "tracing": "auto"}
    after = await client.update(tools=[], tool_choice="auto", audio={"output": {"speed": 1.25}})
    assert (after["tools"], after["instructions"], after["max_output_tokens"]) == ([], "Be brief.", 900)
    assert after["audio"]["output"] == {**before["audio"]["output"], "speed": 1.25}
    assert after["audio"]["input"] == before["audio"]["input"]


async def test_settings_of_the_session_are_those_of_the_response(client: Client) -> None:
    await client.update(output_modalities=["text"], max_output_tokens=5)
    await client.text("Please tell me a long story.")
    response = await client.response()
    assert (response["output_modalities"], response["max_output_tokens"]) == (["text"], 5)
    assert response["status_details"] == {"type": "incomplete", "reason": "max_output_tokens"}


# The conversation.


async def test_reply_is_retrieved_with_its_audio(client: Client) -> None:
    await client.text("Hello?")
    [item] = (await client.response())["output"]
    retrieve = {"type": "conversation.item.retrieve", "item_id": item["id"]}
    got = (await client.answer(retrieve, "conversation.item.retrieved"))["item"]
    assert base64.b64decode(got["content"][0].pop("audio")) == client.audio_of(item["id"])
    assert got == item


async def test_what_was_deleted_is_neither_known_nor_referred_to(client: Client) -> None:
    story = await client.text("Please tell me a long story.")
    await client.answer({"type": "conversation.item.delete", "item_id": story["id"]}, "conversation.item.deleted")
    reference = {"type": "item_reference", "id": story["id"]}
    error = await client.refused({"type": "response.create", "response": {"input": [reference]}})
    assert (error["code"], error["param"]) == ("item_not_found", "response.input[0].id")
    assert len((await client.response(**TEXT))["output"][0]["content"][0]["text"]) < 200


async def test_reply_that_is_deleted_while_it_is_spoken_ends_all_the_same(client: Client) -> None:
    await client.text("Hello?")
    await client.send({"type": "response.create"})
    item_id = (await client.until("response.output_audio.delta"))["item_id"]
    await client.answer({"type": "conversation.item.delete", "item_id": item_id}, "conversation.item.deleted")
    assert (await client.until("response.done"))["response"]["status"] == "completed"
    error = await client.refused({"type": "conversation.item.retrieve", "item_id": item_id})
    assert (error["code"], error["param"]) == ("item_retrieve_invalid_item_id", "item_id")


# The input audio buffer.


async def test_clear_forgets_a_turn_in_progress(client: Client) -> None:
    speech = sentence("Hello there, I would like to ask you something.")
    await client.say(spliced(500, speech, 300))
    first = await client.until("input_audio_buffer.speech_started")
    await client.answer({"type": "input_audio_buffer.clear"}, "input_audio_buffer.cleared")
    await client.say(spliced(1500))
    assert await client.settled() == []
    await client.say(spliced(speech, 1000))
    second = await client.until("input_audio_buffer.speech_started")
    assert second["item_id"] != first["item_id"]
    assert second["audio_start_ms"] > first["audio_start_ms"] + 2000
    assert (await client.until("input_audio_buffer.committed"))["item_id"] == second["item_id"]


@pytest.mark.parametrize("ms", [600, 740, 900, 1130])
async def test_speech_that_was_cleared_in_its_midst_leaves_no_turn_behind(client: Client, ms: int) -> None:
    speech = sentence("Hello there, I would like to ask you something.")[: ms * 24]
    await client.say(spliced(500, speech))
    await client.until("input_audio_buffer.speech_started")
    await client.answer({"type": "input_audio_buffer.clear"}, "input_audio_buffer.cleared")
    await client.say(spliced(1500))
    assert await client.settled() == []


async def test_cleared_buffer_cannot_be_committed(client: Client) -> None:
    await client.turn_detection(None)
    await client.say(spliced(500))
    await client.answer({"type": "input_audio_buffer.clear"}, "input_audio_buffer.cleared")
    error = await client.refused({"type": "input_audio_buffer.commit"})
    assert (error["type"], error["code"]) == ("invalid_request_error", "input_audio_buffer_commit_empty")


# Responses.


async def test_voice_of_one_response(client: Client) -> None:
    response = await client.response(audio={"output": {"voice": "cedar"}}, conversation="none")
    assert response["audio"]["output"]["voice"] == "cedar"
    assert (await client.response(**ASIDE))["audio"]["output"]["voice"] == "marin"


async def test_own_input_of_a_response_is_not_kept_but_its_reply_is(client: Client) -> None:
    hello = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hello?"}]}
    response = await client.response(input=[hello], **TEXT)
    added = [event["item"]["id"] for event in client.of("conversation.item.added")]
    assert added == [response["output"][0]["id"]]
    assert response["conversation_id"] is not None


async def test_input_mixes_references_and_items_in_order(client: Client) -> None:
    name = await client.text("Hello, my name is Maria.")
    question = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "What is my name?"}]}
    reference = {"type": "item_reference", "id": name["id"]}
    known = await client.response(input=[reference, question], **ASIDE)
    assert "Maria" in known["output"][0]["content"][0]["text"]
    unknown = await client.response(input=[question], **ASIDE)
    assert "Maria" not in unknown["output"][0]["content"][0]["text"]


async def test_several_asides_at_once_and_one_cancelled_by_its_id(client: Client) -> None:
    aside = {"conversation": "none", "instructions": "Tell me a long story."}
    for number in range(3):
        await client.send({"type": "response.create", "response": {**aside, "metadata": {"number": str(number)}}})
    while len(client.of("response.created")) < 3:
        await client.next()
    created = {
        event["response"]["metadata"]["number"]: event["response"]["id"] for event in client.of("response.created")
    }
    await client.send({"type": "response.cancel", "response_id": created["1"]})
    dones: dict[str, Any] = {}
    while len(dones) < 3:
        done = (await client.until("response.done"))["response"]
        dones[done["metadata"]["number"]] = done
    assert {number: done["status"] for number, done in dones.items()} == {
        "0": "completed",
        "1": "cancelled",
        "2": "completed",
    }
    assert dones["1"]["status_details"] == {"type": "cancelled", "reason": "client_cancelled"}


@pytest.mark.parametrize("limit", [1, 7, 40])
async def test_written_reply_keeps_to_its_limit(client: Client, limit: int) -> None:
    await client.text("Please tell me a long story.")
    response = await client.response(max_output_tokens=limit, **TEXT)
    assert response["status_details"] == {"type": "incomplete", "reason": "max_output_tokens"}
    assert response["usage"]["output_tokens"] <= limit
    assert response["output"][0]["status"] == "incomplete"


async def test_call_that_does_not_fit_its_limit_is_not_made(client: Client) -> None:
    choice = {"type": "function", "name": "answer_text"}
    fields: Any = {"tools": [TOOL], "tool_choice": choice, **TEXT}
    response = await client.response(max_output_tokens=2, **fields)
    assert response["status_details"] == {"type": "incomplete", "reason": "max_output_tokens"}
    assert response["output"] == []
    response = await client.response(max_output_tokens=200, **fields)
    assert json.loads(response["output"][0]["arguments"])["text"]
    assert response["status"] == "completed"


async def test_tools_and_modality_of_one_response_beside_the_sessions(client: Client) -> None:
    await client.update(tools=[TOOL])
    other = {**TOOL, "name": "note_down"}
    response = await client.response(tools=[other], tool_choice="required", **TEXT)
    assert response["output"][0]["name"] == "note_down"
    assert response["output_modalities"] == ["text"]
    session = await client.update()
    assert [tool["name"] for tool in session["tools"]] == ["answer_text"]
    assert session["output_modalities"] == ["audio"]


async def test_error_of_one_event_names_it_and_no_other(client: Client) -> None:
    for number in range(3):
        await client.send({"type": "conversation.item.delete", "item_id": "nobody", "event_id": f"evt_{number}"})
    await client.send({"type": "conversation.item.delete", "item_id": "nobody"})
    errors = [(await asyncio.wait_for(client.until("error"), 20))["error"] for _ in range(4)]
    assert [error["event_id"] for error in errors] == ["evt_0", "evt_1", "evt_2", None]
    assert {(error["type"], error["code"], error["param"]) for error in errors} == {
        ("invalid_request_error", "item_delete_invalid_item_id", "item_id")
    }
