"""Plays both voices of a saved session, in a process of its own.

`python -P -m simulator.participant.session_player QUESTION`, where QUESTION is JSON: `{"record": path,
"first_sample": n, "output": [name, host_api, channel]}`. It prints a JSON object a line: `{"at_sample": n}` twenty
times a second, what is audible at that moment on the session's clock, `{"ended": true}` at the end, and
`{"error": sentence}` where it failed. Where no device opens, the silent clock takes its place, as in a session, and
`{"silent": sentence}` comes first. It ends when its standard input does.
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
from simulator.audio.playout import PlaybackEnded, Playout
from simulator.audio.silent_clock import SilentOutput
from simulator.audio.stream_state import Output
from simulator.audio.streams import OutputStream
from simulator.errors import DeviceUnavailable, EnvironmentFault, UnreadableRecording
from simulator.record.entries import Track
from simulator.record.tracks import TrackFile
from simulator.units import NS_PER_S, SAMPLE_RATE_HZ, samples_to_ns

AHEAD_SAMPLES: Final = SAMPLE_RATE_HZ
_PIECE_SAMPLES: Final = SAMPLE_RATE_HZ // 2
_TELL_EVERY_S: Final = 0.05
_SILENT: Final = "none"
_ITEM: Final = "session"
_UNHEARD: Final = "Nothing is heard; the cursor moves along all the same, at the session's pace."

Samples = NDArray[np.int16]
Say = Callable[[dict[str, Any]], None]
OpenOutput = Callable[[Playout, asyncio.AbstractEventLoop], Output]


def together(heard: Samples) -> Samples:
    """Return both voices, shape (n, 2), as one channel; where both are loud at once it is clipped, as in a mixer."""
    mixed: Samples = np.clip(heard.sum(axis=1, dtype=np.int32), -32_768, 32_767).astype(np.int16)
    return mixed


async def play(record: Path, first_sample: int, open_output: OpenOutput, say: Say) -> None:
    """Play from this sample of the session's clock to the end of its sound.

    Raises UnreadableRecording where there is no sound, DeviceUnavailable where the device goes away.
    """
    with TrackFile(record, Track.HEARD) as heard:
        if heard.path is None:
            raise UnreadableRecording("This record holds no sound to play: its voices were left out, or never kept.")
        first_sample = max(0, first_sample)
        playout = Playout()
        position = _fill(playout, heard, first_sample)
        if position == first_sample:
            say({"ended": True})
            return
        output = _started(open_output, playout, say)
        try:
            while (ended := _ended(playout)) is None:
                if playout.pending_samples() < AHEAD_SAMPLES:
                    position = _fill(playout, heard, position)
                if not output.state().alive:
                    name = output.state().name
                    raise DeviceUnavailable(f"The output device “{name}” has gone: plug it in or choose another one.")
                say({"at_sample": first_sample + playout.audible_samples(_ITEM, time.monotonic_ns())})
                await asyncio.sleep(_TELL_EVERY_S)
            await asyncio.sleep(max(0, ended.dac_ns - time.monotonic_ns()) / NS_PER_S)
        finally:
            output.close()
        say({"at_sample": position})
        say({"ended": True})


def _fill(playout: Playout, heard: TrackFile, position: int) -> int:
    """Queue the next piece, and say so where none follows; returns how far the session is queued."""
    piece = together(heard.read(position, _PIECE_SAMPLES))
    if len(piece):
        playout.add(_ITEM, piece, time.monotonic_ns() - samples_to_ns(len(piece)))
    if len(piece) < _PIECE_SAMPLES:
        playout.item_complete(_ITEM)
    return position + len(piece)


def _started(open_output: OpenOutput, playout: Playout, say: Say) -> Output:
    """Return the output, which plays; the silent clock where it does not open."""
    loop = asyncio.get_running_loop()
    try:
        output = open_output(playout, loop)
        try:
            output.start()
        except EnvironmentFault:
            output.close()
            raise
        return output
    except EnvironmentFault as fault:
        say({"silent": f"{_UNHEARD} {fault}"})
    silent = SilentOutput(playout, _nothing, loop)
    silent.start()
    return silent


def _nothing() -> None:
    """The loop looks by itself, twenty times a second."""


def _ended(playout: Playout) -> PlaybackEnded | None:
    return next((event for event in playout.progress() if isinstance(event, PlaybackEnded)), None)


def _chosen_output(choice: Choice) -> OpenOutput:
    def open_output(playout: Playout, loop: asyncio.AbstractEventLoop) -> Output:
        if choice.name == _SILENT:
            return SilentOutput(playout, _nothing, loop)
        return OutputStream(playout, chosen_here(choice, "output"), _nothing, loop, channel=choice.channel)

    return open_output


def main() -> int:
    """Play what the command line asks for, until its end or until nobody listens any more."""

    async def answer(question: dict[str, Any]) -> None:
        output = _chosen_output(Choice(*question["output"]))
        await play(Path(question["record"]), question["first_sample"], output, print_line)

    return run_as_child(answer)


if __name__ == "__main__":
    sys.exit(main())
