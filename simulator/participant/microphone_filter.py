"""What a microphone passes before it becomes the participant's voice, and what is found wrong with it on the way.

    microphone, while it is open → echo cancelling → half-duplex → voice
                                 ↘ sound check

A microphone that the talk key or mute keeps closed is not listened to, and nothing of an open one is kept.
"""

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.audio.echo_cancelling import DELAY_MS, EchoCanceller
from simulator.audio.half_duplex import HalfDuplex
from simulator.audio.playout_events import AudioHanded
from simulator.audio.sound_check import SoundCheck, SoundGood, SoundWarning

Samples = NDArray[np.int16]


class MicrophoneFilter:
    """Belongs to the loop. `note` writes into the record of the session, if there is one."""

    def __init__(self, note: Callable[[str, Mapping[str, object]], None]) -> None:
        self._note = note
        self._check = SoundCheck()
        self._gate = HalfDuplex()
        self.half_duplex = False
        """Whether the microphone is silent while the agent is heard."""
        self._canceller: EchoCanceller | None = None

    @property
    def warnings(self) -> tuple[SoundWarning, ...]:
        """What is wrong with the sound now."""
        return self._check.warnings

    @property
    def echo_cancelling(self) -> bool:
        """Whether the agent's voice is taken out of the microphone."""
        return self._canceller is not None

    def set_half_duplex(self, on: bool) -> None:
        """Keep the microphone silent while the agent is heard, or no longer."""
        if on != self.half_duplex:
            self.half_duplex = on
            self._check.watch_echo(not on)
            self._note("half_duplex", {"on": on})

    def set_echo_cancelling(self, on: bool) -> None:
        """Take the agent's voice out of the microphone, or no longer. Raises AudioUnavailable without the extra."""
        if on != self.echo_cancelling:
            self._canceller = EchoCanceller() if on else None
            self._check.watch_echo(not self.half_duplex)
            self._note("echo_cancelling", _cancelling(on))

    def note_beginning(self) -> None:
        """A session begins: note what is done to its microphone, and what is wrong with it already."""
        if self.half_duplex:
            self._note("half_duplex", {"on": True})
        if self.echo_cancelling:
            self._note("echo_cancelling", _cancelling(True))
        self._check.take(time.monotonic_ns())
        for warning in self._check.warnings:
            self._note("sound.warning", _fields(warning))

    def played(self, piece: AudioHanded) -> None:
        """Take a piece of the agent's voice that was handed to the output device."""
        self._check.played(piece.samples, piece.dac_ns)
        self._gate.played(piece.samples, piece.dac_ns)
        if self._canceller is not None:
            self._canceller.played(piece.samples, piece.dac_ns)

    def passed(self, samples: Samples, ended_ns: int) -> Samples:
        """Return what becomes the voice of the next samples of an open microphone."""
        cleaned = samples if self._canceller is None else self._canceller.cleaned(samples, ended_ns)
        self._check.captured(samples, ended_ns, cleaned)
        return self._gate.let_through(cleaned, ended_ns) if self.half_duplex else cleaned

    def closed(self) -> None:
        """The microphone is closed by the talk key or by mute."""
        self._check.closed()
        if self._canceller is not None:
            self._canceller.forget_microphone()

    def changed(self) -> None:
        """Another microphone, or none, takes the place of the one before."""
        self._check.forget()

    def look(self) -> None:
        """Note which warnings began and ended since the last look."""
        for change in self._check.take(time.monotonic_ns()):
            if isinstance(change, SoundGood):
                self._note("sound.good", {"code": change.code, "because": change.because})
            else:
                self._note("sound.warning", _fields(change))


def _cancelling(on: bool) -> dict[str, Any]:
    return {"on": on, "delay_ms": DELAY_MS} if on else {"on": on}


def _fields(warning: SoundWarning) -> dict[str, Any]:
    return {"code": warning.code, "sentence": warning.sentence, **warning.figures}
