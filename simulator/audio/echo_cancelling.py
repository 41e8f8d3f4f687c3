"""Takes the agent's voice out of the microphone, by the echo canceller of WebRTC (extra `echo`).

What it removes and what it costs a barge-in is measured by `bench/echo.py` and told in docs/echo.md.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from simulator.audio.placed_signal import PlacedSignal
from simulator.errors import AudioUnavailable
from simulator.units import NS_PER_MS, SAMPLE_RATE_HZ, ns_to_samples

Samples = NDArray[np.int16]

DELAY_MS: Final = 9
"""How much later the voice comes out than it goes in."""

_KEPT_SAMPLES: Final = 2 * SAMPLE_RATE_HZ
_AHEAD_SAMPLES: Final = ns_to_samples(20 * NS_PER_MS)
_BEHIND_SAMPLES: Final = ns_to_samples(150 * NS_PER_MS)


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
        self._next: int | None = None

    def played(self, samples: Samples, audible_ns: int) -> None:
        """Take a piece of the agent's voice that is audible from `audible_ns` on."""
        self._played.place(samples, ns_to_samples(audible_ns))

    def cleaned(self, samples: Samples, ended_ns: int) -> Samples:
        """Return the microphone's next samples without what comes back; the last was captured at `ended_ns`."""
        at = ns_to_samples(ended_ns) - len(samples)
        # Joined exactly: a jump of the reference would have to be learned anew. Blocks are told of late, never early.
        late = 0 if self._next is None else at - self._next
        if self._next is None or late < -_AHEAD_SAMPLES or late > _BEHIND_SAMPLES:
            self._next = at
        first = self._next
        self._next += len(samples)
        reference = self._played.between(first, self._next)
        cleaned: Samples = self._processor.process(np.ascontiguousarray(samples), reference)
        return cleaned
