"""Has the speaker finished? A guess from the words and the voice, for semantic turn detection.

Where words are recognised, four things speak for an end: that a sentence often ends after these words (the weightiest),
that the recogniser heard a full stop, that the pitch fell, that the voice faded. What is not finished by their sum, or
trails off, waits for the maximum of the eagerness (HRP: low 8 s, medium and auto 4 s, high 2 s). Anything else is taken
within a second, sooner the surer it is: people also pause between clauses that could each stand alone. The weights are
those of a logistic regression on 268 pauses and ends of four synthesised voices, which are none of `bench turn_end`.

The voice, where there are no words:

English sentences mostly end low and soft: over the last syllables the pitch falls below the speaker's own middle and
the loudness fades. Where somebody stops in mid-sentence, pitch and loudness stay up. Sound alone is often wrong where
words are right. So even a turn that does not sound finished at all waits only half the maximum: a wrong guess must not
make a conversation stall.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simulator.engine.pcm import SAMPLE_RATE_HZ

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAXIMUM_WAIT_MS = {"low": 8_000, "medium": 4_000, "auto": 4_000, "high": 2_000}
FINISHED_WAIT_MS = 500
LISTENED_WAIT_MS = 600  # by the voice alone
LISTEN_MS = 3_000  # as much of the turn's end as the guess looks at

_DOUBT_MS = 400  # at most, where words may be finished
_LONGEST_SHARE = 0.5
_TRAILING_OFF = (",", "-", "–", "—", "...", "…", ":", ";")
_CLOSES, _FALL, _FADE, _MARK, _BIAS = 1.2, 0.36, 0.28, 1.34, -0.23
_UNFINISHED, _SURE = -0.75, 2.0  # log odds
_FARTHEST_SEMITONES = 8.0  # more is a pitch that was not found
_USUAL_FALL_AND_FADE = (1.5, 2.0)
_FRAME = SAMPLE_RATE_HZ * 40 // 1000
_HOP = SAMPLE_RATE_HZ * 10 // 1000
_SHORTEST_PERIOD = SAMPLE_RATE_HZ // 400
_LONGEST_PERIOD = SAMPLE_RATE_HZ // 70
_VOICED = 0.6  # normalised autocorrelation from which a frame counts as voiced
_FLOOR = 10 ** (-45 / 20)
_LAST_FRAMES = 8


@dataclass(frozen=True, slots=True)
class Words:
    """What was said so far in a turn: the words, empty for a cough, and how likely a sentence ends after them."""

    text: str
    closes: float | None


def wait_ms(speech: NDArray[np.int16], eagerness: str, words: Words | None = None) -> int:
    """How long the pause after this speech must be for the turn to be over.

    Args:
        speech: the end of the turn at 24 kHz, up to where the pause began.
        eagerness: low, medium, high or auto.
        words: the turn's words; None where nobody knows them.
    """
    if words is None:
        longest = MAXIMUM_WAIT_MS[eagerness] * _LONGEST_SHARE
        return round(LISTENED_WAIT_MS + (longest - LISTENED_WAIT_MS) * (1.0 - finished(speech)))
    if words.closes is None:
        return FINISHED_WAIT_MS
    ending = _log_odds(speech, words.text, words.closes)
    if words.text.endswith(_TRAILING_OFF) or ending < _UNFINISHED:
        return MAXIMUM_WAIT_MS[eagerness]
    doubt = np.clip(1.0 - ending / _SURE, 0.0, 1.0)
    return round(FINISHED_WAIT_MS + _DOUBT_MS * float(doubt))


def _log_odds(speech: NDArray[np.int16], text: str, closes: float) -> float:
    """Of the words being finished."""
    fall_semitones, fade_db = _fall_and_fade(speech) or _USUAL_FALL_AND_FADE
    if abs(fall_semitones) > _FARTHEST_SEMITONES:
        fall_semitones = _USUAL_FALL_AND_FADE[0]
    # A text that begins with a small letter has no marks anywhere: that it lacks one at the end says nothing.
    is_marked = text.endswith((".", "?", "!")) or text[:1].islower()
    voice = _FALL * fall_semitones + _FADE * float(np.clip(fade_db, -5.0, 10.0))
    return _CLOSES * math.log(closes + 0.01) + voice + _MARK * is_marked + _BIAS


def finished(speech: NDArray[np.int16]) -> float:
    """How much this sounds like the end of a sentence, 0 to 1.

    Too little voice to judge by (a cough, a whisper) gives 1: waiting for more would only be slow.
    """
    end = _fall_and_fade(speech)
    return 1.0 if end is None else float(np.clip(0.2 * end[0] + 0.06 * end[1], 0.0, 1.0))


def _fall_and_fade(speech: NDArray[np.int16]) -> tuple[float, float] | None:
    """How far the last voiced frames lie below the middle of all, in semitones and dB; None with too little voice."""
    pitches, levels_db = _contour(speech.astype(np.float32) * np.float32(1 / 32768))
    if len(pitches) < 2 * _LAST_FRAMES:
        return None
    fall_semitones = 12 * np.log2(np.median(pitches) / np.median(pitches[-_LAST_FRAMES:]))
    return float(fall_semitones), float(np.median(levels_db) - np.median(levels_db[-_LAST_FRAMES:]))


def _contour(audio: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Pitch in Hz and level in dBFS of the voiced frames."""
    if len(audio) < _FRAME:
        return np.zeros(0), np.zeros(0)
    frames = np.lib.stride_tricks.sliding_window_view(audio, _FRAME)[::_HOP].astype(np.float64)
    rms = np.sqrt(np.mean(frames**2, axis=1))
    frames = frames[rms > _FLOOR]
    rms = rms[rms > _FLOOR]
    spectrum = np.fft.rfft(frames, 2 * _FRAME, axis=1)
    correlation = np.fft.irfft(np.abs(spectrum) ** 2, axis=1)[:, : _LONGEST_PERIOD + 1]
    # A lag of k overlaps only _FRAME - k samples: without this the shortest period would always win.
    overlap = 1 - np.arange(_LONGEST_PERIOD + 1) / _FRAME
    normalised = correlation / (correlation[:, :1] + 1e-12) / overlap
    best = _SHORTEST_PERIOD + np.argmax(normalised[:, _SHORTEST_PERIOD:], axis=1)
    voiced = normalised[np.arange(len(best)), best] > _VOICED
    return SAMPLE_RATE_HZ / best[voiced], 20 * np.log10(rms[voiced])
