"""Tries a microphone and a loudspeaker outside any session, in a process of its own.

`python -P -m simulator.audio.trial QUESTION`, where QUESTION is JSON: `{"do": "level" | "tone" | "repeat" |
"round_trip", "input": [name, host_api, channel], "output": [name, host_api, channel], "keep": folder}`. It prints a
JSON object a line: `{"opened": name, "rate_hz", "channels"}` once for each device, `{"level": [rms_dbfs, peak_dbfs]}`
twenty times a second while it listens, `{"state": "listening" | "recording" | "playing" | "measuring" | "done"}`,
`{"round_trip": sentences}` when it was measured and kept in that folder, and `{"error": sentence}` at the end where it
failed. It ends when its standard input does.
"""

import asyncio
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from simulator.audio.as_child import print_line, run_as_child
from simulator.audio.devices import Choice, chosen_here
from simulator.audio.latencies import FILE_NAME, keep_latency
from simulator.audio.latency_probe import measure
from simulator.audio.levels import dbfs_peak, dbfs_rms
from simulator.audio.playout import PlaybackEnded, Playout
from simulator.audio.sources import MicrophoneSource
from simulator.audio.streams import OutputStream
from simulator.errors import DeviceUnavailable
from simulator.units import BLOCK_SAMPLES, NS_PER_S, SAMPLE_RATE_HZ

RECORDED_S: Final = 3
TONE_HZ: Final = 440
TONE_S: Final = 1.5
_TONE_LEVEL: Final = 0.1
"""-20 dBFS: clear, and no fright in headphones."""
_FADE_S: Final = 0.01
_LEVEL_BLOCKS: Final = 2

Samples = NDArray[np.int16]
Say = Callable[[dict[str, Any]], None]


def tone() -> Samples:
    """Return the tone: a sine with soft ends."""
    at_s = np.arange(round(TONE_S * SAMPLE_RATE_HZ)) / SAMPLE_RATE_HZ
    fade = np.clip(np.minimum(at_s, TONE_S - at_s) / _FADE_S, 0, 1)
    return np.round(32_767 * _TONE_LEVEL * fade * np.sin(2 * np.pi * TONE_HZ * at_s)).astype(np.int16)


class Trial:
    """Tries devices; `say` gets what happens. Belongs to the loop."""

    def __init__(self, say: Say) -> None:
        self._say = say

    async def listen(self, choice: Choice, samples: int | None = None) -> Samples:
        """Tell the level of a microphone, for so many samples or for ever, and return what it heard in the former case.

        Raises AudioUnavailable or DeviceUnavailable.
        """
        loop = asyncio.get_running_loop()
        source = MicrophoneSource(chosen_here(choice, "input"), loop, channel=choice.channel)
        state = source.state()
        self._say({"opened": state.name, "rate_hz": state.rate_hz, "channels": state.channels})
        pieces: list[Samples] = []
        missing = samples
        try:
            async for chunk in source.chunks():
                pieces.append(chunk.samples)
                if len(pieces) % _LEVEL_BLOCKS == 0:
                    last = np.concatenate(pieces[-_LEVEL_BLOCKS:])
                    self._say({"level": [round(dbfs_rms(last), 1), round(dbfs_peak(last), 1)]})
                if missing is None:
                    del pieces[:-_LEVEL_BLOCKS]
                elif (missing := missing - len(chunk.samples)) <= 0:
                    break
        finally:
            source.close()
        return np.concatenate(pieces)[:samples]

    async def play(self, choice: Choice, samples: Samples) -> None:
        """Play this to its end. Raises AudioUnavailable or DeviceUnavailable."""
        playout, woken = Playout(), asyncio.Event()
        loop = asyncio.get_running_loop()
        output = OutputStream(playout, chosen_here(choice, "output"), woken.set, loop, channel=choice.channel)
        state = output.state()
        self._say({"opened": state.name, "rate_hz": state.rate_hz, "channels": state.channels})
        playout.add("trial", samples, time.monotonic_ns())
        playout.item_complete("trial")
        output.start()
        try:
            ended = None
            while ended is None:
                async with asyncio.timeout(_blocks_s(len(samples))):
                    await woken.wait()
                woken.clear()
                if not output.state().alive:
                    raise DeviceUnavailable(f"The output device “{state.name}” has gone: plug it in again.")
                ended = next((event for event in playout.progress() if isinstance(event, PlaybackEnded)), None)
            await asyncio.sleep(max(0, ended.dac_ns - time.monotonic_ns()) / NS_PER_S)
        except TimeoutError as error:
            raise DeviceUnavailable(
                f"The output device “{state.name}” opened and then asked for nothing: choose it again, or another one."
            ) from error
        finally:
            output.close()


def _blocks_s(samples: int) -> float:
    return 5 + samples / SAMPLE_RATE_HZ + BLOCK_SAMPLES / SAMPLE_RATE_HZ


async def answer(question: dict[str, Any], say: Say) -> None:
    """Do what is asked."""
    trial = Trial(say)
    microphone, loudspeaker = Choice(*question.get("input", ())), Choice(*question.get("output", ()))
    match question["do"]:
        case "level":
            say({"state": "listening"})
            await trial.listen(microphone)
        case "tone":
            say({"state": "playing"})
            await trial.play(loudspeaker, tone())
        case "round_trip":
            measured = await measure(microphone, loudspeaker, lambda: say({"state": "measuring"}))
            keep_latency(Path(question["keep"]) / FILE_NAME, measured)
            say({"round_trip": measured.sentences()})
        case "repeat":
            say({"state": "recording"})
            heard = await trial.listen(microphone, RECORDED_S * SAMPLE_RATE_HZ)
            say({"state": "playing"})
            await trial.play(loudspeaker, heard)
    say({"state": "done"})


def main() -> int:
    """Try what the command line asks for, until it is done or nobody listens any more."""
    return run_as_child(lambda question: answer(question, print_line))


if __name__ == "__main__":
    sys.exit(main())
