"""The participant's voice by its position on the session's clock."""

from pathlib import Path

import numpy as np
import pytest
import soundfile

from simulator.record.replay.voice import BLOCK_SAMPLES, ParticipantVoice
from tests.record.replay.replayed import Session

LENGTH = 2 * BLOCK_SAMPLES + 500


@pytest.fixture(params=["wav", "flac"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A session whose participant's samples are their positions, but for the agent's, which are -7."""
    folder = Session().end(2_000).write(tmp_path / "session", audio=False)
    heard = np.full((LENGTH, 2), -7, dtype=np.int16)
    heard[:, 0] = np.arange(LENGTH) % 30_000
    soundfile.write(folder / f"session.heard.{request.param}", heard, 24_000, subtype="PCM_16")
    return folder


def expected(first: int, samples: int) -> list[int]:
    return [at % 30_000 if 0 <= at < LENGTH else 0 for at in range(first, first + samples)]


@pytest.mark.parametrize(
    "first", [0, 7, BLOCK_SAMPLES - 5, BLOCK_SAMPLES, LENGTH - 5, LENGTH, LENGTH + 99_999, -5, -900]
)
def test_any_piece_is_read_and_what_is_not_there_is_silent(folder: Path, first: int) -> None:
    with ParticipantVoice(folder) as voice:
        read = voice.read(first, 480)
        assert read.dtype == np.int16
        assert read.tolist() == expected(first, 480)


def test_it_is_read_forwards_and_backwards(folder: Path) -> None:
    with ParticipantVoice(folder) as voice:
        assert voice.samples == LENGTH
        pieces = [voice.read(first, 480) for first in range(0, LENGTH, 480)]
        assert np.concatenate(pieces)[:LENGTH].tolist() == expected(0, LENGTH)
        assert [voice.read(first, 480).tolist() for first in range(0, LENGTH, 480)][::-1] == [
            piece.tolist() for piece in pieces[::-1]
        ]
        assert voice.read(100, LENGTH).tolist() == expected(100, LENGTH)
        assert voice.read(100, 0).tolist() == voice.read(100, -3).tolist() == []


def test_a_record_without_audio_is_silent(tmp_path: Path) -> None:
    with ParticipantVoice(Session().end(1_000).write(tmp_path / "session", audio=False)) as voice:
        assert voice.samples == 0
        assert voice.read(0, 5).tolist() == [0] * 5
