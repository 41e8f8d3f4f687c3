"""The embedded engine of a session thinks with a language model, as a profile of the user's says."""

import json
from pathlib import Path

import pytest

from simulator.engines.profiles import EngineProfile, save_profile
from simulator.engines.thinking import Think
from simulator.participant.messages import ChooseOutput, Connect, Disconnect, RequestReply
from simulator.record.reader import read_record
from tests.engine.chat_server import chat_server, saying
from tests.participant.live_process import LiveProcess

KEY = "sk-planted-0123456789abcdef"


async def test_what_it_says_is_the_model_s(records: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_KEY", KEY)
    async with chat_server() as server:
        server.answers = [saying("The sea ", "is calm today.")]
        save_profile(EngineProfile(name="llama", key_env="MODEL_KEY", think=Think(server.url, "some-model")))
        async with LiveProcess() as live:
            assert await live.send(ChooseOutput, device="none") is None
            assert await live.send(Connect, engine="llama", record_folder=str(records), instructions="Be calm.") is None
            assert live.status.engine == "llama"
            assert await live.send(RequestReply) is None
            done = await live.entry("response.output_audio_transcript.done")
            assert done.event["transcript"] == "The sea is calm today."
            assert await live.send(Disconnect) is None
            # The script is back with the next session.
            assert await live.send(Connect, engine="embedded", record_folder=str(records)) is None
            assert await live.send(Disconnect) is None
            assert KEY.encode() not in live.raw
        asked = server.asked[-1]
        assert (asked.body["model"], asked.headers["authorization"]) == ("some-model", f"Bearer {KEY}")
        assert "Be calm." in json.dumps(asked.body["messages"])
    (path,) = [path for path in records.rglob("session.jsonl") if "llama" in path.parent.name]
    started = read_record(path).entries[0]
    assert started.event["think"] == {"url": server.url, "model": "some-model"}
    assert KEY not in path.read_text()
