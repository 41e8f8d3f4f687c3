"""How the children that are talked to in a loop end. Apart from `children`, which the window starts with."""

import asyncio
import contextlib
import os
import signal
import sys


async def end_child(process: asyncio.subprocess.Process, within_s: float) -> None:
    """End a child by the end of its standard input, and by force where it does not follow in time."""
    assert process.stdin is not None
    process.stdin.close()
    try:
        async with asyncio.timeout(within_s):
            await process.wait()
    except TimeoutError:
        await kill_child(process)


async def kill_child(process: asyncio.subprocess.Process) -> None:
    """End a child by force, and with it what it started, where it has a session of its own."""
    with contextlib.suppress(ProcessLookupError):
        if sys.platform != "win32" and os.getpgid(process.pid) == process.pid:
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
    await process.wait()
