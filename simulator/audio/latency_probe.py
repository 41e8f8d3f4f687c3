"""Measures the round trip of a microphone and a loudspeaker: through a cable between them, or through the room."""

import asyncio
import time
from collections.abc import Callable
from datetime import datetime
from statistics import median
from typing import Final

import numpy as np

from simulator.audio.devices import Choice, chosen_here
from simulator.audio.latencies import RoundTrip
from simulator.audio.playout import AudioHanded, PlaybackEnded, Playout
from simulator.audio.round_trip import (
    CHIRPS,
    LEAST_CHIRPS,
    LONGEST_MS,
    Samples,
    answers,
    places,
    train,
)
from simulator.audio.sources import Chunk, MicrophoneSource
from simulator.audio.streams import OutputStream
from simulator.errors import DeviceUnavailable
from simulator.units import NS_PER_MS, NS_PER_S, SAMPLE_RATE_HZ, samples_to_ms, samples_to_ns

NOTHING_CAME_BACK: Final = (
    "No click came back: turn the loudspeaker and the microphone up, unmute both, bring them together or join them by "
    "a cable, and measure again."
)

_ITEM: Final = "chirps"
_LONGEST_WAIT_S: Final = 20.0
"""The train lasts five seconds, and a device may need some to wake up."""


async def measure(microphone: Choice, loudspeaker: Choice, on_open: Callable[[], None]) -> RoundTrip:
    """Play the chirps, and return how long they take to come back: about eight seconds.

    `on_open` is called once both devices are open, before the first chirp. Raises AudioUnavailable or
    DeviceUnavailable, the latter also where nothing, or too little, came back.
    """
    probe = _Probe(microphone, loudspeaker)
    try:
        on_open()
        await probe.run()
    finally:
        probe.close()
    return probe.result()


class _Probe:
    def __init__(self, microphone: Choice, loudspeaker: Choice) -> None:
        loop = asyncio.get_running_loop()
        self._playout = Playout()
        self._woken = asyncio.Event()
        self._source = MicrophoneSource(chosen_here(microphone, "input"), loop, channel=microphone.channel)
        try:
            device = chosen_here(loudspeaker, "output")
            self._output = OutputStream(self._playout, device, self._woken.set, loop, channel=loudspeaker.channel)
        except BaseException:
            self._source.close()
            raise
        self._chunks: list[Chunk] = []
        self._handed: list[AudioHanded] = []

    async def run(self) -> None:
        """Play, and listen until the last chirp must have come back."""
        listening = asyncio.create_task(self._listen())
        try:
            await self._until(lambda: bool(self._chunks) or listening.done(), f"“{self._source.state().name}”")
            if not listening.done():
                await self._play()
            await asyncio.wait([listening], timeout=LONGEST_MS / 1000)
        finally:
            self.close()
            await listening

    def close(self) -> None:
        """Let go of both devices."""
        self._source.close()
        self._output.close()

    async def _listen(self) -> None:
        try:
            async for chunk in self._source.chunks():
                self._chunks.append(chunk)
                self._woken.set()
        finally:
            self._woken.set()

    async def _play(self) -> None:
        self._playout.add(_ITEM, train(), time.monotonic_ns())
        self._playout.item_complete(_ITEM)
        self._output.start()
        name = f"“{self._output.state().name}”"
        await self._until(self._has_ended, name)

    def _has_ended(self) -> bool:
        events = self._playout.progress()
        self._handed += [event for event in events if isinstance(event, AudioHanded)]
        if not self._output.state().alive:
            raise DeviceUnavailable(f"The output device “{self._output.state().name}” has gone: plug it in again.")
        return any(isinstance(event, PlaybackEnded) for event in events)

    async def _until(self, condition: Callable[[], bool], name: str) -> None:
        try:
            async with asyncio.timeout(_LONGEST_WAIT_S):
                while not condition():
                    self._woken.clear()
                    await self._woken.wait()
        except TimeoutError as error:
            raise DeviceUnavailable(
                f"{name} opened and then gave and took nothing: choose it again, or another device."
            ) from error

    def result(self) -> RoundTrip:
        """Return what was measured. Raises DeviceUnavailable where too little came back."""
        begin_ns = self._captured_begin_ns()
        # Blocks are asked for in bursts: what each says of its own time wavers, all of them together do not.
        dac_begin_ns = round(median(piece.dac_ns - samples_to_ns(piece.first_sample) for piece in self._handed))
        expected = [place + (dac_begin_ns - begin_ns) * SAMPLE_RATE_HZ / NS_PER_S for place in places()]
        found = answers(self._captured(), expected)
        if len(found) < LEAST_CHIRPS:
            raise DeviceUnavailable(NOTHING_CAME_BACK, details=f"{len(found)} of {CHIRPS} chirps were found")
        output, microphone = self._output.state(), self._source.state()
        assert output.dac_source in ("dac", "latency"), "a device tells its times, and nothing corrected them"
        reported_output_ms = median((piece.dac_ns - piece.handed_ns) / NS_PER_MS for piece in self._handed)
        late_ms = [samples_to_ms(1) * answer.late_samples for answer in found]
        return RoundTrip(
            output=self._output.device.name,
            output_host_api=self._output.device.host_api,
            input=self._source.device.name,
            input_host_api=self._source.device.host_api,
            measured_at=datetime.now().astimezone().isoformat(timespec="seconds"),
            round_trip_ms=round(reported_output_ms + median(late_ms), 2),
            spread_ms=round(max(late_ms) - min(late_ms), 2),
            chirps=len(found),
            chirps_played=CHIRPS,
            snr_db=round(median(answer.snr_db for answer in found), 1),
            reported_output_ms=round(reported_output_ms, 2),
            reported_input_ms=round((microphone.latency_ns + microphone.conversion_delay_ns) / NS_PER_MS, 2),
            output_source=output.dac_source,
            output_rate_hz=output.rate_hz,
            input_rate_hz=microphone.rate_hz,
        )

    def _captured(self) -> Samples:
        """Return all that was captured; what was lost is silent."""
        last = self._chunks[-1]
        captured = np.zeros(last.first_sample + len(last.samples), dtype=np.int16)
        for chunk in self._chunks:
            captured[chunk.first_sample : chunk.first_sample + len(chunk.samples)] = chunk.samples
        return captured

    def _captured_begin_ns(self) -> int:
        """Return when the first sample was captured, by the most punctual chunk: none is told of too early."""
        return min(chunk.captured_ns - samples_to_ns(chunk.first_sample + len(chunk.samples)) for chunk in self._chunks)
