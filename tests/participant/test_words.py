"""The participant's words, recognised here: in the record of a session, and what is said where there are none."""

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import psutil
import pytest

from simulator.errors import EnvironmentFault
from simulator.participant import words as words_module
from simulator.participant.messages import (
    ChooseOutput,
    ChooseVoice,
    Connect,
    Disconnect,
    RecogniseWords,
    SetTalk,
    VoiceKind,
)
from simulator.participant.recogniser import Recognised, Recogniser, RecogniserMissing
from simulator.participant.words import Words
from simulator.record.entries import Direction, Entry, Track
from simulator.record.reader import read_record
from simulator.speech.models import is_installed
from tests.participant.live_process import LiveProcess

if TYPE_CHECKING:
    from collections.abc import Mapping

needs_ears = pytest.mark.skipif(not is_installed(), reason="the extra `ears` is not installed")


@needs_ears
async def test_the_words_of_a_turn_stand_in_the_record(records: Path) -> None:
    async with LiveProcess() as live:
        assert await live.send(RecogniseWords, on=True) is None
        assert (live.status.recognises, live.status.recognition_lack) == (True, None)
        assert await live.send(ChooseOutput, device="none") is None
        assert await live.send(Connect, engine="embedded", record_folder=str(records)) is None
        assert await live.send(ChooseVoice, kind=VoiceKind.RECORDING, recording="coffee_or_tea") is None
        assert await live.send(SetTalk, down=True) is None
        found = await live.entry("recognised")
        started = await live.entry("input_audio_buffer.speech_started")
        committed = await live.entry("input_audio_buffer.committed")
        assert found.event["text"] == "Would you rather have coffee or tea in the morning?"
        assert (found.event["item_id"], found.event["model"]) == (committed.event["item_id"], "tiny.en")
        assert found.event["from_sample"] == 24 * started.event["audio_start_ms"]
        (child,) = [
            each for each in psutil.Process(live.process.pid).children() if "simulator.speech" in each.cmdline()
        ]
        if os.name == "posix":
            assert child.nice() >= 10
        assert await live.send(Disconnect) is None
        record = read_record(next(records.rglob("session.jsonl")))
        assert [entry.event["text"] for entry in record.entries if entry.type == "recognised"] == [found.event["text"]]
        # Switched off, the child ends.
        assert await live.send(RecogniseWords, on=False) is None
        assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE


async def test_a_model_that_is_not_there_is_refused_and_nothing_changes() -> None:
    words = Words(lambda kind, fields: None)
    with pytest.raises(EnvironmentFault, match="no Whisper model “no-such-model”"):
        await words.choose(True, "no-such-model")
    assert (words.on, words.lack) == (False, None)


async def test_without_the_extra_it_is_said_what_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words_module, "is_installed", lambda model: False)
    words = Words(lambda kind, fields: None)
    await words.choose(True, None)
    assert words.lack is not None
    assert "pip install 'participant-simulator[ears]'" in words.lack
    _turn(words, "u1")  # is not recognised, and does no harm
    await words.settle(0)
    await words.choose(False, None)
    assert words.lack is None


class Desk:
    """Stands for the recogniser's process: gives the words it is told to, one clip at a time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.clips: list[int] = []
        self.answers: asyncio.Queue[str | Exception] = asyncio.Queue()
        self.notes: list[Mapping[str, object]] = []

        async def say(_self: Recogniser, audio: bytes) -> Recognised:
            self.clips.append(len(audio))
            answer = await self.answers.get()
            if isinstance(answer, Exception):
                raise answer
            return Recognised(answer, "a-model", 1.0)

        async def nothing(_self: Recogniser) -> None:
            pass

        monkeypatch.setattr(Recogniser, "words", say)
        monkeypatch.setattr(Recogniser, "warm_up", nothing)
        monkeypatch.setattr(words_module, "is_installed", lambda model: True)
        self.words = Words(lambda kind, fields: self.notes.append({"kind": kind, **fields}))


@pytest.fixture
async def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    desk = Desk(monkeypatch)
    await desk.words.choose(True, None)
    desk.words.begin()
    return desk


def _turn(words: Words, item_id: str, milliseconds: int = 500) -> None:
    def engine(kind: str, **event: Any) -> None:
        words.entry(Entry(0, 0, Direction.RECEIVED, f"input_audio_buffer.{kind}", {"item_id": item_id, **event}))

    words.heard(Track.PARTICIPANT, np.zeros(24 * milliseconds, np.int16))
    engine("speech_started")
    engine("committed")


async def test_turns_are_recognised_one_after_the_other(desk: Desk) -> None:
    _turn(desk.words, "u1")
    _turn(desk.words, "u2")
    desk.answers.put_nowait("First.")
    desk.answers.put_nowait("Second.")
    await desk.words.settle(5)
    assert [(note["item_id"], note["text"]) for note in desk.notes] == [("u1", "First."), ("u2", "Second.")]
    assert desk.words.lack is None


async def test_a_clip_that_fails_is_said_and_the_next_is_recognised(desk: Desk) -> None:
    _turn(desk.words, "u1")
    _turn(desk.words, "u2")
    desk.answers.put_nowait(EnvironmentFault("It failed."))
    desk.answers.put_nowait("Second.")
    await desk.words.settle(5)
    assert desk.notes[0] == {"kind": "recognised", "item_id": "u1", "error": "It failed."}
    assert desk.notes[1]["text"] == "Second."


async def test_after_three_failures_it_is_not_tried_again(desk: Desk) -> None:
    for number in range(4):
        _turn(desk.words, f"u{number}")
        desk.answers.put_nowait(EnvironmentFault("It failed."))
    await desk.words.settle(5)
    assert len(desk.clips) == 3
    assert desk.words.lack == "It failed. It is not tried again."
    _turn(desk.words, "u5")
    await desk.words.settle(5)
    assert len(desk.clips) == 3


async def test_what_lacks_is_said_in_its_own_words(desk: Desk) -> None:
    _turn(desk.words, "u1")
    desk.answers.put_nowait(RecogniserMissing("The model is another."))
    await desk.words.settle(5)
    assert (desk.words.lack, desk.notes) == ("The model is another.", [])


async def test_far_behind_old_turns_are_left_out_and_it_is_said(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(23):
        _turn(desk.words, f"u{number}")
    await asyncio.sleep(0)
    monkeypatch.setattr(words_module, "_BEHIND_NS", -1)
    assert desk.words.lack == ("The recognition of words is behind: 20 turns wait for it. A smaller model is faster.")
    for number in range(20):
        desk.answers.put_nowait(f"Turn {number}.")
    await desk.words.settle(5)
    assert [note.get("error") is not None for note in desk.notes] == [True] * 3 + [False] * 20
    assert desk.notes[3]["item_id"] == "u3"


async def test_words_of_a_session_that_is_over_reach_no_other_record(desk: Desk) -> None:
    _turn(desk.words, "old")
    await asyncio.sleep(0)
    desk.words.begin()
    _turn(desk.words, "new")
    desk.answers.put_nowait("Old.")
    desk.answers.put_nowait("New.")
    await desk.words.settle(5)
    assert [(note["item_id"], note["text"]) for note in desk.notes] == [("new", "New.")]


@needs_ears
async def test_a_recogniser_that_was_killed_is_started_again() -> None:
    recogniser = Recogniser()
    silence = np.zeros(24_000, np.int16).tobytes()
    try:
        assert (await recogniser.words(silence)).text == ""
        assert recogniser._process is not None
        recogniser._process.kill()
        await recogniser._process.wait()
        assert (await recogniser.words(silence)).model == "tiny.en"
    finally:
        await recogniser.stop()
