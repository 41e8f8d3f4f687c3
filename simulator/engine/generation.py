"""Carries out what the mind gives: speaks it, sentence by sentence, and delivers it at the engine's rate.

Audio goes out in pieces of 100 ms, where no other pace is set, against absolute deadlines, faster than real time as a
hosted engine sends it. The next sentence is made while the present one is delivered. The words go out just before the
piece in which they begin.
"""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from simulator.engine import pcm
from simulator.engine.mind import Call, CutShortError, Say

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable

    from simulator.engine.mind import Step
    from simulator.engine.request import ResponseRequest
    from simulator.engine.response import Response
    from simulator.engine.voice import Voice

_TEXT_DELTA_S = 0.003  # silent text: a word each
_TOKEN_LIMIT = "max_output_tokens"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast speech leaves.

    Attributes:
        rate: times real time; infinity sends as fast as it is made.
        delta_ms: length of a piece.
        lead_ms: how much sooner than that each piece leaves.
    """

    rate: float
    delta_ms: int = 100
    lead_ms: int = 0


@dataclass(frozen=True, slots=True)
class Delivery:
    """How audio leaves.

    Attributes:
        pace: how fast.
        room: waits while the client is behind.
    """

    pace: Pace
    room: Callable[[], Awaitable[None]]


async def generate(response: Response, steps: AsyncGenerator[Step, None], voice: Voice, delivery: Delivery) -> None:
    """Says and calls what the steps hold, each as it comes, and ends the response.

    Cancelling it closes the steps and leaves the response open.

    Raises:
        MindError: of the steps; what came before it was said.
    """
    try:
        async with _read_ahead(steps) as coming:
            step = await anext(coming, None)
            while step is not None:
                if isinstance(step, Call):
                    arguments = json.dumps(step.arguments, ensure_ascii=False)
                    if not response.may_say(characters=len(arguments)):
                        raise CutShortError(_TOKEN_LIMIT)
                    response.call(step.name, arguments)
                    step = await anext(coming, None)
                else:
                    message = _Message(step, coming)
                    say = _speak if response.request.speaks else _write
                    await say(response, message.texts(), voice, delivery)
                    step = message.following
    except CutShortError as cut:
        response.finish("incomplete", cut.reason)
    else:
        response.finish("completed")


class _Message:
    """The steps that make one message.

    Attributes:
        following: the step after it, once `texts` has ended.
    """

    def __init__(self, first: Say, coming: AsyncIterator[Step]) -> None:
        self.following: Step | None = first
        self._coming = coming

    async def texts(self) -> AsyncGenerator[str, None]:
        """Its texts, as they come."""
        step = self.following
        while isinstance(step, Say):
            yield step.text
            step = self.following = await anext(self._coming, None)
            if isinstance(step, Say) and not step.goes_on:
                return


async def _write(response: Response, texts: AsyncGenerator[str, None], _voice: Voice, delivery: Delivery) -> None:
    response.begin_message()
    first = True
    async with aclosing(texts):
        async for text in texts:
            for word in _words(text, first=first):
                if not response.may_say(characters=len(word)):
                    raise CutShortError(_TOKEN_LIMIT)
                response.words(word)
                await delivery.room()
                await asyncio.sleep(_TEXT_DELTA_S)
            first = False
    response.end_message()


async def _speak(response: Response, texts: AsyncGenerator[str, None], voice: Voice, delivery: Delivery) -> None:
    response.begin_message()
    loop = asyncio.get_running_loop()
    delta_bytes = delivery.pace.delta_ms * pcm.BYTES_PER_MS
    started = 0.0
    waiting = b""
    words: list[tuple[int, str]] = []  # (byte of the message at which it begins, text)
    sent = 0
    async with _read_ahead(_spoken(texts, voice, response.request), most=1) as sentences:
        async for sentence, audio in sentences:
            started = started or loop.time()
            words += _placed(sentence, sent + len(waiting), len(audio), first=not (words or sent))
            waiting += audio
            while len(waiting) >= delta_bytes:
                sent += await _deliver(response, waiting[:delta_bytes], words, sent, started, delivery)
                waiting = waiting[delta_bytes:]
    if waiting:
        await _deliver(response, waiting, words, sent, started, delivery)
    for _, word in words:
        response.words(word)
    response.end_message()


async def _deliver(
    response: Response, audio: bytes, words: list[tuple[int, str]], sent: int, started: float, delivery: Delivery
) -> int:
    """Sends one piece when it is due, after the words that begin in it; the bytes sent."""
    await delivery.room()
    pace = delivery.pace
    due = started + (sent / pcm.BYTES_PER_MS / pace.rate - pace.lead_ms) / 1000
    await asyncio.sleep(max(0.0, due - asyncio.get_running_loop().time()))
    beginning = [word for start, word in words if start < sent + len(audio)]
    if not response.may_say(samples=pcm.samples_in(audio), characters=sum(map(len, beginning))):
        raise CutShortError(_TOKEN_LIMIT)
    del words[: len(beginning)]
    for word in beginning:
        response.words(word)
    response.audio(audio)
    return len(audio)


async def _spoken(
    texts: AsyncGenerator[str, None], voice: Voice, request: ResponseRequest
) -> AsyncGenerator[tuple[str, bytes], None]:
    """Sentences with their audio."""
    name = request.voice if isinstance(request.voice, str) else str(request.voice["id"])
    async with aclosing(texts):
        async for text in texts:
            for sentence in await voice.sentences(text):
                yield sentence, await voice.spoken(sentence, request.speed, name)


@asynccontextmanager
async def _read_ahead(source: AsyncGenerator[T, None], most: int = 0) -> AsyncIterator[AsyncIterator[T]]:
    """What the source gives, read while what came before is still in use; its error comes in its place.

    Args:
        most: read so many values ahead, and one; 0 sets no limit.
    """
    queue: asyncio.Queue[T | _End] = asyncio.Queue(most)

    async def read() -> None:
        end = _End()
        try:
            async with aclosing(source):
                async for value in source:
                    await queue.put(value)
        except Exception as error:
            end = _End(error)
        await queue.put(end)

    async def values() -> AsyncIterator[T]:
        while not isinstance(value := await queue.get(), _End):
            yield value
        if value.error is not None:
            raise value.error

    reading = asyncio.create_task(read())
    try:
        yield values()
    finally:
        reading.cancel()
        await asyncio.wait([reading])


@dataclass(frozen=True, slots=True)
class _End:
    """Nothing more comes, by an error or without one."""

    error: Exception | None = None


def _words(text: str, *, first: bool) -> list[str]:
    """The words with the space before each, so that together they are the text."""
    words: list[str] = re.findall(r"\s*\S+", text)
    if words and first:
        words[0] = words[0].lstrip()
    elif words and not words[0][0].isspace():
        words[0] = " " + words[0]
    return words


def _placed(sentence: str, start: int, length: int, *, first: bool) -> list[tuple[int, str]]:
    """The sentence's words and where they begin: spread over its audio by their letters."""
    words = _words(sentence, first=first)
    total = sum(len(word) for word in words)
    placed = []
    letters = 0
    for word in words:
        placed.append((start + length * letters // total, word))
        letters += len(word)
    return placed
