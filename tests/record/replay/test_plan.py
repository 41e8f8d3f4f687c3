"""Plans of sessions written by hand, with the times worked out by hand."""

import base64
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from simulator.record.entries import Direction, Entry
from simulator.record.replay.deeds import (
    Ask,
    Instruct,
    Listen,
    OwnAnswer,
    Push,
    Request,
    SendRaw,
    Settings,
    StopReply,
)
from simulator.record.replay.plan import plan
from tests.record.export_record import MS
from tests.record.replay.replayed import DETECTION, SAMPLES_PER_MS, Session, append, kinds, said, timed

TIMER = {"event": "timer", "secondsLeft": 30}
PNG = b"\x89PNG\r\n\x1a\nnot really"
URL = "data:image/png;base64," + base64.b64encode(PNG).decode()
QUESTION = {"event": "question", "tool": "answer_scale", "question": "How warm?", "duringVideo": True}
ASKED: dict[str, Any] = {
    "component": "vasrating",
    "config": {"question": "How warm?"},
    "during_video": True,
    "shown_on": "rating pause",
    "attempts": 2,
    "wording": "own",
}
SILENT: dict[str, Any] = {"output_modalities": ["text"], "tool_choice": {"type": "function", "name": "answer_scale"}}


def test_the_settings_and_the_length_of_the_session(tmp_path: Path) -> None:
    planned = Session().end(5_100).planned(tmp_path)
    assert planned.settings == Settings("Be kind.", "cedar", DETECTION, ("answer_scale", "send_chat"))
    assert (planned.ends_ns, planned.voice_from_sample) == (5_000 * MS, 100 * SAMPLES_PER_MS)
    assert (planned.acts, planned.exchanges, planned.lacks) == ((), 0, ())
    assert planned.source == tmp_path / "session" / "session.jsonl"


def test_the_studies_of_a_session_and_of_what_it_replays(tmp_path: Path) -> None:
    session = Session()
    session.noted(200, "study.started", name="Tea talk")
    session.noted(300, "study.started", name="Tea talk")
    session.noted(400, "replay.started", of="another", studies=["Breakfast", 7])
    session.noted(500, "replay.started", of="an earlier version's")
    assert session.end(1_000).planned(tmp_path).studies == ("Tea talk", "Breakfast")


def test_a_speech_after_a_reply_is_timed_from_its_end(tmp_path: Path) -> None:
    session = Session().says(1_000, 2_000)
    session.reply("1", 2_600, 4_000)
    planned = session.says(5_000, 6_000).end(8_000).planned(tmp_path)
    assert [timed(act) for act in planned.acts] == [("beginning", 0, 700), ("reply ends", 1, 800)]
    assert planned.exchanges == 1


def test_a_barge_in_is_timed_from_when_the_reply_was_audible(tmp_path: Path) -> None:
    session = Session().says(1_000, 2_000)
    session.reply("1", 3_400, 4_730, cut="speech_started", latency_ms=20)
    session.says(4_500, 5_500)
    session.reply("2", 6_000, 7_000)
    planned = session.end(8_000).planned(tmp_path)
    # 200 ms before its first loud frame at 4,500 ms; the reply was audible from 3,420 ms on.
    assert [timed(act) for act in planned.acts] == [("beginning", 0, 700), ("reply begins", 1, 880)]
    assert planned.exchanges == 2


def test_what_follows_the_handing_over_of_the_last_sample_follows_the_reply(tmp_path: Path) -> None:
    session = Session().says(1_000, 2_000)
    session.reply("1", 2_600, 4_000, latency_ms=30)
    session.push(4_001, TIMER)
    planned = session.end(8_000).planned(tmp_path)
    assert timed(planned.acts[1]) == ("reply ends", 1, 0)


def test_pushes_lie_between_as_they_were_sent(tmp_path: Path) -> None:
    session = Session()
    session.push(600, {"event": "participants", "others": [{"name": "Alex", "role": "A"}]})
    session.says(1_000, 2_000)
    session.reply("1", 2_500, 4_000)
    session.push(3_000, TIMER)
    session.push(4_200, {"event": "screen", "type": "showtext", "text": "Two", "images": ["attached: one"]}, (URL,))
    planned = session.end(5_000).planned(tmp_path)
    assert kinds(planned) == ["Push", "Say", "Push", "Push"]
    assert [timed(act) for act in planned.acts] == [
        ("beginning", 0, 500),
        ("beginning", 0, 700),
        ("reply begins", 1, 500),
        ("reply ends", 1, 200),
    ]
    assert planned.acts[2].deed == Push(TIMER)
    assert isinstance(planned.acts[3].deed, Push)
    assert planned.acts[3].deed.images == (PNG,)
    assert planned.acts[3].deed.context["images"] == ["attached: one"]


def test_two_replies_that_nothing_called_for_in_between_are_one_exchange(tmp_path: Path) -> None:
    session = Session().says(1_000, 2_000)
    session.reply("1", 2_600, 4_000)
    session.push(4_500, TIMER)
    session.reply("2", 5_000, 7_000)
    session.push(7_300, TIMER)
    session.says(9_000, 10_000)
    planned = session.end(12_000).planned(tmp_path)
    assert planned.exchanges == 1
    # It begins with the first reply and ends with the last one: the push between them knows the first moment only.
    assert [timed(act) for act in planned.acts] == [
        ("beginning", 0, 700),
        ("reply begins", 1, 1_900),
        ("reply ends", 1, 300),
        ("reply ends", 1, 1_800),
    ]


def test_when_a_question_was_answered_is_known_by_its_last_attempt(tmp_path: Path) -> None:
    session = Session()
    session.push(500, QUESTION, **ASKED)
    session.noted(900, "answer", component="vasrating", accepted=False)
    session.noted(1_400, "answer", component="vasrating", accepted=True)
    session.push(1_500, TIMER)
    session.push(1_600, QUESTION, **ASKED)
    planned = session.end(5_000).planned(tmp_path)
    # The engine took the settings at 100 ms.
    assert kinds(planned) == ["Ask", "Push", "Ask"]
    assert [each.answered_ns for each in planned.acts] == [1_300 * MS, None, None]


def test_a_silent_response_is_no_reply(tmp_path: Path) -> None:
    session = Session()
    session.push(500, QUESTION, **ASKED)
    session.request(510, **SILENT)
    session.received(520, "response.created", response={"id": "r1", "output_modalities": ["text"]})
    session.received(900, "response.done", response={"id": "r1", "status": "completed", "output": []})
    session.push(1_500, TIMER)
    planned = session.end(5_000).planned(tmp_path)
    assert planned.exchanges == 0
    assert [timed(act) for act in planned.acts] == [("beginning", 0, 400), ("beginning", 0, 1_400)]
    assert planned.acts[0].deed == Ask("vasrating", {"question": "How warm?"}, True, "rating pause", 2)


def test_a_reply_that_was_cut_before_it_was_heard_is_no_exchange(tmp_path: Path) -> None:
    session = Session().says(1_000, 2_000)
    session.noted(2_600, "playback.cut", item_id="i", response_id="r", cause="speech_started", cut_ns=2_600 * MS)
    planned = session.says(3_500, 4_000).end(5_000).planned(tmp_path)
    assert planned.exchanges == 0
    assert [timed(act) for act in planned.acts] == [("beginning", 0, 700), ("beginning", 0, 3_200)]


def test_listening_off_cuts_a_speech(tmp_path: Path) -> None:
    session = Session().says(1_000, 3_000).says(4_000, 5_000)
    session.listening(2_000, on=False)
    session.listening(4_400, on=True)
    planned = session.end(8_000).planned(tmp_path)
    assert said(planned) == [(800, 2_000), (4_450, 5_300)]
    assert kinds(planned) == ["Say", "Listen", "Listen", "Say"]
    assert [act.deed for act in planned.acts[1:3]] == [Listen(on=False), Listen(on=True)]
    assert [timed(act)[2] for act in planned.acts] == [700, 1_900, 4_300, 4_350]
    assert [act.answered_ns for act in planned.acts] == [None, None, 4_350 * MS, None]


def test_a_session_that_begins_without_listening(tmp_path: Path) -> None:
    session = Session(detection=None).says(300, 600)
    session.noted(60, "listening.off", in_speech=False)
    session.listening(1_000, on=True)
    planned = session.end(8_000).planned(tmp_path)
    assert planned.settings.turn_detection == DETECTION
    assert [(act.deed, act.at_ns) for act in planned.acts] == [(Listen(on=False), 0), (Listen(on=True), 900 * MS)]


def test_typed_chat_is_a_push_and_a_request(tmp_path: Path) -> None:
    session = Session()
    typed = {"event": "typed", "speaker": "Alex", "said": "And you?"}
    session.push(1_100, typed)
    session.request(1_100, output_modalities=["audio"])
    session.reply("1", 1_500, 2_500)
    session.push(3_000, typed)
    session.request(3_000, output_modalities=["audio"])
    session.reply("2", 3_500, 4_500)
    planned = session.end(8_000).planned(tmp_path)
    assert [act.deed for act in planned.acts[:2]] == [Push(typed), Request({"output_modalities": ["audio"]})]
    assert planned.exchanges == 2
    assert [timed(act) for act in planned.acts] == [("beginning", 0, 1_000)] * 2 + [("reply ends", 1, 500)] * 2


def test_what_the_session_asks_for_by_itself_is_no_deed(tmp_path: Path) -> None:
    session = Session()
    # A call in a spoken response: its output, and the reply that follows it.
    session.received(500, "response.created", response={"id": "r1", "output_modalities": ["audio"]})
    call = {"type": "function_call", "call_id": "c1", "name": "send_chat", "arguments": "{}"}
    session.received(600, "response.done", response={"id": "r1", "status": "completed", "output": [call]})
    session.noted(600, "call.answered", call_id="c1", by="judge", how="as judged", output="{}")
    output = {"type": "function_call_output", "call_id": "c1", "output": "{}"}
    session.sent(600, "conversation.item.create", item=output)
    session.request(601, output_modalities=["audio"])
    # The operator asks, the engine is talking already, and it is asked again.
    hint = {"output_modalities": ["audio"], "instructions": "Be short."}
    session.request(1_100, "mine", **hint)
    active = {"code": "conversation_already_has_active_response", "message": "no", "event_id": "mine"}
    session.received(1_150, "error", error=active)
    session.request(2_000, "mine again", **hint)
    session.noted(2_100, "tool.added", name="answer_ranking", tools=["answer_ranking"])
    session.sent(2_100, "session.update", session={"tools": [{"name": "answer_ranking"}]})
    session.sent(2_200, "conversation.item.truncate", item_id="i", audio_end_ms=3)
    planned = session.end(8_000).planned(tmp_path)
    assert [(act.deed, act.at_ns) for act in planned.acts] == [(Request(hint), 1_000 * MS)]


def test_instructions_and_parts(tmp_path: Path) -> None:
    session = Session()
    session.noted(1_000, "part", name="Two")
    session.push(1_000, TIMER)
    session.sent(1_001, "session.update", session={"type": "realtime", "instructions": "Be brief."})
    session.noted(2_000, "part", name="Three")
    session.sent(3_000, "session.update", session={"type": "realtime", "instructions": "Be long."})
    planned = session.end(8_000).planned(tmp_path)
    assert [act.deed for act in planned.acts] == [
        Push(TIMER),
        Instruct("Be brief.", "Two"),
        Instruct(None, "Three"),
        Instruct("Be long.", None),
    ]


def test_what_was_composed_by_hand_is_sent_as_it_was(tmp_path: Path) -> None:
    session = Session()
    events: dict[str, dict[str, Any]] = {
        "response.cancel": {"response_id": "r"},
        "session.update": {"session": {"instructions": "Sing."}},
        "conversation.item.create": {"item": {"type": "message", "content": [{"type": "input_text", "text": "hi"}]}},
        "response.create": {"response": {"output_modalities": ["audio"]}},
    }
    for number, (kind, fields) in enumerate(events.items()):
        session.sent(1_000 * number + 1_000, kind, **fields)
        session.noted(1_000 * number + 1_000, "raw", seq=len(session.entries) - 1)
    planned = session.end(8_000).planned(tmp_path)
    assert [act.deed for act in planned.acts] == [SendRaw({"type": kind, **events[kind]}) for kind in events]


def test_audio_that_was_composed_by_hand_is_filled_in(tmp_path: Path) -> None:
    session = Session()
    for first, samples in ((2, 3), (100, 3)):
        session.sent(1_000, "input_audio_buffer.append", append(first, samples))
        session.noted(1_000, "raw", seq=len(session.entries) - 1)
    folder = session.end(8_000).write(tmp_path / "session")
    sent = np.array([0, 0, 1, 2, 3, 0], dtype=np.int16)
    soundfile.write(folder / "session.participant.wav", sent, 24_000, subtype="PCM_16")
    planned = plan(folder)
    audio = base64.b64encode(b"\1\0\2\0\3\0").decode()
    assert [act.deed for act in planned.acts] == [SendRaw({"type": "input_audio_buffer.append", "audio": audio})]
    assert planned.lacks == ("1 append that was composed by hand cannot be sent again: the audio was not kept.",)


def test_audio_that_was_composed_by_hand_is_found_among_all_the_audio(tmp_path: Path) -> None:
    session = Session()
    for number in range(30):
        event = {"type": "input_audio_buffer.append", "event_id": f"event_{number + 10}", "audio": ""}
        at_ns, span = (1_010 + number) * MS, append(10 + number, 3)
        appended = Entry(len(session.entries), at_ns, Direction.SENT, str(event["type"]), event, 1_000, span)
        session.entries.append(appended)
    session.noted(1_040, "raw", seq=len(session.entries) - 1)
    folder = session.end(8_000).write(tmp_path / "session")
    soundfile.write(folder / "session.participant.wav", np.arange(99, dtype=np.int16), 24_000, subtype="PCM_16")
    (act,) = plan(folder).acts
    audio = base64.b64encode(bytes([39, 0, 40, 0, 41, 0])).decode()
    assert act.deed == SendRaw({"type": "input_audio_buffer.append", "event_id": "event_39", "audio": audio})


def test_stopping_the_reply_is_timed_from_when_it_began_and_not_from_its_end(tmp_path: Path) -> None:
    session = Session().says(1_000, 2_000)
    session.reply("1", 2_500, 4_000, cut="stop_reply")
    session.sent(4_002, "response.cancel")
    session.push(4_500, TIMER)
    planned = session.end(8_000).planned(tmp_path)
    assert [act.deed for act in planned.acts[1:]] == [StopReply(), Push(TIMER)]
    assert [timed(act) for act in planned.acts[1:]] == [("reply begins", 1, 1_500), ("reply ends", 1, 500)]


def test_the_participants_own_answer(tmp_path: Path) -> None:
    session = Session()
    session.noted(1_000, "own_answer", component="vasrating", config={"question": "How warm?"}, value=70)
    planned = session.end(8_000).planned(tmp_path)
    assert [act.deed for act in planned.acts] == [OwnAnswer("vasrating", {"question": "How warm?"}, 70)]


def test_a_reply_that_still_sounds_at_the_end_has_begun(tmp_path: Path) -> None:
    session = Session().says(1_000, 2_000)
    session.reply("1", 2_500, None)
    session.push(4_500, TIMER)
    planned = session.end(8_000).planned(tmp_path)
    assert planned.exchanges == 1
    assert timed(planned.acts[1]) == ("reply begins", 1, 2_000)
