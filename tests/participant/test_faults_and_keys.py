"""A bug of ours ends the session in order, and no key gets into any file or onto the feed."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from simulator.engines.profiles import EngineProfile, FromEnvironment, save_profile
from simulator.participant.host import InProcessHost
from simulator.participant.messages import (
    Connect,
    ConnectionState,
    Disconnect,
    SendEvent,
    SetCallsInHand,
    SetInstructions,
)
from simulator.protocol.server_events import UnknownEvent
from simulator.record.export import FORMS, export
from simulator.record.reader import read_record
from simulator.record.session_cache import CACHE
from simulator.record.sessions import sessions
from simulator.session.participant import ParticipantSession
from tests.participant.live_process import LiveProcess, finished
from tests.participant.scripted_engine import EngineSide, ScriptedEngine

if TYPE_CHECKING:
    from simulator.participant.connection import Ended

KEY = "sk-planted-0123456789abcdef"
HEADER = "hunter2-in-a-header"


async def test_a_bug_of_ours_ends_the_session_in_order_and_says_so(
    records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    received = ParticipantSession.received

    def with_a_bug(self, event, seq, now_ns):  # type: ignore[no-untyped-def]
        if isinstance(event, UnknownEvent):
            raise ZeroDivisionError("a bug")
        return received(self, event, seq, now_ns)

    monkeypatch.setattr(ParticipantSession, "received", with_a_bug)

    async def trigger(side: EngineSide) -> None:
        await side.greet()
        await side.send("vendor.odd")

    ends: list[Ended] = []
    async with ScriptedEngine(trigger) as engine, InProcessHost(on_ended=ends.append) as host:
        await host.send(Connect, engine=engine.url, record_folder=str(records))
        await host.status_with(lambda status: status.connection is ConnectionState.IDLE and bool(ends))
        (end,) = ends
        assert end.sentence.startswith("The program itself failed (ZeroDivisionError)")
    (path,) = records.glob("*/session.jsonl")
    record = read_record(path)
    (problem,) = (entry.event for entry in record.entries if entry.type == "problem")
    assert problem["whose"] == "ours"
    assert "with_a_bug" in problem["details"]
    assert record.entries[-1].type == "record.ended"


async def test_a_key_reaches_the_engine_and_nothing_else(records: Path, tmp_path: Path) -> None:
    async def repeat_the_key(side: EngineSide) -> None:
        await side.greet()
        key = side.headers["authorization"].removeprefix("Bearer ")
        message = f"The key {key} and the header {side.headers['x-secret']} are wrong."
        await side.send("error", error={"type": "server_error", "code": "odd", "message": message})
        await side.socket.send(f"no JSON but {key}")
        update = await side.expect("session.update")
        await side.send("session.updated", session=update["session"])
        call = {"type": "function_call", "call_id": "c", "name": f"tool {key}", "arguments": f'{{"message":"{key}"}}'}
        await side.expect("before_the_call")
        await side.expect("input_audio_buffer.append")
        await side.send("response.created", response={"id": "resp_1"})
        await side.send("response.done", response={"id": "resp_1", "status": "completed", "output": [call]})
        for piece in ("It is ", *key, ", is it not?"):  # and never done
            await side.send("response.output_audio_transcript.delta", response_id="r", item_id="said", delta=piece)
        await side.expect("last")
        await side.socket.close(4000, f"bye {key}")

    environment = {"LAB_KEY": KEY, "LAB_HEADER": HEADER}
    async with ScriptedEngine(repeat_the_key) as engine:
        save_profile(
            EngineProfile(
                name="lab", url=engine.url, key_env="LAB_KEY", headers={"X-Secret": FromEnvironment("LAB_HEADER")}
            )
        )
        async with LiveProcess(environment=environment) as live:
            assert await live.send(Connect, engine="lab", record_folder=str(records)) is None
            assert await live.send(SetInstructions, instructions=f"Be brief, {KEY}.") is None
            assert await live.send(SetCallsInHand, on=True) is None
            assert await live.send(SendEvent, event={"type": "before_the_call"}) is None
            assert (await live.status_with(lambda status: bool(status.held_calls))).held_calls[0].name == "tool •••"
            assert await live.send(SendEvent, event={"type": "last"}) is None
            await live.entry("connection.closed")
            await live.send(Disconnect)
            assert await live.end_input() == 0
        (side,) = engine.sides
    assert side.headers["authorization"] == f"Bearer {KEY}"
    assert side.headers["x-secret"] == HEADER
    assert side.headers["openai-safety-identifier"].startswith("hs-")
    assert "openai-beta" not in side.headers
    assert any("•••" in str(entry.event) for entry in live.entries)
    (session,) = records.iterdir()
    await finished(session)
    export(session, FORMS, tmp_path / "export")
    export(session, ["csv"], tmp_path / "export", redacted=True)
    assert [each.facts.agent_turns for each in sessions(records)] == [1]
    assert "It is " in (tmp_path / "export" / f"{session.name.replace(' ', '_')}.turns.csv").read_text(encoding="utf-8")
    assert (records / CACHE).exists()
    for text in (live.raw, *(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())):
        assert KEY.encode() not in text
        assert HEADER.encode() not in text


async def test_each_session_has_a_pseudonym_of_its_own() -> None:
    async def greet(side: EngineSide) -> None:
        await side.greet()

    async with ScriptedEngine(greet) as engine, InProcessHost() as host:
        for _ in range(2):
            assert await host.send(Connect, engine=engine.url) is None
            assert await host.send(Disconnect) is None
        first, second = (side.headers["openai-safety-identifier"] for side in engine.sides)
    assert first.startswith("hs-")
    assert first != second
