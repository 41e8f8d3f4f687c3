"""The real participant process behind its pipes, as the window has it."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import msgspec

from simulator.engines.children import child_environment, python_command
from simulator.participant.messages import (
    AnyCommand,
    AnyFeed,
    Command,
    Entries,
    Reply,
    Status,
    decode_feed,
    encode_line,
)
from simulator.record.entries import Entry
from simulator.record.finishing import is_finished

C = TypeVar("C", bound=Command)


async def finished(session: Path) -> None:
    """Wait for the process that finishes a session's folder, which nobody tells of its end."""
    while not is_finished(session):  # noqa: ASYNC110 - another process is waited for
        await asyncio.sleep(0.05)


class LiveProcess:
    """Async context manager. What the feed says is kept; waiting ends with the test's own time limit."""

    def __init__(
        self,
        *,
        environment: dict[str, str] | None = None,
        by: Sequence[str] = (),
        card: tuple[int, int] | None = None,
        hangs: str | None = None,
    ) -> None:
        """`by` is a command that starts the one behind it, `card` the only rate and number of channels it can open.

        `hangs` is what hangs for good: see `tests.participant.hanging`.
        """
        self._environment = environment
        self._by = by
        self._program = python_command("simulator", "participant")
        if card is not None:
            self._program = python_command("tests.audio.one_form", *map(str, card), "participant")
        if hangs is not None:
            self._program = python_command("tests.participant.hanging", hangs)
        self._changed = asyncio.Condition()
        self._next_id = 1
        self._replies: dict[int, Reply] = {}
        self._reading: asyncio.Task[None] | None = None
        self.status = Status()
        self.entries: list[Entry] = []
        self.raw = b""
        """All that came out of the process."""

    async def __aenter__(self) -> Self:
        self.process = await asyncio.create_subprocess_exec(
            *self._by,
            *self._program,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=child_environment() | (self._environment or {}),
            limit=1 << 26,
        )
        self._reading = asyncio.create_task(self._read())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()
        assert self._reading is not None
        await self._reading

    async def send(self, command: type[C], **fields: Any) -> str | None:
        """Execute a command and return its error, or None when it took effect."""
        number, self._next_id = self._next_id, self._next_id + 1
        tag = command.__struct_config__.tag
        message: AnyCommand = msgspec.convert({"command": tag, "id": number, **fields}, AnyCommand)
        return await self.send_raw(encode_line(message), number)

    async def send_raw(self, line: bytes, number: int) -> str | None:
        """Write a line, wait for the reply with this number and return its error."""
        self.write(line)
        await self._until(lambda: number in self._replies)
        return self._replies[number].error

    def order(self, command: type[C], **fields: Any) -> None:
        """Send a command whose reply nobody waits for."""
        tag = command.__struct_config__.tag
        message: AnyCommand = msgspec.convert({"command": tag, "id": 0, **fields}, AnyCommand)
        self.write(encode_line(message))

    def write(self, line: bytes) -> None:
        """Write a line, whatever it is."""
        assert self.process.stdin is not None
        self.process.stdin.write(line.rstrip(b"\n") + b"\n")

    async def entry(self, kind: str, **fields: Any) -> Entry:
        """Wait for an entry of this type with these fields, and return the first."""

        def found() -> list[Entry]:
            return [
                entry
                for entry in self.entries
                if entry.type == kind and all(entry.event.get(name) == value for name, value in fields.items())
            ]

        await self._until(lambda: bool(found()))
        return found()[0]

    async def status_with(self, holds: Callable[[Status], bool]) -> Status:
        """Wait for a status for which this holds."""
        await self._until(lambda: holds(self.status))
        return self.status

    async def end_input(self) -> int:
        """Close standard input, as a window that ends, and return the exit code. At most 2 s may pass."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return await self.ended()

    async def ended(self) -> int:
        """Wait for the end of the process, which has 2 s for it."""
        return await asyncio.wait_for(self.process.wait(), 2)

    async def _until(self, holds: Callable[[], bool]) -> None:
        async with self._changed:
            await self._changed.wait_for(lambda: holds() or self._reading is None or self._reading.done())
        assert holds(), "the feed ended before this came"

    async def _read(self) -> None:
        assert self.process.stdout is not None
        try:
            while line := await self.process.stdout.readline():
                self.raw += line
                async with self._changed:
                    self._take(decode_feed(line))
                    self._changed.notify_all()
        finally:
            asyncio.get_running_loop().call_soon(self._wake)

    def _wake(self) -> None:
        async def wake() -> None:
            async with self._changed:
                self._changed.notify_all()

        self._last = asyncio.ensure_future(wake())

    def _take(self, message: AnyFeed) -> None:
        match message:
            case Reply(id=number):
                self._replies[number] = message
            case Status():
                self.status = message
            case Entries(entries=entries):
                self.entries += entries
