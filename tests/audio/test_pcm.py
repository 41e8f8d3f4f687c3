"""PCM16 as bytes, samples and floats."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.audio.pcm import SampleAssembler, bytes_to_samples, samples_to_bytes, to_float, to_int16


def test_bytes_are_little_endian() -> None:
    assert bytes_to_samples(b"\x01\x00\xff\xff\x00\x80").tolist() == [1, -1, -32768]
    assert samples_to_bytes(np.array([1, -1, -32768], dtype=np.int16)) == b"\x01\x00\xff\xff\x00\x80"


def test_an_odd_number_of_bytes_is_no_pcm16() -> None:
    with pytest.raises(ValueError, match="3 bytes"):
        bytes_to_samples(b"\x01\x00\xff")


def test_floats_are_rounded_to_the_nearest_sample_and_clipped_at_full_scale() -> None:
    step = 1 / 32768
    floats = [0.0, 1.4 * step, 1.6 * step, -1.6 * step, 0.5, 1.0, 3.0, -1.0, -3.0]
    assert to_int16(floats).tolist() == [0, 1, 2, -2, 16384, 32767, 32767, -32768, -32768]


def test_every_sample_survives_the_way_to_float_and_back() -> None:
    every = np.arange(-32768, 32768, dtype=np.int64).astype(np.int16)
    assert (to_int16(to_float(every)) == every).all()


def test_half_a_sample_waits_for_its_other_half() -> None:
    assembler = SampleAssembler()
    assert assembler.feed(b"\x01").tolist() == []
    assert assembler.feed(b"\x02\x03").tolist() == [0x0201]
    assert assembler.feed(b"").tolist() == []
    assert assembler.feed(b"\x04").tolist() == [0x0403]
    assert assembler.feed(b"\x06\x05").tolist() == [0x0506]


@given(st.binary(max_size=60), st.lists(st.integers(0, 60)))
def test_any_split_of_a_stream_gives_the_same_samples(data: bytes, cuts: list[int]) -> None:
    borders = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    assembler = SampleAssembler()
    pieces = [assembler.feed(data[low:high]) for low, high in itertools.pairwise(borders)]
    assert np.concatenate(pieces).tolist() == bytes_to_samples(data[: len(data) // 2 * 2]).tolist()
