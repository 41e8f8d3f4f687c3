"""Is somebody speaking? Probabilities of speech on the audio clock.

The silero voice activity model wants 512 samples at 16 kHz (32 ms). The audio comes at 24 kHz in pieces of any length,
so it is resampled here, with state, at a constant delay of 1 ms which is taken out of every position again.

Two detectors run half a window apart. Each gives a probability every 32 ms, together every 16 ms: the onset of speech
that begins just after a window's start is then seen up to 16 ms sooner (measured on 16 recordings: at most 127 ms after
the first sample above -40 dBFS, 143 ms with one detector).

The detectors remember what was said: after speech, the next onset is noticed up to 100 ms later than by fresh ones. So
when nobody has spoken for a while they begin anew, one half a second after the other, as a fresh one has to settle.

In lasting silence (a muted microphone, the lead of a recording) the detectors are not asked after 2.5 s until a sample
exceeds -66 dBFS: a session that only waits costs little. The silence they have heard by then is enough for them to find
the next onset as soon as otherwise (measured; with no silence at all before it they would be up to 0.3 s late).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.engine.speech_model import SpeechStream
from simulator.speech.downsampling import Downsampler

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.engine.speech_model import SpeechModel

_HALF_WINDOW = 256  # samples at 16 kHz: 16 ms
_DELAY_SAMPLES = 24  # of the resampled audio, at 24 kHz
_SILENCE = 10 ** (-66 / 20)
_SETTLED_HALVES = 160  # 2.5 s
_QUIET = 0.3  # a probability
_ANEW_AFTER_HALVES = (64, 96)  # 1 s and 1.5 s without speech


class Window(NamedTuple):
    """32 ms of audio and how likely they are speech; positions in samples at 24 kHz since the last reset."""

    start: int
    end: int
    probability: float


class SpeechActivity:
    """Turns appended audio into windows with a probability of speech, in order of their ends."""

    def __init__(self, model: SpeechModel) -> None:
        """Has heard nothing yet. The model may serve others too."""
        self._model = model
        self.reset()

    def reset(self) -> None:
        """Forgets everything heard; positions begin again at 0."""
        self._detectors = [SpeechStream(self._model), SpeechStream(self._model)]
        self._downsampler = Downsampler()
        self._previous = np.zeros(_HALF_WINDOW, np.float32)
        self._waiting = np.zeros(0, np.float32)
        self._halves = 0
        self._silent_halves = 0
        self._quiet_halves = 0

    def forget(self) -> None:
        """Takes what was heard so far for silence; positions go on.

        Else the speech that a client has cleared would still be heard for some windows, as a turn of nothing.
        """
        self._detectors = [SpeechStream(self._model), SpeechStream(self._model)]
        self._previous = np.zeros_like(self._previous)
        self._waiting = np.zeros_like(self._waiting)

    def feed(self, samples: NDArray[np.int16]) -> list[Window]:
        """The windows that these samples complete."""
        scaled = samples.astype(np.float32) * np.float32(1 / 32768)
        waiting = np.concatenate([self._waiting, self._downsampler.feed(scaled)])
        count = len(waiting) // _HALF_WINDOW
        windows = [self._half(waiting[i * _HALF_WINDOW : (i + 1) * _HALF_WINDOW]) for i in range(count)]
        self._waiting = waiting[count * _HALF_WINDOW :]
        return windows

    def _half(self, half: NDArray[np.float32]) -> Window:
        both = np.concatenate([self._previous, half])
        self._previous = half
        self._silent_halves = self._silent_halves + 1 if np.abs(half).max() < _SILENCE else 0
        probability = 0.0
        if self._silent_halves <= _SETTLED_HALVES:
            probability = self._detectors[self._halves % 2].probability(both)
        self._quiet_halves = self._quiet_halves + 1 if probability < _QUIET else 0
        if self._quiet_halves in _ANEW_AFTER_HALVES:
            self._detectors[_ANEW_AFTER_HALVES.index(self._quiet_halves)] = SpeechStream(self._model)
        self._halves += 1
        end = self._halves * _HALF_WINDOW * 3 // 2 - _DELAY_SAMPLES
        return Window(max(0, end - _HALF_WINDOW * 3), end, probability)
