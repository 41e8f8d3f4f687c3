"""The engine's ears for words: one recogniser for all sessions, on a thread of its own.

The event loop hands over audio and waits for words; it is never blocked. Clips are recognised one at a time, in the
order in which they came. Without the extra `ears` the engine works all the same and knows no words.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Protocol

import numpy as np

from simulator.speech.downsampling import Downsampler
from simulator.speech.mel import SAMPLE_RATE_HZ
from simulator.speech.models import INSTALL, EarsMissingError
from simulator.speech.whisper import Recognised, Whisper

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

NOT_INSTALLED = f"This engine has no speech recogniser: it hears that you speak, not what you say. {INSTALL}"


class Recogniser(Protocol):
    """What turns a clip at 16 kHz into words, as Whisper does."""

    def recognise(
        self, samples: NDArray[np.float32], known: Sequence[str] = (), *, asks_ending: bool = False
    ) -> Recognised: ...


class Ears:
    """Recognises for all sessions of the process."""

    def __init__(self, load: Callable[[], Recogniser] = Whisper) -> None:
        """Loads nothing yet.

        Args:
            load: makes the recogniser, on the thread; may raise EarsMissingError.
        """
        self._load = load
        self._worker = ThreadPoolExecutor(1, "ears")
        self._recogniser: Recogniser | None = None
        self._missing: EarsMissingError | None = None
        self._waiting = 0

    def warm_up(self) -> None:
        """Loads the recogniser in the background and lets it hear a second of noise, so that the first turn is fast."""
        noise = np.random.default_rng(0).normal(0, 0.02, SAMPLE_RATE_HZ).astype(np.float32)
        self._worker.submit(self._recognised, noise, (), False)

    async def ready(self) -> None:
        """Waits until what was begun by `warm_up` is done, well or not."""
        await asyncio.get_running_loop().run_in_executor(self._worker, int)

    @property
    def lack(self) -> str | None:
        """Why words cannot be recognised, as far as that is known."""
        return None if self._missing is None else str(self._missing)

    @property
    def are_busy(self) -> bool:
        """Whether something waits to be recognised: what is not urgent had better not come now."""
        return self._waiting > 0

    async def recognise(self, audio: bytes, known: Sequence[str] = (), *, asks_ending: bool = False) -> Recognised:
        """The words of PCM16 at 24 kHz, LONGEST_S at most.

        Args:
            audio: the clip.
            known: tokens with which they must begin.
            asks_ending: whether it is wanted what speaks for an end there.

        Raises:
            EarsMissingError: words cannot be recognised here.
        """
        self._waiting += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._worker, self._heard, audio, tuple(known), asks_ending)
        finally:
            self._waiting -= 1

    def close(self) -> None:
        self._worker.shutdown(wait=False, cancel_futures=True)

    def _heard(self, audio: bytes, known: tuple[str, ...], asks_ending: bool) -> Recognised:
        samples = np.frombuffer(audio, "<i2").astype(np.float32) * np.float32(1 / 32768)
        return self._recognised(Downsampler().feed(samples), known, asks_ending)

    def _recognised(self, samples: NDArray[np.float32], known: tuple[str, ...], asks_ending: bool) -> Recognised:
        if self._missing is not None:
            raise self._missing
        if self._recogniser is None:
            try:
                self._recogniser = self._load()
            except EarsMissingError as error:
                self._missing = error
                raise
        return self._recogniser.recognise(samples, known, asks_ending=asks_ending)
