"""Programs that play and record for the tests of the streams, each in a process of its own.

PortAudio reads its environment when it is loaded, so what runs against the test's sound server runs here:
`python -m tests.audio.stream_programs PROGRAM [ARGUMENT]…` prints its result as one line of JSON.
"""

import asyncio
import dataclasses
import json
import os
import sys
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.audio.fades import Edges
from simulator.audio.playout import LastSound, PlaybackEnded, PlaybackGap, PlaybackStarted, Playout
from simulator.audio.sources import MicrophoneSource
from simulator.audio.streams import Output, OutputStream, SilentOutput
from simulator.errors import SimulatorError
from tests.audio.fidelity import voice_at
from tests.audio.one_form import refuse_all_but

Result = dict[str, Any]


def voice(seconds: float, seed: int) -> NDArray[np.int16]:
    """Noise without a zero in it: every sample of it can be told from silence."""
    noise = np.random.default_rng(seed).integers(1, 8000, round(seconds * 24_000))
    return noise.astype(np.int16)


WHOLE = voice(0.5, seed=1)
CUT = voice(2, seed=2)


class Listener:
    """Plays a playout on an output, and waits for what happens."""

    def __init__(self, kind: str, playout: Playout | None = None) -> None:
        self.playout = playout or Playout()
        self.wakes = 0
        self.events: list[Any] = []
        self._woken = asyncio.Event()
        loop = asyncio.get_running_loop()
        self.output: Output = (
            SilentOutput(self.playout, self._on_wake, loop)
            if kind == "silent"
            else OutputStream(self.playout, None, self._on_wake, loop)
        )
        self.output.start()

    def _on_wake(self) -> None:
        self.wakes += 1
        self.events += self.playout.progress()
        self._woken.set()

    async def until(self, condition: Callable[[], object]) -> None:
        """Return once the condition holds; looked at whenever the output has woken the loop."""
        while not condition():
            self._woken.clear()
            await asyncio.wait_for(self._woken.wait(), 20)

    def of_kind(self, kind: type) -> list[Any]:
        """The events of one kind so far."""
        return [event for event in self.events if isinstance(event, kind)]

    def say(self, item_id: str, audio: NDArray[np.int16]) -> None:
        """Add a complete item."""
        self.playout.add(item_id, audio, time.monotonic_ns())
        self.playout.item_complete(item_id)


async def plays(kind: str) -> Result:
    """Play one item to its end, and cut another in its middle."""
    listener = Listener(kind)
    listener.say("whole", WHOLE)
    await listener.until(lambda: listener.of_kind(PlaybackEnded))
    listener.say("cut", CUT)
    await listener.until(lambda: listener.playout.handed_samples("cut") >= 12_000)
    heard = listener.playout.cut(time.monotonic_ns())
    callbacks = listener.output.state().callbacks
    await listener.until(lambda: listener.output.state().callbacks >= callbacks + 15)
    running = listener.output.state()
    listener.output.close()
    listener.output.close()
    closed = listener.output.state()
    await asyncio.sleep(0.1)
    (last_sound,) = listener.of_kind(LastSound)
    return {
        "started": [event._asdict() for event in listener.of_kind(PlaybackStarted)],
        "ended": [event._asdict() for event in listener.of_kind(PlaybackEnded)],
        "gaps": len(listener.of_kind(PlaybackGap)),
        "heard": [item._asdict() for item in heard],
        "handed_later": listener.playout.handed_samples("cut"),
        "last_sound": last_sound._asdict(),
        "wakes": listener.wakes,
        "running": dataclasses.asdict(running),
        "closed": dataclasses.asdict(closed),
        "callbacks_after_close": listener.output.state().callbacks - closed.callbacks,
    }


class BrokenPlayout(Playout):
    """Fails in its third block."""

    def fill(self, out: NDArray[np.int16], now_ns: int, dac_ns: int) -> Edges:
        if self.blocks == 2:
            self.blocks += 1
            raise RuntimeError("broken on purpose")
        return super().fill(out, now_ns, dac_ns)


async def survives_a_fault(kind: str) -> Result:
    """Go on after an exception in the callback."""
    listener = Listener(kind, BrokenPlayout())
    await listener.until(lambda: listener.output.state().fault)
    listener.say("after", voice(0.1, seed=3))
    await listener.until(lambda: listener.of_kind(PlaybackEnded))
    state = listener.output.state()
    listener.output.close()
    return {"fault": state.fault, "alive": state.alive}


async def loses_its_device() -> Result:
    """Play until the device has gone; says "playing" when it may be taken away."""
    listener = Listener("device")
    listener.say("long", voice(60, seed=4))
    await listener.until(lambda: listener.of_kind(PlaybackStarted))
    sys.stdout.write("playing\n")
    sys.stdout.flush()
    await listener.until(lambda: not listener.output.state().alive)
    handed = listener.playout.handed_samples("long")
    listener.output.close()
    return {"handed": handed}


async def records(samples: str) -> Result:
    """Record from the microphone; says "recording" when the first chunk came. Gives what it heard as a list."""
    source = MicrophoneSource(None, asyncio.get_running_loop())
    pieces: list[NDArray[np.int16]] = []
    lateness: list[int] = []
    positions: list[int] = []
    async for chunk in source.chunks():
        if not pieces:
            sys.stdout.write("recording\n")
            sys.stdout.flush()
        pieces.append(chunk.samples)
        positions.append(chunk.first_sample)
        lateness.append(chunk.late_ns)
        if len(pieces) * 480 >= int(samples):
            break
    state = source.state()
    source.close()
    return {
        "heard": np.concatenate(pieces).tolist(),
        "positions": positions,
        "lateness_ns": lateness,
        "state": dataclasses.asdict(state),
        "lost": source.lost_samples,
    }


async def loops(folder: str, *rates_hz: str) -> Result:
    """Play a voice on a sink of each rate and record its monitor, all at once; both are cards of that rate only."""
    states = await asyncio.gather(*(_loop(Path(folder), int(rate_hz)) for rate_hz in rates_hz))
    return dict(zip(rates_hz, states, strict=True))


async def _loop(folder: Path, rate_hz: int) -> Result:
    os.environ |= {"PULSE_SINK": f"rate_{rate_hz}", "PULSE_SOURCE": f"rate_{rate_hz}.monitor"}
    refuse_all_but(rate_hz, 2)
    listener = Listener("device")
    source = MicrophoneSource(None, asyncio.get_running_loop())
    pieces: list[NDArray[np.int16]] = []
    rest = 30
    async for chunk in source.chunks():
        pieces.append(chunk.samples)
        if len(pieces) == 5:
            listener.say("voice", voice_at(24_000, 0.5, 0.4 * min(rate_hz, 24_000)))
        rest -= bool(listener.of_kind(PlaybackEnded))
        if not rest:
            break
    states = {"input": dataclasses.asdict(source.state()), "output": dataclasses.asdict(listener.output.state())}
    source.close()
    listener.output.close()
    np.save(folder / f"{rate_hz}.npy", np.concatenate(pieces))
    return states


async def opens() -> Result:
    """Try to open the default output."""
    try:
        Listener("device").output.close()
    except SimulatorError as error:
        return {"error": type(error).__name__, "sentence": str(error)}
    return {"error": None}


PROGRAMS: dict[str, Callable[..., Coroutine[Any, Any, Result]]] = {
    program.__name__: program for program in (plays, survives_a_fault, loses_its_device, records, loops, opens)
}

if __name__ == "__main__":
    print(json.dumps(asyncio.run(PROGRAMS[sys.argv[1]](*sys.argv[2:]))))
