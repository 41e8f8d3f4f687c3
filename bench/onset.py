"""How soon the embedded engine notices that somebody speaks.

Every recording of the project, and those of people where they lie beside this checkout (see turn_end), is spoken once
in each background: none, and noise as of a room (equal power in each octave) 30, 25 and 15 dB below the speech. The
last is told besides, without a goal: the hiss with which some words begin drowns in it. Loudness (-10 to -35 dBFS over
the speech; the loudest are clipped, as by a microphone that is set too high), the length of what comes before and where
in a chunk the speech begins are drawn with a fixed seed. Both kinds of turn detection hear all of it, one onset after
the other, in chunks of 20 ms as a microphone gives them.

The time runs from the first sound of the speech, as found in the clean recording, to the end of the chunk with which
the engine has noticed. A start before the first sound is a false one; one that has not come a second after it is
missed. That is on the audio's clock; then sessions of both kinds hear it once more in real time, and the time runs to
the arrival of speech_started.
"""

import asyncio
import json
import random
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from websockets.asyncio.client import ClientConnection

from bench.engine_client import CHUNK_S, CHUNK_SAMPLES, RATE_HZ, Samples, append, embedded_engine, session, silence
from bench.figures import Figure, percentile
from bench.turn_end import paths_of, peoples_recordings
from simulator.audio.audio_files import load_recording
from simulator.audio.recordings import project_recordings, speech_extent
from simulator.engine.activity import SpeechActivity
from simulator.engine.configuration import SEMANTIC_VAD, SERVER_VAD
from simulator.engine.input_audio import InputAudio, TurnStarted
from simulator.engine.speech_model import SpeechModel
from simulator.engine.turn_detection import DetectionSettings

ONSET_GOAL_MS: Final = 150.0
WRONG_GOAL: Final = 1.0
MISSED_AFTER_MS: Final = 1_000
FORGOTTEN_AFTER_MS: Final = 3_000
NOISE_DB: Final = (None, -30.0, -25.0)
LOUD_NOISE_DB: Final = -15.0
LOUDEST_DBFS: Final = -10.0
QUIETEST_DBFS: Final = -35.0
LEAD_MS: Final = (500.0, 2_500.0)
SESSIONS: Final = 4
Sound = NDArray[np.float64]
_KINDS: Final = (SERVER_VAD, SEMANTIC_VAD)


@dataclass(frozen=True, slots=True)
class Onset:
    """Speech after something that is not: the samples, and where the first sound lies."""

    name: str
    samples: Samples
    onset_ms: float


def run() -> Iterable[Figure]:
    """Measure, and return the figures."""
    all_onsets = list(onsets(NOISE_DB))
    model = SpeechModel()
    for kind in _KINDS:
        heard = InputAudio(SpeechActivity(model), lambda: "item")
        heard.set_turn_detection(DetectionSettings.of(kind))
        delays_ms = {onset.name: _delay_on_its_clock_ms(heard, onset) for onset in all_onsets}
        yield from _figures(f"{kind['type']}: first sound to its noticing", delays_ms)
    heard = InputAudio(SpeechActivity(model), lambda: "item")
    heard.set_turn_detection(DetectionSettings.of(SERVER_VAD))
    delays_ms = {onset.name: _delay_on_its_clock_ms(heard, onset) for onset in onsets([LOUD_NOISE_DB])}
    _figures("in loud noise: first sound to its noticing", delays_ms)
    yield from _figures("first sound to speech_started in real time", asyncio.run(_in_real_time(all_onsets)))


def _figures(name: str, delays_ms: dict[str, float | None]) -> list[Figure]:
    noticed = {name: ms for name, ms in delays_ms.items() if ms is not None and ms >= 0}
    told = ", ".join(
        f"p{percent} {percentile(list(noticed.values()), percent):.0f} ms" for percent in (50, 90, 99, 100)
    )
    print(f"{name}, of {len(delays_ms)}: {told}", file=sys.stderr)
    for onset, ms in delays_ms.items():
        if ms is None or not 0 <= ms <= ONSET_GOAL_MS:
            print(f"  {onset}: {'missed' if ms is None else f'{ms:.0f} ms'}", file=sys.stderr)
    wrong = 100 * (len(delays_ms) - len(noticed)) / len(delays_ms)
    return [
        Figure(name, ONSET_GOAL_MS, "ms", list(noticed.values())),
        Figure(f"{name}: missed or false, of {len(delays_ms)}", WRONG_GOAL, "%", [wrong]),
    ]


def _delay_on_its_clock_ms(heard: InputAudio, onset: Onset) -> float | None:
    """Return how much audio after the first sound it took, in ms; None where that was not enough."""
    delay_ms = None
    for start in range(0, len(onset.samples), CHUNK_SAMPLES):
        chunk = onset.samples[start : start + CHUNK_SAMPLES]
        if any(isinstance(event, TurnStarted) for event in heard.append(chunk.astype("<i2").tobytes())):
            delay_ms = (start + len(chunk)) * 1000 / RATE_HZ - onset.onset_ms
            break
    list(heard.append(silence(FORGOTTEN_AFTER_MS).astype("<i2").tobytes()))  # as below
    heard.clear()
    return delay_ms


async def _in_real_time(all_onsets: list[Onset]) -> dict[str, float | None]:
    """Return the delays in ms, of sessions of both kinds side by side, each with its share of the onsets."""
    delays_ms: dict[str, float | None] = {}

    async def listen(url: str, number: int) -> None:
        kind = _KINDS[number % len(_KINDS)]["type"]
        async with session(url, {"type": kind, "create_response": False}) as socket:
            for onset in all_onsets[number::SESSIONS]:
                delays_ms[onset.name] = await _delay_ms(socket, onset)

    async with embedded_engine() as url:
        await asyncio.gather(*(listen(url, number) for number in range(SESSIONS)))
    return delays_ms


async def _delay_ms(socket: ClientConnection, onset: Onset) -> float | None:
    """Play it and return how long after the first sound the engine said so, in ms; None where it did not."""
    began = time.monotonic()
    heard: list[float] = []

    async def listen() -> None:
        async for message in socket:
            event: dict[str, Any] = json.loads(message)
            if event["type"] == "input_audio_buffer.speech_started":
                heard.append((time.monotonic() - began) * 1000 - onset.onset_ms)
            elif event["type"] == "input_audio_buffer.cleared":
                return

    listening = asyncio.create_task(listen())
    for start in range(0, len(onset.samples), CHUNK_SAMPLES):
        due = began + start / RATE_HZ + CHUNK_S  # a chunk is there when its last sample is
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        await socket.send(append(onset.samples[start : start + CHUNK_SAMPLES]))
        if heard:
            break
    # The speech was cut short: the detector has to forget it, or it would still hear it in what comes next.
    await socket.send(append(silence(FORGOTTEN_AFTER_MS)))
    await socket.send(json.dumps({"type": "input_audio_buffer.clear"}))
    await listening
    return heard[0] if heard else None


def onsets(backgrounds_db: Sequence[float | None]) -> Iterable[Onset]:
    """Give the same onsets, in the same order, whenever asked: each recording in each background."""
    chance = random.Random(12)
    paths = [*paths_of(project_recordings()), *peoples_recordings()]
    for path in paths:
        samples = load_recording(path).astype(np.float64)
        extent = speech_extent(samples.astype(np.int16))
        assert extent is not None
        speech = samples[extent.onset_ms * 24 : extent.offset_ms * 24]
        for noise_db in backgrounds_db:
            loudness_dbfs = chance.uniform(QUIETEST_DBFS, LOUDEST_DBFS)
            lead_ms = chance.uniform(*LEAD_MS)
            name = f"{path.stem} {loudness_dbfs:.0f} dBFS, " + (
                "silence" if noise_db is None else f"noise {noise_db:g} dB"
            )
            yield Onset(name, _mixed(speech, loudness_dbfs, noise_db, lead_ms, chance.randrange(2**32)), lead_ms)


def _mixed(
    speech: np.ndarray[Any, np.dtype[np.float64]],
    loudness_dbfs: float,
    noise_db: float | None,
    lead_ms: float,
    seed: int,
) -> Samples:
    level = 32768 * 10 ** (loudness_dbfs / 20)
    lead = np.zeros(round(lead_ms * 24))
    scaled = speech * level / np.sqrt(np.mean(speech**2))
    mixed = np.concatenate([lead, scaled, np.zeros(MISSED_AFTER_MS * 24)])[: len(lead) + MISSED_AFTER_MS * 24]
    if noise_db is not None:
        mixed += _room(len(mixed), seed) * level * 10 ** (noise_db / 20)
    samples: Samples = np.clip(mixed, -32768, 32767).astype(np.int16)
    return samples


def _room(length: int, seed: int) -> Sound:
    """Return noise of power 1 whose spectrum falls by 3 dB an octave."""
    spectrum = np.fft.rfft(np.random.default_rng(seed).normal(size=length))
    hz = np.fft.rfftfreq(length, 1 / RATE_HZ)
    spectrum *= np.where(hz < 20, 0, 1 / np.sqrt(np.maximum(hz, 20)))
    noise = np.fft.irfft(spectrum, length)
    return np.asarray(noise / np.sqrt(np.mean(noise**2)), np.float64)
