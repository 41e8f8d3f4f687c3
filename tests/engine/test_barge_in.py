"""The participant speaks while the agent does (HRP: barge-in), and the client's own cancel and truncate."""

from tests.engine.client import Client
from tests.engine.speech import sentence, spliced

INTERRUPTION = "Sorry, can I stop you there for a moment?"
STORY = "Please tell me a long story."


async def talking(client: Client) -> str:
    """Has the agent tell its story; the id of the response when some of it has arrived."""
    await client.text(STORY)
    await client.send({"type": "response.create"})
    response_id = (await client.until("response.created"))["response"]["id"]
    for _ in range(3):
        await client.until("response.output_audio.delta")
    return str(response_id)


async def test_speech_cuts_the_reply_on_its_edge(client: Client) -> None:
    response_id = await talking(client)
    await client.say(spliced(200, sentence(INTERRUPTION)))
    await client.until("input_audio_buffer.speech_started")
    done = await client.until("response.done")
    started_at = next(i for i, e in enumerate(client.events) if e["type"] == "input_audio_buffer.speech_started")
    assert [event["type"] for event in client.events[started_at:]] == [
        "input_audio_buffer.speech_started",
        "response.output_audio.done",
        "response.output_audio_transcript.done",
        "response.content_part.done",
        "response.output_item.done",
        "conversation.item.done",
        "response.done",
    ]
    assert done["response"]["id"] == response_id
    assert done["response"]["status"] == "cancelled"
    assert done["response"]["status_details"] == {"type": "cancelled", "reason": "turn_detected"}
    assert done["response"]["output"][0]["status"] == "incomplete"
    assert done["response"]["usage"]["total_tokens"] > 0


async def test_nothing_of_a_cut_reply_follows(client: Client) -> None:
    response_id = await talking(client)
    await client.say(spliced(200, sentence(INTERRUPTION), 1000))
    await client.until("response.done")
    cut_at = len(client.events)
    await client.until("response.done")  # the reply to the interruption
    after = client.events[cut_at:]
    assert all(event.get("response_id") != response_id for event in after)
    assert [e["response"]["status"] for e in after if e["type"] == "response.done"] == ["completed"]


async def test_speech_during_playback_of_a_finished_response_cancels_nothing(client: Client) -> None:
    await client.text("Hello?")
    assert (await client.response())["status"] == "completed"
    await client.say(spliced(200, sentence(INTERRUPTION)))
    assert [event["type"] for event in await client.settled()] == ["input_audio_buffer.speech_started"]


async def test_reply_goes_on_when_it_must_not_be_interrupted(client: Client) -> None:
    await client.turn_detection({"type": "server_vad", "interrupt_response": False})
    response_id = await talking(client)
    await client.say(spliced(200, sentence(INTERRUPTION), 900))
    await client.until("input_audio_buffer.committed")
    error = await client.until("error")  # no second response beside the first
    assert error["error"]["code"] == "conversation_already_has_active_response"
    done = await client.until("response.done")
    assert (done["response"]["id"], done["response"]["status"]) == (response_id, "completed")


async def test_out_of_band_response_is_not_interrupted(client: Client) -> None:
    await client.send({"type": "response.create", "response": {"conversation": "none", "instructions": STORY}})
    for _ in range(3):
        await client.until("response.output_audio.delta")
    await client.say(spliced(200, sentence(INTERRUPTION)))
    await client.until("input_audio_buffer.speech_started")
    assert (await client.until("response.done"))["response"]["status"] == "completed"


async def test_cancel_ends_the_response(client: Client) -> None:
    response_id = await talking(client)
    await client.send({"type": "response.cancel", "response_id": response_id})
    done = await client.until("response.done")
    assert done["response"]["status_details"] == {"type": "cancelled", "reason": "client_cancelled"}
    assert await client.settled() == []


async def test_cancel_without_an_id_means_the_conversations_response(client: Client) -> None:
    response_id = await talking(client)
    await client.send({"type": "response.cancel"})
    assert (await client.until("response.done"))["response"]["id"] == response_id


async def test_cancel_of_nothing_is_an_error_that_does_no_harm(client: Client) -> None:
    error = await client.refused({"type": "response.cancel"})
    assert error["code"] == "response_cancel_not_active"
    await client.text("Hello?")
    response = await client.response()
    assert response["status"] == "completed"
    error = await client.refused({"type": "response.cancel", "response_id": response["id"]})
    assert error["code"] == "response_cancel_not_active"


async def test_next_response_may_follow_the_done_at_once(client: Client) -> None:
    await talking(client)
    await client.send({"type": "response.cancel"})
    await client.until("response.done")
    await client.text("Hello?")
    assert (await client.response())["status"] == "completed"


async def test_second_response_beside_a_running_one_is_refused(client: Client) -> None:
    await talking(client)
    error = await client.refused({"type": "response.create"})
    assert error["code"] == "conversation_already_has_active_response"
    assert (await client.until("response.done"))["response"]["status"] == "completed"


async def test_truncate_cuts_audio_and_transcript(client: Client) -> None:
    await talking(client)
    await client.send({"type": "response.cancel"})
    item_id = (await client.until("response.done"))["response"]["output"][0]["id"]
    place = {"item_id": item_id, "content_index": 0, "audio_end_ms": 120}
    got = await client.answer({"type": "conversation.item.truncate", **place}, "conversation.item.truncated")
    assert {name: got[name] for name in place} == place
    got = await client.answer({"type": "conversation.item.retrieve", "item_id": item_id}, "conversation.item.retrieved")
    part = got["item"]["content"][0]
    assert part["transcript"] is None
    assert len(part["audio"]) == 120 * 48 * 4 / 3  # base64
    # It is shorter now: the same cut again is allowed, a later one is not.
    await client.answer({"type": "conversation.item.truncate", **place}, "conversation.item.truncated")
    error = await client.refused({"type": "conversation.item.truncate", **place, "audio_end_ms": 121})
    assert error["message"] == "Audio content of 120ms is already shorter than 121ms."


async def test_truncate_refuses_what_it_cannot_cut(client: Client) -> None:
    user = await client.text("Hello?")
    item = (await client.response())["output"][0]
    length_ms = len(client.audio_of(item["id"])) // 48
    cut = {"type": "conversation.item.truncate", "content_index": 0, "audio_end_ms": 0}
    assert (await client.refused({**cut, "item_id": "nobody"}))["code"] == "item_truncate_invalid_item_id"
    assert (await client.refused({**cut, "item_id": user["id"]}))["code"] == "unsupported_content_type"
    assert (await client.refused({**cut, "item_id": item["id"], "content_index": 1}))["param"] == "content_index"
    assert (await client.refused({**cut, "item_id": item["id"], "audio_end_ms": -1}))["param"] == "audio_end_ms"
    assert (await client.refused({**cut, "item_id": item["id"], "audio_end_ms": length_ms + 1}))[
        "code"
    ] == "invalid_value"
    whole = {**cut, "item_id": item["id"], "audio_end_ms": length_ms}
    assert (await client.answer(whole, "conversation.item.truncated"))["audio_end_ms"] == length_ms
