"""When a turn begins and ends, from the probabilities of speech. All of it on the audio clock.

The rules:
- Speech begins with the first window whose probability reaches the threshold; the onset is where that window starts.
- Speech pauses with the first window below the threshold less 0.15, and goes on with the next one above the threshold.
- server_vad: the turn ends when the pause has lasted silence_duration_ms.
- semantic_vad: once a pause has lasted 200 ms the end of the turn is listened to, which sets how long this pause must
  last (see end_of_turn). Where words are recognised, that takes until they are known: `wait` brings the answer, and the
  detector asks for it once when the pause has lasted 500 ms. Without an answer, the voice alone decides.
- The turn's audio begins prefix_padding_ms before the onset; semantic_vad has no such field and uses 300 ms.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from simulator.engine import end_of_turn
from simulator.engine.pcm import SAMPLES_PER_MS

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from simulator.engine.activity import Window

_HYSTERESIS = 0.15
_SEMANTIC_THRESHOLD = 0.5
_SEMANTIC_PADDING_MS = 300
_LISTEN_AFTER = 200 * SAMPLES_PER_MS
_DECIDE_AFTER = end_of_turn.FINISHED_WAIT_MS * SAMPLES_PER_MS


class Edge(enum.Enum):
    STARTED = "started"
    PAUSED = "paused"  # nobody has spoken for 200 ms
    UNDECIDED = "undecided"  # semantic: how long this pause must last has to be known now
    STOPPED = "stopped"


class Heard(Protocol):
    """Gives back audio that was appended, by positions on the audio clock."""

    def __call__(self, start: int, end: int) -> NDArray[np.int16]: ...


@dataclass(frozen=True, slots=True)
class DetectionSettings:
    """`turn_detection` of the session in the engine's own terms. `silence_samples` is None for semantic detection."""

    threshold: float
    padding_samples: int
    silence_samples: int | None
    eagerness: str

    @staticmethod
    def of(wire: Mapping[str, Any]) -> DetectionSettings:
        if wire["type"] == "semantic_vad":
            padding = _SEMANTIC_PADDING_MS * SAMPLES_PER_MS
            return DetectionSettings(_SEMANTIC_THRESHOLD, padding, None, wire["eagerness"])
        return DetectionSettings(
            threshold=wire["threshold"],
            padding_samples=wire["prefix_padding_ms"] * SAMPLES_PER_MS,
            silence_samples=wire["silence_duration_ms"] * SAMPLES_PER_MS,
            eagerness="auto",
        )


class TurnDetector:
    """Follows one stream of windows and says where turns begin and end.

    Attributes:
        settings: may be replaced at any time; a turn in progress goes on under the new ones.
        in_speech: between STARTED and STOPPED.
    """

    def __init__(self, settings: DetectionSettings, heard: Heard, *, knows_words: bool = False) -> None:
        """Has heard nothing yet.

        Args:
            knows_words: somebody recognises words and will answer UNDECIDED by `wait`.
        """
        self.settings = settings
        self._heard = heard
        self._knows_words = knows_words
        self.restart()

    def restart(self) -> None:
        """Forgets a turn in progress: the next speech is a new one."""
        self.in_speech = False
        self._resume()

    def _resume(self) -> None:
        self._pause_start: int | None = None
        self._wait_samples: int | None = None
        self._said_paused = False
        self._said_undecided = False

    @property
    def pause_start(self) -> int | None:
        """Where the present pause, or the one that ended the turn, began; None while somebody speaks."""
        return self._pause_start

    def wait(self, words: end_of_turn.Words) -> None:
        """Says what the turn's words are so far, which decides how long the present pause must last."""
        if self._pause_start is not None:
            self._decide(words)

    def feed(self, window: Window) -> Edge | None:
        """The edge that this window makes, if any.

        The position of STARTED is the window's start, that of STOPPED the window's end.
        """
        speech = window.probability >= self.settings.threshold
        if not self.in_speech:
            if not speech:
                return None
            self._resume()
            self.in_speech = True
            return Edge.STARTED
        if speech:
            self._resume()
            return None
        if self._pause_start is None:
            if window.probability >= max(self.settings.threshold - _HYSTERESIS, 0.01):
                return None
            self._pause_start = window.start
        lasted = window.end - self._pause_start
        if self._is_over(lasted):
            self.in_speech = False
            return Edge.STOPPED
        if lasted >= _LISTEN_AFTER and not self._said_paused:
            self._said_paused = True
            return Edge.PAUSED
        if self._must_decide() and lasted >= _DECIDE_AFTER and not self._said_undecided:
            self._said_undecided = True
            return Edge.UNDECIDED
        return None

    def _must_decide(self) -> bool:
        return self.settings.silence_samples is None and self._wait_samples is None

    def _is_over(self, lasted: int) -> bool:
        """Whether the present pause has lasted long enough to end the turn."""
        if self.settings.silence_samples is not None:
            return lasted >= self.settings.silence_samples
        if self._must_decide():
            if lasted < _LISTEN_AFTER or (self._knows_words and not self._said_undecided):
                return False
            self._decide(None)
        assert self._wait_samples is not None
        return lasted >= self._wait_samples

    def _decide(self, words: end_of_turn.Words | None) -> None:
        assert self._pause_start is not None
        speech = self._heard(self._pause_start - end_of_turn.LISTEN_MS * SAMPLES_PER_MS, self._pause_start)
        self._wait_samples = end_of_turn.wait_ms(speech, self.settings.eagerness, words) * SAMPLES_PER_MS
