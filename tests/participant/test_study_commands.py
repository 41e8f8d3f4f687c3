"""What the operator can push, ask and compose, through the live path to an engine's socket and into the record."""

import asyncio
import base64
import json
from pathlib import Path
from typing import Any

import pytest

from simulator.participant.host import InProcessHost
from simulator.participant.messages import (
    AnswerCall,
    Ask,
    Command,
    Connect,
    CreateResponse,
    Disconnect,
    KeepOwnAnswer,
    Push,
    RequestReply,
    SendEvent,
    SetCallsInHand,
    SetInstructions,
    SetListening,
    StopReply,
)
from simulator.profile.tools import TOOL_NAMES
from simulator.record.entries import Direction, Entry, Track
from simulator.record.reader import Record, read_record
from tests.participant.live_process import LiveProcess
from tests.participant.scripted_engine import EngineSide, ScriptedEngine
from tests.profile.spec_file import VAS_QUESTION, spec_document, write_spec

PNG = b"\x89PNG\r\n\x1a\n"
VAS = {"question": "How warm?"}


async def _greets(side: EngineSide) -> None:
    await side.greet()


async def _answers_updates(side: EngineSide) -> None:
    await side.greet()
    while True:
        await side.send("session.updated", session=(await side.expect("session.update"))["session"])


def only_record(folder: Path) -> Record:
    (path,) = folder.glob("*/session.jsonl")
    return read_record(path)


def noted(record: Record, kind: str) -> list[dict[str, Any]]:
    return [each.event for each in record.entries if each.direction is Direction.NOTED and each.type == kind]


def text_of(item: dict[str, Any]) -> str:
    return str(item["item"]["content"][0]["text"])


async def test_two_hundred_pushes_at_once_arrive_in_order(records: Path, tmp_path: Path) -> None:
    """Items with and without images (which are read from the disk first), raw events and new instructions, mixed."""
    images = []
    for number in range(20):
        image = tmp_path / f"{number}.png"
        image.write_bytes(PNG + bytes([number]) * 200_000)
        images.append(str(image))
    async with ScriptedEngine(_greets) as engine, LiveProcess() as live:
        assert await live.send(Connect, engine=engine.url, record_folder=str(records)) is None
        replies = []
        for number in range(200):
            match number % 10:
                case 3:
                    sending = live.send(SendEvent, event={"type": "mark", "n": number})
                case 7:
                    sending = live.send(Push, context={"event": "screen", "n": number}, images=[images[number // 10]])
                case _:
                    sending = live.send(Push, context={"event": "timer", "n": number})
            replies.append(asyncio.ensure_future(sending))
        assert await asyncio.gather(*replies) == [None] * 200
        # The replies are there when the events were queued: the last one has arrived behind all others.
        assert await live.send(SendEvent, event={"type": "last"}) is None
        await engine.sides[0].expect("last")
        arrived = [each for each in engine.sides[0].received if each["type"] in ("mark", "conversation.item.create")]
        numbers = [
            each["n"] if each["type"] == "mark" else json.loads(text_of(each).removeprefix("[context] "))["n"]
            for each in arrived
        ]
        assert numbers == list(range(200))
        assert await live.end_input() == 0


@pytest.mark.parametrize(
    "shows",
    [
        (SetListening, {"on": True}, "Listening was switched off again before this took effect."),
        (Push, {"context": {"event": "resumed"}, "video_chat": True}, None),
    ],
)
async def test_whoever_hides_the_video_chat_last_is_not_overtaken_by_what_waits_for_an_image(
    shows: tuple[type[Command], dict[str, Any], str | None], records: Path, tmp_path: Path
) -> None:
    image = tmp_path / "large.png"
    image.write_bytes(PNG + bytes(3 << 20))
    kind, fields, error = shows
    async with ScriptedEngine(_answers_updates) as engine, InProcessHost() as host:
        assert await host.send(Connect, engine=engine.url, record_folder=str(records)) is None
        assert await host.send(SetListening, on=False) is None
        said = await asyncio.gather(
            host.send(Push, context={"event": "screen"}, images=[str(image)]),
            host.send(kind, **fields),
            host.send(SetListening, on=False),
        )
        assert list(said) == [None, error, None]
        assert not host.status.listening
        assert await host.send(Disconnect) is None
    updates = [entry.event["session"] for entry in only_record(records).entries if entry.type == "session.update"]
    assert [each["audio"]["input"]["turn_detection"] is None for each in updates] == [False, True]


@pytest.mark.parametrize(
    ("asks", "error"),
    [
        ((RequestReply, {}), "The reply was stopped before it was asked for."),
        ((CreateResponse, {"response": {}}), "The reply was stopped before it was asked for."),
        ((Push, {"context": {"event": "resumed"}, "ask_reply": True}), None),
    ],
)
async def test_a_reply_that_waits_for_an_image_is_not_asked_for_after_it_was_stopped(
    asks: tuple[type[Command], dict[str, Any]], error: str | None, records: Path, tmp_path: Path
) -> None:
    image = tmp_path / "large.png"
    image.write_bytes(PNG + bytes(3 << 20))
    kind, fields = asks
    async with ScriptedEngine(_answers_updates) as engine, InProcessHost() as host:
        assert await host.send(Connect, engine=engine.url, record_folder=str(records)) is None
        said = await asyncio.gather(
            host.send(Push, context={"event": "screen"}, images=[str(image)]),
            host.send(kind, **fields),
            host.send(StopReply),
        )
        assert list(said) == [None, error, None]
        assert await host.send(Disconnect) is None
    types = [entry.type for entry in only_record(records).entries]
    assert types.count("response.create") == 0
    assert types.count("conversation.item.create") == (1 if error else 2)


async def test_the_specification_s_tools_and_words_are_sent_and_the_record_names_them(
    records: Path, tmp_path: Path
) -> None:
    path = write_spec(tmp_path / "agent-spec.json", spec_document())
    async with ScriptedEngine(_greets) as engine, InProcessHost() as host:
        named = {"engine": engine.url, "record_folder": str(records), "specification": str(path)}
        assert await host.send(Connect, **named, tools=["answer_scale", "send_chat"]) is None
        session = engine.sides[0].received[0]["session"]
        assert [each["name"] for each in session["tools"]] == ["send_chat", "answer_scale"]
        assert session["tools"][0]["description"] == "The tests' words for send_chat."
        asked = asyncio.ensure_future(host.send(Ask, component="vasrating", config=VAS))
        item = await engine.sides[0].expect("conversation.item.create")
        question = json.loads(text_of(item).removeprefix("[context] "))["question"]
        assert question == VAS_QUESTION.replace("How furry?", "How warm?")
        assert await host.send(Disconnect) is None
        assert await asked is not None
        error = await host.send(Connect, **named, tools=["answer_scale", "launch"])
        assert str(error).startswith("The specification has no tool “launch”: it has send_chat,")
        error = await host.send(Connect, **{**named, "specification": str(tmp_path / "none.json")})
        assert "none.json" in str(error)
        assert len(engine.sides) == 1, "what is refused connects to nobody"
    record = only_record(records)
    assert [each["wording"] for kind in ("push", "answer") for each in noted(record, kind)] == ["file", "file"]
    started = noted(record, "record.started")[0]["specification"]
    assert (started["version"], started["source"], len(started["sha256"])) == ("0.2.0", "file", 64)


async def test_our_own_wording_is_named_too(records: Path) -> None:
    async with ScriptedEngine(_greets) as engine, InProcessHost() as host:
        assert await host.send(Connect, engine=engine.url, record_folder=str(records)) is None
        assert [each["name"] for each in engine.sides[0].received[0]["session"]["tools"]] == list(TOOL_NAMES)
        assert await host.send(Disconnect) is None
    started = noted(only_record(records), "record.started")[0]
    assert started["specification"] == {"version": "0.2.0", "source": "own", "sha256": None}


async def test_a_raw_event_is_sent_as_it_stands_and_marked_and_its_audio_is_kept_as_audio(records: Path) -> None:
    async def takes_the_switch(side: EngineSide) -> None:
        await side.greet()
        await side.send("session.updated", session=(await side.expect("session.update"))["session"])

    samples = bytes(range(200)) * 12
    raw = {"type": "input_audio_buffer.append", "audio": base64.b64encode(samples).decode(), "x": 1}
    async with ScriptedEngine(takes_the_switch) as engine, InProcessHost() as host:
        assert await host.send(Connect, engine=engine.url, record_folder=str(records)) is None
        assert await host.send(SetListening, on=False) is None
        assert await host.send(SendEvent, event={"type": "response.cancel"}) is None
        assert await engine.sides[0].expect("response.cancel") == {"type": "response.cancel"}
        assert await host.send(SendEvent, event=raw) is None
        await host.send(SendEvent, event={"type": "last"})
        await engine.sides[0].expect("last")
        assert raw in engine.sides[0].received
        assert await host.send(Disconnect) is None
    record = only_record(records)
    by_seq: dict[int, Entry] = {each.seq: each for each in record.entries}
    marked = [by_seq[each["seq"]] for each in noted(record, "raw")]
    assert [each.type for each in marked] == ["response.cancel", "input_audio_buffer.append", "last"]
    kept = marked[1]
    assert kept.event == {"type": "input_audio_buffer.append", "audio": "", "x": 1}
    assert kept.audio is not None
    assert (kept.audio.track, kept.audio.samples, kept.audio.payload_bytes) == (Track.PARTICIPANT, 1200, 2400)


async def test_a_call_taken_in_hand_stands_in_the_status_until_it_is_answered(records: Path) -> None:
    async def calls(side: EngineSide) -> None:
        await side.greet()
        await side.expect("response.create")
        await side.send("response.created", response={"id": "resp_1", "output_modalities": ["text"]})
        call = {"type": "function_call", "call_id": "call_1", "name": "answer_scale", "arguments": '{"value":170}'}
        await side.send("response.done", response={"id": "resp_1", "status": "completed", "output": [call]})

    async with ScriptedEngine(calls) as engine, InProcessHost() as host:
        assert await host.send(Connect, engine=engine.url, record_folder=str(records)) is None
        assert await host.send(SetCallsInHand, on=True) is None
        asked = asyncio.ensure_future(host.send(Ask, component="vasrating", config=VAS))
        waiting = asyncio.ensure_future(host.send(Ask, component="textinput", config={"question": "Why?"}))
        status = await host.status_with(lambda status: bool(status.held_calls))
        (held,) = status.held_calls
        assert (held.call_id, held.name, held.arguments, held.question) == (
            "call_1",
            "answer_scale",
            '{"value":170}',
            "How warm?",
        )
        assert held.error is not None
        assert (status.calls_in_hand, status.question, status.questions_waiting) == (True, "How warm?", 1)
        assert await host.send(AnswerCall, call_id="call_1", how="accept") is None
        assert await asked is None
        status = await host.status_with(lambda status: not status.held_calls)
        assert (status.question, status.questions_waiting) == ("Why?", 0)
        assert await host.send(Disconnect) is None
        assert await waiting == "The connection ended before this was done."
    record = only_record(records)
    assert [each["call_id"] for each in noted(record, "call.held")] == ["call_1"]
    assert [each["by"] for each in noted(record, "call.answered")] == ["operator"]
    assert [each["value"] for each in noted(record, "answer")] == [170, None]


@pytest.mark.parametrize(
    ("command", "fields"),
    [
        (Push, {"context": {"event": "resumed"}}),
        (Ask, {"component": "vasrating", "config": VAS}),
        (KeepOwnAnswer, {"component": "vasrating", "config": VAS, "value": 5}),
        (SetInstructions, {"instructions": "x"}),
        (RequestReply, {}),
        (CreateResponse, {"response": {}}),
        (SendEvent, {"event": {"type": "x"}}),
        (SetCallsInHand, {"on": True}),
        (AnswerCall, {"call_id": "x", "how": "accept"}),
        (StopReply, {}),
    ],
)
async def test_without_a_session_each_says_why_nothing_happens(command: type[Command], fields: dict[str, Any]) -> None:
    async with InProcessHost() as host:
        assert await host.send(command, **fields) == "There is no session: connect to an engine first."


async def test_in_the_middle_of_a_reply_and_of_speech_all_of_it_leaves_at_once(records: Path) -> None:
    async def talks(side: EngineSide) -> None:
        await side.greet()
        await side.begin_reply("resp_1", "item_1")
        await side.say("resp_1", "item_1", bytes(48_000))
        await side.send("input_audio_buffer.speech_started", audio_start_ms=0, item_id="item_user")

    async with ScriptedEngine(talks) as engine, InProcessHost() as host:
        assert await host.send(Connect, engine=engine.url, record_folder=str(records)) is None
        await host.status_with(lambda status: status.response_active)
        assert await host.send(Push, context={"event": "screen"}, video_chat=False) is None
        assert await host.send(KeepOwnAnswer, component="vasrating", config=VAS, value=5) is None
        assert await host.send(SendEvent, event={"type": "input_audio_buffer.clear"}) is None
        waits = asyncio.ensure_future(host.send(CreateResponse, response={"output_modalities": ["text"]}))
        side = engine.sides[0]
        update = await side.expect("session.update")
        assert update["session"]["audio"]["input"]["turn_detection"] is None
        await side.expect("conversation.item.create")
        await side.expect("input_audio_buffer.clear")
        await side.finish("resp_1", "cancelled")
        assert (await side.expect("response.create"))["response"] == {"output_modalities": ["text"]}
        await side.send("response.created", response={"id": "resp_2", "output_modalities": ["text"]})
        assert await waits is None
        assert await host.send(Disconnect) is None
    assert noted(only_record(records), "own_answer") == [{"component": "vasrating", "config": VAS, "value": 5}]
