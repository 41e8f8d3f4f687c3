"""How long a push takes from its line on the live process's standard input to the engine's socket.

600 context items, every tenth with an image of 1 MB that was never sent before, one each 40 ms, while a recording
streams and the record is written. The live process is the real one behind its pipes; the engine is a server in a
process of its own, which stamps each frame when it was read. Both clocks are this computer's monotonic clock.
"""

import asyncio
import json
import random
import subprocess
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from websockets.asyncio.server import ServerConnection, serve

from bench.figures import Figure
from simulator.engines.children import child_environment, python_command
from simulator.participant.messages import (
    AnyCommand,
    ChooseVoice,
    Connect,
    Push,
    Quit,
    Reply,
    SetTalk,
    VoiceKind,
    decode_feed,
    encode_line,
)

GOAL_MS: Final = 50.0
PUSHES: Final = 600
IMAGE_EVERY: Final = 10
IMAGE_BYTES: Final = 1_000_000

_APART_S: Final = 0.04
_MARK: Final = b'"type":"conversation.item.create"'
_NUMBER: Final = b'\\"n\\":'
_REPLY: Final = b'"feed":"reply"'
_LONGEST_LINE: Final = 1 << 26


def run() -> Iterable[Figure]:
    """Measure, and return the figures."""
    with tempfile.TemporaryDirectory(prefix="pushes-") as folder:
        delays_ms = asyncio.run(_measure(Path(folder)))
    plain = [delay for number, delay in enumerate(delays_ms) if not _has_image(number)]
    images = [delay for number, delay in enumerate(delays_ms) if _has_image(number)]
    yield Figure("push: command to socket", GOAL_MS, "ms", delays_ms)
    yield Figure("push without an image", GOAL_MS, "ms", plain)
    yield Figure("push with an image of 1 MB", GOAL_MS, "ms", images)


def _has_image(number: int) -> bool:
    return number % IMAGE_EVERY == IMAGE_EVERY - 1


async def _measure(folder: Path) -> list[float]:
    environment = child_environment() | {"PYTHONPATH": str(Path(__file__).resolve().parents[1])}
    engine = await asyncio.create_subprocess_exec(
        *python_command("bench.pushes"), stdout=subprocess.PIPE, env=environment, limit=_LONGEST_LINE
    )
    live = await asyncio.create_subprocess_exec(
        *python_command("simulator", "participant"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
        limit=_LONGEST_LINE,
    )
    assert engine.stdout is not None
    try:
        port = int(await engine.stdout.readline())
        written_ns = await _push_all(live, f"ws://127.0.0.1:{port}/v1/realtime", folder)
        arrived_ns = json.loads(await engine.stdout.readline())
    finally:
        for process in (live, engine):
            if process.returncode is None:
                process.kill()
            await process.wait()
    return [(arrived_ns[str(number)] - at_ns) / 1e6 for number, at_ns in enumerate(written_ns)]


async def _push_all(live: asyncio.subprocess.Process, url: str, folder: Path) -> list[int]:
    """Write the commands, and return when each line of a push was written."""
    feed = _Feed(live)
    recording = ChooseVoice(id=1, kind=VoiceKind.RECORDING, recording="monologue")
    for command in (recording, Connect(id=2, engine=url, record_folder=str(folder)), SetTalk(id=3, down=True)):
        await feed.execute(command)
    chance = random.Random(1)
    written_ns: list[int] = []
    started_s = time.monotonic()
    for number in range(PUSHES):
        image = folder / "image.png"
        if _has_image(number):
            image = folder / f"{number}.png"
            image.write_bytes(b"\x89PNG\r\n\x1a\n" + chance.randbytes(IMAGE_BYTES))
        context = {"event": "screen", "n": number}
        push = Push(id=10 + number, context=context, images=[str(image)] if _has_image(number) else [])
        await asyncio.sleep(max(0.0, started_s + number * _APART_S - time.monotonic()))
        written_ns.append(time.monotonic_ns())
        feed.write(push)
    await feed.replied(10 + PUSHES - 1)
    feed.write(Quit(id=9))
    await live.wait()
    return written_ns


class _Feed:
    """Writes commands, and reads of the feed no more than the replies."""

    def __init__(self, live: asyncio.subprocess.Process) -> None:
        assert live.stdin is not None
        assert live.stdout is not None
        self._input, self._output = live.stdin, live.stdout
        self._replies: dict[int, Reply] = {}
        self._changed = asyncio.Condition()
        self._reading = asyncio.create_task(self._read())

    def write(self, command: AnyCommand) -> None:
        self._input.write(encode_line(command))

    async def execute(self, command: AnyCommand) -> None:
        self.write(command)
        await self.replied(command.id)

    async def replied(self, number: int) -> None:
        """Wait for the reply to a command, and raise RuntimeError where any was refused."""
        async with self._changed:
            await self._changed.wait_for(lambda: number in self._replies or self._reading.done())
        refused = [each.error for each in self._replies.values() if each.error is not None]
        if refused or number not in self._replies:
            raise RuntimeError(refused[0] if refused else "the live process ended")

    async def _read(self) -> None:
        while line := await self._output.readline():
            if _REPLY in line[:100]:
                message = decode_feed(line)
                assert isinstance(message, Reply)
                async with self._changed:
                    self._replies[message.id] = message
                    self._changed.notify_all()


async def _serve() -> None:
    """Be the engine: print the port, and at the end of the connection when each numbered item had been read."""
    arrived_ns: dict[int, int] = {}
    over = asyncio.Event()

    async def connected(socket: ServerConnection) -> None:
        await socket.send('{"type":"session.created","session":{}}')
        async for frame in socket:
            at_ns = time.monotonic_ns()
            data = frame if isinstance(frame, bytes) else frame.encode()
            head = data[:400]
            if b'"type":"session.update"' in head:
                session = json.loads(data)["session"]
                await socket.send(json.dumps({"type": "session.updated", "session": session}))
            elif _MARK in head:
                arrived_ns[int(head.partition(_NUMBER)[2].partition(b"}")[0])] = at_ns
        over.set()

    async with serve(connected, "127.0.0.1", 0, compression=None, max_size=None) as server:
        print(next(iter(server.sockets)).getsockname()[1], flush=True)
        await over.wait()
    print(json.dumps(arrived_ns), flush=True)


if __name__ == "__main__":
    asyncio.run(_serve())
