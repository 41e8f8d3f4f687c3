"""Does semantic turn detection know a pause in mid-sentence from the end of a turn?

The embedded engine hears, with semantic_vad and the eagerness auto:

- recordings with their pauses of 300 ms and more as they are;
- hesitations: recordings that are one sentence of many words, cut three times, each time at a word that a fixed seed
  chose, with 0.6 to 1.5 s of silence there.

What counts is held out: the project's recordings in the voices `HELD_OUT_VOICES`, and recordings of people where they
lie beside this checkout or in the folder that PARTICIPANT_SIMULATOR_SPEECH names. Neither these recordings nor other
words of these voices served to find the rules or their weights. The project's other recordings did; they are told
besides, without a goal. So are short pauses between clauses that could each stand alone, made 1.5 s long.

Held: no turn ends in the pause. Taken: the turn ends at most 1 s after its last sound. Both on the audio's clock; what
recognition costs in time is measured by `reply`.
"""

import asyncio
import itertools
import math
import os
import random
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import soxr

from bench.engine_client import Samples, embedded_engine, heard_turns, silence
from bench.figures import Figure
from simulator.audio.audio_files import load_recording
from simulator.audio.recordings import SpeechRecording, project_recordings, speech_extent
from simulator.speech.mel import SAMPLE_RATE_HZ
from simulator.speech.models import is_installed
from simulator.speech.whisper import Whisper

SHORTEST_MS: Final = 300
SHORTEST_BETWEEN_CLAUSES_MS: Final = 200
LENGTHENED_MS: Final = 1_500
HESITATIONS_MS: Final = (600, 900, 1_200, 1_500)
LEAST_WORDS: Final = 8
CUTS: Final = 3
HELD_OUT_VOICES: Final = ("pico en-US", "pico en-GB", "flite awb")
AFTER_MS: Final = 5_000
TAKEN_WITHIN_MS: Final = 1_000
MISSED_PAUSES_GOAL: Final = 20.0
MISSED_ENDS_GOAL: Final = 10.0
_LEAD_MS: Final = 500
_BELONGS_MS: Final = 100  # a turn that ends so shortly after speech went on was ended by the pause


@dataclass(frozen=True, slots=True)
class Utterance:
    """What one speaker says in one turn: samples, where its pauses lie, and where its last sound ends."""

    name: str
    samples: Samples
    pauses: tuple[tuple[float, float], ...]
    end_ms: float


def run() -> Iterable[Figure]:
    """Measure, and return the figures."""
    if not is_installed():
        print("without the extra `ears`, turns end by the voice alone", file=sys.stderr)
    return asyncio.run(_measure())


async def _measure() -> list[Figure]:
    counted = [recording for recording in project_recordings() if recording.voice in HELD_OUT_VOICES]
    seen_before = [recording for recording in project_recordings() if recording.voice not in HELD_OUT_VOICES]
    people = peoples_recordings()
    everyone = [*paths_of(counted), *paths_of(seen_before), *people]
    async with embedded_engine() as url:
        between = utterances(everyone, SHORTEST_BETWEEN_CLAUSES_MS, up_to_ms=SHORTEST_MS, lengthened_ms=LENGTHENED_MS)
        between_clauses, _ = await _results(url, "made long", between)
        tuned, tuned_ends = await _results(url, "seen before", utterances(paths_of(seen_before), SHORTEST_MS))
        more_tuned, _ = await _results(url, "seen before, hesitation", hesitations(seen_before))
        pauses, ends = await _results(url, "held out", utterances([*paths_of(counted), *people], SHORTEST_MS))
        more_pauses, _ = await _results(url, "held out, hesitation", hesitations(counted))
    _tell("pauses between clauses not held", between_clauses)
    _tell("pauses of recordings seen before not held", tuned + more_tuned)
    _tell("ends of recordings seen before not taken", tuned_ends)
    pauses += more_pauses
    held = f"semantic_vad: pauses in mid-sentence not held, of {len(pauses)}"
    taken = f"semantic_vad: ends not taken within 1 s, of {len(ends)}"
    return [
        Figure(held, MISSED_PAUSES_GOAL, "%", _share(pauses)),
        Figure(taken, MISSED_ENDS_GOAL, "%", _share(ends)),
    ]


def _tell(what: str, results: list[tuple[str, bool]]) -> None:
    print(f"{what}: {sum(not good for _, good in results)} of {len(results)}", file=sys.stderr)


async def _results(
    url: str, kind: str, all_said: Iterable[Utterance]
) -> tuple[list[tuple[str, bool]], list[tuple[str, bool]]]:
    """Return for each pause whether it was held, and for each end whether it was taken, with a name for both."""
    pauses: list[tuple[str, bool]] = []
    ends: list[tuple[str, bool]] = []
    for said in all_said:
        turns = await heard_turns(url, said.samples, {"type": "semantic_vad", "eagerness": "auto"})
        stops = [turn.end_ms for turn in turns]
        for start_ms, end_ms in said.pauses:
            is_held = not any(start_ms < stop < end_ms + _BELONGS_MS for stop in stops)
            pauses.append((f"pause of {end_ms - start_ms:.0f} ms at {start_ms:.0f} ms", is_held))
        after_ms = min((stop - said.end_ms for stop in stops if stop > said.end_ms), default=float("inf"))
        ends.append((f"end after {after_ms:.0f} ms", after_ms <= TAKEN_WITHIN_MS))
        missed = [name for name, good in [*pauses[len(pauses) - len(said.pauses) :], ends[-1]] if not good]
        if missed or said.pauses:
            words = " | ".join(turn.text for turn in turns)
            print(f"{kind}, {said.name}: {words} {'; missed: ' if missed else ''}{', '.join(missed)}", file=sys.stderr)
    return pauses, ends


def _share(results: list[tuple[str, bool]]) -> list[float]:
    return [100 * sum(not good for _, good in results) / len(results)] if results else []


def paths_of(recordings: Iterable[SpeechRecording]) -> list[Path]:
    """Return where they lie."""
    return [recording.path for recording in recordings]


def utterances(
    paths: Iterable[Path], from_ms: float, *, up_to_ms: float = math.inf, lengthened_ms: float = 0
) -> Iterator[Utterance]:
    """Give recordings; their pauses are those of such a length, lasting at least so long."""
    for path in paths:
        yield utterance(path.stem, load_recording(path), from_ms, up_to_ms, lengthened_ms)


def hesitations(recordings: Iterable[SpeechRecording]) -> Iterator[Utterance]:
    """Give those that are one sentence of many words, `CUTS` times cut before any word but the first and the last."""
    chance = random.Random(4)
    lasts_ms = itertools.cycle(HESITATIONS_MS)
    aligner = Aligner()
    for recording in recordings:
        samples = load_recording(recording.path)
        extent = speech_extent(samples)
        assert extent is not None
        if len(recording.words.split()) < LEAST_WORDS or extent.longest_pause_ms >= SHORTEST_MS:
            continue
        places_ms = aligner.word_starts_ms(samples)
        for chosen in sorted(chance.sample(range(2, len(places_ms) - 1), CUTS)):
            yield cut(recording.name, samples, places_ms[chosen], next(lasts_ms))


def cut(name: str, samples: Samples, place_ms: float, lasts_ms: float) -> Utterance:
    """Return a recording between silences, with one more at a place in it."""
    extent = speech_extent(samples)
    assert extent is not None
    first = _between(samples, extent.onset_ms, place_ms)
    second = _between(samples, place_ms, extent.offset_ms)
    start_ms = _LEAD_MS + place_ms - extent.onset_ms
    end_ms = start_ms + lasts_ms
    parts = [silence(_LEAD_MS), first, silence(lasts_ms), second, silence(AFTER_MS)]
    return Utterance(name, np.concatenate(parts), ((start_ms, end_ms),), end_ms + extent.offset_ms - place_ms)


class Aligner(Whisper):
    """The engine's recogniser, which can also tell when the words were said."""

    def word_starts_ms(self, samples: Samples) -> list[float]:
        """Return where each word of a recording begins, to 20 ms."""
        clip = soxr.resample(samples.astype(np.float32) / 32768, 24_000, SAMPLE_RATE_HZ)
        tokens = self.recognise(clip).tokens
        ids = [self._ids[token] for token in tokens]
        frames = len(clip) // 160
        (aligned,) = self._model.align(self._encoded(clip), self._prompt[:1], [ids], frames)
        starts = dict(reversed(aligned.alignments))
        return [20 * starts[index] for index, token in enumerate(tokens) if token.startswith("Ġ")]


def peoples_recordings() -> list[Path]:
    """Return recordings of people that are no part of this project."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "fixtures"
    folder = Path(os.environ.get("PARTICIPANT_SIMULATOR_SPEECH", beside))
    return sorted(path for path in folder.glob("*") if path.suffix in (".flac", ".wav"))


def utterance(name: str, samples: Samples, from_ms: float, up_to_ms: float, lengthened_ms: float) -> Utterance:
    """Return a recording between silences."""
    extent = speech_extent(samples)
    assert extent is not None
    parts = [silence(_LEAD_MS)]
    pauses: list[tuple[float, float]] = []
    said_ms: float = extent.onset_ms
    length_ms: float = _LEAD_MS
    for pause in extent.pauses:
        lasts_ms = pause.to_ms - pause.from_ms
        if not from_ms <= lasts_ms < up_to_ms:
            continue
        middle_ms = (pause.from_ms + pause.to_ms) // 2
        more_ms = max(0, lengthened_ms - lasts_ms)
        begins_ms = length_ms + pause.from_ms - said_ms
        parts += [_between(samples, said_ms, middle_ms), silence(more_ms)]
        pauses.append((begins_ms, begins_ms + lasts_ms + more_ms))
        length_ms += middle_ms - said_ms + more_ms
        said_ms = middle_ms
    parts += [_between(samples, said_ms, extent.offset_ms), silence(AFTER_MS)]
    end_ms = length_ms + extent.offset_ms - said_ms
    return Utterance(name, np.concatenate(parts), tuple(pauses), end_ms)


def _between(samples: Samples, start_ms: float, end_ms: float) -> Samples:
    return samples[round(start_ms * 24) : round(end_ms * 24)]
