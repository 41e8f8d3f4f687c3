"""Long speech is split where it is quiet, and nothing of it is lost."""

import numpy as np
import pytest

from simulator.speech.splitting import LONGEST_PIECE_BYTES, pieces

S = 24_000


def noise(seconds: float) -> np.ndarray:
    return np.random.default_rng(3).normal(0, 3000, round(seconds * S)).astype(np.int16)


def test_a_split_lies_in_the_pause() -> None:
    # Speech of 30 s with pauses at 11.0 to 11.2 s and at 22.0 to 22.2 s.
    speech = noise(30)
    speech[11 * S : 11 * S + S // 5] = 0
    speech[22 * S : 22 * S + S // 5] = 0
    first, second, third = (len(piece) / 2 / S for piece in pieces(speech.tobytes()))
    assert 11.0 <= first <= 11.2
    assert 22.0 <= first + second <= 22.2
    assert first + second + third == 30


@pytest.mark.parametrize("seconds", [0, 0.5, 14, 14.1, 61.3])
def test_all_of_it_is_there_in_pieces_that_are_short_enough(seconds: float) -> None:
    audio = noise(seconds).tobytes()
    found = list(pieces(audio))
    assert b"".join(found) == audio
    assert max(map(len, found)) <= LONGEST_PIECE_BYTES
    assert all(len(piece) % 2 == 0 for piece in found)
