"""What is done to the participant's voice on its way to the engine, worked out by hand."""

import itertools
import math

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.audio.impairments import Impairer, Impairments, Loss, SpeechLevel, check, speech_level_dbfs
from simulator.audio.levels import dbfs_rms
from simulator.audio.noises import noise_loop
from simulator.errors import UsageError
from simulator.units import BLOCK_SAMPLES, SAMPLE_RATE_HZ

SILENCE = np.zeros(BLOCK_SAMPLES, dtype=np.int16)


def _sine(dbfs: float, blocks: int) -> NDArray[np.int16]:
    """1 kHz at a level of its root mean square: 24 samples a period, so every block holds 20 whole ones."""
    amplitude = 32768 * math.sqrt(2) * 10 ** (dbfs / 20)
    return np.rint(amplitude * np.sin(2 * np.pi * np.arange(blocks * BLOCK_SAMPLES) / 24)).astype(np.int16)


def _through(impairer: Impairer, samples: NDArray[np.int16]) -> NDArray[np.int16]:
    blocks = [samples[at : at + BLOCK_SAMPLES] for at in range(0, len(samples), BLOCK_SAMPLES)]
    return np.concatenate([impairer.block(block).samples for block in blocks])


@pytest.mark.parametrize("noise", ["white", "pink", "babble"])
@pytest.mark.parametrize("level_dbfs", [-20.0, -40.0, -70.0])
def test_noise_has_its_level_to_a_tenth_of_a_db(noise: str, level_dbfs: float) -> None:
    loop = noise_loop(noise, 1)
    impairer = Impairer(Impairments(noise=noise, noise_db=level_dbfs), loop)
    silence = np.zeros(30 * SAMPLE_RATE_HZ, dtype=np.int16)
    assert dbfs_rms(_through(impairer, silence)) == pytest.approx(level_dbfs, abs=0.1)


def test_pink_noise_falls_by_three_db_an_octave_and_white_does_not() -> None:
    def octaves(name: str) -> list[float]:
        spectrum = np.abs(np.fft.rfft(noise_loop(name, 1).astype(np.float64))) ** 2
        hz = np.fft.rfftfreq(30 * SAMPLE_RATE_HZ, 1 / SAMPLE_RATE_HZ)
        bands = [spectrum[(hz >= low) & (hz < 2 * low)].mean() for low in (500, 1000, 2000, 4000)]
        return [10 * math.log10(after / before) for before, after in itertools.pairwise(bands)]

    assert octaves("pink") == pytest.approx([-3.01] * 3, abs=0.25)
    assert octaves("white") == pytest.approx([0.0] * 3, abs=0.25)


def test_noise_below_the_speech_follows_a_recordings_level() -> None:
    speech = _sine(-20, 50)
    assert speech_level_dbfs(np.concatenate((speech, np.zeros(24_000, dtype=np.int16)))) == pytest.approx(-20, abs=0.01)
    impairer = Impairer(Impairments(noise="white", noise_db=15, relative_to="speech"), noise_loop("white", 1))
    impairer.speech.known_dbfs = -20.0
    given = _through(impairer, np.zeros(30 * SAMPLE_RATE_HZ, dtype=np.int16))
    assert dbfs_rms(given) == pytest.approx(-35, abs=0.1)


def test_a_voice_that_was_not_heard_yet_counts_as_minus_26_dbfs_and_then_as_what_was_heard() -> None:
    level = SpeechLevel()
    assert level.dbfs == -26
    level.hear(_sine(-60, 1))  # a quiet room is no speech
    assert level.dbfs == -26
    for _ in range(150):
        level.hear(_sine(-30, 1))
    assert level.dbfs == pytest.approx(-30, abs=0.01)
    for _ in range(100):  # two seconds
        level.hear(_sine(-12, 1))
    assert level.dbfs == pytest.approx(-12, abs=0.01)


def test_silence_has_no_level_of_speech() -> None:
    assert speech_level_dbfs(np.zeros(4800, dtype=np.int16)) is None
    assert speech_level_dbfs(np.zeros(0, dtype=np.int16)) is None


def test_what_noise_drives_beyond_full_scale_is_counted() -> None:
    """A noise of ±1 in turn at 0 dBFS, on a voice of 1: 1 + 32768 does not fit, 1 - 32768 does."""
    noise = np.tile(np.array([1, -1], dtype=np.float32), BLOCK_SAMPLES // 2)
    impairer = Impairer(Impairments(noise="white", noise_db=0), noise)
    given = impairer.block(np.ones(BLOCK_SAMPLES, dtype=np.int16)).samples
    assert given[:2].tolist() == [32767, -32767]
    assert impairer.counts.clipped_samples == BLOCK_SAMPLES // 2


def test_a_delay_moves_every_sample_by_it_and_loses_none() -> None:
    """150 ms are 3600 samples: seven and a half blocks."""
    impairer = Impairer(Impairments(delay_ms=150), None)
    voice = np.arange(1, 20 * BLOCK_SAMPLES + 1, dtype=np.int16)
    given = _through(impairer, voice)
    assert np.array_equal(given[:3600], np.zeros(3600))
    assert np.array_equal(given[3600:], voice[:-3600])


def test_blocks_of_any_length_are_delayed_alike() -> None:
    impairer = Impairer(Impairments(delay_ms=1), None)
    voice = np.arange(1, 101, dtype=np.int16)
    given = np.concatenate([impairer.block(voice[:7]).samples, impairer.block(voice[7:]).samples])
    assert given.tolist() == [0] * 24 + list(range(1, 77))


@pytest.mark.parametrize(("percent", "burst_blocks"), [(2.0, 1), (10.0, 3), (50.0, 1), (5.0, 10)])
def test_the_share_and_the_bursts_of_what_is_lost(percent: float, burst_blocks: int) -> None:
    loss = Loss(percent, burst_blocks, seed=7)
    lost = np.array([loss.next_is_lost() for _ in range(200_000)])
    begins = int(np.count_nonzero(lost[1:] & ~lost[:-1]))
    assert 100 * lost.mean() == pytest.approx(percent, rel=0.1)
    # With half of all blocks lost one by one, every other one is.
    assert lost.sum() / begins == pytest.approx(burst_blocks, rel=0.1)


def test_nothing_is_lost_where_nothing_is_to_be_lost() -> None:
    loss = Loss(0, 1, seed=1)
    assert not any(loss.next_is_lost() for _ in range(1000))


def test_a_lost_block_is_silent_or_late_or_skipped() -> None:
    voice = _sine(-20, 1)
    for dropped in ("silent", "late", "skipped"):
        impairer = Impairer(Impairments(drop_percent=50, dropped=dropped), None)
        fates = [impairer.block(voice) for _ in range(100)]
        lost = [each for each in fates if each.fate != "given"]
        assert {each.fate for each in lost} == {dropped}
        assert len(lost) == impairer.counts.dropped_blocks
        expected = voice if dropped == "late" else SILENCE
        assert all(np.array_equal(each.samples, expected) for each in lost)
        assert all(np.array_equal(each.samples, voice) for each in fates if each.fate == "given")


def test_the_same_seed_does_the_same_and_another_one_does_not() -> None:
    def given(seed: int) -> NDArray[np.int16]:
        wanted = Impairments(noise="white", noise_db=-30, drop_percent=20, burst_ms=60, seed=seed)
        return _through(Impairer(wanted, noise_loop("white", seed)), np.zeros(24_000, dtype=np.int16))

    assert np.array_equal(given(3), given(3))
    assert not np.array_equal(given(3), given(4))


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        (Impairments(noise="white", noise_db=3), "noise's level, in dBFS, is 3: use a value from -80 to 0"),
        (Impairments(noise="white", noise_db=math.nan), "noise's level"),
        (Impairments(noise="white", noise_db=70, relative_to="speech"), "ratio of speech to noise, in dB, is 70"),
        (Impairments(noise="white", seed=-5), "seed is -5: use 0 or more"),
        (Impairments(drop_percent=51), "in percent, is 51: use a value from 0 to 50"),
        (Impairments(burst_ms=30), "whole blocks of 20 ms"),
        (Impairments(burst_ms=0), "length of a burst, in ms, is 0"),
        (Impairments(delay_ms=-1), "delay, in ms, is -1"),
    ],
)
def test_what_cannot_be_done_is_told(wanted: Impairments, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        check(wanted)


def test_impairments_are_told_in_a_line() -> None:
    assert Impairments().words == ""
    assert not Impairments().active
    wanted = Impairments(noise="pink", noise_db=-30, drop_percent=2, burst_ms=60, dropped="late", delay_ms=150)
    assert wanted.active
    assert wanted.words == "pink noise at −30 dBFS · 2 % lost (late, bursts of 60 ms) · 150 ms delay"
    assert Impairments(noise="babble", noise_db=10, relative_to="speech").words == "babble, 10 dB SNR"
