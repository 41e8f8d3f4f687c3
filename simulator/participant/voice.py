"""The participant's voice: a microphone, a recording or silence, with the talk key and mute.

There is always a voice: where a microphone is missing or goes away, silence takes its place until it is back, so that
an engine hears a quiet room and not a hole. What no source gave is filled with silence: a position is a time, whatever
became of the devices. The talk key lets a microphone through while it is down (push-to-talk), and starts or stops a
recording. Mute replaces either by silence. What a study says goes over whatever the voice is, and so does the tape of a
replay; the voice is heard again afterwards, and no device is closed for it.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.audio.devices import Choice, chosen_here
from simulator.audio.opening import all_closed, opened_in_time, takes_long
from simulator.audio.sources import (
    Chunk,
    MicrophoneSource,
    RecordingEnded,
    RecordingSource,
    RecordingStarted,
    SilenceSource,
    VoiceSource,
)
from simulator.audio.tape import Tape
from simulator.errors import EnvironmentFault, UsageError
from simulator.participant.messages import VoiceKind
from simulator.participant.microphone_filter import MicrophoneFilter
from simulator.participant.recording_queue import RecordingQueue, folder_called
from simulator.participant.recordings import Recording, Saying, open_recording
from simulator.participant.voice_joints import HOLE, Joints
from simulator.participant.voice_over import Spoken, VoiceOver
from simulator.units import samples_to_ns

_STILL_OPENING: Final = (
    "The microphone takes long to begin: silence is sent until it does. Nothing needs to be done if it is Bluetooth; "
    "else see whether the sound server hangs, or choose another one."
)

Samples = NDArray[np.int16]


class SpokenChunk(NamedTuple):
    """20 ms of what the participant says, after mute and talk key; less where it ends a hole."""

    samples: Samples
    ended_ns: int
    """When its last sample was captured."""
    begins: bool = False
    """Whether another source of the voice begins with it."""
    started: tuple[Saying, int] | None = None
    """A recording that begins in it, and at which of its samples."""
    ended: str | None = None
    """The name of a recording that ended in it or before it."""
    recorded: bool = True
    """False where it comes a second time, after it was held up on its way to the engine."""
    sent: bool = True
    """False where it does not reach the engine: lost on the way, or held up."""


class Voice:
    """Gives chunks to `on_chunk` for as long as it is open. Belongs to the loop.

    `on_lost` is told in one sentence when a microphone went away and silence took its place. What a microphone hears
    passes `microphone_filter` while it is open. `on_unreadable` is told in one sentence of a recording of a folder that
    is left out.
    """

    def __init__(
        self,
        on_chunk: Callable[[SpokenChunk], None],
        on_lost: Callable[[str], None],
        microphone_filter: MicrophoneFilter,
        on_unreadable: Callable[[str], None],
    ) -> None:
        self._on_chunk = on_chunk
        self._on_unreadable = on_unreadable
        self._on_lost = on_lost
        self._filter = microphone_filter
        self._source: VoiceSource = SilenceSource()
        self._task: asyncio.Task[None] | None = None
        self.choosing = asyncio.Lock()
        """Held while the source changes. The last choice holds, however long an earlier one takes: silence chosen means
        no microphone."""
        self._wanted: Choice | None = None
        """The microphone that is wanted, open or not."""
        self._detached: MicrophoneSource | None = None
        self._begun_s: float | None = None
        """When opening the microphone began, as long as it is not heard."""
        self._joints = Joints()
        self._silent_samples: int | None = None
        """Silence given since the microphone was last heard, while it is to come back."""
        self._back: asyncio.Future[int] | None = None
        self._recording: Recording | None = None
        self._queue: RecordingQueue | None = None
        """The folder whose recordings are said one after the other."""
        self._events: list[RecordingStarted | RecordingEnded] = []
        self.kind = VoiceKind.SILENCE
        self.name = ""
        self.lack: str | None = None
        """Why the microphone that is wanted is not heard, in one sentence."""
        self.muted = False
        self.delay_s = 0.0
        """How long what is said takes to reach the engine."""
        self._talk_down = False
        self._over = VoiceOver()

    @property
    def talking(self) -> bool:
        """Whether the talk key is down, or a recording is being said."""
        if self._over.covers:
            return self._over.speaks
        if isinstance(self._source, RecordingSource):
            return self._source.playing
        return self._talk_down and self.kind is VoiceKind.MICROPHONE

    @property
    def missing(self) -> Choice | None:
        """The microphone that is wanted and not there."""
        return self._wanted if self.lack is not None else None

    @property
    def slow(self) -> str | None:
        """That the microphone takes long to begin, in one sentence: it is not given up yet."""
        return _STILL_OPENING if takes_long(self._begun_s) else None

    @property
    def microphone(self) -> MicrophoneSource | None:
        """The microphone that is open."""
        return self._source if isinstance(self._source, MicrophoneSource) else None

    def start(self) -> None:
        """Begin, with silence."""
        self._use(SilenceSource(), VoiceKind.SILENCE, "")

    async def choose_silence(self) -> None:
        """Say nothing."""
        async with self.choosing:
            self._use_no_microphone(SilenceSource(), VoiceKind.SILENCE, "")

    async def choose_recording(self, name_or_path: str) -> None:
        """Take a recording, to be started by the talk key or `say`; or a folder, of which each start says the next.

        Raises UnreadableRecording.
        """
        async with self.choosing:
            folder = folder_called(name_or_path)
            if folder is not None:
                queue = RecordingQueue(folder, self._on_unreadable)
                await queue.begin()
                self._use_no_microphone(RecordingSource(self._events.append), VoiceKind.RECORDING, queue.name)
                self._queue = queue
                return
            recording = await asyncio.to_thread(open_recording, name_or_path)
            self._use_no_microphone(RecordingSource(self._events.append), VoiceKind.RECORDING, recording.name)
            self._recording = recording

    async def choose_device(self, choice: Choice) -> None:
        """Take a microphone. Raises AudioUnavailable, DeviceUnavailable.

        One that will not open leaves silence, and is wanted all the same: `resume` tries again.
        """
        async with self.choosing:
            self._use_no_microphone(SilenceSource(), VoiceKind.SILENCE, "")
            self._wanted = choice
            await self._open(choice)

    def want(self, choice: Choice) -> None:
        """Have `resume` open this microphone. The caller holds `choosing`."""
        self._use_no_microphone(SilenceSource(), VoiceKind.SILENCE, "")
        self._detached, self._silent_samples, self._wanted = None, 0, choice

    def detach(self) -> MicrophoneSource | None:
        """Take the open microphone out, to be closed by the caller; it is to come back with `resume`.

        The caller holds `choosing`.
        """
        microphone = self.microphone
        if microphone is None:
            return None
        if self._task is not None:
            self._task.cancel()
            self._task = None
        self._detached, self._silent_samples = microphone, 0
        return microphone

    async def resume(self) -> "asyncio.Future[int] | None":
        """Open the microphone that is wanted, whether it was detached or missing; the talk key is as it was.

        The caller holds `choosing`. What is returned is done when the microphone is heard: with how many samples of
        silence took its place. None where it did not open: silence stays, and `lack` says why.
        """
        if self._wanted is None:
            return None
        if self._detached is not None:
            for chunk in self._detached.rest():
                self._on_chunk(self._spoken(chunk))
                self._joints.covered_ns = chunk.captured_ns
            self._detached = None
            self._stand_in()
        try:
            await self._open(self._wanted)
        except EnvironmentFault:
            return None
        self._back = asyncio.get_running_loop().create_future()
        return self._back

    async def _open(self, choice: Choice) -> None:
        loop = asyncio.get_running_loop()
        await all_closed()

        def make() -> MicrophoneSource:
            microphone = MicrophoneSource(chosen_here(choice, "input"), loop, channel=choice.channel)
            microphone.start()
            return microphone

        self._begun_s = time.monotonic()
        try:
            source = await opened_in_time(make, "The microphone", lambda late: late.close())
            # Until then silence goes on in its place: one that goes away before leaves no hole, and is not back.
            await _heard_or_closed(source)
        except EnvironmentFault as fault:
            self.kind, self.name, self.lack = VoiceKind.SILENCE, "", str(fault)
            raise
        finally:
            self._begun_s = None
        self._use(source, VoiceKind.MICROPHONE, source.state().name)
        self.lack = None

    def set_talk(self, down: bool) -> None:
        """The talk key went down or up. Raises UsageError where there is nothing to say, or a replay speaks."""
        if down:
            self._over.check()
        self._talk_down = down
        if self.lack is not None and down:
            raise UsageError(self.lack)
        if self.kind is VoiceKind.SILENCE and down:
            raise UsageError("The participant's voice is silence: choose a microphone or a recording first.")
        if down and isinstance(self._source, RecordingSource):
            if self._source.playing:
                self._source.stop()
            else:
                self.say()

    @property
    def place(self) -> str:
        """Which recording of a folder is said or comes next, of how many; empty where the voice is no folder."""
        return self._queue.place if self._queue is not None else ""

    @property
    def says_the_last(self) -> bool:
        """Whether the last recording of a folder is being said, or was."""
        return self._queue is not None and self._queue.at_last

    def say(self) -> None:
        """Start the recording from its beginning, or the next one of a folder.

        Raises UsageError where the voice is no recording, the next one is not there yet, or a replay speaks.
        """
        self._over.check()
        if not isinstance(self._source, RecordingSource):
            raise UsageError("The participant's voice is no recording: choose a recording or a folder of them first.")
        if self._queue is not None:
            self._recording = self._queue.take()
            self.name = self._queue.name
        if self._recording is not None:
            self._source.start(self._recording.samples, self._recording.name)

    async def speak(self, recording: Recording) -> None:
        """Say a recording over whatever the voice is, and return when its end has left. One after the other.

        Cancelled, it stops in the middle. Raises UsageError while a replay speaks.
        """
        await self._over.say(recording, self._stop_recording)
        await asyncio.sleep(self.delay_s)

    def lay_over(self, tape: Tape, sayings: Sequence[Saying]) -> None:
        """Let a tape be the voice, whatever that is; what is being said stops. `sayings` are its speeches in order."""
        self._over.lay(tape, sayings)
        self._stop_recording()

    def take_off(self, tape: Tape) -> None:
        """Let the voice be heard again, where this tape is laid over it."""
        self._over.take_off(tape)

    def _stop_recording(self) -> None:
        if isinstance(self._source, RecordingSource):
            self._source.stop()

    def close(self) -> None:
        """Close the microphone; nothing is said any more."""
        self._source.close()
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def _use_no_microphone(self, source: VoiceSource, kind: VoiceKind, name: str) -> None:
        self._wanted = self.lack = self._silent_samples = None
        self._talk_down = False
        self._use(source, kind, name)

    def _stand_in(self) -> None:
        """Put silence in the place of the microphone, which is to come back."""
        self._use(SilenceSource(), self.kind, self.name)

    def _use(self, source: VoiceSource, kind: VoiceKind, name: str) -> None:
        if self._task is not None and type(source) is type(self._source) is SilenceSource:
            self.kind, self.name = kind, name  # it goes on
            return
        self.close()
        if isinstance(self._source, RecordingSource) and self._source.playing and self._recording is not None:
            self._events.append(RecordingEnded(self._recording.name, 0, stopped=True))
        self._source, self.kind, self.name = source, kind, name
        self._joints.change()
        self._recording = None
        if self._queue is not None:
            self._queue.close()
            self._queue = None
        self._task = asyncio.get_running_loop().create_task(self._listen(source))

    async def _listen(self, source: VoiceSource) -> None:
        try:
            async with contextlib.aclosing(source.chunks()) as chunks:  # type: ignore[type-var]
                async for chunk in chunks:
                    self._give(chunk)
        except EnvironmentFault as fault:
            if source is self._source:
                self._task = None
                self._silent_samples = 0
                self._use(SilenceSource(), VoiceKind.SILENCE, "")
                self.lack = str(fault)
                self._on_lost(self.lack)

    def _give(self, chunk: Chunk) -> None:
        for each in self._joints.joined(chunk, from_device=isinstance(self._source, MicrophoneSource)):
            if isinstance(self._source, MicrophoneSource) and each.first_sample != HOLE:
                self._tell_back()
            elif self._silent_samples is not None:
                self._silent_samples += len(each.samples)
            self._on_chunk(self._spoken(each))

    def _tell_back(self) -> None:
        silent, self._silent_samples = self._silent_samples, None
        if silent is not None and self._back is not None and not self._back.done():
            self._back.set_result(silent)

    def _spoken(self, chunk: Chunk) -> SpokenChunk:
        samples = chunk.samples
        if self.kind is VoiceKind.MICROPHONE:
            samples = self._heard(chunk)
        started: tuple[Saying, int] | None = None
        ended: str | None = None
        if chunk.first_sample != HOLE:
            for event in self._events:
                if isinstance(event, RecordingEnded):
                    ended = event.name
                    self._said()
                elif self._recording is not None:
                    started = self._recording.saying, event.first_sample - chunk.first_sample
            self._events.clear()
        first_ns = chunk.captured_ns - samples_to_ns(len(samples))
        samples, started, ended = self._over.over(Spoken(samples, started, ended), first_ns)
        if self.muted:
            samples = np.zeros_like(samples)
        return SpokenChunk(samples, chunk.captured_ns, chunk.first_sample == 0, started, ended)

    def _heard(self, chunk: Chunk) -> Samples:
        """Return what the microphone gives to the voice: silence while it is kept out, by whatever it may be."""
        if not self._talk_down or self.muted or self._over.covers:
            self._filter.closed()
            return np.zeros_like(chunk.samples)
        if not isinstance(self._source, MicrophoneSource) or chunk.first_sample == HOLE:
            return chunk.samples
        return self._filter.passed(chunk.samples, chunk.captured_ns)

    def _said(self) -> None:
        """A recording ended; of a folder, the next one comes."""
        if self._queue is not None:
            self._queue.said()
            self.name = self._queue.name


async def _heard_or_closed(microphone: MicrophoneSource) -> None:
    try:
        await microphone.heard()
    except BaseException:
        microphone.close()
        raise
