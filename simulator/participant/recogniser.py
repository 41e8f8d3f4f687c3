"""The recogniser of words as a child process: one clip at a time, at low priority, and never waited for by the audio.

The child is started with the first clip and ends with its standard input, so it never outlives this process.
"""

import asyncio
from typing import Final

import msgspec

from simulator.engines.children import child_environment, in_the_background, python_command
from simulator.engines.ending import end_child
from simulator.errors import EnvironmentFault

_READY_WITHIN_S: Final = 60.0
_ENDS_WITHIN_S: Final = 0.3
_PART_BYTES: Final = 65_536
# Threads that wait for each other would burn the processor that the audio needs.
_DOES_NOT_RUN: Final = "The recogniser of words does not run: `python -m simulator.speech` shows why."
_ONE_THREAD: Final = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


class RecogniserMissing(EnvironmentFault):
    """Words cannot be recognised on this computer, now or later."""


class _Line(msgspec.Struct):
    model: str = ""
    lacks: str = ""
    text: str = ""
    ms: float = 0.0
    failed: str = ""


class Recognised(msgspec.Struct, frozen=True):
    """The words of a clip, the model that recognised them, and how long it took."""

    text: str
    model: str
    ms: float


class Recogniser:
    """Recognises with one model. Belongs to the loop; one clip at a time."""

    def __init__(self, model: str | None = None) -> None:
        """Start nothing yet. `model` is a folder or a name, None the one of the extra `ears`."""
        self._arguments = [] if model is None else ["--model", model]
        self._process: asyncio.subprocess.Process | None = None
        self._name = ""
        self._next = 0

    async def words(self, audio: bytes) -> Recognised:
        """Return the words of PCM16 at 24 kHz. Raises RecogniserMissing, EnvironmentFault where only these are lost."""
        process = await self._running()
        assert process.stdin is not None
        self._next += 1
        head = msgspec.json.encode({"id": self._next, "bytes": len(audio)})
        try:
            process.stdin.write(head + b"\n")
            for place in range(0, len(audio), _PART_BYTES):  # a long turn must not hold up the loop
                process.stdin.write(audio[place : place + _PART_BYTES])
                await process.stdin.drain()
            line = await self._line(process)
        except (ConnectionError, EnvironmentFault) as error:
            await self.stop()
            raise EnvironmentFault(
                "The recogniser of words ended by itself: its words are missing.", str(error)
            ) from error
        if line.failed:
            raise EnvironmentFault("The recogniser failed at a turn: its words are missing.", line.failed)
        return Recognised(line.text, self._name, line.ms)

    async def warm_up(self) -> None:
        """Start the child, so that the first clip does not wait for it. Raises RecogniserMissing."""
        await self._running()

    async def stop(self) -> None:
        """End the child, whatever it is at."""
        process, self._process = self._process, None
        if process is None or process.returncode is not None:
            return
        await end_child(process, _ENDS_WITHIN_S)

    async def _running(self) -> asyncio.subprocess.Process:
        if self._process is not None and self._process.returncode is None:
            return self._process
        try:
            self._process = await asyncio.create_subprocess_exec(
                *python_command("simulator.speech", *self._arguments),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                env=child_environment() | _ONE_THREAD,
                **in_the_background(),
            )
        except OSError as error:
            raise RecogniserMissing(f"The recogniser of words could not be started: {error.strerror}.") from error
        try:
            async with asyncio.timeout(_READY_WITHIN_S):
                line = await self._line(self._process)
        except (TimeoutError, EnvironmentFault) as error:
            await self.stop()
            raise RecogniserMissing(_DOES_NOT_RUN, str(error)) from error
        if line.lacks:
            await self.stop()
            raise RecogniserMissing(line.lacks)
        self._name = line.model
        return self._process

    async def _line(self, process: asyncio.subprocess.Process) -> _Line:
        assert process.stdout is not None
        line = await process.stdout.readline()
        try:
            return msgspec.json.decode(line, type=_Line)
        except msgspec.MsgspecError as error:
            raise EnvironmentFault(_DOES_NOT_RUN, line.decode("utf-8", "replace")) from error
