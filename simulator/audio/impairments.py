"""What is done to the participant's voice on its way to the engine: noise, lost blocks, a delay. Pure.

    voice, after mute and talk key → delay → noise → loss → engine

The delay is constant, as that of a long line. Noise is mixed in at an exact level, in dB of the root mean square,
against full scale or the level of the speech. Loss follows Gilbert's model of two states, which has the share of lost
blocks and the mean length of a burst as its figures. What becomes of a lost block differs:

- `silent`: silence takes its place, and time goes on. What a receiver does that conceals nothing: Bluetooth and USB
  microphones, or a WebRTC hop before the engine.
- `late`: it waits, and comes in one go with the next block that gets through. What TCP does, and with it every
  WebSocket: nothing is ever lost there, it stalls.
- `skipped`: it is never appended, and nothing in its place. What a client does that drops frames: the engine's clock,
  which counts samples, then runs behind the participant's.

Everything random follows from the seed: the same seed gives the same noise and loses the same blocks, counted from the
beginning of the session.
"""

import math
import random
from collections import deque
from typing import Final, Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from simulator.audio.levels import FLOOR_DBFS
from simulator.audio.pcm import FULL_SCALE
from simulator.errors import UsageError
from simulator.units import BLOCK_MS, BLOCK_SAMPLES, SAMPLE_RATE_HZ

WHITE, PINK, BABBLE = "white", "pink", "babble"
NOISES: Final = (WHITE, PINK, BABBLE)
"""The noises that are made here; any other name is a recording's."""
QUIETEST_DBFS: Final = -80.0
"""Less is lost in the rounding to 16 bits."""
LARGEST_SNR_DB: Final = 60.0
LARGEST_DROP_PERCENT: Final = 50.0
LONGEST_BURST_MS: Final = 2_000
LONGEST_DELAY_MS: Final = 5_000
NOMINAL_SPEECH_DBFS: Final = -26.0
"""The level that a telephone line is built for: what is assumed of a microphone until it was heard."""
_QUIETEST_SPEECH_DBFS: Final = -50.0
_BELOW_LOUDEST_DB: Final = 25.0
_REMEMBERED_BLOCKS: Final = 100
_LEVEL_FROM_SAMPLES: Final = 600 * SAMPLE_RATE_HZ

Samples = NDArray[np.int16]
Relative = Literal["full scale", "speech"]
Dropped = Literal["silent", "late", "skipped"]
Fate = Literal["given", "silent", "late", "skipped"]


class Impairments(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be done to the voice; each part is off unless it is named."""

    noise: str = ""
    """`white`, `pink`, `babble`, or a recording: its name or path; empty: none."""
    noise_db: float = -40.0
    """The level of the noise in dBFS; with `relative_to` speech the ratio of speech to noise in dB."""
    relative_to: Relative = "full scale"
    drop_percent: float = 0.0
    """The share of blocks of 20 ms that are lost, up to 50."""
    burst_ms: int = BLOCK_MS
    """The mean length of what is lost at once, in whole blocks of 20 ms."""
    dropped: Dropped = "silent"
    """What becomes of a lost block."""
    delay_ms: int = 0
    seed: int = 1

    @property
    def active(self) -> bool:
        """Whether anything is done to the voice."""
        return bool(self.noise or self.drop_percent or self.delay_ms)

    @property
    def words(self) -> str:
        """What is done, in a line; empty where nothing is."""
        parts = []
        if self.noise:
            name = f"{self.noise} noise" if self.noise in (WHITE, PINK) else self.noise
            level = f"{self.noise_db:g} dB".replace("-", "−")
            parts.append(f"{name} at {level}FS" if self.relative_to == "full scale" else f"{name}, {level} SNR")
        if self.drop_percent:
            burst = "" if self.burst_ms == BLOCK_MS else f", bursts of {self.burst_ms} ms"
            parts.append(f"{self.drop_percent:g} % lost ({self.dropped}{burst})")
        if self.delay_ms:
            parts.append(f"{self.delay_ms} ms delay")
        return " · ".join(parts)


def check(impairments: Impairments) -> None:
    """Raise UsageError for what cannot be done."""
    wanted = impairments
    against_speech = wanted.relative_to == "speech"
    lowest, highest = (-LARGEST_SNR_DB, LARGEST_SNR_DB) if against_speech else (QUIETEST_DBFS, 0.0)
    limits: tuple[tuple[str, float, float, float], ...] = (
        (
            "ratio of speech to noise, in dB," if against_speech else "noise's level, in dBFS,",
            wanted.noise_db,
            lowest,
            highest,
        ),
        ("share of dropped blocks, in percent,", wanted.drop_percent, 0.0, LARGEST_DROP_PERCENT),
        ("length of a burst, in ms,", wanted.burst_ms, BLOCK_MS, LONGEST_BURST_MS),
        ("delay, in ms,", wanted.delay_ms, 0, LONGEST_DELAY_MS),
    )
    for what, value, least, most in limits:
        if not least <= value <= most:  # also what is no number
            raise UsageError(f"The {what} is {value:g}: use a value from {least:g} to {most:g}.")
    if wanted.seed < 0:
        raise UsageError(f"The seed is {wanted.seed}: use 0 or more.")
    if wanted.burst_ms % BLOCK_MS:
        raise UsageError(f"The length of a burst is {wanted.burst_ms} ms: use whole blocks of {BLOCK_MS} ms.")


class ImpairedBlock(NamedTuple):
    """What became of a block."""

    samples: Samples
    fate: Fate
    """`late` waits for the next block that is given; `skipped` is not sent at all, and holds zeros."""


class Counts(msgspec.Struct):
    """What was done so far."""

    blocks: int = 0
    dropped_blocks: int = 0
    clipped_samples: int = 0
    """Samples that noise drove beyond full scale."""


class Impairer:
    """Does it, block by block. `noise` is a loop of noise with a root mean square of 1; None where none is wanted."""

    def __init__(self, impairments: Impairments, noise: NDArray[np.float32] | None) -> None:
        self.impairments = impairments
        self.delay_samples = impairments.delay_ms * SAMPLE_RATE_HZ // 1000
        self._line = np.zeros(self.delay_samples, dtype=np.int16)
        self._noise = noise
        self._noise_position = 0
        self._loss = Loss(impairments.drop_percent, impairments.burst_ms // BLOCK_MS, impairments.seed)
        self.speech = SpeechLevel()
        self.counts = Counts()

    def block(self, samples: Samples) -> ImpairedBlock:
        """Return what becomes of the next block, of any length."""
        self.counts.blocks += 1
        samples = self._noisy(self._delayed(samples))
        if not self._loss.next_is_lost():
            return ImpairedBlock(samples, "given")
        self.counts.dropped_blocks += 1
        fate = self.impairments.dropped
        return ImpairedBlock(samples if fate == "late" else np.zeros_like(samples), fate)

    def _delayed(self, samples: Samples) -> Samples:
        if not self.delay_samples:
            return samples
        joined = np.concatenate((self._line, samples))
        self._line = joined[len(samples) :]
        return joined[: len(samples)]

    def _noisy(self, samples: Samples) -> Samples:
        if self._noise is None:
            return samples
        self.speech.hear(samples)
        places = (self._noise_position + np.arange(len(samples))) % len(self._noise)
        self._noise_position = int(self._noise_position + len(samples)) % len(self._noise)
        mixed = np.rint(samples + np.float64(self._gain()) * self._noise[places])
        clipped = np.clip(mixed, -FULL_SCALE, FULL_SCALE - 1)
        self.counts.clipped_samples += int(np.count_nonzero(clipped != mixed))
        return clipped.astype(np.int16)

    def _gain(self) -> float:
        level_dbfs = self.impairments.noise_db
        if self.impairments.relative_to == "speech":
            level_dbfs = self.speech.dbfs - self.impairments.noise_db
        return FULL_SCALE * math.pow(10, level_dbfs / 20)


class Loss:
    """Which blocks are lost: Gilbert's model, with a mean share of `percent` in bursts of `burst_blocks` on average."""

    def __init__(self, percent: float, burst_blocks: int, seed: int) -> None:
        share = percent / 100
        self._ends = 1 / max(1, burst_blocks)
        self._begins = self._ends * share / (1 - share)
        self._random = random.Random(seed)
        # As if it had gone on for ever: the first block is lost as often as any other.
        self._lost = percent > 0 and self._random.random() < share

    def next_is_lost(self) -> bool:
        """Return whether the next block is lost."""
        if not self._begins:
            return False
        lost = self._lost
        drawn = self._random.random()
        self._lost = drawn >= self._ends if lost else drawn < self._begins
        return lost


class SpeechLevel:
    """The level of the speech that noise is held against.

    That of a recording is known while it is said (`known_dbfs`); otherwise it is the mean power of the newest two
    seconds that were louder than -50 dBFS, and `NOMINAL_SPEECH_DBFS` as long as nothing was.
    """

    def __init__(self) -> None:
        self.known_dbfs: float | None = None
        self._powers: deque[float] = deque(maxlen=_REMEMBERED_BLOCKS)

    @property
    def dbfs(self) -> float:
        """The level at present."""
        if self.known_dbfs is not None:
            return self.known_dbfs
        return _dbfs(sum(self._powers) / len(self._powers)) if self._powers else NOMINAL_SPEECH_DBFS

    def hear(self, samples: Samples) -> None:
        """Take a block of the voice, before noise."""
        power = _power(samples)
        if self.known_dbfs is None and _dbfs(power) >= _QUIETEST_SPEECH_DBFS:
            self._powers.append(power)


def speech_level_dbfs(samples: Samples) -> float | None:
    """Return the level of the speech in a recording, from its first ten minutes; None where they are silent.

    It is the root mean square of those blocks of 20 ms that are at most 25 dB below the loudest one: pauses, and the
    silence around it, do not count.
    """
    samples = samples[:_LEVEL_FROM_SAMPLES]
    blocks = samples[: len(samples) - len(samples) % BLOCK_SAMPLES].reshape(-1, BLOCK_SAMPLES)
    scaled = blocks.astype(np.float32) / FULL_SCALE
    powers = np.einsum("ij,ij->i", scaled, scaled, dtype=np.float64) / BLOCK_SAMPLES
    loudest = float(np.max(powers, initial=0.0))
    if not loudest:
        return None
    return _dbfs(float(np.mean(powers[powers >= loudest * 10 ** (-_BELOW_LOUDEST_DB / 10)])))


def _power(samples: Samples) -> float:
    if not len(samples):
        return 0.0
    as_float = samples.astype(np.float64) / FULL_SCALE
    return float(np.dot(as_float, as_float)) / len(samples)


def _dbfs(power: float) -> float:
    return max(FLOOR_DBFS, 10 * math.log10(power)) if power > 0 else FLOOR_DBFS
