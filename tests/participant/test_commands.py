"""What a command may do wrong: it gets its one reply all the same, and nothing else is harmed by it."""

import asyncio
import os
import re
import sys
from pathlib import Path

import pytest

from simulator.engines.profiles import EngineProfile, save_profile
from simulator.participant.host import InProcessHost
from simulator.participant.messages import (
    ChooseVoice,
    Connect,
    ConnectionState,
    Disconnect,
    Mark,
    NoteMark,
    Push,
    RequestReply,
    SetListening,
    SetMuted,
    SetVolume,
    Status,
    VoiceKind,
)
from simulator.record.reader import read_record
from simulator.session.participant import ParticipantSession
from tests.participant.live_process import LiveProcess
from tests.participant.scripted_engine import EngineSide, ScriptedEngine, silent_engine


async def _only_greet(side: EngineSide) -> None:
    await side.greet()


@pytest.mark.parametrize(
    "rest",
    [
        b'"command": "no such command"}',
        b'"command": "push"}',
        b'"command": "choose_voice", "kind": "a choir"}',
    ],
)
async def test_a_command_that_cannot_be_read_gets_its_reply(rest: bytes) -> None:
    async with LiveProcess() as live:
        error = await live.send_raw(b'{"id": 7, ' + rest, 7)
        assert error is not None
        assert error.startswith("A command that cannot be read: ")
        # The next one is executed.
        assert await live.send(SetMuted, muted=True) is None
        assert await live.end_input() == 0


async def test_lines_that_are_no_commands_are_passed_over() -> None:
    async with LiveProcess() as live:
        for line in (
            b"\xff\xfe",
            b"null",
            b"[" * 100_000,
            b'{"id": 7, "a":' * 5000 + b"1" + b"}" * 5000,
            b'{"id": "x", "command": "quit"}',
            b"",
        ):
            live.write(line)
        assert await live.send(SetMuted, muted=True) is None
        assert await live.end_input() == 0


async def test_the_volume_is_set_within_its_bounds_and_stands_in_the_record(records: Path) -> None:
    async with ScriptedEngine(_only_greet) as engine, InProcessHost() as host:
        assert await host.send(SetVolume, db=-12.5) is None
        assert host.status.volume_db == -12.5
        assert await host.send(SetVolume, db=13) == "A volume lies between -60 and 12 dB, not at 13."
        assert await host.send(Connect, engine=engine.url, record_folder=str(records)) is None
        assert await host.send(SetVolume, db=6) is None
        assert await host.send(SetVolume, db=6) is None
        await host.send(Disconnect)
    (path,) = records.glob("*/session.jsonl")
    notes = [entry.event for entry in read_record(path).entries if entry.type == "volume"]
    assert [note["db"] for note in notes] == [-12.5, 6]


async def test_a_mark_stands_in_the_record_at_once_and_its_note_after_it(records: Path) -> None:
    async with ScriptedEngine(_only_greet) as engine, InProcessHost() as host:
        assert await host.send(Mark) == "There is no session: connect to an engine first."
        assert await host.send(Connect, engine=engine.url, record_folder=str(records)) is None
        assert await host.send(NoteMark, note="x") == "No moment of this session was marked yet."
        assert await host.send(Mark, note="first") is None
        assert await host.send(Mark) is None
        assert await host.send(NoteMark, note="she laughs") is None
        path = Path(str(host.status.record_path))
        await host.send(Disconnect)
        assert await host.send(Connect, engine=engine.url, record_folder=str(records)) is None
        assert await host.send(NoteMark, note="x") == "No moment of this session was marked yet."
        await host.send(Disconnect)
    first, second, note = (entry for entry in read_record(path).entries if entry.type.startswith("mark"))
    assert (first.event, second.event) == ({"note": "first"}, {"note": ""})
    assert (note.type, note.event) == ("mark.note", {"mark": second.seq, "note": "she laughs"})


async def test_a_bug_in_a_command_is_its_reply_and_stands_in_the_record(
    records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def with_a_bug(self, *arguments, **named):  # type: ignore[no-untyped-def]
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(ParticipantSession, "request_reply", with_a_bug)
    async with ScriptedEngine(_only_greet) as engine, InProcessHost() as host:
        assert await host.send(Connect, engine=engine.url, record_folder=str(records)) is None
        error = await host.send(RequestReply)
        assert error is not None
        assert error.startswith("The program itself failed at this (ZeroDivisionError)")
        # The session goes on.
        assert await host.send(Push, context={"event": "resumed"}) is None
        assert await host.send(Disconnect) is None
    (path,) = records.glob("*/session.jsonl")
    (problem,) = (entry.event for entry in read_record(path).entries if entry.type == "problem")
    assert (problem["whose"], problem["command"]) == ("ours", "RequestReply")
    assert "with_a_bug" in problem["details"]


async def test_paths_that_no_system_has_are_refused(records: Path) -> None:
    async with ScriptedEngine(_only_greet) as engine, InProcessHost() as host:
        assert await host.send(Connect, engine=engine.url, record_folder=str(records)) is None
        error = await host.send(Push, context={"event": "screen"}, images=["a\0b.png"])
        assert error == "The image 'a\\x00b.png' cannot be read: check the name."
        assert await host.send(Disconnect) is None
        # A record that cannot be made is told, and the session is held all the same.
        assert await host.send(Connect, engine=engine.url, record_folder="a\0b") is None
        status = await host.status_with(lambda status: bool(status.lacks) and not status.recording)
        assert status.connection is ConnectionState.CONNECTED
        # Python's words in the brackets differ between its versions.
        assert re.match(
            r"The record cannot be written \(.*embedded null .*\)\. Choose another folder", status.lacks[-1]
        )
        assert await host.send(Disconnect) is None


@pytest.mark.parametrize("name", ["a" * 5000, "a\0b.wav", "~no_such_user/a.wav"])
async def test_names_of_recordings_that_no_system_has_are_refused(name: str) -> None:
    async with InProcessHost() as host:
        error = await host.send(ChooseVoice, kind=VoiceKind.RECORDING, recording=name)
        assert error is not None
        assert error.startswith("There is no recording ")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no file names that are no text")
async def test_a_folder_whose_name_is_no_text_holds_records_too(tmp_path: Path) -> None:
    data = os.fsencode(tmp_path) + b"/l\xe4b"
    async with (
        ScriptedEngine(_only_greet) as engine,
        LiveProcess(environment={"PARTICIPANT_SIMULATOR_DATA": os.fsdecode(data)}) as live,
    ):
        assert await live.send(Connect, engine=engine.url) is None
        status = await live.status_with(lambda status: status.record_path is not None)
        assert "/l?b/records/" in str(status.record_path)
        assert await live.end_input() == 0
    (record,) = Path(os.fsdecode(data)).glob("records/*/session.jsonl")
    assert read_record(record).entries[-1].type == "record.ended"


async def test_listening_switched_off_while_connecting_is_off_in_the_session() -> None:
    reached, answer = asyncio.Event(), asyncio.Event()

    async def slow(side: EngineSide) -> None:
        session = await side.greet()
        assert session["audio"]["input"]["turn_detection"] is None

    async def hold_back(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Stands between, and lets nothing through before `answer`."""
        reached.set()
        await answer.wait()
        to_engine = await asyncio.open_connection("127.0.0.1", engine.port)
        await asyncio.gather(_pass(reader, to_engine[1]), _pass(to_engine[0], writer))

    async with (
        ScriptedEngine(slow) as engine,
        await asyncio.start_server(hold_back, "127.0.0.1", 0) as door,
        InProcessHost() as host,
    ):
        port = door.sockets[0].getsockname()[1]
        connecting = asyncio.create_task(host.send(Connect, engine=f"ws://127.0.0.1:{port}/"))
        await reached.wait()
        assert await host.send(SetListening, on=False) is None
        answer.set()
        assert await connecting is None
        assert not host.status.listening
        assert await host.send(Disconnect) is None


async def test_a_wish_to_end_while_connecting_is_no_refused_connection() -> None:
    async with silent_engine() as (address, reached), InProcessHost() as host:
        connecting = asyncio.create_task(host.send(Connect, engine=address))
        await reached.wait()
        connecting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await connecting
        assert host.status.connection is ConnectionState.IDLE


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65_536):
        writer.write(data)
    writer.close()


async def test_a_key_that_the_engine_repeats_is_not_shown_either(monkeypatch: pytest.MonkeyPatch) -> None:
    key = "sk-planted-0123456789"
    monkeypatch.setenv("LAB_KEY", key)
    seen: list[Status] = []

    async def repeat(side: EngineSide) -> None:
        await side.send("session.created", session={})
        session = (await side.expect("session.update"))["session"]
        await side.send("session.updated", session={**session, "note": f"for {key}", "instructions": key})
        await side.expect("conversation.item.create")
        await side.socket.close(1008, f"{key} expired")

    async def refuse(side: EngineSide) -> None:
        await side.socket.close(1008, f"{key} is wrong")

    ends: list[str] = []
    async with (
        ScriptedEngine(repeat) as chatty,
        ScriptedEngine(refuse) as strict,
        InProcessHost(
            lambda message: seen.append(message) if isinstance(message, Status) else None,
            on_ended=lambda ended: ends.append(ended.sentence),
        ) as host,
    ):
        for name, engine in (("chatty", chatty), ("strict", strict)):
            save_profile(EngineProfile(name=name, url=engine.url, key_env="LAB_KEY"))
        assert await host.send(Connect, engine="chatty") is None
        assert await host.send(Push, context={"event": "resumed"}) is None
        await host.status_with(lambda status: status.connection is ConnectionState.IDLE)
        error = await host.send(Connect, engine="strict")
        assert error is not None
        assert "“••• is wrong”" in error
    assert ["••• expired" in ends[0], "••• is wrong" in ends[1]] == [True, True]
    assert any(status.session_accepted and status.session_accepted["note"] == "for •••" for status in seen)
    assert key not in repr(seen)
