"""The stock `openai` client as an independent witness: every event that arrives is validated against its models."""

import asyncio
import base64
import json
import typing
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from openai import AsyncOpenAI
from openai.resources.realtime.realtime import AsyncRealtimeConnection
from openai.types.realtime import RealtimeServerEvent
from pydantic import BaseModel

from tests.engine.speech import Samples

Event = dict[str, Any]
CHUNK_SAMPLES = 480  # 20 ms


def _models() -> dict[str, type[BaseModel]]:
    union = typing.get_args(RealtimeServerEvent)[0]
    return {typing.get_args(model.model_fields["type"].annotation)[0]: model for model in typing.get_args(union)}


MODELS = _models()


class Client:
    """One session. `events` holds all that arrived, in order.

    An engine's event that the stock models do not know, or that does not fit them, fails the test where it arrives.
    """

    def __init__(self, connection: AsyncRealtimeConnection) -> None:
        self._connection = connection
        self.events: list[Event] = []

    async def send(self, event: Event) -> None:
        await self._connection.send(typing.cast(Any, event))

    def lose(self) -> None:
        """Drops the socket without a close frame, as a dead network does."""
        self._connection._connection.transport.abort()

    async def next(self) -> Event:
        event: Event = json.loads(await asyncio.wait_for(self._connection.recv_bytes(), 20))
        MODELS[event["type"]].model_validate(event)
        self.events.append(event)
        return event

    async def until(self, wanted: str | Callable[[Event], bool]) -> Event:
        """Receives up to the next event of this type, or the first that fits."""
        fits = wanted if callable(wanted) else lambda event: bool(event["type"] == wanted)
        while True:
            event = await self.next()
            if fits(event):
                return event

    async def answer(self, event: Event, answer_type: str) -> Event:
        """Sends, and receives up to the answer; an error in its place fails the test."""
        await self.send(event)
        got = await self.until(lambda event: event["type"] in (answer_type, "error"))
        assert got["type"] == answer_type, got
        return got

    async def refused(self, event: Event) -> dict[str, Any]:
        """Sends an event that must be refused; the error."""
        await self.send({"event_id": "evt_of_ours", **event})
        error: dict[str, Any] = (await self.until("error"))["error"]
        assert error["event_id"] == "evt_of_ours"
        assert error["message"].endswith((".", ")"))
        return error

    async def update(self, **session: Any) -> Event:
        """session.update; the effective session."""
        event = {"type": "session.update", "session": {"type": "realtime", **session}}
        got = await self.answer(event, "session.updated")
        return typing.cast(Event, got["session"])

    async def turn_detection(self, value: Event | None) -> None:
        await self.update(audio={"input": {"turn_detection": value}})

    async def say(self, samples: Samples) -> None:
        """Appends audio in chunks of 20 ms as fast as they go: the engine's clock is the audio's."""
        for start in range(0, len(samples), CHUNK_SAMPLES):
            audio = base64.b64encode(samples[start : start + CHUNK_SAMPLES].astype("<i2").tobytes()).decode()
            await self.send({"type": "input_audio_buffer.append", "audio": audio})

    async def settled(self) -> list[Event]:
        """Waits until the engine has answered all that was sent so far; the events that arrived meanwhile."""
        seen = len(self.events)
        missing = {"type": "conversation.item.retrieve", "event_id": "evt_marker", "item_id": "no_such_item"}
        await self.send(missing)
        await self.until(lambda event: event["type"] == "error" and event["error"]["event_id"] == "evt_marker")
        return self.events[seen:-1]

    async def item(self, item: Event) -> Event:
        """conversation.item.create; the item."""
        got = await self.answer({"type": "conversation.item.create", "item": item}, "conversation.item.done")
        return typing.cast(Event, got["item"])

    async def text(self, text: str, role: str = "user") -> Event:
        kind = "output_text" if role == "assistant" else "input_text"
        return await self.item({"type": "message", "role": role, "content": [{"type": kind, "text": text}]})

    async def response(self, **fields: Any) -> Event:
        """response.create, to its end; the response of response.done."""
        await self.send({"type": "response.create", "response": fields})
        done = await self.until(lambda event: event["type"] in ("response.done", "error"))
        assert done["type"] == "response.done", done
        return typing.cast(Event, done["response"])

    def types(self) -> list[str]:
        """The types of all that arrived; a row of deltas counts once."""
        types: list[str] = []
        for event in self.events:
            kind = "deltas" if event["type"].endswith(".delta") else event["type"]
            if not (types and kind == types[-1] == "deltas"):
                types.append(kind)
        return types

    def of(self, kind: str) -> list[Event]:
        return [event for event in self.events if event["type"] == kind]

    def audio_of(self, item_id: str) -> bytes:
        deltas = (event["delta"] for event in self.of("response.output_audio.delta") if event["item_id"] == item_id)
        return b"".join(base64.b64decode(delta) for delta in deltas)


@asynccontextmanager
async def connected(url: str, *, key: str = "no-key-needed") -> AsyncIterator[Client]:
    """A session that has begun: session.created has arrived.

    Args:
        url: the address that the engine printed.
    """
    base_url = url.removesuffix("/realtime")
    async with AsyncOpenAI(api_key=key, websocket_base_url=base_url) as openai:
        options: Any = {"proxy": None, "max_size": None}
        async with openai.realtime.connect(model="some-model", websocket_connection_options=options) as connection:
            client = Client(connection)
            created = await client.next()
            assert created["type"] == "session.created"
            yield client
