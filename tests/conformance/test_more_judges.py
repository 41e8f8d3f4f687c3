"""The judges of the listening pauses, cancel, tools, images and fields: both sides of every limit."""

import struct
import zlib

import numpy as np
import pytest

from simulator.conformance.check import Verdict
from simulator.conformance.checks.image_context import filled_png
from simulator.record.fields import contains
from tests.conformance.sheets import (
    good_cancel,
    good_function_call,
    good_image_context,
    good_listening_pause,
    good_listening_pause_silent,
    good_silent_tool,
    good_turn_detection_fields,
)
from tests.conformance.test_judges import failed, inconclusive, judged, measured, passed

PAUSES = [good_listening_pause, good_listening_pause_silent]


# Both pauses: the second onset lies at 2,000 ms from re-enabling, at 9,200 ms from the start of the session.


@pytest.mark.parametrize("good", PAUSES)
@pytest.mark.parametrize(
    ("audio_start_ms", "reading", "ok"),
    [
        (1_700, "re-enable", True),
        (3_000, "re-enable", True),
        (1_000, "re-enable", True),
        (3_001, "arrival", False),
        (999, "arrival", False),
        (8_900, "cumulative", False),
        (12_000, "arrival", False),
    ],
)
def test_the_next_speech_is_timed_from_switching_on(good, audio_start_ms: int, reading: str, ok: bool) -> None:  # type: ignore[no-untyped-def]
    sheet = good()
    sheet.edit("again", audio_start_ms=audio_start_ms)
    assert judged(sheet).readings == {"audio_start_ms": reading}
    if ok:
        passed(sheet)
    else:
        failed(sheet, f"The engine reads it as “{reading}”")


@pytest.mark.parametrize("good", PAUSES)
def test_turn_detection_must_be_off_while_it_is_off(good) -> None:  # type: ignore[no-untyped-def]
    sheet = good()
    sheet.edit("off answer", session={"audio": {"input": {"turn_detection": {"type": "server_vad"}}}})
    failed(sheet, "still on after it was switched off")


@pytest.mark.parametrize("good", PAUSES)
def test_audio_of_ours_in_the_pause_is_our_fault(good) -> None:  # type: ignore[no-untyped-def]
    sheet = good()
    sheet.stream(8_000, 8_020)
    inconclusive(sheet, "We appended audio while listening was off", retry=False)


@pytest.mark.parametrize("good", PAUSES)
def test_a_refused_update_is_named(good) -> None:  # type: ignore[no-untyped-def]
    sheet = good()
    sheet.drop("on answer")
    sheet.received(10_400, "error", error={"event_id": "on", "message": "not now"})
    failed(sheet, "refused the update that switches turn detection on again", "not now")


# listening_pause


def test_the_commit_keeps_the_turn_under_its_own_id() -> None:
    sheet = good_listening_pause()
    sheet.edit("input_audio_buffer.committed", item_id="u9")
    failed(sheet, "committed is for another item than speech_started")


def test_the_turn_is_committed_once() -> None:
    sheet = good_listening_pause()
    sheet.received(7_300, "input_audio_buffer.committed", label="twice", item_id="u1")
    failed(sheet, "was committed 2 times")


def test_the_commit_gets_no_reply() -> None:
    sheet = good_listening_pause()
    sheet.received(8_700, "response.created", label="reply", response={"id": "r1"})
    failed(sheet, "A reply was started while turn detection was off")


def test_the_commit_must_have_been_watched() -> None:
    sheet = good_listening_pause()
    sheet.move("input_audio_buffer.committed", 8_501)
    inconclusive(sheet, "Less than 1500 ms were watched", retry=True)
    sheet.move("input_audio_buffer.committed", 8_500)
    passed(sheet)


def test_a_turn_that_had_ended_before_the_pause_is_tried_again() -> None:
    sheet = good_listening_pause()
    sheet.received(7_100, "input_audio_buffer.committed", label="early", item_id="u1")
    inconclusive(sheet, "had ended the turn before the pause", retry=True)


def test_a_refused_commit() -> None:
    sheet = good_listening_pause()
    sheet.received(7_225, "error", error={"event_id": "commit", "message": "buffer empty"})
    failed(sheet, "refused the commit", "buffer empty")


def test_the_next_speech_is_a_new_turn() -> None:
    sheet = good_listening_pause()
    sheet.edit("again", item_id="u1")
    failed(sheet, "goes on with the item from before it")


# listening_pause_silent


@pytest.mark.parametrize(
    "kind", ["input_audio_buffer.speech_started", "input_audio_buffer.committed", "response.created"]
)
def test_nothing_comes_of_silence(kind: str) -> None:
    sheet = good_listening_pause_silent()
    sheet.received(11_000, kind, label="ghost", item_id="u0", audio_start_ms=0, response={"id": "r0"})
    failed(sheet, f"{kind} came though nobody had spoken")


def test_the_silence_is_held_for_three_seconds() -> None:
    sheet = good_listening_pause_silent()
    sheet.move("on", 10_209)
    inconclusive(sheet, "was off for less than 3000 ms", retry=True)
    sheet.move("on", 10_210)
    passed(sheet)


# cancel: sent at 1,000 ms


@pytest.mark.parametrize(("at_ms", "ok"), [(2_500, True), (2_501, False)])
def test_a_cancelled_reply_ends_in_time(at_ms: int, ok: bool) -> None:
    sheet = good_cancel()
    sheet.move("response.done", at_ms)
    sheet.move("drive.ended", at_ms + 1_500)
    if ok:
        assert measured(passed(sheet), "response.cancel to response.done") == 1_500
    else:
        failed(sheet, "took 1501 ms, 1500 at most")


def test_audio_after_the_cancelled_reply() -> None:
    sheet = good_cancel()
    sheet.move("crossing", 1_101)
    failed(sheet, "1 ms after its response.done")


def test_a_reply_that_completed_as_the_cancel_crossed_it_is_tried_again() -> None:
    sheet = good_cancel()
    sheet.edit("response.done", response={"id": "r1", "status": "completed"})
    inconclusive(sheet, "just as response.cancel came", retry=True)
    sheet.move("response.done", 1_251)
    failed(sheet, "ended as completed, not as cancelled")


def test_a_cancel_needs_a_reply_under_way() -> None:
    sheet = good_cancel()
    sheet.move("second", 1_005)
    inconclusive(sheet, "Only 1 deltas", retry=True)
    sheet = good_cancel()
    sheet.move("response.done", 900)
    inconclusive(sheet, "finished its reply before it could be cancelled", retry=True)


# function_call


@pytest.mark.parametrize(
    ("field", "value", "word"),
    [
        ("name", "answer_text", "called 'answer_text', and send_chat was asked for"),
        ("call_id", "", "has no call_id"),
        ("arguments", "[1]", "not a JSON object"),
        ("arguments", "{", "not a JSON object"),
    ],
)
def test_the_call_is_right(field: str, value: str, word: str) -> None:
    sheet = good_function_call()
    sheet.edit("response.function_call_arguments.done", **{field: value})
    failed(sheet, word)


def test_a_spoken_preamble_is_legal() -> None:
    sheet = good_function_call()
    sheet.delta(70, "r1", "a1", 100, label="preamble")
    sheet.received(
        80, "response.output_audio_transcript.done", response_id="r1", item_id="a1", transcript="One moment."
    )
    passed(sheet)


def test_a_call_that_was_only_asked_for_is_asked_for_again_and_a_forced_one_is_owed() -> None:
    sheet = good_function_call()
    sheet.drop("response.function_call_arguments.done")
    failed(sheet, "without response.function_call_arguments.done")
    sheet.edit("response.done", response={"id": "r1", "status": "completed"})
    inconclusive(sheet, "did not call the tool, though", retry=True)
    sheet.edit("response.create", response={"tool_choice": {"type": "function", "name": "send_chat"}})
    failed(sheet, "did not call the tool that it was told to call")


def test_the_output_is_accepted() -> None:
    sheet = good_function_call()
    sheet.drop("conversation.item.added")
    inconclusive(sheet, "No conversation.item.added for the function output", retry=True)
    sheet.move("drive.ended", 15_120)
    failed(sheet, "No conversation.item.added for the function output came within 15000 ms")
    sheet.received(131, "error", error={"event_id": "output", "message": "unknown call"})
    failed(sheet, "refused the function output", "unknown call")


def test_another_response_completes_with_output() -> None:
    sheet = good_function_call()
    sheet.edit("done again", response={"id": "r2", "status": "incomplete"})
    failed(sheet, "ended as incomplete")
    sheet = good_function_call()
    sheet.drop("spoken")
    failed(sheet, "holds nothing")
    sheet = good_function_call()
    sheet.edit("created again", response={"id": "r1"})
    failed(sheet, "has the id of the one before")


# silent_tool


def test_a_silent_answer_is_one_call() -> None:
    sheet = good_silent_tool()
    more = {"call_id": "c2", "name": "answer_scale", "arguments": '{"value": 3}'}
    sheet.received(101, "response.function_call_arguments.done", label="more", response_id="r1", **more)
    failed(sheet, "holds 2 calls, and one was asked for")
    sheet = good_silent_tool()
    first = {"type": "function_call", "call_id": "c1", "name": "answer_scale", "arguments": '{"value": 40}'}
    output = [first, {"type": "function_call", **more}]
    sheet.edit("response.done", response={"id": "r1", "status": "completed", "output": output})
    failed(sheet, "holds 2 calls")


@pytest.mark.parametrize(
    ("call", "word"),
    [
        ({"name": "answer_text", "arguments": '{"text": "x"}'}, "answered with answer_scale, not with answer_text"),
        ({"arguments": '{"value": "forty"}'}, "“value” must be a number from 0 to 100"),
        ({"arguments": '{"value": 101}'}, "“value” must be a number from 0 to 100"),
        ({"arguments": '{"score": 4}'}, "“value” is missing"),
        ({"arguments": '{"value": 4, "why": ""}'}, "no argument “why”"),
    ],
)
def test_the_call_answers_the_question(call: dict[str, str], word: str) -> None:
    sheet = good_silent_tool()
    sheet.edit("response.function_call_arguments.done", **call)
    failed(sheet, word)


def test_a_silent_answer_is_silent() -> None:
    sheet = good_silent_tool()
    sheet.delta(90, "r1", "a1", 20, label="sound")
    failed(sheet, "response.output_audio.delta came for the silent answer")
    sheet = good_silent_tool()
    sheet.received(90, "response.output_audio_transcript.done", response_id="r1", item_id="a1", transcript="forty")
    failed(sheet, "response.output_audio_transcript.done came for the silent answer")
    sheet = good_silent_tool()
    item = {"type": "message", "content": [{"type": "output_audio", "transcript": ""}]}
    sheet.edit("response.done", response={"id": "r1", "status": "completed", "output": [item]})
    failed(sheet, "holds an audio part")


def test_no_second_response_follows() -> None:
    sheet = good_silent_tool()
    sheet.received(1_600, "response.created", label="second", response={"id": "r2"})
    failed(sheet, "A second response came for one question")
    sheet = good_silent_tool()
    sheet.move("drive.ended", 1_609)
    inconclusive(sheet, "ends less than 1500 ms after the answer", retry=True)


# image_context


@pytest.mark.parametrize("said", ["red", "RED!", "It is red.", "a red square", "Red"])
def test_red_is_red(said: str) -> None:
    sheet = good_image_context()
    sheet.edit("response.function_call_arguments.done", arguments=f'{{"text": "{said}"}}')
    passed(sheet)


@pytest.mark.parametrize("said", ["blue", "reddish", "coloured", "red or orange", "not red but Green", "infrared"])
def test_nothing_else_is_red(said: str) -> None:
    sheet = good_image_context()
    sheet.edit("response.function_call_arguments.done", arguments=f'{{"text": "{said}"}}')
    failed(sheet, "Asked for the colour of a red image")


def test_a_refused_image() -> None:
    sheet = good_image_context()
    sheet.received(25, "error", error={"event_id": "image", "message": "no images"})
    failed(sheet, "refused the image", "no images")


def test_the_image_is_a_png_filled_with_red() -> None:
    png = filled_png((255, 0, 0), 64)
    assert struct.unpack(">II", png[16:24]) == (64, 64)
    start = png.index(b"IDAT") + 4
    (length,) = struct.unpack(">I", png[start - 8 : start - 4])
    rows = np.frombuffer(zlib.decompress(png[start : start + length]), np.uint8).reshape(64, 1 + 64 * 3)
    assert set(map(tuple, rows[:, 1:].reshape(-1, 3).tolist())) == {(255, 0, 0)}


# turn_detection_fields


@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize(
    "echoed", [None, {"type": "server_vad"}, {"type": "semantic_vad", "eagerness": "high"}, "auto"]
)
def test_what_was_asked_for_comes_back(number: int, echoed: object) -> None:
    sheet = good_turn_detection_fields()
    sheet.edit(f"answer {number}", session={"audio": {"input": {"turn_detection": echoed}}})
    failed(sheet, "turn_detection.create_response was asked for as True and is None")


@pytest.mark.parametrize(
    ("requested", "echoed", "same"),
    [
        (500, 500.0, True),
        (True, 1, False),
        (0, False, False),
        (None, None, True),
        ({"a": 1}, {"b": 2, "a": 1}, True),
        ({"a": 1}, {}, False),
        ([1, {"a": 1}], [1, {"a": 1, "b": 2}], True),
        ([1], [1, 2], False),
        ("auto", "Auto", False),
    ],
)
def test_requested_is_contained_in_echoed(requested: object, echoed: object, same: bool) -> None:
    assert contains(requested, echoed) is same


def test_answers_are_matched_to_updates_by_order() -> None:
    sheet = good_turn_detection_fields()
    sheet.drop("answer 1")
    assert judged(sheet).verdict is not Verdict.PASSED
