"""The real participant process for a benchmark: where its sound goes, and one session against a scripted engine."""

import asyncio
import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

from bench.session_folder import session_folder
from simulator.engines.children import child_environment, python_command
from simulator.participant.messages import Connect, encode_line
from simulator.record.entries import Entry
from simulator.record.reader import read_record
from tests.participant.scripted_engine import EngineSide, ScriptedEngine
from tests.rig.errors import RigUnavailable
from tests.rig.sound import sound_server


@contextlib.contextmanager
def participant_environment() -> Iterator[dict[str, str]]:
    """Give the environment of the participant: with a sound server where one can run."""
    try:
        server = sound_server()
        with server as running:
            yield child_environment() | running.env
    except RigUnavailable as reason:
        print(f"silent clock instead of a device: {reason}", file=sys.stderr)
        yield child_environment()


async def recorded_session(
    script: Callable[[EngineSide], Awaitable[None]],
    environment: dict[str, str],
    *,
    longest_s: float,
    read_feed: Callable[[int], None],
) -> list[Entry]:
    """Connect a participant to an engine that follows `script`, and return what was recorded once that has ended.

    `read_feed` reads the feed from a descriptor until its end, on a thread. Raises TimeoutError where the script takes
    longer than `longest_s`.
    """
    finished = asyncio.Event()

    async def followed(side: EngineSide) -> None:
        await script(side)
        finished.set()

    with session_folder("participant-") as folder:
        async with ScriptedEngine(followed) as engine:
            process = subprocess.Popen(  # noqa: ASYNC220 - starting it takes a moment, once
                python_command("simulator", "participant"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=environment,
            )
            assert process.stdin is not None
            assert process.stdout is not None
            reader = threading.Thread(target=read_feed, args=(process.stdout.fileno(),))
            reader.start()
            os.write(process.stdin.fileno(), encode_line(Connect(id=1, engine=engine.url, record_folder=folder)))
            await asyncio.wait_for(finished.wait(), longest_s)
            process.stdin.close()
            await asyncio.to_thread(process.wait)
            reader.join()
            process.stdout.close()
        (path,) = Path(folder).glob("*/session.jsonl")
        return read_record(path).entries


def read_at_once(feed: int) -> None:
    """Read the feed as a window does that is never busy."""
    while os.read(feed, 65_536):
        pass
