"""The engine's voice: text to speech with hibari-tts, sentence by sentence, off the event loop.

One American voice comes in the package, and it speaks whatever name the session asks for. A sentence takes 10 to 30 ms,
the first one of a process some 0.7 s with loading: `warm_up` does that before anybody asks.
"""

from __future__ import annotations

import asyncio
import importlib
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from simulator.engine import pcm

# The model leaves up to 0.3 s of silence around a sentence: in front it only delays the reply.
_LEAD_MS = 40
_TAIL_MS = 220
_SOUND = 0.003
_GAIN = 1.4


class Voice:
    """Speaks for all sessions of the process."""

    def __init__(self) -> None:
        self._worker = ThreadPoolExecutor(1, "voice")
        self._model: Any = None

    async def warm_up(self) -> None:
        """Loads the model and speaks once. Where it does not load, each reply will say so."""
        await asyncio.gather(self.spoken("Hello there, nice to meet you.", 1.0), return_exceptions=True)

    async def sentences(self, text: str) -> list[str]:
        """The text in pieces that are spoken at once."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, self._split, text)

    async def spoken(self, sentence: str, speed: float) -> bytes:
        """The sentence as PCM16 at 24 kHz; empty where there is nothing to pronounce.

        Args:
            speed: 0.25 to 1.5, 1 is natural.
        """
        return await asyncio.get_running_loop().run_in_executor(self._worker, self._spoken, sentence, speed)

    def close(self) -> None:
        self._worker.shutdown(wait=False, cancel_futures=True)

    def _loaded(self) -> Any:
        if self._model is None:
            self._model = importlib.import_module("hibari").Hibari()
        return self._model

    def _split(self, text: str) -> list[str]:
        return list(self._loaded().split_sentences(text))

    def _spoken(self, sentence: str, speed: float) -> bytes:
        audio = self._loaded()(sentence, speed=speed, seed=0)
        sound = np.flatnonzero(np.abs(audio) > _SOUND)
        if len(sound) == 0:
            return b""
        first = max(0, int(sound[0]) - _LEAD_MS * pcm.SAMPLES_PER_MS)
        last = int(sound[-1]) + _TAIL_MS * pcm.SAMPLES_PER_MS
        kept = np.clip(audio[first:last] * _GAIN, -1.0, 1.0)
        return bytes((kept * 32767).astype("<i2").tobytes())
