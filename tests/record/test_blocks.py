"""A record read in blocks says what it says entry by entry: whatever became of its file."""

import tempfile
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.errors import UnreadableFile
from simulator.record import reader
from simulator.record.entries import FORMAT, FORMAT_VERSION, AudioSpan, Direction, Entry, Track
from simulator.record.entry_list import EntryList
from simulator.record.measures import Measures
from simulator.record.reader import blocks, stream


def _session() -> list[Entry]:
    """A session whose numbers gain digits on the way, with an onset that is found in one of many appends."""
    entries = [Entry(0, 0, Direction.NOTED, "record.started", {"format": FORMAT, "format_version": FORMAT_VERSION})]

    def add(direction: Direction, kind: str, event: Mapping[str, object], audio: AudioSpan | None = None) -> None:
        seq = len(entries)
        entries.append(Entry(seq, seq * 19_999_983, direction, kind, dict(event), 1_349 if audio else 80, audio))

    for number in range(130):
        event = {"type": "input_audio_buffer.append", "event_id": f"event_{number}", "audio": ""}
        span = AudioSpan(Track.PARTICIPANT, 480 * number, 480, 960)
        add(Direction.SENT, "input_audio_buffer.append", event, span)
        if number == 20:
            add(Direction.NOTED, "recording.started", {"first_sample": 480 * 22, "onset_ms": 1_111})
        if number == 90:
            add(Direction.RECEIVED, "input_audio_buffer.speech_started", {"item_id": "item_1", "audio_start_ms": 9})
        if number >= 100 and number % 3 == 0:
            delta = {"event_id": f"event_x{number}", "item_id": "item_2", "response_id": "resp_1", "delta": ""}
            piece = AudioSpan(Track.AGENT, 2_400 * number, 2_400, 4_800)
            add(Direction.RECEIVED, "response.output_audio.delta", delta, piece)
    add(Direction.RECEIVED, "response.created", {"response": {"id": "resp_2"}})
    add(Direction.NOTED, "playback.started", {"item_id": "item_3", "handed_ns": 9})
    items: list[object] = ["item_3"] * 6 + ["item_4", "item_3", 7, ["item_3"], None, "item_3", "item_3", "item_5"]
    for number, item in enumerate(items):
        ids: dict[str, object] = {"event_id": f"event_y{number}", "item_id": item, "delta": ""}
        ids["response_id"] = f"resp_{2 + number // 5}"
        piece = AudioSpan(Track.AGENT, 2_400 * number, 2_400, 4_800)
        add(
            Direction.RECEIVED,
            "response.output_audio.delta",
            ids | {"response_id": f"resp_{2 + number // 5}"},
            None if number in (2, 12) else piece,
        )
        if number == 4:
            cut = {"item_id": "item_3", "handed_samples": 2_000, "received_samples": 9_600, "cut_ns": 10}
            add(Direction.NOTED, "playback.cut", cut)
        if number in (1, 5, 8):
            said = {"item_id": "item_3", "response_id": "resp_2", "delta": "word "}
            add(Direction.RECEIVED, "response.output_audio_transcript.delta", said)
    add(Direction.NOTED, "record.ended", {"reason": "asked"})
    return entries


ENTRIES = _session()
LINES = b"".join(msgspec.json.encode(entry) + b"\n" for entry in ENTRIES)


def _whole(data: bytes, block_bytes: int) -> tuple[object, ...]:
    """What a file says in blocks: entries, problems and measures, or why it cannot be read."""
    problems: list[str] = []
    entries, measures = EntryList(), Measures()
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "_BLOCK_BYTES", block_bytes)
        path = Path(folder) / "session.jsonl"
        path.write_bytes(data)
        try:
            for block in blocks(path, problems):
                entries.extend_block(block)
                measures.feed_block(block)
        except UnreadableFile as error:
            return str(error).replace(folder, ""), problems
    return list(entries), problems, measures.turns, measures.latencies, measures.heard, measures.revision > 0


def _one_by_one(data: bytes) -> tuple[object, ...]:
    problems: list[str] = []
    entries: list[Entry] = []
    measures = Measures()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "session.jsonl"
        path.write_bytes(data)
        try:
            for entry in stream(path, problems):
                entries.append(entry)
                measures.feed(entry)
        except UnreadableFile as error:
            return str(error).replace(folder, ""), problems
    return entries, problems, measures.turns, measures.latencies, measures.heard, measures.revision > 0


def _changed(data: bytes, changes: list[tuple[float, bytes, int]]) -> bytes:
    for share, new, removed in changes:
        place = int(share * len(data))
        data = data[:place] + new + data[place + removed :]
    return data


def test_a_whole_session_is_the_same_in_blocks_of_any_size() -> None:
    assert list(_one_by_one(LINES)[0]) == ENTRIES  # type: ignore[call-overload]
    assert [latency.name for latency in _one_by_one(LINES)[3]] == ["onset_delay"]  # type: ignore[attr-defined]
    for block_bytes in (1, 300, 5_000, 20_000, 1 << 20):
        assert _whole(LINES, block_bytes) == _one_by_one(LINES)


def test_most_appends_are_read_without_an_entry(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(LINES)
    (block,) = blocks(path, [])
    assert block.lines == len(ENTRIES)
    assert len(block.appends) > 100
    assert [block.appends.entry(index) for index in range(len(block.appends))] == [
        ENTRIES[place] for place in block.appends.places
    ]


_PIECES = st.sampled_from(
    [b"", b"0", b"7", b"-", b"\n", b'"', b"\\", b" ", b"}", b"00", b"\xff", b"e", b"99999999999999"]
)


@settings(max_examples=150)
@given(
    st.lists(st.tuples(st.floats(0, 1, exclude_max=True), _PIECES, st.integers(0, 3)), min_size=1, max_size=4),
    st.sampled_from([4_000, 1 << 20]),
)
def test_a_damaged_file_says_the_same_in_blocks(changes: list[tuple[float, bytes, int]], block_bytes: int) -> None:
    data = _changed(LINES, changes)
    assert _whole(data, block_bytes) == _one_by_one(data)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"seq":60,', b'"seq":060,'),
        (b'"seq":60,', b'"seq":61,'),
        (b'"first_sample":28320', b'"first_sample":0028320'),
        (b'"event_59"', b'"event_059"'),
        (b'"samples":480', b'"samples":99999999999'),
        (b'"samples":480', b'"samples":-48'),
        (b'"event_59"', b'"event_99999999999999999999"'),
        (b'"size_bytes":1349', b'"size_bytes":99999999999999999999'),
        (b'"track":"participant"', b'"track":"agent"'),
        (b'"audio":""}', b'"audio":"x"}'),
        (b'"sent"', b'"noted"'),
    ],
)
def test_a_line_that_differs_in_one_thing(old: bytes, new: bytes) -> None:
    begin = LINES.index(b'{"seq":60,')
    data = LINES[:begin] + LINES[begin:].replace(old, new, 1)
    assert data != LINES
    assert _whole(data, 1 << 20) == _one_by_one(data)
