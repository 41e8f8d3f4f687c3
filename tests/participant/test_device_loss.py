"""Devices that go away in mid-session: the user is told, and the session goes on."""

import os
import signal
from pathlib import Path

import pytest

from simulator.participant.messages import ChooseVoice, Connect, ConnectionState, Push, VoiceKind
from simulator.record.reader import read_record
from tests.participant.live_process import LiveProcess
from tests.participant.scripted_engine import EngineSide, ScriptedEngine, tone
from tests.rig.sound import sound_server


@pytest.mark.sound
@pytest.mark.usefixtures("sound_server")
@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGSTOP], ids=["taken away", "hanging"])
async def test_a_lost_loudspeaker_and_microphone_are_told_and_replaced(ending: signal.Signals, records: Path) -> None:
    """Their sound server is taken away, or hangs: then no callback comes any more, and nobody says so."""

    async def speak(side: EngineSide) -> None:
        await side.greet()
        await side.begin_reply("resp_1", "item_1")
        await side.say("resp_1", "item_1", tone(4000))
        await side.end_audio("resp_1", "item_1")
        await side.finish("resp_1")

    with sound_server() as server:
        async with ScriptedEngine(speak) as engine, LiveProcess(environment=server.env) as live:
            assert await live.send(ChooseVoice, kind=VoiceKind.MICROPHONE) is None
            assert await live.send(Connect, engine=engine.url, record_folder=str(records)) is None
            assert live.status.output_name != "silent clock"
            await live.status_with(lambda status: status.agent_heard)
            os.kill(server.pid, ending)
            status = await live.status_with(lambda status: len(status.lacks) == 2)
            assert status.connection is ConnectionState.CONNECTED
            assert status.output_name == "silent clock"
            assert status.voice is VoiceKind.SILENCE
            # The reply goes on to its end on the silent clock, and silence is sent.
            await live.entry("playback.ended", item_id="item_1")
            side = engine.sides[0]
            assert await live.send(Push, context={"event": "resumed"}) is None
            await side.expect("conversation.item.create")
            await side.expect("input_audio_buffer.append")
            assert await live.end_input() == 0
    (path,) = records.rglob("*.jsonl")
    lost = [entry for entry in read_record(path).entries if entry.event.get("code") == "device_lost"]
    assert len(lost) == 2
