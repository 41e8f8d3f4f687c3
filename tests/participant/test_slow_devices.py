"""Devices that take their time to begin, or never do: nothing else waits for them."""

import asyncio
import threading
from collections.abc import Callable

import numpy as np
import pytest

from simulator.audio import device_stream, opening, sources
from simulator.audio.devices import Choice
from simulator.audio.playout import Playout
from simulator.audio.sources import Chunk
from simulator.errors import DeviceUnavailable
from simulator.participant import device_return
from simulator.participant.loudspeaker import NO_DEVICE, Loudspeaker
from simulator.participant.messages import ChooseVoice, VoiceKind
from simulator.participant.microphone_filter import MicrophoneFilter
from simulator.participant.sound import Sound
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
    participant._joints.covered_ns = 5 * SILENCE_NS
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


async def test_a_microphone_that_takes_long_to_begin_is_told_of_until_it_is_heard(
    start: Held, portaudio_here: portaudio.FakePortAudio, monkeypatch: pytest.MonkeyPatch
) -> None:
    participant = voice(lambda chunk: None)
    participant.start()
    choosing = asyncio.create_task(participant.choose_device(CARD))
    assert await asyncio.to_thread(start.reached.wait, 10)
    told = [participant.slow]  # not yet: it may take a moment
    monkeypatch.setattr(opening, "TELLS_AFTER_S", 0)
    told.append(participant.slow)
    start.let_go.set()
    await opened(portaudio_here)
    told.append(participant.slow)
    portaudio_here.stream.block[:] = 1
    portaudio_here.stream.call()
    await choosing
    told.append(participant.slow)
    assert [sentence is not None and "microphone takes long" in sentence for sentence in told] == [
        False,
        True,
        True,
        False,
    ]
    assert participant.lack is None  # it was never given up
    participant.close()


async def test_a_loudspeaker_that_takes_long_to_begin_is_told_of_until_it_asks_for_a_block(
    start: Held, portaudio_here: portaudio.FakePortAudio, monkeypatch: pytest.MonkeyPatch
) -> None:
    loudspeaker = Loudspeaker(lambda: None, lambda lost: None)
    loudspeaker.want(CARD)
    beginning = asyncio.create_task(loudspeaker.open(Playout()))
    assert await asyncio.to_thread(start.reached.wait, 10)
    told = [loudspeaker.slow]
    monkeypatch.setattr(opening, "TELLS_AFTER_S", 0)
    told.append(loudspeaker.slow)
    start.let_go.set()
    await beginning
    told.append(loudspeaker.slow)  # it began and asks for nothing yet
    portaudio_here.stream.call()
    told.append(loudspeaker.slow)
    assert [sentence is not None and "output device takes long" in sentence for sentence in told] == [
        False,
        True,
        True,
        False,
    ]
    loudspeaker.close()
    assert loudspeaker.slow is None


async def test_a_device_that_was_given_up_or_closed_is_not_waited_for(
    start: Held, portaudio_here: portaudio.FakePortAudio, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "TELLS_AFTER_S", 0)
    start.let_go.set()
    loudspeaker = Loudspeaker(lambda: None, lambda lost: None)
    await loudspeaker.choose_device(CARD)  # only to see that it opens: nothing is to be played
    assert loudspeaker.slow is None
    portaudio_here.refusal = lambda *form: portaudio.DEVICE_UNAVAILABLE
    with pytest.raises(DeviceUnavailable):
        await loudspeaker.choose_device(CARD)
    assert loudspeaker.slow is None
    loudspeaker.close()


async def test_closing_a_device_that_hangs_holds_up_nobody(
    start: Held, portaudio_here: portaudio.FakePortAudio, monkeypatch: pytest.MonkeyPatch
) -> None:
    start.let_go.set()
    aborting = Held()
    monkeypatch.setattr(portaudio.FakeStream, "abort", lambda stream: aborting())
    source = sources.MicrophoneSource(None, asyncio.get_running_loop())
    source.start()
    source.close()
    assert aborting.reached.is_set()
    assert not await opening.nobody_inside(0)
    finishing = asyncio.create_task(asyncio.to_thread(source.finish))
    aborting.let_go.set()
    await finishing
    assert await opening.nobody_inside(10)


async def test_what_is_slow_stands_with_what_lacks_and_once_in_the_record(
    start: Held, portaudio_here: portaudio.FakePortAudio, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device_return, "reinitialise", lambda: None)
    noted: list[object] = []
    sound = Sound(
        lambda chunk: None,
        lambda: None,
        lambda kind, fields: noted.append(fields.get("code")) if kind == "problem" else None,
        lambda: None,
    )
    sound.voice.start()
    choosing = asyncio.create_task(sound.choose_voice(ChooseVoice(id=1, kind=VoiceKind.MICROPHONE)))
    assert await asyncio.to_thread(start.reached.wait, 10)
    monkeypatch.setattr(opening, "TELLS_AFTER_S", 0)
    for _ in range(3):
        sound.look(in_session=True)
    assert [sentence for sentence in sound.lacks if "takes long" in sentence] == [sound.voice.slow]
    assert noted == ["device_slow"]
    start.let_go.set()
    await opened(portaudio_here)
    portaudio_here.stream.call()
    await choosing
    assert sound.lacks == []
    await sound.close()
