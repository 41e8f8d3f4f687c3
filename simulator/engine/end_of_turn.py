"""Has the speaker finished? A guess from the words and how they sound, for semantic turn detection.

Where words are recognised, the recogniser tells three things: how likely a sentence ends after these words, and, by
their sound too, how likely the speaker breaks off there and how open it is what comes next. What is not finished by
their sum waits for two fifths of the maximum of the eagerness and more, up to all of it, the surer that is (HRP: low
8 s, medium and auto 4 s, high 2 s). What trails off waits for all of it. Anything else is taken within a second, sooner
the surer it is: people also pause between clauses that could each stand alone.

A clause that begins with "if", "when" and the like is none by itself, however final it sounds, unless the recogniser
finds it whole: it waits for the maximum as well.

The weights are those of a logistic regression on 752 pauses and ends of six synthesised voices; turns of up to three
words, which sound broken off more often than they are, have a weight of their own. Where the line is drawn, a tenth of
those ends wait although the speaker has finished, each end of a short turn counted four times. None of the voices that
`bench turn_end` counts by was among them.

The voice, where there are no words:

English sentences mostly end low and soft: over the last syllables the pitch falls below the speaker's own middle and
the loudness fades. Where somebody stops in mid-sentence, pitch and loudness stay up. Sound alone is often wrong where
words are right. So even a turn that does not sound finished at all waits only half the maximum: a wrong guess must not
make a conversation stall.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simulator.engine.pcm import SAMPLE_RATE_HZ

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.speech.whisper import Ending

MAXIMUM_WAIT_MS = {"low": 8_000, "medium": 4_000, "auto": 4_000, "high": 2_000}
FINISHED_WAIT_MS = 500
LISTENED_WAIT_MS = 600  # by the voice alone
LISTEN_MS = 3_000  # as much of the turn's end as the guess looks at

_DOUBT_MS = 400  # at most, where words may be finished
_LONGEST_SHARE = 0.5
_TRAILING_OFF = (",", "-", "–", "—", "...", "…", ":", ";")
_CLOSES, _BREAKS_OFF, _OPENNESS, _FEW_WORDS, _BIAS = 0.80, -0.67, -0.64, 2.01, -2.18
_BROKEN_OFF, _UNFINISHED, _SURE = -2.65, -0.65, 1.35  # log odds
_SHORTEST_SHARE = 0.4
_LEAST_UNFINISHED_MS = 1_000
_FEW = 3
_OPENINGS = frozenset(
    [
        "after",
        "although",
        "as",
        "because",
        "before",
        "if",
        "once",
        "since",
        "though",
        "unless",
        "until",
        "when",
        "whenever",
        "while",
    ]
)
_WHOLE = 0.1  # such a clause is one sentence with what follows it from here on
_FRAME = SAMPLE_RATE_HZ * 40 // 1000
_HOP = SAMPLE_RATE_HZ * 10 // 1000
_SHORTEST_PERIOD = SAMPLE_RATE_HZ // 400
_LONGEST_PERIOD = SAMPLE_RATE_HZ // 70
_VOICED = 0.6  # normalised autocorrelation from which a frame counts as voiced
_FLOOR = 10 ** (-45 / 20)
_LAST_FRAMES = 8


@dataclass(frozen=True, slots=True)
class Words:
    """What was said so far in a turn: the words, empty for a cough, and what speaks for an end after them."""

    text: str
    ending: Ending | None


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
    if words.ending is None:
        return FINISHED_WAIT_MS
    odds = _log_odds(words.text, words.ending)
    longest = MAXIMUM_WAIT_MS[eagerness]
    if words.text.endswith(_TRAILING_OFF) or _only_opens(words.text, words.ending):
        return longest
    if odds < _UNFINISHED:
        share = np.interp(odds, [_BROKEN_OFF, _UNFINISHED], [1.0, _SHORTEST_SHARE])
        return max(_LEAST_UNFINISHED_MS, round(longest * float(share)))
    doubt = np.clip((_SURE - odds) / (_SURE - _UNFINISHED), 0.0, 1.0)
    return round(FINISHED_WAIT_MS + _DOUBT_MS * float(doubt))


def _only_opens(text: str, ending: Ending) -> bool:
    """Whether the last sentence is a clause to which another has to come."""
    sentence = re.split(r"[.?!]\s+", text)[-1]
    first, *_ = sentence.lower().split() or [""]
    return first in _OPENINGS and "," not in sentence and ending.closes < _WHOLE


def _log_odds(text: str, ending: Ending) -> float:
    """Of the words being finished."""
    return (
        _CLOSES * math.log(ending.closes + 1e-2)
        + _BREAKS_OFF * math.log(ending.breaks_off + 1e-4)
        + _OPENNESS * ending.openness
        + _FEW_WORDS * (len(text.split()) <= _FEW)
        + _BIAS
    )


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
