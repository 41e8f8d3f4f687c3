"""What the participant says by itself, so many seconds after an event of the conversation."""

from pathlib import Path
from typing import Any

import soundfile

from simulator.participant.host import InProcessHost
from simulator.participant.live_events import LiveEvent, RecordingSaid
from simulator.participant.messages import CancelCue, ChooseVoice, Connect, Cue, Disconnect, VoiceKind
from simulator.record.entries import Direction, Entry
from simulator.record.reader import read_record
from simulator.units import NS_PER_MS
from tests.participant.scripted_engine import EngineSide, ScriptedEngine, tone


async def _greets(side: EngineSide) -> None:
    await side.greet()


async def _replies(side: EngineSide, number: int, milliseconds: int = 300) -> None:
    response, item = f"resp_{number}", f"item_{number}"
    await side.begin_reply(response, item)
    await side.say(response, item, tone(milliseconds))
    await side.end_audio(response, item)
    await side.finish(response)


def _entries(folder: Path) -> list[Entry]:
    (path,) = folder.glob("*/session.jsonl")
    return [entry for entry in read_record(path).entries if entry.direction is Direction.NOTED]


def _noted(entries: list[Entry], kind: str) -> list[dict[str, Any]]:
    return [entry.event for entry in entries if entry.type == kind]


def _said_after_ms(entries: list[Entry], since: str, of: str) -> float:
    """Return how long after the first note of a kind its time says the recording began."""
    begun = next(entry for entry in entries if entry.type == "recording.started")
    after = next(entry for entry in entries if entry.type == since)
    return (begun.t_ns - int(after.event[of])) / NS_PER_MS


async def test_a_recording_is_said_so_long_after_the_reply_is_audible(tmp_path: Path, records: Path) -> None:
    soundfile.write(tmp_path / "wait.wav", tone(100), 24_000)
    said: list[LiveEvent] = []
    async with ScriptedEngine(_greets) as engine, InProcessHost(on_event=said.append) as host:
        await host.send(Connect, engine=engine.url, record_folder=str(records))
        wanted = {"after": "reply_begins", "seconds": 0.15, "recording": str(tmp_path / "wait.wav")}
        assert await host.send(Cue, **wanted) is None
        assert host.status.cue == "0.15 s after the reply begins: wait"
        await _replies(engine.sides[0], 1)
        await host.status_with(lambda status: RecordingSaid("wait") in said and status.cue is None)
        await host.send(Disconnect)
    entries = _entries(records)
    assert _noted(entries, "cue.set") == [{"after": "reply_begins", "seconds": 0.15, "repeat": False, "what": "wait"}]
    assert _noted(entries, "cue.said")[0]["late_ms"] >= 0
    assert _said_after_ms(entries, "playback.started", "dac_ns") >= 150


async def test_a_folder_is_said_by_itself_one_after_each_reply(tmp_path: Path, records: Path) -> None:
    """With two recordings the third reply finds nothing more to say, and no cue waits any more."""
    folder = tmp_path / "turns"
    folder.mkdir()
    for name in ("1.wav", "2.wav"):
        soundfile.write(folder / name, tone(60), 24_000)
    said: list[LiveEvent] = []
    async with ScriptedEngine(_greets) as engine, InProcessHost(on_event=said.append) as host:
        await host.send(ChooseVoice, kind=VoiceKind.RECORDING, recording=str(folder))
        await host.send(Connect, engine=engine.url, record_folder=str(records))
        assert await host.send(Cue, after="reply_ends", seconds=0.05, repeat=True) is None
        for number in (1, 2):
            await _replies(engine.sides[0], number)
            await host.status_with(lambda status, number=number: RecordingSaid(str(number)) in said)  # type: ignore[misc]
        assert host.status.cue is None
        await host.send(Disconnect)
    entries = _entries(records)
    assert [each["name"] for each in _noted(entries, "recording.started")] == ["1", "2"]
    assert _noted(entries, "cue.cancelled") == [{"why": "the last recording of the folder was said"}]
    assert _said_after_ms(entries, "playback.ended", "handed_ns") >= 50


async def test_a_cue_follows_the_turn_that_the_engine_took(tmp_path: Path, records: Path) -> None:
    soundfile.write(tmp_path / "more.wav", tone(60), 24_000)
    said: list[LiveEvent] = []
    async with ScriptedEngine(_greets) as engine, InProcessHost(on_event=said.append) as host:
        await host.send(Connect, engine=engine.url, record_folder=str(records))
        await host.send(Cue, after="turn", recording=str(tmp_path / "more.wav"))
        await engine.sides[0].send("input_audio_buffer.committed", item_id="item_1", previous_item_id=None)
        await host.status_with(lambda status: RecordingSaid("more") in said)
        await host.send(Disconnect)


async def test_a_cue_is_cancelled_by_hand_by_another_one_and_with_the_session(tmp_path: Path, records: Path) -> None:
    soundfile.write(tmp_path / "a.wav", tone(60), 24_000)
    path = str(tmp_path / "a.wav")
    async with ScriptedEngine(_greets) as engine, InProcessHost() as host:
        await host.send(Connect, engine=engine.url, record_folder=str(records))
        await host.send(Cue, after="now", seconds=600, recording=path)
        await host.send(Cue, after="now", seconds=500, recording=path)
        assert await host.send(CancelCue) is None
        assert host.status.cue is None
        await host.send(Cue, after="reply_begins", recording=path)
        await host.send(Disconnect)
        assert host.status.cue is None
    entries = _entries(records)
    whys = [each["why"] for each in _noted(entries, "cue.cancelled")]
    assert whys == ["another one took its place", "by hand", "the session ended"]
    assert _noted(entries, "recording.started") == []


async def test_a_cue_that_cannot_be_said_is_refused_with_the_reason(records: Path) -> None:
    async with ScriptedEngine(_greets) as engine, InProcessHost() as host:
        assert "connect" in str(await host.send(Cue, after="now", recording="one_word"))
        await host.send(Connect, engine=engine.url, record_folder=str(records))
        assert "is no recording: choose one" in str(await host.send(Cue, after="now"))
        assert "no recording called" in str(await host.send(Cue, after="now", recording="no_such_word"))
        assert "use 0 to 3600 seconds" in str(await host.send(Cue, after="turn", seconds=-1, recording="one_word"))
        assert "said once" in str(await host.send(Cue, after="now", repeat=True, recording="one_word"))
        assert host.status.cue is None
        await host.send(Disconnect)
