"""Sample rates: what is in the voice's band stays, what cannot be carried is gone, and blocks join seamlessly."""

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.audio.resample import DELAY_48K_SAMPLES, HalfBand24To48, HalfBand48To24, resample


def sine(frequency_hz: float, rate_hz: int, samples: int) -> NDArray[np.int16]:
    wave: NDArray[np.float64] = 16000 * np.sin(2 * np.pi * frequency_hz * np.arange(samples) / rate_hz)
    return np.rint(wave).astype(np.int16, copy=False)


def in_blocks(filter_: HalfBand24To48 | HalfBand48To24, samples: NDArray[np.int16], block: int) -> NDArray[np.int16]:
    return np.concatenate([filter_.process(samples[at : at + block]) for at in range(0, len(samples), block)])


@pytest.mark.parametrize("frequency_hz", [100, 1000, 4000, 8000])
def test_halving_keeps_a_voice_and_delays_it_by_31_samples_at_48_khz(frequency_hz: int) -> None:
    halved = in_blocks(HalfBand48To24(), sine(frequency_hz, 48_000, 9600), 960)
    at = np.arange(len(halved)) / 24_000 - DELAY_48K_SAMPLES / 48_000
    expected = 16000 * np.sin(2 * np.pi * frequency_hz * at)
    assert len(halved) == 4800
    assert np.abs(halved[100:] - expected[100:]).max() < 16


@pytest.mark.parametrize("frequency_hz", [15_500, 18_000, 22_000])
def test_halving_removes_what_24_khz_cannot_carry(frequency_hz: int) -> None:
    halved = in_blocks(HalfBand48To24(), sine(frequency_hz, 48_000, 9600), 960)
    assert np.abs(halved[100:]).max() <= 2


@pytest.mark.parametrize("frequency_hz", [100, 1000, 4000, 8000])
def test_doubling_keeps_a_voice_and_delays_it_by_31_samples_at_48_khz(frequency_hz: int) -> None:
    doubled = in_blocks(HalfBand24To48(), sine(frequency_hz, 24_000, 4800), 480)
    at = (np.arange(len(doubled)) - DELAY_48K_SAMPLES) / 48_000
    expected = 16000 * np.sin(2 * np.pi * frequency_hz * at)
    assert len(doubled) == 9600
    assert np.abs(doubled[200:] - expected[200:]).max() < 16


@pytest.mark.parametrize("block", [2, 96, 960])
def test_blocks_of_any_size_give_the_same_stream(block: int) -> None:
    noise = np.random.default_rng(3).integers(-20000, 20000, 9600).astype(np.int16)
    assert (in_blocks(HalfBand48To24(), noise, block) == HalfBand48To24().process(noise)).all()
    assert (in_blocks(HalfBand24To48(), noise, block) == HalfBand24To48().process(noise)).all()


def test_silence_becomes_exact_silence_once_the_filter_has_run_out() -> None:
    filter_ = HalfBand24To48()
    filter_.process(sine(1000, 24_000, 480))
    assert not filter_.process(np.zeros(480, dtype=np.int16))[2 * DELAY_48K_SAMPLES :].any()
    assert not filter_.process(np.zeros(480, dtype=np.int16)).any()


def test_an_odd_block_cannot_be_halved() -> None:
    with pytest.raises(ValueError, match="481"):
        HalfBand48To24().process(np.zeros(481, dtype=np.int16))


def test_a_recording_keeps_its_length_in_time_and_its_pitch() -> None:
    at_44 = (sine(440, 44_100, 44_100) / 32768).astype(np.float32)
    at_24 = resample(at_44, 44_100, 24_000)
    assert len(at_24) == 24_000
    assert np.argmax(np.abs(np.fft.rfft(at_24))) == 440


def test_a_recording_at_the_right_rate_is_left_alone() -> None:
    samples = np.zeros(5, dtype=np.float32)
    assert resample(samples, 24_000, 24_000) is samples
