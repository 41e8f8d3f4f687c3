"""Takes the agent's voice out of the microphone, by the echo canceller of WebRTC (extra `echo`).

What it removes and what it costs a barge-in is measured by `bench/echo.py` and told in docs/echo.md.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from simulator.audio.placed_signal import PlacedRun, PlacedSignal
from simulator.errors import AudioUnavailable
from simulator.units import SAMPLE_RATE_HZ, ns_to_samples

Samples = NDArray[np.int16]

DELAY_MS: Final = 9
"""How much later the voice comes out than it goes in."""

_KEPT_SAMPLES: Final = 2 * SAMPLE_RATE_HZ
_AHEAD_SAMPLES: Final = 20 * SAMPLE_RATE_HZ // 1000
"""Devices' clocks are off by some milliseconds, and the canceller needs the sound before its echo."""
_JOINED_SAMPLES: Final = 60 * SAMPLE_RATE_HZ // 1000


class EchoCanceller:
    """Learns the way from the loudspeaker to the microphone while the agent speaks, within some two seconds.

    Raises AudioUnavailable when made, where the extra is not installed. Times are monotonic nanoseconds.
    """

    def __init__(self) -> None:
        try:
            from pywebrtc_audio import AudioProcessor
        except ImportError as error:
            raise AudioUnavailable(
                "Echo cancelling is not installed here: install it (pip install “participant-simulator[echo]”), or "
                "use headphones or half-duplex.",
                details=str(error),
            ) from error
        self._processor: Any = AudioProcessor(sample_rate=SAMPLE_RATE_HZ, echo_cancellation=True)
        self._played: PlacedSignal[np.int16] = PlacedSignal(SAMPLE_RATE_HZ, _KEPT_SAMPLES, np.int16)
        self._run = PlacedRun(SAMPLE_RATE_HZ)
        self._ahead = _AHEAD_SAMPLES
        self._read_until = 0

    def forget_microphone(self) -> None:
        """The microphone closed: what it gives next follows on nothing. What was learned stays."""
        self._run = PlacedRun(SAMPLE_RATE_HZ)

    def played(self, samples: Samples, audible_ns: int) -> None:
        """Take a piece of the agent's voice that is audible from `audible_ns` on."""
        at = ns_to_samples(audible_ns)
        missed = self._read_until - self._played.end
        if missed > 0 and at - self._played.end < _JOINED_SAMPLES:
            # This device asks for its blocks later than we wanted to look at them.
            self._ahead = max(0, self._ahead - missed)
        self._played.place(samples, at)

    def cleaned(self, samples: Samples, ended_ns: int) -> Samples:
        """Return the microphone's next samples without what comes back; the last was captured at `ended_ns`."""
        first = self._run.place(ns_to_samples(ended_ns) - len(samples), len(samples)) + self._ahead
        self._read_until = first + len(samples)
        reference = self._played.between(first, self._read_until)
        cleaned: Samples = self._processor.process(np.ascontiguousarray(samples), reference)
        return cleaned
