"""Whatever a client sends is answered by events or errors of the client's, never by a fault of the engine."""

import asyncio
import base64
import json
import string
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.engine.activity import SpeechActivity
from simulator.engine.configuration import defaults
from simulator.engine.outbox import Outbox
from simulator.engine.session import Session
from simulator.engine.speech_model import SpeechModel
from simulator.engine.voice import Voice
from tests.engine.client import MODELS, connected
from tests.engine.conftest import running_engine
from tests.engine.speech import sentence, spliced

_WORDS = st.sampled_from(
    [
        "type", "session", "realtime", "event_id", "audio", "input", "output", "format", "rate", "voice", "speed",
        "turn_detection", "server_vad", "semantic_vad", "threshold", "silence_duration_ms", "eagerness", "item",
        "item_id", "id", "message", "role", "user", "assistant", "content", "input_text", "text", "input_audio",
        "input_image", "image_url", "content_index", "audio_end_ms", "previous_item_id", "root", "response",
        "response_id", "tools", "tool_choice", "required", "function", "name", "parameters", "instructions",
        "conversation", "none", "output_modalities", "metadata", "max_output_tokens", "function_call_output", "call_id",
        "output", "item_reference", "audio/pcm", "transcription", "model",
    ]
)  # fmt: skip
_SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-10, 10_000), st.floats(), _WORDS, st.text(string.printable, max_size=12)
)
_JSON = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_WORDS, inner, max_size=5)),
    max_leaves=12,
)
_TYPES = st.sampled_from(
    [
        "session.update",
        "input_audio_buffer.append",
        "input_audio_buffer.commit",
        "input_audio_buffer.clear",
        "conversation.item.create",
        "conversation.item.retrieve",
        "conversation.item.delete",
        "conversation.item.truncate",
        "response.create",
        "response.cancel",
    ]
)
_BODIES = st.dictionaries(st.sampled_from(["session", "audio", "item", "item_id", "response", "event_id"]), _JSON)
_LIKELY = st.sampled_from(
    [
        {"type": "session.update", "session": {"type": "realtime", "audio": {"input": {"turn_detection": None}}}},
        {"type": "session.update", "session": {"type": "realtime", "tools": [{"type": "function", "name": "x"}]}},
        {"type": "input_audio_buffer.append", "audio": base64.b64encode(bytes(9601)).decode()},
        {"type": "response.create", "response": {"output_modalities": ["text"]}},
        {"type": "response.create", "response": {"tool_choice": "required", "conversation": "none"}},
        {"type": "conversation.item.create", "item": {"type": "message", "role": "user", "content": []}},
    ]
)
_EVENTS = st.lists(
    st.one_of(_LIKELY, st.builds(lambda kind, body: {**body, "type": kind}, _TYPES, _BODIES)), max_size=8
)

_ACTIVITY = SpeechActivity(SpeechModel())
_VOICE = Voice()


@pytest.fixture(scope="module", autouse=True)
def _voice_is_closed() -> Iterator[None]:
    """Other tests count the processes that speak."""
    yield
    _VOICE.close()


class Sent:
    """A connection that keeps what was sent."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self.dones = asyncio.Semaphore(0)

    async def send(self, message: str) -> None:
        self.events.append(json.loads(message))
        if self.events[-1]["type"] == "response.done":
            self.dones.release()


async def _talk(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    sent = Sent()
    outbox = Outbox(sent)
    sending = asyncio.create_task(outbox.run())
    session = Session(defaults("sess_1", "some-model", 0), outbox, _ACTIVITY, _VOICE, rate=float("inf"))

    async def messages() -> AsyncIterator[str]:
        for event in events:
            yield json.dumps(event)
            await asyncio.sleep(0)
        await outbox.flush()

    await session.run(messages())
    await outbox.flush()
    sending.cancel()
    return sent.events


@given(_EVENTS)
@settings(max_examples=150)
def test_no_event_of_a_client_makes_the_engine_fail(events: list[dict[str, Any]]) -> None:
    answered = asyncio.run(_talk(events))
    assert answered[0]["type"] == "session.created"
    for event in answered:
        MODELS[event["type"]].model_validate(event)
        if event["type"] == "error":
            assert event["error"]["type"] == "invalid_request_error", event
    assert len({event["event_id"] for event in answered}) == len(answered)


class BrokenVoice(Voice):
    """Cannot say its second sentence."""

    async def spoken(self, sentence: str, speed: float, name: str = "") -> bytes:
        if "farmer" in sentence:
            raise RuntimeError("the model is gone")
        return bytes(48_000)

    async def sentences(self, text: str) -> list[str]:
        return ["One.", "The farmer."]


async def test_reply_that_fails_ends_as_failed_and_the_session_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    sent = Sent()
    outbox = Outbox(sent)
    sending = asyncio.create_task(outbox.run())
    session = Session(defaults("sess_1", "some-model", 0), outbox, _ACTIVITY, BrokenVoice(), rate=float("inf"))

    async def messages() -> AsyncIterator[str]:
        yield json.dumps({"type": "response.create"})
        await sent.dones.acquire()
        yield json.dumps({"type": "response.create", "response": {"output_modalities": ["text"]}})
        await sent.dones.acquire()

    await asyncio.wait_for(session.run(messages()), 20)
    sending.cancel()
    first, second = (event["response"] for event in sent.events if event["type"] == "response.done")
    assert first["status"] == "failed"
    assert first["status_details"]["error"]["message"] == "The reply failed: the model is gone"
    assert first["output"][0]["status"] == "incomplete"
    assert second["status"] == "completed"
    assert "a response failed" in caplog.text


class SlowReader(Sent):
    """A client that has stopped reading after the first events."""

    def __init__(self) -> None:
        super().__init__()
        self.stuck = asyncio.Event()

    async def send(self, message: str) -> None:
        await super().send(message)
        if len(self.events) == 10:
            self.stuck.set()
            await asyncio.Event().wait()


async def test_reply_waits_for_a_client_that_does_not_read() -> None:
    slow = SlowReader()
    outbox = Outbox(slow)
    sending = asyncio.create_task(outbox.run())
    put = 0

    async def speak() -> None:
        nonlocal put
        while True:
            await outbox.room()
            outbox.put({"type": "response.output_audio.delta"})
            put += 1

    speaking = asyncio.create_task(speak())
    await asyncio.wait_for(slow.stuck.wait(), 20)
    for _ in range(1000):
        await asyncio.sleep(0)
    assert put < 100
    speaking.cancel()
    sending.cancel()


async def test_lost_connections_harm_nobody_else() -> None:
    with running_engine() as url:
        async with connected(url) as other:
            for _ in range(3):
                async with connected(url) as lost:
                    await lost.text("Please tell me a long story.")
                    await lost.send({"type": "response.create"})
                    await lost.until("response.output_audio.delta")
                    await lost.say(spliced(100, sentence("Sorry, can I stop you there for a moment?")))
                    lost.lose()
            await other.text("Hello?")
            assert (await other.response())["status"] == "completed"
