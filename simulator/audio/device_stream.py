"""What the output and the input stream of a device share: opening in a form it takes, counting, dying, closing.

A device that goes away says so, or falls silent: a stream whose callback was not called for `STANDSTILL_NS` counts as
gone as well (a PulseAudio server that was killed left 5 of 17 sessions like that, hanging in the audio library).

A callback copies between the device and a preallocated buffer, converts, counts, and wakes the loop by one
`call_soon_threadsafe`. It takes no lock and writes no log. An exception in it is caught and kept as `fault`; the block
is silent then, and the loop reads the fault when it is woken.
"""

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from numpy.typing import NDArray

from simulator.audio.device_clock import DeviceClock
from simulator.audio.devices import Device, Direction, index_here, portaudio
from simulator.audio.formats import SAMPLE_TYPES, StreamFormat, formats, rates_text
from simulator.audio.opening import CLOSING, beside
from simulator.audio.refusals import why_not_opened
from simulator.audio.stream_state import Channel, DacSource, StreamState, Waker
from simulator.errors import DeviceUnavailable
from simulator.units import NS_PER_MS, NS_PER_S

if TYPE_CHECKING:
    import threading

STANDSTILL_NS: Final = 1_500 * NS_PER_MS
"""Without a callback for this long a device has gone: some fall silent for a second and go on."""

_FIRST_CALLBACK_NS: Final = 5 * NS_PER_S
"""How long a device may take to begin."""

_CLOSES_WITHIN_S: Final = 0.1
"""So long a caller waits for a device to close, which takes milliseconds; one that hangs must not stop the loop."""

_LONGEST_QUEUE_NS: Final = NS_PER_S // 2
"""A device that says it has more queued than this is not waited for."""

_INVALID_RATE, _INVALID_CHANNELS, _INVALID_SAMPLES = -9997, -9998, -9994
"""PortAudio's codes."""
_REFUSED_FORMAT: Final = (_INVALID_RATE, _INVALID_CHANNELS, _INVALID_SAMPLES)


class DeviceStream:
    """An open device. Raises AudioUnavailable or DeviceUnavailable when made."""

    def __init__(
        self,
        direction: Direction,
        device: Device | None,
        on_wake: Callable[[], None],
        loop: asyncio.AbstractEventLoop,
        latency_s: float,
        channel: Channel,
    ) -> None:
        self._waker = Waker(loop, on_wake)
        self._clock = DeviceClock()
        self._callbacks = 0
        self._dropouts = 0
        self._fault: str | None = None
        self._finished = False
        self._closed = False
        self._ending: threading.Thread | None = None
        self._finishing = False
        self._queued_until_ns = 0
        self._next_callback_by_ns: int | None = None
        self._dac_source: DacSource = "latency"
        self._channel = channel
        self._conversion_delay_ns = 0
        self.device, form, self._stream = self._open(direction, device, latency_s)
        # What was asked for: some drivers give back what a counter of theirs measured.
        self.rate_hz = form.rate_hz
        self.channels = form.channels
        self._latency_ns: int = round(self._stream.latency * NS_PER_S)

    def _open(self, direction: Direction, device: Device | None, latency_s: float) -> tuple[Device, StreamFormat, Any]:
        sounddevice = portaudio()
        index, found = index_here(device, direction)
        stream_class = sounddevice.InputStream if direction == "input" else sounddevice.OutputStream
        refused: dict[StreamFormat, Exception] = {}
        for sample_type in SAMPLE_TYPES:
            if refused and not any(_code(error) == _INVALID_SAMPLES for error in refused.values()):
                break
            for form in formats(direction, found, self._channel, sample_type):
                try:
                    stream = stream_class(
                        samplerate=form.rate_hz,
                        channels=form.channels,
                        dtype=form.sample_type,
                        blocksize=form.block_frames,
                        device=index,
                        latency=latency_s,
                        callback=self._guarded,
                        finished_callback=self._on_finished,
                    )
                    return found, form, stream
                except sounddevice.PortAudioError as error:
                    refused[form] = error
                    if _code(error) not in _REFUSED_FORMAT:
                        raise _refusal(direction, found, refused) from error
        raise _refusal(direction, found, refused)

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
        """End at once, dropping what the device has queued; a second call does nothing.

        It blocks for a moment; a device that takes longer is closed whenever it can be, on a thread of its own.
        """
        if not self._closed:
            hangs = self._stands_still()
            self._closed = True
            self._ending = beside(self._end, CLOSING)
            if not hangs:
                self._ending.join(_CLOSES_WITHIN_S)

    def wait_closed(self) -> None:
        """Block until it is closed, however long that takes; one that was not told to close is not waited for."""
        if self._ending is not None:
            self._ending.join()

    def finish(self) -> None:
        """End after what the device has queued was played. Blocks until it is closed: some 100 ms where nothing hangs.

        PortAudio's own way to do so drops what a sound server has queued.
        """
        self._finishing = True
        longest_ns = time.monotonic_ns() + _LONGEST_QUEUE_NS
        # Looked at again and again: a block may have been on its way.
        while self.state().alive and (now_ns := time.monotonic_ns()) < min(self._queued_until_ns, longest_ns):
            time.sleep((min(self._queued_until_ns, longest_ns) - now_ns) / NS_PER_S)
        self.close()
        self.wait_closed()

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
            channels=self.channels,
            channel=self._channel,
            conversion_delay_ns=self._conversion_delay_ns,
        )

    def _guarded(self, data: NDArray[Any], frames: int, times: Any, status: Any) -> None:
        """The callback that PortAudio calls in its own thread."""
        now_ns = time.monotonic_ns()
        self._next_callback_by_ns = now_ns + STANDSTILL_NS
        try:
            self._callbacks += 1
            if status:
                self._dropouts += 1
            if times.currentTime:
                self._clock.measure(times.currentTime, now_ns)
            if self._finishing:
                self._fall_silent(data)
            else:
                self._transfer(data, times, now_ns)
                self._queued_until_ns = now_ns + self._ahead_ns(times) + len(data) * NS_PER_S // self.rate_hz
        except Exception as error:
            if self._fault is None:
                self._fault = f"{type(error).__name__}: {error}"
            self._after_fault(data)
        self._waker.wake()

    def _ahead_ns(self, times: Any) -> int:
        """Return how much is queued before the block that is asked for."""
        ahead_ns = round((times.outputBufferDacTime - times.currentTime) * NS_PER_S)
        return ahead_ns if times.currentTime and 0 < ahead_ns < _LONGEST_QUEUE_NS else self._latency_ns

    def _transfer(self, data: NDArray[Any], times: Any, now_ns: int) -> None:
        raise NotImplementedError

    def _fall_silent(self, data: NDArray[Any]) -> None:
        """Give silence while what was queued is played."""
        self._after_fault(data)

    def _after_fault(self, data: NDArray[Any]) -> None:
        raise NotImplementedError

    def _on_finished(self) -> None:
        """PortAudio says that the stream ended: by `close`, or because the device has gone."""
        self._finished = True
        if not self._closed:
            self._waker.wake()


def _code(error: Exception) -> int | None:
    return error.args[1] if len(error.args) > 1 else None


def _refusal(direction: Direction, device: Device, refused: dict[StreamFormat, Exception]) -> DeviceUnavailable:
    what = f"The {'microphone' if direction == 'input' else 'output device'} “{device.name}”"
    codes = {_code(error) for error in refused.values()}
    if codes <= {*_REFUSED_FORMAT}:
        counts = " or ".join(str(count) for count in dict.fromkeys(form.channels for form in refused))
        channels = "1 channel" if counts == "1" else f"{counts} channels"
        sentence = (
            f"{what} takes no rate of {rates_text()} with {channels}: set it to 48 kHz in the system's sound "
            "settings, or choose another device."
        )
    else:
        sentence = why_not_opened(what, refused.values())
    return DeviceUnavailable(sentence, details="; ".join(f"{form}: {error}" for form, error in refused.items()))
