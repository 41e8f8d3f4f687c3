"""Devices of every rate, shape and sample format, with a stand-in for PortAudio: no machine has all of them."""

import asyncio
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.audio.playout import AudioHanded, PlaybackStarted, Playout
from simulator.audio.ring import BlockTimeRing, SampleRing
from simulator.audio.sources import Chunk, MicrophoneSource
from simulator.audio.stream_state import Channel
from simulator.audio.streams import InputStream, OutputStream
from simulator.errors import DeviceUnavailable
from simulator.units import NS_PER_MS, NS_PER_S
from tests.audio.loudspeaker import of_kind
from tests.audio.portaudio import (
    CARD,
    DEVICE_UNAVAILABLE,
    INVALID_CHANNELS,
    INVALID_RATE,
    UNANTICIPATED,
    FakePortAudio,
    install,
    only,
)

RATES_HZ = (8_000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 88_200, 96_000, 192_000)


def output(playout: Playout, channel: int | None = None) -> OutputStream:
    return OutputStream(playout, None, lambda: None, asyncio.get_running_loop(), channel=channel)


def microphone(channel: Channel = None) -> tuple[InputStream, SampleRing, BlockTimeRing]:
    ring, times = SampleRing(24_000), BlockTimeRing(64)
    return InputStream(ring, times, None, lambda: None, asyncio.get_running_loop(), channel=channel), ring, times


def tone(samples: int, rate_hz: int = 24_000, late_s: float = 0) -> NDArray[np.float64]:
    wave: NDArray[np.float64] = 8000 * np.sin(2 * np.pi * 500 * (np.arange(samples) / rate_hz - late_s))
    return wave


def written(ring: SampleRing) -> NDArray[np.int16]:
    out = np.zeros(ring.readable, dtype=np.int16)
    ring.read_into(out)
    return out


async def test_a_device_is_opened_at_24_khz_mono_where_it_can(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = install(monkeypatch)
    state = output(Playout()).state()
    assert (state.rate_hz, state.channels, state.conversion_delay_ns) == (24_000, 1, 0)
    assert fake.tried == [(24_000, 1, "int16")]


async def test_a_device_that_refuses_24_khz_is_opened_at_its_own_rate_next(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = install(monkeypatch, only(44_100, 2), replace(CARD, default_rate_hz=44_100))
    state = output(Playout()).state()
    assert (state.rate_hz, state.channels, state.conversion_delay_ns) == (44_100, 2, 50 * NS_PER_S // 24_000)
    assert [form[:2] for form in fake.tried] == [(24_000, 1), (24_000, 2), (44_100, 1), (44_100, 2)]


@pytest.mark.parametrize("rate_hz", RATES_HZ)
@pytest.mark.parametrize("channels", [1, 2, 6])
async def test_what_is_played_reaches_every_channel_of_a_device_of_any_rate(
    monkeypatch: pytest.MonkeyPatch, rate_hz: int, channels: int
) -> None:
    fake = install(monkeypatch, only(rate_hz, channels), replace(CARD, max_output_channels=channels))
    playout = Playout()
    stream = output(playout)
    playout.add("a", np.rint(tone(4800)).astype(np.int16), 0)
    playout.item_complete("a")
    played = np.concatenate([fake.stream.call().copy() for _ in range(8)])
    assert stream.state().fault is None
    assert (played == played[:, :1]).all()
    expected = tone(len(played), rate_hz, stream.state().conversion_delay_ns / NS_PER_S)
    settled = round(0.02 * rate_hz)
    assert np.abs(played[settled:, 0] - expected[settled:]).max() < 8


@pytest.mark.parametrize("rate_hz", RATES_HZ)
@pytest.mark.parametrize("channels", [1, 2, 6])
async def test_a_microphone_of_any_rate_is_recorded_at_24_khz(
    monkeypatch: pytest.MonkeyPatch, rate_hz: int, channels: int
) -> None:
    fake = install(monkeypatch, only(rate_hz, channels), replace(CARD, max_input_channels=channels))
    stream, ring, _ = microphone()
    heard = np.rint(tone(rate_hz // 5, rate_hz)).astype(np.int16)
    for start in range(0, len(heard) - len(fake.stream.block) + 1, len(fake.stream.block)):
        fake.stream.block[:, 0] = heard[start : start + len(fake.stream.block)]
        fake.stream.call()
    recorded = written(ring)
    assert stream.state().fault is None
    assert len(recorded) >= 4700
    expected = tone(len(recorded), late_s=stream.state().conversion_delay_ns / NS_PER_S)
    assert np.abs(recorded[480:] - expected[480:]).max() < 8


@pytest.mark.parametrize("sample_type", ["float32", "int32"])
async def test_a_device_that_refuses_16_bits_gets_and_gives_what_it_takes(
    monkeypatch: pytest.MonkeyPatch, sample_type: str
) -> None:
    full_scale = {"float32": 1.0, "int32": 2.0**31}[sample_type]
    fake = install(monkeypatch, only(24_000, 1, sample_type))
    playout = Playout()
    output(playout)
    playout.add("a", np.array([16_384, -32_768] * 240, dtype=np.int16), 0)
    playout.item_complete("a")
    assert fake.stream.call()[:2, 0].tolist() == [full_scale / 2, -full_scale]
    fake.streams.clear()
    _, ring, _ = microphone()
    fake.stream.block[:, 0] = np.tile([full_scale / 2, -full_scale], 240)
    fake.stream.call()
    assert written(ring)[:2].tolist() == [16_384, -32_768]


@pytest.mark.parametrize(("channel", "heard"), [(None, 100), (1, 100), (2, 200), (4, 400), ("mix", 250)])
async def test_the_channel_of_a_microphone_is_chosen(
    monkeypatch: pytest.MonkeyPatch, channel: Channel, heard: int
) -> None:
    fake = install(monkeypatch, only(24_000, 4), replace(CARD, max_input_channels=4))
    stream, ring, _ = microphone(channel)
    fake.stream.block[:] = [100, 200, 300, 400]
    fake.stream.call()
    assert (written(ring) == heard).all()
    assert (stream.state().channels, stream.state().channel) == (4, channel)


async def test_a_channel_that_was_chosen_is_never_one_that_the_system_mixed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A device of two channels that is opened with one gives a mixture of both."""
    fake = install(monkeypatch)
    microphone(channel=1)
    assert fake.tried == [(24_000, 2, "int16")]


@pytest.mark.parametrize(
    ("channel", "played"),
    [(None, [1000, 1000, 1000, 1000]), (1, [1000, 1000, 0, 0]), (3, [0, 0, 1000, 1000]), (4, [0, 0, 0, 1000])],
)
async def test_the_pair_of_an_output_is_chosen(
    monkeypatch: pytest.MonkeyPatch, channel: int | None, played: list[int]
) -> None:
    fake = install(monkeypatch, only(24_000, 4), replace(CARD, max_output_channels=4))
    playout = Playout()
    output(playout, channel)
    playout.add("a", np.full(480, 1000, dtype=np.int16), 0)
    playout.item_complete("a")
    assert (fake.stream.call() == played).all()


@pytest.mark.parametrize(("most", "have"), [(1, "1 channel"), (2, "2 channels")])
async def test_a_channel_that_is_not_there_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, most: int, have: str
) -> None:
    install(monkeypatch, device=replace(CARD, max_input_channels=most))
    with pytest.raises(DeviceUnavailable, match=f"“Card” has {have}, so there is no channel 3"):
        microphone(channel=3)


async def test_blocks_of_any_length_are_played_and_recorded_without_a_seam(monkeypatch: pytest.MonkeyPatch) -> None:
    lengths = [1, 1021, 37, 960, 512, 2048, 3, 441]
    out = install(monkeypatch, only(44_100, 1))
    playout = Playout()
    output(playout)
    playout.add("a", np.rint(tone(4800)).astype(np.int16), 0)
    playout.item_complete("a")
    played = []
    for length in lengths:
        out.stream.block = np.zeros((length, 1), dtype=np.int16)
        played.append(out.stream.call()[:, 0].copy())
    joined = np.concatenate(played)
    assert np.abs(joined - tone(len(joined), 44_100, 50 / 24_000))[882:].max() < 8
    # The playout was never asked for more than what the device needed.
    handed = of_kind(playout.progress(), AudioHanded)
    assert sum(len(piece.samples) for piece in handed) == pytest.approx(sum(lengths) * 24_000 / 44_100, abs=1)

    into = install(monkeypatch, only(44_100, 1))
    _, ring, _ = microphone()
    for piece in played:
        into.stream.block = piece[:, np.newaxis]
        into.stream.call()
    recorded = written(ring)
    assert np.abs(recorded - tone(len(recorded), late_s=2 * 50 / 24_000))[960:].max() < 8


async def test_the_delay_of_the_conversion_is_in_the_times_of_both_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = install(monkeypatch, only(16_000, 1))
    playout = Playout()
    output(playout)
    playout.add("a", np.ones(960, dtype=np.int16), 0)
    playout.item_complete("a")
    fake.stream.call()
    (started,) = of_kind(playout.progress(), PlaybackStarted)
    # 80 ms until the device plays the block, and 50 samples at 16 kHz.
    assert started.dac_ns - started.handed_ns == pytest.approx(83_125_000, abs=1_000)

    fake.streams.clear()
    _, ring, times = microphone()
    fake.stream.call()
    fake.stream.call()
    block = times.block_of(ring.written_samples - 1)
    assert block is not None
    assert (block.first_sample, block.samples) == (480, 480)
    assert block.ended_ns - block.adc_ns == pytest.approx(20 * NS_PER_MS, abs=5 * NS_PER_MS)


async def test_a_chunk_that_ends_within_a_block_ended_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A device with blocks of 40 ms: the first chunk of each was captured 20 ms before the second."""
    fake = install(monkeypatch)
    source = MicrophoneSource(None, asyncio.get_running_loop())
    chunks = source.chunks()
    first = asyncio.ensure_future(anext(chunks))
    await asyncio.sleep(0)
    fake.stream.block = np.zeros((960, 1), dtype=np.int16)
    fake.stream.call()
    one: Chunk = await first
    two: Chunk = await anext(chunks)
    source.close()
    assert two.captured_ns - one.captured_ns == 20 * NS_PER_MS


async def test_a_device_that_takes_no_rate_is_one_sentence_that_names_what_was_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    install(monkeypatch, lambda *form: INVALID_RATE)
    with pytest.raises(
        DeviceUnavailable,
        match=r"“Card” takes no rate of 8, 11\.025, 16, .* and 192 kHz with 1 or 2 channels: set it to 48 kHz",
    ) as caught:
        output(Playout())
    assert "24000 Hz, 1 channels, int16: " in caught.value.details
    assert "192000 Hz, 2 channels, int16: " in caught.value.details


@pytest.mark.parametrize(
    ("code", "sentence"), [(DEVICE_UNAVAILABLE, "in use by another program"), (UNANTICIPATED, "cannot be opened")]
)
async def test_a_device_that_does_not_open_is_one_sentence_and_is_not_tried_again(
    monkeypatch: pytest.MonkeyPatch, code: int, sentence: str
) -> None:
    fake = install(monkeypatch, lambda *form: code)
    with pytest.raises(DeviceUnavailable, match=sentence):
        output(Playout())
    assert len(fake.tried) == 1


async def test_a_device_that_is_busy_once_its_rate_is_right_is_named_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, lambda rate_hz, *_: INVALID_CHANNELS if rate_hz == 24_000 else DEVICE_UNAVAILABLE)
    with pytest.raises(DeviceUnavailable, match="in use by another program"):
        output(Playout())


async def test_a_device_that_runs_at_a_rate_of_its_own_kind_is_opened_at_a_usual_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fake: FakePortAudio = install(monkeypatch, only(48_000, 2), replace(CARD, default_rate_hz=47_999))
    assert output(Playout()).state().rate_hz == 48_000
    assert all(form[0] != 47_999 for form in fake.tried)


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
    monkeypatch: pytest.MonkeyPatch, current_s: float, dac_s: float, source: str, ahead_ms: int
) -> None:
    fake = install(monkeypatch)
    playout = Playout()
    stream = output(playout)
    playout.add("a", np.ones(480, dtype=np.int16), 0)
    playout.item_complete("a")
    fake.stream.call(current_s, dac_s)
    (started,) = of_kind(playout.progress(), PlaybackStarted)
    assert stream.state().dac_source == source
    assert started.dac_ns - started.handed_ns == pytest.approx(ahead_ms * NS_PER_MS, abs=1_000)


async def test_a_block_that_fails_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = install(monkeypatch)
    playout = Playout()
    stream = output(playout)

    def broken(*_: Any) -> None:
        raise RuntimeError("broken on purpose")

    monkeypatch.setattr(playout, "fill", broken)
    fake.stream.block[:] = 99
    assert not fake.stream.call().any()
    assert stream.state().fault == "RuntimeError: broken on purpose"
