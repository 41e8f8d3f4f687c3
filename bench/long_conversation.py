"""Does an hour of conversation keep the engine's memory flat?

One session of the embedded engine with its ears, its script and its voice, in real time, until the engine ends it:
spoken turns, interruptions, typed lines, pictures on the screen, questions answered by tools, with semantic_vad and
transcription on. Every 10 s the resident memory of the engine's process and of its voice's process is read.

What an hour is held to: the growth from minute 5 to the end, in which the engine fills what it keeps (the audio of the
newest items, the conversation's texts and pictures); that it is flat in the second half; and that the session expires
when 60 minutes are over. Recognising a turn takes up to 50 MB for a moment, so medians of five minutes are compared.
As it takes an hour, it is measured only when named. PARTICIPANT_SIMULATOR_MINUTES makes it shorter, without the expiry.
"""

import asyncio
import base64
import contextlib
import itertools
import json
import os
import struct
import sys
import time
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import psutil
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from bench.engine_client import CHUNK_S, CHUNK_SAMPLES, Samples, append, embedded_engine, session, silence
from bench.figures import Figure
from simulator.audio.audio_files import load_recording
from simulator.audio.recordings import Role, recordings_for, speech_extent
from simulator.profile.answers import question_text
from simulator.profile.context_items import context_text
from simulator.profile.tools import TOOLS

ONLY_WHEN_NAMED: Final = True
MINUTES: Final = 60.0
SETTLED_AFTER_S: Final = 300.0
SAMPLE_EVERY_S: Final = 10.0
GROWTH_GOAL_MB: Final = 60.0
LATER_GROWTH_GOAL_MB: Final = 15.0
EXPIRY_GOAL_S: Final = 5.0
REPLY_WITHIN_S: Final = 60.0
INTERRUPTED_AFTER_S: Final = 2.0
_DETECTION: Final = {"type": "semantic_vad", "eagerness": "auto"}
_QUESTION: Final = {"question": "How much did you enjoy it?", "scale": 7, "minLabel": "not at all", "maxLabel": "a lot"}


@dataclass(slots=True)
class Watch:
    """Memory in MB of the engine and of its voice, and when it was read, in seconds from the start."""

    engine: psutil.Process
    at_s: list[float] = field(default_factory=list)
    engine_mb: list[float] = field(default_factory=list)
    voice_mb: list[float] = field(default_factory=list)

    async def follow(self) -> None:
        """Read again and again, until cancelled."""
        began = time.monotonic()
        for count in itertools.count(1):
            self.at_s.append(time.monotonic() - began)
            self.engine_mb.append(self.engine.memory_info().rss / 2**20)
            self.voice_mb.append(sum(child.memory_info().rss for child in self.engine.children()) / 2**20)
            if count % 6 == 1:
                minute = f"{self.at_s[-1] / 60:5.1f} min"
                line = f"{minute}  engine {self.engine_mb[-1]:.1f} MB  voice {self.voice_mb[-1]:.1f} MB"
                print(line, file=sys.stderr, flush=True)
            await asyncio.sleep(began + count * SAMPLE_EVERY_S - time.monotonic())

    def growth_mb(self, memory_mb: list[float], since_s: float) -> float:
        """Return how much higher the last five minutes lie than the five after `since_s`; nan without both."""
        span = round(300 / SAMPLE_EVERY_S)
        later = [mb for at_s, mb in zip(self.at_s, memory_mb, strict=False) if at_s >= since_s]
        if len(later) < 2 * span:
            return float("nan")
        return float(np.median(later[-span:]) - np.median(later[:span]))

    def slope_mb_per_hour(self, memory_mb: list[float]) -> float:
        """Return the straight line's slope from `SETTLED_AFTER_S` on."""
        settled = np.array(self.at_s) >= SETTLED_AFTER_S
        if settled.sum() < 2:
            return float("nan")
        return float(np.polyfit(np.array(self.at_s)[settled], np.array(memory_mb)[settled], 1)[0] * 3600)


def run() -> Iterable[Figure]:
    """Measure, and return the figures."""
    return asyncio.run(_measure(float(os.environ.get("PARTICIPANT_SIMULATOR_MINUTES", MINUTES))))


async def _measure(minutes: float) -> list[Figure]:
    seen: Counter[str] = Counter()
    async with embedded_engine() as url, session(url, _DETECTION, transcribe=True) as socket:
        (engine,) = psutil.Process().children()
        watch = Watch(engine)
        began = time.monotonic()
        watching = asyncio.create_task(watch.follow())
        talk = Talk(socket, seen)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(minutes * 60 if minutes < MINUTES else None):
                await talk.go_on()
        lasted_s = time.monotonic() - began
        watching.cancel()
        await asyncio.wait([watching])
    print(", ".join(f"{count} {name}" for name, count in sorted(seen.items())), file=sys.stderr)
    figures = []
    for name, memory_mb in (("engine", watch.engine_mb), ("voice", watch.voice_mb)):
        at_5 = np.interp(SETTLED_AFTER_S, watch.at_s, memory_mb)
        print(
            f"{name}: {at_5:.1f} MB at minute 5, {memory_mb[-1]:.1f} MB at minute {watch.at_s[-1] / 60:.0f}, "
            f"{watch.slope_mb_per_hour(memory_mb):+.1f} MB an hour",
            file=sys.stderr,
        )
        for since_s, goal_mb in ((SETTLED_AFTER_S, GROWTH_GOAL_MB), (lasted_s / 2, LATER_GROWTH_GOAL_MB)):
            growth = f"memory of the {name}, growth from minute {since_s / 60:.0f} to {lasted_s / 60:.0f}"
            figures.append(Figure(growth, goal_mb, "MB", [watch.growth_mb(memory_mb, since_s)]))
    if minutes >= MINUTES:
        off_s = abs(lasted_s - minutes * 60) if seen["session_expired"] else float("nan")
        figures.append(Figure("expiry of the session, off 60 minutes by", EXPIRY_GOAL_S, "s", [off_s]))
    return figures


class Talk:
    """A participant who speaks, types, is shown things and interrupts, one turn after the other."""

    def __init__(self, socket: ClientConnection, seen: Counter[str]) -> None:
        """Has said nothing yet.

        Args:
            socket: of the session.
            seen: counts what happens.
        """
        self._socket = socket
        self._seen = seen
        self._silent = asyncio.Event()
        self._silent.set()
        self._speaking = asyncio.Event()
        self._waiting: list[Samples] = []

    async def go_on(self) -> None:
        """Talk until the engine ends the session."""
        await self._send({"type": "session.update", "session": {"type": "realtime", "tools": list(TOOLS)}})
        own = [asyncio.create_task(self._microphone()), asyncio.create_task(self._take_turns())]
        try:
            await self._listen()
        finally:
            for task in own:
                task.cancel()
            for problem in await asyncio.gather(*own, return_exceptions=True):
                if not isinstance(problem, ConnectionClosed | asyncio.CancelledError):
                    print(f"the participant stopped talking: {problem!r}", file=sys.stderr)

    async def _send(self, event: dict[str, Any]) -> None:
        await self._socket.send(json.dumps(event))

    async def _microphone(self) -> None:
        """Send what is to be said, else silence, as a microphone does."""
        due = time.monotonic()
        speech = np.zeros(0, np.int16)
        while True:
            if len(speech) == 0 and self._waiting:
                speech = self._waiting.pop(0)
            chunk, speech = speech[:CHUNK_SAMPLES], speech[CHUNK_SAMPLES:]
            await self._socket.send(append(np.pad(chunk, (0, CHUNK_SAMPLES - len(chunk)))))
            due += CHUNK_S
            await asyncio.sleep(max(0.0, due - time.monotonic()))

    async def _listen(self) -> None:
        async for message in self._socket:
            event = json.loads(message)
            match event["type"]:
                case "response.created":
                    self._silent.clear()
                case "response.output_audio.delta":
                    self._speaking.set()
                case "response.done":
                    self._seen[f"responses {event['response']['status']}"] += 1
                    self._speaking.clear()
                    self._silent.set()
                    await self._answer_calls(event["response"]["output"])
                case "input_audio_buffer.speech_stopped":
                    self._seen["turns"] += 1
                case "error":
                    self._seen[event["error"]["code"]] += 1

    async def _answer_calls(self, output: list[dict[str, Any]]) -> None:
        for item in output:
            if item["type"] == "function_call":
                self._seen["calls"] += 1
                result = {"type": "function_call_output", "call_id": item["call_id"], "output": '{"ok":true}'}
                await self._send({"type": "conversation.item.create", "item": result})

    async def _take_turns(self) -> None:
        stories = itertools.cycle(_speech(Role.LONG_STORY))
        interruptions = itertools.cycle(_speech(Role.INTERRUPTION))
        others = itertools.cycle([*_speech(Role.QUESTION), *_speech(Role.MONOLOGUE), *_speech(Role.PAUSES)])
        for number in itertools.count():
            match number % 8:
                case 2:
                    await self._say(next(stories))
                    await self._until(self._speaking)
                    await asyncio.sleep(INTERRUPTED_AFTER_S)
                    await self._say(next(interruptions))
                    self._seen["interruptions"] += 1
                case 4:
                    await self._tell({"event": "typed", "speaker": "Alex", "said": "And what did you think of that?"})
                    self._seen["typed lines"] += 1
                case 6:
                    question = question_text("likertscale", _QUESTION)
                    asked = {"event": "question", "tool": "answer_scale", "question": question, "duringVideo": False}
                    await self._tell(asked, tool="answer_scale")
                    self._seen["questions"] += 1
                case 7:
                    await self._tell({"event": "screen", "type": "showimage", "text": "A harbour."}, picture=number)
                    self._seen["pictures"] += 1
                case _:
                    await self._say(next(others))
            await asyncio.sleep(1.0)
            await self._until(self._silent)

    async def _until(self, event: asyncio.Event) -> None:
        """Wait for it, but not for ever: what was said may have needed no reply."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(event.wait(), REPLY_WITHIN_S)

    async def _say(self, speech: Samples) -> None:
        self._waiting.append(speech)
        await asyncio.sleep(len(speech) / 24_000 + 1.5)

    async def _tell(self, told: dict[str, Any], *, tool: str | None = None, picture: int | None = None) -> None:
        content = [{"type": "input_text", "text": context_text(told)}]
        if picture is not None:
            content.append({"type": "input_image", "image_url": _picture(picture)})
        item = {"type": "message", "role": "user", "content": content}
        await self._send({"type": "conversation.item.create", "item": item})
        self._silent.clear()
        choice = {"tool_choice": {"type": "function", "name": tool}} if tool else {}
        await self._send({"type": "response.create", "response": choice})


def _speech(role: Role) -> Iterator[Samples]:
    for recording in recordings_for(role):
        samples = load_recording(recording.path)
        extent = speech_extent(samples)
        assert extent is not None
        yield np.concatenate([samples[extent.onset_ms * 24 : extent.offset_ms * 24], silence(100)])


def _picture(number: int) -> str:
    """Return a PNG of 30 kB as a data URL; the pixels of each are its own."""
    pixels = np.random.default_rng(number).integers(0, 256, (100, 100, 3), np.uint8)
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", 100, 100, 8, 2, 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return "data:image/png;base64," + base64.b64encode(png).decode()
