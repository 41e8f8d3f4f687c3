"""Whose voice speaks, how fast, and that words and audio keep step."""

import base64
import importlib.util
import sys
from collections.abc import AsyncIterator

import numpy as np
import pytest

from simulator.engine import voices
from simulator.engine.voice import Voice
from simulator.engine.voices import Voices
from tests.engine.client import Client

SENTENCE = "I think that is a fair point, and I would try it out first."

needs_more_voices = pytest.mark.skipif(
    importlib.util.find_spec("py_nanotts") is None, reason="the extra `voices` is not installed"
)


@pytest.fixture
async def voice() -> AsyncIterator[Voice]:
    voice = Voice()
    yield voice
    voice.close()


def pitch_hz(audio: bytes) -> float:
    """The median pitch of the voiced parts, by autocorrelation."""
    samples = np.frombuffer(audio, "<i2").astype(float)
    found = []
    for start in range(0, len(samples) - 1440, 1440):
        piece = samples[start : start + 1440] - samples[start : start + 1440].mean()
        if piece.std() > 500:
            agreement = np.correlate(piece, piece, "full")[1439:]
            found.append(24_000 / (60 + int(np.argmax(agreement[60:400]))))
    return float(np.median(found))


@needs_more_voices
async def test_names_have_voices_of_their_own(voice: Voice) -> None:
    spoken = {name: await voice.spoken(SENTENCE, 1.0, name) for name in ("marin", "cedar", "alloy", "sage", "echo")}
    assert len(set(spoken.values())) == 5
    assert pitch_hz(spoken["echo"]) < pitch_hz(spoken["alloy"]) < pitch_hz(spoken["sage"])
    loudness = [float(np.sqrt(np.mean(np.frombuffer(audio, "<i2").astype(float) ** 2))) for audio in spoken.values()]
    assert max(loudness) < 3 * min(loudness)


@needs_more_voices
@pytest.mark.parametrize("name", ["marin", "cedar", "sage"])
async def test_each_voice_takes_its_speed(voice: Voice, name: str) -> None:
    slow, usual, fast = [len(await voice.spoken(SENTENCE, speed, name)) for speed in (0.25, 1.0, 1.5)]
    assert 3 * usual < slow < 5 * usual
    assert 0.55 * usual < fast < 0.8 * usual


async def test_unknown_names_get_the_usual_voice(voice: Voice) -> None:
    usual = await voice.spoken(SENTENCE, 1.0)
    assert await voice.spoken(SENTENCE, 1.0, "marin") == usual
    assert await voice.spoken(SENTENCE, 1.0, "nobody at all") == usual


def test_without_the_extra_one_voice_speaks_for_all_and_says_so_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "py_nanotts", None)
    monkeypatch.setattr(voices, "has_more_voices", lambda: False)
    speakers = Voices()
    assert speakers.named("en-GB") is speakers.usual
    assert speakers.named("en-GB") is speakers.usual
    assert speakers.named("marin") is speakers.usual
    [record] = caplog.records
    assert "“en-GB” is not installed" in record.message
    assert "participant-simulator[voices]" in record.message


async def test_words_keep_step_with_the_audio(client: Client, voice: Voice) -> None:
    """A word leaves with the 100 ms of audio in which it begins: by the length of each sentence as it was spoken."""
    await client.text("Please tell me a long story.")
    response = await client.response()
    [item] = response["output"]
    sentences = await voice.sentences(item["content"][0]["transcript"])
    ends_ms = np.cumsum([len(await voice.spoken(sentence, 1.0)) / 48 for sentence in sentences])
    heard_ms, said, sizes = 0.0, "", []
    begins_ms: dict[int, float] = {}  # sentence number → audio that had left when its first word came
    for event in client.events:
        if event["type"] == "response.output_audio_transcript.delta":
            said += event["delta"]
            begun = sum(len(said) > len(" ".join(sentences[:number])) for number in range(len(sentences)))
            begins_ms.setdefault(begun - 1, heard_ms)
        elif event["type"] == "response.output_audio.delta":
            sizes.append(len(base64.b64decode(event["delta"])))
            heard_ms += sizes[-1] / 48
    assert said == item["content"][0]["transcript"]
    assert set(sizes[:-1]) == {4800}
    assert 0 < sizes[-1] <= 4800
    assert heard_ms == pytest.approx(ends_ms[-1], abs=1)
    assert len(begins_ms) == len(sentences) > 5
    for number, left_ms in begins_ms.items():
        begins = ends_ms[number - 1] if number else 0.0
        assert 0 <= begins - left_ms <= 100
