"""Half-duplex: when the microphone is let through, sample by sample."""

import numpy as np
import pytest

from simulator.audio.half_duplex import HalfDuplex
from simulator.units import NS_PER_MS

BLOCK = np.full(480, 1_000, dtype=np.int16)
MS = NS_PER_MS


def test_the_microphone_is_silent_from_50_ms_before_the_first_sound_to_200_ms_after_the_last() -> None:
    gate = HalfDuplex()
    gate.played(np.ones(480 * 5, dtype=np.int16), 1_055 * MS)  # audible until 1155: silent from 1005 to 1355
    silent = [at for at in range(960, 1_401, 20) if gate.let_through(BLOCK, (at + 20) * MS)[-1] == 0]
    # The block that begins at 1000 holds the beginning, that at 1340 the end.
    assert silent == list(range(1_000, 1_341, 20))


def test_it_fades_for_5_ms_and_is_exact_outside() -> None:
    gate = HalfDuplex()
    gate.played(np.ones(480, dtype=np.int16), 90 * MS)
    assert np.array_equal(gate.let_through(BLOCK, 40 * MS), BLOCK)
    closing = gate.let_through(BLOCK, 60 * MS)
    # 5 ms are 120 samples.
    assert closing[:120].tolist() == pytest.approx([1000 - 1000 * k / 120 for k in range(120)], abs=1)
    assert not closing[120:].any()
    assert not gate.let_through(BLOCK, 80 * MS).any()
    opening = gate.let_through(BLOCK, 350 * MS)
    assert opening[:120].tolist() == pytest.approx([1000 * k / 120 for k in range(120)], abs=1)
    assert np.array_equal(opening[120:], BLOCK[120:])
    assert np.array_equal(gate.let_through(BLOCK, 370 * MS), BLOCK)


def test_a_short_pause_of_the_agent_does_not_open_it_and_a_long_one_does() -> None:
    gate = HalfDuplex()
    for at_ms in (0, 180, 600):  # 20 ms each: pauses of 160 and 400 ms
        gate.played(np.ones(480, dtype=np.int16), at_ms * MS)
    heard = [at for at in range(0, 900, 20) if gate.let_through(BLOCK, (at + 20) * MS)[-1]]
    # Silent until 400, and from 550, in the block that begins at 540, to 820.
    assert heard == [*range(400, 540, 20), *range(820, 900, 20)]


def test_what_was_lent_is_not_changed() -> None:
    gate, block = HalfDuplex(), BLOCK.copy()
    gate.played(np.ones(480, dtype=np.int16), 0)
    gate.let_through(block, 20 * MS)
    assert np.array_equal(block, BLOCK)
