"""Records that are whole, cut or damaged."""

from pathlib import Path

import msgspec
import pytest

from simulator.errors import UnreadableFile, UnreadableRecording
from simulator.record.entries import FORMAT, Direction, Entry, Track
from simulator.record.reader import audio, iter_entries, read_record
from simulator.record.wav import track_path


def _line(seq: int) -> bytes:
    event = {"format": FORMAT, "format_version": 1} if seq == 0 else {}
    kind = "record.started" if seq == 0 else "tick"
    return msgspec.json.encode(Entry(seq, seq, Direction.NOTED, kind, event)) + b"\n"


_SPAN = b'{"track":"agent","first_sample":%d,"samples":%d,"payload_bytes":2}'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "session.jsonl"
    path.write_bytes(b"".join(map(_line, range(5))))
    return path


def test_a_whole_record_has_no_problems(path: Path) -> None:
    record = read_record(path)
    assert [entry.seq for entry in record.entries] == [0, 1, 2, 3, 4]
    assert record.problems == []


@pytest.mark.parametrize(
    ("garbage", "says"),
    [
        (b"\x00\xff garbage\n", "is no entry"),
        (b'{"seq": 5}\n', "is no entry"),
        (b"[" * 100_000 + b"\n", "is no entry"),
        (_line(7), "has the number 7 where 5 comes next"),
        (_line(5)[:-8], "was cut off in the middle"),
        (_line(5).replace(b'"t_ns":5', b'"t_ns":-1' + 400 * b"0"), "holds a time or a size that cannot be"),
        (_line(5).replace(b'"t_ns":5', b'"t_ns":%d' % (4_000_001 * 10**9)), "holds a time or a size that cannot be"),
        (_line(5).replace(b'"tick"', b'"tick","size_bytes":-1'), "holds a time or a size that cannot be"),
        (_line(5).replace(b'"tick"', b'"tick","audio":' + _SPAN % (-1, 1)), "holds a time or a size that cannot be"),
        (
            _line(5).replace(b'"tick"', b'"tick","audio":' + _SPAN % (0, 10**11)),
            "holds a time or a size that cannot be",
        ),
        (_line(5).replace(b'"tick"', b'"tick","size_bytes":%d' % (1 << 63)), "holds a time or a size that cannot be"),
    ],
)
def test_a_damaged_record_opens_up_to_the_damage_and_says_where(path: Path, garbage: bytes, says: str) -> None:
    size = path.stat().st_size
    path.write_bytes(path.read_bytes() + garbage + _line(6))
    record = read_record(path)
    assert len(record.entries) == 5
    if says == "was cut off in the middle":
        says = "is no entry"  # glued to the next line
    assert record.problems == [f"Line 6 (byte {size}) {says}: the record opens up to there."]


def test_a_last_line_cut_by_a_crash(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-4])
    record = read_record(path)
    assert len(record.entries) == 4
    assert "was cut off in the middle" in record.problems[0]


def test_what_is_no_record_at_all(tmp_path: Path) -> None:
    other = tmp_path / "photo.jsonl"
    other.write_bytes(b"\xff\xd8\xff\xe0 JFIF\n")
    with pytest.raises(UnreadableFile, match="is not a record"):
        read_record(other)
    with pytest.raises(UnreadableFile, match="cannot be read"):
        read_record(tmp_path / "missing.jsonl")
    other.write_bytes(b"")
    assert read_record(other).problems == ["The record holds no entry."]


@pytest.mark.parametrize("written", [1, 16, 17, 200])
def test_a_record_cut_off_in_its_first_line_opens_empty(path: Path, written: int) -> None:
    path.write_bytes(path.read_bytes().partition(b"\n")[0][:written])
    record = read_record(path)
    told = ["Line 1 (byte 0) was cut off in the middle: the record opens up to there.", "The record holds no entry."]
    assert (record.entries, record.problems) == ([], told)


def test_a_file_without_lines_that_begins_otherwise_is_no_record(path: Path) -> None:
    path.write_bytes(b'{"seq":1,"t_ns":0,')
    with pytest.raises(UnreadableFile, match="is not a record"):
        read_record(path)


def test_a_record_of_a_later_format_is_refused(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"format_version":1', b'"format_version":2'))
    with pytest.raises(UnreadableFile, match="format version 2"):
        read_record(path)


def test_a_range_of_entries_is_read_as_far_as_it_lies_on_disk(path: Path) -> None:
    assert [entry.seq for entry in iter_entries(path, 1, 3)] == [1, 2, 3]
    assert [entry.seq for entry in iter_entries(path, 3, 99)] == [3, 4]
    path.write_bytes(path.read_bytes() + _line(5)[:-3])
    assert [entry.seq for entry in iter_entries(path, 4, 99)] == [4]


def test_audio_that_is_not_of_a_record(path: Path) -> None:
    track_path(path, Track.AGENT).write_bytes(b"RIFF" + b"\0" * 60)
    with pytest.raises(UnreadableRecording):
        audio(path, Track.AGENT)
