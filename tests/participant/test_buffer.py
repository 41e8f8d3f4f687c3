"""The record says how long the program waits for late audio, when that changed."""

import asyncio
from pathlib import Path

from simulator.participant.host import InProcessHost
from simulator.participant.live_events import LiveEvent
from simulator.participant.messages import ChooseOutput, Connect, Disconnect
from simulator.participant.replies import ReplyOver
from simulator.record.reader import read_record
from tests.participant.scripted_engine import EngineSide, ScriptedEngine, tone

STALL_MS = 450


async def _stall_once(side: EngineSide) -> None:
    """The second half second of a reply comes late, and the rest of it at once behind: the network stood still."""
    await side.greet()
    for number in range(2):
        response, item = f"resp_{number}", f"item_{number}"
        await side.begin_reply(response, item)
        await side.say(response, item, tone(100))
        await asyncio.sleep((100 + STALL_MS * (number == 0)) / 1000)
        for _ in range(6):
            await side.say(response, item, tone(100))
        await side.end_audio(response, item)
        await side.finish(response)


async def test_after_a_stall_the_next_reply_waits_for_as_long_and_the_record_says_so(records: Path) -> None:
    over: list[LiveEvent] = []

    def heard(event: LiveEvent) -> None:
        if isinstance(event, ReplyOver):
            over.append(event)

    async with ScriptedEngine(_stall_once) as engine, InProcessHost(on_event=heard) as host:
        await host.send(ChooseOutput, device="none")
        assert await host.send(Connect, engine=engine.url, record_folder=str(records)) is None
        await host.status_with(lambda _: len(over) == 2)
        await host.send(Disconnect)
    (path,) = records.glob("*/session.jsonl")
    entries = read_record(path).entries
    kinds = [entry.type for entry in entries if entry.type in ("playback.started", "playout.buffer")]
    assert kinds == ["playback.started", "playout.buffer", "playback.started"]
    (buffer,) = (entry.event["allowance_ms"] for entry in entries if entry.type == "playout.buffer")
    # On a busy computer the audio before the stall may be late as well, and the stall shorter by that.
    assert 180 < buffer <= 500
    assert buffer % 20 == 0
