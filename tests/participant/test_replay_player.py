"""A recorded participant in a live session: what the engine gets, when, and what the record says of it."""

import asyncio
import base64
import json
import subprocess
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray

from simulator.participant import replay_player, replay_runner
from simulator.participant.host import InProcessHost
from simulator.participant.messages import (
    ChooseVoice,
    Connect,
    Disconnect,
    PlayStudy,
    Replay,
    SetListening,
    SetMuted,
    SetTalk,
    Speak,
    StopReplay,
    StopStudy,
    VoiceKind,
)
from simulator.participant.replay_runner import ReplayRunner
from simulator.record.entries import Direction, Entry, Track
from simulator.record.reader import audio, read_record
from simulator.record.replay.deeds import Plan, Say
from simulator.record.replay.plan import plan
from simulator.study.steps import Step, Study, Wait
from tests.participant.live_process import LiveProcess
from tests.participant.scripted_engine import EngineSide, ScriptedEngine, tone
from tests.record.replay.replayed import Session
from tests.rig.sound import SoundServer

MS = 24
"""Samples of a millisecond."""
PNG = b"\x89PNG\r\n\x1a\nnot really"
TIMER = {"event": "timer", "secondsLeft": 30}


def _conversation() -> Session:
    """The session begins at 100 ms; two speeches, each with its reply, and a push after the first reply."""
    session = Session().says(500, 700)
    session.reply("a", 1_000, 1_300)
    session.push(1_350, TIMER)
    session.says(1_900, 2_100)
    session.reply("b", 2_300, 2_500)
    return session.end(2_600)


class _Talker:
    """An engine that replies 350 ms after each speech's last loud sample, with 200 ms of voice each time."""

    def __init__(self, replies: int = 1) -> None:
        self.replies = replies
        self.number = 0

    async def __call__(self, side: EngineSide) -> None:
        await side.greet()
        while True:
            await self.turn(side)
            for _ in range(self.replies):
                await self.reply(side, 200)

    async def turn(self, side: EngineSide, silence_ms: int = 350) -> None:
        """Return when something was said, and silence came after it."""
        begin, spoken = len(_heard(side)), False
        while True:
            heard = _heard(side)[begin:]
            spoken = spoken or bool(heard.any())
            if spoken and len(heard) >= silence_ms * MS and not heard[-silence_ms * MS :].any():
                return
            await _more(side)

    async def reply(self, side: EngineSide, milliseconds: int) -> None:
        self.number += 1
        response, item = f"resp_{self.number}", f"item_{self.number}"
        await side.begin_reply(response, item)
        await side.say(response, item, tone(milliseconds))
        await side.end_audio(response, item)
        await side.finish(response)


def _heard(side: EngineSide) -> NDArray[np.int16]:
    data = [base64.b64decode(each["audio"]) for each in side.received if each["type"] == "input_audio_buffer.append"]
    return np.frombuffer(b"".join(data), dtype="<i2")


async def _more(side: EngineSide) -> None:
    side._arrived.clear()
    await side._arrived.wait()


async def _silent(side: EngineSide) -> None:
    await side.greet()


@asynccontextmanager
async def _session(script: Any, records: Path) -> AsyncIterator[tuple[InProcessHost, EngineSide]]:
    async with ScriptedEngine(script) as engine, InProcessHost() as host:
        assert await host.send(Connect, engine=engine.url, record_folder=str(records)) is None
        yield host, engine.sides[0]


async def _replayed(host: InProcessHost, source: Path, by: str = "replies") -> None:
    assert await host.send(Replay, record=str(source), by=by) is None
    await host.status_with(lambda status: status.replay is None)


def _record(records: Path) -> Path:
    (path,) = records.glob("*/session.jsonl")
    return path


def _notes(records: Path, *kinds: str) -> list[Entry]:
    return [each for each in read_record(_record(records)).entries if each.type in kinds]


def _fields(records: Path, kind: str) -> list[Any]:
    return [each.event for each in _notes(records, kind)]


def _whats(records: Path) -> list[str]:
    return [each["what"] for each in _fields(records, "replay.act")]


def _progress(host: InProcessHost) -> tuple[int, int] | None:
    replay = host.status.replay
    return None if replay is None else (replay.done, replay.acts)


def _end(records: Path) -> Any:
    (ended,) = _fields(records, "replay.ended")
    return ended


async def test_everything_is_done_again_so_long_after_the_replies_as_it_was(tmp_path: Path, records: Path) -> None:
    conversation = _conversation()
    conversation.noted(60, "study.started", name="Tea talk")
    source = conversation.write(tmp_path / "source")
    async with _session(_Talker(), records) as (host, _side):
        await _replayed(host, source)
        assert await host.send(Disconnect) is None
    assert _whats(records) == ["speech of 0.7 s", "timer", "speech of 0.7 s"]
    (started,) = _fields(records, "replay.started")
    assert (started["of"], started["by"], started["acts"], started["lacks"]) == ("source", "replies", 3, [])
    assert started["studies"] == ["Tea talk"]
    assert _end(records) == {"end": "finished", "missed": 0, "refused": 0}
    before, after = plan(source), plan(_record(records))
    assert [(type(each.deed), each.after) for each in after.acts] == [
        (type(each.deed), each.after) for each in before.acts
    ]
    assert after.exchanges == 2
    acts = _fields(records, "replay.act")
    assert [each["after_ms"] for each in acts] == [200, 50, 400]
    # The first loud sample of the second speech was 600 ms after the reply's end; the lane keeps within 1 ms of times.
    heard = np.flatnonzero(audio(_record(records), Track.HEARD)[:, 0])
    loud = heard[np.flatnonzero(np.diff(heard) > 1_000 * MS // 2)[0] + 1]
    reply_ended_ns = _fields(records, "playback.ended")[0]["handed_ns"]  # audible at once with the silent clock
    assert loud / MS - reply_ended_ns / 1e6 == pytest.approx(600 + acts[2]["late_ms"], abs=1.1)


async def test_what_was_said_reaches_the_engine_sample_by_sample(tmp_path: Path, records: Path) -> None:
    session = _conversation()
    source = session.write(tmp_path / "source")
    async with _session(_Talker(), records) as (host, side):
        await _replayed(host, source)
        assert await host.send(Disconnect) is None
        sent = _heard(side)
    says = [each.deed for each in plan(source).acts if isinstance(each.deed, Say)]
    noted = _fields(records, "recording.started")
    assert [each["name"] for each in noted] == ["source, speech 1", "source, speech 2"]
    voice = np.pad(session.voice, (0, 24_000))
    for say, note in zip(says, noted, strict=True):
        assert note["samples"] == say.samples
        said = sent[note["first_sample"] : note["first_sample"] + say.samples]
        assert np.array_equal(said, voice[say.first_sample : say.first_sample + say.samples])
    assert np.count_nonzero(sent) == np.count_nonzero(voice)  # and nothing else


async def test_by_the_clock_the_whole_voice_is_as_it_was(tmp_path: Path, records: Path) -> None:
    session = _conversation()
    rng = np.random.default_rng(7)
    session.voice = np.where(session.voice, session.voice, rng.integers(-20, 20, len(session.voice), dtype=np.int16))
    source = session.write(tmp_path / "source")
    async with _session(_silent, records) as (host, side):
        await _replayed(host, source, by="clock")
        sent = _heard(side)
        assert await host.send(Disconnect) is None
    before = plan(source)
    say = next(each.deed for each in before.acts if isinstance(each.deed, Say))
    note = _fields(records, "recording.started")[0]
    begins = note["first_sample"] - (say.first_sample - before.voice_from_sample)
    voice = session.voice[before.voice_from_sample :]
    assert len(voice) == 2_000 * MS
    assert np.array_equal(sent[begins : begins + len(voice)], voice)
    assert [each["after"] for each in _fields(records, "replay.act")] == ["beginning"] * 3
    assert [each["after_ms"] for each in _fields(records, "replay.act")] == [200, 1_250, 1_600]
    assert _end(records) == {"end": "finished", "missed": 0, "refused": 0}


async def test_pushes_have_their_pictures_and_the_order_is_kept(tmp_path: Path, records: Path) -> None:
    url = "data:image/png;base64," + base64.b64encode(PNG).decode()
    session = Session()
    session.push(150, {"event": "screen", "images": ["attached: one"]}, images=(url,))
    session.noted(160, "part", name="Two")
    session.sent(160, "session.update", session={"instructions": "Be brief."})
    session.received(161, "session.updated", session={"instructions": "Be brief."})
    session.push(170, TIMER)
    session.request(180, output_modalities=["audio"], instructions="Say hello.")
    source = session.end(200).write(tmp_path / "source")

    async def obedient(side: EngineSide) -> None:
        await side.greet()
        updated = await side.expect("session.update")
        await side.send("session.updated", session={**updated["session"], "type": "realtime"})
        await side.expect("response.create")
        await side.begin_reply("r", "i")

    async with _session(obedient, records) as (host, side):
        await _replayed(host, source)
        assert await host.send(Disconnect) is None
    sent = [each for each in side.received if each["type"] != "input_audio_buffer.append"][1:]
    assert [each["type"] for each in sent] == [
        "conversation.item.create",
        "session.update",
        "conversation.item.create",
        "response.create",
    ]
    assert sent[0]["item"]["content"][1] == {"type": "input_image", "image_url": url}
    assert sent[1]["session"]["instructions"] == "Be brief."
    assert json.loads(sent[2]["item"]["content"][0]["text"].removeprefix("[context] ")) == TIMER
    assert sent[3]["response"] == {"output_modalities": ["audio"], "instructions": "Say hello."}
    assert _fields(records, "part") == [{"name": "Two"}]
    assert _end(records)["refused"] == 0


def _asked() -> Session:
    session = Session()
    asked: dict[str, Any] = {"component": "textinput", "config": {"question": "Why?"}, "attempts": 1}
    question = {"event": "question", "tool": "answer_text", "question": "Why?"}
    session.push(150, question, **asked, during_video=False, shown_on="screen", wording="own")
    return session.end(200)


async def test_a_question_is_asked_again_and_its_answer_waited_for(tmp_path: Path, records: Path) -> None:
    source = _asked().write(tmp_path / "source")

    async def answers(side: EngineSide) -> None:
        await side.greet()
        await side.expect("response.create")
        await asyncio.sleep(0.3)  # the record is over by now
        call = {"type": "function_call", "call_id": "c", "name": "answer_text", "id": "i", "status": "completed"}
        await side.send("response.created", response={"id": "r", "status": "in_progress"})
        await side.finish("r", output=[{**call, "arguments": '{"text": "Because."}'}])

    async with _session(answers, records) as (host, _side):
        await _replayed(host, source)
        assert await host.send(Disconnect) is None
    assert [each["value"] for each in _fields(records, "answer")] == ["Because."]
    assert _end(records) == {"end": "finished", "missed": 0, "refused": 0}


async def test_a_question_without_an_answer_is_given_up(
    tmp_path: Path, records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay_player, "ANSWERED_WITHIN_S", 0.2)
    source = _asked().write(tmp_path / "source")
    async with _session(_silent, records) as (host, _side):
        await _replayed(host, source)
        assert host.status.question is None
        assert await host.send(Disconnect) is None
    assert _fields(records, "replay.refused") == [
        {"number": 1, "sentence": "This was not done within 0.2 s of the end of all else."}
    ]
    assert _end(records) == {"end": "finished", "missed": 0, "refused": 1}


async def test_an_engine_that_never_replies_misses_each_reply_and_the_replay_goes_on(
    tmp_path: Path, records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay_runner, "REPLY_WITHIN_NS", 200_000_000)
    source = _conversation().write(tmp_path / "source")
    async with _session(_silent, records) as (host, _side):
        await _replayed(host, source)
        assert await host.send(Disconnect) is None
    assert _whats(records) == ["speech of 0.7 s", "timer", "speech of 0.7 s"]
    assert _fields(records, "replay.missed") == [
        {"exchange": 1, "what": "no reply came"},
        {"exchange": 2, "what": "no reply came"},
    ]
    assert _end(records) == {"end": "finished", "missed": 2, "refused": 0}


async def test_an_engine_that_replies_twice_is_heard_out(tmp_path: Path, records: Path) -> None:
    source = _conversation().write(tmp_path / "source")
    async with _session(_Talker(replies=2), records) as (host, _side):
        await _replayed(host, source)
        assert await host.send(Disconnect) is None
    kinds = [each.type for each in _notes(records, "replay.act", "playback.started", "playback.ended")]
    reply = ["playback.started", "playback.ended"]
    # The push and the second speech come after the second reply's end.
    assert kinds[:7] == ["replay.act", *reply, *reply, "replay.act", "replay.act"]
    assert _end(records) == {"end": "finished", "missed": 0, "refused": 0}


async def test_an_engine_that_takes_a_pause_for_the_end_is_cut_and_its_next_reply_counts(
    tmp_path: Path, records: Path
) -> None:
    session = Session().says(300, 500).says(1_100, 1_300)  # a pause of 600 ms within one speech
    session.reply("a", 1_900, 2_100)
    session.push(2_200, TIMER)
    source = session.end(2_300).write(tmp_path / "source")

    async def hasty(side: EngineSide) -> None:
        engine = _Talker()
        await side.greet()
        await engine.turn(side, 200)
        await engine.reply(side, 3_000)
        before = np.count_nonzero(_heard(side))
        while np.count_nonzero(_heard(side)) == before:
            await _more(side)
        await side.send("input_audio_buffer.speech_started", audio_start_ms=0, item_id="u")
        await engine.turn(side, 400)
        await engine.reply(side, 200)

    async with _session(hasty, records) as (host, _side):
        await _replayed(host, source)
        assert await host.send(Disconnect) is None
    kinds = [each.type for each in _notes(records, "replay.act", "playback.started", "playback.cut", "playback.ended")]
    early = ["playback.started", "playback.cut"]
    assert kinds == ["replay.act", *early, "playback.started", "playback.ended", "replay.act"]
    assert _end(records)["missed"] == 0


async def test_the_session_that_ends_ends_the_replay(tmp_path: Path, records: Path) -> None:
    async def leaves(side: EngineSide) -> None:
        await side.greet()
        await _Talker().turn(side)
        await side.socket.close(1011, "tired")

    source = _conversation().write(tmp_path / "source")
    async with _session(leaves, records) as (host, _side):
        await _replayed(host, source)
        assert await host.send(Disconnect) is None
        assert host.status.replay is None
    assert _end(records)["end"] == "session ended"


async def test_the_voice_that_was_chosen_is_silent_meanwhile_and_back_afterwards(tmp_path: Path, records: Path) -> None:
    own = tmp_path / "own.wav"
    soundfile.write(own, tone(60_000, level=333), 24_000)
    source = _conversation().write(tmp_path / "source")
    async with _session(_silent, records) as (host, side):
        assert await host.send(ChooseVoice, kind=VoiceKind.RECORDING, recording=str(own)) is None
        assert await host.send(SetTalk, down=True) is None
        while not (np.abs(_heard(side)) == 333).any():
            await _more(side)
        assert await host.send(Replay, record=str(source)) is None
        assert _progress(host) == (0, 3)
        why = "A replay speaks for the participant: stop it first."
        assert await host.send(SetTalk, down=True) == why
        assert await host.send(Speak, text="Hello.") == why
        before = len(_heard(side))
        while not (_heard(side) >= 4_000).any():
            await _more(side)
        during = _heard(side)[before + 480 :]
        assert not (np.abs(during) == 333).any()
        assert await host.send(StopReplay) is None
        assert _progress(host) is None
        assert host.status.voice is VoiceKind.RECORDING
        assert await host.send(SetTalk, down=True) is None
        position = len(_heard(side))
        while not (np.abs(_heard(side)[position:]) == 333).any():
            await _more(side)
        assert await host.send(Disconnect) is None
    assert _end(records)["end"] == "stopped"
    assert [each["name"] for each in _fields(records, "recording.ended")] == ["own", "source, speech 1"]


@pytest.mark.sound
async def test_an_open_microphone_is_not_heard_meanwhile_and_the_voice_is_as_it_was(
    sound_server: SoundServer, tmp_path: Path, records: Path
) -> None:
    session = _conversation()
    source = session.write(tmp_path / "source")
    spoken = tmp_path / "microphone.raw"
    spoken.write_bytes(tone(30_000, level=333).tobytes())
    environment = sound_server.env | {"PULSE_SOURCE": sound_server.microphone}
    command = sound_server.command("paplay", f"--device={sound_server.microphone_input}")
    async with ScriptedEngine(_silent) as engine, LiveProcess(environment=environment) as live:
        assert await live.send(ChooseVoice, kind=VoiceKind.MICROPHONE) is None
        assert await live.send(Connect, engine=engine.url, record_folder=str(records)) is None
        side = engine.sides[0]
        with spoken.open("rb") as speech:
            player = subprocess.Popen(command, env=sound_server.env, stdin=speech)  # noqa: ASYNC220
        try:
            assert await live.send(SetTalk, down=True) is None
            while not _heard(side)[-480:].any():
                await _more(side)
            assert await live.send(Replay, record=str(source), by="clock") is None
            await live.status_with(lambda status: status.replay is None)
            after = len(_heard(side)) + 480
            while not _heard(side)[after:].any():  # the key is down: the microphone is back
                await _more(side)
        finally:
            player.terminate()
            player.wait()
        assert await live.end_input() == 0
    before = plan(source)
    say = next(each.deed for each in before.acts if isinstance(each.deed, Say))
    begins = _fields(records, "recording.started")[0]["first_sample"] - (say.first_sample - before.voice_from_sample)
    voice = np.pad(session.voice, (0, 24_000))[before.voice_from_sample :][: 2_500 * MS]
    assert np.array_equal(_heard(side)[begins : begins + len(voice)], voice)
    assert _end(records)["end"] == "finished"


async def test_what_is_refused(tmp_path: Path, records: Path) -> None:
    source = _conversation().write(tmp_path / "source")
    empty = Session().end(300).write(tmp_path / "empty")
    study = Study("Long", (Step(Wait(60)),))
    async with InProcessHost() as host:
        assert await host.send(Replay, record=str(source)) == "There is no session: connect to an engine first."
    async with _session(_silent, records) as (host, _side):
        assert await host.send(StopReplay) == "Nothing is replayed: there is nothing to stop."
        missing = await host.send(Replay, record=str(tmp_path / "nothing"))
        assert missing is not None
        assert "nothing" in missing
        assert await host.send(Replay, record=str(empty)) == (
            "Nothing of this session can be done again. Its participant said and did nothing."
        )
        assert await host.send(PlayStudy, study=study) is None
        assert await host.send(Replay, record=str(source)) == "A study is played: stop it first."
        assert await host.send(StopStudy) is None
        both = await asyncio.gather(host.send(Replay, record=str(source)), host.send(Replay, record=str(source)))
        assert list(both) == [None, "A session is replayed already: stop it first."]
        assert await host.send(PlayStudy, study=study) == "A session is replayed: stop that first."
        assert await host.send(Disconnect) is None
    assert [each.direction for each in _notes(records, "replay.started")] == [Direction.NOTED]
    assert _end(records)["end"] == "session ended"


async def test_a_muted_voice_is_let_through_first(tmp_path: Path, records: Path) -> None:
    source = _conversation().write(tmp_path / "source")
    async with _session(_silent, records) as (host, _side):
        assert await host.send(SetMuted, muted=True) is None
        assert await host.send(Replay, record=str(source)) == (
            "The participant's voice is muted: let it through before a session is replayed."
        )
        assert await host.send(Disconnect) is None


async def test_listening_is_on_when_a_replay_begins(tmp_path: Path, records: Path) -> None:
    session = Session()
    session.push(150, TIMER)
    source = session.end(200).write(tmp_path / "source")

    async def obedient(side: EngineSide) -> None:
        await side.greet()
        updated = await side.expect("session.update")
        await side.send("session.updated", session={**updated["session"], "type": "realtime"})

    async with ScriptedEngine(obedient) as engine, InProcessHost() as host:
        assert await host.send(SetListening, on=False) is None
        assert await host.send(Connect, engine=engine.url, record_folder=str(records)) is None
        await _replayed(host, source)
        assert host.status.listening
        assert await host.send(Disconnect) is None
    kinds = [each.type for each in _notes(records, "listening.on", "replay.act")]
    assert kinds == ["listening.on", "replay.act"]


@pytest.mark.parametrize("by", ["replies", "clock"])
async def test_what_an_engine_does_not_hear_is_told(by: str, tmp_path: Path, records: Path) -> None:
    source = Session().says(300, 500).end(700).write(tmp_path / "source")

    async def deaf(side: EngineSide) -> None:
        await side.send("session.created", session={"type": "realtime", "id": "sess_1"})
        while True:
            update = await side.expect("session.update")
            refusal = {"code": "no", "message": "No.", "event_id": update["event_id"]}
            await side.send("error", error={"type": "invalid_request_error", **refusal})

    async with _session(deaf, records) as (host, side):
        await _replayed(host, source, by)
        assert await host.send(Disconnect) is None
    assert not len(_heard(side))
    (refused,) = _fields(records, "replay.refused")
    assert refused == {"number": 1, "sentence": "Listening is off: the engine does not hear this."}
    assert _end(records)["refused"] == 1


async def test_a_speech_waits_for_an_engine_that_is_slow_to_listen(tmp_path: Path, records: Path) -> None:
    session = Session().says(600, 900)
    session.listening(200, on=False)
    session.listening(400, on=True)
    source = session.end(1_000).write(tmp_path / "source")
    answered = asyncio.Event()

    async def slow(side: EngineSide) -> None:
        await side.greet()
        await side.expect("session.update")
        await side.send("session.updated", session={"type": "realtime"})
        wanted = await side.expect("session.update")
        await asyncio.sleep(0.6)
        await side.send("session.updated", session=wanted["session"])
        answered.set()

    async with _session(slow, records) as (host, side):
        await _replayed(host, source)
        await answered.wait()
        assert await host.send(Disconnect) is None
    spoken = np.trim_zeros(session.voice)
    heard = np.trim_zeros(_heard(side))
    assert np.array_equal(heard, spoken)
    assert _end(records) == {"end": "finished", "missed": 0, "refused": 0}


async def test_a_voice_that_is_muted_in_a_replay_is_told(tmp_path: Path, records: Path) -> None:
    session = Session().says(900, 1_100)
    session.push(150, TIMER)
    source = session.end(1_200).write(tmp_path / "source")
    async with _session(_silent, records) as (host, _side):
        assert await host.send(Replay, record=str(source)) is None
        assert await host.send(SetMuted, muted=True) is None
        await host.status_with(lambda status: status.replay is None)
        assert await host.send(Disconnect) is None
    (refused,) = _fields(records, "replay.refused")
    assert refused == {"number": 2, "sentence": "The participant's voice is muted: the engine does not hear this."}


async def test_an_agent_that_spoke_before_the_replay_began_is_not_missed(tmp_path: Path, records: Path) -> None:
    session = Session()
    session.reply("a", 300, 500)
    session.push(600, TIMER)
    source = session.end(700).write(tmp_path / "source")
    sounds = asyncio.Event()

    async def greets(side: EngineSide) -> None:
        await side.greet()
        await _Talker().reply(side, 300)

    def heard(event: Any) -> None:
        if type(event).__name__ == "ReplySounds":
            sounds.set()

    async with ScriptedEngine(greets) as engine, InProcessHost(on_event=heard) as host:
        assert await host.send(Connect, engine=engine.url, record_folder=str(records)) is None
        await sounds.wait()
        await _replayed(host, source)
        assert await host.send(Disconnect) is None
    assert _whats(records) == ["timer"]
    assert _end(records) == {"end": "finished", "missed": 0, "refused": 0}


async def test_a_replay_is_stopped_while_its_record_is_still_read(tmp_path: Path, records: Path) -> None:
    source = _conversation().write(tmp_path / "source")
    async with _session(_silent, records) as (host, _side):
        beginning = asyncio.ensure_future(host.send(Replay, record=str(source)))
        await asyncio.sleep(0)
        assert await host.send(StopReplay) is None
        assert await beginning == "The replay was stopped before it began."
        assert await host.send(Replay, record=str(source)) is None
        assert await host.send(Disconnect) is None


async def test_a_record_that_connect_names_is_read_before_the_engine_is_connected_to_and_once(
    tmp_path: Path, records: Path
) -> None:
    source = _conversation().write(tmp_path / "source")
    connected_when_read: list[int] = []

    def read(record: Path) -> Plan:
        connected_when_read.append(len(engine.sides))
        return plan(record)

    async with ScriptedEngine(_Talker()) as engine, InProcessHost(read_plan=read) as host:
        connect = {"engine": engine.url, "record_folder": str(records), "replay": str(source)}
        assert await host.send(Connect, **connect) is None
        await _replayed(host, source)
        assert connected_when_read == [0]
        await _replayed(host, source)  # again in the same session: nothing is at hand any more
        assert await host.send(Disconnect) is None
    assert connected_when_read == [0, 1]
    assert [each["end"] for each in _fields(records, "replay.ended")] == ["finished", "finished"]


async def test_connecting_is_cancelled_while_the_record_is_still_read(tmp_path: Path, records: Path) -> None:
    source = _conversation().write(tmp_path / "source")
    reads, may_end = threading.Event(), threading.Event()

    def read(record: Path) -> Plan:
        reads.set()
        may_end.wait(20)
        return plan(record)

    async with ScriptedEngine(_silent) as engine, InProcessHost(read_plan=read) as host:
        connect = {"engine": engine.url, "record_folder": str(records)}
        connecting = asyncio.ensure_future(host.send(Connect, **connect, replay=str(source)))
        assert await asyncio.to_thread(reads.wait, 20)
        assert await host.send(Disconnect) is None
        assert await connecting == "Connecting was cancelled."
        may_end.set()
        assert (engine.sides, host.status.connection.value) == ([], "idle")
        assert await host.send(Connect, **connect) is None
        assert await host.send(Disconnect) is None


async def test_another_record_than_connect_named_is_replayed_all_the_same(tmp_path: Path, records: Path) -> None:
    named, wanted = (_conversation().write(tmp_path / name) for name in ("named", "wanted"))
    async with ScriptedEngine(_Talker()) as engine, InProcessHost() as host:
        connect = {"engine": engine.url, "record_folder": str(records), "replay": str(named)}
        assert await host.send(Connect, **connect) is None
        await _replayed(host, wanted)
        assert await host.send(Disconnect) is None
    (started,) = _fields(records, "replay.started")
    assert started["of"] == "wanted"


async def test_nobody_connects_for_a_record_of_which_nothing_can_be_done_again(tmp_path: Path, records: Path) -> None:
    empty = Session().end(300).write(tmp_path / "empty")
    async with ScriptedEngine(_silent) as engine, InProcessHost() as host:
        connect = {"engine": engine.url, "record_folder": str(records)}
        refused = await host.send(Connect, **connect, replay=str(empty))
        assert refused is not None
        assert refused.startswith("Nothing of this session can be done again.")
        assert (engine.sides, list(records.glob("*"))) == ([], [])
        assert await host.send(Connect, **connect) is None
        assert await host.send(Disconnect) is None


async def test_a_bug_ends_the_replay_and_not_the_session(
    tmp_path: Path, records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(self: ReplayRunner, *_: Any) -> None:
        raise ZeroDivisionError

    source = _conversation().write(tmp_path / "source")
    async with _session(_Talker(), records) as (host, _side):
        monkeypatch.setattr(ReplayRunner, "reply_sounds", fails)
        await _replayed(host, source)
        assert host.status.connection.value == "connected"
        assert await host.send(Disconnect) is None
    assert _end(records)["end"] == "failed"
    (problem,) = _fields(records, "problem")
    assert problem["sentence"] == "The program itself failed in the replay (ZeroDivisionError): please report it."


async def test_a_voice_that_cannot_be_read_any_more_ends_the_replay_with_a_sentence(
    tmp_path: Path, records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(self: Any, first_sample: int, samples: int) -> None:
        raise OSError("gone")

    source = Session().says(300, 500).says(3_000, 3_200).end(4_000).write(tmp_path / "source")
    async with _session(_silent, records) as (host, _side):
        assert await host.send(Replay, record=str(source)) is None
        monkeypatch.setattr("simulator.record.replay.voice.ParticipantVoice.read", fails)
        await host.status_with(lambda status: status.replay is None)
        assert await host.send(Disconnect) is None
    assert _end(records)["end"] == "failed"
    (problem,) = _fields(records, "problem")
    assert problem["code"] == "replay_failed"


async def test_a_replay_of_a_replay_is_planned_in_the_same_way(tmp_path: Path, records: Path) -> None:
    source = _conversation().write(tmp_path / "source")
    async with _session(_Talker(), records) as (host, _side):
        await _replayed(host, source)
        assert await host.send(Disconnect) is None
    first, second = plan(source), plan(_record(records))
    assert [type(each.deed) for each in first.acts] == [type(each.deed) for each in second.acts]
    heard = audio(_record(records), Track.HEARD)
    assert np.count_nonzero(heard[:, 0]) == np.count_nonzero(audio(source / "session.jsonl", Track.HEARD)[:, 0])
