"""The embedded engine as a child process, for the length of a command or of the participant process.

The child ends when its standard input closes, so it never outlives a parent that was killed.
"""

import asyncio
from collections.abc import Sequence
from types import TracebackType
from typing import Final

import msgspec

from simulator.engines.children import apart_from_the_terminal, child_environment, python_command
from simulator.engines.ending import end_child, kill_child
from simulator.engines.thinking import Thinking
from simulator.errors import EngineUnreachable

_READY_WITHIN_S: Final = 30.0
_ENDS_WITHIN_S: Final = 0.7
_KEY_VARIABLE: Final = "PARTICIPANT_SIMULATOR_MODEL_KEY"


class _Ready(msgspec.Struct):
    url: str


class EmbeddedEngine:
    """Async context manager that starts the embedded engine and gives its address.

    `faults` are names of rules of the profile that the engine is to break, `thinking` is the language model that
    decides what it says, in place of its script.
    """

    def __init__(self, faults: Sequence[str] = (), thinking: Thinking | None = None) -> None:
        self._faults = tuple(faults)
        self._thinking = thinking
        self._process: asyncio.subprocess.Process | None = None
        self._url = ""

    @property
    def faults(self) -> tuple[str, ...]:
        """The rules that this engine breaks."""
        return self._faults

    @property
    def thinking(self) -> Thinking | None:
        """The language model of this engine."""
        return self._thinking

    @property
    def running(self) -> bool:
        """Whether the child was started and has not ended."""
        return self._process is not None and self._process.returncode is None

    async def start(self) -> str:
        """Start the child if it does not run, and return its address once it listens. Raises EngineUnreachable."""
        if self.running and self._url:
            return self._url
        arguments = ["--port", "0", "--until-stdin-closes"]
        for fault in self._faults:
            arguments += ["--fault", fault]
        environment = child_environment()
        if self._thinking is not None:
            arguments += self._mind(self._thinking, environment)
        try:
            self._process = await asyncio.create_subprocess_exec(
                *python_command("simulator.engine", *arguments),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                env=environment,
                **apart_from_the_terminal(),
            )
        except OSError as error:
            raise EngineUnreachable(f"The embedded engine could not be started: {error.strerror}.") from error
        try:
            async with asyncio.timeout(_READY_WITHIN_S):
                self._url = await self._read_ready(self._process)
        except TimeoutError as error:
            await kill_child(self._process)
            raise EngineUnreachable(
                f"The embedded engine was not ready within {_READY_WITHIN_S:.0f} s: close other programs and try again."
            ) from error
        except BaseException:
            # It holds no session yet, so nothing is lost.
            await kill_child(self._process)
            raise
        return self._url

    def _mind(self, thinking: Thinking, environment: dict[str, str]) -> list[str]:
        """Return the options that give the child its model; a key travels in the environment only."""
        options = ["--think", thinking.url]
        if thinking.model:
            options += ["--think-model", thinking.model]
        if thinking.key is not None:
            environment[_KEY_VARIABLE] = thinking.key
            options += ["--think-key-env", _KEY_VARIABLE]
        return options

    async def _read_ready(self, process: asyncio.subprocess.Process) -> str:
        assert process.stdout is not None
        line = await process.stdout.readline()
        try:
            return msgspec.json.decode(line, type=_Ready).url
        except msgspec.MsgspecError as error:
            raise EngineUnreachable(
                "The embedded engine did not start: run the command `engine` by itself to see why.",
                line.decode("utf-8", "replace"),
            ) from error

    async def stop(self) -> None:
        """End the child in order, and by force if it does not follow soon."""
        process, self._process, self._url = self._process, None, ""
        if process is None or process.returncode is not None:
            return
        await end_child(process, _ENDS_WITHIN_S)

    async def __aenter__(self) -> str:
        return await self.start()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()
