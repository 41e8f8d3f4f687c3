"""Carries a plan out: speaks it, sentence by sentence, and delivers it at the engine's rate.

Audio goes out in pieces of 100 ms, where no other pace is set, against absolute deadlines, faster than real time as a
hosted engine sends it. The next sentence is made while the present one is delivered. The words go out just before the
piece in which they begin.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.engine import pcm
from simulator.engine.mind import Call, Say

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable

    from simulator.engine.mind import Step
    from simulator.engine.response import Response
    from simulator.engine.voice import Voice

_TEXT_DELTA_S = 0.003  # silent text: a word each


class OutOfTokensError(Exception):
    """max_output_tokens is reached."""


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


async def generate(response: Response, plan: Iterable[Step], voice: Voice, delivery: Delivery) -> None:
    """Says and calls what the plan holds and ends the response. Cancelling it leaves the response open."""
    try:
        for step in plan:
            if isinstance(step, Call):
                response.call(step.name, json.dumps(step.arguments, ensure_ascii=False))
            elif response.request.speaks:
                await _speak(response, step, voice, delivery)
            else:
                await _write(response, step, delivery)
    except OutOfTokensError:
        response.finish("incomplete", "max_output_tokens")
    else:
        response.finish("completed")


async def _write(response: Response, step: Say, delivery: Delivery) -> None:
    response.begin_message()
    for word in _words(step.text, first=True):
        if not response.may_say(0):
            raise OutOfTokensError
        response.words(word)
        await delivery.room()
        await asyncio.sleep(_TEXT_DELTA_S)
    response.end_message()


async def _speak(response: Response, step: Say, voice: Voice, delivery: Delivery) -> None:
    response.begin_message()
    loop = asyncio.get_running_loop()
    delta_bytes = delivery.pace.delta_ms * pcm.BYTES_PER_MS
    started = 0.0
    waiting = b""
    words: list[tuple[int, str]] = []  # (byte of the message at which it begins, text)
    sent = 0
    async with aclosing(_sentences(step.text, voice, response.request.speed)) as sentences:
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
    if not response.may_say(pcm.samples_in(audio)):
        raise OutOfTokensError
    while words and words[0][0] < sent + len(audio):
        response.words(words.pop(0)[1])
    response.audio(audio)
    return len(audio)


async def _sentences(text: str, voice: Voice, speed: float) -> AsyncGenerator[tuple[str, bytes], None]:
    """Sentences with their audio, the next one always in the making."""
    sentences = await voice.sentences(text)
    coming = [asyncio.ensure_future(voice.spoken(sentence, speed)) for sentence in sentences[:1]]
    try:
        for index, sentence in enumerate(sentences):
            audio = await coming.pop()
            if index + 1 < len(sentences):
                coming.append(asyncio.ensure_future(voice.spoken(sentences[index + 1], speed)))
            yield sentence, audio
    finally:
        for future in coming:
            future.cancel()


def _words(text: str, *, first: bool) -> list[str]:
    """The words with the space before each, so that together they are the text."""
    words = text.split()
    return [word if first and index == 0 else " " + word for index, word in enumerate(words)]


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
