"""What a live session leaves in its folder, with and without audio, and what a slow disk costs it."""

import asyncio
import functools
import json
import shutil
import sys
from pathlib import Path
from threading import Event
from typing import Any

import msgspec
import numpy as np
import pytest
import soundfile

from simulator.engines.profiles import EngineProfile, save_profile
from simulator.participant import recorder
from simulator.participant.host import InProcessHost
from simulator.participant.messages import Connect, Disconnect, PlayStudy, SendEvent
from simulator.record import finishing
from simulator.record.entries import Track
from simulator.record.finishing import is_finished
from simulator.record.folder import delete_session, is_running
from simulator.record.manifest import changes, read_manifest
from simulator.record.reader import audio, audio_lack, read_record
from simulator.record.writer import RecordWriter, open_new
from simulator.study.steps import PushContext, Say, Step, Study
from simulator.study.study_file import read_study
from tests.participant.live_process import LiveProcess, finished
from tests.participant.scripted_engine import EngineSide, ScriptedEngine, tone
from tests.record.raw_files import Stalled

KEY = "sk-planted-0123456789abcdef"
PNG = b"\x89PNG\r\n\x1a\n"


async def _says_something(side: EngineSide) -> None:
    await side.greet()
    await side.begin_reply("resp_1", "item_1")
    await side.say("resp_1", "item_1", tone(100))
    await side.finish("resp_1")
    await side.expect("over")
    await side.send("over.heard")


async def _hold(engine: ScriptedEngine, records: Path, **connect: Any) -> Path:
    """Hold a session in which the agent says 100 ms, and return its folder."""
    heard = asyncio.Event()

    def fed(message: Any) -> None:
        if any(entry.type == "over.heard" for entry in getattr(message, "entries", ())):
            heard.set()

    async with InProcessHost(fed) as host:
        assert await host.send(Connect, record_folder=str(records), **({"engine": engine.url} | connect)) is None
        assert await host.send(SendEvent, event={"type": "over"}) is None
        await heard.wait()
        assert await host.send(Disconnect) is None
    (folder,) = records.iterdir()
    return folder


async def test_a_session_is_finished_after_its_end_by_a_process_of_its_own(records: Path) -> None:
    async with ScriptedEngine(_says_something) as engine:
        folder = await _hold(engine, records)
    await finished(folder)
    assert {path.name for path in folder.iterdir()} >= {
        "session.jsonl",
        "session.agent.flac",
        "settings.json",
        "answers.json",
        "checks.json",
        "manifest.json",
    }
    assert list(folder.glob("*.wav")) == []
    assert np.array_equal(audio(folder, Track.AGENT), tone(100))
    assert read_manifest(folder).ended == "disconnected"
    assert list(changes(folder)) == []
    settings = json.loads((folder / "settings.json").read_text())
    assert settings["tool"]["name"] == "participant-simulator"
    assert settings["versions"]["packages"]["numpy"] == np.__version__
    assert settings["requested"][0]["session"]["type"] == "realtime"


async def test_audio_can_be_left_out_and_the_record_still_says_where_it_was(records: Path) -> None:
    async with ScriptedEngine(_says_something) as engine:
        folder = await _hold(engine, records, keep_audio=False)
    await finished(folder)
    assert [path.name for path in folder.iterdir() if "session." in path.name] == ["session.jsonl"]
    record = read_record(folder)
    assert not record.keeps_audio
    (span,) = (entry.audio for entry in record.entries if entry.audio is not None and entry.audio.track is Track.AGENT)
    assert (span.first_sample, span.samples) == (0, 2400)
    assert audio_lack(record, Track.AGENT) == "The audio was left out of this session on purpose."
    assert len(audio(folder, Track.AGENT)) == 0


@pytest.mark.parametrize("keep_audio", [True, False])
async def test_the_study_that_is_played_lies_in_the_folder_without_the_key(
    records: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keep_audio: bool
) -> None:
    monkeypatch.setenv("LAB_KEY", KEY)
    (tmp_path / "harbour.png").write_bytes(PNG)
    picture = PushContext({"event": "screen", "type": "showimage", "text": ""}, images=(str(tmp_path / "harbour.png"),))
    voice = tmp_path / "my voice.wav"
    soundfile.write(voice, tone(100), 24_000)
    study = Study("With a key", (Step(picture), Step(Say(str(voice)))), instructions=f"The key is {KEY}, keep it.")

    async def greet(side: EngineSide) -> None:
        await side.greet()
        await side.expect("over")

    async with ScriptedEngine(greet) as engine:
        save_profile(EngineProfile(name="lab", url=engine.url, key_env="LAB_KEY"))
        ended = asyncio.Event()

        def fed(message: Any) -> None:
            if any(entry.type == "study.kept" for entry in getattr(message, "entries", ())):
                ended.set()

        async with InProcessHost(fed) as host:
            connect = {"engine": "lab", "record_folder": str(records), "keep_audio": keep_audio}
            assert await host.send(Connect, **connect) is None
            assert await host.send(PlayStudy, study=msgspec.to_builtins(study), speaks=False) is None
            await ended.wait()
            assert await host.send(Disconnect) is None
    (folder,) = records.iterdir()
    await finished(folder)
    assert sorted(path.name for path in (folder / "study files").iterdir()) == (
        ["harbour.png", "my voice.wav"] if keep_audio else ["harbour.png"]
    )
    assert "say: my voice.wav" in (folder / "study.yaml").read_text() or keep_audio
    if keep_audio:
        assert read_study(folder / "study.yaml").instructions == "The key is •••, keep it."
    assert "study.yaml" in {file.name for file in read_manifest(folder).files}
    for path in records.rglob("*"):
        if path.is_file():
            assert KEY.encode() not in path.read_bytes()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not remove a folder with open files")
async def test_a_folder_that_disappears_is_told_and_the_conversation_goes_on(records: Path) -> None:
    async def talk(side: EngineSide) -> None:
        await side.greet()
        while True:
            await side.expect("ping")
            await side.send("pong")

    async with ScriptedEngine(talk) as engine, InProcessHost() as host:
        assert await host.send(Connect, engine=engine.url, record_folder=str(records)) is None
        while not list(records.glob("*/session.jsonl")):  # noqa: ASYNC110 - a thread is waited for
            await asyncio.sleep(0.01)
        shutil.rmtree(records)
        status = await host.status_with(lambda status: not status.recording)
        assert any(lack.startswith("The folder of the record is gone") for lack in status.lacks)
        for _ in range(5):
            assert await host.send(SendEvent, event={"type": "ping"}) is None
        assert await host.send(Disconnect) is None
        (side,) = engine.sides
    assert not records.exists()
    assert sum(event["type"] == "ping" for event in side.received) == 5


async def test_a_participant_process_that_is_killed_leaves_a_session_that_is_finished_later(records: Path) -> None:
    async with ScriptedEngine(_says_something) as engine, LiveProcess() as live:
        assert await live.send(Connect, engine=engine.url, record_folder=str(records)) is None
        await live.entry("response.done")
        (folder,) = records.iterdir()
        while len(audio(folder, Track.AGENT)) < 2400:  # noqa: ASYNC110 - another process is waited for
            await asyncio.sleep(0.02)
        assert is_running(folder)
        finishing.start(folder)  # does nothing to a session that goes on
        live.process.kill()
        await live.process.wait()
    assert not is_running(folder)
    assert not is_finished(folder)
    finishing.start(folder)
    await finished(folder)
    manifest = read_manifest(folder)
    assert manifest.ended is None
    assert manifest.problems[-1].startswith("The session did not come to its end")
    assert np.array_equal(audio(folder, Track.AGENT), tone(100))
    assert delete_session(folder) == []


async def test_a_disk_that_stalls_is_told_at_once_and_the_conversation_goes_on(
    records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moves = Event()
    writer = functools.partial(
        RecordWriter, open_file=lambda path: Stalled(open_new(path), moves), most_waiting_bytes=500_000
    )
    monkeypatch.setattr(recorder, "RecordWriter", writer)

    async def talk(side: EngineSide) -> None:
        await side.greet()
        await side.begin_reply("resp_1", "item_1")
        for _ in range(8):
            await side.say("resp_1", "item_1", tone(2000))
        await side.finish("resp_1")
        while True:
            await side.expect("ping")
            await side.send("pong")

    pongs = asyncio.Semaphore(0)

    def fed(message: Any) -> None:
        for entry in getattr(message, "entries", ()):
            if entry.type == "pong":
                pongs.release()

    async with ScriptedEngine(talk) as engine, InProcessHost(fed) as host:
        assert await host.send(Connect, engine=engine.url, record_folder=str(records)) is None
        await host.status_with(lambda status: any("The disk is too slow" in lack for lack in status.lacks))
        for _ in range(20):
            assert await host.send(SendEvent, event={"type": "ping"}) is None
            await pongs.acquire()
        assert host.status.recording
        moves.set()
        await host.status_with(lambda status: not any("The disk is too slow" in lack for lack in status.lacks))
        assert await host.send(Disconnect) is None
    (folder,) = records.iterdir()
    record = read_record(folder)
    assert record.problems == []
    told = [entry.event for entry in record.entries if entry.type == "record.lost"]
    assert sum(lost["entries"] for lost in told) == sum(entry.type == "entry.lost" for entry in record.entries) > 0
    assert told[0]["sentence"].startswith(f"The disk was too slow: {told[0]['entries']} events and ")
    # What came behind it stands where the events say: 16 s of the agent, lost or not.
    assert len(audio(folder, Track.AGENT)) == 16 * 24_000
