"""The main job, whole: a recorded participant talks with the embedded engine, hears it, and interrupts it."""

import itertools
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from simulator.engines.profiles import resolve
from simulator.errors import SimulatorError
from simulator.participant.messages import (
    ChooseOutput,
    ChooseVoice,
    Connect,
    ConnectionState,
    Disconnect,
    SetInstructions,
    SetTalk,
    VoiceKind,
)
from simulator.participant.study_run import RunVoice, StudyRun
from simulator.record.entries import Direction, Entry, Track
from simulator.record.measures import Measures
from simulator.record.reader import audio, read_record
from simulator.study.steps import AskQuestion, PushContext, RequestReply, Say, Step, Study, When
from simulator.units import whole_ms
from tests.participant.live_process import LiveProcess
from tests.participant.scripted_engine import EngineSide, ScriptedEngine, tone

if TYPE_CHECKING:
    from tests.rig.sound import SoundServer


async def _say(live: LiveProcess, recording: str) -> None:
    assert await live.send(ChooseVoice, kind=VoiceKind.RECORDING, recording=recording) is None
    assert await live.send(SetTalk, down=True) is None


@pytest.mark.parametrize("device", ["silent clock", pytest.param("pulse", marks=pytest.mark.sound)])
async def test_a_turn_a_reply_and_a_barge_in(device: str, records: Path, request: pytest.FixtureRequest) -> None:
    environment = None
    if device == "pulse":
        server: SoundServer = request.getfixturevalue("sound_server")
        environment = server.env
    async with LiveProcess(environment=environment) as live:
        if device == "silent clock":
            assert await live.send(ChooseOutput, device="none") is None
        assert await live.send(Connect, engine="embedded", record_folder=str(records)) is None
        assert live.status.connection is ConnectionState.CONNECTED
        assert (live.status.output_name == "silent clock") == (device == "silent clock")
        # A turn, and a reply that is heard to its end.
        await _say(live, "coffee_or_tea")
        await live.status_with(lambda status: status.agent_heard)
        await live.entry("playback.ended")
        # The instructions can change in between.
        assert await live.send(SetInstructions, instructions="Speak of the sea.") is None
        assert live.status.instructions_accepted == "Speak of the sea."
        # A reply that is interrupted while it is heard.
        await _say(live, "tell_me_a_long_story")
        await live.status_with(lambda status: not status.talking)
        await live.status_with(lambda status: status.agent_heard)
        await _say(live, "interruption")
        await live.entry("conversation.item.truncated")
        assert await live.send(Disconnect) is None
        assert await live.end_input() == 0
    (path,) = records.glob("*/session.jsonl")
    record = read_record(path)
    assert record.problems == []
    # What the window was told is what the record holds.
    assert [entry.seq for entry in live.entries] == list(range(len(record.entries)))
    _check_order(record.entries)
    _check_barge_in(record.entries)
    # Nobody hears the silent clock: it cannot fall silent.
    _check_tracks(path, record.entries, barge_in_stops=0 if device == "silent clock" else 1)


def _check_order(entries: list[Entry]) -> None:
    """One clock, no holes, and the events of a turn in the profile's order."""
    assert [entry.seq for entry in entries] == list(range(len(entries)))
    assert all(earlier.t_ns <= later.t_ns for earlier, later in itertools.pairwise(entries))
    received = [entry.type for entry in entries if entry.direction is Direction.RECEIVED]
    turn = ["input_audio_buffer.speech_started", "input_audio_buffer.speech_stopped", "input_audio_buffer.committed"]
    wanted = [*turn, "response.created", "response.output_audio.delta", "response.output_audio.done", "response.done"]
    positions = [received.index(kind) for kind in wanted]
    assert positions == sorted(positions)
    # What a sound server lost beside other tests is the computer's: the record tells it, and the order holds.
    ours = [entry for entry in entries if entry.event.get("whose") != "environment"]
    assert not [entry for entry in ours if entry.type in {"problem", "violation", "playback.gap"}]


def _check_barge_in(entries: list[Entry]) -> None:
    (note,) = (entry.event for entry in entries if entry.type == "barge_in")
    started = entries[note["speech_started_seq"]]
    assert started.type == "input_audio_buffer.speech_started"
    assert started.t_ns == note["received_ns"] <= note["cut_ns"]
    (cut,) = (entry.event for entry in entries if entry.type == "playback.cut")
    assert cut["cause"] == "speech_started"
    assert 0 < cut["handed_samples"] < cut["received_samples"]
    (truncate,) = (entry.event for entry in entries if entry.type == "conversation.item.truncate")
    assert truncate["item_id"] == cut["item_id"] == note["item_id"]
    assert truncate["audio_end_ms"] == whole_ms(cut["handed_samples"])


def _check_tracks(path: Path, entries: list[Entry], *, barge_in_stops: int) -> None:
    measures = Measures()
    for entry in entries:
        measures.feed(entry)
    heard = audio(path, Track.HEARD)
    appended = sum(entry.audio.samples for entry in entries if entry.audio and entry.direction is Direction.SENT)
    assert len(audio(path, Track.PARTICIPANT)) == appended
    received = sum(entry.audio.samples for entry in entries if entry.audio and entry.direction is Direction.RECEIVED)
    assert len(audio(path, Track.AGENT)) == received
    # Both voices lie on the session's clock: the first reply is heard behind the first turn.
    voice, agent = (np.flatnonzero(np.abs(heard[:, side]) > 500) for side in (0, 1))
    assert voice[0] < agent[0]
    (first, *_) = measures.heard
    assert agent[0] == pytest.approx(first.started_ns * 24 // 1_000_000, abs=24 * 200)
    assert [latency.name for latency in measures.latencies].count("barge_in_stop") == barge_in_stops


# ---- studies


def _study(*steps: Step) -> Study:
    return Study("test", steps, instructions="Be kind.")


async def test_a_study_runs_to_its_end_and_gives_its_answers(records: Path) -> None:
    from simulator.engines.embedded import EmbeddedEngine

    study = _study(
        Step(Say("one_word"), line=1),
        Step(
            AskQuestion("multiplechoice", {"question": "Coffee or tea?", "choices": ["Coffee", "Tea"]}),
            line=2,
            when=When.AFTER_REPLY,
        ),
        Step(PushContext({"event": "typed", "speaker": "Alex", "said": "Bye!"}, asks_reply=True), line=3),
    )
    said: list[str] = []
    async with EmbeddedEngine() as url:
        run = StudyRun(study, resolve(url), RunVoice(VoiceKind.RECORDING), str(records), said.append)
        outcome = await run.run()
    assert outcome.end == "finished"
    assert outcome.complete
    assert [answer["component"] for answer in outcome.answers] == ["multiplechoice"]
    assert outcome.answers[0]["value"] in {"Coffee", "Tea"}
    assert outcome.record is not None
    record = read_record(Path(outcome.record))
    assert record.entries[-1].type == "record.ended"
    assert {"recording.started", "recording.ended", "answer"} <= {entry.type for entry in record.entries}
    assert any("Step in line 2" in sentence for sentence in said)


async def test_a_question_that_the_engine_never_answers_is_left_unanswered(records: Path) -> None:
    async def mute(side: EngineSide) -> None:
        await side.greet()
        await side.expect("response.create")

    question = AskQuestion("textinput", {"question": "Why?"}, within_s=0.2)
    async with ScriptedEngine(mute) as engine:
        run = StudyRun(
            _study(Step(question, line=7)), resolve(engine.url), RunVoice(VoiceKind.SILENCE), str(records), print
        )
        outcome = await run.run()
    assert outcome.end == "finished"
    assert not outcome.complete
    assert [(missed.line, missed.what) for missed in outcome.unanswered] == [(7, "“Why?”: no answer within 0.2 s")]


async def test_a_connection_that_ends_ends_the_run(records: Path) -> None:
    async def leave(side: EngineSide) -> None:
        await side.greet()
        await side.expect("response.create")
        await side.socket.close(1011, "crashed")

    async with ScriptedEngine(leave) as engine:
        run = StudyRun(
            _study(Step(RequestReply(), line=1)), resolve(engine.url), RunVoice(VoiceKind.SILENCE), str(records), print
        )
        outcome = await run.run()
    assert outcome.end == "connection ended"
    assert not outcome.complete
    assert outcome.problems[-1].startswith("The engine closed the connection with code 1011 (“crashed”)")


async def test_why_a_response_failed_is_told_and_kept_among_the_problems(records: Path) -> None:
    async def fail(side: EngineSide) -> None:
        await side.greet()
        await side.expect("response.create")
        error = {"code": "model_unreachable", "message": "The model cannot be reached; is it running?"}
        await side.send("response.created", response={"id": "r1", "status": "in_progress"})
        await side.finish("r1", "failed", status_details={"type": "failed", "error": error})
        await side.socket.close(1011, "crashed")  # it ends the wait for the reply

    study = _study(Step(RequestReply(), line=1))
    said: list[str] = []
    async with ScriptedEngine(fail) as engine:
        run = StudyRun(study, resolve(engine.url), RunVoice(VoiceKind.SILENCE), str(records), said.append)
        outcome = await run.run()
    sentence = "The engine could not finish its response: The model cannot be reached; is it running?"
    assert outcome.problems.count(sentence) == 1
    assert sentence in said


async def test_a_reply_with_the_microphone_muted_by_silence_is_heard(records: Path) -> None:
    async def greet_and_speak(side: EngineSide) -> None:
        await side.greet()
        await side.expect("response.create")
        await side.begin_reply("r1", "i1")
        await side.say("r1", "i1", tone(100))
        await side.end_audio("r1", "i1")
        await side.finish("r1")

    study = _study(Step(Say("coffee_or_tea"), line=1), Step(RequestReply(), line=2))
    async with ScriptedEngine(greet_and_speak) as engine:
        run = StudyRun(study, resolve(engine.url), RunVoice(VoiceKind.SILENCE), str(records), print)
        outcome = await run.run()
    assert outcome.complete
    assert not audio(Path(outcome.record or ""), Track.PARTICIPANT).any()


async def test_a_recording_that_cannot_be_read_ends_the_run_before_it_connects(records: Path) -> None:
    study = _study(Step(Say("no_such_recording"), line=1))
    run = StudyRun(study, resolve("ws://127.0.0.1:1/"), RunVoice(VoiceKind.RECORDING), str(records), print)
    with pytest.raises(SimulatorError, match="There is no recording called “no_such_recording”"):
        await run.run()
    assert not records.exists()
