"""Playing a study in a session: what goes over the wire and into the record, by whom it is stopped, who speaks."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.participant.host import InProcessHost
from simulator.participant.messages import (
    ChooseVoice,
    Connect,
    Disconnect,
    PlayStudy,
    Push,
    SetMuted,
    SetTalk,
    Speak,
    StopStudy,
    VoiceKind,
)
from simulator.participant.voice import Voice
from simulator.record.entries import Direction, Entry
from simulator.record.reader import read_record
from simulator.study.steps import (
    AskQuestion,
    ChangeInstructions,
    EnterPart,
    PushContext,
    RequestReply,
    Say,
    SetListening,
    Step,
    StepAction,
    Study,
    Wait,
    When,
)
from tests.participant.scripted_engine import EngineSide, ScriptedEngine

WHY = {"question": "Why?"}


def _screen(text: str, video_chat: bool | None = None) -> PushContext:
    return PushContext({"event": "screen", "type": "showtext", "text": text}, video_chat=video_chat)


def _study(*steps: StepAction | Step, **more: Any) -> Study:
    return Study("A study", tuple(step if isinstance(step, Step) else Step(step, line=9) for step in steps), **more)


async def _obedient(side: EngineSide) -> None:
    """Takes every update, and answers every silent question with "Because."."""
    await side.greet()
    number = 0
    while True:
        event = await _next(side, number)
        number += 1
        if event["type"] == "session.update":
            await side.send("session.updated", session={**event["session"], "type": "realtime"})
        elif event["type"] == "response.create" and "tool_choice" in event["response"]:
            call = {"type": "function_call", "call_id": f"call_{number}", "name": "answer_text"}
            arguments = {"arguments": json.dumps({"text": "Because."})}
            await side.send("response.created", response={"id": f"r{number}", "status": "in_progress"})
            await side.finish(
                f"r{number}", output=[{**call, **arguments, "id": f"item_{number}", "status": "completed"}]
            )


async def _silent(side: EngineSide) -> None:
    """Takes the first settings, and says nothing more."""
    await side.greet()


async def _next(side: EngineSide, number: int) -> dict[str, Any]:
    """Return the nth event behind the first settings that is no audio."""
    while True:
        seen = [each for each in side.received if each["type"] != "input_audio_buffer.append"][1:]
        if len(seen) > number:
            return seen[number]
        side._arrived.clear()
        await side._arrived.wait()


@asynccontextmanager
async def _session(script: Any, records: Path) -> AsyncIterator[tuple[InProcessHost, EngineSide]]:
    async with ScriptedEngine(script) as engine, InProcessHost() as host:
        assert await host.send(Connect, engine=engine.url, record_folder=str(records)) is None
        yield host, engine.sides[0]


async def _played(host: InProcessHost, study: Study, **more: Any) -> None:
    assert await host.send(PlayStudy, study=study, **more) is None
    await host.status_with(lambda status: status.study is None)


def _notes(records: Path, *kinds: str) -> list[Entry]:
    (path,) = records.glob("*/session.jsonl")
    return [entry for entry in read_record(path).entries if entry.type in kinds]


def _told(records: Path) -> list[Any]:
    """Return what was sent behind the first settings, without audio, in short."""
    (path,) = records.glob("*/session.jsonl")
    told: list[Any] = []
    for entry in read_record(path).entries:
        event = entry.event
        if entry.direction is not Direction.SENT:
            continue
        if entry.type == "conversation.item.create" and event["item"]["type"] == "message":
            context = json.loads(event["item"]["content"][0]["text"].removeprefix("[context] "))
            told.append(context.get("text") or context["event"])
        elif entry.type == "session.update":
            session = event["session"]
            told.append(session.get("instructions") or session["audio"]["input"]["turn_detection"])
        elif entry.type == "response.create":
            told.append("ask" if "tool_choice" in event["response"] else "reply")
    return told[1:]


async def test_a_study_is_played_in_order_and_each_step_stands_in_the_record(records: Path) -> None:
    study = _study(
        EnterPart("The first", "Be brief."),
        _screen("Hello."),
        AskQuestion("textinput", WHY, own_answer="Why not."),
        EnterPart("The second"),
        ChangeInstructions("Be kind."),
        _screen("Goodbye."),
        instructions="You are Sam.",
    )
    async with _session(_obedient, records) as (host, _side):
        await _played(host, study)
        assert await host.send(Disconnect) is None
    assert _told(records) == ["You are Sam.\n\nBe brief.", "Hello.", "question", "ask", "Be kind.", "Goodbye."]
    notes = _notes(records, "study.started", "part", "study.step", "own_answer", "answer", "study.ended")
    assert [entry.event.get("step", entry.type) for entry in notes if entry.type not in ("own_answer", "answer")] == [
        "study.started", 0, "part", 1, 2, 3, "part", 4, 5, "study.ended"
    ]  # fmt: skip
    (answer,) = _notes(records, "answer")
    assert (answer.event["accepted"], answer.event["value"]) == (True, "Because.")
    (own,) = _notes(records, "own_answer")
    assert own.event["value"] == "Why not."
    ended = notes[-1].event
    assert ended == {"end": "finished", "unanswered": [], "missed_replies": []}


async def test_from_a_step_in_the_middle_the_session_is_put_where_the_steps_before_would_have_left_it(
    records: Path,
) -> None:
    study = _study(
        EnterPart("One", "Be brief."), _screen("a", video_chat=False), Step(_screen("b"), at_s=60), Step(_screen("c"))
    )
    async with _session(_obedient, records) as (host, _side):
        await _played(host, study, first_step=2)
        error = await host.send(PlayStudy, study=study, first_step=4)
        assert error == "There is no step 5 in the study: it has 4."
        assert await host.send(Disconnect) is None
    assert _told(records) == ["Be brief.", None, "b", "c"]


async def test_a_study_begins_with_its_own_instructions_and_heard_whatever_came_before(records: Path) -> None:
    study = _study(_screen("a"), EnterPart("One", "Be brief."), _screen("b", video_chat=False), instructions="Be Sam.")
    async with _session(_obedient, records) as (host, _side):
        await _played(host, study)
        await _played(host, study)
        assert await host.send(Disconnect) is None
    whole = "Be Sam.\n\nBe brief."
    assert [each for each in _told(records) if not isinstance(each, dict)] == [
        "Be Sam.", "a", whole, None, "b", "Be Sam.", "a", whole, None, "b"
    ]  # fmt: skip
    assert len([each for each in _told(records) if isinstance(each, dict)]) == 1


async def test_the_operator_pushes_in_between_and_stops_the_study(records: Path) -> None:
    async with _session(_obedient, records) as (host, _side):
        study = _study(_screen("a"), Wait(600), _screen("never"))
        assert await host.send(PlayStudy, study=study) is None
        status = await host.status_with(lambda status: status.study is not None and status.study.step == 1)
        assert status.study is not None
        assert (status.study.steps, status.study.waits_for) == (3, "600 s to pass")
        assert await host.send(Push, context={"event": "timer", "secondsLeft": 5}) is None
        assert await host.send(PlayStudy, study=study) == "A study is played already: stop it first."
        assert await host.send(StopStudy) is None
        assert host.status.study is None
        assert await host.send(StopStudy) == "No study is played: there is nothing to stop."
        assert await host.send(Disconnect) is None
    assert _told(records) == ["a", "timer"]
    assert [entry.event["end"] for entry in _notes(records, "study.ended")] == ["stopped"]


async def test_a_question_without_an_answer_makes_room_for_the_next_one(records: Path) -> None:
    async with _session(_silent, records) as (host, _side):
        study = _study(AskQuestion("textinput", WHY, within_s=1.0), AskQuestion("textinput", WHY, within_s=1.0))
        await _played(host, study)
        await host.status_with(lambda status: status.question is None)
        assert await host.send(Disconnect) is None
    (ended,) = _notes(records, "study.ended")
    assert [missed["what"] for missed in ended.event["unanswered"]] == ["“Why?”: no answer within 1 s"] * 2
    assert len(_notes(records, "answer")) == 2


@pytest.mark.parametrize("after", [[_screen("never")], []])
async def test_a_session_that_is_closed_at_a_question_stops_the_study_there(records: Path, after: list[Any]) -> None:
    async with _session(_silent, records) as (host, side):
        assert await host.send(PlayStudy, study=_study(AskQuestion("textinput", WHY), *after)) is None
        await side.expect("response.create")
        assert await host.send(Disconnect) is None
    (ended,) = _notes(records, "study.ended")
    assert ended.event["end"] == "session ended"
    assert len(ended.event["unanswered"]) == 1
    assert [entry.event["step"] for entry in _notes(records, "study.step", "study.refused")] == [0]


async def test_a_session_that_ends_stops_the_study(records: Path) -> None:
    async with _session(_silent, records) as (host, side):
        assert await host.send(PlayStudy, study=_study(AskQuestion("textinput", WHY), _screen("never"))) is None
        await side.expect("response.create")
        await side.socket.close(1001)
        await host.status_with(lambda status: status.study is None)
        assert await host.send(PlayStudy, study=_study(Wait(1))) == ("There is no session: connect to an engine first.")
    assert [entry.event["end"] for entry in _notes(records, "study.ended")] == ["session ended"]
    assert [entry.event["step"] for entry in _notes(records, "study.step")] == [0]


async def test_a_reply_that_fails_without_a_sound_ends_the_wait_for_it(records: Path) -> None:
    async def fails(side: EngineSide) -> None:
        await side.greet()
        await side.expect("response.create")
        await side.send("response.created", response={"id": "r1", "status": "in_progress"})
        await side.finish("r1", "failed")

    async with _session(fails, records) as (host, _side):
        study = _study(RequestReply(), Step(_screen("after"), when=When.AFTER_REPLY), reply_within_s=300)
        await _played(host, study)
        assert await host.send(Disconnect) is None
    assert _told(records) == ["reply", "after"]
    (ended,) = _notes(records, "study.ended")
    assert [missed["what"] for missed in ended.event["missed_replies"]] == ["the reply failed"]


async def test_a_refused_step_is_told_and_the_study_goes_on(records: Path) -> None:
    async with _session(_obedient, records) as (host, _side):
        gone = PushContext({"event": "screen", "type": "a", "text": "b", "images": ["c"]}, ("/no/such.png",))
        await _played(host, _study(gone, _screen("after")))
        assert await host.send(Disconnect) is None
    assert _told(records) == ["after"]
    (refused,) = _notes(records, "study.refused")
    assert (refused.event["step"], refused.event["line"]) == (0, 9)
    assert refused.event["sentence"] == "The image '/no/such.png' cannot be read: check the name."


async def test_a_bug_while_something_is_said_ends_the_study_and_stands_in_the_record(
    records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def with_a_bug(self: Voice, recording: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(Voice, "speak", with_a_bug)
    async with _session(_obedient, records) as (host, _side):
        await _played(host, _study(Say("one_word"), _screen("never")))
        assert await host.send(Disconnect) is None
    (problem,) = _notes(records, "problem")
    assert problem.event["sentence"].startswith("The program itself failed in the study (ZeroDivisionError)")
    assert [entry.event["end"] for entry in _notes(records, "study.ended")] == ["failed"]


async def test_a_text_that_cannot_be_said_is_told_and_no_reply_to_it_awaited(records: Path) -> None:
    async with _session(_obedient, records) as (host, _side):
        study = _study(
            Say("one_word"), Say(text="…"), Step(_screen("after"), when=When.AFTER_REPLY), reply_within_s=300
        )
        await _played(host, study)
        assert await host.send(Disconnect) is None
    assert _told(records) == ["after"]
    (refused,) = _notes(records, "study.refused")
    assert refused.event["sentence"] == "Nothing in “…” can be pronounced: write it as words."


async def test_texts_and_recordings_are_said_over_a_silent_voice(records: Path) -> None:
    async with _session(_obedient, records) as (host, side):
        study = _study(Say("one_word"), Say(text="Yes."), SetListening(on=False))
        await _played(host, study)
        assert host.status.voice is VoiceKind.SILENCE
        assert await host.send(Speak, text="No.") is None
        assert await host.send(Speak, recording="one_word") is None
        assert await host.send(Disconnect) is None
    notes = _notes(records, "recording.started", "recording.ended")
    names = ["one_word", "one_word", "“Yes.”", "“Yes.”", "“No.”", "“No.”", "one_word", "one_word"]
    assert [entry.event["name"] for entry in notes] == names
    appended = (each for each in side.received if each["type"] == "input_audio_buffer.append")
    sound = b"".join(base64.b64decode(each["audio"]) for each in appended)
    assert np.abs(np.frombuffer(sound, "<i2")).max() > 1_000


async def test_what_is_said_goes_over_the_voices_own_recording_and_can_be_muted(records: Path) -> None:
    async with _session(_obedient, records) as (host, side):
        assert await host.send(ChooseVoice, kind=VoiceKind.RECORDING, recording="monologue") is None
        assert await host.send(SetTalk, down=True) is None
        await host.status_with(lambda status: status.talking)
        assert await host.send(SetMuted, muted=True) is None
        before = sum(each["type"] == "input_audio_buffer.append" for each in side.received)
        assert await host.send(Speak, text="Yes.") is None
        appended = [each["audio"] for each in side.received if each["type"] == "input_audio_buffer.append"]
        assert len(appended) > before
        assert not any(base64.b64decode("".join(appended[-10:])))
        assert not host.status.talking
        assert host.status.voice_name == "monologue"
        assert await host.send(Disconnect) is None
    notes = _notes(records, "recording.started", "recording.ended")
    assert [(entry.type.partition(".")[2], entry.event["name"]) for entry in notes] == [
        ("started", "monologue"),
        ("ended", "monologue"),
        ("started", "“Yes.”"),
        ("ended", "“Yes.”"),
    ]


async def test_the_operator_speaks_where_the_study_is_not_to(records: Path) -> None:
    async with _session(_obedient, records) as (host, _side):
        assert await host.send(ChooseVoice, kind=VoiceKind.RECORDING, recording="one_word") is None
        study = _study(Say("coffee_or_tea"), _screen("after"))
        assert await host.send(PlayStudy, study=study, speaks=False) is None
        await host.status_with(lambda status: status.study is not None and status.study.step == 0)
        assert await host.send(SetTalk, down=True) is None
        await host.status_with(lambda status: status.study is None or status.study.step == 1)
        assert await host.send(Disconnect) is None
    (started,) = _notes(records, "recording.started")
    assert started.event["name"] == "one_word"


async def test_what_cannot_be_said_is_refused_before_the_study_begins(records: Path) -> None:
    async with _session(_obedient, records) as (host, _side):
        for saying, why in [
            (Say("no_such"), "There is no recording called “no_such”"),
            (Say("pyproject.toml"), "There is no recording called “pyproject.toml”"),
            (Say(text="Hello.", voice="nobody"), "There is no voice called “nobody”"),
            (Say(text="…"), "Nothing in “…” can be pronounced"),
        ]:
            error = await host.send(PlayStudy, study=_study(_screen("never"), saying))
            assert error is not None
            assert error.startswith(why)
            assert host.status.study is None
        speaking = asyncio.create_task(host.send(Speak, text="I go on and on, and the session ends before I do."))
        await host.status_with(lambda status: status.talking)
        assert await host.send(Disconnect) is None
        assert await speaking == "The session ended before all was said."
    assert _told(records) == []
