"""Devices that are plugged in and out of a running session: nothing said is lost, and every position stays true."""

import asyncio
import base64
import os
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager, contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.audio.fades import FADE_SAMPLES
from simulator.participant.messages import ChooseOutput, ChooseVoice, Connect, SetTalk, VoiceKind
from simulator.record.reader import read_record
from simulator.units import SAMPLE_RATE_HZ
from tests.participant.live_process import LiveProcess
from tests.participant.scripted_engine import EngineSide, ScriptedEngine
from tests.rig.sound import Plug, SoundServer, recorded, sound_server

LONGEST_GAP = 300 * SAMPLE_RATE_HZ // 1000
PERIOD = 30_000
"""The samples of `counted` tell their own position, up to multiples of 1.25 s."""

Samples = NDArray[np.int16]


def counted(seconds: float) -> Samples:
    """Audio without a zero in which each sample is one larger than the one before."""
    return (np.arange(round(seconds * SAMPLE_RATE_HZ)) % PERIOD + 1).astype(np.int16)


def appended(side: EngineSide) -> Samples:
    """All that the engine was sent of the participant's voice."""
    pieces = [base64.b64decode(e["audio"]) for e in side.received if e["type"] == "input_audio_buffer.append"]
    return np.frombuffer(b"".join(pieces), dtype="<i2")


def stretches(samples: Samples) -> list[tuple[int, int]]:
    """Where sound begins and ends, for each stretch of it."""
    sound = np.concatenate(([0], samples != 0, [0])).astype(int)
    return list(zip(np.flatnonzero(np.diff(sound) == 1), np.flatnonzero(np.diff(sound) == -1), strict=True))


@pytest.fixture
def own_server(sound_server: SoundServer) -> Iterator[SoundServer]:
    """A server whose list of devices may be changed; needs what any needs."""
    with sound_server_of_its_own() as server:
        yield server


sound_server_of_its_own = sound_server


@contextmanager
def plugged(server: SoundServer, *names: str) -> Iterator[list[Plug]]:
    """Devices, none of which is plugged in yet; all are gone afterwards."""
    with ExitStack() as stack:
        plugs = [Plug(server, name) for name in names]
        for plug in plugs:
            stack.callback(plug.unplug)
        yield plugs


@contextmanager
def speaking(plug: Plug, folder: Path) -> Iterator[None]:
    """Say `counted` into the device's microphone for as long as the block lasts."""
    spoken = folder / f"{plug.name}.raw"
    spoken.write_bytes(counted(60).tobytes())
    options = ["--raw", "--format=s16le", "--rate=24000", "--channels=1", "--device=input"]
    with spoken.open("rb") as speech:
        player = subprocess.Popen(["paplay", *options], env=plug.env, stdin=speech)
        try:
            yield
        finally:
            player.terminate()
            player.wait()


def recording(plug: Plug) -> AbstractContextManager[list[bytes]]:
    """Record what the device plays; complete after the block."""
    line = ["pacat", "--record", "--raw", "--format=s16le", "--rate=24000", "--channels=1", "--device=output.monitor"]
    return recorded([*line, "--latency-msec=20"], plug.env)


async def reply(side: EngineSide) -> None:
    """Speak for a minute."""
    await side.greet()
    await side.begin_reply("resp_1", "item_1")
    for piece in np.split(counted(60), 60):
        await side.say("resp_1", "item_1", piece)
    await side.end_audio("resp_1", "item_1")
    await side.finish("resp_1")


async def is_heard(side: EngineSide) -> None:
    """Wait until the engine gets the participant's voice."""
    while not appended(side)[-480:].any():
        await side.expect("input_audio_buffer.append")


async def is_silent(side: EngineSide) -> None:
    """Wait until the engine gets silence."""
    while appended(side)[-480:].any():
        await side.expect("input_audio_buffer.append")


@asynccontextmanager
async def session(
    server: SoundServer, records: Path, *, microphone: str, output: str, is_said: bool = True
) -> AsyncIterator[tuple[LiveProcess, EngineSide]]:
    """A session with these devices, whose microphone is let through and whose agent speaks."""
    async with ScriptedEngine(reply) as engine, LiveProcess(environment=server.env) as live:
        assert await live.send(ChooseVoice, kind=VoiceKind.MICROPHONE, device=microphone, host_api="ALSA") is None
        assert await live.send(ChooseOutput, device=output, host_api="ALSA") is None
        assert await live.send(Connect, engine=engine.url, record_folder=str(records)) is None
        assert await live.send(SetTalk, down=True) is None
        await live.status_with(lambda status: status.agent_heard)
        side = engine.sides[0]
        if is_said:
            await is_heard(side)
        yield live, side
        assert await live.end_input() == 0


def notes(records: Path, kind: str) -> list[dict[str, Any]]:
    (path,) = records.rglob("*.jsonl")
    return [entry.event for entry in read_record(path).entries if entry.type == kind]


def assert_positions_are_true(heard: Samples) -> list[int]:
    """The voice says where it is: each gap between its stretches is as long as what was not heard. Returns gaps."""
    gaps = []
    parts = stretches(heard)
    for (_, end), (start, _) in pairwise(parts):
        said = (int(heard[start]) - int(heard[end - 1])) % PERIOD - 1
        gap = int(start - end)
        # A device's callbacks come in bursts of a block or two.
        assert (gap - said + PERIOD // 2) % PERIOD - PERIOD // 2 == pytest.approx(0, abs=1200)
        gaps.append(gap)
    return gaps


@pytest.mark.sound
async def test_a_device_that_appeared_is_opened_with_a_short_gap_that_is_told(
    own_server: SoundServer, records: Path, tmp_path: Path
) -> None:
    with plugged(own_server, "headset", "speakers") as (headset, speakers):
        headset.plug_in()
        with speaking(headset, tmp_path):
            async with session(own_server, records, microphone="headset", output="headset") as (live, side):
                await asyncio.to_thread(speakers.plug_in)
                assert await live.send(ChooseOutput, device="speakers", host_api="ALSA") is None
                assert live.status.output_name == "speakers"
                assert live.status.talking
                await live.entry("devices.reopened")
                await is_heard(side)
                await side.expect("input_audio_buffer.append")
                heard = appended(side)
    (gap,) = assert_positions_are_true(heard[np.flatnonzero(heard)[0] :])
    assert gap <= LONGEST_GAP
    (note,) = notes(records, "devices.reopened")
    assert note["microphone_silence_samples"] == gap
    assert note["loudspeaker_ms"] > 0
    assert "speakers" in note["why"]


@pytest.mark.sound
async def test_a_device_that_vanishes_is_taken_back_when_it_returns(
    own_server: SoundServer, records: Path, tmp_path: Path
) -> None:
    """Both directions at once, while the agent talks."""
    with plugged(own_server, "headset") as (headset,):
        headset.plug_in()
        with speaking(headset, tmp_path):
            async with session(own_server, records, microphone="headset", output="headset") as (live, side):
                await asyncio.to_thread(headset.unplug)
                status = await live.status_with(lambda status: len(status.lacks) == 2)
                assert status.output_name == "silent clock"
                assert status.voice is VoiceKind.SILENCE
                await is_silent(side)
                await asyncio.to_thread(headset.plug_in)
                with speaking(headset, tmp_path):
                    status = await live.status_with(lambda status: not status.lacks)
                    assert status.output_name == status.voice_name == "headset"
                    assert status.talking
                    await is_heard(side)
    assert {note["direction"] for note in notes(records, "device.returned")} == {"input", "output"}


@pytest.mark.sound
async def test_the_agents_voice_goes_on_where_it_was_on_another_loudspeaker(
    own_server: SoundServer, records: Path
) -> None:
    """What was handed to the first is played to its end there; the other one begins with the next sample."""
    with plugged(own_server, "headset", "speakers") as (headset, speakers):
        headset.plug_in()
        with recording(headset) as first:
            async with session(own_server, records, microphone="headset", output="headset", is_said=False) as (live, _):
                await asyncio.to_thread(speakers.plug_in)
                with recording(speakers) as second:
                    assert await live.send(ChooseOutput, device="speakers", host_api="ALSA") is None
                    await live.entry("devices.reopened")
                    await asyncio.sleep(0.5)
    before, after = (np.frombuffer(b"".join(pieces), dtype="<i2") for pieces in (first, second))
    # Every sample comes once and in order; then 5 ms fade out, and the first 5 ms on the other device rise. Zeros are
    # what a busy computer's sound server put between.
    before, after, said = before[before != 0], after[after != 0], counted(60)
    handed = int(np.argmin(np.append(before == said[: len(before)], False)))
    assert len(before) - handed <= FADE_SAMPLES
    goes_on = int(after[FADE_SAMPLES]) - FADE_SAMPLES - 1
    off = (goes_on - handed + PERIOD // 2) % PERIOD - PERIOD // 2
    assert 0 <= off <= 2  # a sample of the rise may be zero
    rest = after[FADE_SAMPLES:]
    assert np.array_equal(rest, said[handed + off + FADE_SAMPLES :][: len(rest)])


@pytest.mark.sound
async def test_a_device_that_hangs_is_replaced_and_taken_back_when_it_answers_again(
    own_server: SoundServer, records: Path, tmp_path: Path
) -> None:
    with plugged(own_server, "headset") as (headset,):
        process = headset.plug_in()
        with speaking(headset, tmp_path):
            async with session(own_server, records, microphone="headset", output="headset") as (live, side):
                os.kill(process.pid, signal.SIGSTOP)
                await live.status_with(lambda status: len(status.lacks) == 2)
                await is_silent(side)
                os.kill(process.pid, signal.SIGCONT)
                status = await live.status_with(lambda status: not status.lacks)
                assert status.output_name == status.voice_name == "headset"
                await is_heard(side)


@pytest.mark.sound
async def test_a_device_that_hangs_as_it_begins_is_told_of_and_taken_once_it_answers(
    own_server: SoundServer, records: Path
) -> None:
    """Both at once: they are told as slow, not as gone, and nobody has to choose them again."""
    with plugged(own_server, "headset") as (headset,):
        process = headset.plug_in()
        async with ScriptedEngine(reply) as engine, LiveProcess(environment=own_server.env) as live:
            assert await live.send(ChooseOutput, device="none") is None
            assert await live.send(Connect, engine=engine.url, record_folder=str(records)) is None
            os.kill(process.pid, signal.SIGSTOP)
            live.order(ChooseOutput, device="headset", host_api="ALSA")
            live.order(ChooseVoice, kind=VoiceKind.MICROPHONE, device="headset", host_api="ALSA")
            status = await live.status_with(lambda status: bool(status.lacks))
            assert all("takes long" in lack for lack in status.lacks)
            os.kill(process.pid, signal.SIGCONT)
            status = await live.status_with(lambda status: status.voice_name == status.output_name == "headset")
            await live.status_with(lambda status: not status.lacks)
            assert await live.end_input() == 0
    assert {note["code"] for note in notes(records, "problem")} == {"device_slow"}


@pytest.mark.sound
async def test_a_device_that_hangs_for_good_in_the_audio_library_is_played_on_by_a_fresh_one(
    own_server: SoundServer, records: Path
) -> None:
    """The microphone, which is open in the library that is left behind, goes on as well."""
    async with ScriptedEngine(reply) as engine, LiveProcess(environment=own_server.env, hangs="start") as live:
        assert await live.send(ChooseVoice, kind=VoiceKind.MICROPHONE) is None
        error = await live.send(ChooseOutput, device="default", host_api="ALSA")
        assert "did not open within" in (error or "")
        assert await live.send(Connect, engine=engine.url, record_folder=str(records)) is None
        status = await live.status_with(lambda status: status.output_name == "default" and not status.lacks)
        assert status.voice is VoiceKind.MICROPHONE
        await live.status_with(lambda status: status.agent_heard)
        await live.entry("devices.reopened")
        maps = Path(f"/proc/{live.process.pid}/maps").read_text().splitlines()
        assert len({line.split(maxsplit=5)[-1] for line in maps if "libportaudio" in line}) == 2
        assert await live.end_input() == 0


@pytest.mark.sound
async def test_sinks_taken_from_a_sound_server_and_given_back(
    own_server: SoundServer, records: Path, tmp_path: Path
) -> None:
    """The server stays, and its devices vanish; streams have nowhere to go, and no other device has their names."""
    kinds = {"sink": "module-null-sink", "source": "module-remap-source"}
    loaded = own_server.pactl("list", "short", "modules").splitlines()
    own = [line.split("\t") for line in loaded if line.split("\t")[1] in kinds.values()]
    async with session(own_server, records, microphone="default", output="default", is_said=False) as (live, side):
        for number, _, _ in map(_first_three, reversed(own)):
            own_server.pactl("unload-module", number)
        status = await live.status_with(lambda status: len(status.lacks) == 2)
        assert status.output_name == "silent clock"
        before = len(appended(side))
        while len(appended(side)) < before + SAMPLE_RATE_HZ // 5:
            await side.expect("input_audio_buffer.append")
        for _, module, arguments in map(_first_three, own):
            own_server.pactl("load-module", module, *arguments.split())
        status = await live.status_with(lambda status: not status.lacks)
        assert status.output_name == status.voice_name == "default"


def _first_three(fields: list[str]) -> tuple[str, str, str]:
    number, module, arguments = fields[:3]
    return number, module, arguments


@pytest.mark.sound
async def test_a_barge_in_while_the_loudspeaker_is_away_truncates_at_what_was_handed(
    own_server: SoundServer, records: Path
) -> None:
    with plugged(own_server, "headset") as (headset,):
        headset.plug_in()
        async with session(own_server, records, microphone="default", output="headset", is_said=False) as (live, side):
            await asyncio.to_thread(headset.unplug)
            await live.status_with(lambda status: status.output_name == "silent clock")
            assert live.status.voice is VoiceKind.MICROPHONE
            await side.send("input_audio_buffer.speech_started", audio_start_ms=0, item_id="item_2")
            truncated = await side.expect("conversation.item.truncate")
            (cut,) = [entry.event for entry in live.entries if entry.type == "playback.cut"] or [
                (await live.entry("playback.cut")).event
            ]
            await live.status_with(lambda status: not status.agent_heard)
            await asyncio.to_thread(headset.plug_in)
            await live.status_with(lambda status: not status.lacks)
            assert live.status.output_name == "headset"
    assert truncated["item_id"] == "item_1"
    assert truncated["audio_end_ms"] == cut["handed_samples"] * 1000 // SAMPLE_RATE_HZ
    (started,) = notes(records, "playback.started")
    assert started["item_id"] == "item_1"


@pytest.mark.sound
async def test_a_loudspeaker_that_vanished_before_the_session_is_taken_in_once_it_is_there(
    own_server: SoundServer, records: Path
) -> None:
    with plugged(own_server, "headset") as (headset,):
        headset.plug_in()
        async with ScriptedEngine(reply) as engine, LiveProcess(environment=own_server.env) as live:
            assert await live.send(ChooseOutput, device="headset", host_api="ALSA") is None
            await asyncio.to_thread(headset.unplug)
            assert await live.send(Connect, engine=engine.url, record_folder=str(records)) is None
            assert live.status.output_name == "silent clock"
            assert live.status.lacks
            await asyncio.to_thread(headset.plug_in)
            status = await live.status_with(lambda status: not status.lacks)
            assert status.output_name == "headset"
            assert await live.end_input() == 0
