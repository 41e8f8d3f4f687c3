"""The ends of the audio path: a PortAudio output and input stream, and the silent clock that stands in for an output.

A device that goes away says so, or falls silent: a stream whose callback was not called for `STANDSTILL_NS` counts as
gone as well (a PulseAudio server that was killed left 5 of 17 sessions like that, hanging in the audio library).

A callback copies between the device and a preallocated buffer, counts, and wakes the loop by one
`call_soon_threadsafe`. It takes no lock and writes no log. An exception in it is caught and kept as `fault`; the block
is silent then, and the loop reads the fault when it is woken.

Devices are opened at 24 kHz mono, or stereo where they have no mono. A device that refuses that rate is opened at
48 kHz behind a half-band filter; one that takes neither is refused with a sentence.
"""

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from simulator.audio.devices import Device, Direction, index_here, portaudio
from simulator.audio.opening import beside
from simulator.audio.playout import Playout
from simulator.audio.resample import DELAY_48K_SAMPLES, HalfBand24To48, HalfBand48To24
from simulator.audio.ring import BlockTimeRing, SampleRing
from simulator.errors import DeviceUnavailable
from simulator.units import BLOCK_SAMPLES, NS_PER_MS, NS_PER_S, SAMPLE_RATE_HZ, samples_to_ns

DacSource = Literal["dac", "latency"]
"""Where a DAC time comes from: the stream's own clock, or the latency that the stream says it has."""

OUTPUT_LATENCY_S: Final = 0.05
INPUT_LATENCY_S: Final = 0.02

STANDSTILL_NS: Final = 1_500 * NS_PER_MS
"""Without a callback for this long a device has gone: some fall silent for a second and go on."""

_FIRST_CALLBACK_NS: Final = 5 * NS_PER_S
"""How long a device may take to begin."""

_DEVICE_RATE_HZ: Final = 48_000
_FORMATS: Final = (
    (SAMPLE_RATE_HZ, 1),
    (SAMPLE_RATE_HZ, 2),
    (_DEVICE_RATE_HZ, 1),
    (_DEVICE_RATE_HZ, 2),
)
"""Rates and channels that are tried, the best one first."""

_FURTHEST_DAC_S: Final = 5.0
"""A DAC time further ahead than this is no time at all."""


@dataclass(frozen=True, slots=True)
class StreamState:
    """What the loop may want to know of a stream at any time."""

    name: str
    callbacks: int
    dropouts: int
    """Times the device says it ran dry (output) or lost audio (input)."""
    alive: bool
    """False once the stream ended by itself: its device has gone."""
    fault: str | None
    """The first exception in the callback."""
    latency_ns: int
    dac_source: DacSource
    rate_hz: int
    """Rate at which the device was opened."""


class Output(Protocol):
    """What plays a `Playout`: a device, or the silent clock."""

    def start(self) -> None:
        """Begin to ask the playout for blocks."""

    def close(self) -> None:
        """End at once, dropping what the device has queued; a second call does nothing. May take some milliseconds."""

    def state(self) -> StreamState:
        """Return how it is doing."""


class _Waker:
    """Wakes the loop from another thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop, on_wake: Callable[[], None]) -> None:
        self._loop = loop
        self._on_wake = on_wake

    def wake(self) -> None:
        # A loop that was closed has nobody to wake; the stream is about to be closed as well.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._on_wake)


class DeviceClock:
    """Translates a stream's times into monotonic nanoseconds.

    The offset between the clocks is measured in each callback. A measurement is too large by the time between the
    stream taking its time and the callback running, never too small, so the smallest one counts; it may grow by 50 ppm,
    as the clocks may drift. A jump (the system's clock was set) starts anew.
    """

    _DRIFT_PER_CALLBACK_NS: Final = 1_000
    _JUMP_NS: Final = 250 * NS_PER_MS

    def __init__(self) -> None:
        self._offset_ns: int | None = None

    def measure(self, current_s: float, now_ns: int) -> None:
        """Take the stream's present time, as given to a callback that runs at `now_ns`."""
        measured = now_ns - round(current_s * NS_PER_S)
        known = self._offset_ns
        if known is None or measured < known or measured > known + self._JUMP_NS:
            self._offset_ns = measured
        else:
            self._offset_ns = min(measured, known + self._DRIFT_PER_CALLBACK_NS)

    def monotonic_ns(self, stream_s: float) -> int:
        """Return a time of the stream's clock as monotonic nanoseconds. Measure first."""
        if self._offset_ns is None:
            raise ValueError("the clock was never measured")
        return round(stream_s * NS_PER_S) + self._offset_ns


class _DeviceStream:
    """What the output and the input stream share: opening, counting, dying, closing."""

    def __init__(
        self,
        direction: Direction,
        device: Device | None,
        on_wake: Callable[[], None],
        loop: asyncio.AbstractEventLoop,
        latency_s: float,
    ) -> None:
        self._waker = _Waker(loop, on_wake)
        self._clock = DeviceClock()
        self._callbacks = 0
        self._dropouts = 0
        self._fault: str | None = None
        self._finished = False
        self._closed = False
        self._next_callback_by_ns: int | None = None
        self._dac_source: DacSource = "latency"
        self.device, self._stream = self._open(direction, device, latency_s)
        self.rate_hz: int = round(self._stream.samplerate)
        self.channels: int = self._stream.channels
        self._latency_ns: int = round(self._stream.latency * NS_PER_S)

    def _open(self, direction: Direction, device: Device | None, latency_s: float) -> tuple[Device, Any]:
        sounddevice = portaudio()
        index, found = index_here(device, direction)
        stream_class = sounddevice.InputStream if direction == "input" else sounddevice.OutputStream
        refused: list[str] = []
        for rate_hz, channels in _FORMATS:
            try:
                stream = stream_class(
                    samplerate=rate_hz,
                    channels=channels,
                    dtype="int16",
                    blocksize=BLOCK_SAMPLES * rate_hz // SAMPLE_RATE_HZ,
                    device=index,
                    latency=latency_s,
                    callback=self._guarded,
                    finished_callback=self._on_finished,
                )
            except sounddevice.PortAudioError as error:
                refused.append(f"{rate_hz} Hz, {channels} channels: {error}")
                if not _is_refused_format(error):
                    break
            else:
                return found, stream
        raise DeviceUnavailable(_refusal(direction, found, refused), details="; ".join(refused))

    def start(self) -> None:
        """Begin. Raises DeviceUnavailable if the device does not start."""
        sounddevice = portaudio()
        self._next_callback_by_ns = time.monotonic_ns() + _FIRST_CALLBACK_NS
        try:
            self._stream.start()
        except sounddevice.PortAudioError as error:
            self.close()
            raise DeviceUnavailable(
                f"“{self.device.name}” was opened but did not start: unplug and plug it in, or choose another device.",
                details=str(error),
            ) from error

    def close(self) -> None:
        """End at once, dropping what the device has queued; a second call does nothing."""
        if not self._closed:
            hangs = self._stands_still()
            self._closed = True
            if hangs:
                beside(self._end, "closing")
            else:
                self._end()

    def _end(self) -> None:
        self._stream.abort()
        self._stream.close()

    def _stands_still(self) -> bool:
        by_ns = self._next_callback_by_ns
        return not self._finished and by_ns is not None and time.monotonic_ns() > by_ns

    def state(self) -> StreamState:
        """Return how the stream is doing."""
        return StreamState(
            name=self.device.name,
            callbacks=self._callbacks,
            dropouts=self._dropouts,
            alive=not self._finished and not self._closed and not self._stands_still(),
            fault=self._fault,
            latency_ns=self._latency_ns,
            dac_source=self._dac_source,
            rate_hz=self.rate_hz,
        )

    def _guarded(self, data: NDArray[np.int16], frames: int, times: Any, status: Any) -> None:
        """The callback that PortAudio calls in its own thread."""
        now_ns = time.monotonic_ns()
        self._next_callback_by_ns = now_ns + STANDSTILL_NS
        try:
            self._callbacks += 1
            if status:
                self._dropouts += 1
            if times.currentTime:
                self._clock.measure(times.currentTime, now_ns)
            self._transfer(data, times, now_ns)
        except Exception as error:
            if self._fault is None:
                self._fault = f"{type(error).__name__}: {error}"
            self._after_fault(data)
        self._waker.wake()

    def _transfer(self, data: NDArray[np.int16], times: Any, now_ns: int) -> None:
        raise NotImplementedError

    def _after_fault(self, data: NDArray[np.int16]) -> None:
        raise NotImplementedError

    def _on_finished(self) -> None:
        """PortAudio says that the stream ended: by `close`, or because the device has gone."""
        self._finished = True
        if not self._closed:
            self._waker.wake()


class OutputStream(_DeviceStream):
    """Plays a playout on a device. Raises AudioUnavailable or DeviceUnavailable when made."""

    def __init__(
        self,
        playout: Playout,
        device: Device | None,
        on_wake: Callable[[], None],
        loop: asyncio.AbstractEventLoop,
        latency_s: float = OUTPUT_LATENCY_S,
    ) -> None:
        self._playout = playout
        self._block = np.zeros(BLOCK_SAMPLES, dtype=np.int16)
        self._doubler = HalfBand24To48()
        super().__init__("output", device, on_wake, loop, latency_s)
        self._filter_ns = DELAY_48K_SAMPLES * NS_PER_S // _DEVICE_RATE_HZ if self.rate_hz == _DEVICE_RATE_HZ else 0

    def _transfer(self, data: NDArray[np.int16], times: Any, now_ns: int) -> None:
        self._playout.fill(self._block, now_ns, self._dac_ns(times, now_ns))
        samples = self._block if self.rate_hz == SAMPLE_RATE_HZ else self._doubler.process(self._block)
        data[:] = samples[:, np.newaxis]

    def _dac_ns(self, times: Any, now_ns: int) -> int:
        dac_s: float = times.outputBufferDacTime
        if dac_s and times.currentTime < dac_s < times.currentTime + _FURTHEST_DAC_S and times.currentTime:
            self._dac_source = "dac"
            return self._clock.monotonic_ns(dac_s) + self._filter_ns
        self._dac_source = "latency"
        return now_ns + self._latency_ns + self._filter_ns

    def _after_fault(self, data: NDArray[np.int16]) -> None:
        data[:] = 0


class InputStream(_DeviceStream):
    """Records a device into a ring, and the time of each block beside it; of several channels, the first.

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
    ) -> None:
        self._ring = ring
        self._times = times
        self._halver = HalfBand48To24()
        super().__init__("input", device, on_wake, loop, latency_s)

    def _transfer(self, data: NDArray[np.int16], times: Any, now_ns: int) -> None:
        samples = data[:, 0]
        if self.rate_hz == _DEVICE_RATE_HZ:
            samples = self._halver.process(samples)
        adc_s = times.inputBufferAdcTime
        known = adc_s and times.currentTime and times.currentTime - _FURTHEST_DAC_S < adc_s <= times.currentTime
        if known:
            self._dac_source = "dac"
        self._times.note(self._ring.written_samples, now_ns, self._clock.monotonic_ns(adc_s) if known else 0)
        self._ring.write(samples)

    def _after_fault(self, data: NDArray[np.int16]) -> None:
        """Nothing was captured; the block is missing from the ring."""


class SilentOutput:
    """The silent clock: takes the playout's blocks at the pace of a device, and nobody hears them.

    Paced by absolute deadlines; after a stall the missed blocks are taken at once, as a device with a queue would.
    """

    NAME: Final = "silent clock"

    def __init__(self, playout: Playout, on_wake: Callable[[], None], loop: asyncio.AbstractEventLoop) -> None:
        self._playout = playout
        self._waker = _Waker(loop, on_wake)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="silent clock", daemon=True)
        self._callbacks = 0
        self._fault: str | None = None

    def start(self) -> None:
        """Begin to take blocks."""
        self._thread.start()

    def close(self) -> None:
        """End; a second call does nothing."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def state(self) -> StreamState:
        """Return how it is doing."""
        return StreamState(
            name=self.NAME,
            callbacks=self._callbacks,
            dropouts=0,
            alive=not self._stop.is_set(),
            fault=self._fault,
            latency_ns=0,
            dac_source="latency",
            rate_hz=SAMPLE_RATE_HZ,
        )

    def _run(self) -> None:
        block = np.zeros(BLOCK_SAMPLES, dtype=np.int16)
        start_ns = time.monotonic_ns()
        while not self._stop.wait(self._seconds_to_next(start_ns)):
            now_ns = time.monotonic_ns()
            try:
                self._playout.fill(block, now_ns, now_ns)
            except Exception as error:
                if self._fault is None:
                    self._fault = f"{type(error).__name__}: {error}"
            self._callbacks += 1
            self._waker.wake()

    def _seconds_to_next(self, start_ns: int) -> float:
        deadline_ns = start_ns + samples_to_ns(self._callbacks * BLOCK_SAMPLES)
        return max(0, deadline_ns - time.monotonic_ns()) / NS_PER_S


def _is_refused_format(error: Exception) -> bool:
    """Tell whether PortAudio refused the rate, the number of channels or the sample format, not the device."""
    return len(error.args) > 1 and error.args[1] in (-9997, -9998, -9994)


def _refusal(direction: Direction, device: Device, refused: list[str]) -> str:
    what = "microphone" if direction == "input" else "output device"
    if len(refused) == len(_FORMATS):
        return (
            f"The {what} “{device.name}” takes neither 24 nor 48 kHz: set it to 48 kHz in the system's sound settings, "
            "or choose another device."
        )
    if any("-9985" in text for text in refused):
        return f"The {what} “{device.name}” is in use by another program: close that program or choose another device."
    return f"The {what} “{device.name}” cannot be opened: check that it is plugged in, or choose another device."
