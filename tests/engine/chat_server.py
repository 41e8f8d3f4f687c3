"""A chat-completions server that answers as a test tells it to, and keeps what it was asked."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

Answer = Callable[["Exchange"], Awaitable[None]]


class Exchange:
    """One request and the way to answer it."""

    def __init__(self, head: str, body: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.line, _, rest = head.partition("\r\n")
        self.headers = {
            name.lower(): value.strip()
            for name, _, value in (line.partition(":") for line in rest.splitlines() if line)
        }
        self.body: dict[str, Any] = json.loads(body) if body else {}
        self._reader = reader
        self._writer = writer

    async def begin(self, status: str = "200 OK", kind: str = "text/event-stream") -> None:
        self._writer.write(f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n".encode())
        await self._writer.drain()

    async def data(self, value: object) -> None:
        text = value if isinstance(value, str) else json.dumps(value)
        self._writer.write(f"data: {text}\n\n".encode())
        await self._writer.drain()

    async def words(self, *pieces: str) -> None:
        for piece in pieces:
            await self.data({"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]})

    async def call_part(self, index: int, **function: str) -> None:
        part: dict[str, Any] = {"index": index, "function": function}
        if "name" in function:
            part |= {"id": f"call_{index}", "type": "function"}
        await self.data({"choices": [{"index": 0, "delta": {"tool_calls": [part]}, "finish_reason": None}]})

    async def end(self, reason: str = "stop") -> None:
        await self.data({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
        await self.data({"choices": [], "usage": {"total_tokens": 3}})
        await self.data("[DONE]")

    async def json(self, value: object, status: str = "200 OK") -> None:
        await self.begin(status, "application/json")
        self._writer.write(json.dumps(value).encode())
        await self._writer.drain()

    async def hung_up(self) -> None:
        """Waits until the client closes its side."""
        await self._reader.read()


def saying(*pieces: str, reason: str = "stop") -> Answer:
    async def answer(exchange: Exchange) -> None:
        await exchange.begin()
        await exchange.words(*pieces)
        await exchange.end(reason)

    return answer


def calling(name: str, *arguments: str) -> Answer:
    async def answer(exchange: Exchange) -> None:
        await exchange.begin()
        await exchange.call_part(0, name=name)
        for piece in arguments:
            await exchange.call_part(0, arguments=piece)
        await exchange.end("tool_calls")

    return answer


class ChatServer:
    """Answers requests with `answers` in turn; the last one again and again.

    Attributes:
        asked: the exchanges so far.
    """

    def __init__(self) -> None:
        self.url = ""
        self.answers: list[Answer] = []
        self.asked: list[Exchange] = []
        self.failures: list[BaseException] = []

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            length = next(
                (int(line[15:]) for line in head.splitlines() if line.lower().startswith("content-length:")), 0
            )
            exchange = Exchange(head, await reader.readexactly(length), reader, writer)
            self.asked.append(exchange)
            answer = self.answers[0] if len(self.answers) == 1 else self.answers.pop(0)
            await answer(exchange)
        except ConnectionError:
            pass  # the client went away, as it may
        except Exception as error:
            self.failures.append(error)
        finally:
            writer.close()


@asynccontextmanager
async def chat_server(port: int = 0) -> AsyncIterator[ChatServer]:
    """A server for the length of the block; port 0 takes a free one."""
    scripted = ChatServer()
    server = await asyncio.start_server(scripted._serve, "127.0.0.1", port, limit=1 << 24)
    scripted.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    async with server:
        yield scripted
    assert scripted.failures == []
