"""How soon the embedded engine replies, and what a session costs.

Thirty spoken turns in real time, with server_vad and 500 ms of silence: from the last sample of speech to the first
audio of the reply. Then the processor time of the engine's process, as a share of one core, over that conversation and
over a minute of listening to silence, and how much its memory grew over the second half: what was said is kept, 48 kB
for each second, up to 64 MB.
"""

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Iterable
from typing import Final

import psutil
from websockets.asyncio.client import ClientConnection

from bench.engine_client import CHUNK_S, CHUNK_SAMPLES, Samples, append, embedded_engine, session, silence
from bench.figures import Figure
from simulator.audio.audio_files import load_recording
from simulator.audio.recordings import Role, recordings_for, speech_extent

TURNS: Final = 15  # twice
REPLY_GOAL_MS: Final = 1_200.0
TALK_GOAL: Final = 0.12
LISTEN_GOAL: Final = 0.05
LISTEN_S: Final = 60.0
MEMORY_GOAL_MB: Final = 30.0
_DETECTION: Final = {"type": "server_vad", "silence_duration_ms": 500}


def run() -> Iterable[Figure]:
    """Measure, and return the figures."""
    return asyncio.run(_measure())


async def _measure() -> list[Figure]:
    async with embedded_engine() as url, session(url, _DETECTION) as socket:
        (engine,) = psutil.Process().children()
        await _play(socket, silence(3_000))  # everything is loaded then
        idle = await _cost(engine, _play(socket, silence(LISTEN_S * 1000)))
        delays_ms: list[float] = []
        talk = await _cost(engine, _converse(socket, delays_ms))
        before = engine.memory_info().rss  # working memory has its size by now
        await _converse(socket, delays_ms)
        grown_mb = (engine.memory_info().rss - before) / 2**20
    delays_ms.sort()
    print(f"median {delays_ms[len(delays_ms) // 2]:.0f} ms", file=sys.stderr)
    p90 = delays_ms[: len(delays_ms) * 9 // 10]
    return [
        Figure(f"last sample of speech to first audio, p90 of {len(delays_ms)}", REPLY_GOAL_MS, "ms", p90[-1:]),
        Figure("engine in a conversation", TALK_GOAL, "cores", [talk]),
        Figure("engine that listens to silence", LISTEN_GOAL, "cores", [idle]),
        Figure(f"engine's memory, growth over {TURNS} turns", MEMORY_GOAL_MB, "MB", [grown_mb]),
    ]


async def _cost(engine: psutil.Process, what: Awaitable[None]) -> float:
    """Return the share of a core that the engine uses while something is done."""
    used, began = engine.cpu_times(), time.monotonic()
    await what
    now = engine.cpu_times()
    return (now.user + now.system - used.user - used.system) / (time.monotonic() - began)


async def _converse(socket: ClientConnection, delays_ms: list[float]) -> None:
    recordings = [*recordings_for(Role.QUESTION), *recordings_for(Role.INTERRUPTION), *recordings_for(Role.MONOLOGUE)]
    for number in range(TURNS):
        samples = load_recording(recordings[number % len(recordings)].path)
        extent = speech_extent(samples)
        assert extent is not None
        delays_ms.append(await _turn(socket, samples[: extent.offset_ms * 24]))


async def _turn(socket: ClientConnection, speech: Samples) -> float:
    """Say this, then be silent until the reply is over; the time from the last sample to the first audio, in ms."""
    spoken_at: list[float] = []

    async def say() -> None:
        await _play(socket, speech)
        spoken_at.append(time.monotonic())
        await _play(socket, silence(60_000))

    first_at = 0.0
    saying = asyncio.create_task(say())
    async for message in socket:
        event = json.loads(message)
        if event["type"] == "response.output_audio.delta" and not first_at:
            first_at = time.monotonic()
        elif event["type"] == "response.done" and spoken_at:
            break
    saying.cancel()
    return 1000 * (first_at - spoken_at[0])


async def _play(socket: ClientConnection, samples: Samples) -> None:
    """Send samples as a microphone does."""
    due = time.monotonic()
    for start in range(0, len(samples), CHUNK_SAMPLES):
        await socket.send(append(samples[start : start + CHUNK_SAMPLES]))
        due += CHUNK_S
        await asyncio.sleep(max(0.0, due - time.monotonic()))
