"""Devices that take their time to begin, or never do: nothing else waits for them."""

import asyncio
import threading
from collections.abc import Callable

import numpy as np
import pytest

from simulator.audio import device_stream, sources
from simulator.audio.devices import Choice
from simulator.audio.playout import Playout
from simulator.audio.sources import Chunk
from simulator.errors import DeviceUnavailable
from simulator.participant.loudspeaker import NO_DEVICE, Loudspeaker
from simulator.participant.messages import VoiceKind
from simulator.participant.microphone_filter import MicrophoneFilter
from simulator.participant.voice import SpokenChunk, Voice
from tests.audio import portaudio

CARD = Choice("Card")
SILENCE_NS = 20_000_000


class Held:
    """Holds up the threads that come to it until it is let go."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.let_go = threading.Event()

    def __call__(self) -> None:
        self.reached.set()
        self.let_go.wait(10)


@pytest.fixture
def portaudio_here(monkeypatch: pytest.MonkeyPatch) -> portaudio.FakePortAudio:
    """One card of 24 kHz mono."""
    return portaudio.install(monkeypatch, portaudio.only(24_000, 1))


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch, portaudio_here: portaudio.FakePortAudio) -> Held:
    """How long a device takes to begin."""
    held = Held()
    monkeypatch.setattr(portaudio.FakeStream, "start", lambda stream: held())
    for module in ("voice", "loudspeaker"):
        monkeypatch.setattr(f"simulator.participant.{module}.chosen_here", lambda choice, direction: None)
    return held


def voice(on_chunk: Callable[[SpokenChunk], None]) -> Voice:
    return Voice(on_chunk, lambda lost: None, MicrophoneFilter(lambda kind, fields: None), lambda unreadable: None)


async def opened(fake: portaudio.FakePortAudio) -> None:
    """Wait until a stream is open."""
    async with asyncio.timeout(10):
        while not fake.streams:  # noqa: ASYNC110 - another thread opens it
            await asyncio.sleep(0.001)


async def test_the_voice_goes_on_until_a_microphone_that_hangs_as_it_begins_is_heard(
    start: Held, portaudio_here: portaudio.FakePortAudio
) -> None:
    given: asyncio.Queue[SpokenChunk] = asyncio.Queue()
    participant = voice(given.put_nowait)
    participant.start()
    choosing = asyncio.create_task(participant.choose_device(CARD))
    assert await asyncio.to_thread(start.reached.wait, 10)
    while not given.empty():
        given.get_nowait()
    for _ in range(3):
        assert not (await given.get()).samples.any()
    assert not choosing.done()
    start.let_go.set()
    await opened(portaudio_here)
    while not given.empty():
        given.get_nowait()
    for _ in range(3):
        assert not (await given.get()).samples.any()
    assert not choosing.done()  # it began and gives nothing yet
    portaudio_here.stream.block[:] = 1
    portaudio_here.stream.call()
    await choosing
    assert participant.kind is VoiceKind.MICROPHONE
    participant.close()


async def test_a_microphone_that_goes_before_it_is_heard_is_not_there(
    start: Held, portaudio_here: portaudio.FakePortAudio, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device_stream, "_FIRST_CALLBACK_NS", 0)
    start.let_go.set()
    participant = voice(lambda chunk: None)
    participant.start()
    with pytest.raises(DeviceUnavailable, match="has gone"):
        await participant.choose_device(CARD)
    assert participant.missing == CARD
    assert participant.microphone is None
    participant.close()


async def test_what_was_given_as_silence_is_left_out_of_all_that_the_microphone_captured_meanwhile() -> None:
    """It began 50 ms before its first sample was asked for: two chunks and a half."""
    given: list[SpokenChunk] = []
    participant = voice(given.append)
    source = sources.MicrophoneSource(None, asyncio.get_running_loop(), lambda *_, **__: None)  # type: ignore[arg-type]
    participant._source = source
    participant._covered_ns = 5 * SILENCE_NS
    for number in range(5):
        samples = np.full(480, number + 1, dtype=np.int16)
        ended_ns = 5 * SILENCE_NS + (number + 1) * SILENCE_NS - 50_000_000
        participant._talk_down, participant.kind = True, VoiceKind.MICROPHONE
        participant._give(Chunk(samples, 480 * number, ended_ns, 0))
    # One sample of the first chunk stays, as it says that another source begins.
    assert [len(chunk.samples) for chunk in given] == [1, 239, 480, 480]
    assert [chunk.begins for chunk in given] == [True, False, False, False]


async def test_a_loudspeaker_lacks_until_it_plays(start: Held) -> None:
    loudspeaker = Loudspeaker(lambda: None, lambda lost: None)
    start.let_go.set()
    await loudspeaker.choose_device(Choice(NO_DEVICE))
    loudspeaker.lack = "It has gone."
    start.let_go.clear()
    start.reached.clear()
    opening = asyncio.create_task(loudspeaker.open(Playout()))
    loudspeaker.want(CARD)
    assert await asyncio.to_thread(start.reached.wait, 10)
    lacks = [loudspeaker.lack]
    start.let_go.set()
    await opening
    lacks.append(loudspeaker.lack)
    assert lacks == ["It has gone.", None]
    assert loudspeaker.device is not None
    loudspeaker.close()
