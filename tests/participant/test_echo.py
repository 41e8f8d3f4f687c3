"""A loudspeaker beside an open microphone, on a real sound server: the echo is told, and kept from the engine."""

import asyncio
import base64
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.audio.audio_files import load_recording
from simulator.audio.recordings import project_recordings
from simulator.participant.messages import (
    ChooseVoice,
    Connect,
    SetEchoCancelling,
    SetHalfDuplex,
    SetTalk,
    VoiceKind,
)
from simulator.record.entries import Track
from simulator.record.reader import audio, read_record
from tests.participant.live_process import LiveProcess
from tests.participant.scripted_engine import EngineSide, ScriptedEngine
from tests.rig.sound import SoundServer

Samples = NDArray[np.int16]


ATTEMPTS = 3
"""A sound server that gets no processor time drops audio, and the echo comes later then, in the midst of a reply."""


def _voice() -> Samples:
    (path,) = (each.path for each in project_recordings() if each.name == "monologue_slt")
    return load_recording(path)[: 6 * 24_000]


class _Speaker:
    """An engine that says the same once more whenever it is told to."""

    def __init__(self) -> None:
        self.wanted = asyncio.Semaphore(0)
        self.replies = 0

    async def __call__(self, side: EngineSide) -> None:
        await side.greet()
        while True:
            await self.wanted.acquire()
            self.replies += 1
            response, item = f"resp_{self.replies}", f"item_{self.replies}"
            await side.begin_reply(response, item)
            await side.say(response, item, _voice())
            await side.end_audio(response, item)
            await side.finish(response)


def _appended(side: EngineSide) -> Samples:
    data = [base64.b64decode(event["audio"]) for event in side.received if event["type"] == "input_audio_buffer.append"]
    return np.frombuffer(b"".join(data), dtype="<i2")


def _rms(samples: Samples) -> float:
    return float(np.sqrt(np.mean(np.square(samples.astype(np.float64)))))


@pytest.mark.sound
async def test_an_echo_is_told_and_half_duplex_or_cancelling_keep_it_from_the_engine(
    sound_server: SoundServer, records: Path
) -> None:
    # The microphone hears exactly what the loudspeaker plays.
    environment = sound_server.env | {"PULSE_SINK": "speaker", "PULSE_SOURCE": sound_server.speaker_monitor}
    speaker = _Speaker()
    async with ScriptedEngine(speaker) as engine, LiveProcess(environment=environment) as live:

        async def one_reply() -> Samples:
            """Let the agent speak, and return what the engine got meanwhile."""
            side = engine.sides[0]
            first = len(_appended(side))
            speaker.wanted.release()
            await live.entry("playback.ended", item_id=f"item_{speaker.replies + 1}")
            await live.status_with(lambda status: not status.agent_heard)
            # What the microphone heard last is still on its way.
            last = len(_appended(side)) + 24_000
            while len(_appended(side)) < last:
                await side.expect("input_audio_buffer.append")
            return _appended(side)[first:]

        assert await live.send(ChooseVoice, kind=VoiceKind.MICROPHONE) is None
        assert await live.send(Connect, engine=engine.url, record_folder=str(records)) is None
        assert await live.send(SetTalk, down=True) is None
        for _ in range(ATTEMPTS):
            as_it_is = await one_reply()
            assert _rms(as_it_is) > 1_000
            warnings = [each for each in live.status.sound if each.code == "echo"]
            if warnings:
                break
        (warning,) = warnings
        assert warning.since_ns > 0
        assert "headphones" in warning.sentence

        assert await live.send(SetHalfDuplex, on=True) is None
        assert live.status.half_duplex
        assert "echo" not in {each.code for each in live.status.sound}
        assert not (await one_reply()).any()

        assert await live.send(SetHalfDuplex, on=False) is None
        assert await live.send(SetEchoCancelling, on=True) is None
        assert live.status.echo_cancelling
        cancelled = await one_reply()
        # It learns within the first seconds.
        assert _rms(cancelled[4 * 24_000 :]) < 0.1 * _rms(as_it_is[4 * 24_000 :])
        assert await live.end_input() == 0
    (path,) = records.rglob("session.jsonl")
    # Between the replies this microphone gives exact silence, which is told as well.
    notes = [entry for entry in read_record(path).entries if entry.event.get("code") == "echo"]
    told = [(entry.type, entry.event.get("because")) for entry in notes]
    assert told == [("sound.warning", None), ("sound.good", "avoided")]
    assert abs(int(notes[0].event["level_db"])) <= 3
    assert audio(path, Track.HEARD).any()
