"""Measures of entries written by hand, with values worked out by hand."""

import sys
from typing import Any

from simulator.record.entries import AudioSpan, Direction, Entry, Track
from simulator.record.measures import AgentSpan, BargeIn, Latency, Mark, Measures, Push, ResponseSpan, SpeechSpan, Turn

MS = 1_000_000


class Script:
    """Feeds entries to measures: times in ms, numbered as they come."""

    def __init__(self) -> None:
        self.measures = Measures()
        self.seq = 0

    def _feed(self, at_ms: float, direction: Direction, kind: str, audio: AudioSpan | None, event: Any) -> int:
        self.measures.feed(Entry(self.seq, int(at_ms * MS), direction, kind, event, audio=audio))
        self.seq += 1
        return self.seq - 1

    def received(self, at_ms: float, kind: str, /, audio: AudioSpan | None = None, **event: Any) -> int:
        return self._feed(at_ms, Direction.RECEIVED, kind, audio, event)

    def sent(self, at_ms: float, kind: str, /, audio: AudioSpan | None = None, **event: Any) -> int:
        return self._feed(at_ms, Direction.SENT, kind, audio, event)

    def noted(self, at_ms: float, kind: str, /, **event: Any) -> int:
        return self._feed(at_ms, Direction.NOTED, kind, None, event)

    def delta(self, at_ms: float, item_id: str, first: int, samples: int, response_id: str = "r1") -> int:
        span = AudioSpan(Track.AGENT, first, samples, 2 * samples)
        return self.received(
            at_ms, "response.output_audio.delta", span, item_id=item_id, response_id=response_id, delta=""
        )


def _turn_and_reply(script: Script) -> None:
    script.received(1_000, "input_audio_buffer.speech_started", audio_start_ms=700, item_id="u1")
    script.received(3_000, "input_audio_buffer.speech_stopped", audio_end_ms=2_900, item_id="u1")
    script.received(3_010, "input_audio_buffer.committed", item_id="u1")
    script.received(3_040, "response.created", response={"id": "r1"})
    script.delta(3_110, "a1", 0, 24_000)
    script.received(3_120, "response.output_audio_transcript.delta", item_id="a1", response_id="r1", delta="Well, ")
    script.received(
        3_130, "response.output_audio_transcript.done", item_id="a1", response_id="r1", transcript="Well, coffee then."
    )
    script.delta(3_140, "a1", 24_000, 24_000)


def test_a_turn_and_its_reply() -> None:
    script = Script()
    _turn_and_reply(script)
    script.received(3_200, "response.done", response={"id": "r1", "status": "completed"})
    script.received(
        3_300, "conversation.item.input_audio_transcription.completed", item_id="u1", transcript="Coffee or tea?"
    )
    measures = script.measures
    assert measures.speech_spans == [SpeechSpan("u1", 1_000 * MS, 3_000 * MS, 700, 2_900, 0)]
    assert measures.responses == [ResponseSpan("r1", 3_040 * MS, 3_200 * MS, "completed", None, 3)]
    assert measures.latencies == [
        Latency("response_start", "speech_stopped", "response.created", 40.0, 1, 3),
        Latency("first_audio", "committed", "first audio delta", 100.0, 2, 4),
    ]
    assert measures.turns == [
        Turn("participant", "u1", "Coffee or tea?", 1_000 * MS, 0),
        Turn("agent", "a1", "Well, coffee then.", 3_110 * MS, 4, None, None, 2_000.0),
    ]


def test_a_reply_cut_by_a_barge_in() -> None:
    script = Script()
    _turn_and_reply(script)
    script.noted(3_150, "playback.started", item_id="a1", response_id="r1", handed_ns=3_149 * MS, dac_ns=3_190 * MS)
    assert script.measures.heard == [AgentSpan("a1", 3_149 * MS, None, 0, 48_000, False, 8)]
    started = script.received(4_100, "input_audio_buffer.speech_started", audio_start_ms=3_800, item_id="u2")
    script.noted(
        4_102,
        "playback.cut",
        item_id="a1",
        response_id="r1",
        handed_samples=24_000,
        received_samples=48_000,
        begun=True,
        cut_ns=4_101 * MS,
        cause="speech_started",
    )
    barge_in = script.noted(
        4_120,
        "barge_in",
        speech_started_seq=started,
        received_ns=4_100 * MS,
        cut_ns=4_101 * MS,
        last_sound_handed_ns=4_112 * MS,
        inaudible_ns=4_150 * MS,
        dac_source="dac",
        item_id="a1",
    )
    details = {"type": "cancelled", "reason": "turn_detected"}
    script.received(4_130, "response.done", response={"id": "r1", "status": "cancelled", "status_details": details})
    measures = script.measures
    assert measures.heard == [AgentSpan("a1", 3_149 * MS, 4_101 * MS, 24_000, 48_000, True, 8)]
    assert measures.barge_ins == [BargeIn(4_100 * MS, 4_101 * MS, 4_112 * MS, 4_150 * MS, "dac", "a1", barge_in)]
    assert measures.latencies[-1] == Latency(
        "barge_in_stop", "speech_started", "last sound handed over", 12.0, started, barge_in
    )
    assert measures.responses[0].reason == "turn_detected"
    # Half of 18 characters is 9, inside "coffee": the last whole word before it is "Well,".
    assert measures.turns[1] == Turn("agent", "a1", "Well, coffee then.", 3_110 * MS, 4, "Well,", 1_000.0, 2_000.0)


def test_an_item_that_was_queued_and_never_begun_was_not_heard() -> None:
    script = Script()
    script.delta(100, "a1", 0, 4_800)
    script.noted(
        200, "playback.cut", item_id="a1", handed_samples=0, received_samples=4_800, begun=False, cut_ns=199 * MS
    )
    assert script.measures.heard == [AgentSpan("a1", 199 * MS, 199 * MS, 0, 4_800, True, 1)]
    assert script.measures.turns[0].heard_text == ""


def test_an_item_heard_to_its_end() -> None:
    script = Script()
    script.delta(100, "a1", 0, 4_800)
    script.noted(110, "playback.started", item_id="a1", handed_ns=109 * MS)
    script.noted(320, "playback.ended", item_id="a1", handed_samples=4_800, received_samples=4_800, handed_ns=309 * MS)
    assert script.measures.heard == [AgentSpan("a1", 109 * MS, 309 * MS, 4_800, 4_800, False, 1)]
    assert script.measures.turns[0].heard_ms == 200.0


def test_onset_delay_counts_from_the_chunk_that_carried_the_onset() -> None:
    script = Script()
    script.noted(0, "recording.started", name="stop", first_sample=960, samples=24_000, onset_ms=30)
    # The onset is sample 960 + 720 = 1680: in the fourth chunk of 480.
    seqs = [
        script.sent(20 * n, "input_audio_buffer.append", AudioSpan(Track.PARTICIPANT, 480 * n, 480, 960))
        for n in range(8)
    ]
    started = script.received(300, "input_audio_buffer.speech_started", audio_start_ms=0, item_id="u1")
    assert script.measures.latencies == [
        Latency("onset_delay", "onset of speech", "speech_started", 240.0, seqs[3], started)
    ]


def test_a_reply_that_we_asked_for_is_no_latency_of_the_engine() -> None:
    script = Script()
    script.received(3_000, "input_audio_buffer.speech_stopped", audio_end_ms=2_900, item_id="u1")
    script.sent(3_001, "response.create", event_id="e1")
    script.sent(3_002, "response.create", event_id="e2")
    script.received(3_003, "error", error={"event_id": "e2", "message": "one at a time"})
    script.received(3_010, "response.created", response={"id": "r1"})
    assert script.measures.latencies == []
    script.received(3_020, "response.created", response={"id": "r2"})
    assert [latency.value_ms for latency in script.measures.latencies] == [20.0]


def test_a_commit_in_mid_speech_ends_the_turn_and_listening_off_is_a_band() -> None:
    script = Script()
    script.received(1_000, "input_audio_buffer.speech_started", audio_start_ms=700, item_id="u1")
    script.noted(2_000, "listening.off", in_speech=True)
    script.received(2_050, "input_audio_buffer.committed", item_id="u1")
    script.noted(5_000, "listening.on")
    script.noted(6_000, "listening.off", in_speech=False)
    assert script.measures.speech_spans == [SpeechSpan("u1", 1_000 * MS, 2_050 * MS, 700, None, 0)]
    assert script.measures.listening_off == [(2_000 * MS, 5_000 * MS), (6_000 * MS, None)]


def test_the_end_of_the_connection_closes_what_is_open() -> None:
    script = Script()
    script.received(1_000, "input_audio_buffer.speech_started", audio_start_ms=700, item_id="u1")
    script.received(1_100, "response.created", response={"id": "r1"})
    script.noted(1_200, "playback.started", item_id="a1", handed_ns=1_199 * MS)
    script.noted(1_300, "listening.off", in_speech=True)
    script.noted(2_000, "connection.closed", code=1006, reason="", by="lost")
    measures = script.measures
    assert measures.speech_spans[0].stopped_ns == 2_000 * MS
    assert measures.responses == [ResponseSpan("r1", 1_100 * MS, 2_000 * MS, None, None, 1)]
    assert measures.heard[0].ended_ns == 2_000 * MS
    assert measures.listening_off == [(1_300 * MS, 2_000 * MS)]


def test_pushes_are_marks_and_paragraphs() -> None:
    script = Script()
    timer = {"event": "timer", "secondsLeft": 30}
    typed = {"event": "typed", "speaker": "Alex", "said": "hello?"}
    script.noted(10, "push", context=timer, images=[], seq_sent=4)
    script.noted(20, "push", context=typed, images=[], seq_sent=6)
    assert script.measures.pushes == [Push(10 * MS, 4, "timer", timer), Push(20 * MS, 6, "typed", typed)]
    assert [(turn.who, turn.text) for turn in script.measures.turns] == [
        ("study", "timer: 30 s left"),
        ("typed", "hello?"),
    ]


def test_a_chat_line_of_the_agent_is_a_turn_of_its_own() -> None:
    script = Script()
    script.noted(10, "chat.sent", message="brb", call_id="call_1")
    assert [(turn.who, turn.text, turn.t_ns) for turn in script.measures.turns] == [("agent typed", "brb", 10 * MS)]


def test_a_note_that_is_typed_after_the_mark_lies_at_the_mark() -> None:
    script = Script()
    first = script.noted(10, "mark", note="")
    second = script.noted(20, "mark", note="loud")
    script.noted(900, "mark.note", mark=first, note="she laughs")
    script.noted(950, "mark.note", mark=77, note="of no mark")
    assert script.measures.marks == [Mark(10 * MS, "she laughs", first), Mark(20 * MS, "loud", second)]
    assert [(turn.who, turn.text, turn.t_ns) for turn in script.measures.turns] == [
        ("mark", "she laughs", 10 * MS),
        ("mark", "loud", 20 * MS),
    ]


def test_events_without_their_fields_are_taken_as_far_as_they_go() -> None:
    script = Script()
    kinds = [kind for _, kind in script.measures._steps]
    for direction in Direction:
        for kind in kinds:
            for event in ({}, {"item_id": 5, "response": [], "error": 3, "context": "x", "delta": None}):
                script.measures.feed(Entry(0, 0, direction, kind, dict(event)))
    assert script.measures.heard == []
    assert script.measures.barge_ins == []
    assert script.measures.pushes == []
    # A turn and a response that have no id are still a turn and a response.
    assert [span.item_id for span in script.measures.speech_spans] == ["speech 0", "speech 0"]
    assert [span.response_id for span in script.measures.responses] == ["response 0", "response 0"]


def test_the_work_of_an_entry_does_not_grow_with_the_record() -> None:
    """Counted in function calls rather than in time: the second half of a long session costs what the first did."""
    script, calls = Script(), 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    def hundred_turns(start: int) -> None:
        for number in range(start, start + 100):
            user, agent, response = f"u{number}", f"a{number}", f"r{number}"
            script.received(number, "input_audio_buffer.speech_started", audio_start_ms=0, item_id=user)
            script.received(number, "input_audio_buffer.committed", item_id=user)
            script.received(number, "response.created", response={"id": response})
            for part in range(20):
                script.delta(number, agent, part * 480, 480, response)
            script.received(number, "response.done", response={"id": response, "status": "completed"})

    costs = []
    for block in range(20):
        calls = 0
        sys.setprofile(count)
        hundred_turns(block * 100)
        sys.setprofile(None)
        costs.append(calls)
    assert max(costs[1:]) <= costs[0] * 1.05
    assert script.seq == 48_000 == len(script.measures.turns) * 12


def test_words_recognised_here_stay_apart_from_the_engine_s() -> None:
    script = Script()
    script.received(1_000, "input_audio_buffer.speech_started", item_id="u1")
    script.noted(1_900, "recognised", item_id="u1", text="Coffee or tree?", model="tiny.en", ms=90.0)
    (turn,) = script.measures.turns
    assert (turn.text, turn.recognised, turn.recogniser) == ("", "Coffee or tree?", "tiny.en")
    script.received(
        2_000, "conversation.item.input_audio_transcription.completed", item_id="u1", transcript="Coffee or tea?"
    )
    (turn,) = script.measures.turns
    assert (turn.text, turn.recognised) == ("Coffee or tea?", "Coffee or tree?")
    revision = script.measures.revision
    script.noted(2_100, "recognised", item_id="u1", error="The recogniser failed at a turn: its words are missing.")
    script.noted(2_200, "recognised", item_id="unknown", text="Hello.", model="tiny.en")
    assert script.measures.revision == revision
