"""The participant process in which something hangs for good: `python -m tests.participant.hanging WHAT`.

`names`: looking up the address of an engine. `loop`: what executes commands, once the voice is muted. `lock`: ending in
order, and with it everything of Python's. `start`: output devices that are chosen, in the
library that was loaded first, as PortAudio may; nobody waits as long as he does elsewhere.
"""

import ctypes
import itertools
import socket
import sys
import time
from collections.abc import Callable
from typing import Any, Final

from simulator.audio import fresh_library, opening
from simulator.audio.streams import OutputStream
from simulator.cli import main
from simulator.participant import device_return
from simulator.participant.process import Participant
from simulator.participant.sound import Sound

FOR_GOOD_S: Final = 60

_look_up = socket.getaddrinfo


def _never_found(host: Any, *arguments: Any, **named: Any) -> Any:
    if host == "engine.example":
        time.sleep(FOR_GOOD_S)
    return _look_up(host, *arguments, **named)


def _hang(sound: Sound, muted: bool) -> None:
    print(f"muted: {muted}", file=sys.stderr, flush=True)
    time.sleep(FOR_GOOD_S)


async def _hang_with_the_lock(participant: Participant) -> None:
    ctypes.PyDLL(None).sleep(FOR_GOOD_S)  # PyDLL keeps the lock


def _hang_in_the_first(start: Callable[[OutputStream], None]) -> Callable[[OutputStream], None]:
    starts = itertools.count()  # the first is the default device, tried as the process begins

    def begin(stream: OutputStream) -> None:
        if next(starts) and not fresh_library._left:
            time.sleep(FOR_GOOD_S)
        start(stream)

    return begin


if __name__ == "__main__":
    match sys.argv[1]:
        case "names":
            socket.getaddrinfo = _never_found
        case "loop":
            setattr(Sound, "set_muted", _hang)  # noqa: B010
        case "start":
            setattr(OutputStream, "start", _hang_in_the_first(OutputStream.start))  # noqa: B010
            setattr(opening, "OPENS_WITHIN_S", 0.5)  # noqa: B010
            setattr(device_return, "_HANGS_S", 0.1)  # noqa: B010
            setattr(device_return, "_STUCK_S", 1.0)  # noqa: B010
        case "lock":
            setattr(Participant, "close", _hang_with_the_lock)  # noqa: B010
    sys.exit(main(["participant"]))
