"""The WebSocket to the engine: frames with the time at which they were read and handed over, and why it ended.

A frame is stamped right after it was read from the socket and before anything looks at it, and right after it was
handed to the socket. Failures are told apart here, at the boundary, and nowhere else: what the `websockets` library
raises does not leave this file.
"""

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Callable
from typing import Final, Literal, NamedTuple, Self

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed as SocketClosed

from simulator.engines.profiles import EngineTarget
from simulator.profile.facts import SAFETY_IDENTIFIER_HEADER, SAFETY_IDENTIFIER_PREFIX
from simulator.sockets import MAX_FRAME_BYTES, open_websocket

_CLOSE_WITHIN_S: Final = 0.5

OnFrame = Callable[[bytes, int], None]
"""Takes the text of a frame as UTF-8, and the monotonic time in ns at which it was read."""
OnSent = Callable[[int], None]
"""Takes the monotonic time in ns at which a frame had been handed to the socket. Must not raise."""


class Ended(NamedTuple):
    """Why the connection ended."""

    by: Literal["engine", "us", "lost"]
    code: int | None
    reason: str
    sentence: str
    """For the user; empty where we closed it."""


class Connection:
    """An open connection. Belongs to the loop that opened it."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._outgoing: deque[tuple[str, OnSent]] = deque()
        self._waiting = asyncio.Event()
        self._all_sent = asyncio.Event()
        self._all_sent.set()
        self._closing = False

    @classmethod
    async def open(cls, target: EngineTarget, pseudonym: str) -> Self:
        """Connect. `pseudonym` stands for the participant and is sent as the safety identifier.

        Raises EngineUnreachable, KeyRefused, or EngineFault for any other refusal. Cancelling it leaves nothing open.
        """
        headers = {**target.headers, SAFETY_IDENTIFIER_HEADER: SAFETY_IDENTIFIER_PREFIX + pseudonym}
        return cls(await open_websocket(target.url, headers, ["realtime"], close_within_s=_CLOSE_WITHIN_S))

    @property
    def subprotocol(self) -> str | None:
        """The subprotocol that the engine chose."""
        return self._socket.subprotocol

    def send(self, text: str, on_sent: OnSent) -> None:
        """Queue a frame; frames leave in order. Nothing is sent once the connection is closing."""
        self._outgoing.append((text, on_sent))
        self._all_sent.clear()
        self._waiting.set()

    async def run(self, on_frame: OnFrame) -> Ended:
        """Receive and send until the connection ends, and return why. `on_frame` must not raise."""
        sender = asyncio.create_task(self._send_all())
        try:
            while True:
                frame = await self._socket.recv(decode=False)
                on_frame(frame, time.monotonic_ns())
        except SocketClosed as closed:
            return self._ended(closed)
        finally:
            sender.cancel()
            with contextlib.suppress(asyncio.CancelledError, SocketClosed):
                await sender
            self._all_sent.set()

    async def close(self) -> None:
        """Send what is queued, then close; `run` returns. Takes half a second at most."""
        loop = asyncio.get_running_loop()
        by_s = loop.time() + _CLOSE_WITHIN_S
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_CLOSE_WITHIN_S / 2):
                await self._all_sent.wait()
        self._closing = True
        try:
            async with asyncio.timeout_at(by_s):
                await self._socket.close()
        except TimeoutError:
            # The library waits without a bound for an engine that reads nothing any more to take what was written.
            self._socket.transport.abort()
            await self._socket.wait_closed()

    async def _send_all(self) -> None:
        while True:
            await self._waiting.wait()
            self._waiting.clear()
            while self._outgoing:
                text, on_sent = self._outgoing[0]
                await self._socket.send(text)
                on_sent(time.monotonic_ns())
                self._outgoing.popleft()
            self._all_sent.set()

    def _ended(self, closed: SocketClosed) -> Ended:
        if self._closing:
            return Ended("us", closed.rcvd.code if closed.rcvd else None, "", "")
        if closed.rcvd is not None and closed.rcvd_then_sent:
            code, reason = closed.rcvd.code, closed.rcvd.reason
            told = f" (“{reason}”)" if reason else ""
            sentence = f"The engine closed the connection with code {code}{told}: {_advice(code)}."
            return Ended("engine", code, reason, sentence)
        why = _why_lost(closed.sent.code if closed.sent else None)
        return Ended("lost", None, why, f"The connection was lost, {why}.")


def _why_lost(sent_code: int | None) -> str:
    """Return why, by the code with which the library gave the connection up."""
    match sent_code:
        case None:
            return "the engine hung up without closing it: see whether it still runs, then connect again"
        case 1009:
            return f"the engine sent a message of more than {MAX_FRAME_BYTES >> 20} MiB: see its log"
        case 1011:
            return "the engine stopped answering: check the network, then connect again"
        case _:
            return f"the engine sent what is no WebSocket frame (code {sent_code}): see its log"


def _advice(code: int) -> str:
    match code:
        case 1000 | 1001:
            return "connect again to go on"
        case 1008:
            return "it refused the session, so check the key and the model"
        case 1009:
            return "a message was too large for it, so send smaller images"
        case 1011 | 1012 | 1013:
            return "it failed or is restarting, so try again later"
        case _:
            return "its own log may say why"
