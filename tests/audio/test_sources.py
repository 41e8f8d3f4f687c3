"""Where the participant's voice comes from. Simulated microphones run on a simulated clock."""

import asyncio
from collections.abc import AsyncIterator

import numpy as np
import pytest

from simulator.audio.ring import BlockTimeRing, SampleRing
from simulator.audio.sources import (
    Chunk,
    MicrophoneSource,
    RecordingEnded,
    RecordingSource,
    RecordingStarted,
    SilenceSource,
)
from simulator.audio.streams import StreamState
from simulator.errors import DeviceUnavailable
from simulator.units import NS_PER_MS

MS = NS_PER_MS
START_NS = 5_000 * MS


class SimulatedClock:
    """Wakes exactly at each deadline; `stall` makes one wake late."""

    def __init__(self) -> None:
        self.time_ns = START_NS
        self._stall_ns = 0

    def stall(self, duration_ns: int) -> None:
        """Let the next wake be late."""
        self._stall_ns = duration_ns

    def now_ns(self) -> int:
        return self.time_ns

    async def sleep_until(self, deadline_ns: int) -> None:
        self.time_ns = max(self.time_ns, deadline_ns) + self._stall_ns
        self._stall_ns = 0
        await asyncio.sleep(0)


async def take(chunks: AsyncIterator[Chunk], count: int) -> list[Chunk]:
    return [await anext(chunks) for _ in range(count)]


def voice(chunks: list[Chunk]) -> list[int]:
    return np.concatenate([chunk.samples for chunk in chunks]).tolist()  # type: ignore[no-any-return]


async def test_silence_comes_in_chunks_of_20_ms_each_at_its_own_deadline() -> None:
    chunks = await take(SilenceSource(SimulatedClock()).chunks(), 3)
    assert [chunk.captured_ns for chunk in chunks] == [START_NS + ms * MS for ms in (20, 40, 60)]
    assert [chunk.first_sample for chunk in chunks] == [0, 480, 960]
    assert voice(chunks) == [0] * 1440


async def test_a_stalled_loop_gets_every_missed_chunk_and_the_pace_stays_on_the_clock() -> None:
    clock = SimulatedClock()
    source = SilenceSource(clock)
    stream = source.chunks()
    await take(stream, 2)
    clock.stall(100 * MS)
    chunks = await take(stream, 8)
    assert [chunk.first_sample for chunk in chunks] == [number * 480 for number in range(2, 10)]
    assert [chunk.late_ns // MS for chunk in chunks] == [100, 80, 60, 40, 20, 0, 0, 0]
    assert chunks[-1].captured_ns == START_NS + 200 * MS == clock.now_ns()
    assert source.late_chunks == 4
    assert source.worst_late_ns == 100 * MS


async def test_a_closed_source_ends() -> None:
    source = SilenceSource(SimulatedClock())
    stream = source.chunks()
    await take(stream, 1)
    source.close()
    assert [chunk async for chunk in stream] == []


async def test_a_recording_is_spoken_between_silence_and_may_be_spoken_again() -> None:
    events: list[RecordingStarted | RecordingEnded] = []
    source = RecordingSource(events.append, SimulatedClock())
    stream = source.chunks()
    speech = np.arange(1, 701, dtype=np.int16)
    before = await take(stream, 2)
    playing = [source.playing]
    source.start(speech, "hello")
    playing.append(source.playing)
    spoken = await take(stream, 3)
    playing.append(source.playing)
    assert playing == [False, True, False]
    source.start(speech[:480], "again")
    again = await take(stream, 2)
    assert voice(before + spoken + again) == [0] * 960 + speech.tolist() + [0] * 740 + speech[:480].tolist() + [0] * 480
    assert events == [
        RecordingStarted("hello", 960, 700),
        RecordingEnded("hello", 960 + 700, stopped=False),
        RecordingStarted("again", 2400, 480),
        RecordingEnded("again", 2880, stopped=False),
    ]


async def test_a_recording_is_stopped_with_the_next_chunk() -> None:
    events: list[RecordingStarted | RecordingEnded] = []
    source = RecordingSource(events.append, SimulatedClock())
    stream = source.chunks()
    source.start(np.ones(4800, dtype=np.int16), "long")
    await take(stream, 2)
    source.stop()
    assert not source.playing
    assert voice(await take(stream, 2)) == [0] * 960
    assert events[1:] == [RecordingEnded("long", 960, stopped=True)]


async def test_a_recording_started_over_another_takes_its_place() -> None:
    events: list[RecordingStarted | RecordingEnded] = []
    source = RecordingSource(events.append, SimulatedClock())
    stream = source.chunks()
    source.start(np.full(4800, 1, dtype=np.int16), "first")
    await take(stream, 1)
    source.start(np.full(480, 2, dtype=np.int16), "second")
    assert voice(await take(stream, 2)) == [2] * 480 + [0] * 480
    assert events[1:3] == [RecordingEnded("first", 480, stopped=True), RecordingStarted("second", 480, 480)]


async def test_stopping_where_nothing_is_spoken_changes_nothing() -> None:
    events: list[RecordingStarted | RecordingEnded] = []
    source = RecordingSource(events.append, SimulatedClock())
    stream = source.chunks()
    source.stop()
    source.start(np.ones(480, dtype=np.int16), "a")
    assert voice(await take(stream, 1)) == [1] * 480
    assert [event.name for event in events] == ["a", "a"]


class FakeMicrophone:
    """Stands in for an input stream: a test says what it hears."""

    def __init__(self, ring: SampleRing, times: BlockTimeRing, device: object, on_wake, loop, *, channel) -> None:  # type: ignore[no-untyped-def]
        self.ring = ring
        self.times = times
        self.on_wake = on_wake
        self.alive = True
        self.fault: str | None = None
        self.open = False

    def start(self) -> None:
        self.open = True

    def close(self) -> None:
        self.open = False

    def state(self) -> StreamState:
        return StreamState("fake", 0, 0, self.alive, self.fault, 0, "latency", 24_000)

    def hear(self, samples: list[int], at_ns: int) -> None:
        self.times.note(self.ring.written_samples, len(samples), at_ns, 0)
        self.ring.write(np.array(samples, dtype=np.int16))
        self.on_wake()


def microphone() -> tuple[MicrophoneSource, FakeMicrophone]:
    made: list[FakeMicrophone] = []

    def open_stream(*arguments: object, **named: object) -> FakeMicrophone:
        made.append(FakeMicrophone(*arguments, **named))  # type: ignore[arg-type]
        return made[0]

    source = MicrophoneSource(None, asyncio.get_running_loop(), open_stream)  # type: ignore[arg-type]
    return source, made[0]


async def test_a_microphone_gives_chunks_with_the_time_of_the_callback_that_completed_them() -> None:
    source, fake = microphone()
    stream = source.chunks()
    first = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(0)
    assert fake.open
    fake.hear([1] * 300, 100 * MS)
    fake.hear([2] * 300, 110 * MS)
    chunk = await first
    assert chunk.samples.tolist() == [1] * 300 + [2] * 180
    # 120 samples of the second block are not in it.
    assert (chunk.first_sample, chunk.captured_ns) == (0, 105 * MS)
    assert chunk.late_ns > 0
    fake.hear([3] * 480, 130 * MS)
    chunk = await anext(stream)
    assert chunk.samples.tolist() == [2] * 120 + [3] * 360
    assert (chunk.first_sample, chunk.captured_ns) == (480, 125 * MS)


async def test_a_closed_microphone_ends_and_is_let_go() -> None:
    source, fake = microphone()
    stream = source.chunks()
    waiting = asyncio.ensure_future(anext(stream, None))
    await asyncio.sleep(0)
    source.close()
    assert await waiting is None
    assert not fake.open


async def test_a_microphone_that_goes_gives_what_it_heard_and_then_says_so() -> None:
    source, fake = microphone()
    stream = source.chunks()
    fake.hear([1] * 500, 1_000)
    fake.alive = False
    fake.on_wake()
    assert (await anext(stream)).samples.tolist() == [1] * 480
    with pytest.raises(DeviceUnavailable, match="“fake” has gone"):
        await anext(stream)


async def test_a_microphone_that_goes_without_a_word_is_noticed() -> None:
    source, fake = microphone()
    waiting = asyncio.ensure_future(anext(source.chunks()))
    await asyncio.sleep(0)
    fake.alive = False
    with pytest.raises(DeviceUnavailable, match="“fake” has gone"):
        await waiting


async def test_a_microphone_whose_callback_failed_says_so_rather_than_stay_silent() -> None:
    source, fake = microphone()
    stream = source.chunks()
    fake.hear([1] * 480, 1_000)
    fake.fault = "IndexError: out of range"
    fake.on_wake()
    assert (await anext(stream)).samples.tolist() == [1] * 480
    with pytest.raises(DeviceUnavailable, match="“fake” failed in the program itself: choose it again") as caught:
        await anext(stream)
    assert caught.value.details == "IndexError: out of range"
