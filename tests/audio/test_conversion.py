"""Sample rates on the live path: what is in the band comes through unchanged and equally late, what cannot be carried
is gone, and it does not matter in which blocks the audio came."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from simulator.audio.conversion import Converter, can_convert
from simulator.units import NS_PER_S

RATES_HZ = (8_000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 88_200, 96_000, 192_000)
PAIRS = [pair for rate_hz in RATES_HZ for pair in ((24_000, rate_hz), (rate_hz, 24_000))]
AMPLITUDE = 16_000.0

pairs = pytest.mark.parametrize(("from_hz", "to_hz"), PAIRS)


def sine(frequency_hz: float, rate_hz: int, samples: int, delay_s: float = 0) -> NDArray[np.float64]:
    at_s = np.arange(samples) / rate_hz - delay_s
    wave: NDArray[np.float64] = AMPLITUDE * np.sin(2 * np.pi * frequency_hz * at_s)
    return wave


def pcm(wave: NDArray[np.float64]) -> NDArray[np.int16]:
    return np.rint(wave).astype(np.int16)


def noise(samples: int) -> NDArray[np.int16]:
    return np.random.default_rng(3).integers(-32768, 32768, samples).astype(np.int16)


def decibels(error: NDArray[np.floating]) -> float:
    """The level of an error against the sines of these tests."""
    return 20 * math.log10(max(1e-9, float(np.sqrt(np.mean(error**2))) / (AMPLITUDE / math.sqrt(2))))


@pairs
@pytest.mark.parametrize("of_lower_rate", [0.01, 0.1, 0.3, 0.45])
def test_a_tone_in_the_band_comes_out_as_it_was_and_50_samples_of_the_lower_rate_later(
    from_hz: int, to_hz: int, of_lower_rate: float
) -> None:
    converter = Converter(from_hz, to_hz)
    lower_hz = min(from_hz, to_hz)
    frequency_hz = of_lower_rate * lower_hz
    out = converter.process(pcm(sine(frequency_hz, from_hz, from_hz // 5)))
    settled = to_hz // 50
    error = (out - sine(frequency_hz, to_hz, len(out), 50 / lower_hz))[settled:]
    # At 0.45 of the lower rate the level may be off by 0.015 dB, which is an error of -55 dB (0.1 dB: -39).
    assert decibels(error) < (-55 if of_lower_rate == 0.45 else -75)
    assert converter.delay_ns == 50 * NS_PER_S // lower_hz


@pytest.mark.parametrize("rate_hz", [rate_hz for rate_hz in RATES_HZ if rate_hz != 24_000])
@pytest.mark.parametrize("of_lower_rate", [0.501, 0.6, 0.8, 0.95])
def test_what_the_lower_rate_cannot_carry_is_gone(rate_hz: int, of_lower_rate: float) -> None:
    """Nothing folds back on the way down; on the way up, no image of a tone appears."""
    higher_hz, lower_hz = max(rate_hz, 24_000), min(rate_hz, 24_000)
    beyond_hz = of_lower_rate * lower_hz
    if beyond_hz < higher_hz / 2:
        down = Converter(higher_hz, lower_hz).process(pcm(sine(beyond_hz, higher_hz, higher_hz // 5)))
        assert decibels(down[lower_hz // 50 :].astype(np.float64)) < -75
    within_hz = lower_hz - beyond_hz
    up = Converter(lower_hz, higher_hz).process(pcm(sine(within_hz, lower_hz, lower_hz // 5)))
    up = up[higher_hz // 50 :]
    spectrum = np.abs(np.fft.rfft(up * np.kaiser(len(up), 14)))
    frequencies_hz = np.fft.rfftfreq(len(up), 1 / higher_hz)
    images = spectrum[frequencies_hz > lower_hz / 2]
    if within_hz < 0.45 * lower_hz and len(images):
        assert 20 * np.log10(images.max() / spectrum.max()) < -75


@pytest.mark.parametrize("rate_hz", RATES_HZ)
def test_a_voice_that_goes_to_another_rate_and_back_is_the_same_within_60_db(rate_hz: int) -> None:
    lower_hz = min(rate_hz, 24_000)
    tones_hz = [0.02 * lower_hz, 0.11 * lower_hz, 0.27 * lower_hz, 0.4 * lower_hz]
    voice = sum(sine(tone_hz, 24_000, 12_000) for tone_hz in tones_hz) / 4
    there, back = Converter(24_000, rate_hz), Converter(rate_hz, 24_000)
    out = back.process(there.process(pcm(np.asarray(voice))))
    late_s = 2 * 50 / lower_hz
    expected = sum(sine(tone_hz, 24_000, len(out), late_s) for tone_hz in tones_hz) / 4
    assert decibels((out - expected)[2400:]) < -60


@pairs
@settings(max_examples=20)
@given(data=st.data())
def test_any_split_into_blocks_gives_the_same_samples_and_each_as_soon_as_it_can_be(
    from_hz: int, to_hz: int, data: st.DataObject
) -> None:
    sizes = data.draw(st.lists(st.integers(0, 700), min_size=1, max_size=8))
    samples = noise(sum(sizes))
    whole = Converter(from_hz, to_hz).process(samples)
    converter = Converter(from_hz, to_hz)
    pieces = []
    taken = given_out = 0
    for size in sizes:
        pieces.append(converter.process(samples[taken : taken + size]))
        taken += size
        given_out += len(pieces[-1])
        assert given_out == -(-taken * to_hz // from_hz)
    assert np.array_equal(np.concatenate(pieces), whole)


@pairs
@settings(max_examples=20)
@given(data=st.data())
def test_what_a_device_asks_for_takes_exactly_the_input_that_it_needs(
    from_hz: int, to_hz: int, data: st.DataObject
) -> None:
    wanted = data.draw(st.lists(st.integers(1, 700), min_size=1, max_size=8))
    samples = noise(sum(wanted) * from_hz // to_hz + 2)
    whole = Converter(from_hz, to_hz).process(samples)
    converter = Converter(from_hz, to_hz)
    pieces = []
    taken = 0
    for outputs in wanted:
        needed = converter.needed(outputs)
        pieces.append(converter.process(samples[taken : taken + needed], outputs))
        taken += needed
        assert len(pieces[-1]) == outputs
    assert np.array_equal(np.concatenate(pieces), whole[: sum(wanted)])
    # Less than a sample is ahead: nothing is queued in a converter.
    assert taken - 1 <= sum(wanted) * from_hz / to_hz


@pytest.mark.parametrize(("rate_hz", "frames"), [(44_100, 882), (48_000, 960), (96_000, 1920)])
def test_blocks_of_20_ms_take_20_ms_each(rate_hz: int, frames: int) -> None:
    converter = Converter(24_000, rate_hz)
    for _ in range(10):
        assert converter.needed(frames) == 480
        assert len(converter.process(noise(480), frames)) == frames


@pytest.mark.parametrize(("rate_hz", "late"), [(48_000, 50), (44_100, 50), (8_000, 150)])
def test_a_click_comes_out_where_the_delay_says(rate_hz: int, late: int) -> None:
    click = np.zeros(rate_hz // 10, dtype=np.int16)
    at_s = 0.02
    click[round(at_s * rate_hz)] = 30_000
    out = Converter(rate_hz, 24_000).process(click)
    assert np.argmax(np.abs(out)) == 480 + late


@pairs
def test_silence_becomes_exact_silence_once_the_filter_has_run_out(from_hz: int, to_hz: int) -> None:
    converter = Converter(from_hz, to_hz)
    converter.process(noise(from_hz // 20))
    tail = converter.process(np.zeros(from_hz // 10, dtype=np.int16))
    assert not tail[2 * 50 * to_hz // min(from_hz, to_hz) + 1 :].any()
    assert tail[0]


@pairs
def test_a_level_that_stands_still_stands_still_and_full_scale_is_not_wrapped(from_hz: int, to_hz: int) -> None:
    settled = to_hz // 50
    still = Converter(from_hz, to_hz).process(np.full(from_hz // 10, -12_345, dtype=np.int16))
    assert (still[settled:] == -12_345).all()
    square = np.where(np.arange(from_hz // 10) // 40 % 2, 32_767, -32_768).astype(np.int16)
    out = Converter(from_hz, to_hz).process(square)
    # An overshoot that wrapped round would be a step of the whole range within a half wave.
    assert out.max() > 30_000
    assert out.min() < -30_000
    assert np.abs(np.diff(out.astype(int))).max() < 65_000


def test_more_than_is_complete_is_not_given() -> None:
    with pytest.raises(ValueError, match="961 samples were asked for, and 960 are complete"):
        Converter(24_000, 48_000).process(noise(480), 961)


@pytest.mark.parametrize("rate_hz", [0, 7_999, 44_101, 192_025])
def test_a_rate_that_cannot_be_converted_is_refused(rate_hz: int) -> None:
    assert not can_convert(rate_hz)
    with pytest.raises(ValueError, match="cannot be converted"):
        Converter(rate_hz, 24_000)
