"""One source of the voice follows another: what was given by none is silence, and nothing is given twice."""

import numpy as np

from simulator.audio.sources import Chunk
from simulator.participant.voice_joints import HOLE, Joints

MS = 1_000_000


def _chunk(first_sample: int, ended_ms: float, samples: int = 480) -> Chunk:
    """Return a chunk with samples numbered from 1, of 24 a millisecond."""
    return Chunk(np.arange(1, samples + 1, dtype=np.int16), first_sample, round(ended_ms * MS), 0)


def _given(joints: Joints, chunk: Chunk, *, from_device: bool = False) -> list[tuple[int, int, int, float]]:
    """Return of each chunk its place, how long it is, its last sample, and when that was captured, in ms."""
    return [
        (each.first_sample, len(each.samples), int(each.samples[-1]), each.captured_ns / MS)
        for each in joints.joined(chunk, from_device=from_device)
    ]


def test_chunks_of_one_source_are_given_as_they_are() -> None:
    joints = Joints()
    assert _given(joints, _chunk(0, 20)) == [(0, 480, 480, 20)]
    assert _given(joints, _chunk(480, 40)) == [(480, 480, 480, 40)]
    assert joints.covered_ns == 40 * MS


def test_a_hole_before_the_first_chunk_is_filled_with_silence_to_the_sample() -> None:
    joints = Joints()
    joints.covered_ns = 100 * MS
    joints.change()
    # From 100 to 145 ms nothing was given: two whole blocks, and one of 5 ms.
    assert _given(joints, _chunk(0, 165)) == [
        (HOLE, 480, 0, 120),
        (HOLE, 480, 0, 140),
        (HOLE, 120, 0, 145),
        (0, 480, 480, 165),
    ]


def test_a_computer_that_slept_is_not_caught_up_with() -> None:
    joints = Joints()
    joints.covered_ns = 0
    assert _given(joints, _chunk(0, 10_021)) == [(0, 480, 480, 10_021)]
    joints.covered_ns = 0
    assert sum(each[1] for each in _given(joints, _chunk(0, 10_020))) == 10_020 * 24


def test_what_a_device_captured_while_silence_stood_in_for_it_is_left_out_over_several_chunks() -> None:
    joints = Joints()
    joints.covered_ns = 130 * MS
    # Its first sample is of 90 ms: 40 ms were given already. One sample of the first chunk stays, as the source begins
    # with it, and one of the third is left out instead.
    assert _given(joints, _chunk(0, 110), from_device=True) == [(0, 1, 480, 110)]
    assert _given(joints, _chunk(480, 130), from_device=True) == []
    assert _given(joints, _chunk(960, 150), from_device=True) == [(960, 479, 480, 150)]
    assert _given(joints, _chunk(1_440, 170), from_device=True) == [(1_440, 480, 480, 170)]


def test_another_source_owes_nothing_for_the_one_before() -> None:
    joints = Joints()
    joints.covered_ns = 130 * MS
    _given(joints, _chunk(0, 110), from_device=True)
    joints.change()
    joints.covered_ns = 130 * MS
    assert _given(joints, _chunk(0, 150)) == [(0, 480, 480, 150)]


def test_of_a_recording_only_the_first_chunk_is_shortened() -> None:
    joints = Joints()
    joints.covered_ns = 130 * MS
    assert _given(joints, _chunk(0, 110)) == [(0, 1, 480, 110)]
    assert _given(joints, _chunk(480, 130)) == [(480, 480, 480, 130)]
