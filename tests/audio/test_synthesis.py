"""Typed text as speech: a process of its own speaks it, and says in a sentence why not."""

import asyncio

import numpy as np
import pytest

from simulator.audio import synthesis
from simulator.audio.recordings import speech_extent
from simulator.audio.synthesis import Synthesiser, check_voice, voice_names
from simulator.errors import SimulatorError, UnknownName, UsageError


async def test_a_text_is_spoken_by_each_voice_and_again_the_same() -> None:
    synthesiser = Synthesiser()
    try:
        spoken = [await synthesiser.speak("Good morning. I would like some tea.", name) for name in voice_names()]
        for samples in spoken:
            extent = speech_extent(samples)
            assert extent is not None
            assert 1_000 < extent.offset_ms - extent.onset_ms < 5_000
            assert extent.onset_ms <= 200
        assert np.array_equal(await synthesiser.speak("Good morning. I would like some tea."), spoken[0])
        with pytest.raises(UsageError, match="Nothing in “…” can be pronounced"):
            await synthesiser.speak("…")
    finally:
        await synthesiser.close()


async def test_a_text_that_is_not_wanted_any_more_leaves_the_next_one_its_own_answer() -> None:
    synthesiser = Synthesiser()
    try:
        unwanted = asyncio.create_task(synthesiser.speak("This is a longer sentence that nobody waits for."))
        await asyncio.sleep(0)
        unwanted.cancel()
        with pytest.raises(asyncio.CancelledError):
            await unwanted
        assert len(await synthesiser.speak("Yes.")) < 48_000
    finally:
        await synthesiser.close()


async def test_a_process_that_ends_is_said_and_the_next_text_starts_another(monkeypatch: pytest.MonkeyPatch) -> None:
    synthesiser = Synthesiser()
    start = synthesis._start
    ended = await asyncio.create_subprocess_exec("true", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)

    async def once() -> asyncio.subprocess.Process:
        monkeypatch.setattr(synthesis, "_start", start)
        return ended

    monkeypatch.setattr(synthesis, "_start", once)
    try:
        with pytest.raises(SimulatorError, match="The synthesiser ended without an answer: try again"):
            await synthesiser.speak("Yes.")
        assert len(await synthesiser.speak("Yes."))
    finally:
        await synthesiser.close()


def test_a_voice_that_is_not_there_is_named_with_one_that_is(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnknownName, match=r"no voice called “hart”: use deep, heart.*Is “heart” meant\?"):
        check_voice("hart")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert voice_names() == ("deep", "heart")
    with pytest.raises(UnknownName, match=r"“en-GB” is not installed: use deep, or pip install"):
        check_voice("en-GB")


async def test_a_text_without_end_is_refused() -> None:
    with pytest.raises(UsageError, match="longer than 5,000 signs"):
        await Synthesiser().speak("a" * 5_001)
