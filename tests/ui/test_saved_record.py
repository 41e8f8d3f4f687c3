"""An ended record in the window: its entries, and its sound at the times at which it was said and heard."""

from pathlib import Path

import msgspec
import numpy as np
import pytest

from simulator.errors import UnreadableFile
from simulator.record.entries import FORMAT, FORMAT_VERSION, AudioSpan, Direction, Entry, Track
from simulator.record.writer import RecordWriter
from simulator.units import NS_PER_S, SAMPLE_RATE_HZ
from ui.saved_record import load_view

LOUD = np.full(SAMPLE_RATE_HZ // 2, 16_000, dtype=np.int16)


def write(
    path: Path, entries: list[Entry], tracks: dict[Track, "np.ndarray[tuple[int, ...], np.dtype[np.int16]]"]
) -> None:
    writer = RecordWriter(path, on_fault=lambda fault: pytest.fail(str(fault)))
    for entry in entries:
        writer.append(entry)
    for track, samples in tracks.items():
        writer.write_audio(track, samples)
    writer.close()


def started() -> Entry:
    event = {"format": FORMAT, "format_version": FORMAT_VERSION}
    return Entry(0, 0, Direction.NOTED, "record.started", event)


def loud_at(lane: object, second: float) -> bool:
    first = int(second * SAMPLE_RATE_HZ)
    return bool(lane.query(first, first + 64, 1)[1][0] > 0)  # type: ignore[attr-defined]


def test_a_checks_audio_lies_where_it_was_sent_and_where_it_would_have_been_heard(tmp_path: Path) -> None:
    path = tmp_path / "barge_in.jsonl"
    half = len(LOUD)
    entries = [
        started(),
        Entry(
            1,
            2 * NS_PER_S,
            Direction.SENT,
            "input_audio_buffer.append",
            {},
            9,
            AudioSpan(Track.PARTICIPANT, 0, half, 0),
        ),
        Entry(
            2,
            3 * NS_PER_S,
            Direction.RECEIVED,
            "response.output_audio.delta",
            {},
            9,
            AudioSpan(Track.AGENT, 0, half, 0),
        ),
        Entry(
            3,
            3 * NS_PER_S,
            Direction.RECEIVED,
            "response.output_audio.delta",
            {},
            9,
            AudioSpan(Track.AGENT, half, half, 0),
        ),
    ]
    write(path, entries, {Track.PARTICIPANT: LOUD, Track.AGENT: np.concatenate([LOUD, LOUD])})
    view = load_view(path, "barge_in · server_vad")
    assert (view.title, len(view.entries), view.now_ns) == ("barge_in · server_vad", 4, 3 * NS_PER_S)
    participant, agent = view.lanes["participant"], view.lanes["agent"]
    assert [loud_at(participant, second) for second in (1.4, 1.6, 1.9, 2.1)] == [False, True, True, False]
    # Both pieces came at once; a loudspeaker plays the second behind the first.
    assert [loud_at(agent, second) for second in (2.9, 3.1, 3.9, 4.1)] == [False, True, True, False]


def test_a_live_sessions_audio_is_on_its_clock(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    quiet = np.zeros_like(LOUD)
    heard = np.stack([np.concatenate([quiet, LOUD]), np.concatenate([LOUD, quiet])], axis=1)
    write(path, [started()], {Track.HEARD: heard})
    view = load_view(path, "session")
    assert [loud_at(view.lanes["participant"], second) for second in (0.2, 0.7)] == [False, True]
    assert [loud_at(view.lanes["agent"], second) for second in (0.2, 0.7)] == [True, False]


def test_a_record_that_does_not_exist_is_told(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="cannot be read"):
        load_view(tmp_path / "none.jsonl", "none")


def test_garbage_opens_up_to_the_garbage(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(msgspec.json.encode(started()) + b"\n\x00\x00garbage\n")
    assert [entry.type for entry in load_view(path, "x").entries] == ["record.started"]
