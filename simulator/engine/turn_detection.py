"""When a turn begins and ends, from the probabilities of speech. All of it on the audio clock.

The rules:
- Speech begins with the first window whose probability reaches the threshold; the onset is where that window starts.
- Speech pauses with the first window below the threshold less 0.15, and goes on with the next one above the threshold.
- server_vad: the turn ends when the pause has lasted silence_duration_ms.
- semantic_vad: once a pause has lasted 200 ms the end of the turn is listened to, which sets how long this pause must
  last (see end_of_turn).
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
_LISTEN_AFTER_MS = 200


class Edge(enum.Enum):
    STARTED = "started"
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

    def __init__(self, settings: DetectionSettings, heard: Heard) -> None:
        self.settings = settings
        self._heard = heard
        self.restart()

    def restart(self) -> None:
        """Forgets a turn in progress: the next speech is a new one."""
        self.in_speech = False
        self._pause_start: int | None = None
        self._wait_samples: int | None = None

    def feed(self, window: Window) -> Edge | None:
        """The edge that this window makes, if any.

        The position of STARTED is the window's start, that of STOPPED the window's end.
        """
        speech = window.probability >= self.settings.threshold
        if not self.in_speech:
            self.in_speech = speech
            return Edge.STARTED if speech else None
        if speech:
            self._pause_start = self._wait_samples = None
            return None
        if self._pause_start is None:
            if window.probability >= max(self.settings.threshold - _HYSTERESIS, 0.01):
                return None
            self._pause_start = window.start
        if window.end - self._pause_start < self._needed(window.end):
            return None
        self.restart()
        return Edge.STOPPED

    def _needed(self, now: int) -> int:
        """Samples that the present pause must last to end the turn."""
        if self.settings.silence_samples is not None:
            return self.settings.silence_samples
        assert self._pause_start is not None
        listen_after = _LISTEN_AFTER_MS * SAMPLES_PER_MS
        if self._wait_samples is None:
            if now - self._pause_start < listen_after:
                return listen_after + 1
            speech = self._heard(self._pause_start - end_of_turn.LISTEN_MS * SAMPLES_PER_MS, self._pause_start)
            self._wait_samples = end_of_turn.wait_ms(speech, self.settings.eagerness) * SAMPLES_PER_MS
        return self._wait_samples
