"""The audio path piece by piece: callback to socket, socket to callback, conversion, jitter, drift.

The microphone's way is `bench.microphone`'s. For the way back a scripted engine sends short replies, each complete at
once, to the real participant process: no jitter buffer is waited for, only the device's next block. Conversion is timed
in this process. Jitter and drift are simulated: sessions of twenty replies, of which the ten last count (the first ones
are `bench.playout`'s), and an hour of blocks whose clock runs 100 millionths fast or slow.
"""

import asyncio
import random
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

import numpy as np

from bench import conversion, microphone
from bench.figures import Figure
from bench.live_participant import participant_environment, read_at_once, recorded_session
from bench.simulated_reply import played
from simulator.audio.lanes import CapturedTrack, HandedTrack
from simulator.audio.playout import AudioHanded, Playout
from simulator.record.entries import Direction
from simulator.units import BLOCK_MS, BLOCK_SAMPLES, NS_PER_MS, SAMPLE_RATE_HZ, samples_to_ms
from tests.participant.scripted_engine import EngineSide, tone

REPLIES: Final = 200
HANDED_GOAL_MS: Final = 25.0
"""A block and what the process needs."""
CONVERSION_GOAL_US: Final = 1_000.0
"""A twentieth of a block."""
DRIFT_GOAL_MS: Final = 20.0
HOUR_BLOCKS: Final = 3_600_000 // BLOCK_MS

DELTAS: Final = 30
SESSIONS: Final = 20
SESSION_REPLIES: Final = 20
LEARNT_REPLIES: Final = 10
_DELTA: Final = np.ones(100 * SAMPLE_RATE_HZ // 1000, dtype=np.int16)


class Jitter(NamedTuple):
    """How late deltas of 100 ms come, by chance and their number, and how long a reply may wait then."""

    name: str
    late_ms: Callable[[random.Random, int], float]
    goal_ms: float


JITTERS: Final = (
    Jitter("none", lambda chance, number: 0, 40),
    Jitter("0 to 50 ms", lambda chance, number: chance.uniform(0, 50), 80),
    Jitter("0 to 180 ms", lambda chance, number: chance.uniform(0, 180), 200),
    Jitter("400 ms every 2 s", lambda chance, number: 400 if number % 20 == 7 else 0, 420),
)


def run() -> Iterable[Figure]:
    """Measure, and return the figures."""
    yield from microphone.run()
    with participant_environment() as environment:
        yield Figure("agent audio: socket to callback", HANDED_GOAL_MS, "ms", asyncio.run(_handed(environment)))
    for name, costs_us in conversion.costs().items():
        yield Figure(f"conversion of a block, {name}", CONVERSION_GOAL_US, "µs", costs_us)
    for jitter in JITTERS:
        gaps_ms, waits_ms = _jittered(jitter)
        yield Figure(f"jitter {jitter.name}: gaps in a reply", 0, "ms", gaps_ms)
        yield Figure(f"jitter {jitter.name}: first delta to first sample", jitter.goal_ms, "ms", waits_ms)
    for ppm in (-100, 100):
        yield Figure(f"an hour at {ppm:+} ppm: participant's lane off its stamps", DRIFT_GOAL_MS, "ms", _captured(ppm))
        yield Figure(f"an hour at {ppm:+} ppm: agent's lane off its stamps", DRIFT_GOAL_MS, "ms", _played(ppm))


async def _handed(environment: dict[str, str]) -> list[float]:
    """Return the time from the arrival of each reply's audio to when its first block is handed, in ms."""

    async def script(side: EngineSide) -> None:
        await side.greet()
        chance = random.Random(1)
        for number in range(REPLIES):
            response, item = f"resp_{number}", f"item_{number}"
            await side.begin_reply(response, item)
            await side.say(response, item, tone(60))
            await side.end_audio(response, item)
            await side.finish(response)
            await asyncio.sleep(0.15 + 0.02 * chance.random())  # at any phase of a block

    received: dict[str, int] = {}
    waits_ms = []
    for entry in await recorded_session(script, environment, longest_s=120, read_feed=read_at_once):
        if entry.direction is Direction.RECEIVED and entry.type == "response.output_audio.delta":
            received[entry.event["item_id"]] = entry.t_ns
        elif entry.type == "playback.started":
            waits_ms.append((entry.event["handed_ns"] - received[entry.event["item_id"]]) / NS_PER_MS)
    return waits_ms


def _jittered(jitter: Jitter) -> tuple[list[float], list[float]]:
    """Return the silence within each reply, and the time before each begins, in ms."""
    chance = random.Random(1)
    gaps_ms: list[float] = []
    waits_ms: list[float] = []
    for _ in range(SESSIONS):
        playout, next_ns = Playout(), 0
        for number in range(SESSION_REPLIES):
            arrivals_ns = _arrivals_ns(jitter, chance, next_ns)
            reply, next_ns = played(playout, str(number), _DELTA, arrivals_ns, next_ns)
            if number >= LEARNT_REPLIES:
                waits_ms.append(reply.buffered_ms)
                gaps_ms.append(reply.gaps_ms)
    return gaps_ms, waits_ms


def _arrivals_ns(jitter: Jitter, chance: random.Random, next_ns: int) -> list[int]:
    """Return when the deltas of a reply come that begins at any phase of the block that the device asks for next."""
    begin_ns = next_ns + round(chance.uniform(0, BLOCK_MS) * NS_PER_MS)
    arrivals: list[int] = []
    for number in range(DELTAS):
        at_ns = begin_ns + round((100 * number + jitter.late_ms(chance, number)) * NS_PER_MS)
        arrivals.append(max(at_ns, arrivals[-1]) if arrivals else at_ns)
    return arrivals


def _captured(ppm: float) -> list[float]:
    """Return how far the end of each block lies from when it was captured, in ms, over an hour with pauses."""
    track = CapturedTrack(0)
    loud, quiet = np.full(BLOCK_SAMPLES, 10_000, dtype=np.int16), np.zeros(BLOCK_SAMPLES, dtype=np.int16)
    block_ms = BLOCK_MS / (1 + ppm / 1e6)
    off_ms = []
    for number, late_ms in enumerate(_late_ms()):
        end_ms = block_ms * (number + 1)
        said = quiet if number % 400 < 20 else loud
        placed = track.place(said, round((end_ms + late_ms) * NS_PER_MS))
        off_ms.append(abs(samples_to_ms(placed.first_sample + len(placed.samples)) - end_ms))
    return off_ms


def _played(ppm: float) -> list[float]:
    """Return how far the beginning of each block lies from when it is played, in ms, over an hour of speech."""
    track = HandedTrack(0)
    loud = np.full(BLOCK_SAMPLES, 10_000, dtype=np.int16)
    block_ms = BLOCK_MS / (1 + ppm / 1e6)
    off_ms = []
    for number, late_ms in enumerate(_late_ms()):
        asked_ns = round((block_ms * (number - number % 2) + (late_ms if number else 0)) * NS_PER_MS)
        first_sample = number * BLOCK_SAMPLES
        placed = track.place(AudioHanded("a", first_sample, loud, first_sample, asked_ns, 0, 0))
        off_ms.append(abs(samples_to_ms(placed.first_sample) - block_ms * number))
    return off_ms


def _late_ms() -> Iterable[float]:
    """Yield how late a device calls: a few ms mostly, now and then 60 ms more."""
    chance = np.random.default_rng(1)
    late_ms = chance.exponential(3, HOUR_BLOCKS) + np.where(chance.random(HOUR_BLOCKS) < 0.001, 60, 0)
    yield from late_ms.tolist()
