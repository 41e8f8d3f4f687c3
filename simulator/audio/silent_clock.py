"""The silent clock: takes the agent's voice at the pace of a device where there is none."""

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Final

import numpy as np

from simulator.audio.playout import Playout
from simulator.audio.stream_state import StreamState, Waker
from simulator.units import BLOCK_SAMPLES, NS_PER_S, SAMPLE_RATE_HZ, samples_to_ns


class SilentOutput:
    """The silent clock: takes the playout's blocks at the pace of a device, and nobody hears them.

    Paced by absolute deadlines; after a stall the missed blocks are taken at once, as a device with a queue would.
    """

    NAME: Final = "silent clock"

    def __init__(self, playout: Playout, on_wake: Callable[[], None], loop: asyncio.AbstractEventLoop) -> None:
        self._playout = playout
        self._waker = Waker(loop, on_wake)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="silent clock", daemon=True)
        self._callbacks = 0
        self._fault: str | None = None

    def start(self) -> None:
        """Begin to take blocks."""
        self._thread.start()

    def close(self) -> None:
        """End; a second call does nothing."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def state(self) -> StreamState:
        """Return how it is doing."""
        return StreamState(
            name=self.NAME,
            callbacks=self._callbacks,
            dropouts=0,
            alive=not self._stop.is_set(),
            fault=self._fault,
            latency_ns=0,
            dac_source="simulated",
            rate_hz=SAMPLE_RATE_HZ,
        )

    def _run(self) -> None:
        block = np.zeros(BLOCK_SAMPLES, dtype=np.int16)
        start_ns = time.monotonic_ns()
        while not self._stop.wait(self._seconds_to_next(start_ns)):
            now_ns = time.monotonic_ns()
            try:
                self._playout.fill(block, now_ns, now_ns)
            except Exception as error:
                if self._fault is None:
                    self._fault = f"{type(error).__name__}: {error}"
            self._callbacks += 1
            self._waker.wake()

    def _seconds_to_next(self, start_ns: int) -> float:
        deadline_ns = start_ns + samples_to_ns(self._callbacks * BLOCK_SAMPLES)
        return max(0, deadline_ns - time.monotonic_ns()) / NS_PER_S
