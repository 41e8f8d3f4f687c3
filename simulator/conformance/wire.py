"""The suite's own connection: raw JSON frames, stamped, recorded, and read by nobody else's codec.

This reading of the specification is independent of the client's on purpose: a misspelt field that both shared would be
seen by neither. A frame is stamped right after it was read from the socket, and right after it was handed to the
socket, by one monotonic clock.
"""

import asyncio
import base64
import binascii
import contextlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed as SocketClosed

from simulator.record.entries import Entry
from simulator.record.log import AUDIO_FIELDS, RecordLog
from simulator.sockets import open_websocket

_CLOSE_WITHIN_S: Final = 1.0
_FRAMES_AT_A_TIME: Final = 32
"""After so many frames without a wait, others get their turn: a flood must not delay what we send."""


@dataclass(frozen=True, slots=True)
class Target:
    """The engine under test. Headers and secrets are never written anywhere."""

    url: str
    """With the model as its query."""
    model: str = ""
    engine_name: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    secrets: Sequence[str] = field(default=(), repr=False)


class Wire:
    """An open connection of one check. Belongs to the loop that opened it."""

    def __init__(self, socket: ClientConnection, log: RecordLog) -> None:
        self._socket = socket
        self._log = log
        self._news = asyncio.Event()
        self._closing = False
        self._sent_events = 0
        self.closed = False
        self._reader = asyncio.create_task(self._read_all())

    async def send(self, event: Mapping[str, Any]) -> Entry:
        """Send an event, with an id of its own, and return its entry. Nothing happens to be raised: see `closed`."""
        self._sent_events += 1
        event = {"event_id": f"event_{self._sent_events}", **event}
        text = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
        await self._hand_over(text)
        return self._log.sent(event, time.monotonic_ns(), size_bytes=len(text.encode()))

    async def append(self, samples: NDArray[np.int16]) -> Entry:
        """Append samples to the engine's input buffer. They are not answered, and carry no id."""
        audio = samples.astype("<i2", copy=False).tobytes()
        event = {"type": "input_audio_buffer.append", "audio": base64.b64encode(audio).decode("ascii")}
        text = json.dumps(event, separators=(",", ":"))
        await self._hand_over(text)
        return self._log.sent(event, time.monotonic_ns(), audio=audio, size_bytes=len(text))

    async def news(self, timeout_s: float) -> None:
        """Wait for the next frame or the end of the connection, at most `timeout_s`."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._news.wait(), max(timeout_s, 0.0))

    async def close(self) -> None:
        """Close the connection and wait until what arrived is recorded."""
        self._closing = True
        await self._socket.close()
        await self._reader

    async def _hand_over(self, text: str) -> None:
        with contextlib.suppress(SocketClosed):  # the reader records how it ended
            await self._socket.send(text)

    async def _read_all(self) -> None:
        frames = 0
        try:
            while True:
                frame = await self._socket.recv(decode=False)
                self._keep(frame, time.monotonic_ns())
                frames += 1
                if frames % _FRAMES_AT_A_TIME == 0:
                    await asyncio.sleep(0)
        except SocketClosed as closed:
            self._note_end(closed)
        finally:
            self.closed = True
            self._tell()

    def _keep(self, frame: bytes, at_ns: int) -> None:
        size_bytes = len(frame)
        try:
            event = json.loads(frame)
        except (ValueError, RecursionError) as error:
            text = frame.decode("utf-8", "replace")
            self._log.received_malformed(text, at_ns, problem=f"This is not JSON: {error}.", size_bytes=size_bytes)
        else:
            if isinstance(event, dict) and isinstance(event.get("type"), str):
                audio, problem = _payload(event)
                self._log.received(event, at_ns, audio=audio, size_bytes=size_bytes, problem=problem)
            else:
                text = frame.decode("utf-8", "replace")
                self._log.received_malformed(
                    text, at_ns, problem="This is not an object with a type.", size_bytes=size_bytes
                )
        self._tell()

    def _note_end(self, closed: SocketClosed) -> None:
        received = closed.rcvd
        if self._closing:
            by = "us"
        elif received is not None and closed.rcvd_then_sent:
            by = "engine"
        else:
            by = "lost"
        code, reason = (received.code, received.reason) if received is not None else (None, "")
        self._log.noted("connection.closed", {"code": code, "reason": reason, "by": by}, time.monotonic_ns())

    def _tell(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()


async def open_socket(target: Target) -> ClientConnection:
    """Connect to the engine. Raises EngineUnreachable, KeyRefused or EngineFault."""
    return await open_websocket(target.url, target.headers, close_within_s=_CLOSE_WITHIN_S)


def _payload(event: Mapping[str, Any]) -> tuple[bytes | None, str | None]:
    """Return the decoded audio of an event that carries some, or what is wrong with it."""
    name = AUDIO_FIELDS.get(event["type"])
    if name is None or name not in event:
        return None, None
    try:
        return base64.b64decode(event[name], validate=True), None
    except (binascii.Error, TypeError, ValueError):
        return None, f"The field {name} is not base64."
