"""What counts as speech and when: the input buffer fed directly, so that each edge has an exact place."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.engine import end_of_turn
from simulator.engine.activity import SpeechActivity
from simulator.engine.configuration import SEMANTIC_VAD, SERVER_VAD
from simulator.engine.input_audio import InputAudio, TurnEvent, TurnStarted, TurnStopped
from simulator.engine.speech_model import SpeechModel
from simulator.engine.turn_detection import DetectionSettings
from simulator.speech.downsampling import Downsampler
from simulator.speech.whisper import Ending
from tests.engine.speech import Samples, ms_of, recording, sentence, spliced

# Words that begin with a vowel, a nasal, a plosive, and with hisses, which detectors notice late.
SENTENCES = [
    "I see.",
    "Mmm, maybe.",
    "Could you say that again please?",
    "Fine, thanks.",
    "Sorry, can I stop you there for a moment?",
    "So, it happened.",
    "Shall we go?",
    "Hold on, what was that?",
    "Yes.",
]
RECORDINGS = [
    "jfk.flac",
    "sense_and_sensibility_01_austen_64kb-0870.wav",
    "sense_and_sensibility_01_austen_64kb-0890.wav",
]


_MODEL = SpeechModel()


class Buffer:
    """An input buffer under settings, and the edges found with the audio position at which they came out."""

    def __init__(self, **changes: object) -> None:
        ids = (f"item_{number}" for number in itertools.count(1))
        self.input = InputAudio(SpeechActivity(_MODEL), lambda: next(ids))
        base = SEMANTIC_VAD if changes.get("type") == "semantic_vad" else SERVER_VAD
        self.input.set_turn_detection(DetectionSettings.of({**base, **changes}))
        self.appended_ms = 0.0

    def edges(self, samples: Samples, chunk: int = 480) -> list[tuple[float, TurnEvent]]:
        found = []
        for start in range(0, len(samples), chunk):
            piece = samples[start : start + chunk]
            self.appended_ms += ms_of(piece)
            found += [(self.appended_ms, edge) for edge in self.input.append(piece.astype("<i2").tobytes())]
        return found


def starts(edges: list[tuple[float, TurnEvent]]) -> list[TurnStarted]:
    return [edge for _, edge in edges if isinstance(edge, TurnStarted)]


@pytest.mark.parametrize("lead_ms", [400, 411, 423, 6005])
@pytest.mark.parametrize("text", SENTENCES)
def test_onset_is_noticed_within_150_ms(text: str, lead_ms: int) -> None:
    at_ms, edge = Buffer().edges(spliced(lead_ms, sentence(text)))[0]
    assert isinstance(edge, TurnStarted)
    assert 0 < at_ms - lead_ms <= 150


@pytest.mark.parametrize("name", RECORDINGS)
def test_onset_of_a_persons_voice_is_noticed_within_150_ms(name: str) -> None:
    at_ms, edge = Buffer().edges(spliced(800, recording(name)))[0]
    assert isinstance(edge, TurnStarted)
    assert 0 < at_ms - 800 <= 150


@pytest.mark.parametrize("text", SENTENCES)
def test_onset_after_somebody_spoke_is_noticed_as_soon(text: str) -> None:
    buffer = Buffer()
    before = spliced(500, sentence("Could you say that again please?"), 3000)
    buffer.edges(before)
    at_ms, edge = buffer.edges(spliced(411, sentence(text)))[0]
    assert isinstance(edge, TurnStarted)
    assert 0 < at_ms - ms_of(before) - 411 <= 150


def noise(level: float) -> Samples:
    return (np.random.default_rng(1).normal(0, level, 240_000) * 32767).clip(-32768, 32767).astype(np.int16)


def tone(frequency_hz: float) -> Samples:
    return (0.3 * 32767 * np.sin(2 * np.pi * frequency_hz * np.arange(240_000) / 24_000)).astype(np.int16)


def clicks() -> Samples:
    samples = np.zeros(240_000, np.int16)
    for start in range(0, len(samples), 12_000):
        samples[start : start + 200] = noise(0.3)[:200]
    return samples


@pytest.mark.parametrize("sound", [noise(0.0), noise(0.03), noise(0.1), tone(50), tone(440), tone(1000), clicks()])
@pytest.mark.parametrize("lead_ms", [0, 5000])
def test_ten_seconds_without_speech_begin_no_turn(sound: Samples, lead_ms: int) -> None:
    assert Buffer().edges(spliced(lead_ms, sound)) == []


@pytest.mark.parametrize(("silence_ms", "turns"), [(300, 2), (1000, 1)])
def test_silence_duration_decides_whether_a_pause_ends_the_turn(silence_ms: int, turns: int) -> None:
    samples = spliced(500, sentence("I see."), 700, sentence("Fine, thanks."), 1500)
    assert len(starts(Buffer(silence_duration_ms=silence_ms).edges(samples))) == turns


@pytest.mark.parametrize("silence_ms", [200, 500, 900])
def test_turn_ends_when_the_silence_has_lasted(silence_ms: int) -> None:
    speech = sentence("I see.")
    at_ms, edge = Buffer(silence_duration_ms=silence_ms).edges(spliced(500, speech, 2000))[1]
    assert isinstance(edge, TurnStopped)
    late_ms = edge.audio_end_ms - (500 + ms_of(speech) + silence_ms)
    assert -60 <= late_ms <= 120
    assert 0 <= at_ms - edge.audio_end_ms <= 20


def test_padding_lies_before_the_onset_but_never_before_the_audio() -> None:
    samples = spliced(400, sentence("I see."), 1500)
    with_padding = {ms: starts(Buffer(prefix_padding_ms=ms).edges(samples))[0].audio_start_ms for ms in (0, 300, 2000)}
    assert with_padding[0] - with_padding[300] == 300
    assert with_padding[2000] == 0


def test_padding_never_reaches_into_the_last_turn() -> None:
    samples = spliced(500, sentence("I see."), 800, sentence("Fine, thanks."), 1500)
    edges = [edge for _, edge in Buffer(prefix_padding_ms=2000).edges(samples)]
    stopped, started = edges[1], edges[2]
    assert isinstance(stopped, TurnStopped)
    assert isinstance(started, TurnStarted)
    assert started.audio_start_ms == stopped.audio_end_ms


def test_threshold_of_one_hears_nobody_and_a_low_one_hears_sooner() -> None:
    samples = spliced(400, sentence("So, it happened."), 1500)
    assert Buffer(threshold=1).edges(samples) == []
    low, high = Buffer(threshold=0.2).edges(samples), Buffer(threshold=0.9).edges(samples)
    assert low[0][0] < high[0][0]


@pytest.mark.parametrize("chunk", [1, 100, 479, 2400, 48_000])
def test_size_of_the_appends_changes_nothing(chunk: int) -> None:
    samples = spliced(300, sentence("Yes."), 900)[: 24_000 if chunk == 1 else None]
    edges = [edge for _, edge in Buffer().edges(samples, chunk)]
    assert edges == [edge for _, edge in Buffer().edges(samples)]


def test_idle_buffer_keeps_a_minute_and_its_clock() -> None:
    buffer = Buffer()
    assert buffer.edges(np.zeros(100 * 24_000, np.int16), 24_000) == []
    _, audio = buffer.input.commit()
    assert 60 <= len(audio) / 48_000 <= 70
    started = starts(buffer.edges(spliced(500, sentence("Yes."))))[0]
    assert abs(started.audio_start_ms - (100_000 + 500 - 300)) <= 130


def hum(start_hz: float, end_hz: float, end_level: float = 1.0) -> Samples:
    """Two seconds of a voice-like sound whose pitch and loudness move over the last half second."""
    pitch_hz = np.concatenate([np.full(36_000, start_hz), np.linspace(start_hz, end_hz, 12_000)])
    level = np.concatenate([np.ones(36_000), np.linspace(1, end_level, 12_000)])
    phase = 2 * np.pi * np.cumsum(pitch_hz) / 24_000
    sound = sum(np.sin(harmonic * phase) / harmonic for harmonic in range(1, 9))
    return (0.15 * 32767 * level * sound).astype(np.int16)


def test_falling_and_fading_voice_sounds_finished_a_level_one_does_not() -> None:
    assert end_of_turn.finished(hum(200, 120, 0.3)) == 1.0
    assert end_of_turn.finished(hum(200, 200)) < 0.05
    assert end_of_turn.finished(hum(200, 260)) == 0.0
    assert 0.05 < end_of_turn.finished(hum(200, 175)) < 1.0


def test_eagerness_bounds_the_wait() -> None:
    level, falling = hum(200, 200), hum(200, 120, 0.3)
    waits_ms = [end_of_turn.wait_ms(level, eagerness) for eagerness in ("high", "medium", "low")]
    assert waits_ms == sorted(waits_ms)
    assert all(wait <= most for wait, most in zip(waits_ms, (2000, 4000, 8000), strict=True))
    assert end_of_turn.wait_ms(level, "auto") == waits_ms[1]
    assert {end_of_turn.wait_ms(falling, eagerness) for eagerness in ("high", "medium", "low")} == {600}


WHOLE = Ending(closes=0.6, breaks_off=0.0005, openness=0.5)
SO_SO = Ending(closes=0.25, breaks_off=0.003, openness=1.8)
BROKEN_OFF = Ending(closes=0.01, breaks_off=0.05, openness=4.5)
NO_CLAUSE_OF_ITS_OWN = Ending(closes=0.05, breaks_off=0.0005, openness=0.5)


@pytest.mark.parametrize(
    ("text", "ending", "waits_ms"),
    [
        ("I like the green one best.", WHOLE, 500),
        ("I would give it to the", BROKEN_OFF, 4000),
        ("I would give it to the.", BROKEN_OFF, 4000),  # the recogniser sets a full stop at every silence
        ("Well, I think,", WHOLE, 4000),
        ("I think...", WHOLE, 4000),
        ("If I had to choose today.", NO_CLAUSE_OF_ITS_OWN, 4000),
        ("That is hard. When I was about ten", NO_CLAUSE_OF_ITS_OWN, 4000),
        ("When did you arrive?", WHOLE, 500),
        ("If it rains we stay at home.", WHOLE, 500),
        ("", None, 500),
    ],
)
def test_words_decide_how_long_a_pause_must_last(text: str, ending: Ending | None, waits_ms: int) -> None:
    voice = hum(200, 200)
    assert end_of_turn.wait_ms(voice, "auto", end_of_turn.Words(text, ending)) == waits_ms


def test_a_clause_that_opens_a_sentence_is_finished_by_the_one_after_the_comma() -> None:
    words = end_of_turn.Words("If it rains, we stay at home", NO_CLAUSE_OF_ITS_OWN)
    assert end_of_turn.wait_ms(hum(200, 200), "auto", words) < 1000


def test_a_doubtful_end_is_still_taken_within_a_second() -> None:
    sure, doubtful = (
        end_of_turn.wait_ms(hum(200, 200), "auto", end_of_turn.Words("It was a long way home.", ending))
        for ending in (WHOLE, SO_SO)
    )
    assert sure < doubtful <= 900


def test_what_may_be_unfinished_waits_longer_than_a_second_but_not_for_the_maximum() -> None:
    words = end_of_turn.Words("I would put it on the left", Ending(closes=0.2, breaks_off=0.003, openness=2.3))
    waits_ms = {each: end_of_turn.wait_ms(hum(200, 200), each, words) for each in ("high", "medium", "low")}
    assert 1000 <= waits_ms["high"] < 2000
    assert 1600 < waits_ms["medium"] < 4000
    assert 3200 < waits_ms["low"] < 8000


@pytest.mark.parametrize(("eagerness", "most_ms"), [("high", 2000), ("medium", 4000), ("low", 8000)])
def test_eagerness_says_how_long_an_unfinished_sentence_waits(eagerness: str, most_ms: int) -> None:
    words = end_of_turn.Words("I would give it to the", BROKEN_OFF)
    assert end_of_turn.wait_ms(hum(200, 120, 0.3), eagerness, words) == most_ms


def test_too_little_voice_to_judge_by_does_not_wait() -> None:
    assert end_of_turn.finished(np.zeros(0, np.int16)) == 1.0
    assert end_of_turn.finished(noise(0.1)[:24_000]) == 1.0


def test_semantic_detection_waits_as_long_as_the_end_sounds_unfinished() -> None:
    """The pause that ended each of these turns is the wait that its own sound asks for."""
    for text in SENTENCES:
        speech = sentence(text)
        edges = Buffer(type="semantic_vad", eagerness="low").edges(spliced(500, speech, 5000))
        stopped = edges[-1][1]
        assert isinstance(stopped, TurnStopped)
        waited_ms = stopped.audio_end_ms - 500 - ms_of(speech)
        assert 540 <= waited_ms <= 4000 + 120


@given(st.lists(st.integers(0, 700), max_size=12))
@settings(max_examples=30)
def test_any_split_resamples_alike(sizes: list[int]) -> None:
    samples = np.random.default_rng(2).normal(0, 0.1, sum(sizes)).astype(np.float32)
    downsampler = Downsampler()
    pieces = [downsampler.feed(piece) for piece in np.split(samples, np.cumsum(sizes)[:-1])] if sizes else []
    together = Downsampler().feed(samples)
    assert np.allclose(np.concatenate([np.zeros(0, np.float32), *pieces]), together, rtol=0, atol=1e-6)


def test_resampling_delays_by_one_millisecond_and_keeps_the_voice() -> None:
    time_s = np.arange(24_000) / 24_000
    for frequency_hz in (200, 1000, 4000):
        got = Downsampler().feed(np.sin(2 * np.pi * frequency_hz * time_s).astype(np.float32))
        expected = np.sin(2 * np.pi * frequency_hz * (np.arange(len(got)) / 16_000 - 0.001))
        assert np.max(np.abs(got - expected)[200:]) < 0.001
    aliased = Downsampler().feed(np.sin(2 * np.pi * 10_000 * time_s).astype(np.float32))
    assert np.max(np.abs(aliased[200:])) < 0.001
