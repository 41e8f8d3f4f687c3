"""What is known of any end of the audio path, a device or the silent clock, and how it wakes the loop."""

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

ReportedBy = Literal["dac", "latency"]
"""Where a DAC time comes from: the stream's own clock, or the latency that the stream says it has."""

DacSource = Literal["dac", "latency", "measured", "simulated"]
"""The same, or corrected by what was measured of the device; simulated: the silent clock's, which nobody hears."""


class LatencyOffset(NamedTuple):
    """What was measured of an output device: it is later than it says, or earlier where negative."""

    ns: int
    reported_by: ReportedBy
    """Which of its figures is corrected: where it gives another one, the measurement says nothing."""


Channel = int | Literal["mix"] | None
"""Which channel of a device is used, counted from 1; "mix": the mean of them; None: no choice was made."""


@dataclass(frozen=True, slots=True)
class StreamState:
    """What the loop may want to know of a stream at any time."""

    name: str
    callbacks: int
    dropouts: int
    """Times the device says it ran dry (output) or lost audio (input)."""
    alive: bool
    """False once the stream ended by itself: its device has gone."""
    fault: str | None
    """The first exception in the callback."""
    latency_ns: int
    dac_source: DacSource
    rate_hz: int
    """Rate at which the device was opened."""
    channels: int = 1
    """Channels with which it was opened."""
    channel: Channel = None
    conversion_delay_ns: int = 0
    """How much later everything is by the conversion to or from 24 kHz; counted in all times that the stream gives."""


class Output(Protocol):
    """What plays a `Playout`: a device, or the silent clock."""

    def start(self) -> None:
        """Begin to ask the playout for blocks."""

    def close(self) -> None:
        """End at once, dropping what the device has queued; a second call does nothing. May take some milliseconds."""

    def state(self) -> StreamState:
        """Return how it is doing."""


class Waker:
    """Wakes the loop from another thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop, on_wake: Callable[[], None]) -> None:
        self._loop = loop
        self._on_wake = on_wake

    def wake(self) -> None:
        """Have `on_wake` called in the loop. Does nothing once the loop is closed: the stream is about to be, too."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._on_wake)
