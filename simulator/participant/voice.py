"""The participant's voice: a microphone, a recording or silence, with the talk key and mute.

There is always a voice: where a microphone is missing or goes away, silence takes its place, so that an engine hears a
quiet room and not a hole. The talk key lets a microphone through while it is down (push-to-talk), and starts or stops a
recording. Mute replaces either by silence. What a study says goes over whatever the voice is, which is heard again
afterwards: no device is closed for it.
"""

import asyncio
import contextlib
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.audio.devices import Device, devices_here, find
from simulator.audio.opening import opened_in_time
from simulator.audio.sources import (
    Chunk,
    MicrophoneSource,
    RecordingEnded,
    RecordingSource,
    RecordingStarted,
    SilenceSource,
    VoiceSource,
)
from simulator.errors import EnvironmentFault, UsageError
from simulator.participant.messages import VoiceKind
from simulator.participant.recordings import Recording, open_recording

Samples = NDArray[np.int16]


class SpokenChunk(NamedTuple):
    """20 ms of what the participant says, after mute and talk key."""

    samples: Samples
    ended_ns: int
    """When its last sample was captured."""
    begins: bool = False
    """Whether another source of the voice begins with it."""
    started: tuple[Recording, int] | None = None
    """A recording that begins in it, and at which of its samples."""
    ended: str | None = None
    """The name of a recording that ended in it or before it."""


class Voice:
    """Gives chunks to `on_chunk` for as long as it is open. Belongs to the loop.

    `on_lost` is told in one sentence when a microphone went away and silence took its place.
    """

    def __init__(self, on_chunk: Callable[[SpokenChunk], None], on_lost: Callable[[str], None]) -> None:
        self._on_chunk = on_chunk
        self._on_lost = on_lost
        self._source: VoiceSource = SilenceSource()
        self._task: asyncio.Task[None] | None = None
        self._choosing = asyncio.Lock()
        """The last choice holds, however long an earlier one takes: silence chosen means no microphone."""
        self._recording: Recording | None = None
        self._events: list[RecordingStarted | RecordingEnded] = []
        self.kind = VoiceKind.SILENCE
        self.name = ""
        self.rate_hz: int | None = None
        """The rate at which a microphone was opened."""
        self.muted = False
        self._talk_down = False
        self._speaking = asyncio.Lock()
        self._over: _Over | None = None
        """What is said over the voice."""

    @property
    def talking(self) -> bool:
        """Whether the talk key is down, or a recording is being said."""
        if self._over is not None:
            return True
        if isinstance(self._source, RecordingSource):
            return self._source.playing
        return self._talk_down

    @property
    def microphone(self) -> MicrophoneSource | None:
        """The microphone that is open."""
        return self._source if isinstance(self._source, MicrophoneSource) else None

    def start(self) -> None:
        """Begin, with silence."""
        self._use(SilenceSource(), VoiceKind.SILENCE, "")

    async def choose_silence(self) -> None:
        """Say nothing."""
        async with self._choosing:
            self._use(SilenceSource(), VoiceKind.SILENCE, "")

    async def choose_recording(self, name_or_path: str) -> None:
        """Take a recording, to be started by the talk key or `say`. Raises UnreadableRecording."""
        async with self._choosing:
            recording = await asyncio.to_thread(open_recording, name_or_path)
            self._use(RecordingSource(self._events.append), VoiceKind.RECORDING, recording.name)
            self._recording = recording

    async def choose_microphone(self, device: str | None) -> None:
        """Take a microphone; None means the default. Raises AudioUnavailable, DeviceUnavailable.

        A microphone that will not open leaves silence.
        """
        async with self._choosing:
            self._use(SilenceSource(), VoiceKind.SILENCE, "")
            loop = asyncio.get_running_loop()
            source = await opened_in_time(
                lambda: MicrophoneSource(_microphone(device), loop), "The microphone", lambda late: late.close()
            )
            self._use(source, VoiceKind.MICROPHONE, source.state().name)
            self.rate_hz = source.state().rate_hz

    def set_talk(self, down: bool) -> None:
        """The talk key went down or up. Raises UsageError where there is nothing to say."""
        self._talk_down = down
        if self.kind is VoiceKind.SILENCE and down:
            raise UsageError("The participant's voice is silence: choose a microphone or a recording first.")
        if down and isinstance(self._source, RecordingSource):
            if self._source.playing:
                self._source.stop()
            else:
                self.say()

    def say(self) -> None:
        """Start the recording from its beginning."""
        if isinstance(self._source, RecordingSource) and self._recording is not None:
            self._source.start(self._recording.samples, self._recording.name)

    async def speak(self, recording: Recording) -> None:
        """Say a recording over whatever the voice is, and return when it was said to its end. One after the other.

        Cancelled, it stops in the middle.
        """
        async with self._speaking:
            over = self._over = _Over(recording, asyncio.get_running_loop().create_future())
            if isinstance(self._source, RecordingSource):
                self._source.stop()
            try:
                await over.said
            finally:
                over.stopped = True

    def close(self) -> None:
        """Close the microphone; nothing is said any more."""
        self._source.close()
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def _use(self, source: VoiceSource, kind: VoiceKind, name: str) -> None:
        self.close()
        if isinstance(self._source, RecordingSource) and self._source.playing and self._recording is not None:
            self._events.append(RecordingEnded(self._recording.name, 0, stopped=True))
        self._source, self.kind, self.name = source, kind, name
        self._recording, self.rate_hz, self._talk_down = None, None, False
        self._task = asyncio.get_running_loop().create_task(self._listen(source))

    async def _listen(self, source: VoiceSource) -> None:
        try:
            async with contextlib.aclosing(source.chunks()) as chunks:  # type: ignore[type-var]
                async for chunk in chunks:
                    self._on_chunk(self._spoken(chunk))
        except EnvironmentFault as fault:
            if source is self._source:
                self._task = None
                self._use(SilenceSource(), VoiceKind.SILENCE, "")
                self._on_lost(str(fault))

    def _spoken(self, chunk: Chunk) -> SpokenChunk:
        samples = chunk.samples
        if self.kind is VoiceKind.MICROPHONE and not self._talk_down:
            samples = np.zeros_like(samples)
        started: tuple[Recording, int] | None = None
        ended: str | None = None
        for event in self._events:
            if isinstance(event, RecordingEnded):
                ended = event.name
            elif self._recording is not None:
                started = self._recording, event.first_sample - chunk.first_sample
        self._events.clear()
        if self._over is not None:
            samples, started, ended = self._spoken_over(self._over, samples, started, ended)
        if self.muted:
            samples = np.zeros_like(samples)
        return SpokenChunk(samples, chunk.captured_ns, chunk.first_sample == 0, started, ended)

    def _spoken_over(
        self, over: "_Over", samples: Samples, started: tuple[Recording, int] | None, ended: str | None
    ) -> tuple[Samples, tuple[Recording, int] | None, str | None]:
        """Return the chunk that goes over this one. A recording of the voice has its end told first, if it was cut."""
        if ended is not None:
            return np.zeros_like(samples), started, ended
        rest = over.recording.samples[over.position :]
        if over.stopped or not len(rest):
            self._over = None
            if not over.said.done():
                over.said.set_result(None)
            return samples, started, over.recording.name
        if over.position == 0:
            started = over.recording, 0
        spoken = np.zeros_like(samples)
        count = min(len(rest), len(spoken))
        spoken[:count] = rest[:count]
        over.position += count
        return spoken, started, None


class _Over:
    """A recording that is said over the voice."""

    def __init__(self, recording: Recording, said: "asyncio.Future[None]") -> None:
        self.recording = recording
        self.said = said
        self.position = 0
        self.stopped = False


def _microphone(name: str | None) -> Device | None:
    return None if name is None else find(name, direction="input", among=devices_here())
