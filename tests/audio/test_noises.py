"""Loops of noise."""

from pathlib import Path

import numpy as np
import pytest
import soundfile

from simulator.audio.noises import noise_loop
from simulator.errors import UnknownName, UnreadableRecording


def test_a_recording_becomes_a_loop_without_a_seam(tmp_path: Path) -> None:
    """A ramp from -0.5 to 0.5 jumps by 1 where it begins anew; faded into its beginning, it steps by hardly more than
    it does anywhere in the fade."""
    soundfile.write(tmp_path / "street.wav", np.linspace(-0.5, 0.5, 24_000), 24_000, subtype="FLOAT")
    loop = noise_loop(str(tmp_path / "street.wav"), 1)
    assert len(loop) == 24_000 - 480
    assert np.sqrt(np.mean(loop.astype(np.float64) ** 2)) == pytest.approx(1, abs=1e-6)
    scale = 1 / 0.29  # the ramp's own root mean square
    assert abs(float(loop[0]) - float(loop[-1])) < 0.01 * scale


def test_a_recording_of_any_rate_by_its_name(tmp_path: Path) -> None:
    assert len(noise_loop("monologue", 1)) > 24_000


def test_a_silent_or_unknown_noise_is_told(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "nothing.wav", np.zeros(24_000), 24_000)
    with pytest.raises(UnreadableRecording, match="is silent"):
        noise_loop(str(tmp_path / "nothing.wav"), 1)
    with pytest.raises(UnknownName, match="white, pink, babble, a recording's name or an audio file"):
        noise_loop("brown", 1)
