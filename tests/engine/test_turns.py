"""A spoken turn over a real socket: from the first sample to response.done."""

import base64

import pytest

from simulator.engine.script import SILENT
from tests.engine.client import Client
from tests.engine.speech import ms_of, recording, sentence, silence, spliced

HELLO = "Hello there, I would like to ask you something."
ORDER = [
    "session.created",
    "input_audio_buffer.speech_started",
    "input_audio_buffer.speech_stopped",
    "input_audio_buffer.committed",
    "conversation.item.added",
    "conversation.item.done",
    "response.created",
    "response.output_item.added",
    "conversation.item.added",
    "response.content_part.added",
    "deltas",
    "response.output_audio.done",
    "response.output_audio_transcript.done",
    "response.content_part.done",
    "response.output_item.done",
    "conversation.item.done",
    "response.done",
]


async def test_order_of_a_spoken_turn(client: Client) -> None:
    await client.say(spliced(1000, sentence(HELLO), 1000))
    await client.until("response.done")
    assert client.types() == ORDER


async def test_turn_carries_one_item_id_and_places_on_the_audio_clock(client: Client) -> None:
    speech = sentence(HELLO)
    await client.say(spliced(1000, speech, 1000))
    await client.until("response.done")
    started, stopped = (
        client.of("input_audio_buffer.speech_started")[0],
        client.of("input_audio_buffer.speech_stopped")[0],
    )
    # The onset is at 1000 ms, 300 ms of padding lie before it; detection places it at most 100 ms late.
    assert 650 <= started["audio_start_ms"] <= 800
    # 500 ms of silence belong to the turn; the detector holds on for some windows after the last sound.
    offset_ms = 1000 + ms_of(speech)
    assert offset_ms + 400 <= stopped["audio_end_ms"] <= offset_ms + 650
    committed = client.of("input_audio_buffer.committed")[0]
    added, done = client.of("conversation.item.added")[0], client.of("conversation.item.done")[0]
    ids = {started["item_id"], stopped["item_id"], committed["item_id"], added["item"]["id"], done["item"]["id"]}
    assert len(ids) == 1
    assert committed["previous_item_id"] is None
    assert added["item"]["role"] == "user"
    reply = client.of("conversation.item.added")[1]
    assert reply["previous_item_id"] == added["item"]["id"]


async def test_committed_audio_is_the_turn_with_its_padding_and_silence(client: Client) -> None:
    samples = spliced(1000, sentence(HELLO), 1000)
    await client.say(samples)
    started = await client.until("input_audio_buffer.speech_started")
    stopped = await client.until("input_audio_buffer.speech_stopped")
    await client.until("response.done")
    got = await client.answer(
        {"type": "conversation.item.retrieve", "item_id": stopped["item_id"]}, "conversation.item.retrieved"
    )
    audio = base64.b64decode(got["item"]["content"][0]["audio"])
    first, last = started["audio_start_ms"] * 24, stopped["audio_end_ms"] * 24
    # Milliseconds are rounded down: up to 23 samples at either end.
    assert abs(len(audio) // 2 - (last - first)) <= 48
    assert audio in samples.astype("<i2").tobytes()


async def test_spoken_reply_is_complete(client: Client) -> None:
    await client.say(spliced(700, sentence(HELLO), 800))
    response = (await client.until("response.done"))["response"]
    assert response["status"] == "completed"
    assert response["output_modalities"] == ["audio"]
    [item] = response["output"]
    transcript = client.of("response.output_audio_transcript.done")[0]["transcript"]
    deltas = [event["delta"] for event in client.of("response.output_audio_transcript.delta")]
    assert transcript
    assert "".join(deltas) == transcript == item["content"][0]["transcript"]
    pieces = [len(base64.b64decode(event["delta"])) for event in client.of("response.output_audio.delta")]
    assert set(pieces[:-1]) == {4800}
    assert 0 < pieces[-1] <= 4800
    assert sum(pieces) >= 24_000
    assert all(size % 2 == 0 for size in pieces)


async def test_transcript_comes_in_step_with_the_audio(client: Client) -> None:
    await client.text("Tell me a long story.")
    await client.response()
    spoken = written = 0
    total_audio = len(client.audio_of(client.of("response.output_audio.done")[0]["item_id"]))
    total_text = len(client.of("response.output_audio_transcript.done")[0]["transcript"])
    for event in client.events:
        if event["type"] == "response.output_audio.delta":
            spoken += len(base64.b64decode(event["delta"]))
            # Letters take different times to say; a tenth of the story is far less than one sentence's error.
            assert abs(written / total_text - spoken / total_audio) < 0.1
        elif event["type"] == "response.output_audio_transcript.delta":
            written += len(event["delta"])


async def test_usage_counts_what_was_heard_and_said(client: Client) -> None:
    await client.say(spliced(700, sentence(HELLO), 800))
    response = (await client.until("response.done"))["response"]
    usage = response["usage"]
    details_in, details_out = usage["input_token_details"], usage["output_token_details"]
    heard_ms = (
        client.of("input_audio_buffer.speech_stopped")[0]["audio_end_ms"]
        - client.of("input_audio_buffer.speech_started")[0]["audio_start_ms"]
    )
    assert abs(details_in["audio_tokens"] - heard_ms / 100) <= 1
    said_ms = len(client.audio_of(response["output"][0]["id"])) / 48
    assert 0 <= details_out["audio_tokens"] - said_ms / 50 < 1
    assert usage["input_tokens"] == details_in["audio_tokens"] + details_in["text_tokens"] + details_in["image_tokens"]
    assert usage["output_tokens"] == details_out["audio_tokens"] + details_out["text_tokens"]
    assert usage["total_tokens"] == usage["input_tokens"] + usage["output_tokens"]
    assert all(type(usage[name]) is int for name in ("total_tokens", "input_tokens", "output_tokens"))


async def test_two_turns_are_two_items(client: Client) -> None:
    await client.turn_detection({"type": "server_vad", "create_response": False})
    await client.say(spliced(600, sentence(HELLO), 1200, sentence("And what do you think?"), 900))
    events = await client.settled()
    started = [event for event in events if event["type"] == "input_audio_buffer.speech_started"]
    committed = [event for event in events if event["type"] == "input_audio_buffer.committed"]
    assert len({event["item_id"] for event in started}) == 2
    assert [event["item_id"] for event in committed] == [event["item_id"] for event in started]
    assert committed[1]["previous_item_id"] == committed[0]["item_id"]
    second_onset_ms = 600 + ms_of(sentence(HELLO)) + 1200
    assert abs(started[1]["audio_start_ms"] - (second_onset_ms - 300)) < 150


async def test_without_create_response_nothing_is_said(client: Client) -> None:
    await client.turn_detection({"type": "server_vad", "create_response": False})
    await client.say(spliced(600, sentence(HELLO), 900))
    assert [event["type"] for event in await client.settled()] == [
        "input_audio_buffer.speech_started",
        "input_audio_buffer.speech_stopped",
        "input_audio_buffer.committed",
        "conversation.item.added",
        "conversation.item.done",
    ]


@pytest.mark.parametrize(("eagerness", "maximum_ms"), [("low", 8000), ("medium", 4000), ("auto", 4000), ("high", 2000)])
async def test_semantic_detection_ends_a_turn_within_its_maximum(
    client: Client, eagerness: str, maximum_ms: int
) -> None:
    speech = sentence(HELLO)
    await client.turn_detection({"type": "semantic_vad", "eagerness": eagerness})
    await client.say(spliced(1000, speech, maximum_ms + 200))
    stopped = await client.until("input_audio_buffer.speech_stopped")
    assert 0 < stopped["audio_end_ms"] - (1000 + ms_of(speech)) <= maximum_ms
    assert (await client.until("response.done"))["response"]["status"] == "completed"


async def test_silence_after_a_reply_is_answered_when_idle_timeout_is_set(client: Client) -> None:
    await client.turn_detection({"type": "server_vad", "idle_timeout_ms": 5000})
    await client.say(silence(9000))
    assert await client.settled() == []  # nothing was said that could be answered
    await client.text("Hello?")
    reply = await client.response()
    await client.settled()
    played_ms = len(client.audio_of(reply["output"][0]["id"])) / 48
    await client.say(silence(round(played_ms) + 5500))
    triggered = await client.until("input_audio_buffer.timeout_triggered")
    assert triggered["audio_end_ms"] - triggered["audio_start_ms"] == 5000
    assert 9000 < triggered["audio_start_ms"] <= 9000 + played_ms
    committed = await client.until("input_audio_buffer.committed")
    assert committed["item_id"] == triggered["item_id"]
    words = (await client.until("response.done"))["response"]["output"][0]["content"][0]["transcript"]
    assert words in SILENT


async def test_speech_ends_the_idle_timeout(client: Client) -> None:
    await client.turn_detection({"type": "server_vad", "idle_timeout_ms": 5000, "create_response": False})
    await client.text("Hello?")
    await client.response()
    await client.settled()
    await client.say(spliced(3000, sentence(HELLO), 9000))
    await client.settled()
    assert not client.of("input_audio_buffer.timeout_triggered")


async def test_a_persons_voice_is_heard_and_answered(client: Client) -> None:
    await client.say(spliced(800, recording("jfk.flac"), 800))
    started = await client.until("input_audio_buffer.speech_started")
    assert 400 <= started["audio_start_ms"] <= 600
    await client.until(lambda event: event["type"] == "response.done" and event["response"]["status"] == "completed")
