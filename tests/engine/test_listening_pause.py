"""Turn detection off and on again, and committing by hand (HRP: listening pause)."""

import base64

import pytest

from tests.engine.client import Client
from tests.engine.speech import sentence, silence, spliced

SERVER_VAD = {"type": "server_vad", "silence_duration_ms": 500}
SEMANTIC_VAD = {"type": "semantic_vad", "eagerness": "auto"}
LONG = "Well, I wanted to tell you that the weather has been rather lovely here since yesterday evening"
AGAIN = "And now I am back with you."

both_modes = pytest.mark.parametrize("mode", [SERVER_VAD, SEMANTIC_VAD], ids=lambda mode: mode["type"])


@both_modes
async def test_commit_with_detection_off_keeps_the_turn_without_a_reply(client: Client, mode: dict[str, str]) -> None:
    await client.turn_detection(mode)
    await client.say(spliced(500, sentence(LONG)[:48_000]))
    started = await client.until("input_audio_buffer.speech_started")
    await client.turn_detection(None)
    await client.send({"type": "input_audio_buffer.commit"})
    events = await client.settled()
    assert [event["type"] for event in events] == [
        "input_audio_buffer.committed",
        "conversation.item.added",
        "conversation.item.done",
    ]
    assert events[0]["item_id"] == events[1]["item"]["id"] == started["item_id"]


@both_modes
async def test_speech_after_the_pause_is_a_new_turn_timed_from_its_end(client: Client, mode: dict[str, str]) -> None:
    await client.turn_detection(mode)
    await client.say(spliced(4000, sentence(LONG)[:48_000]))
    before = await client.until("input_audio_buffer.speech_started")
    await client.turn_detection(None)
    await client.answer({"type": "input_audio_buffer.commit"}, "conversation.item.done")
    await client.turn_detection(mode)
    await client.say(spliced(1600, sentence(AGAIN), 4200))
    after = await client.until("input_audio_buffer.speech_started")
    assert after["item_id"] != before["item_id"]
    assert 1250 <= after["audio_start_ms"] <= 1400
    committed = await client.until("input_audio_buffer.committed")
    assert committed["item_id"] == after["item_id"]
    assert committed["previous_item_id"] == before["item_id"]


@both_modes
async def test_silent_pause_says_nothing_and_restarts_the_clock(client: Client, mode: dict[str, str]) -> None:
    await client.turn_detection(mode)
    await client.say(silence(6000))
    await client.turn_detection(None)
    assert await client.settled() == []
    await client.turn_detection(mode)
    await client.say(spliced(2000, sentence(AGAIN)))
    started = await client.until("input_audio_buffer.speech_started")
    assert 1650 <= started["audio_start_ms"] <= 1800


async def test_turn_in_progress_is_dropped_when_it_is_not_committed(client: Client) -> None:
    await client.say(spliced(500, sentence(LONG)[:48_000]))
    dropped = await client.until("input_audio_buffer.speech_started")
    await client.turn_detection(None)
    await client.turn_detection(SERVER_VAD)
    await client.say(spliced(100, sentence(AGAIN), 900))
    started = await client.until("input_audio_buffer.speech_started")
    assert started["item_id"] != dropped["item_id"]
    assert started["audio_start_ms"] == 0  # the padding would reach before the moment of switching on
    stopped = await client.until("input_audio_buffer.speech_stopped")
    await client.until("response.done")
    retrieve = {"type": "conversation.item.retrieve", "item_id": started["item_id"]}
    got = await client.answer(retrieve, "conversation.item.retrieved")
    # Nothing from before the pause is in it.
    assert len(base64.b64decode(got["item"]["content"][0]["audio"])) // 48 == stopped["audio_end_ms"]


async def test_speech_with_detection_off_is_not_noticed(client: Client) -> None:
    await client.turn_detection(None)
    await client.say(spliced(300, sentence(LONG), 900))
    assert await client.settled() == []


async def test_push_to_talk(client: Client) -> None:
    await client.turn_detection(None)
    await client.say(sentence(AGAIN))
    committed = await client.answer({"type": "input_audio_buffer.commit"}, "input_audio_buffer.committed")
    await client.until("conversation.item.done")
    assert (await client.response())["status"] == "completed"
    retrieve = {"type": "conversation.item.retrieve", "item_id": committed["item_id"]}
    got = await client.answer(retrieve, "conversation.item.retrieved")
    assert base64.b64decode(got["item"]["content"][0]["audio"]) == sentence(AGAIN).astype("<i2").tobytes()


@pytest.mark.parametrize("appended_ms", [0, 99])
async def test_commit_of_too_little_is_refused(client: Client, appended_ms: int) -> None:
    await client.turn_detection(None)
    await client.say(silence(appended_ms))
    assert (await client.refused({"type": "input_audio_buffer.commit"}))["code"] == "input_audio_buffer_commit_empty"


async def test_commit_in_mid_speech_has_no_speech_stopped_and_no_reply(client: Client) -> None:
    await client.say(spliced(500, sentence(LONG)[:48_000]))
    started = await client.until("input_audio_buffer.speech_started")
    await client.send({"type": "input_audio_buffer.commit"})
    events = await client.settled()
    assert [event["type"] for event in events] == [
        "input_audio_buffer.committed",
        "conversation.item.added",
        "conversation.item.done",
    ]
    assert events[0]["item_id"] == started["item_id"]


async def test_clear_drops_the_turn_in_progress(client: Client) -> None:
    await client.say(spliced(500, sentence(LONG)[:48_000]))
    started = await client.until("input_audio_buffer.speech_started")
    await client.answer({"type": "input_audio_buffer.clear"}, "input_audio_buffer.cleared")
    assert (await client.refused({"type": "input_audio_buffer.commit"}))["code"] == "input_audio_buffer_commit_empty"
    await client.say(spliced(1500, sentence(AGAIN)))
    assert (await client.until("input_audio_buffer.speech_started"))["item_id"] != started["item_id"]


async def test_sample_split_over_two_appends_is_put_together(client: Client) -> None:
    await client.turn_detection(None)
    audio = sentence(AGAIN).astype("<i2").tobytes()
    for piece in (audio[:4801], audio[4801:4802], audio[4802:]):
        await client.send({"type": "input_audio_buffer.append", "audio": base64.b64encode(piece).decode()})
    committed = await client.answer({"type": "input_audio_buffer.commit"}, "input_audio_buffer.committed")
    await client.until("conversation.item.done")
    retrieve = {"type": "conversation.item.retrieve", "item_id": committed["item_id"]}
    got = await client.answer(retrieve, "conversation.item.retrieved")
    assert base64.b64decode(got["item"]["content"][0]["audio"]) == audio


async def test_changing_the_mode_in_mid_speech_keeps_the_turn(client: Client) -> None:
    await client.say(spliced(1000, sentence(LONG)[:48_000]))
    started = await client.until("input_audio_buffer.speech_started")
    await client.turn_detection({"type": "semantic_vad", "eagerness": "high"})
    await client.say(silence(2500))
    assert (await client.until("input_audio_buffer.committed"))["item_id"] == started["item_id"]
