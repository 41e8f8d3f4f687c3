"""What is wrong with the sound while a microphone is open, in sentences that say what to do. Pure.

Fed with the microphone as it is captured and with what is audible of the agent. It keeps the last second of the
microphone in memory, for the time that the microphone is open, and nothing afterwards. Faults begin and end with some
patience (`sound_faults`, `echo_detection`); one whose microphone has been closed for `LAPSE_NS` is told no longer.
"""

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.audio.echo_detection import EchoDetector
from simulator.audio.levels import dbfs_rms
from simulator.audio.sound_faults import (
    BLOCKS_A_SECOND,
    ClipWatch,
    FlatWatch,
    HumWatch,
    QuietWatch,
    mains_hz,
)
from simulator.units import NS_PER_MS, NS_PER_S, samples_to_ns

Code = Literal["exact_zeros", "too_quiet", "clipping", "hum", "echo"]
Because = Literal["good", "closed", "avoided"]
Samples = NDArray[np.int16]

LAPSE_NS: Final = 10 * NS_PER_S
_JUDGE_EVERY: Final = BLOCKS_A_SECOND // 5
_LONGEST_PATIENCE_S: Final = 16
_ECHO_TAIL_NS: Final = 500 * NS_PER_MS
"""So long after the agent a room may still give its voice back."""


@dataclass(frozen=True, slots=True)
class SoundWarning:
    """Something is wrong with the sound."""

    code: Code
    sentence: str
    """What is wrong, and what to do."""
    since_ns: int
    figures: Mapping[str, int | float] = field(default_factory=dict)
    """What was measured, units in the names."""


class SoundGood(NamedTuple):
    """A warning ended."""

    code: Code
    because: Because
    """It was heard to be good, the microphone is closed, or it cannot matter any more."""


SoundChange = SoundWarning | SoundGood


class SoundCheck:
    """Feed it with both sides; `take` gives what changed since the last call. Times are monotonic nanoseconds."""

    def __init__(self) -> None:
        self._warnings: dict[Code, SoundWarning] = {}
        self._changes: list[SoundChange] = []
        self._echo = EchoDetector()
        self._watches_echo = True
        self._agent_until_ns = 0
        self._open = False
        self._heard_ns = 0
        self._patience_s = 1
        self._begin()

    @property
    def warnings(self) -> tuple[SoundWarning, ...]:
        """What is wrong now."""
        return tuple(self._warnings.values())

    def take(self, now_ns: int) -> list[SoundChange]:
        """Return what began and ended since the last call."""
        if self._warnings and now_ns - self._heard_ns > LAPSE_NS:
            self.forget()
        changes, self._changes = self._changes, []
        return changes

    def played(self, samples: Samples, audible_ns: int) -> None:
        """Take a piece of the agent's voice that is audible from `audible_ns` on."""
        if self._watches_echo:
            self._echo.played(samples, audible_ns)
        self._agent_until_ns = audible_ns + samples_to_ns(len(samples)) + _ECHO_TAIL_NS

    def captured(self, samples: Samples, ended_ns: int, cleaned: Samples | None = None) -> None:
        """Take the next 20 ms of an open microphone; an echo is looked for in `cleaned` where it is being cancelled."""
        if not len(samples):
            return
        self._open, self._heard_ns = True, ended_ns
        self._last.append(samples)
        level_dbfs = dbfs_rms(samples)
        self._flat.feed(samples)
        self._clip.feed(samples)
        self._hum.feed(level_dbfs)
        if ended_ns > self._agent_until_ns:
            self._quiet.feed(level_dbfs)
        if self._watches_echo:
            self._echo.microphone(samples if cleaned is None else cleaned, ended_ns)
        self._count += 1
        if self._count % _JUDGE_EVERY == 0:
            self._quiet.judge()
            self._hum.judge()
            self._compare(ended_ns)

    def closed(self) -> None:
        """The microphone is closed for the moment: what was heard of it is dropped, its warnings stay for a while."""
        if self._open:
            self._open = False
            self._begin()
            self._echo.forget_microphone()

    def watch_echo(self, on: bool) -> None:
        """Look for an echo anew, or not at all, where none can reach the engine."""
        self._watches_echo = on
        self._echo = EchoDetector()
        if "echo" in self._warnings:
            self._end("echo", "avoided")

    def forget(self) -> None:
        """The microphone is closed for good, or is another one."""
        self._patience_s = 1
        self.closed()
        self._echo.forget()
        for code in list(self._warnings):
            self._end(code, "closed")

    def _begin(self) -> None:
        self._flat = FlatWatch(wrong="exact_zeros" in self._warnings, patience_s=self._patience_s)
        self._clip = ClipWatch(wrong="clipping" in self._warnings)
        self._quiet = QuietWatch(wrong="too_quiet" in self._warnings)
        self._hum = HumWatch(wrong="hum" in self._warnings)
        self._last: deque[Samples] = deque(maxlen=BLOCKS_A_SECOND)
        self._count = 0

    def _compare(self, now_ns: int) -> None:
        for code, wrong in self._faults():
            if wrong and code not in self._warnings:
                sentence, figures = self._described(code)
                warning = self._warnings[code] = SoundWarning(code, sentence, now_ns, figures)
                self._changes.append(warning)
            elif not wrong and code in self._warnings:
                self._end(code, "good")
                if code == "exact_zeros":
                    # Some microphones give exact silence whenever nobody speaks: it is told less and less often.
                    self._patience_s = self._flat.patience_s = min(2 * self._patience_s, _LONGEST_PATIENCE_S)

    def _faults(self) -> Iterator[tuple[Code, bool]]:
        yield "exact_zeros", self._flat.wrong
        yield "too_quiet", self._quiet.wrong
        yield "clipping", self._clip.wrong
        yield "hum", self._hum.wrong
        yield "echo", self._echo.echo is not None

    def _end(self, code: Code, because: Because) -> None:
        del self._warnings[code]
        self._changes.append(SoundGood(code, because))

    def _described(self, code: Code) -> tuple[str, dict[str, int | float]]:
        match code:
            case "exact_zeros":
                return _FLAT, {}
            case "too_quiet":
                level_dbfs = round(self._quiet.level_dbfs or 0)
                return _QUIET.format(level_dbfs), {"level_dbfs": level_dbfs}
            case "clipping":
                return _CLIPPING, {"clips_a_second": self._clip.runs}
            case "hum":
                level_dbfs = round(self._hum.level_dbfs)
                mains = mains_hz(np.concatenate(self._last))
                if mains is None:
                    return _NOISE.format(level_dbfs), {"level_dbfs": level_dbfs}
                return _HUM.format(mains, level_dbfs), {"level_dbfs": level_dbfs, "mains_hz": mains}
            case "echo":
                echo = self._echo.echo
                assert echo is not None
                down_db = max(0, -round(echo.level_db))
                return _ECHO.format(echo.delay_ms, down_db), {"delay_ms": echo.delay_ms, "level_db": -down_db}


_FLAT: Final = (
    "The microphone gives exact silence: undo its mute switch, and let this program use the microphone in the system's "
    "privacy settings."
)
_QUIET: Final = (
    "The voice is too quiet ({} dBFS): turn the microphone up in the system's sound settings, or speak closer to it."
)
_CLIPPING: Final = (
    "The microphone is too loud, its sound is clipped: turn it down in the system's sound settings, or speak from "
    "further away."
)
_HUM: Final = (
    "A hum of {} Hz ({} dBFS) goes on without a pause, so the engine may never hear the end of a turn: try another "
    "cable or socket, or unplug the charger."
)
_NOISE: Final = (
    "A steady noise ({} dBFS) goes on without a pause, so the engine may never hear the end of a turn: switch off what "
    "makes it, or turn the microphone down and speak closer to it."
)
_ECHO: Final = (
    "The agent's voice comes back through the microphone ({} ms later, {} dB quieter), so the agent may interrupt "
    "itself: use headphones, turn the loudspeaker down, or switch on echo cancelling or half-duplex (menu Sound)."
)
