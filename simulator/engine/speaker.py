"""The voice's own process: text to speech with hibari-tts, asked through its standard input and output.

Much of the work is Python code. In the engine's process it would take the interpreter from the event loop, and on a
busy computer, where a thread can lose the processor while it holds the interpreter, for a second and more.

A request is a line of JSON, `{"text": …, "speed": …}`: a sentence, or without a speed a text to be split. So is the
answer: `{"sentences": […]}`, `{"problem": "why not"}`, or `{"bytes": n}` with n bytes of PCM16 behind it.
"""

from __future__ import annotations

import importlib
import json
import os
import queue
import signal
import sys
import threading
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from simulator.engine import pcm

if TYPE_CHECKING:
    from collections.abc import Iterator

# The model leaves up to 0.3 s of silence around a sentence: in front it only delays the reply.
_LEAD_MS = 40
_TAIL_MS = 220
_SOUND = 0.003
_GAIN = 1.4


def main() -> None:
    """Answers requests until there are no more, which the end of the engine's process brings about too.

    That end is heard at once, also while the model loads or speaks, which takes seconds.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C in the terminal is the engine's to act upon
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not get between the answers
    try:
        _serve(_requests(sys.stdin.fileno()), answers)
    except BrokenPipeError:
        sys.exit(0)  # nobody is left to answer


def _requests(descriptor: int) -> Iterator[bytes]:
    """The lines that come, read on a thread that ends the process with them."""
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def read() -> None:
        with os.fdopen(descriptor, "rb", closefd=False) as requests:
            for line in requests:
                lines.put(line)
        os._exit(0)  # nobody is left to speak to

    threading.Thread(target=read, name="requests", daemon=True).start()
    while True:
        yield lines.get()


def _serve(requests: Iterator[bytes], answers: BinaryIO) -> None:
    speaker = _Speaker()
    for line in requests:
        request = json.loads(line)
        audio = b""
        answer: dict[str, Any]
        try:
            if request["speed"] is None:
                answer = {"sentences": speaker.sentences(request["text"])}
            else:
                audio = speaker.spoken(request["text"], request["speed"])
                answer = {"bytes": len(audio)}
        except Exception as error:  # whatever it is, the reply that wanted it fails, and says so
            answer = {"problem": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer).encode() + b"\n" + audio)
        answers.flush()


class _Speaker:
    def __init__(self) -> None:
        self._model: Any = None

    def sentences(self, text: str) -> list[str]:
        return list(self._loaded().split_sentences(text))

    def spoken(self, sentence: str, speed: float) -> bytes:
        audio = self._loaded()(sentence, speed=speed, seed=0)
        sound = np.flatnonzero(np.abs(audio) > _SOUND)
        if len(sound) == 0:
            return b""
        first = max(0, int(sound[0]) - _LEAD_MS * pcm.SAMPLES_PER_MS)
        last = int(sound[-1]) + _TAIL_MS * pcm.SAMPLES_PER_MS
        kept = np.clip(audio[first:last] * _GAIN, -1.0, 1.0)
        return bytes((kept * 32767).astype("<i2").tobytes())

    def _loaded(self) -> Any:
        if self._model is None:
            self._model = importlib.import_module("hibari").Hibari()
        return self._model


if __name__ == "__main__":
    main()
