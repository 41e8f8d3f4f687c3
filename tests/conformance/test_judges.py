"""Judges on records written by hand: both sides of every limit, and what must change no verdict."""

from collections.abc import Callable

import pytest

from simulator.conformance.check import Judgement, Verdict
from simulator.conformance.checks import discover
from simulator.conformance.judging import judge
from simulator.record.fields import text
from tests.conformance.sheets import FORMAT, GOOD, Sheet, good_barge_in, good_engine_turn, good_handshake

CHECKS = discover()


def judged(sheet: Sheet, problems: tuple[str, ...] = ()) -> Judgement:
    entries = sheet.entries()
    check = CHECKS[str(text(entries[0], "check"))]
    mode = entries[0].event["turn_detection"]
    return judge(check, mode, entries, problems)


def failed(sheet: Sheet, *words: str) -> None:
    judgement = judged(sheet)
    assert judgement.verdict is Verdict.FAILED, judgement
    for word in words:
        assert any(word in reason for reason in judgement.reasons), judgement.reasons


def passed(sheet: Sheet) -> Judgement:
    judgement = judged(sheet)
    assert (judgement.verdict, judgement.reasons) == (Verdict.PASSED, [])
    return judgement


def inconclusive(sheet: Sheet, word: str, *, retry: bool) -> None:
    judgement = judged(sheet)
    assert judgement.verdict is Verdict.INCONCLUSIVE, judgement
    assert any(word in reason for reason in judgement.reasons), judgement.reasons
    assert judgement.worth_retrying is retry


def measured(judgement: Judgement, name: str) -> float:
    return next(each.value for each in judgement.measurements if each.name == name)


@pytest.mark.parametrize("good", GOOD.values(), ids=GOOD)
def test_a_good_record_passes_without_a_word(good: Callable[[], Sheet]) -> None:
    assert passed(good()).warnings == []


# handshake


def _formats(**audio: object) -> dict[str, object]:
    return {"session": {"audio": {"input": {"format": FORMAT}, "output": {"format": FORMAT}} | audio}}


@pytest.mark.parametrize(
    ("audio", "word"),
    [
        ({"input": {"format": {"type": "audio/pcm"}}}, "session.audio.input.format.rate is None"),
        ({"output": {"format": {"type": "audio/pcm", "rate": 16000}}}, "session.audio.output.format.rate is 16000"),
        ({"output": {"format": {"type": "audio/pcmu", "rate": 24000}}}, "'audio/pcmu'"),
        ({"input": "pcm16"}, "session.audio.input.format.type is None"),
    ],
)
def test_handshake_fails_on_another_format(audio: dict[str, object], word: str) -> None:
    sheet = good_handshake()
    sheet.edit("session.updated", **_formats(**audio))
    failed(sheet, word)


def test_handshake_takes_the_rate_by_value() -> None:
    sheet = good_handshake()
    sheet.edit("session.updated", **_formats(input={"format": {"type": "audio/pcm", "rate": 24000.0}}))
    passed(sheet)


def test_handshake_does_not_count_an_answer_from_before_the_update() -> None:
    sheet = good_handshake()
    sheet.move("session.updated", 1.5)
    sheet.move("drive.ended", 20_000)
    failed(sheet, "No session.updated for the update that opens the session came within 15000 ms")


def test_handshake_without_an_answer() -> None:
    sheet = good_handshake()
    sheet.drop("session.updated")
    inconclusive(sheet, "before the record ended", retry=True)
    sheet.received(6, "error", error={"event_id": "update", "message": "no such voice"})
    failed(sheet, "The engine refused the update that opens the session", "no such voice")


def test_a_silent_start_is_worth_a_warning() -> None:
    sheet = good_handshake()
    sheet.drop("session.created")
    assert passed(sheet).warnings == ["The engine never sent session.created."]


# engine_turn: the onset leaves at 2,010 ms, sample 2,000 ms


@pytest.mark.parametrize(("at_ms", "ok"), [(2_011, True), (3_010, True), (3_011, False)])
def test_speech_started_within_a_second_of_the_onset(at_ms: float, ok: bool) -> None:
    sheet = good_engine_turn()
    sheet.move("input_audio_buffer.speech_started", at_ms)
    if ok:
        assert measured(passed(sheet), "onset to speech_started") == at_ms - 2_010
    else:
        failed(sheet, "1001 ms after the onset of speech, 1000 at most")


def test_speech_started_before_any_speech() -> None:
    sheet = good_engine_turn()
    sheet.received(1_500, "input_audio_buffer.speech_started", label="early", audio_start_ms=1_200, item_id="u0")
    failed(sheet, "came without speech")


def test_speech_started_in_the_silence_after_the_speech() -> None:
    sheet = good_engine_turn()
    sheet.received(5_250, "input_audio_buffer.speech_started", label="late", audio_start_ms=5_000, item_id="u2")
    failed(sheet, "3240 ms after the onset")


def test_a_turn_split_at_a_pause_inside_the_recording_is_judged_by_that_pause() -> None:
    sheet = good_engine_turn()
    sheet.received(3_900, "input_audio_buffer.speech_started", label="again", audio_start_ms=3_500, item_id="u1b")
    failed(sheet, "1890 ms after the onset")
    sheet.drop("utterance")
    sheet.utterance(1_990, "question", onset_ms=2_000, offset_ms=4_000, resumed_ms=(3_500,))
    passed(sheet)


def test_a_second_onset_excuses_no_late_first_speech_started() -> None:
    sheet = good_engine_turn()
    sheet.drop("utterance")
    sheet.utterance(1_990, "question", onset_ms=2_000, offset_ms=4_000, resumed_ms=(3_000,))
    sheet.move("input_audio_buffer.speech_started", 3_410)
    failed(sheet, "1400 ms after the onset")


@pytest.mark.parametrize(
    ("audio_start_ms", "outcome"),
    [
        (3_000, "passes"),
        (3_001, "fails"),
        (1_500, "passes"),
        (1_499, "warns"),
        (1_000, "warns"),
        (999, "fails"),
        (0, "fails"),
    ],
)
def test_audio_start_lies_at_the_onset_on_the_audio_clock(audio_start_ms: int, outcome: str) -> None:
    sheet = good_engine_turn()
    sheet.edit("input_audio_buffer.speech_started", audio_start_ms=audio_start_ms)
    if outcome == "fails":
        failed(sheet, f"audio_start_ms is {audio_start_ms}, and speech began at 2000")
    else:
        assert bool(passed(sheet).warnings) is (outcome == "warns")


def test_committed_is_for_the_item_of_speech_started() -> None:
    sheet = good_engine_turn()
    sheet.edit("input_audio_buffer.committed", item_id="u9")
    failed(sheet, "committed is for another item")


@pytest.mark.parametrize("kind", ["conversation.item.added", "conversation.item.done"])
def test_the_turn_becomes_an_item_under_the_same_id(kind: str) -> None:
    sheet = good_engine_turn()
    sheet.edit(kind, item={"id": "u9"})
    failed(sheet, f"No {kind} came for the item")
    sheet.drop(kind)
    sheet.move("drive.ended", 5_700)
    failed(sheet, f"No {kind}")


@pytest.mark.parametrize(("at_ms", "ok"), [(9_610, True), (9_611, False)])
def test_first_audio_within_five_seconds_of_committed(at_ms: float, ok: bool) -> None:
    sheet = good_engine_turn()
    for step, name in enumerate(
        (
            "first",
            "second",
            "response.output_audio.done",
            "response.output_audio_transcript.done",
            "response.done",
            "drive.ended",
        )
    ):
        sheet.move(name, at_ms + step)
    if ok:
        assert measured(passed(sheet), "committed to first audio") == 5_000
    else:
        failed(sheet, "committed to first audio took 5001 ms, 5000 at most")


@pytest.mark.parametrize(("first_ms", "ok"), [(300, True), (299, False)])
def test_an_answer_holds_half_a_second_of_audio(first_ms: int, ok: bool) -> None:
    sheet = good_engine_turn()
    sheet.payload("first", first_ms * 48)
    if ok:
        passed(sheet)
    else:
        failed(sheet, "499 ms of audio, 500 at least")


@pytest.mark.parametrize(("length_ms", "ok"), [(2_000, True), (2_000.5, False)])
def test_no_delta_is_longer_than_two_seconds(length_ms: float, ok: bool) -> None:
    sheet = good_engine_turn()
    sheet.payload("first", int(length_ms * 48))
    if ok:
        passed(sheet)
    else:
        failed(sheet, "2000 at most")


def test_no_delta_holds_half_a_sample() -> None:
    sheet = good_engine_turn()
    sheet.payload("first", 14_401)
    failed(sheet, "odd number of bytes, 14401")


@pytest.mark.parametrize("status", ["incomplete", "cancelled", "failed"])
def test_the_answer_is_completed(status: str) -> None:
    sheet = good_engine_turn()
    usage = {"total_tokens": 30, "input_tokens": 20, "output_tokens": 10}
    sheet.edit("response.done", response={"id": "r1", "status": status, "usage": usage})
    failed(sheet, f"ended as {status}")


@pytest.mark.parametrize("name", ["total_tokens", "input_tokens", "output_tokens"])
@pytest.mark.parametrize("value", [None, 3.5, "3", True])
def test_usage_is_whole_numbers(name: str, value: object) -> None:
    usage: dict[str, object] = {"total_tokens": 30, "input_tokens": 20, "output_tokens": 10, name: value}
    sheet = good_engine_turn()
    sheet.edit("response.done", response={"id": "r1", "status": "completed", "usage": usage})
    failed(sheet, f"response.usage.{name} of the answer is {value!r}")


def test_a_complete_answer_has_its_ends() -> None:
    sheet = good_engine_turn()
    sheet.drop("response.output_audio.done")
    failed(sheet, "no response.output_audio.done")
    sheet = good_engine_turn()
    sheet.edit("response.output_audio_transcript.done", transcript="  ")
    failed(sheet, "no transcript")


def test_an_answer_that_ends_without_audio() -> None:
    sheet = good_engine_turn()
    sheet.drop("first")
    sheet.drop("second")
    failed(sheet, "No audio of the answer came before response.done")


def test_an_answer_may_begin_before_the_commit_is_told() -> None:
    sheet = good_engine_turn()
    sheet.move("input_audio_buffer.committed", 5_250)
    assert measured(passed(sheet), "committed to first audio") == -140


def test_a_response_that_failed_is_the_reason_why_nothing_came() -> None:
    sheet = good_engine_turn()
    for name in ("first", "second", "response.output_audio.done", "response.output_audio_transcript.done"):
        sheet.drop(name)
    error = {"code": "server_error", "message": "out of order"}
    response = {"id": "r1", "status": "failed", "status_details": {"type": "failed", "error": error}}
    sheet.edit("response.done", response=response)
    failed(sheet, "because the response failed", "server_error: out of order")


def test_speech_that_is_not_noticed() -> None:
    sheet = good_engine_turn()
    sheet.drop("input_audio_buffer.speech_started")
    failed(sheet, "No speech_started came within 1000 ms")


# barge_in: the onset leaves at 3,010 ms


@pytest.mark.parametrize(("at_ms", "ok"), [(4_610, True), (4_611, False)])
def test_the_interrupted_reply_ends_within_a_second_and_a_half(at_ms: float, ok: bool) -> None:
    sheet = good_barge_in()
    sheet.move("response.done", at_ms)
    if ok:
        assert measured(passed(sheet), "speech_started to response.done") == 1_500
    else:
        failed(sheet, "took 1501 ms, 1500 at most")


def test_a_reply_cancelled_just_before_its_speech_started_is_no_fault() -> None:
    sheet = good_barge_in()
    sheet.drop("crossing")
    sheet.move("response.done", 3_105)
    assert measured(passed(sheet), "speech_started to response.done") == -5


def test_deltas_until_response_done_are_counted_and_tolerated() -> None:
    assert measured(passed(good_barge_in()), "deltas between speech_started and response.done") == 1


def test_no_audio_of_the_reply_follows() -> None:
    sheet = good_barge_in()
    sheet.delta(4_600, "r1", "a1", 100, label="after")
    failed(sheet, "came 1400 ms after its response.done")


def test_the_window_after_the_reply_must_have_been_watched() -> None:
    sheet = good_barge_in()
    sheet.lines = [line for line in sheet.lines if line.at_ms < 4_700 or line.name == "drive.ended"]
    sheet.drop("drive.ended")
    sheet.end(4_699)
    sheet.drop("utterance")
    sheet.utterance(2_800, "interruption", onset_ms=3_000, offset_ms=4_600)
    inconclusive(sheet, "ends less than 1500 ms after", retry=True)
    sheet.move("drive.ended", 4_700)
    passed(sheet)


@pytest.mark.parametrize(("after_ms", "verdict"), [(250, Verdict.INCONCLUSIVE), (251, Verdict.FAILED)])
def test_a_reply_that_completed_was_over_or_not_cancelled(after_ms: int, verdict: Verdict) -> None:
    sheet = good_barge_in()
    sheet.edit("response.done", response={"id": "r1", "status": "completed"})
    sheet.move("response.done", 3_110 + after_ms)
    assert judged(sheet).verdict is verdict


def test_an_engine_that_had_finished_could_not_be_interrupted() -> None:
    sheet = good_barge_in()
    sheet.edit("response.done", response={"id": "r1", "status": "completed"})
    sheet.move("response.done", 3_000)
    inconclusive(sheet, "had finished its reply before", retry=True)


@pytest.mark.parametrize(("first_ms", "ok"), [(2_010, True), (2_011, False)])
def test_a_second_of_the_reply_was_played_before_the_interruption(first_ms: int, ok: bool) -> None:
    sheet = good_barge_in()
    sheet.drop("delta")
    sheet.delta(first_ms, "r1", "a1", 2_000)
    sheet.edit("conversation.item.truncate", audio_end_ms=1_000)
    sheet.edit("conversation.item.truncated", audio_end_ms=1_000)
    if ok:
        passed(sheet)
    else:
        inconclusive(sheet, "Only 999 ms of the reply was played", retry=True)


@pytest.mark.parametrize(("at_ms", "ok"), [(6_210, True), (6_211, False)])
def test_the_truncation_is_acknowledged_within_three_seconds(at_ms: float, ok: bool) -> None:
    sheet = good_barge_in()
    sheet.move("conversation.item.truncated", at_ms)
    if ok:
        assert measured(passed(sheet), "truncate to its acknowledgement") == 3_000
    else:
        failed(sheet, "took 3001 ms, 3000 at most")


def test_the_truncation_is_acknowledged_as_it_was_asked_for() -> None:
    sheet = good_barge_in()
    sheet.edit("conversation.item.truncated", audio_end_ms=2_100)
    failed(sheet, "Truncated at 2110 ms, but acknowledged at 2100")
    sheet = good_barge_in()
    sheet.edit("conversation.item.truncated", item_id="a2")
    failed(sheet, "for another item")
    sheet = good_barge_in()
    sheet.drop("conversation.item.truncated")
    failed(sheet, "No conversation.item.truncated came within 3000 ms")
    sheet.received(3_260, "error", error={"event_id": "truncate", "message": "no such item"})
    failed(sheet, "The engine refused the truncation")


def test_a_cancel_of_our_own_proves_nothing() -> None:
    sheet = good_barge_in()
    sheet.sent(3_150, "response.cancel", response_id="r1")
    inconclusive(sheet, "We cancelled the reply ourselves", retry=False)


# Common rules


def test_required_fields_are_checked_wherever_their_event_is_seen() -> None:
    sheet = good_barge_in()
    sheet.without("own audio", "item_id")
    failed(sheet, "response.output_audio.delta has no item_id")
    sheet = good_engine_turn()
    sheet.without("input_audio_buffer.speech_stopped", "audio_end_ms")
    failed(sheet, "input_audio_buffer.speech_stopped has no audio_end_ms")
    sheet = good_engine_turn()
    sheet.edit("input_audio_buffer.committed", item_id=7)
    failed(sheet, "item_id of input_audio_buffer.committed is of the wrong type")


def test_unknown_and_ignored_events_change_no_verdict() -> None:
    for good in GOOD.values():
        sheet = good()
        for number in range(1_000):
            sheet.received(50 + number / 10, "vendor.event", note=number)
        sheet.received(90, "rate_limits.updated")
        sheet.received(91, "response.output_text.delta")
        passed(sheet)


@pytest.mark.parametrize(("late_ms", "ok"), [(200, True), (201, False)])
def test_our_own_late_sends_are_not_the_engines_failure(late_ms: int, ok: bool) -> None:
    sheet = good_engine_turn()
    sheet.drop("stream.started")
    sheet.noted(10 - late_ms, "stream.started", first_sample=0)
    if ok:
        assert measured(passed(sheet), "latest send") == 200
    else:
        inconclusive(sheet, "our audio left 201 ms late", retry=True)


@pytest.mark.parametrize(
    ("by", "word", "retry"),
    [
        ("engine", "closed the connection with code 1011 “oops” after response.created", False),
        ("lost", "was lost", True),
    ],
)
def test_a_connection_that_ended_leaves_the_clause_undecided(by: str, word: str, retry: bool) -> None:
    sheet = good_engine_turn()
    sheet.lines = [line for line in sheet.lines if line.at_ms <= 4_620]
    sheet.noted(4_700, "connection.closed", code=1011, reason="oops", by=by)
    sheet.end(4_701)
    inconclusive(sheet, word, retry=retry)


@pytest.mark.parametrize(("held_ms", "words"), [(201, "held up for 201 ms"), (900, "held up for 900 ms")])
def test_a_program_that_was_held_up_judges_no_engine(held_ms: int, words: str) -> None:
    sheet = good_engine_turn()
    sheet.edit("response.done", response={"id": "r1", "status": "failed"})
    sheet.noted(3_000, "held.up", ms=held_ms)
    inconclusive(sheet, f"This computer was busy: the program was {words}", retry=True)


@pytest.mark.parametrize("by_ms", [-3_600_000, 251])
def test_a_clock_that_jumped_judges_no_engine(by_ms: int) -> None:
    sheet = good_engine_turn()
    sheet.noted(3_000, "clock.jumped", by_ms=by_ms)
    inconclusive(sheet, f"The clock of this computer jumped by {by_ms} ms", retry=True)


@pytest.mark.parametrize("code", ["rate_limit_exceeded", "insufficient_quota", "session_expired"])
def test_a_limit_of_the_account_is_not_the_engines_failure(code: str) -> None:
    sheet = good_engine_turn()
    sheet.drop("response.done")
    sheet.received(5_300, "error", error={"code": code, "message": "later"})
    inconclusive(sheet, code, retry=False)


def test_a_run_that_was_interrupted_or_cut_says_so() -> None:
    sheet = good_engine_turn()
    sheet.edit("drive.ended", interrupted=True)
    inconclusive(sheet, "was interrupted", retry=False)
    sheet.drop("drive.ended")
    inconclusive(sheet, "has no end", retry=False)


def test_where_no_update_was_acknowledged_nothing_is_judged() -> None:
    for good in (good_engine_turn, good_barge_in):
        sheet = good()
        sheet.drop("session.updated")
        inconclusive(sheet, "No session.update was ever acknowledged", retry=False)


def test_a_record_of_another_check_or_a_damaged_one_proves_nothing() -> None:
    same_in_the_other_mode = judge(CHECKS["engine_turn"], "semantic_vad", good_engine_turn().entries())
    assert same_in_the_other_mode.verdict is Verdict.INCONCLUSIVE
    other = judge(CHECKS["barge_in"], "server_vad", good_engine_turn().entries())
    assert other.reasons == ["The record is of another check."]
    damaged = judged(good_engine_turn(), ("Line 9 is no entry.",))
    assert (damaged.verdict, damaged.reasons) == (Verdict.INCONCLUSIVE, ["The record is damaged. Line 9 is no entry."])
