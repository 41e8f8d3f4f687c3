"""The ends of the audio path at a device: a PortAudio output and input stream.

Devices are opened at 24 kHz mono where they take it, else as `formats` says. What they give or get then is converted on
its way, block by block, with a constant delay that is counted in every time the stream gives. Blocks of a device may
have any length: an output takes exactly as many samples from its playout as the block needs.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from simulator.audio.conversion import Converter
from simulator.audio.device_clock import DeviceClock
from simulator.audio.device_stream import STANDSTILL_NS, DeviceStream
from simulator.audio.devices import Device
from simulator.audio.fades import Edges, VoiceShape
from simulator.audio.formats import captured, play
from simulator.audio.playout import Playout
from simulator.audio.ring import BlockTimeRing, SampleRing
from simulator.audio.silent_clock import SilentOutput
from simulator.audio.stream_state import Channel, DacSource, LatencyOffset, Output, ReportedBy, StreamState
from simulator.units import BLOCK_SAMPLES, SAMPLE_RATE_HZ

__all__ = [
    "STANDSTILL_NS",
    "Channel",
    "DacSource",
    "DeviceClock",
    "InputStream",
    "Output",
    "OutputStream",
    "SilentOutput",
    "StreamState",
]

OUTPUT_LATENCY_S: Final = 0.05
INPUT_LATENCY_S: Final = 0.02

_FURTHEST_DAC_S: Final = 5.0
"""A DAC time further ahead than this is no time at all."""


class OutputStream(DeviceStream):
    """Plays a playout on a device: on all of its channels, or on the pair that begins with `channel`.

    `shape` gives the voice its fades and its volume. Raises AudioUnavailable or DeviceUnavailable when made.
    """

    def __init__(
        self,
        playout: Playout,
        device: Device | None,
        on_wake: Callable[[], None],
        loop: asyncio.AbstractEventLoop,
        latency_s: float = OUTPUT_LATENCY_S,
        *,
        channel: Channel = None,
        shape: VoiceShape | None = None,
    ) -> None:
        self._playout = playout
        self._shape = shape if shape is not None else VoiceShape()
        self._offset: LatencyOffset | None = None
        self._block = np.zeros(BLOCK_SAMPLES, dtype=np.int16)
        self._silent = False
        self._converter: Converter | None = None
        super().__init__("output", device, on_wake, loop, latency_s, channel)
        if self.rate_hz != SAMPLE_RATE_HZ:
            self._converter = Converter(SAMPLE_RATE_HZ, self.rate_hz)
            self._conversion_delay_ns = self._converter.delay_ns

    def _transfer(self, data: NDArray[Any], times: Any, now_ns: int) -> None:
        samples = self._samples_for(data)
        self._give(samples, data, self._playout.fill(samples, now_ns, self._dac_ns(times, now_ns)))

    def _fall_silent(self, data: NDArray[Any]) -> None:
        samples = self._samples_for(data)
        samples[:] = 0
        self._give(samples, data, Edges(breaks_at=None if self._silent else 0))
        self._silent = True

    def _samples_for(self, data: NDArray[Any]) -> NDArray[np.int16]:
        """Return room for as many samples as a block of the device needs."""
        needed = len(data) if self._converter is None else self._converter.needed(len(data))
        if needed > len(self._block):
            self._block = np.zeros(needed, dtype=np.int16)
        return self._block[:needed]

    def _give(self, samples: NDArray[np.int16], data: NDArray[Any], edges: Edges) -> None:
        self._shape.apply(samples, edges)
        if self._converter is not None:
            samples = self._converter.process(samples, len(data))
        play(samples, data, self._channel)

    def correct(self, offset: LatencyOffset | None) -> None:
        """Let the times be what was measured of the device, from the next block on; None: what it says itself."""
        self._offset = offset

    def _dac_ns(self, times: Any, now_ns: int) -> int:
        dac_s: float = times.outputBufferDacTime
        reported_by: ReportedBy = "latency"
        dac_ns = now_ns + self._latency_ns + self._conversion_delay_ns
        if dac_s and times.currentTime < dac_s < times.currentTime + _FURTHEST_DAC_S and times.currentTime:
            reported_by = "dac"
            dac_ns = self._clock.monotonic_ns(dac_s) + self._conversion_delay_ns
        offset = self._offset
        if offset is None or offset.reported_by != reported_by:
            self._dac_source = reported_by
            return dac_ns
        self._dac_source = "measured"
        return max(now_ns, dac_ns + offset.ns)

    def _after_fault(self, data: NDArray[Any]) -> None:
        data[:] = 0


class InputStream(DeviceStream):
    """Records a device into a ring, and the time of each block beside it.

    Of several channels, the one that `channel` says, or the mean of all for "mix"; the first where there is no choice.
    Raises AudioUnavailable or DeviceUnavailable when made.
    """

    def __init__(
        self,
        ring: SampleRing,
        times: BlockTimeRing,
        device: Device | None,
        on_wake: Callable[[], None],
        loop: asyncio.AbstractEventLoop,
        latency_s: float = INPUT_LATENCY_S,
        *,
        channel: Channel = None,
    ) -> None:
        self._ring = ring
        self._times = times
        self._converter: Converter | None = None
        super().__init__("input", device, on_wake, loop, latency_s, channel)
        if self.rate_hz != SAMPLE_RATE_HZ:
            self._converter = Converter(self.rate_hz, SAMPLE_RATE_HZ)
            self._conversion_delay_ns = self._converter.delay_ns

    def _transfer(self, data: NDArray[Any], times: Any, now_ns: int) -> None:
        samples = captured(data, self._channel)
        if self._converter is not None:
            samples = self._converter.process(samples)
        adc_s = times.inputBufferAdcTime
        known = adc_s and times.currentTime and times.currentTime - _FURTHEST_DAC_S < adc_s <= times.currentTime
        if known:
            self._dac_source = "dac"
        adc_ns = self._clock.monotonic_ns(adc_s) - self._conversion_delay_ns if known else 0
        self._times.note(self._ring.written_samples, len(samples), now_ns - self._conversion_delay_ns, adc_ns)
        self._ring.write(samples)

    def _after_fault(self, data: NDArray[Any]) -> None:
        """Nothing was captured; the block is missing from the ring."""
