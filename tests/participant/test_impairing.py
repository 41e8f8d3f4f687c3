"""The voice between its source and the engine: what is impaired, when recordings begin and end in it, what is noted."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
import soundfile

from simulator.audio.impairments import Impairments
from simulator.errors import UnknownName, UsageError
from simulator.participant.host import InProcessHost
from simulator.participant.impairing import Impairing
from simulator.participant.live_events import LiveEvent, RecordingSaid
from simulator.participant.messages import (
    ChooseVoice,
    Connect,
    Disconnect,
    Impair,
    SetListening,
    SetTalk,
    Speak,
    VoiceKind,
)
from simulator.participant.recordings import Saying, open_recording
from simulator.participant.voice import SpokenChunk
from simulator.record.entries import Track
from simulator.record.reader import audio, read_record
from simulator.units import BLOCK_SAMPLES, NS_PER_MS
from tests.participant.scripted_engine import EngineSide, ScriptedEngine, tone

WORD = Saying("word", BLOCK_SAMPLES, 0.0)


class _Line:
    """The voice, and what came out of it."""

    def __init__(self) -> None:
        self.given: list[SpokenChunk] = []
        self.notes: list[tuple[str, dict[str, object]]] = []
        self.impairing = Impairing(self.given.append, self._note)
        self._chunks = 0

    def _note(self, kind: str, fields: Mapping[str, object]) -> None:
        self.notes.append((kind, dict(fields)))

    def say(self, value: int = 0, started: int | None = None, ended: str | None = None) -> None:
        self._chunks += 1
        samples = np.full(BLOCK_SAMPLES, value, dtype=np.int16)
        begins = (WORD, started) if started is not None else None
        self.impairing.take(SpokenChunk(samples, self._chunks * 20 * NS_PER_MS, False, begins, ended))

    @property
    def sent(self) -> list[int]:
        return [int(chunk.samples[0]) for chunk in self.given if chunk.sent]

    @property
    def recorded(self) -> list[int]:
        return [int(chunk.samples[0]) for chunk in self.given if chunk.recorded]


async def test_a_voice_that_is_not_impaired_passes_as_it_is() -> None:
    line = _Line()
    line.say(5, started=3)
    line.say(6, ended="word")
    assert line.sent == line.recorded == [5, 6]
    assert line.given[0].started == (WORD, 3)
    assert line.given[1].ended == "word"


async def test_a_delayed_recording_begins_and_ends_where_it_is_sent() -> None:
    """50 ms are 1200 samples: what began at sample 100 begins at 1300, which is sample 340 of the third chunk."""
    line = _Line()
    await line.impairing.choose(Impairments(delay_ms=50))
    line.say(1, started=100)
    line.say(2, ended="word")
    for _ in range(3):
        line.say()
    assert [chunk.started for chunk in line.given] == [None, None, (WORD, 340), None, None]
    assert [chunk.ended for chunk in line.given] == [None, None, None, "word", None]


async def test_late_blocks_come_at_once_with_the_next_one_and_are_recorded_in_their_time() -> None:
    line = _Line()
    await line.impairing.choose(Impairments(drop_percent=50, burst_ms=60, dropped="late"))
    for value in range(1, 201):
        line.say(value)
    assert line.recorded == list(range(1, 201))
    assert line.sent == list(range(1, len(line.sent) + 1))
    assert len(line.sent) > 190  # but for what still waits
    places = [place for place, chunk in enumerate(line.given) if not chunk.recorded]
    assert places, "nothing was held up"
    # What was held up is sent when the next block gets through, in its order, and never before it was recorded.
    assert all(not line.given[place - 1].sent or not line.given[place - 1].recorded for place in places)


async def test_skipped_blocks_are_silence_in_the_record_and_nothing_for_the_engine() -> None:
    line = _Line()
    await line.impairing.choose(Impairments(drop_percent=50, dropped="skipped"))
    for value in range(1, 101):
        line.say(value)
    assert len(line.sent) == 50
    assert sorted(line.sent) == line.sent
    assert [value for value in line.recorded if value] == line.sent
    assert len(line.recorded) == 100


async def test_the_record_says_what_was_done_and_what_it_came_to() -> None:
    line = _Line()
    wanted = Impairments(drop_percent=50, delay_ms=20, seed=9)
    await line.impairing.choose(wanted)
    for _ in range(10):
        line.say(1)
    line.impairing.note_end()
    (kind, said), (done, counts) = line.notes
    assert kind == "impairments"
    assert said["active"] is True
    assert (said["drop_percent"], said["delay_ms"], said["dropped"], said["seed"]) == (50, 20, "silent", 9)
    assert done == "impairments.done"
    assert counts == {"blocks": 10, "dropped_blocks": 5, "clipped_samples": 0}


async def test_each_session_begins_with_the_same_losses() -> None:
    line = _Line()
    await line.impairing.choose(Impairments(drop_percent=30, burst_ms=60, seed=4))

    def lost() -> list[bool]:
        line.given.clear()
        line.impairing.note_beginning()
        for _ in range(60):
            line.say(1)
        return [not chunk.samples.any() for chunk in line.given]

    first = lost()
    assert any(first)
    assert lost() == first


async def test_what_cannot_be_done_leaves_everything_as_it_was() -> None:
    line = _Line()
    await line.impairing.choose(Impairments(delay_ms=20))
    with pytest.raises(UsageError, match="delay"):
        await line.impairing.choose(Impairments(delay_ms=60_000))
    with pytest.raises(UnknownName, match="no noise"):
        await line.impairing.choose(Impairments(noise="brown"))
    assert line.impairing.impairments == Impairments(delay_ms=20)


async def test_none_ends_it_and_a_recording_under_way_still_ends() -> None:
    line = _Line()
    await line.impairing.choose(Impairments(delay_ms=1000))
    line.say(1, started=0)
    line.say(2, ended="word")
    await line.impairing.choose(None)
    line.say(3)
    line.say(4)
    assert line.sent == [0, 0, 3, 4]
    assert [chunk.started for chunk in line.given[2:]] == [(WORD, 0), None]
    assert [chunk.ended for chunk in line.given[2:]] == [None, "word"]
    assert line.notes[-1] == ("impairments", {"active": False})
    assert line.impairing.impairments is None


async def test_noise_below_the_speech_is_held_against_the_recording_that_is_said() -> None:
    """Speech of -20 dBFS and a ratio of 20 dB: noise of -40 dBFS, a root mean square of 328."""
    loud = Saying("loud", 48_000, 0.0, speech_dbfs=-20.0)
    line = _Line()
    await line.impairing.choose(Impairments(noise="white", noise_db=20, relative_to="speech"))
    chunk = SpokenChunk(np.zeros(48_000, dtype=np.int16), 0, False, (loud, 0))
    line.impairing.take(chunk)
    line.impairing.take(chunk._replace(started=None))
    noise = line.given[1].samples.astype(np.float64)
    assert np.sqrt(np.mean(noise * noise)) == pytest.approx(328, rel=0.02)


async def _greets(side: EngineSide) -> None:
    await side.greet()
    while True:
        await side.send("session.updated", session=(await side.expect("session.update"))["session"])


async def test_an_engine_gets_what_the_record_says(tmp_path: Path, records: Path) -> None:
    """A tone of 250 ms, 100 ms late: the record's lanes hold what was sent, and the recording begins where it does."""
    soundfile.write(tmp_path / "speech.wav", tone(250), 24_000)
    said: list[LiveEvent] = []
    async with ScriptedEngine(_greets) as engine, InProcessHost(on_event=said.append) as host:
        await host.send(ChooseVoice, kind=VoiceKind.RECORDING, recording=str(tmp_path / "speech.wav"))
        assert await host.send(Impair, impairments={"delay_ms": 100}) is None
        assert await host.send(Impair, impairments={"delay_ms": -5}) is not None
        assert host.status.impairments == Impairments(delay_ms=100)
        await host.send(Connect, engine=engine.url, record_folder=str(records))
        await host.send(SetTalk, down=True)
        await host.status_with(lambda status: RecordingSaid("speech") in said)
        await host.send(Disconnect)
    (path,) = records.glob("*/session.jsonl")
    noted = {entry.type: entry.event for entry in read_record(path).entries}
    assert noted["impairments"]["delay_ms"] == 100
    assert noted["impairments.done"]["blocks"] > 12
    first = noted["recording.started"]["first_sample"]
    sent = audio(path, Track.PARTICIPANT)
    assert np.array_equal(sent[first : first + 6000], tone(250))
    heard = audio(path, Track.HEARD)[:, 0]
    assert np.array_equal(heard[np.flatnonzero(heard)], sent[np.flatnonzero(sent)])


async def test_what_is_said_is_over_when_its_end_has_left(records: Path) -> None:
    """A study that hides the video chat right after it must not cut off what is still on its way."""
    async with ScriptedEngine(_greets) as engine, InProcessHost() as host:
        await host.send(Impair, impairments={"delay_ms": 300})
        await host.send(Connect, engine=engine.url, record_folder=str(records))
        assert await host.send(Speak, recording="one_word") is None
        await host.send(SetListening, on=False)
        await host.send(Disconnect)
    (path,) = records.glob("*/session.jsonl")
    begun = next(entry.event for entry in read_record(path).entries if entry.type == "recording.started")
    word = open_recording("one_word").samples
    sent = audio(path, Track.PARTICIPANT)
    assert np.array_equal(sent[begun["first_sample"] :][: len(word)], word)
