"""Devices that come and go in a session: how long the others are silent when one that appeared is opened, how soon the
operator hears of one that vanished, and how soon it is taken back.

Twenty devices with sound servers of their own are plugged in one after the other, each chosen as the loudspeaker while
a microphone is open and the agent talks; then one is pulled out and plugged in twenty times.
"""

import asyncio
import sys
import tempfile
import time
from collections.abc import Iterable
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path
from typing import Final

import numpy as np

from bench.figures import Figure
from simulator.participant.messages import ChooseOutput, ChooseVoice, Connect, Disconnect, VoiceKind
from simulator.units import SAMPLE_RATE_HZ, samples_to_ms
from tests.participant.live_process import LiveProcess
from tests.participant.scripted_engine import EngineSide, ScriptedEngine
from tests.rig.errors import RigUnavailable
from tests.rig.sound import Plug, SoundServer, sound_server

ONLY_WHEN_NAMED: Final = "it takes four minutes"
TIMES: Final = 20
GAP_GOAL_MS: Final = 300
TOLD_GOAL_MS: Final = 2_000
STAYS_S: Final = 5.5
"""One that goes away again sooner is looked for less often."""
BACK_GOAL_MS: Final = 4_000
"""It is looked for every two seconds."""


def run() -> Iterable[Figure]:
    """Measure, and return the figures; none where no sound server can run."""
    try:
        with sound_server() as server, tempfile.TemporaryDirectory(prefix="devices-") as folder:
            return asyncio.run(_measure(server, Path(folder)))
    except RigUnavailable as reason:
        print(f"not measured: {reason}", file=sys.stderr)
        return []


async def _talk(side: EngineSide) -> None:
    await side.greet()
    await side.begin_reply("resp_1", "item_1")
    for _ in range(300):
        await side.say("resp_1", "item_1", np.full(SAMPLE_RATE_HZ, 1_000, dtype=np.int16))


async def _measure(server: SoundServer, folder: Path) -> list[Figure]:
    with ExitStack() as plugged:
        plugs = [Plug(server, f"speakers_{number}") for number in range(TIMES)]
        for plug in plugs:
            plugged.callback(plug.unplug)
        async with AsyncExitStack() as stack:
            engine = await stack.enter_async_context(ScriptedEngine(_talk))
            live = await stack.enter_async_context(LiveProcess(environment=server.env))
            await live.send(ChooseVoice, kind=VoiceKind.MICROPHONE)
            await live.send(Connect, engine=engine.url, record_folder=str(folder))
            await live.status_with(lambda status: status.agent_heard)
            appeared = await _appear(live, plugs)
            told_ms, back_ms = await _vanish(live, plugs[-1])
            await live.send(Disconnect)
    return [
        Figure("device appeared: microphone silent", GAP_GOAL_MS, "ms", appeared[0]),
        Figure("device appeared: loudspeaker away", GAP_GOAL_MS, "ms", appeared[1]),
        Figure("device vanished: operator told", TOLD_GOAL_MS, "ms", told_ms),
        Figure("device returned: taken back", BACK_GOAL_MS, "ms", back_ms),
    ]


async def _appear(live: LiveProcess, plugs: list[Plug]) -> tuple[list[float], list[float]]:
    for number, plug in enumerate(plugs):
        await asyncio.to_thread(plug.plug_in)
        error = await live.send(ChooseOutput, device=plug.name, host_api="ALSA")
        if error is not None:
            raise RuntimeError(error)
        await live.entry("devices.reopened", why=f"“{plug.name}” appeared")
        if number:
            await asyncio.to_thread(plugs[number - 1].unplug)
    notes = [entry.event for entry in live.entries if entry.type == "devices.reopened"]
    microphone_ms = [float(samples_to_ms(note["microphone_silence_samples"])) for note in notes]
    return microphone_ms, [note["loudspeaker_ms"] for note in notes]


async def _vanish(live: LiveProcess, plug: Plug) -> tuple[list[float], list[float]]:
    told_ms, back_ms = [], []
    for _ in range(TIMES):
        begun_s = time.monotonic()
        unplugging = asyncio.create_task(asyncio.to_thread(plug.unplug))
        await live.status_with(lambda status: bool(status.lacks))
        told_ms.append(1_000 * (time.monotonic() - begun_s))
        await unplugging
        await asyncio.to_thread(plug.plug_in)
        begun_s = time.monotonic()
        await live.status_with(lambda status: not status.lacks)
        back_ms.append(1_000 * (time.monotonic() - begun_s))
        await asyncio.sleep(STAYS_S)
    return told_ms, back_ms
