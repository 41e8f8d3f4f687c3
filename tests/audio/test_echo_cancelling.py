"""Echo cancelling: what is left of the agent in the microphone, and what of the participant."""

import sys

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.audio.echo_cancelling import DELAY_MS, EchoCanceller
from simulator.errors import AudioUnavailable
from simulator.units import BLOCK_SAMPLES, NS_PER_MS, samples_to_ns
from tests.audio.test_sound_check import come_back, louder, mixed, noise, voice

Samples = NDArray[np.int16]
START_NS = 5_000 * NS_PER_MS


def cleaned(heard: Samples, agent: Samples, late_ms: tuple[int, ...] = (0,), handed_ms: int = 60) -> Samples:
    """Run a microphone through it; its blocks are told of so late, one after the other.

    A device is handed its blocks `handed_ms` before they are audible.
    """
    canceller = EchoCanceller()
    blocks = []
    ahead = handed_ms * 24
    canceller.played(agent[:ahead], START_NS)
    for number, first in enumerate(range(0, len(heard) - BLOCK_SAMPLES + 1, BLOCK_SAMPLES)):
        at_ns = START_NS + samples_to_ns(first)
        canceller.played(agent[first + ahead :][:BLOCK_SAMPLES], at_ns + handed_ms * NS_PER_MS)
        ended_ns = at_ns + (20 + late_ms[number % len(late_ms)]) * NS_PER_MS
        blocks.append(canceller.cleaned(heard[first : first + BLOCK_SAMPLES], ended_ns))
    return np.concatenate(blocks)


def level_db(samples: Samples) -> float:
    return 10 * float(np.log10(np.mean(samples.astype(np.float64) ** 2) + 1e-9))


@pytest.mark.parametrize(
    ("late_ms", "handed_ms"),
    [((0,), 60), ((45, 25, 5), 60), ((0,), 5)],
    ids=["punctual", "in bursts of three", "handed late"],
)
def test_an_echo_is_gone_after_three_seconds_of_the_agent(late_ms: tuple[int, ...], handed_ms: int) -> None:
    agent = voice("monologue_slt", 8.0)
    heard = mixed(come_back(agent, -15, 90), noise(8.0, -75))
    left = cleaned(heard, agent, late_ms, handed_ms)
    late = slice(3 * 24_000, None)
    assert level_db(heard[late]) - level_db(left[late]) >= 20


def test_the_participant_is_left_when_nothing_is_played_but_nine_milliseconds_later() -> None:
    person = louder(voice("monologue_awb", 4.0), -6)
    left = cleaned(person, np.zeros_like(person))
    shifted = np.concatenate((np.zeros(DELAY_MS * 24, dtype=np.int16), person))[: len(left)]
    assert abs(level_db(left) - level_db(person)) <= 1.5
    assert np.corrcoef(shifted, left)[0, 1] >= 0.85


def test_a_participant_who_interrupts_is_left() -> None:
    agent, person = voice("monologue_slt", 8.0), louder(voice("long_story_awb", 8.0), -6)
    person[: 5 * 24_000] = 0
    left = cleaned(mixed(come_back(agent, -15, 90), person, noise(8.0, -75)), agent)
    both = slice(5 * 24_000, None)
    assert level_db(person[both]) - level_db(left[both]) <= 6


def test_without_the_extra_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pywebrtc_audio", None)
    with pytest.raises(AudioUnavailable, match=r"participant-simulator\[echo\]"):
        EchoCanceller()


def test_a_microphone_that_was_closed_for_a_while_needs_no_new_second_to_find_its_place() -> None:
    agent = voice("monologue_slt", 10.0)
    heard = mixed(come_back(agent, -15, 90), noise(10.0, -75))
    canceller, left = EchoCanceller(), []
    for first in range(0, len(heard), BLOCK_SAMPLES):
        at_ns = START_NS + samples_to_ns(first)
        canceller.played(agent[first + 1_440 :][:BLOCK_SAMPLES], at_ns + 60 * NS_PER_MS)
        if 5 * 24_000 <= first < 7 * 24_000:
            canceller.forget_microphone()
            continue
        left.append(canceller.cleaned(heard[first : first + BLOCK_SAMPLES], at_ns + 20 * NS_PER_MS))
    # Half a second after it opened again.
    late = slice(round(7.5 * 24_000), round(8.5 * 24_000))
    assert level_db(heard[late]) - level_db(np.concatenate(left)[round(5.5 * 24_000) : round(6.5 * 24_000)]) >= 20
