"""The voices' own process: text to speech (see voices), asked through its standard input and output.

Much of the work is Python code. In the engine's process it would take the interpreter from the event loop, and on a
busy computer, where a thread can lose the processor while it holds the interpreter, for a second and more.

A request is a line of JSON, `{"text": …, "speed": …, "voice": …}`: a sentence, or without a speed a text to be split.
So is the answer: `{"sentences": […]}`, `{"problem": "why not"}`, or `{"bytes": n}` with n bytes of PCM16 behind it.
"""

from __future__ import annotations

import json
import logging
import os
import queue
import signal
import sys
import threading
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from simulator.engine import pcm
from simulator.engine.voices import Voices

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.engine.voices import OneVoice

# The models leave up to 0.3 s of silence around a sentence: in front it only delays the reply.
_LEAD_MS = 40
_TAIL_MS = 220
_SOUND = 0.003


def main() -> None:
    """Answers requests until there are no more, which the end of the engine's process brings about too.

    That end is heard at once, also while the model loads or speaks, which takes seconds.
    """
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="engine: %(message)s")
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
    voices = Voices()
    for line in requests:
        request = json.loads(line)
        audio = b""
        answer: dict[str, Any]
        try:
            if request["speed"] is None:
                answer = {"sentences": voices.usual.sentences(request["text"])}
            else:
                audio = _spoken(voices.named(request["voice"]), request["text"], request["speed"])
                answer = {"bytes": len(audio)}
        except Exception as error:  # whatever it is, the reply that wanted it fails, and says so
            answer = {"problem": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer).encode() + b"\n" + audio)
        answers.flush()


def _spoken(voice: OneVoice, sentence: str, speed: float) -> bytes:
    """The sentence as PCM16 with little silence around it; empty where nobody can hear anything."""
    audio = voice.speak(sentence, speed)
    sound = np.flatnonzero(np.abs(audio) > _SOUND)
    if len(sound) == 0:
        return b""
    first = max(0, int(sound[0]) - _LEAD_MS * pcm.SAMPLES_PER_MS)
    last = int(sound[-1]) + _TAIL_MS * pcm.SAMPLES_PER_MS
    kept = np.clip(audio[first:last], -1.0, 1.0)
    return bytes((kept * 32767).astype("<i2").tobytes())


if __name__ == "__main__":
    main()
