"""The participant's voice as the engine gets it: recording, mute, talk key, listening."""

import base64
import subprocess
from pathlib import Path

import numpy as np
import pytest
import soundfile

from simulator.participant.host import InProcessHost
from simulator.participant.messages import (
    ChooseVoice,
    Connect,
    Disconnect,
    Level,
    SetListening,
    SetMuted,
    SetTalk,
    VoiceKind,
)
from simulator.record.entries import Track
from simulator.record.reader import audio, read_record
from tests.participant.live_process import LiveProcess
from tests.participant.scripted_engine import EngineSide, ScriptedEngine, tone
from tests.rig.sound import SoundServer


async def _take_updates(side: EngineSide) -> None:
    await side.greet()
    while True:
        session = (await side.expect("session.update"))["session"]
        await side.send("session.updated", session=session)


def _appended(side: EngineSide) -> np.ndarray:
    data = [base64.b64decode(event["audio"]) for event in side.received if event["type"] == "input_audio_buffer.append"]
    return np.frombuffer(b"".join(data), dtype="<i2")


@pytest.fixture
def speech(tmp_path: Path) -> Path:
    """A recording of 250 ms without a zero sample."""
    path = tmp_path / "speech.wav"
    soundfile.write(path, tone(250), 24_000)
    return path


class _Said:
    """Counts the recordings that ended."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def __call__(self, event: object) -> None:
        if type(event).__name__ == "RecordingSaid":
            self.names.append(event.name)  # type: ignore[attr-defined]


async def test_the_talk_key_says_the_recording_once_and_whole(speech: Path, records: Path) -> None:
    async with ScriptedEngine(_take_updates) as engine, InProcessHost(on_event=(said := _Said())) as host:
        await host.send(ChooseVoice, kind=VoiceKind.RECORDING, recording=str(speech))
        await host.send(Connect, engine=engine.url, record_folder=str(records))
        assert await host.send(SetTalk, down=True) is None
        assert await host.send(SetTalk, down=False) is None
        await host.status_with(lambda status: said.names == ["speech"] and not status.talking)
        await host.send(Disconnect)
        appended = _appended(engine.sides[0])
    assert np.array_equal(appended[np.flatnonzero(appended)], tone(250))
    (path,) = records.glob("*/session.jsonl")
    record = read_record(path)
    (started,) = (entry for entry in record.entries if entry.type == "recording.started")
    first = started.event["first_sample"]
    track = audio(path, Track.PARTICIPANT)
    assert np.array_equal(track[first : first + 6000], tone(250))
    assert np.array_equal(track, appended)
    heard = audio(path, Track.HEARD)[:, 0]
    assert np.array_equal(heard[np.flatnonzero(heard)], tone(250))


async def test_the_talk_key_stops_a_recording_that_is_being_said(tmp_path: Path) -> None:
    long = tmp_path / "long.wav"
    soundfile.write(long, tone(60_000), 24_000)
    async with InProcessHost() as host:
        await host.send(ChooseVoice, kind=VoiceKind.RECORDING, recording=str(long))
        await host.send(SetTalk, down=True)
        assert host.status.talking
        await host.send(SetTalk, down=True)
        assert not host.status.talking


async def test_mute_replaces_the_voice_by_silence(speech: Path) -> None:
    async with ScriptedEngine(_take_updates) as engine, InProcessHost(on_event=(said := _Said())) as host:
        await host.send(ChooseVoice, kind=VoiceKind.RECORDING, recording=str(speech))
        await host.send(Connect, engine=engine.url)
        await host.send(SetMuted, muted=True)
        await host.send(SetTalk, down=True)
        await host.status_with(lambda _: said.names == ["speech"])
        assert host.status.muted
        await host.send(Disconnect)
        appended = _appended(engine.sides[0])
    assert len(appended) >= 6000
    assert not appended.any()


async def test_nothing_is_appended_while_listening_is_off() -> None:
    async with ScriptedEngine(_take_updates) as engine, InProcessHost() as host:
        await host.send(SetListening, on=False)
        assert not host.status.listening
        await host.send(Connect, engine=engine.url)
        side = engine.sides[0]
        assert side.received[0]["session"]["audio"]["input"]["turn_detection"] is None
        assert await host.send(SetListening, on=True) is None
        await side.expect("input_audio_buffer.append")
        assert await host.send(SetListening, on=False) is None
        position = len(side.received)
        assert await host.send(SetListening, on=True) is None
        # The voice went on meanwhile, and nothing of it was sent.
        assert side.received[position]["type"] == "session.update"


async def test_the_level_is_told_without_a_session(speech: Path) -> None:
    levels: list[Level] = []
    async with InProcessHost(lambda message: levels.append(message) if isinstance(message, Level) else None) as host:
        await host.send(ChooseVoice, kind=VoiceKind.RECORDING, recording=str(speech))
        await host.send(SetTalk, down=True)
        await host.status_with(lambda _: any(level.peak_dbfs > -20 for level in levels))
    # 8,000 of 32,768 is -12.25 dBFS.
    assert max(level.peak_dbfs for level in levels) == pytest.approx(-12.25, abs=0.01)


@pytest.mark.sound
async def test_a_microphone_is_let_through_while_the_talk_key_is_down(sound_server: SoundServer, records: Path) -> None:
    spoken = records.parent / "speech.raw"
    spoken.write_bytes(tone(20_000).tobytes())
    environment = sound_server.env | {"PULSE_SOURCE": sound_server.microphone}
    command = sound_server.command("paplay", f"--device={sound_server.microphone_input}")
    async with ScriptedEngine(_take_updates) as engine, LiveProcess(environment=environment) as live:
        assert await live.send(ChooseVoice, kind=VoiceKind.MICROPHONE) is None
        assert live.status.voice is VoiceKind.MICROPHONE
        assert await live.send(Connect, engine=engine.url, record_folder=str(records)) is None
        with spoken.open("rb") as speech:
            player = subprocess.Popen(command, env=sound_server.env, stdin=speech)  # noqa: ASYNC220
        try:
            side = engine.sides[0]

            async def is_heard() -> None:
                while not np.abs(_appended(side)[-480:]).max(initial=0) > 4000:
                    await side.expect("input_audio_buffer.append")

            async def is_silent(chunks: int) -> None:
                # A chunk may have been on its way when the command came.
                first = len(_appended(side)) + 480
                while len(_appended(side)) < first + 480 * chunks:
                    await side.expect("input_audio_buffer.append")
                assert not _appended(side)[first:].any()

            assert await live.send(SetTalk, down=True) is None
            await is_heard()
            # It is being said all the time, and the key lets it through or not.
            assert await live.send(SetTalk, down=False) is None
            await is_silent(10)
            assert await live.send(SetTalk, down=True) is None
            await is_heard()
            assert await live.send(SetMuted, muted=True) is None
            await is_silent(10)
        finally:
            player.terminate()
            player.wait()
        assert await live.end_input() == 0
