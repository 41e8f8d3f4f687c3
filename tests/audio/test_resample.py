"""Another sample rate for whole recordings."""

import numpy as np

from simulator.audio.resample import resample


def test_a_recording_keeps_its_length_in_time_and_its_pitch() -> None:
    at_44 = (0.5 * np.sin(2 * np.pi * 440 * np.arange(44_100) / 44_100)).astype(np.float32)
    at_24 = resample(at_44, 44_100, 24_000)
    assert len(at_24) == 24_000
    assert np.argmax(np.abs(np.fft.rfft(at_24))) == 440


def test_a_recording_at_the_right_rate_is_left_alone() -> None:
    samples = np.zeros(5, dtype=np.float32)
    assert resample(samples, 24_000, 24_000) is samples
