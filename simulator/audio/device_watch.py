"""Looks for devices that are missing, in a process of its own that lives as long as something is.

`python -P -m simulator.audio.device_watch` gets on its standard input one line of JSON: for "input", "output" or both,
the name and host API that are wanted (nulls: the system's default). Every two seconds it lists the devices anew and
tries to open what is wanted, for a device that is listed may still be busy, or gone behind its sound server's back. It
prints a line each time, the directions that opened, and ends once there are any, or when its standard input ends.

Listing anew costs 10 ms; in the process that holds the session it would end every stream that is still open.
"""

import asyncio
import json
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Final

from simulator.audio.as_child import child_environment, end_with_the_parent, print_line
from simulator.audio.devices import Choice, Device, Direction, devices_here, reinitialise
from simulator.audio.playout import Playout
from simulator.audio.ring import BlockTimeRing, SampleRing
from simulator.audio.streams import InputStream, OutputStream
from simulator.errors import EnvironmentFault

LOOK_EVERY_S: Final = 2.0

_SILENT_FOR_S: Final = 20.0
"""A child that says nothing for this long hangs in the sound system, and another one takes its place."""


async def opens_again(wanted: Mapping[Direction, Choice]) -> set[Direction]:
    """Wait until at least one of the missing devices can be opened, and return which. Cancelled, it looks no longer."""
    while True:
        found = await _one_child(wanted)
        if found:
            return found
        await asyncio.sleep(LOOK_EVERY_S)


async def _one_child(wanted: Mapping[Direction, Choice]) -> set[Direction]:
    """Return what a child found, or nothing where it hung or died."""
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        "-m",
        "simulator.audio.device_watch",
        env=child_environment(),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        question = {direction: [choice.name, choice.host_api, choice.channel] for direction, choice in wanted.items()}
        child.stdin.write(json.dumps(question).encode() + b"\n")
        while True:
            async with asyncio.timeout(_SILENT_FOR_S):
                line = await child.stdout.readline()
            found = set(json.loads(line)) if line else set()
            if found or not line:
                return found & set(wanted)
    except (TimeoutError, ValueError):
        return set()
    finally:
        if child.returncode is None:
            child.kill()
        await child.wait()


def openable(wanted: Mapping[Direction, Choice]) -> list[Direction]:
    """List the devices anew and return for which directions the device that is wanted can be opened now."""
    reinitialise()
    known = devices_here()
    return [direction for direction, choice in wanted.items() if _opens(direction, choice, known)]


def _opens(direction: Direction, choice: Choice, known: Sequence[Device]) -> bool:
    loop = asyncio.new_event_loop()
    try:
        device = choice.among(known, direction)
        if direction == "output":
            OutputStream(Playout(), device, lambda: None, loop, channel=choice.channel).close()
        else:
            ring, times = SampleRing(1), BlockTimeRing(1)
            InputStream(ring, times, device, lambda: None, loop, channel=choice.channel).close()
    except EnvironmentFault:
        return False
    finally:
        loop.close()
    return True


def main() -> int:
    """Look until something that is wanted opens."""
    wanted = {direction: Choice(*named) for direction, named in json.loads(sys.stdin.readline()).items()}

    end_with_the_parent()
    while True:
        try:
            found = openable(wanted)
        except EnvironmentFault:
            found = []
        print_line(found)
        if found:
            return 0
        time.sleep(LOOK_EVERY_S)


if __name__ == "__main__":
    sys.exit(main())
