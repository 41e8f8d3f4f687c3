"""Conversation items that the client makes, reads back and deletes."""

import base64
from typing import Any

import pytest

from tests.engine.client import Client, Event

PNG = "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(64)).decode()


def message(*content: Event, role: str = "user", **more: Any) -> Event:
    return {"type": "message", "role": role, "content": list(content), **more}


def text(words: str) -> Event:
    return {"type": "input_text", "text": words}


async def test_items_come_back_in_order(client: Client) -> None:
    first = await client.text("One.")
    second = await client.text("Two.")
    dones = client.of("conversation.item.done")
    assert [event["previous_item_id"] for event in dones] == [None, first["id"]]
    assert second["status"] == "completed"
    assert client.types()[1:3] == ["conversation.item.added", "conversation.item.done"]


async def test_place_of_an_item(client: Client) -> None:
    one = await client.text("One.")
    await client.text("Two.")
    create = {"type": "conversation.item.create", "item": message(text("Between."))}
    between = await client.answer({**create, "previous_item_id": one["id"]}, "conversation.item.added")
    assert between["previous_item_id"] == one["id"]
    await client.until("conversation.item.done")
    first = await client.answer({**create, "previous_item_id": "root"}, "conversation.item.added")
    assert first["previous_item_id"] is None
    await client.until("conversation.item.done")
    error = await client.refused({**create, "previous_item_id": "nobody"})
    assert error["param"] == "previous_item_id"


async def test_client_may_choose_ids_once(client: Client) -> None:
    item = message(text("Hello."), id="my_own_id")
    assert (await client.item(item))["id"] == "my_own_id"
    error = await client.refused({"type": "conversation.item.create", "item": item})
    assert error["code"] == "item_already_exists"


async def test_all_kinds_of_content(client: Client) -> None:
    audio = base64.b64encode(bytes(9600)).decode()
    item = await client.item(
        message(text("Look."), {"type": "input_image", "image_url": PNG}, {"type": "input_audio", "audio": audio})
    )
    assert [part["type"] for part in item["content"]] == ["input_text", "input_image", "input_audio"]
    assert "audio" not in item["content"][2]
    retrieve = {"type": "conversation.item.retrieve", "item_id": item["id"]}
    got = (await client.answer(retrieve, "conversation.item.retrieved"))["item"]
    assert got["content"][2]["audio"] == audio
    await client.item(message(text("Rules."), role="system"))
    await client.item(message({"type": "output_text", "text": "I said so."}, role="assistant"))


async def test_three_mebibytes_in_one_image(client: Client) -> None:
    image = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(3 * 1024 * 1024)).decode()
    part = {"type": "input_image", "image_url": f"data:image/png;base64,{image}"}
    assert (await client.item(message(text("Big."), part)))["content"][1]["type"] == "input_image"


async def test_fifteen_mebibytes_in_one_append(client: Client) -> None:
    await client.turn_detection(None)
    limit = 15 * 1024 * 1024
    await client.send({"type": "input_audio_buffer.append", "audio": base64.b64encode(bytes(limit)).decode()})
    assert await client.settled() == []
    more = base64.b64encode(bytes(limit + 2)).decode()
    assert (await client.refused({"type": "input_audio_buffer.append", "audio": more}))["param"] == "audio"


async def test_function_output_needs_its_call(client: Client) -> None:
    output = {"type": "function_call_output", "call_id": "call_1", "output": '{"accepted":true}'}
    error = await client.refused({"type": "conversation.item.create", "item": output})
    assert (error["code"], error["param"]) == ("invalid_tool_call_id", "item.call_id")
    await client.item({"type": "function_call", "call_id": "call_1", "name": "answer_choice", "arguments": "{}"})
    assert (await client.item(output))["output"] == '{"accepted":true}'


async def test_deleted_item_is_gone(client: Client) -> None:
    item = await client.text("Forget this.")
    delete = {"type": "conversation.item.delete", "item_id": item["id"]}
    assert (await client.answer(delete, "conversation.item.deleted"))["item_id"] == item["id"]
    assert (await client.refused(delete))["code"] == "item_delete_invalid_item_id"
    retrieve = {"type": "conversation.item.retrieve", "item_id": item["id"]}
    assert (await client.refused(retrieve))["code"] == "item_retrieve_invalid_item_id"


@pytest.mark.parametrize(
    ("item", "code", "param"),
    [
        (None, "missing_required_parameter", "item"),
        ("text", "invalid_type", "item"),
        ({"type": "poem"}, "invalid_value", "item.type"),
        (message(text("x"), role="nobody"), "invalid_value", "item.role"),
        (message(text("x"), id=""), "invalid_value", "item.id"),
        ({"type": "message", "role": "user"}, "missing_required_parameter", "item.content"),
        (message({"type": "output_text", "text": "x"}), "invalid_value", "item.content[0].type"),
        (message({"type": "input_text"}), "missing_required_parameter", "item.content[0].text"),
        (message({"type": "input_audio", "audio": "?"}), "invalid_value", "item.content[0].audio"),
        (message({"type": "input_audio", "audio": "AAAA"}), "invalid_value", "item.content[0].audio"),
        (message({"type": "input_image", "image_url": "https://example.org/a.png"}), "invalid_value",
         "item.content[0].image_url"),
        (message({"type": "input_image", "image_url": "data:image/png;base64,AAAA"}), "invalid_value",
         "item.content[0].image_url"),
        ({"type": "function_call_output", "output": "{}"}, "missing_required_parameter", "item.call_id"),
    ],
)  # fmt: skip
async def test_bad_items_are_refused_by_field(client: Client, item: Any, code: str, param: str) -> None:
    error = await client.refused({"type": "conversation.item.create", "item": item})
    assert (error["code"], error["param"]) == (code, param)
