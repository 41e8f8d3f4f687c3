"""Devices that refuse 24 kHz, or to open at all, with a stand-in for PortAudio: no machine has all of them."""

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.audio import streams
from simulator.audio.devices import Device
from simulator.audio.playout import PlaybackStarted, Playout
from simulator.audio.ring import BlockTimeRing, SampleRing
from simulator.audio.streams import InputStream, OutputStream
from simulator.errors import DeviceUnavailable
from simulator.units import NS_PER_MS
from tests.audio.loudspeaker import of_kind

CARD = Device("Card", "ALSA", 2, 2, 48_000, is_default_input=True, is_default_output=True)
INVALID_RATE, INVALID_CHANNELS, DEVICE_UNAVAILABLE, UNANTICIPATED = -9997, -9998, -9985, -9999


class PortAudioError(Exception):
    """As sounddevice raises it: a text and PortAudio's code."""


class FakePortAudio:
    """Opens what `refusal` does not refuse, and lets a test call the callback."""

    PortAudioError = PortAudioError

    def __init__(self, refusal: Callable[[int, int], int | None]) -> None:
        self.refusal = refusal
        self.tried: list[tuple[int, int]] = []
        self.InputStream = self.OutputStream = self._open

    def _open(self, *, samplerate: int, channels: int, blocksize: int, callback: Any, **_: object) -> SimpleNamespace:
        self.tried.append((samplerate, channels))
        code = self.refusal(samplerate, channels)
        if code is not None:
            raise PortAudioError("refused", code)
        self.callback = callback
        self.block = np.zeros((blocksize, channels), dtype=np.int16)
        return SimpleNamespace(samplerate=float(samplerate), channels=channels, latency=0.06)

    def call(self, current_s: float = 10.0, dac_s: float = 10.08, adc_s: float = 9.98) -> NDArray[np.int16]:
        """Call the callback as PortAudio does, and return the block."""
        times = SimpleNamespace(currentTime=current_s, outputBufferDacTime=dac_s, inputBufferAdcTime=adc_s)
        self.callback(self.block, len(self.block), times, False)
        return self.block


@pytest.fixture
def portaudio(monkeypatch: pytest.MonkeyPatch) -> Callable[..., FakePortAudio]:
    """Put a stand-in in PortAudio's place."""

    def install(refusal: Callable[[int, int], int | None]) -> FakePortAudio:
        fake = FakePortAudio(refusal)
        monkeypatch.setattr(streams, "portaudio", lambda: fake)
        monkeypatch.setattr(streams, "index_here", lambda device, direction: (0, CARD))
        return fake

    return install


def output(playout: Playout) -> OutputStream:
    return OutputStream(playout, None, lambda: None, asyncio.get_running_loop())


def only_48_khz_stereo(rate_hz: int, channels: int) -> int | None:
    if rate_hz != 48_000:
        return INVALID_RATE
    return None if channels == 2 else INVALID_CHANNELS


async def test_a_device_is_opened_at_24_khz_mono_where_it_can(portaudio: Callable[..., FakePortAudio]) -> None:
    fake = portaudio(lambda rate_hz, channels: None)
    assert output(Playout()).state().rate_hz == 24_000
    assert fake.tried == [(24_000, 1)]


async def test_a_48_khz_stereo_device_gets_each_sample_doubled_on_both_channels(
    portaudio: Callable[..., FakePortAudio],
) -> None:
    fake = portaudio(only_48_khz_stereo)
    playout = Playout()
    assert output(playout).state().rate_hz == 48_000
    wave = np.rint(8000 * np.sin(2 * np.pi * 500 * np.arange(960) / 24_000)).astype(np.int16)
    playout.add("a", wave, 0)
    playout.item_complete("a")
    played = np.concatenate([fake.call().copy() for _ in range(2)])
    assert played.shape == (1920, 2)
    assert (played[:, 0] == played[:, 1]).all()
    # The input's samples lie 31 output samples later, every second one.
    assert np.abs(played[31::2, 0].astype(int) - wave[: len(played[31::2])]).max() <= 1


async def test_a_48_khz_microphone_is_recorded_at_24_khz_from_its_first_channel(
    portaudio: Callable[..., FakePortAudio],
) -> None:
    fake = portaudio(only_48_khz_stereo)
    ring, times = SampleRing(2400), BlockTimeRing(4)
    InputStream(ring, times, None, lambda: None, asyncio.get_running_loop())
    fake.block[:, 0] = 1000
    for _ in range(2):
        fake.call()
    out = np.zeros(960, dtype=np.int16)
    assert ring.read_into(out) == 960
    assert (out[480:] == 1000).all()
    block = times.block_of(500)
    assert block is not None
    assert block.first_sample == 480
    assert block.callback_ns - block.adc_ns == pytest.approx(20 * NS_PER_MS, abs=5 * NS_PER_MS)


async def test_a_device_that_takes_neither_rate_is_one_sentence(portaudio: Callable[..., FakePortAudio]) -> None:
    portaudio(lambda rate_hz, channels: INVALID_RATE)
    with pytest.raises(DeviceUnavailable, match="“Card” takes neither 24 nor 48 kHz: set it to 48 kHz") as caught:
        output(Playout())
    assert "24000 Hz" in caught.value.details


@pytest.mark.parametrize(
    ("code", "sentence"), [(DEVICE_UNAVAILABLE, "in use by another program"), (UNANTICIPATED, "cannot be opened")]
)
async def test_a_device_that_does_not_open_is_one_sentence_and_is_not_tried_again(
    portaudio: Callable[..., FakePortAudio], code: int, sentence: str
) -> None:
    fake = portaudio(lambda rate_hz, channels: code)
    with pytest.raises(DeviceUnavailable, match=sentence):
        output(Playout())
    assert len(fake.tried) == 1


@pytest.mark.parametrize(
    ("current_s", "dac_s", "source", "ahead_ms"),
    [
        (10.0, 10.08, "dac", 80),
        (10.0, 0.0, "latency", 60),
        (10.0, 9.9, "latency", 60),
        (0.0, 0.05, "latency", 60),
        (10.0, 1e9, "latency", 60),
    ],
)
async def test_dac_time_is_taken_from_the_device_where_it_is_plausible_and_from_its_latency_elsewhere(
    portaudio: Callable[..., FakePortAudio], current_s: float, dac_s: float, source: str, ahead_ms: int
) -> None:
    fake = portaudio(lambda rate_hz, channels: None)
    playout = Playout()
    stream = output(playout)
    playout.add("a", np.ones(480, dtype=np.int16), 0)
    playout.item_complete("a")
    fake.call(current_s, dac_s)
    (started,) = of_kind(playout.progress(), PlaybackStarted)
    assert stream.state().dac_source == source
    assert started.dac_ns - started.handed_ns == pytest.approx(ahead_ms * NS_PER_MS, abs=1_000)


async def test_a_block_that_fails_is_silent(
    portaudio: Callable[..., FakePortAudio], monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = portaudio(lambda rate_hz, channels: None)
    playout = Playout()
    stream = output(playout)
    monkeypatch.setattr(playout, "fill", None)
    fake.block[:] = 99
    assert not fake.call().any()
    assert stream.state().fault == "TypeError: 'NoneType' object is not callable"
