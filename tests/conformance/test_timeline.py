"""The picture of a record: where each voice lies in time, and what of the agent's was never heard."""

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from simulator.conformance.timeline import LONGEST_PICTURE_S, MOST_MARKS, Timeline, timeline_of
from simulator.conformance.timeline_svg import svg
from simulator.record.reader import read_record
from tests.conformance.reports import write_record
from tests.conformance.sheets import MS, SAMPLES_PER_MS, Sheet, opened


def timeline(sheet: Sheet, folder: Path) -> Timeline | None:
    write_record(sheet, folder / "run.jsonl")
    return timeline_of(read_record(folder / "run.jsonl"))


def drawn(sheet: Sheet, folder: Path) -> Timeline:
    found = timeline(sheet, folder)
    assert found is not None
    return found


def sounding_ms(samples: NDArray[np.int16]) -> list[tuple[int, int]]:
    """Return from which to which ms there is sound, in blocks of 10 ms."""
    block = 10 * SAMPLES_PER_MS
    loud = np.abs(samples[: len(samples) // block * block].reshape(-1, block)).max(axis=1) > 0
    edges = np.flatnonzero(np.diff(np.concatenate(([0], loud.astype(int), [0]))))
    return [(int(start) * 10, int(end) * 10) for start, end in edges.reshape(-1, 2)]


def test_the_agents_voice_lies_where_it_is_played(tmp_path: Path) -> None:
    sheet = opened("barge_in", "server_vad")
    sheet.delta(1_000, "r1", "a1", 500)
    sheet.delta(1_010, "r1", "a1", 300)  # waits until the first was played
    sheet.delta(2_500, "r1", "a1", 200)  # comes when nothing plays any more
    sheet.end(4_000)
    found = drawn(sheet, tmp_path)
    assert sounding_ms(found.heard) == [(1_000, 1_800), (2_500, 2_700)]
    assert not found.unheard.any()
    assert not found.is_silent


def test_what_was_cut_or_came_too_late_was_never_heard(tmp_path: Path) -> None:
    sheet = opened("barge_in", "server_vad")
    sheet.delta(1_000, "r1", "a1", 2_000)
    sheet.received(1_500, "input_audio_buffer.speech_started", audio_start_ms=0, item_id="u1")
    sheet.delta(1_600, "r1", "a1", 400)
    sheet.delta(3_600, "r2", "a2", 300)
    sheet.end(5_000)
    found = drawn(sheet, tmp_path)
    assert sounding_ms(found.heard) == [(1_000, 1_500), (3_600, 3_900)]
    assert sounding_ms(found.unheard) == [(1_500, 3_400)]


def test_a_cancel_of_ours_cuts_and_speech_in_silence_does_not(tmp_path: Path) -> None:
    sheet = opened("cancel", None)
    sheet.delta(1_000, "r1", "a1", 200)
    sheet.received(1_500, "input_audio_buffer.speech_started", audio_start_ms=0, item_id="u1")
    sheet.delta(1_600, "r1", "a1", 400)
    sheet.sent(1_800, "response.cancel")
    sheet.end(3_000)
    found = drawn(sheet, tmp_path)
    assert sounding_ms(found.heard) == [(1_000, 1_200), (1_600, 1_800)]
    assert sounding_ms(found.unheard) == [(1_800, 2_000)]


def test_speech_ends_where_the_stream_stops(tmp_path: Path) -> None:
    sheet = opened("listening_pause", "server_vad")
    sheet.stream(0, 2_000)
    sheet.utterance(900, "monologue", onset_ms=1_000, offset_ms=3_000)
    sheet.sent(2_000, "session.update", session={"audio": {"input": {"turn_detection": None}}})
    sheet.sent(3_500, "session.update", session={"audio": {"input": {"turn_detection": {"type": "server_vad"}}}})
    sheet.stream(4_000, 6_000)
    sheet.end(6_000)
    found = drawn(sheet, tmp_path)
    assert found.spoken == [(1_000 * MS, 2_000 * MS)]
    assert found.listening_off == [(2_000 * MS, 3_500 * MS)]


def test_a_record_without_a_clock_has_no_picture(tmp_path: Path) -> None:
    sheet = opened("handshake", None)
    sheet.end(LONGEST_PICTURE_S * 1_000 + 1)
    assert timeline(sheet, tmp_path) is None


def test_marks_are_bounded_and_labels_stay_inside(tmp_path: Path) -> None:
    sheet = opened("handshake", None)
    for number in range(500):
        sheet.received(100 + number, "error", error={"message": "no"})
    sheet.end(620)
    found = drawn(sheet, tmp_path)
    assert len(found.marks) == MOST_MARKS
    root = ElementTree.fromstring(svg(found, "A <picture> & more"))
    left, top, width, height = (float(number) for number in root.get("viewBox", "").split())
    for label in root.iter("text"):
        assert left <= float(label.get("x", "")) <= left + width
        assert top <= float(label.get("y", "")) <= top + height
