"""The engine's voices, sentence by sentence, in a process of their own (see speaker).

Which one speaks for the name that a session asks for: see voices. A sentence takes 10 to 60 ms, the
first one some 0.7 s with loading: `warm_up` does that before anybody asks.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

_COMMAND = (sys.executable, "-P", "-m", "simulator.engine.speaker")
_ROOT = Path(__file__).resolve().parents[2]  # in a checkout that is not installed, the process must be told


class VoiceError(Exception):
    """A sentence could not be spoken; the text says why."""


class Voice:
    """Speaks for all sessions of the process."""

    def __init__(self) -> None:
        """Starts nothing yet."""
        self._asking = ThreadPoolExecutor(1, "voice")  # waits for the answers, so that the event loop need not
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False
        self._starting = threading.Lock()

    async def warm_up(self) -> None:
        """Starts the process, loads the model and speaks once. Where that fails, each reply will say so."""
        await asyncio.gather(self.spoken("Hello there, nice to meet you.", 1.0), return_exceptions=True)

    async def sentences(self, text: str) -> list[str]:
        """The text in pieces that are spoken at once.

        Raises:
            VoiceError: it cannot speak.
        """
        found: list[str] = await self._answer({"text": text, "speed": None})
        return found

    async def spoken(self, sentence: str, speed: float, name: str = "") -> bytes:
        """The sentence as PCM16 at 24 kHz; empty where there is nothing to pronounce.

        Args:
            speed: 0.25 to 1.5, 1 is natural.
            name: whose voice is to speak; any name.

        Raises:
            VoiceError: it cannot be spoken.
        """
        audio: bytes = await self._answer({"text": sentence, "speed": speed, "voice": name})
        return audio

    def close(self) -> None:
        """Ends the process; what was asked for and not answered yet fails."""
        with self._starting:
            self._closed = True
            if self._process is not None:
                self._process.kill()  # it holds nothing that could be lost
        self._asking.shutdown(cancel_futures=True)
        if self._process is not None:
            _forget(self._process)

    async def _answer(self, request: dict[str, Any]) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._asking, self._asked, request)

    def _asked(self, request: dict[str, Any]) -> Any:
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            audio = process.stdout.read(answer.get("bytes", 0))
        except (OSError, ValueError) as error:  # ValueError: no whole line
            _forget(process)  # the next sentence starts another
            raise VoiceError("the voice's process has ended") from error
        if "problem" in answer:
            raise VoiceError(answer["problem"])
        return answer.get("sentences", audio)

    def _running(self) -> subprocess.Popen[bytes]:
        with self._starting:
            if self._closed:
                raise VoiceError("the engine has ended")
            if self._process is not None and self._process.poll() is not None:
                _forget(self._process)
                self._process = None
            if self._process is None:
                path = os.pathsep.join(filter(None, [str(_ROOT), os.environ.get("PYTHONPATH")]))
                self._process = subprocess.Popen(
                    _COMMAND,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    env={**os.environ, "PYTHONPATH": path},
                    creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
                )
            return self._process


def _forget(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):  # what was not sent is not wanted any more
                pipe.close()
