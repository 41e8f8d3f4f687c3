"""The feed to a window that is slow, stalled or gone."""

import os
import threading
from collections.abc import Iterator

import pytest

from simulator.participant.feed import PipeFeed
from simulator.participant.messages import AnyFeed, Entries, Gap, Level, Reply, Status, decode_feed
from simulator.record.entries import Direction, Entry


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """A pipe: where to read, where to write."""
    reading, writing = os.pipe()
    yield reading, writing
    for end in (reading, writing):
        try:
            os.close(end)
        except OSError:
            continue


def _entries(*numbers: int, filler: str = "") -> Entries:
    return Entries(entries=[Entry(number, 0, Direction.NOTED, "push", {"filler": filler}) for number in numbers])


def _read_all(reading: int) -> list[AnyFeed]:
    data = b""
    while part := os.read(reading, 65_536):
        data += part
    return [decode_feed(line) for line in data.splitlines()]


def test_messages_arrive_in_order(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    feed = PipeFeed(writing)
    sent: list[AnyFeed] = [Status(), _entries(0, 1), Reply(id=1), Level(t_ns=5, rms_dbfs=-20.0, peak_dbfs=-10.0)]
    for message in sent:
        feed.publish(message)
    feed.close(5)
    os.close(writing)
    assert _read_all(reading) == sent


def test_a_stalled_reader_costs_entries_that_are_named_in_one_gap(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    gaps: list[tuple[int, int]] = []
    feed = PipeFeed(writing, on_gap=lambda first, last: gaps.append((first, last)), max_waiting_bytes=200_000)
    # Nobody reads: the pipe takes 64 KiB, the feed 200,000 bytes, and publishing never waits.
    for number in range(100):
        feed.publish(_entries(number, filler="x" * 10_000))
    feed.publish(Reply(id=7))
    feed.publish(Status(engine="old"))
    feed.publish(Status(engine="new"))
    received: list[AnyFeed] = []
    reader = threading.Thread(target=lambda: received.extend(_read_all(reading)))
    reader.start()
    feed.close(5)
    os.close(writing)
    reader.join()
    numbers = [entry.seq for message in received if isinstance(message, Entries) for entry in message.entries]
    (gap,) = (message for message in received if isinstance(message, Gap))
    # What was left out is exactly what the gap names.
    assert numbers == list(range(gap.first))
    assert gap.last == 99
    assert gaps == [(gap.first, 99)]
    assert Reply(id=7) in received
    assert [message.engine for message in received if isinstance(message, Status)] == ["new"]


def test_entries_go_on_behind_the_gap(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    feed = PipeFeed(writing, max_waiting_bytes=100_000)
    for number in range(40):
        feed.publish(_entries(number, filler="x" * 10_000))
    lines = os.fdopen(reading, "rb", closefd=False)
    seen: list[AnyFeed] = [decode_feed(lines.readline())]
    number = 40
    while not any(isinstance(message, Gap) for message in seen):
        feed.publish(_entries(number))
        number += 1
        seen.append(decode_feed(lines.readline()))
    feed.publish(_entries(number))
    feed.close(5)
    os.close(writing)
    seen += [decode_feed(line) for line in lines]
    covered: list[int] = []
    for message in seen:
        if isinstance(message, Gap):
            covered += range(message.first, message.last + 1)
        elif isinstance(message, Entries):
            covered += [entry.seq for entry in message.entries]
    assert covered == list(range(number + 1))


def test_a_reader_that_never_reads_does_not_hold_up_the_end(pipe: tuple[int, int]) -> None:
    _, writing = pipe
    feed = PipeFeed(writing)
    feed.publish(_entries(0, filler="x" * 1_000_000))
    feed.close(0.1)


def test_a_reader_that_is_gone_is_no_error(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    os.close(reading)
    feed = PipeFeed(writing)
    for number in range(10):
        feed.publish(_entries(number, filler="x" * 100_000))
    feed.close(5)
