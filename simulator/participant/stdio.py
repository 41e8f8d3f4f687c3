"""The participant process: commands on standard input, the feed on standard output.

The end of standard input, a Quit or a cancellation (a signal) end it in order: microphone off, socket closed, record
finished, engine ended, exit code 0. Whatever hangs meanwhile, it has ended two seconds later: the threads that hear the
wish see to it, as a device could hold up the loop.
"""

import asyncio
import contextlib
import faulthandler
import functools
import gc
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable
from typing import Final

from simulator.participant.feed import PipeFeed
from simulator.participant.messages import UNREADABLE, AnyCommand, Reply, command_id, decode_command
from simulator.participant.process import Participant

_log = logging.getLogger(__name__)

_ENDS_WITHIN_S: Final = 1.7
"""The rest is for a computer so busy that the wish itself is heard late."""
_STUCK_WITHIN_S: Final = 0.15
"""So much later nothing of Python's is needed any more to end, were its lock held for that long."""
_FEED_DRAINS_WITHIN_S: Final = 0.3
_GIVES_UP_WITHIN_S: Final = 0.3
_READ_BYTES: Final = 65_536


async def serve() -> int:
    """Run until told to end, and return the exit code."""
    loop = asyncio.get_running_loop()
    output = _take_over_stdout()
    participant: Participant
    feed = PipeFeed(output, on_gap=lambda first, last: participant.feed_overflowed(first, last))
    participant = Participant(feed.publish)
    tasks: set[asyncio.Task[None]] = set()
    begun = asyncio.Event()

    async def begin() -> None:
        try:
            await participant.start()
        finally:
            begun.set()
        _keep_the_collector_away()
        await participant.warm_engine()

    async def execute(command: AnyCommand) -> None:
        await begun.wait()
        feed.publish(await participant.handle(command))

    def received(line: bytes) -> None:
        try:
            command = decode_command(line)
        except UNREADABLE as error:
            number = command_id(line)
            sentence = f"A command that cannot be read: {error}."
            if number is None:
                _log.error("%s", sentence)
            else:
                feed.publish(Reply(id=number, error=sentence))
            return
        task = asyncio.create_task(execute(command))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    _hear_signals()
    # The end of the input is heard from the start: a device that hangs while it opens must not outlive the window.
    _read_lines(loop, received, participant.quit.set)
    beginning = asyncio.create_task(begin())
    with contextlib.suppress(asyncio.CancelledError):  # a signal: end in order as well
        await participant.quit.wait()
    _end_by_force_later()
    beginning.cancel()
    await participant.close()
    for task in tasks:
        task.cancel()
    # An engine that was just starting is collected before the loop closes.
    await asyncio.wait({beginning, *tasks}, timeout=_GIVES_UP_WITHIN_S)
    feed.close(_FEED_DRAINS_WITHIN_S)
    return 0


def _take_over_stdout() -> int:
    """Return a descriptor for the feed; what anything else prints goes to standard error from now on."""
    if sys.stdout is None:
        # Closed by whoever started us, and so is nobody's: the feed goes nowhere.
        return os.open(os.devnull, os.O_WRONLY)
    sys.stdout.flush()
    output = os.dup(1)
    os.dup2(2, 1)
    return output


def _read_lines(loop: asyncio.AbstractEventLoop, on_line: Callable[[bytes], None], on_end: Callable[[], None]) -> None:
    """Read lines on a thread, which works for every kind of standard input on every system."""
    if sys.stdin is None:
        # It was closed before the start, and its number may stand for something else by now.
        on_end()
        return
    descriptor = sys.stdin.fileno()

    def read() -> None:
        rest = bytearray()
        while True:
            try:
                data = os.read(descriptor, _READ_BYTES)
            except OSError:
                data = b""
            if not data:
                break
            rest += data
            if b"\n" not in data:
                continue
            *lines, rest = rest.split(b"\n")
            for line in lines:
                if line.strip():
                    loop.call_soon_threadsafe(on_line, bytes(line))
        _end_by_force_later()
        loop.call_soon_threadsafe(on_end)

    threading.Thread(target=read, name="commands", daemon=True).start()


def _keep_the_collector_away() -> None:
    """Make the garbage collector's pauses short and rare: what was loaded so far is never looked at again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


def _hear_signals() -> None:
    """Hear of a signal on a thread as well: Python's handlers wait for the main thread, which a device may hold up."""
    if sys.platform == "win32":
        return  # its loop needs the only place for this itself
    heard, told = socket.socketpair()
    told.setblocking(False)
    signal.set_wakeup_fd(told.fileno(), warn_on_full_buffer=False)

    def wait() -> None:
        with heard, told:
            while not set(heard.recv(64)) & {signal.SIGINT, signal.SIGTERM}:
                pass
            _end_by_force_later()
            while heard.recv(64):
                pass

    threading.Thread(target=wait, name="signals", daemon=True).start()


@functools.cache
def _end_by_force_later() -> None:
    """Let the process end in time whatever becomes of the end in order, counted from the first call."""
    timer = threading.Timer(_ENDS_WITHIN_S, os._exit, (0,))
    timer.daemon = True
    timer.start()
    # Its thread is none of Python's.
    faulthandler.dump_traceback_later(
        _ENDS_WITHIN_S + _STUCK_WITHIN_S, exit=True, file=os.open(os.devnull, os.O_WRONLY)
    )
