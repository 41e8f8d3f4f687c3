"""Where the participant's voice comes from: a microphone, a recording paced in real time, or silence.

All give chunks of 20 ms, without a hole, for as long as they are iterated. Position n of a source is its nth sample.
A simulated microphone is paced by absolute deadlines on the audio clock: chunk k is due when its last sample would
have been spoken, 20 (k + 1) ms after the start, whatever became of the chunks before. A loop that stalled gets the
missed chunks at once, and each says how late it is.
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from simulator.audio.devices import Device
from simulator.audio.ring import BlockTimeRing, SampleRing
from simulator.audio.streams import Channel, InputStream, StreamState
from simulator.errors import DeviceUnavailable
from simulator.units import BLOCK_MS, BLOCK_SAMPLES, NS_PER_MS, NS_PER_S, SAMPLE_RATE_HZ, samples_to_ns

MICROPHONE_RING_SAMPLES: Final = 10 * SAMPLE_RATE_HZ
"""How long the loop may stall before captured audio is lost."""

_RING_BLOCKS: Final = 4 * MICROPHONE_RING_SAMPLES // BLOCK_SAMPLES
"""A device's blocks may be shorter than asked for."""
_LOOK_EVERY_S: Final = 0.25

Samples = NDArray[np.int16]


class Chunk(NamedTuple):
    """20 ms of the participant's voice."""

    samples: Samples
    first_sample: int
    """Position of its first sample in the source."""
    captured_ns: int
    """When its last sample was captured: the time of the device's callback, less the delay of its conversion; or the
    deadline of a simulated microphone."""
    late_ns: int
    """How long after that it was given."""


class RecordingStarted(NamedTuple):
    """A recording begins at this position of the source."""

    name: str
    first_sample: int
    samples: int


class RecordingEnded(NamedTuple):
    """A recording ended before this position of the source: at its end, or stopped."""

    name: str
    end_sample: int
    stopped: bool


class VoiceSource(Protocol):
    """What the participant speaks with."""

    def chunks(self) -> AsyncIterator[Chunk]:
        """Give chunks until closed. Iterate once."""

    def close(self) -> None:
        """End: a microphone is closed, the iteration stops. A second call does nothing."""


class Clock(Protocol):
    """Time for a simulated microphone."""

    def now_ns(self) -> int:
        """Return the time."""

    async def sleep_until(self, deadline_ns: int) -> None:
        """Return at the deadline or soon after; at once if it has passed."""


class MonotonicClock:
    """The clock of this process."""

    def now_ns(self) -> int:
        """Return monotonic nanoseconds."""
        return time.monotonic_ns()

    async def sleep_until(self, deadline_ns: int) -> None:
        """Return at the deadline or soon after. Lets the loop run once even if it has passed."""
        await asyncio.sleep(max(0, deadline_ns - time.monotonic_ns()) / NS_PER_S)


class SilenceSource:
    """A microphone in a silent room: chunks of zeros at the pace of real time."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or MonotonicClock()
        self._closed = False
        self.late_chunks = 0
        """Chunks given more than their own length after they were due."""
        self.worst_late_ns = 0

    async def chunks(self) -> AsyncIterator[Chunk]:
        """Give chunks until closed, each when it is due."""
        start_ns = self._clock.now_ns()
        position = 0
        while True:
            due_ns = start_ns + samples_to_ns(position + BLOCK_SAMPLES)
            await self._clock.sleep_until(due_ns)
            if self._closed:
                return
            late_ns = max(0, self._clock.now_ns() - due_ns)
            self.late_chunks += late_ns > BLOCK_MS * NS_PER_MS
            self.worst_late_ns = max(self.worst_late_ns, late_ns)
            yield Chunk(self._speak(position), position, due_ns, late_ns)
            position += BLOCK_SAMPLES

    def close(self) -> None:
        """End the iteration with the next chunk."""
        self._closed = True

    def _speak(self, position: int) -> Samples:
        return np.zeros(BLOCK_SAMPLES, dtype=np.int16)


class RecordingSource(SilenceSource):
    """Speaks recordings into the silence: a microphone is silent before, between and after utterances.

    `on_event` is called with `RecordingStarted` and `RecordingEnded` while the chunk that holds the position is made.
    """

    def __init__(
        self, on_event: Callable[[RecordingStarted | RecordingEnded], None], clock: Clock | None = None
    ) -> None:
        super().__init__(clock)
        self._on_event = on_event
        self._next: tuple[str, Samples] | None = None
        self._rest: Samples | None = None
        self._name = ""
        self._stopping = False

    @property
    def playing(self) -> bool:
        """Whether a recording is being spoken, or begins with the next chunk."""
        return self._next is not None or (self._rest is not None and not self._stopping)

    def start(self, samples: Samples, name: str) -> None:
        """Speak a recording from the next chunk on; one that is being spoken is stopped there."""
        self._next = (name, samples)

    def stop(self) -> None:
        """Be silent from the next chunk on."""
        self._next = None
        self._stopping = self._rest is not None

    def _speak(self, position: int) -> Samples:
        if self._rest is not None and (self._stopping or self._next is not None):
            self._rest = None
            self._on_event(RecordingEnded(self._name, position, stopped=True))
        self._stopping = False
        if self._next is not None:
            (self._name, self._rest), self._next = self._next, None
            self._on_event(RecordingStarted(self._name, position, len(self._rest)))
        chunk = np.zeros(BLOCK_SAMPLES, dtype=np.int16)
        if self._rest is not None:
            spoken = self._rest[:BLOCK_SAMPLES]
            chunk[: len(spoken)] = spoken
            self._rest = self._rest[len(spoken) :]
            if not len(self._rest):
                self._rest = None
                self._on_event(RecordingEnded(self._name, position + len(spoken), stopped=False))
        return chunk


class MicrophoneSource:
    """A real microphone, or one `channel` of it. Raises AudioUnavailable or DeviceUnavailable when made.

    `open_stream` is what records: `InputStream`, or a stand-in with its signature and its `start`, `close`, `state`.
    """

    def __init__(
        self,
        device: Device | None,
        loop: asyncio.AbstractEventLoop,
        open_stream: Callable[..., InputStream] = InputStream,
        *,
        channel: Channel = None,
    ) -> None:
        self._ring = SampleRing(MICROPHONE_RING_SAMPLES)
        self._times = BlockTimeRing(_RING_BLOCKS)
        self._woken = asyncio.Event()
        self._started = False
        self._closed = False
        self._stream = open_stream(self._ring, self._times, device, self._woken.set, loop, channel=channel)

    @property
    def device(self) -> Device:
        """The device that was opened."""
        return self._stream.device

    @property
    def lost_samples(self) -> int:
        """Samples lost because the loop stalled for longer than the ring holds."""
        return self._ring.overwritten_samples

    def state(self) -> StreamState:
        """Return how the device is doing."""
        return self._stream.state()

    def start(self) -> None:
        """Begin to record; a second call does nothing. Raises DeviceUnavailable if it does not start.

        One that vanishes meanwhile may hang in the audio library for ever: a thread of its own calls this in a session.
        """
        if not self._started:
            self._started = True
            self._stream.start()

    async def chunks(self) -> AsyncIterator[Chunk]:
        """Give what the microphone hears until closed; it is started where nobody did yet.

        Raises DeviceUnavailable if it does not start, once it has gone, and where its callback failed.
        """
        self.start()
        while not self._closed:
            while self._ring.readable >= BLOCK_SAMPLES and not self._closed:
                yield self._read()
            await self._more()

    async def heard(self) -> None:
        """Wait until it captured something. Raises DeviceUnavailable as `chunks` does."""
        while not self._closed and not self._ring.readable:
            await self._more()

    async def _more(self) -> None:
        """Wait for a callback, or a moment. Raises DeviceUnavailable where none will come."""
        state = self._stream.state()
        if not state.alive and not self._closed:
            raise DeviceUnavailable(f"The microphone “{state.name}” has gone: plug it in again or choose another one.")
        if state.fault is not None and not self._closed:
            raise DeviceUnavailable(
                f"Listening to the microphone “{state.name}” failed in the program itself: choose it again, and "
                "report it if it comes back.",
                details=state.fault,
            )
        # A device that stands still wakes nobody: its state is looked at all the same.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LOOK_EVERY_S):
                await self._woken.wait()
        self._woken.clear()

    def close(self) -> None:
        """Close the microphone and end the iteration; a second call does nothing."""
        if not self._closed:
            self._closed = True
            self._stream.close()
            self._woken.set()

    def finish(self) -> None:
        """Close it, and block until it is closed, however long that takes."""
        self.close()
        self._stream.wait_closed()

    def rest(self) -> list[Chunk]:
        """Return what was captured and not given yet, once it is closed; the last chunk may be shorter."""
        chunks = []
        while self._ring.readable:
            chunks.append(self._read())
        return chunks

    def _read(self) -> Chunk:
        samples = np.empty(BLOCK_SAMPLES, dtype=np.int16)
        count = self._ring.read_into(samples)
        first_sample = self._ring.read_samples - count
        block = self._times.block_of(first_sample + count - 1)
        now_ns = captured_ns = time.monotonic_ns()
        if block is not None:
            # Blocks of a device may have any length: more of its block may follow the chunk.
            captured_ns = block.ended_ns - samples_to_ns(block.first_sample + block.samples - first_sample - count)
        return Chunk(samples[:count], first_sample, captured_ns, now_ns - captured_ns)
