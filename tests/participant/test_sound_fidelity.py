"""What is said into a microphone is what the engine gets, and what the engine says is what is heard, to the sample
where nothing is converted: a whole session on a real sound server, with a card of 24 kHz and one that refuses it."""

import asyncio
import base64
import math
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.participant.messages import ChooseVoice, Connect, Disconnect, SetTalk, VoiceKind
from simulator.record.reader import read_record
from simulator.units import NS_PER_MS
from tests.audio.fidelity import difference_db, voice_at
from tests.participant.live_process import LiveProcess
from tests.participant.scripted_engine import EngineSide, ScriptedEngine, tone
from tests.rig.sound import SoundServer, recorded

Samples = NDArray[np.int16]

SPOKEN_SEED, REPLY_SEED = 5, 6
INTERRUPTED = tone(4000)

WITHIN_DB = {24_000: -200.0, 44_100: -60.0}
"""Sample for sample where nothing is converted."""
ATTEMPTS = 3
"""A sound server that gets no processor time loses audio, whatever the program does."""


@dataclass(frozen=True)
class Card:
    """A sound card of one rate: a sink to play on, and one into which is said what its microphone hears."""

    server: SoundServer
    rate_hz: int
    channels: int

    @property
    def environment(self) -> dict[str, str]:
        return self.server.env | {"PULSE_SINK": "card_out", "PULSE_SOURCE": "card_in.monitor"}

    def _command(self, *arguments: str) -> list[str]:
        return ["pacat", "--raw", "--format=s16le", f"--rate={self.rate_hz}", f"--channels={self.channels}", *arguments]

    async def say(self, channels: Samples) -> None:
        """Say samples of shape (n, channels) into the microphone."""
        command = self._command("--playback", "--device=card_in", "--latency-msec=400")
        process = await asyncio.create_subprocess_exec(*command, env=self.server.env, stdin=asyncio.subprocess.PIPE)
        await process.communicate(channels.astype("<i2").tobytes())
        assert process.returncode == 0

    def recorded(self) -> AbstractContextManager[list[bytes]]:
        """Record what the card plays, from before the block until it ends; what was recorded is complete after it."""
        command = self._command("--record", "--device=card_out.monitor", "--latency-msec=20")
        return recorded(command, self.server.env, self.rate_hz // 100 * 2 * self.channels)


@pytest.fixture(params=[(24_000, 1), (44_100, 2)], ids=["24 kHz", "44.1 kHz stereo"])
def card(request: pytest.FixtureRequest, sound_server: SoundServer) -> Iterator[Card]:
    rate_hz, channels = request.param
    form = ("norewinds=1", f"rate={rate_hz}", f"channels={channels}", "format=s16le")
    modules = [
        sound_server.pactl("load-module", "module-null-sink", f"sink_name={name}", *form)
        for name in ("card_out", "card_in")
    ]
    yield Card(sound_server, rate_hz, channels)
    for module in modules:
        sound_server.pactl("unload-module", module.strip())


async def speaks_twice(side: EngineSide) -> None:
    """Say something whole, and something long that the participant interrupts."""
    await side.greet()
    pause = np.zeros(4800, dtype=np.int16)
    for number, said in ((1, np.concatenate((voice_at(24_000, seed=REPLY_SEED), pause))), (2, INTERRUPTED)):
        response, item = f"resp_{number}", f"item_{number}"
        await side.begin_reply(response, item)
        for piece in np.split(said, 10):
            await side.say(response, item, piece)
        await side.end_audio(response, item)
        await side.finish(response)


def appended(side: EngineSide) -> Samples:
    """All that the engine was sent of the participant's voice."""
    pieces = [base64.b64decode(e["audio"]) for e in side.received if e["type"] == "input_audio_buffer.append"]
    return np.frombuffer(b"".join(pieces), dtype="<i2")


async def half_a_second(side: EngineSide) -> None:
    """Wait until the engine got half a second more of the participant's voice."""
    until = len(appended(side)) + 12_000
    while len(appended(side)) < until:
        await side.expect("input_audio_buffer.append")


async def converses(card: Card, records: Path) -> tuple[Samples, Samples, dict[str, Any]]:
    """Hold the session; return what the engine got, what was heard, and the truncation that it was sent."""
    spoken = voice_at(card.rate_hz, seed=SPOKEN_SEED)
    said = np.zeros((len(spoken), card.channels), dtype=np.int16)
    # On a card with two channels the voice comes in on the second, and something else on the first.
    said[:, 0] = voice_at(card.rate_hz, seed=9)
    said[:, -1] = spoken
    channel = 2 if card.channels == 2 else None
    form = (card.rate_hz, card.channels) if card.rate_hz != 24_000 else None
    with card.recorded() as pieces:
        async with ScriptedEngine(speaks_twice) as engine, LiveProcess(environment=card.environment, card=form) as live:
            assert await live.send(ChooseVoice, kind=VoiceKind.MICROPHONE, channel=channel) is None
            assert await live.send(Connect, engine=engine.url, record_folder=str(records)) is None
            assert await live.send(SetTalk, down=True) is None
            side = engine.sides[0]
            await card.say(said)
            await live.entry("playback.started", item_id="item_2")
            await half_a_second(side)
            await side.send("input_audio_buffer.speech_started", audio_start_ms=0, item_id="spoken")
            truncate = await side.expect("conversation.item.truncate")
            await side.send("conversation.item.truncated", **{k: v for k, v in truncate.items() if k != "type"})
            await half_a_second(side)
            assert await live.send(Disconnect) is None
            assert await live.end_input() == 0
        got = appended(side)
    heard = np.frombuffer(b"".join(pieces), dtype="<i2").reshape(-1, card.channels)
    assert (heard == heard[:, :1]).all()
    return got, heard[:, 0], truncate


@pytest.mark.sound
async def test_both_voices_arrive_as_they_were_said_and_a_barge_in_is_where_it_was_heard(
    card: Card, records: Path
) -> None:
    for attempt in range(ATTEMPTS):
        folder = records / str(attempt)
        got, heard, truncate = await converses(card, folder)
        differences = _difference(got, 24_000, SPOKEN_SEED), _difference(heard, card.rate_hz, REPLY_SEED)
        if max(differences) < WITHIN_DB[card.rate_hz]:
            break
    assert max(differences) < WITHIN_DB[card.rate_hz]
    _check_barge_in(card, heard, truncate, folder)


def _difference(arrived: Samples, rate_hz: int, said: int) -> float:
    """Return by how many dB what arrived differs from what was said; minus infinity where it is the same."""
    voice = voice_at(rate_hz, seed=said)
    difference, begins = difference_db(voice, arrived)
    first = max(0, round(begins))
    return -math.inf if np.array_equal(arrived[first : first + len(voice)], voice) else difference


def _check_barge_in(card: Card, heard: Samples, truncate: dict[str, Any], records: Path) -> None:
    (path,) = records.rglob("session.jsonl")
    notes = {entry.type: entry.event for entry in read_record(path).entries}
    _check_forms(card, notes)
    # The second reply is a square wave: loud from its first sample to its last.
    first_reply_ends = round(difference_db(voice_at(card.rate_hz, seed=REPLY_SEED), heard)[1]) + card.rate_hz
    loud = first_reply_ends + np.flatnonzero(np.abs(heard[first_reply_ends:].astype(int)) > 4000)
    burst_ms = (loud[-1] + 1 - loud[0]) * 1000 / card.rate_hz
    assert np.diff(loud).max() < card.rate_hz // 1000
    assert truncate["item_id"] == "item_2"
    assert abs(burst_ms - truncate["audio_end_ms"]) <= 20
    # Not more was heard than what the device had asked for when the cut came, a block, and the device's queue.
    cut, started = notes["barge_in"], notes["playback.started"]
    queue_ms = (cut["inaudible_ns"] - cut["last_sound_handed_ns"]) / NS_PER_MS
    assert burst_ms <= (cut["cut_ns"] - started["handed_ns"]) / NS_PER_MS + 20 + queue_ms
    assert not heard[loud[-1] + card.rate_hz // 50 :].any()
    assert len(heard) > loud[-1] + card.rate_hz // 10


def _check_forms(card: Card, notes: dict[str, dict[str, Any]]) -> None:
    """The record says in which form the devices were opened."""
    for chosen, channel in (("voice.chosen", 2 if card.channels == 2 else None), ("output.chosen", None)):
        form = {name: notes[chosen][name] for name in ("sample_rate_hz", "channels", "channel", "conversion_delay_ms")}
        assert form == {
            "sample_rate_hz": card.rate_hz,
            "channels": card.channels,
            "channel": channel,
            "conversion_delay_ms": 0 if card.rate_hz == 24_000 else pytest.approx(50 / 24, abs=0.001),
        }
