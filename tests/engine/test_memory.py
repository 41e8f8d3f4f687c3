"""What a session keeps of a long conversation."""

import asyncio
import base64
import gc
import json
import tracemalloc
from collections.abc import AsyncIterator
from typing import Any

from simulator.engine.activity import SpeechActivity
from simulator.engine.configuration import defaults
from simulator.engine.conversation import Conversation, spoken_item
from simulator.engine.outbox import Outbox
from simulator.engine.session import Session
from simulator.engine.speech_model import SpeechModel
from simulator.engine.voice import Voice

SECOND = bytes(48_000)
LIMIT_BYTES = 16 * 2**20  # of audio; almost six minutes


class Brief(Voice):
    """Takes a second for any reply."""

    async def spoken(self, sentence: str, speed: float, name: str = "") -> bytes:
        return SECOND

    async def sentences(self, text: str) -> list[str]:
        return [text]


class Listener:
    """A connection that forgets what was sent and counts the replies."""

    def __init__(self) -> None:
        self.done = asyncio.Semaphore(0)

    async def send(self, message: str) -> None:
        if json.loads(message)["type"] == "response.done":
            self.done.release()


async def test_of_a_hundred_turns_only_the_last_minutes_of_sound_are_kept() -> None:
    """100 turns of 6 s, each answered by 1 s, are 34 MB of audio; the second fifty add no more than their words."""
    listener = Listener()
    outbox = Outbox(listener)
    sending = asyncio.create_task(outbox.run())
    activity = SpeechActivity(SpeechModel())
    session = Session(defaults("sess_1", "some-model", 0), outbox, activity, Brief(), rate=float("inf"))
    held: list[int] = []
    turn: list[dict[str, Any]] = [
        {"type": "input_audio_buffer.append", "audio": base64.b64encode(6 * SECOND).decode()},
        {"type": "input_audio_buffer.commit"},
        {"type": "response.create", "response": {"tool_choice": "none"}},
    ]

    async def messages() -> AsyncIterator[str]:
        by_hand = {"type": "realtime", "audio": {"input": {"turn_detection": None}}}
        yield json.dumps({"type": "session.update", "session": by_hand})
        for number in range(100):
            for event in turn:
                yield json.dumps(event)
            await listener.done.acquire()
            if number in (49, 99):
                gc.collect()
                held.append(tracemalloc.get_traced_memory()[0])

    tracemalloc.start()
    try:
        await asyncio.wait_for(session.run(messages()), 60)
    finally:
        tracemalloc.stop()
        sending.cancel()
    assert LIMIT_BYTES < held[0] < LIMIT_BYTES + 8 * 2**20
    assert held[1] - held[0] < 2 * 2**20


def test_the_newest_turn_keeps_its_sound_however_long_and_older_ones_make_room() -> None:
    conversation = Conversation()
    first, second, long = (spoken_item(name, SECOND * seconds) for name, seconds in (("a", 1), ("b", 300), ("c", 400)))
    for item in (first, second):
        conversation.append(item)
    assert len(first.audio[0]) == len(SECOND)
    conversation.append(long)
    assert not first.audio
    assert not second.audio
    assert len(long.audio[0]) == 400 * len(SECOND)


def test_a_reply_that_is_still_spoken_keeps_its_sound() -> None:
    conversation = Conversation()
    reply = spoken_item("a", SECOND)
    reply.wire["status"] = "in_progress"
    conversation.append(reply)
    conversation.append(spoken_item("b", SECOND * 400))
    assert len(reply.audio[0]) == len(SECOND)
