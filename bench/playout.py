"""How the agent's voice plays when its audio comes late: gaps within an item, and the time before it starts.

A thousand replies of 4 s in simulated time: 100 ms deltas, each 0 to 180 ms late at random, over one connection (none
overtakes another), against a loudspeaker at a random phase. At three times real time the deltas are evenly spaced: no
rule could start within 100 ms without a gap if the second delta may come 213 ms behind the first.

Then 96 replies in real time, 24 at a time, each with a silent clock of its own. There only the gaps are judged: 180 ms
of lateness and a block of 20 ms are 200 ms to the sample, so what is measured above 200 is how late the threads ran.
"""

import asyncio
import random
import sys
import time
from collections.abc import Iterable
from typing import Final

import numpy as np

from bench.figures import Figure, percentile
from bench.simulated_reply import Reply, played, reply_of
from simulator.audio.playout import PlaybackEnded, PlaybackEvent, Playout
from simulator.audio.streams import SilentOutput
from simulator.units import BLOCK_MS, BLOCK_SAMPLES, NS_PER_MS

DELTA_MS: Final = 100
DELTAS: Final = 40
LATEST_MS: Final = 180
SIMULATED_REPLIES: Final = 1_000
REAL_REPLIES: Final = 96
AT_A_TIME: Final = 24
REAL_DELTAS: Final = 15

_DELTA: Final = np.ones(DELTA_MS * BLOCK_SAMPLES // BLOCK_MS, dtype=np.int16)


def run() -> Iterable[Figure]:
    """Measure, and return the figures."""
    chance = random.Random(1)
    late = [_simulated(_arrivals_ms(chance, DELTAS, 1, LATEST_MS), chance) for _ in range(SIMULATED_REPLIES)]
    fast = [_simulated(_arrivals_ms(chance, DELTAS, 3, 0), chance) for _ in range(SIMULATED_REPLIES)]
    yield _gaps("0 to 180 ms late", late)
    yield _buffering("0 to 180 ms late", late, 200)
    yield _gaps("three times real time", fast)
    yield _buffering("three times real time", fast, 100)
    real = asyncio.run(_real(chance))
    yield _gaps("0 to 180 ms late, silent clock", real)
    waits_ms = [reply.buffered_ms for reply in real]
    print(
        f"first delta to first sample by the silent clock: median {percentile(waits_ms, 50):.1f} ms, "
        f"p99 {percentile(waits_ms, 99):.1f} ms",
        file=sys.stderr,
    )


def _gaps(when: str, replies: list[Reply]) -> Figure:
    return Figure(f"agent audio, {when}: gaps", 0, "ms", [reply.gaps_ms for reply in replies])


def _buffering(when: str, replies: list[Reply], goal_ms: float) -> Figure:
    name = f"agent audio, {when}: first delta to first sample"
    return Figure(name, goal_ms, "ms", [reply.buffered_ms for reply in replies])


def _arrivals_ms(chance: random.Random, deltas: int, speed: float, latest_ms: float) -> list[float]:
    """Return when each delta arrives, in ms after the first was sent."""
    arrivals: list[float] = []
    for number in range(deltas):
        at_ms = number * DELTA_MS / speed + chance.uniform(0, latest_ms)
        arrivals.append(max(at_ms, arrivals[-1]) if arrivals else at_ms)
    return arrivals


def _simulated(arrivals_ms: list[float], chance: random.Random) -> Reply:
    next_ns = round(chance.uniform(0, BLOCK_MS) * NS_PER_MS)
    arrivals_ns = [round(at_ms * NS_PER_MS) for at_ms in arrivals_ms]
    return played(Playout(), "reply", _DELTA, arrivals_ns, next_ns)[0]


async def _real(chance: random.Random) -> list[Reply]:
    replies: list[Reply] = []
    for _ in range(REAL_REPLIES // AT_A_TIME):
        arrivals = [_arrivals_ms(chance, REAL_DELTAS, 1, LATEST_MS) for _ in range(AT_A_TIME)]
        replies += await asyncio.gather(*(_play_in_real_time(each) for each in arrivals))
    return replies


async def _play_in_real_time(arrivals_ms: list[float]) -> Reply:
    playout = Playout()
    events: list[PlaybackEvent] = []
    ended = asyncio.Event()

    def on_wake() -> None:
        events.extend(playout.progress())
        if any(isinstance(event, PlaybackEnded) for event in events):
            ended.set()

    clock = SilentOutput(playout, on_wake, asyncio.get_running_loop())
    clock.start()
    start_ns = time.monotonic_ns()
    first_ns = 0
    for at_ms in arrivals_ms:
        await asyncio.sleep(max(0, start_ns + at_ms * NS_PER_MS - time.monotonic_ns()) / 1e9)
        now_ns = time.monotonic_ns()
        first_ns = first_ns or now_ns
        playout.add("reply", _DELTA, now_ns)
    playout.item_complete("reply")
    await asyncio.wait_for(ended.wait(), 30)
    clock.close()
    return reply_of(events, first_ns)
