"""The embedded engine with faults that each session chooses by itself: the model that it asks for names them.

One process serves a whole fault matrix. It ends when its standard input closes.
"""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import quote

from simulator.conformance.wire import Target
from simulator.engine import faults
from simulator.engine.behaviour import Behaviour
from simulator.engine.server import ServerSettings, serve


def behaviour(model: str) -> Behaviour:
    """Return the behaviour that a model's name stands for: `embedded`, and the names of faults behind plus signs."""
    return faults.behaviour(faults.chosen(model.split("+")[1:]))


@contextmanager
def fault_host() -> Iterator[str]:
    """Run the host in its own process; gives the address."""
    command = [sys.executable, "-P", "-m", "tests.conformance.fault_host"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield json.loads(process.stdout.readline())["url"]
        finally:
            process.stdin.close()
            process.wait(10)


def target(url: str, *names: str) -> Target:
    """Return the engine with these faults."""
    model = "+".join(("embedded", *names))
    return Target(f"{url}?model={quote(model, safe='')}", model, "embedded")


async def _main() -> None:
    stop = asyncio.Event()
    watching = asyncio.create_task(asyncio.to_thread(sys.stdin.read))
    watching.add_done_callback(lambda _: stop.set())
    await serve(ServerSettings(behaviour=behaviour), lambda url: print(json.dumps({"url": url}), flush=True), stop)


if __name__ == "__main__":
    asyncio.run(_main())
