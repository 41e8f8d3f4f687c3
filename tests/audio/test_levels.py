"""Levels in dBFS."""

import numpy as np
import pytest

from simulator.audio.levels import FLOOR_DBFS, dbfs_peak, dbfs_rms


def test_a_full_square_wave_is_at_0_dbfs_by_rms_and_peak() -> None:
    square = np.array([-32768, -32768], dtype=np.int16)
    assert dbfs_rms(square) == pytest.approx(0)
    assert dbfs_peak(square) == pytest.approx(0)


def test_half_of_full_scale_is_6_db_lower_and_one_step_is_90_db_lower() -> None:
    assert dbfs_rms(np.array([16384, -16384], dtype=np.int16)) == pytest.approx(-6.02, abs=0.01)
    assert dbfs_peak(np.array([0, 1, 0], dtype=np.int16)) == pytest.approx(-90.31, abs=0.01)


def test_the_rms_of_a_sine_is_3_db_below_its_peak() -> None:
    sine = np.rint(32000 * np.sin(2 * np.pi * np.arange(2400) / 240)).astype(np.int16)
    assert dbfs_peak(sine) - dbfs_rms(sine) == pytest.approx(3.01, abs=0.01)


@pytest.mark.parametrize("samples", [0, 480])
def test_silence_and_no_audio_are_at_the_floor(samples: int) -> None:
    silence = np.zeros(samples, dtype=np.int16)
    assert dbfs_rms(silence) == dbfs_peak(silence) == FLOOR_DBFS
