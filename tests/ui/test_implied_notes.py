"""What a check's record shows though it has no notes of playback or listening, with times worked out by hand."""

from typing import Any

from simulator.record.entries import AudioSpan, Direction, Entry, Track
from ui.models.implied_notes import ImpliedNotes, Played
from ui.record_view import RecordView
from ui.widgets.agent_lane import barge_in_text, barge_in_tip

MS = 1_000_000
SECOND = 24_000


class CheckRecord:
    """A check's record, written by hand: times in ms."""

    def __init__(self) -> None:
        self.implied = ImpliedNotes()
        self.view = RecordView("check", None, self.implied)

    def add(self, at_ms: int, direction: Direction, kind: str, audio: AudioSpan | None = None, **event: Any) -> None:
        seq = len(self.view.entries)
        self.view.add([Entry(seq, at_ms * MS, direction, kind, event, 9, audio)])

    def received(self, at_ms: int, kind: str, **event: Any) -> None:
        self.add(at_ms, Direction.RECEIVED, kind, **event)

    def sent(self, at_ms: int, kind: str, **event: Any) -> None:
        self.add(at_ms, Direction.SENT, kind, **event)

    def delta(self, at_ms: int, item_id: str, first: int, samples: int) -> None:
        span = AudioSpan(Track.AGENT, first, samples, 2 * samples)
        ids = {"item_id": item_id, "response_id": f"of {item_id}"}
        self.add(at_ms, Direction.RECEIVED, "response.output_audio.delta", span, **ids)

    def end(self, at_ms: int) -> None:
        self.add(at_ms, Direction.NOTED, "record.ended")


def test_an_interrupted_reply_was_heard_to_where_it_was_truncated() -> None:
    record = CheckRecord()
    record.delta(1_000, "a", 0, 2 * SECOND)
    record.received(1_500, "input_audio_buffer.speech_started", item_id="u", audio_start_ms=1_200)
    record.sent(1_501, "conversation.item.truncate", item_id="a", content_index=0, audio_end_ms=497)
    record.delta(1_510, "a", 2 * SECOND, SECOND)
    record.end(9_000)
    (heard,) = record.view.measures.heard
    assert (heard.started_ns, heard.ended_ns, heard.cut) == (1_000 * MS, 1_500 * MS, True)
    # What came after the cut was never heard either.
    assert (heard.handed_samples, heard.received_samples) == (497 * 24, 3 * SECOND)
    assert record.implied.played == [Played(1_000 * MS, 0, SECOND // 2)]
    (barge_in,) = record.view.measures.barge_ins
    assert (barge_in.received_ns, barge_in.item_id, barge_in.seq) == (1_500 * MS, "a", 1)
    assert barge_in_text(barge_in) == "✕ interrupted"
    assert "there was no loudspeaker" in barge_in_tip(barge_in)
    assert record.view.measures.latencies == []
    assert [entry.type for entry in record.view.entries].count("barge_in") == 0


def test_a_cancelled_reply_was_heard_as_far_as_the_clock_says() -> None:
    record = CheckRecord()
    record.delta(1_000, "a", 0, SECOND)
    record.delta(1_100, "b", SECOND, SECOND)
    record.sent(1_250, "response.cancel")
    record.end(9_000)
    first, second = record.view.measures.heard
    assert (first.item_id, first.handed_samples, first.ended_ns) == ("a", 6_000, 1_250 * MS)
    assert (second.item_id, second.handed_samples, second.received_samples, second.cut) == ("b", 0, SECOND, True)
    assert record.view.measures.barge_ins == []


def test_a_reply_that_nobody_interrupts_is_heard_whole_and_speech_after_it_cuts_nothing() -> None:
    record = CheckRecord()
    record.delta(1_000, "a", 0, SECOND)
    record.delta(1_200, "b", SECOND, SECOND)
    record.received(3_500, "input_audio_buffer.speech_started", item_id="u")
    record.sent(3_500, "conversation.item.truncate", item_id="b", audio_end_ms=1_000)
    record.end(9_000)
    spans = [(each.item_id, each.started_ns // MS, each.ended_ns, each.cut) for each in record.view.measures.heard]
    assert spans == [("a", 1_000, 2_000 * MS, False), ("b", 2_000, 3_000 * MS, False)]
    assert [each.handed_samples for each in record.view.measures.heard] == [SECOND, SECOND]
    assert record.view.measures.barge_ins == []


def test_listening_is_off_while_turn_detection_is() -> None:
    record = CheckRecord()
    for at_ms, mode in ((10, {"type": "server_vad"}), (1_000, None), (1_500, None), (3_000, {"type": "server_vad"})):
        record.sent(at_ms, "session.update", session={"audio": {"input": {"turn_detection": mode}}})
    record.sent(4_000, "session.update", session={"instructions": "Be brief."})
    record.end(9_000)
    assert record.view.measures.listening_off == [(1_000 * MS, 3_000 * MS)]


def test_a_truncation_beyond_either_end_stays_within_what_was_received() -> None:
    for told_ms, samples in ((-5, 0), (60_000, SECOND)):
        record = CheckRecord()
        record.delta(1_000, "a", 0, SECOND)
        record.sent(1_500, "conversation.item.truncate", item_id="a", audio_end_ms=told_ms)
        assert [each.handed_samples for each in record.view.measures.heard] == [samples]
