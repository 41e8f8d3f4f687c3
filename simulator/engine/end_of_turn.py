"""Has the speaker finished? A guess from the words and the voice, for semantic turn detection.

The words come first, where they are recognised: a sentence that cannot end there ("My favourite food is"), or that the
recogniser heard trail off, waits for the maximum of the eagerness (HRP: low 8 s, medium and auto 4 s, high 2 s). One
that may end there is taken within a second: after half of it where the voice sounds finished too, else a little later,
for people also pause between two clauses that could each stand alone.

The voice, where there are no words:

English sentences mostly end low and soft: over the last syllables the pitch falls below the speaker's own middle and
the loudness fades. Where somebody stops in mid-sentence, pitch and loudness stay up. Sound alone is often wrong where
words are right. So even a turn that does not sound finished at all waits only half the maximum: a wrong guess must not
make a conversation stall.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.engine.pcm import SAMPLE_RATE_HZ
from simulator.engine.sentence import Grammar, grammar

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAXIMUM_WAIT_MS = {"low": 8_000, "medium": 4_000, "auto": 4_000, "high": 2_000}
FINISHED_WAIT_MS = 500
LISTENED_WAIT_MS = 600  # by the voice alone
LISTEN_MS = 3_000  # as much of the turn's end as the guess looks at

_DOUBT_MS = 350  # at most, of the voice, about words that may end
_LONGEST_SHARE = 0.5
_TRAILING_OFF = (",", "-", "–", "—", "...", "…", ":", ";")
_FRAME = SAMPLE_RATE_HZ * 40 // 1000
_HOP = SAMPLE_RATE_HZ * 10 // 1000
_SHORTEST_PERIOD = SAMPLE_RATE_HZ // 400
_LONGEST_PERIOD = SAMPLE_RATE_HZ // 70
_VOICED = 0.6  # normalised autocorrelation from which a frame counts as voiced
_FLOOR = 10 ** (-45 / 20)
_LAST_FRAMES = 8


def wait_ms(speech: NDArray[np.int16], eagerness: str, text: str | None = None) -> int:
    """How long the pause after this speech must be for the turn to be over.

    Args:
        speech: the end of the turn at 24 kHz, up to where the pause began.
        eagerness: low, medium, high or auto.
        text: the turn's words; None where nobody knows them, empty where there were none (a cough).
    """
    if text and (text.endswith(_TRAILING_OFF) or grammar(text) is not Grammar.POSSIBLE):
        return MAXIMUM_WAIT_MS[eagerness]
    doubt = 1.0 - finished(speech)
    if text is not None:
        return round(FINISHED_WAIT_MS + _DOUBT_MS * doubt)
    longest = MAXIMUM_WAIT_MS[eagerness] * _LONGEST_SHARE
    return round(LISTENED_WAIT_MS + (longest - LISTENED_WAIT_MS) * doubt)


def finished(speech: NDArray[np.int16]) -> float:
    """How much this sounds like the end of a sentence, 0 to 1.

    Too little voice to judge by (a cough, a whisper) gives 1: waiting for more would only be slow.
    """
    pitches, levels_db = _contour(speech.astype(np.float32) * np.float32(1 / 32768))
    if len(pitches) < 2 * _LAST_FRAMES:
        return 1.0
    fall_semitones = 12 * np.log2(np.median(pitches) / np.median(pitches[-_LAST_FRAMES:]))
    fade_db = np.median(levels_db) - np.median(levels_db[-_LAST_FRAMES:])
    return float(np.clip(0.2 * fall_semitones + 0.06 * fade_db, 0.0, 1.0))


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
