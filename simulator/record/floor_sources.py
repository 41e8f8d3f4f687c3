"""When each of them talked, found twice: by the energy of the audio, and by the engine's events and what was played.

The lanes of the audio are those of the heard track, which lies on the record's clock: left the participant, right the
agent as handed to the output device.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from simulator.errors import UnreadableRecording
from simulator.record.entries import Track
from simulator.record.floor import Spurt, spurts
from simulator.record.story import Story, speech_times
from simulator.record.tracks import Samples, TrackFile, cut_off
from simulator.units import NS_PER_MS, NS_PER_S, SAMPLE_RATE_HZ, ns_to_samples, samples_to_ms

FRAME_MS: Final = 10
FRAME_SAMPLES: Final = SAMPLE_RATE_HZ * FRAME_MS // 1000
FULL_SCALE: Final = 32_768
BLOCK_SAMPLES: Final = 10 * SAMPLE_RATE_HZ
"""How much audio is looked at at once."""
UNWRITTEN_SAMPLES: Final = SAMPLE_RATE_HZ
"""What a killed process may not have written: less is not told."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The level from which a frame counts as talk: its root mean square in dB below full scale (a square wave's)."""

    participant_dbfs: float = -45.0
    """A quiet room before a microphone lies below it."""
    agent_dbfs: float = -50.0


@dataclass(frozen=True, slots=True)
class Talk:
    """When each of them talked, in order; the participant's talk while listening was off is left out."""

    participant: list[Spurt]
    agent: list[Spurt]
    lack: str = ""
    """What of it could not be heard, because the audio is damaged or was cut off, in a sentence."""


def talk_by_events(story: Story) -> Talk:
    """Return what the engine told of the participant's turns, and what was handed over of the agent's voice.

    A turn lies where the engine's positions in the audio put it, or else where its events arrived.
    """
    spoken = ((round(start_s * NS_PER_S), round(end_s * NS_PER_S)) for start_s, end_s in speech_times(story).values())
    heard = (
        (span.started_ns, story.last_ns if span.ended_ns is None else span.ended_ns)
        for span in story.measures.heard
        if span.handed_samples > 0 or span.ended_ns is None or not span.cut
    )
    return Talk(spurts(spoken, _not_listened(story)), spurts(heard))


def talk_by_energy(path: Path, story: Story, thresholds: Thresholds) -> Talk:
    """Return where the lanes of the heard track are loud. Raises UnreadableRecording where there is none."""
    with TrackFile(path, Track.HEARD) as file:
        if file.path is None:
            left_out = story.started.get("audio_kept") is False
            raise UnreadableRecording(
                "The audio was left out of this session on purpose." if left_out else "The record holds no heard audio."
            )
        limits = (thresholds.participant_dbfs, thresholds.agent_dbfs)
        read = _Counted(file.blocks(BLOCK_SAMPLES))
        participant, agent = loud_spans(read, limits)
        told = max(file.frames, ns_to_samples(story.last_ns))
        lack = ""
        if told - read.frames > UNWRITTEN_SAMPLES:
            lack = cut_off(file.path, read.frames, told, "is measured")
    return Talk(spurts(participant, _not_listened(story)), spurts(agent), lack)


class _Counted:
    """Gives blocks on, and counts their frames."""

    def __init__(self, blocks: Iterable[Samples]) -> None:
        self._blocks = blocks
        self.frames = 0

    def __iter__(self) -> Iterator[Samples]:
        for block in self._blocks:
            self.frames += len(block)
            yield block


def loud_spans(blocks: Iterable[Samples], limits_dbfs: tuple[float, ...]) -> list[list[tuple[int, int]]]:
    """Return for each channel from when to when its frames reach its limit, in ns from the first sample.

    Blocks have the shape (n, channels); what is left behind the last whole frame is no frame.
    """
    limits = np.array([mean_square(limit) for limit in limits_dbfs])
    parts = [squares >= limits for squares in frame_squares(blocks)]
    loud = np.concatenate(parts) if parts else np.zeros((0, len(limits_dbfs)), dtype=bool)
    return [runs_ns(loud[:, channel]) for channel in range(loud.shape[1])]


def mean_square(dbfs: float) -> float:
    """Return the mean square of a level: with squares there is no logarithm of silence."""
    return float((FULL_SCALE * 10 ** (dbfs / 20)) ** 2)


def frame_squares(blocks: Iterable[Samples]) -> Iterator[NDArray[np.float64]]:
    """Yield the mean squares of the whole frames of some blocks, shape (frames, channels)."""
    for frames in _frames(blocks):
        squares = np.empty((len(frames), frames.shape[2]))
        for channel in range(frames.shape[2]):
            # A channel for itself lies in one piece, and is squared seven times as fast as both in turn.
            voice = frames[:, :, channel].astype(np.float64)
            np.einsum("ij,ij->i", voice, voice, out=squares[:, channel])
        yield squares / FRAME_SAMPLES


def runs_ns(loud: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return from when to when frames are loud, in ns from the first one."""
    changes = np.flatnonzero(np.diff(loud.astype(np.int8), prepend=0, append=0))
    frame_ns = round(samples_to_ms(FRAME_SAMPLES) * NS_PER_MS)
    return [(int(start) * frame_ns, int(end) * frame_ns) for start, end in changes.reshape(-1, 2)]


def not_listened_ms(story: Story) -> float:
    """Return for how long listening was off."""
    return sum(end_ns - start_ns for start_ns, end_ns in _not_listened(story)) / NS_PER_MS


def _not_listened(story: Story) -> list[tuple[int, int]]:
    spans = story.measures.listening_off
    return [(start_ns, story.last_ns if end_ns is None else end_ns) for start_ns, end_ns in spans]


def _frames(blocks: Iterable[Samples]) -> Iterator[Samples]:
    """Yield the blocks in whole frames, shape (frames, FRAME_SAMPLES, channels)."""
    rest: Samples | None = None
    for block in blocks:
        samples = block if rest is None else np.concatenate([rest, block])
        whole = len(samples) - len(samples) % FRAME_SAMPLES
        rest = samples[whole:]
        yield samples[:whole].reshape(-1, FRAME_SAMPLES, samples.shape[1])
