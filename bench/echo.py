"""What echo cancelling removes, and what it does to barge-in; needs the extra `echo`.

Computed are a loudspeaker that distorts a little, a room that fades within 0.4 s and a microphone with a soft noise.
The agents are voices of the project, the participants all its recordings and those of people where they lie beside
this checkout (see turn_end). The agent speaks for six seconds, then the participant begins while it goes on. The
embedded engine's turn detection hears the participant alone, the microphone as it is, and the microphone with its echo
cancelled: once over the first three seconds, in which the canceller learns, and once from there on. A start before the
participant's first sound is a false one, one that has not come a second after it is missed; the delay is told against
that of the participant alone.
"""

import sys
import time
from collections.abc import Iterable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bench.engine_client import CHUNK_SAMPLES, RATE_HZ, Samples
from bench.figures import Figure, percentile
from bench.turn_end import paths_of, peoples_recordings
from simulator.audio.audio_files import load_recording
from simulator.audio.echo_cancelling import EchoCanceller
from simulator.audio.recordings import project_recordings, speech_extent
from simulator.engine.activity import SpeechActivity
from simulator.engine.configuration import SERVER_VAD
from simulator.engine.input_audio import InputAudio, TurnStarted
from simulator.engine.speech_model import SpeechModel
from simulator.engine.turn_detection import DetectionSettings
from simulator.units import samples_to_ns

ECHO_DB: Final = (-10.0, -20.0)
"""Level of the echo, relative to what is played: a laptop's own loudspeaker, and one at the far end of the desk."""
DELAY_MS: Final = (40, 150)
AGENT_DBFS: Final = -20.0
PERSON_DBFS: Final = -26.0
NOISE_DBFS: Final = -68.0
BEGINS_MS: Final = 6_000
MISSED_AFTER_MS: Final = 1_000
LEARNS_MS: Final = 3_000
REMOVED_GOAL_DB: Final = 20.0
LATER_GOAL_MS: Final = 500.0
WRONG_GOAL: Final = 10.0
COST_GOAL_MS: Final = 5.0
HANDED_AHEAD_MS: Final = 60
"""So long before it is audible a block is handed to an output device."""
Sound = NDArray[np.float64]


def run() -> Iterable[Figure]:
    """Measure, and return the figures."""
    chance = np.random.default_rng(9)
    agents = [_agent(name) for name in ("monologue_slt", "monologue_rms", "monologue_pico_gb", "monologue_awb")]
    people = [_person(path) for path in [*paths_of(project_recordings()), *peoples_recordings()]]
    removed: list[float] = []
    costs_ms: list[float] = []
    later_ms: list[float] = []
    kept_db: list[float] = []
    starts = {"as it is": [0, 0, 0], "cancelled": [0, 0, 0]}
    detector = InputAudio(SpeechActivity(SpeechModel()), lambda: "item")
    detector.set_turn_detection(DetectionSettings.of(SERVER_VAD))
    trials = [(person, echo_db) for person in people for echo_db in ECHO_DB]
    for number, (person, echo_db) in enumerate(trials):
        agent = agents[number % len(agents)]
        echo = _echo(agent, echo_db, DELAY_MS[number // 2 % 2], chance)
        noise = chance.standard_normal(len(agent)) * 32_768 * 10 ** (NOISE_DBFS / 20)
        near = np.zeros(len(agent))
        near[BEGINS_MS * 24 :][: len(person)] = person[: len(near) - BEGINS_MS * 24]
        alone = _int16(near + noise)
        heard = _int16(near + echo + noise)
        cancelled = _cancelled(heard, _int16(agent), costs_ms)
        removed.append(_removed_db(echo, cancelled))
        kept_db.append(_kept_db(near, cancelled))
        reference_ms = _start_ms(detector, alone[LEARNS_MS * 24 :])
        for name, samples in (("as it is", heard), ("cancelled", cancelled)):
            starts[name][0] += _start_ms(detector, samples[: LEARNS_MS * 24]) is not None
            at_ms = _start_ms(detector, samples[LEARNS_MS * 24 :])
            starts[name][1] += at_ms is not None and at_ms < 0
            starts[name][2] += at_ms is None
            if name == "cancelled" and at_ms is not None and reference_ms is not None and at_ms >= 0:
                later_ms.append(at_ms - reference_ms)
    for name, (learning, false, missed) in starts.items():
        counts = f"{learning} false starts in the first three seconds, {false} later, {missed} missed"
        print(f"microphone {name}, of {len(trials)}: {counts}", file=sys.stderr)
    print(f"removed: {_told(removed)} dB; the participant while both speak: {_told(kept_db)} dB", file=sys.stderr)
    print(f"barge-in later: {_told(later_ms)} ms", file=sys.stderr)
    wrong = 100 * sum(starts["cancelled"][1:]) / len(trials)
    return [
        Figure("what is left of an echo, against it", -REMOVED_GOAL_DB, "dB", [-db for db in removed]),
        Figure("onset of a barge-in later than without an echo", LATER_GOAL_MS, "ms", later_ms),
        Figure(f"barge-in missed or begun by the echo, once it is known, of {len(trials)}", WRONG_GOAL, "%", [wrong]),
        Figure("processor time of 20 ms", COST_GOAL_MS, "ms", costs_ms),
    ]


def _told(values: list[float]) -> str:
    return ", ".join(f"p{percent} {percentile(values, percent):.0f}" for percent in (10, 50, 90, 100))


def _agent(name: str) -> Sound:
    (path,) = (each.path for each in project_recordings() if each.name == name)
    voice = np.resize(load_recording(path).astype(np.float64), (BEGINS_MS + 4_000) * RATE_HZ // 1000)
    return _at(voice, AGENT_DBFS)


def _person(path: Any) -> Sound:
    samples = load_recording(path)
    extent = speech_extent(samples)
    assert extent is not None
    return _at(samples[extent.onset_ms * 24 : extent.offset_ms * 24].astype(np.float64), PERSON_DBFS)


def _at(voice: Sound, dbfs: float) -> Sound:
    return np.asarray(voice * 32_768 * 10 ** (dbfs / 20) / np.sqrt(np.mean(voice**2)))


def _echo(agent: Sound, echo_db: float, delay_ms: int, chance: np.random.Generator) -> Sound:
    """What the microphone gets of the agent."""
    count = round(0.4 * RATE_HZ)
    answer = chance.standard_normal(count) * 10 ** (-3 * np.arange(count) / count)
    answer *= 0.8 / np.sqrt(np.sum(answer**2))
    answer[0] = 0.6
    played = np.tanh(agent / 32_768 * 1.5) / 1.5 * 32_768
    length = 1 << (len(played) + count).bit_length()
    back = np.fft.irfft(np.fft.rfft(played, length) * np.fft.rfft(answer, length), length)[: len(played)]
    back = np.concatenate((np.zeros(delay_ms * 24), back))[: len(played)]
    return np.asarray(back * 10 ** (echo_db / 20))


def _cancelled(heard: Samples, played: Samples, costs_ms: list[float]) -> Samples:
    canceller = EchoCanceller()
    blocks = []
    ahead = HANDED_AHEAD_MS * RATE_HZ // 1000
    canceller.played(played[:ahead], 0)
    for first in range(0, len(heard), CHUNK_SAMPLES):
        began = time.thread_time()
        at_ns = samples_to_ns(first)
        canceller.played(played[first + ahead :][:CHUNK_SAMPLES], at_ns + samples_to_ns(ahead))
        blocks.append(canceller.cleaned(heard[first : first + CHUNK_SAMPLES], at_ns + samples_to_ns(CHUNK_SAMPLES)))
        costs_ms.append((time.thread_time() - began) * 1000)
    return np.concatenate(blocks)


def _removed_db(echo: Sound, cancelled: Samples) -> float:
    """From the third second to where the participant begins."""
    part = slice(3_000 * 24, BEGINS_MS * 24)
    return 10 * float(np.log10(np.mean(echo[part] ** 2) / (np.mean(cancelled[part].astype(np.float64) ** 2) + 1e-9)))


def _kept_db(near: Sound, cancelled: Samples) -> float:
    """Level of what is left of the first second of the participant, who speaks against the agent."""
    part = slice(BEGINS_MS * 24, (BEGINS_MS + 1_000) * 24)
    return 10 * float(np.log10(np.mean(cancelled[part].astype(np.float64) ** 2) / (np.mean(near[part] ** 2) + 1e-9)))


def _start_ms(detector: InputAudio, samples: Samples) -> float | None:
    """When the detector noticed speech in what begins three seconds before the participant, from his first sound on.

    None: not within a second after it.
    """
    noticed = None
    last = (BEGINS_MS - LEARNS_MS + MISSED_AFTER_MS) * 24
    for first in range(0, min(last, len(samples)), CHUNK_SAMPLES):
        chunk = samples[first : first + CHUNK_SAMPLES]
        if any(isinstance(event, TurnStarted) for event in detector.append(chunk.astype("<i2").tobytes())):
            noticed = (first + len(chunk)) * 1000 / RATE_HZ - (BEGINS_MS - LEARNS_MS)
            break
    list(detector.append(np.zeros(3 * RATE_HZ, dtype="<i2").tobytes()))
    detector.clear()
    return noticed


def _int16(sound: Sound) -> Samples:
    samples: Samples = np.clip(np.round(sound), -32_768, 32_767).astype(np.int16)
    return samples
