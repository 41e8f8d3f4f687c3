"""What goes over the participant's voice, whatever that is: something that is said once, or the tape of a replay."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.audio.tape import SpeechBegan, SpeechEnded, Tape
from simulator.errors import UsageError
from simulator.participant.recordings import Recording, Saying
from simulator.units import NS_PER_S, SAMPLE_RATE_HZ

_REPLAYED: Final = "A replay speaks for the participant: stop it first."

Samples = NDArray[np.int16]


class Spoken(NamedTuple):
    """A chunk of the voice, with what begins in it, at which sample, and the name of what ended in it."""

    samples: Samples
    started: tuple[Saying, int] | None
    ended: str | None


class VoiceOver:
    """One saying at a time, and below it a tape. Belongs to the loop."""

    def __init__(self) -> None:
        self._one_at_a_time = asyncio.Lock()
        self._saying: _Saying | None = None
        self._tape: Tape | None = None
        self._sayings: Sequence[Saying] = ()
        self._unended: str | None = None
        """What began on a tape and did not end yet."""

    @property
    def covers(self) -> bool:
        """Whether the voice itself is not heard."""
        return self._saying is not None or self._tape is not None

    @property
    def speaks(self) -> bool:
        """Whether something is being said."""
        return self._saying is not None or (self._tape is not None and self._tape.speaking)

    def check(self) -> None:
        """Raise UsageError where nobody else may speak."""
        if self._tape is not None:
            raise UsageError(_REPLAYED)

    async def say(self, recording: Recording, on_begin: Callable[[], None]) -> None:
        """Say a recording, and return when its end has left; `on_begin` is called when its turn has come.

        Cancelled, it stops in the middle. Raises as `check`.
        """
        async with self._one_at_a_time:
            self.check()
            saying = self._saying = _Saying(recording, asyncio.get_running_loop().create_future())
            on_begin()
            try:
                await saying.said
            finally:
                saying.stopped = True

    def lay(self, tape: Tape, sayings: Sequence[Saying]) -> None:
        """Let a tape be the voice; what is being said stops. `sayings` are the tape's speeches in order."""
        self._tape, self._sayings = tape, sayings
        if self._saying is not None:
            self._saying.stopped = True

    def take_off(self, tape: Tape) -> None:
        """Let the voice be heard again, where this tape lies over it."""
        if self._tape is tape:
            self._tape = None

    def over(self, spoken: Spoken, first_ns: int) -> Spoken:
        """Return the chunk that goes over this one, the first sample of which is captured at this time."""
        if self._saying is not None:
            spoken = self._said(self._saying, spoken)
        if self._tape is not None:
            spoken = self._taped(self._tape, spoken, first_ns)
        elif self._unended is not None:
            spoken, self._unended = spoken._replace(ended=self._unended), None
        return spoken

    def _taped(self, tape: Tape, spoken: Spoken, first_ns: int) -> Spoken:
        """What was being said over the voice has its end told first, if it was cut."""
        spoken = spoken._replace(samples=tape.take(len(spoken.samples), first_ns))
        for passed in tape.passed:
            match passed:
                case SpeechBegan(number, at_ns):
                    offset = round((at_ns - first_ns) * SAMPLE_RATE_HZ / NS_PER_S)
                    spoken = spoken._replace(started=(self._sayings[number], offset))
                    self._unended = self._sayings[number].name
                case SpeechEnded(number):
                    spoken, self._unended = spoken._replace(ended=self._sayings[number].name), None
        return spoken

    def _said(self, saying: "_Saying", spoken: Spoken) -> Spoken:
        """A recording of the voice has its end told first, if it was cut."""
        if spoken.ended is not None:
            return spoken._replace(samples=np.zeros_like(spoken.samples))
        rest = saying.recording.samples[saying.position :]
        if saying.stopped or not len(rest):
            self._saying = None
            if not saying.said.done():
                saying.said.set_result(None)
            return spoken._replace(ended=saying.recording.name)
        samples = np.zeros_like(spoken.samples)
        count = min(len(rest), len(samples))
        samples[:count] = rest[:count]
        started = (saying.recording.saying, 0) if saying.position == 0 else spoken.started
        saying.position += count
        return Spoken(samples, started, None)


class _Saying:
    """A recording that is said over the voice."""

    def __init__(self, recording: Recording, said: "asyncio.Future[None]") -> None:
        self.recording = recording
        self.said = said
        self.position = 0
        self.stopped = False
