"""An engine that does what a test says, over a real socket on this machine: well-behaved, broken or gone."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from http import HTTPStatus
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

if TYPE_CHECKING:
    from numpy.typing import NDArray

AUDIO = {"format": {"type": "audio/pcm", "rate": 24000}}


class EngineSide:
    """The engine's end of one connection."""

    def __init__(self, socket: ServerConnection) -> None:
        self.socket = socket
        self.headers: Mapping[str, str] = dict(socket.request.headers) if socket.request is not None else {}
        self.received: list[dict[str, Any]] = []
        self._arrived = asyncio.Event()
        self._taken = 0
        self._next_response = 1

    async def listen(self) -> None:
        """Keep what the participant sends until it is gone."""
        try:
            async for frame in self.socket:
                self.received.append(json.loads(frame))
                self._arrived.set()
        except ConnectionClosed:
            return

    async def expect(self, kind: str) -> dict[str, Any]:
        """Return the next event of this type, behind those that were expected before."""
        while True:
            for index in range(self._taken, len(self.received)):
                if self.received[index]["type"] == kind:
                    self._taken = index + 1
                    return self.received[index]
            self._arrived.clear()
            await self._arrived.wait()

    async def send(self, kind: str, **fields: Any) -> None:
        """Send an event."""
        await self.socket.send(json.dumps({"type": kind, **fields}))

    async def greet(self) -> dict[str, Any]:
        """Open the session as an engine does, and take the settings as they are. Returns them."""
        await self.send("session.created", session={"type": "realtime", "id": "sess_1"})
        session: dict[str, Any] = (await self.expect("session.update"))["session"]
        await self.send("session.updated", session=session)
        return session

    async def begin_reply(self, response_id: str, item_id: str) -> None:
        """Begin a spoken response."""
        await self.send("response.created", response={"id": response_id, "status": "in_progress"})
        await self.send("conversation.item.added", item={"id": item_id, "type": "message", "role": "assistant"})

    async def say(self, response_id: str, item_id: str, samples: "NDArray[np.int16] | bytes") -> None:
        """Send audio of an item as one delta."""
        data = samples if isinstance(samples, bytes) else samples.astype("<i2").tobytes()
        delta = base64.b64encode(data).decode()
        await self.send("response.output_audio.delta", response_id=response_id, item_id=item_id, delta=delta)

    async def end_audio(self, response_id: str, item_id: str) -> None:
        """Say that the item's audio is complete."""
        await self.send("response.output_audio.done", response_id=response_id, item_id=item_id)

    async def finish(self, response_id: str, status: str = "completed", **details: Any) -> None:
        """End a response."""
        await self.send("response.done", response={"id": response_id, "status": status, "output": [], **details})


Script = Callable[[EngineSide], Awaitable[None]]


class ScriptedEngine:
    """Async context manager: a server whose connections each run `script`, then stay open until the client leaves.

    With `status` it refuses every handshake.
    """

    def __init__(self, script: Script, *, status: HTTPStatus | None = None) -> None:
        self._script = script
        self._status = status
        self._server: Server | None = None
        self.sides: list[EngineSide] = []
        self.failures: list[BaseException] = []

    @property
    def port(self) -> int:
        assert self._server is not None
        port: int = next(iter(self._server.sockets)).getsockname()[1]
        return port

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self.port}/v1/realtime"

    async def __aenter__(self) -> Self:
        self._server = await serve(
            self._connected,
            "127.0.0.1",
            0,
            subprotocols=[Subprotocol("realtime")],
            select_subprotocol=lambda connection, offered: offered[0] if offered else None,
            process_request=self._answer,
            compression=None,
            max_size=None,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        await self._server.wait_closed()
        if self.failures and error is None:
            raise self.failures[0]

    def _answer(self, connection: ServerConnection, request: Request) -> Response | None:
        return None if self._status is None else connection.respond(self._status, "refused\n")

    async def _connected(self, socket: ServerConnection) -> None:
        side = EngineSide(socket)
        self.sides.append(side)
        script = asyncio.ensure_future(self._script(side))
        # The script ends with the connection, wherever it is.
        listening = asyncio.create_task(side.listen())
        listening.add_done_callback(lambda _: script.cancel())
        try:
            await script
            await listening
        except (ConnectionClosed, asyncio.CancelledError):
            pass
        except Exception as failure:
            self.failures.append(failure)
        finally:
            listening.cancel()


@asynccontextmanager
async def silent_engine() -> AsyncIterator[tuple[str, asyncio.Event]]:
    """Give the address of a server that accepts connections and never answers, and what is set once one is there."""
    reached = asyncio.Event()

    async def stay_silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        reached.set()
        await reader.read()
        writer.close()

    async with await asyncio.start_server(stay_silent, "127.0.0.1", 0) as server:
        yield f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/", reached


def tone(milliseconds: int, level: int = 8000) -> "NDArray[np.int16]":
    """Return audio without a single zero sample, so that silence and sound can be told apart sample by sample."""
    count = 24 * milliseconds
    return np.where(np.arange(count) // 30 % 2, level, -level).astype(np.int16)
