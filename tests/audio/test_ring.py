"""The ring between the microphone's callback and the loop."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.audio.ring import BlockTimeRing, SampleRing
from tests.audio.interleave import run_at_every_step


def counting(first: int, count: int) -> np.ndarray[tuple[int], np.dtype[np.int16]]:
    """Samples whose values are their positions, so that order and loss can be seen."""
    return (np.arange(first, first + count) % 32000).astype(np.int16)


def test_what_is_written_is_read_in_order_across_the_end_of_the_buffer() -> None:
    ring = SampleRing(10)
    out = np.zeros(7, dtype=np.int16)
    ring.write(counting(0, 7))
    assert ring.readable == 7
    assert ring.read_into(out) == 7
    ring.write(counting(7, 7))
    assert ring.read_into(out) == 7
    assert out.tolist() == [7, 8, 9, 10, 11, 12, 13]
    assert (ring.readable, ring.read_into(out), ring.overwritten_samples) == (0, 0, 0)


def test_a_slow_reader_loses_the_oldest_samples_and_they_are_counted() -> None:
    ring = SampleRing(10)
    for first in range(0, 24, 6):
        ring.write(counting(first, 6))
    out = np.zeros(20, dtype=np.int16)
    assert ring.readable == 10
    assert ring.read_into(out) == 10
    assert out[:10].tolist() == list(range(14, 24))
    assert ring.overwritten_samples == 14
    assert ring.read_samples == 24


def test_a_block_larger_than_the_ring_leaves_its_end() -> None:
    ring = SampleRing(4)
    ring.write(counting(0, 11))
    out = np.zeros(4, dtype=np.int16)
    assert ring.read_into(out) == 4
    assert out.tolist() == [7, 8, 9, 10]
    assert ring.overwritten_samples == 7


def test_a_ring_without_room_is_refused() -> None:
    with pytest.raises(ValueError, match="room"):
        SampleRing(0)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 25)), max_size=40))
def test_every_sample_is_either_read_in_its_place_or_counted_as_overwritten(steps: list[tuple[bool, int]]) -> None:
    ring = SampleRing(16)
    out = np.zeros(25, dtype=np.int16)
    written = read = 0
    for is_write, count in steps:
        if is_write:
            ring.write(counting(written, count))
            written += count
        else:
            got = ring.read_into(out[:count])
            assert out[:got].tolist() == counting(ring.read_samples - got, got).tolist()
            read += got
    assert read + ring.overwritten_samples + max(0, written - 16 - ring.read_samples) + ring.readable == written


def test_a_write_at_any_moment_of_a_read_never_gives_a_torn_sample() -> None:
    """The writer comes between any two steps of the reader, and laps it."""

    def scenario(step: int) -> bool:
        ring = SampleRing(8)
        ring.write(counting(0, 8))
        out = np.zeros(6, dtype=np.int16)
        got = 0

        def read() -> None:
            nonlocal got
            got = ring.read_into(out)

        reached = run_at_every_step(read, lambda: ring.write(counting(8, 5)), step, file="ring.py")
        first = ring.read_samples - got
        assert out[:got].tolist() == list(range(first, first + got))
        assert ring.overwritten_samples == first
        return reached

    step = 0
    while scenario(step):
        step += 1
    assert step > 20


def test_a_read_at_any_moment_of_a_write_never_gives_a_torn_sample() -> None:
    def scenario(step: int) -> bool:
        ring = SampleRing(8)
        ring.write(counting(0, 8))
        out = np.zeros(8, dtype=np.int16)
        first = got = 0

        def read() -> None:
            nonlocal first, got
            got = ring.read_into(out)
            first = ring.read_samples - got

        reached = run_at_every_step(lambda: ring.write(counting(8, 5)), read, step, file="ring.py")
        assert out[:got].tolist() == list(range(first, first + got))
        return reached

    step = 0
    while scenario(step):
        step += 1
    assert step > 20


def test_two_threads_lose_nothing_when_the_reader_keeps_up() -> None:
    ring = SampleRing(1 << 16)
    blocks = 200

    def write() -> None:
        for number in range(blocks):
            ring.write(counting(number * 160, 160))

    writer = threading.Thread(target=write)
    writer.start()
    out = np.zeros(480, dtype=np.int16)
    pieces: list[int] = []
    while writer.is_alive() or ring.readable:
        pieces += out[: ring.read_into(out)].tolist()
    writer.join()
    assert pieces == counting(0, blocks * 160).tolist()


def test_the_time_of_a_block_is_found_by_any_of_its_samples() -> None:
    times = BlockTimeRing(4)
    for number in range(6):
        times.note(number * 480, 480, 1000 + number, 900 + number)
    assert times.block_of(5 * 480 + 479) == (2400, 480, 1005, 905)
    assert times.block_of(4 * 480) == (1920, 480, 1004, 904)
    assert times.block_of(2 * 480) == (960, 480, 1002, 902)
    # Two more blocks were noted than are kept.
    assert times.block_of(2 * 480 - 1) is None
