"""How fast the agent falls silent when interrupted: 1,000 barge-ins against the real participant process.

A scripted engine drives them fast: half a second of speech, and speech_started while it is being heard. The times are
the participant's own, from its record. Once more while the reader of the feed, as a stalled window, reads nothing for
500 ms of each second. The output is a PulseAudio null sink where there is one, else the silent clock.
"""

import asyncio
import itertools
import os
import random
import sys
import time
from collections.abc import Iterable
from typing import Any, Final

from bench.figures import Figure
from bench.live_participant import participant_environment, read_at_once, recorded_session
from tests.participant.scripted_engine import EngineSide, tone

BARGE_INS: Final = 1_000
CUT_GOAL_MS: Final = 5.0
SILENT_GOAL_MS: Final = 25.0
_STALL_S: Final = 0.5


def run() -> Iterable[Figure]:
    """Measure, and return the figures."""
    with participant_environment() as environment:
        for stalled in (False, True):
            yield from _figures(asyncio.run(_measure(environment, stalled)), stalled)


def _figures(notes: list[dict[str, Any]], stalled: bool) -> list[Figure]:
    when = ", window stalled 500 ms each second" if stalled else ""
    cut = [(note["cut_ns"] - note["received_ns"]) / 1e6 for note in notes]
    silent = [max(0, note["last_sound_handed_ns"] - note["received_ns"]) / 1e6 for note in notes]
    inaudible = sorted((note["inaudible_ns"] - note["received_ns"]) / 1e6 for note in notes)
    source = notes[0]["dac_source"] if notes else "none"
    print(
        f"inaudible at the device{when}: median {inaudible[len(inaudible) // 2]:.1f} ms, "
        f"p99 {inaudible[len(inaudible) * 99 // 100]:.1f} ms after speech_started (times from: {source})",
        file=sys.stderr,
    )
    return [
        Figure(f"barge-in: speech_started read to cut{when}", CUT_GOAL_MS, "ms", cut),
        Figure(f"barge-in: speech_started read to last sound handed{when}", SILENT_GOAL_MS, "ms", silent),
    ]


async def _measure(environment: dict[str, str], stalled: bool) -> list[dict[str, Any]]:
    """Return the barge_in notes of a session with `BARGE_INS` of them."""

    async def script(side: EngineSide) -> None:
        await side.greet()
        await _interrupt_again_and_again(side)

    read_feed = _read_stalling if stalled else read_at_once
    entries = await recorded_session(script, environment, longest_s=600, read_feed=read_feed)
    notes = [entry.event for entry in entries if entry.type == "barge_in"]
    if len(notes) < BARGE_INS:
        raise RuntimeError(f"{len(notes)} of {BARGE_INS} barge-ins were recorded")
    return notes


async def _interrupt_again_and_again(side: EngineSide) -> None:
    chance = random.Random(1)
    speech = tone(500)
    barge_ins = 0
    for number in itertools.count():
        response, item = f"resp_{number}", f"item_{number}"
        await side.begin_reply(response, item)
        await side.say(response, item, speech)
        await side.end_audio(response, item)
        # Long enough for the first blocks to be handed, at any phase of a block.
        await asyncio.sleep(0.045 + 0.04 * chance.random())
        await side.send("input_audio_buffer.speech_started", audio_start_ms=number, item_id=f"user_{number}")
        await side.finish(response, "cancelled", status_details={"reason": "turn_detected"})
        truncate = await side.expect("conversation.item.truncate")
        await side.send("conversation.item.truncated", **{name: truncate[name] for name in ("item_id", "audio_end_ms")})
        # A reply that the device had not begun to take is no barge-in: it was truncated at 0.
        barge_ins += truncate["audio_end_ms"] > 0
        if barge_ins == BARGE_INS:
            return


def _read_stalling(feed: int) -> None:
    """Read the feed as a window does that stalls."""
    if sys.platform == "linux":
        # A small pipe is full at once: the participant's writer has to wait in each stall.
        import fcntl

        fcntl.fcntl(feed, fcntl.F_SETPIPE_SZ, 4096)
    while os.read(feed, 65_536):
        if time.monotonic() % 1 < _STALL_S:
            time.sleep(_STALL_S)
