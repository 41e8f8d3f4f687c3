"""Typed text spoken by the local synthesiser as the participant's voice, in a process of its own.

Much of the work is Python code, and loading takes two seconds: beside the live session it would take the interpreter
from it. `python -P -m simulator.audio.synthesis` answers lines of JSON, `{"text": …, "voice": …}`, with `{"problem":
"why not"}` or `{"samples": n}` and n samples of PCM16 at 24 kHz behind it; it ends with its standard input.

The voices are meant to differ from the embedded engine's: `deep` is hibari's own voice, lowered, and is everywhere;
`heart` is that voice as it is; `en-GB` and `en-US` come with the extra `voices`. All speak English.
"""

import asyncio
import contextlib
import difflib
import importlib
import importlib.util
import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from simulator.audio.as_child import child_environment
from simulator.audio.pcm import to_int16
from simulator.audio.resample import resample
from simulator.errors import EnvironmentFault, UnknownName, UsageError
from simulator.units import BYTES_PER_SAMPLE, SAMPLE_RATE_HZ, ms_to_samples

Samples = NDArray[np.int16]

OWN_VOICES: Final = ("deep", "heart")
MORE_VOICES: Final = ("en-GB", "en-US")
LONGEST_TEXT: Final = 5_000
"""Signs of a text that is spoken in one go: some six minutes."""

_LOWER: Final = 0.86
_PICO_RATE_HZ: Final = 16_000
_PICO_VOLUME: Final = 0.3
"""As loud as the other; at 1 it clips."""
_GAIN: Final = 1.4
_SOUND: Final = 0.003
_LEAD_MS: Final = 100
_BETWEEN_MS: Final = 280
_TAIL_MS: Final = 100


def voice_names() -> tuple[str, ...]:
    """Return the voices that are installed, the usual one first."""
    return OWN_VOICES + (MORE_VOICES if importlib.util.find_spec("py_nanotts") is not None else ())


def check_voice(name: str | None) -> None:
    """Raise UnknownName for a voice that is not installed, with one that is."""
    known = voice_names()
    if name is None or name in known:
        return
    if name in MORE_VOICES:
        raise UnknownName(
            f"The voice “{name}” is not installed: use {known[0]}, or pip install 'participant-simulator[voices]'."
        )
    meant = difflib.get_close_matches(name, known, n=1)
    question = f" Is “{meant[0]}” meant?" if meant else ""
    raise UnknownName(f"There is no voice called “{name}”: use {', '.join(known[:-1])} or {known[-1]}.{question}")


class Synthesiser:
    """Speaks texts one after the other, in a process that is started for the first one. Belongs to one loop."""

    def __init__(self) -> None:
        self._asking = asyncio.Lock()
        self._process: asyncio.subprocess.Process | None = None

    async def speak(self, text: str, voice: str | None = None) -> Samples:
        """Return a text as speech at 24 kHz, with a little silence around it.

        Raises UnknownName for the voice, UsageError for a text that cannot be spoken, and EnvironmentFault.
        """
        check_voice(voice)
        if len(text) > LONGEST_TEXT:
            raise UsageError(f"The text is longer than {LONGEST_TEXT:,} signs: let it be said in several steps.")
        unspeakable = UsageError(f"Nothing in “{text[:40]}” can be pronounced: write it as words.")
        if not any(map(str.isalnum, text)):
            raise unspeakable
        async with self._asking:
            try:
                answer, audio = await self._asked({"text": text, "voice": voice or OWN_VOICES[0]})
            except BaseException:
                # It ended, or nobody waits any more: the answer to the next text must not be this one's.
                await self._end()
                raise
        if "problem" in answer:
            raise EnvironmentFault(f"The text cannot be spoken ({answer['problem']}): use a recording.")
        if not audio:
            raise unspeakable
        return np.frombuffer(audio, "<i2").astype(np.int16)

    async def close(self) -> None:
        """End the process; what was asked for is not answered any more."""
        await self._end()

    async def _asked(self, request: dict[str, str]) -> tuple[dict[str, Any], bytes]:
        process = self._process = self._process or await _start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            await process.stdin.drain()
            answer = json.loads(await process.stdout.readline())
            return answer, await process.stdout.readexactly(answer.get("samples", 0) * BYTES_PER_SAMPLE)
        except (OSError, ValueError, asyncio.IncompleteReadError) as error:
            raise EnvironmentFault("The synthesiser ended without an answer: try again.", str(error)) from error

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        with contextlib.suppress(ProcessLookupError):
            process.kill()  # it holds nothing that could be lost
        await process.communicate()


async def _start() -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        "-m",
        "simulator.audio.synthesis",
        env=child_environment(),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )


# ---- the process


def main() -> None:
    """Answer requests until there are no more; the end of standard input is heard at once, also while a model loads."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C in the terminal is the parent's to act upon
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not get between the answers
    with contextlib.suppress(BrokenPipeError):  # nobody is left to answer
        _serve(_requests(sys.stdin.fileno()), answers)


def _requests(descriptor: int) -> Iterator[bytes]:
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
    voices: dict[str, Callable[[str], Iterator[NDArray[np.float32]]]] = {}
    for line in requests:
        request = json.loads(line)
        audio = b""
        answer: dict[str, Any]
        try:
            voice = voices.get(request["voice"]) or _VOICES[request["voice"]]()
            voices[request["voice"]] = voice
            samples = _joined(voice(request["text"]))
            answer, audio = {"samples": len(samples)}, samples.astype("<i2").tobytes()
        except Exception as error:  # whatever it is, the text that wanted it is not said, and the user hears why
            answer = {"problem": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer).encode() + b"\n" + audio)
        answers.flush()


def _joined(sentences: Iterator[NDArray[np.float32]]) -> Samples:
    """Return sentences one after the other, each cut to its sound; empty where nobody could hear anything."""
    sounds = [sound for sound in map(_sound, sentences) if len(sound)]
    if not sounds:
        return np.zeros(0, np.int16)
    pieces = [np.zeros(ms_to_samples(_LEAD_MS), np.float32)]
    for number, sound in enumerate(sounds):
        pieces += [np.zeros(ms_to_samples(_BETWEEN_MS), np.float32), sound] if number else [sound]
    return to_int16(np.concatenate([*pieces, np.zeros(ms_to_samples(_TAIL_MS), np.float32)]))


def _sound(audio: NDArray[np.float32]) -> NDArray[np.float32]:
    loud = np.flatnonzero(np.abs(audio) > _SOUND)
    return np.clip(audio[loud[0] : loud[-1] + 1], -1.0, 1.0) if len(loud) else audio[:0]


def _heart() -> Callable[[str], Iterator[NDArray[np.float32]]]:
    model: Any = importlib.import_module("hibari").Hibari()
    return lambda text: (
        np.asarray(model(sentence, seed=0), np.float32) * np.float32(_GAIN) for sentence in model.split_sentences(text)
    )


def _deep() -> Callable[[str], Iterator[NDArray[np.float32]]]:
    """Hibari's voice, spoken faster by as much as it is slowed down to be lower."""
    model: Any = importlib.import_module("hibari").Hibari()
    rate_hz = round(SAMPLE_RATE_HZ * _LOWER)

    def speak(text: str) -> Iterator[NDArray[np.float32]]:
        for sentence in model.split_sentences(text):
            quick = np.asarray(model(sentence, speed=1 / _LOWER, seed=0), np.float32)
            yield resample(quick, rate_hz, SAMPLE_RATE_HZ) * np.float32(_GAIN)

    return speak


def _pico(language: str) -> Callable[[], Callable[[str], Iterator[NDArray[np.float32]]]]:
    def made() -> Callable[[str], Iterator[NDArray[np.float32]]]:
        model: Any = importlib.import_module("py_nanotts").NanoTTS()

        def speak(text: str) -> Iterator[NDArray[np.float32]]:
            samples = np.frombuffer(model.speak(text, voice=language, volume=_PICO_VOLUME), "<i2")
            yield resample(samples.astype(np.float32) / np.float32(32768), _PICO_RATE_HZ, SAMPLE_RATE_HZ)

        return speak

    return made


_VOICES: Final = {"deep": _deep, "heart": _heart, **{name: _pico(name) for name in MORE_VOICES}}


if __name__ == "__main__":
    main()
