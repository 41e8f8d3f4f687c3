"""An engine in its own process, as the command line starts it."""

import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

import pytest

from tests.engine.client import Client, connected
from tests.engine.speech import sentence


@contextmanager
def running_engine(*arguments: str) -> Iterator[str]:
    """The address of an engine that ends, and must end well, when the block does."""
    command = [sys.executable, "-P", "-m", "simulator.engine", "--until-stdin-closes", *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield json.loads(process.stdout.readline())["url"]
        finally:
            assert process.stdin is not None
            process.stdin.close()
            try:
                code = process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
    assert code == 0


@pytest.fixture(scope="session")
def engine_url() -> Iterator[str]:
    """An engine that talks fifteen times faster than real time: no test waits long, and a story can be interrupted."""
    with running_engine("--rate", "15") as url:
        sentence("Hello.")  # loads the tests' own synthesiser, lest a story ends while it loads
        yield url


@pytest.fixture
async def client(engine_url: str) -> AsyncIterator[Client]:
    async with connected(engine_url) as client:
        yield client
