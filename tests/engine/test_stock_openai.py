"""The realtime client of the `openai` package, by its own methods: a spoken turn, a tool call, an interruption.

The other tests of the engine go through this client, too, but send and read plain JSON.
"""

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from openai import AsyncOpenAI
from openai.resources.realtime.realtime import AsyncRealtimeConnection

from tests.engine.client import CHUNK_SAMPLES
from tests.engine.speech import Samples, sentence, spliced

TOOL: Any = {
    "type": "function",
    "name": "report_weather",
    "description": "Report today's weather in a city.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}


@pytest.fixture
async def connection(engine_url: str) -> AsyncIterator[AsyncRealtimeConnection]:
    base_url = engine_url.removesuffix("/realtime")
    options: Any = {"proxy": None}
    async with (
        AsyncOpenAI(api_key="no-key-needed", websocket_base_url=base_url) as openai,
        openai.realtime.connect(model="gpt-realtime", websocket_connection_options=options) as connection,
    ):
        audio: Any = {"input": {"turn_detection": {"type": "server_vad"}}}
        await connection.session.update(
            session={"type": "realtime", "instructions": "Be friendly.", "tools": [TOOL], "audio": audio}
        )
        yield connection


async def until(connection: AsyncRealtimeConnection, kind: str, seen: list[Any] | None = None) -> Any:
    """The next event of a type; an error on the way fails the test."""
    async with asyncio.timeout(20):
        async for event in connection:
            assert event.type != "error", event
            if seen is not None:
                seen.append(event)
            if event.type == kind:
                return event
    raise AssertionError("the connection is closed")


async def say(connection: AsyncRealtimeConnection, samples: Samples) -> None:
    for start in range(0, len(samples), CHUNK_SAMPLES):
        audio = base64.b64encode(samples[start : start + CHUNK_SAMPLES].astype("<i2").tobytes()).decode()
        await connection.input_audio_buffer.append(audio=audio)


async def write(connection: AsyncRealtimeConnection, text: str) -> None:
    await connection.conversation.item.create(
        item={"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
    )
    await connection.response.create()


async def test_spoken_turn_is_answered_aloud(connection: AsyncRealtimeConnection) -> None:
    await say(connection, spliced(700, sentence("Would you rather have coffee or tea in the morning?"), 1200))
    seen: list[Any] = []
    done = await until(connection, "response.done", seen)
    assert done.response.status == "completed"
    assert done.response.usage.output_token_details.audio_tokens > 10
    audio = b"".join(base64.b64decode(event.delta) for event in seen if event.type == "response.output_audio.delta")
    assert len(audio) > 24_000
    assert done.response.output[0].content[0].transcript


async def test_tool_is_called_and_its_output_answered(connection: AsyncRealtimeConnection) -> None:
    await write(connection, "What is the weather in Lisbon?")
    called = await until(connection, "response.function_call_arguments.done")
    assert json.loads(called.arguments) == {"city": "Lisbon"}
    await until(connection, "response.done")
    await connection.conversation.item.create(
        item={"type": "function_call_output", "call_id": called.call_id, "output": '{"sky": "clear"}'}
    )
    await connection.response.create()
    told = await until(connection, "response.output_audio_transcript.done")
    assert "sky clear" in told.transcript


async def test_speech_interrupts_a_long_reply(connection: AsyncRealtimeConnection) -> None:
    await write(connection, "Please tell me a long story.")
    first = await until(connection, "response.output_audio.delta")
    await say(connection, spliced(sentence("Wait a moment please, I would like to say something."), 1200))
    done = await until(connection, "response.done")
    assert (done.response.id, done.response.status) == (first.response_id, "cancelled")
    assert done.response.status_details.reason == "turn_detected"
    await connection.conversation.item.truncate(item_id=first.item_id, content_index=0, audio_end_ms=80)
    cut = await until(connection, "conversation.item.truncated")
    assert (cut.item_id, cut.audio_end_ms) == (first.item_id, 80)
    assert (await until(connection, "response.done")).response.status == "completed"
