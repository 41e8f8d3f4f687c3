"""Half-duplex: the microphone is silent while the agent is heard, so that an echo cannot reach the engine. Pure.

There is no barge-in with it: what the participant says over the agent is lost.
"""

from collections import deque
from typing import Final

import numpy as np
from numpy.typing import NDArray

from simulator.units import NS_PER_MS, samples_to_ns

Samples = NDArray[np.int16]

LEAD_NS: Final = 50 * NS_PER_MS
"""How much too late the devices' clocks may place the agent's first sound."""
HANG_NS: Final = 200 * NS_PER_MS
"""How long the room still rings after the agent."""
_STRETCHES: Final = 16
_FADE_SAMPLES: Final = 120
_FADE: Final = np.linspace(0, 1, _FADE_SAMPLES, endpoint=False)


class HalfDuplex:
    """Told what is played, it lets a microphone through in between. Times are monotonic nanoseconds."""

    def __init__(self) -> None:
        self._audible: deque[tuple[int, int]] = deque(maxlen=_STRETCHES)
        """Stretches in which the agent is audible, with lead and hang, in order."""
        self._closed = False

    def played(self, samples: Samples, audible_ns: int) -> None:
        """Take a piece of the agent's voice that is audible from `audible_ns` on."""
        until_ns = audible_ns + samples_to_ns(len(samples)) + HANG_NS
        if self._audible and audible_ns <= self._audible[-1][1]:
            self._audible[-1] = (self._audible[-1][0], max(until_ns, self._audible[-1][1]))
        else:
            self._audible.append((audible_ns - LEAD_NS, until_ns))

    def let_through(self, samples: Samples, ended_ns: int) -> Samples:
        """Return the microphone's next samples, or silence while the agent is audible; changes are fades of 5 ms."""
        began_ns = ended_ns - samples_to_ns(len(samples))
        while self._audible and self._audible[0][1] <= began_ns:
            self._audible.popleft()
        closed = any(from_ns < ended_ns for from_ns, _ in self._audible)
        was_closed, self._closed = self._closed, closed
        if closed and was_closed:
            return np.zeros_like(samples)
        if closed == was_closed:
            return samples
        given = np.zeros_like(samples) if closed else samples.copy()
        count = min(_FADE_SAMPLES, len(samples))
        fade = 1 - _FADE[:count] if closed else _FADE[:count]
        given[:count] = samples[:count] * fade
        return given
