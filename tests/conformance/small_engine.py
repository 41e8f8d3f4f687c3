"""A small engine of the tests: hears by energy, answers with a tone, and misbehaves on request.

It shares no line with the embedded engine or the suite, so that a driver is tried against a second opinion.
"""

import asyncio
import base64
import contextlib
import itertools
import json
from collections.abc import AsyncIterator
from typing import Any

import numpy as np
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

CHUNK_MS = 20
SILENCE_MS = 500
TONE = (8_000 * np.sin(np.arange(2_400) * 0.06)).astype("<i2").tobytes()
"""100 ms of voice."""


class SmallEngine:
    """One session. `faults` are the words looked up below."""

    def __init__(self, socket: ServerConnection, faults: set[str]) -> None:
        self.socket = socket
        self.faults = faults
        self.heard_ms = 0
        self.silent_ms = 0
        self.speech: str | None = None
        self.ids = 0
        self.reply: asyncio.Task[None] | None = None
        self.tasks: set[asyncio.Task[Any]] = set()

    async def send(self, kind: str, **event: Any) -> None:
        with contextlib.suppress(ConnectionClosed):
            await self.socket.send(json.dumps({"type": kind, **event}))

    def later(self, delay_s: float, kind: str, **event: Any) -> None:
        async def go() -> None:
            await asyncio.sleep(delay_s)
            await self.send(kind, **event)

        task = asyncio.create_task(go())
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def new_id(self, kind: str) -> str:
        self.ids += 1
        return f"{kind}_{self.ids}"

    async def run(self) -> None:
        await self.send("session.created", session={})
        if "flood" in self.faults:
            for number in range(10_000):
                await self.send("vendor.ping", number=number)
        async for frame in self.socket:
            event = json.loads(frame)
            match event["type"]:
                case "session.update":
                    await self._update(event)
                case "input_audio_buffer.append":
                    await self._hear(np.frombuffer(base64.b64decode(event["audio"]), "<i2"))
                case "response.create" if "limited" in self.faults:
                    error = {"type": "requests", "code": "rate_limit_exceeded", "message": "slow down"}
                    await self.send("error", error=error)
                case "response.create":
                    self._answer(pieces=400, pace_s=0.04 if "fast" not in self.faults else 0)
                case "conversation.item.truncate":
                    await self._truncate(event)
        if self.reply is not None:
            self.reply.cancel()

    async def _update(self, event: dict[str, Any]) -> None:
        if "refuse" in self.faults:
            await self.send("error", error={"event_id": event["event_id"], "message": "no such voice"})
        elif "tells key" in self.faults:
            assert self.socket.request is not None
            key = self.socket.request.headers["Authorization"]
            message = f"{key} may not <script>alert('{key}')</script>\x00\x1b\u202e"
            await self.send("error", error={"event_id": event["event_id"], "message": message})
        elif "silent" not in self.faults:
            session = event["session"]
            if "no rate" in self.faults:
                session["audio"]["output"]["format"] = {"type": "audio/pcm"}
            await self.send("session.updated", session=session)

    async def _hear(self, samples: np.ndarray) -> None:
        self.heard_ms += CHUNK_MS
        loud = bool(np.abs(samples).max(initial=0) > 500)
        self.silent_ms = 0 if loud else self.silent_ms + CHUNK_MS
        if loud and self.speech is None:
            self.speech = self.new_id("user")
            delay_s = 1.4 if "late" in self.faults else 0
            started = {"item_id": self.speech, "audio_start_ms": max(self.heard_ms - 300, 0)}
            self.later(delay_s, "input_audio_buffer.speech_started", **started)
            if self.reply is not None and not self.reply.done() and "deaf" not in self.faults:
                self.reply.cancel()
        elif self.speech is not None and self.silent_ms >= SILENCE_MS:
            if "hang up" in self.faults:
                await self.socket.close(1011, "oops")
                return
            if "vanish" in self.faults:
                self.socket.transport.abort()
                return
            item_id, self.speech = self.speech, None
            await self.send("input_audio_buffer.speech_stopped", item_id=item_id, audio_end_ms=self.heard_ms)
            await self.send("input_audio_buffer.committed", item_id=item_id)
            for kind in ("conversation.item.added", "conversation.item.done"):
                await self.send(kind, item={"id": item_id, "type": "message"})
            self._answer(pieces=8, pace_s=0)

    def _answer(self, pieces: int, pace_s: float) -> None:
        self.reply = asyncio.create_task(self._speak(pieces, pace_s))

    async def _speak(self, pieces: int, pace_s: float) -> None:
        response_id, item_id = self.new_id("response"), self.new_id("agent")
        ids = {"response_id": response_id, "item_id": item_id}
        delta = base64.b64encode(TONE).decode()
        response: dict[str, Any] = {"id": response_id}
        await self.send("response.created", response=response)
        try:
            for _ in range(pieces):
                await self.send("response.output_audio.delta", **ids, delta=delta)
                await asyncio.sleep(pace_s)
            await self.send("response.output_audio.done", **ids)
            await self.send("response.output_audio_transcript.done", **ids, transcript="la la")
            usage = {"total_tokens": 3, "input_tokens": 2, "output_tokens": 1}
            response |= {"status": "completed", "usage": usage}
            if "no usage" in self.faults:
                del response["usage"]
        except asyncio.CancelledError:
            details = {"type": "cancelled", "reason": "turn_detected"}
            response |= {"status": "cancelled", "status_details": details}
            if "not over" in self.faults:
                self.later(0.5, "response.output_audio.delta", **ids, delta=delta)
        await self.send("response.done", response=response)

    async def _truncate(self, event: dict[str, Any]) -> None:
        audio_end_ms = event["audio_end_ms"] - (event["audio_end_ms"] % 100 if "rounds" in self.faults else 0)
        await self.send("conversation.item.truncated", item_id=event["item_id"], audio_end_ms=audio_end_ms)


@contextlib.asynccontextmanager
async def small_engine(*faults: str) -> AsyncIterator[str]:
    """Give the address of a small engine with these faults."""
    known = {
        "flood",
        "refuse",
        "tells key",
        "silent",
        "no rate",
        "late",
        "deaf",
        "hang up",
        "vanish",
        "limited",
        "full",
        "no usage",
        "not over",
        "rounds",
        "fast",
    }
    assert set(faults) <= known

    async def handle(socket: ServerConnection) -> None:
        with contextlib.suppress(ConnectionClosed):
            await SmallEngine(socket, set(faults)).run()

    callers = itertools.count(1)

    def admit(connection: ServerConnection, _request: Request) -> Response | None:
        is_first = next(callers) == 1
        return connection.respond(429, "too many") if "full" in faults and not is_first else None

    async with serve(handle, "127.0.0.1", 0, compression=None, process_request=admit) as server:
        yield f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1/realtime"
