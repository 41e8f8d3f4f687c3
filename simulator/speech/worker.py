"""The recogniser as a process of its own: clips on standard input, their words on standard output.

A clip is a line of JSON, `{"id": 7, "bytes": 96000}`, and so many bytes of PCM16 at 24 kHz behind it. The first line of
the output says `{"model": "tiny.en"}`, or `{"lacks": "why not"}` before the process ends; then comes one line a clip,
`{"id": 7, "text": "...", "ms": 180.2}`, or `{"id": 7, "failed": "why"}`. The process ends with its input, at once:
nobody waits any more for what it was doing. It takes the processor only when nobody else wants it.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import queue
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from simulator.speech.downsampling import Downsampler
from simulator.speech.models import EarsMissingError
from simulator.speech.splitting import pieces
from simulator.speech.whisper import Whisper

if TYPE_CHECKING:
    from collections.abc import Sequence

_NICENESS = 10


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry of `python -m simulator.speech`."""
    parser = argparse.ArgumentParser(prog="simulator.speech", description="Recognise clips from standard input.")
    parser.add_argument("--model", help="a folder or a name; default: the model of the extra `ears`")
    model = parser.parse_args(arguments).model
    clips: queue.SimpleQueue[tuple[int, bytes]] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(sys.stdin.buffer, clips), daemon=True).start()
    if hasattr(os, "nice"):  # on Windows whoever starts it says so
        os.nice(_NICENESS)
    try:
        recogniser = Whisper(model)
    except EarsMissingError as error:
        _tell({"lacks": str(error)})
        return 0
    _tell({"model": recogniser.name})
    while True:
        number, audio = clips.get()
        began_s = time.perf_counter()
        try:
            text = words(recogniser, audio)
        except Exception as error:  # one clip is lost, the next may do
            _tell({"id": number, "failed": f"{type(error).__name__}: {error}"})
        else:
            _tell({"id": number, "text": text, "ms": round((time.perf_counter() - began_s) * 1000, 1)})


def words(recogniser: Whisper, audio: bytes) -> str:
    """The words of PCM16 at 24 kHz of any length."""
    found = (recogniser.recognise(_at_16_khz(piece)).text for piece in pieces(audio))
    return " ".join(text for text in found if text)


def _at_16_khz(audio: bytes) -> Any:
    return Downsampler().feed(np.frombuffer(audio, "<i2").astype(np.float32) * np.float32(1 / 32768))


def _read(source: BinaryIO, clips: queue.SimpleQueue[tuple[int, bytes]]) -> None:
    while line := source.readline():
        head = json.loads(line)
        clips.put((head["id"], source.read(head["bytes"])))
    os._exit(0)


def _tell(line: dict[str, Any]) -> None:
    with contextlib.suppress(BrokenPipeError):  # the end of the input follows
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()
