"""The embedded engine as a child process."""

import json

import psutil
import pytest
from websockets.asyncio.client import connect

from simulator.engines.embedded import EmbeddedEngine
from simulator.errors import EngineUnreachable


async def test_it_listens_while_the_block_lasts_and_is_gone_afterwards() -> None:
    engine = EmbeddedEngine()
    others = set(psutil.Process().children(recursive=True))
    async with engine as url:
        assert await engine.start() == url
        children = [child for child in psutil.Process().children(recursive=True) if child not in others]
        assert children
        async with connect(url, compression=None, proxy=None) as socket:
            assert json.loads(await socket.recv())["type"] == "session.created"
    _, alive = psutil.wait_procs(children, timeout=5)
    assert alive == []


async def test_it_can_be_started_again() -> None:
    engine = EmbeddedEngine()
    first = await engine.start()
    await engine.stop()
    second = await engine.start()
    await engine.stop()
    assert first.startswith("ws://127.0.0.1:")
    assert second.startswith("ws://127.0.0.1:")


async def test_an_engine_that_does_not_start_says_so() -> None:
    with pytest.raises(EngineUnreachable, match="The embedded engine did not start"):
        await EmbeddedEngine(["no_such_fault"]).start()
