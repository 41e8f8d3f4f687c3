"""A bare client of the embedded engine, for benchmarks that look at the engine alone."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from websockets.asyncio.client import ClientConnection, connect

from simulator.engines.embedded import EmbeddedEngine

Samples = NDArray[np.int16]
RATE_HZ: Final = 24_000
CHUNK_SAMPLES: Final = 480
CHUNK_S: Final = CHUNK_SAMPLES / RATE_HZ
TRANSCRIPTION: Final = "conversation.item.input_audio_transcription"


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn as the engine heard it: where it ended on the audio's clock, and its words."""

    end_ms: int
    text: str


@asynccontextmanager
async def embedded_engine() -> AsyncIterator[str]:
    """Give the address of an engine that runs for the length of the block."""
    async with EmbeddedEngine() as url:
        yield url


@asynccontextmanager
async def session(
    url: str, turn_detection: dict[str, Any], *, transcribe: bool = False
) -> AsyncIterator[ClientConnection]:
    """Give a session with this turn detection in force."""
    async with connect(f"{url}?model=bench", max_size=None, compression=None, proxy=None) as socket:
        transcription = {"model": "any"} if transcribe else None
        audio = {"input": {"turn_detection": turn_detection, "transcription": transcription}}
        await socket.send(json.dumps({"type": "session.update", "session": {"type": "realtime", "audio": audio}}))
        async for message in socket:
            if json.loads(message)["type"] == "session.updated":
                break
        yield socket


async def heard_turns(url: str, samples: Samples, turn_detection: dict[str, Any]) -> list[Turn]:
    """Play the samples to a new session as fast as it takes them, and return the turns that it found."""
    ends: dict[str, int] = {}
    texts: dict[str, str] = {}
    all_heard = False
    async with session(url, {**turn_detection, "create_response": False}, transcribe=True) as socket:
        sending = asyncio.create_task(_send(socket, samples))
        async for message in socket:
            event = json.loads(message)
            if event["type"] == "input_audio_buffer.speech_stopped":
                ends[event["item_id"]] = event["audio_end_ms"]
            elif event["type"].startswith(TRANSCRIPTION) and not event["type"].endswith(".delta"):
                texts[event["item_id"]] = event.get("transcript", "")
            elif event["type"] == "input_audio_buffer.cleared":
                all_heard = True
            if all_heard and texts.keys() >= ends.keys():
                break
        await sending
    return [Turn(end_ms, texts[item_id]) for item_id, end_ms in ends.items()]


async def _send(socket: ClientConnection, samples: Samples) -> None:
    for start in range(0, len(samples), CHUNK_SAMPLES):
        await socket.send(append(samples[start : start + CHUNK_SAMPLES]))
    # Its answer comes after all that the audio brings about.
    await socket.send(json.dumps({"type": "input_audio_buffer.clear"}))


def append(samples: Samples) -> str:
    """Return the event that appends these samples."""
    audio = base64.b64encode(samples.astype("<i2").tobytes()).decode()
    return json.dumps({"type": "input_audio_buffer.append", "audio": audio})


def silence(ms: float) -> Samples:
    """Return digital silence."""
    return np.zeros(round(ms * RATE_HZ / 1000), np.int16)
