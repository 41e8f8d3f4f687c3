"""Impairs the participant's voice between its source and everything that hears it: engine, record, meter.

What the engine was given stands in the record: the note `impairments` says what is done from then on, its lanes hold
what was sent, and `impairments.done` what it came to.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from typing import NamedTuple

import msgspec

from simulator.audio.impairments import Counts, Impairer, Impairments, check
from simulator.audio.noises import Noise, noise_loop
from simulator.participant.recordings import Saying
from simulator.participant.voice import SpokenChunk


class _Mark(NamedTuple):
    """A recording began or ended, at a sample of the voice."""

    position: int
    started: Saying | None = None
    ended: str | None = None


class Impairing:
    """Takes the voice's chunks and gives them to `on_chunk`, as they are or impaired. Belongs to the loop."""

    def __init__(
        self, on_chunk: Callable[[SpokenChunk], None], note: Callable[[str, Mapping[str, object]], None]
    ) -> None:
        self._on_chunk = on_chunk
        self._note = note
        self._noise: Noise | None = None
        self._impairer: Impairer | None = None
        self._position = 0
        self._marks: deque[_Mark] = deque()
        self._held: list[SpokenChunk] = []
        self._choosing = asyncio.Lock()

    @property
    def impairments(self) -> Impairments | None:
        """What is done to the voice; None where nothing is."""
        return self._impairer.impairments if self._impairer is not None else None

    @property
    def clipped_samples(self) -> int:
        """Samples that noise drove beyond full scale, since the session began."""
        return self._impairer.counts.clipped_samples if self._impairer is not None else 0

    async def choose(self, impairments: Impairments | None) -> None:
        """Do this from now on. Raises UsageError for what cannot be done; then everything stays as it is."""
        async with self._choosing:
            noise = None
            if impairments is not None:
                check(impairments)
                if impairments.noise:
                    noise = await asyncio.to_thread(noise_loop, impairments.noise, impairments.seed)
            self.note_end()
            self._noise = noise
            self._use(impairments if impairments is not None and impairments.active else None)
            self._note_impairments()

    def note_beginning(self) -> None:
        """A session begins, and all that is random with it: note what is done to its voice, if anything is."""
        if self._impairer is not None:
            self._use(self._impairer.impairments)
            self._note_impairments()

    def note_end(self) -> None:
        """The session, or these impairments, end: note what they came to."""
        if self._impairer is not None and self._impairer.counts.blocks:
            self._note("impairments.done", msgspec.to_builtins(self._impairer.counts))
            self._impairer.counts = Counts()

    def take(self, chunk: SpokenChunk) -> None:
        """Take the next chunk of the voice."""
        if self._impairer is None and not self._marks:
            self._on_chunk(chunk)
            return
        given = self._marked(chunk)
        if self._impairer is None:
            self._on_chunk(given)
            return
        samples, fate = self._impairer.block(given.samples)
        given = given._replace(samples=samples)
        if fate == "late":
            self._held.append(given)
            self._on_chunk(given._replace(started=None, ended=None, sent=False))
            return
        self._release()
        self._on_chunk(given if fate != "skipped" else given._replace(sent=False))

    def _use(self, impairments: Impairments | None) -> None:
        """Begin anew. What was on its way is lost, but recordings begin and end."""
        self._release()
        self._impairer = Impairer(impairments, self._noise) if impairments is not None else None
        self._marks = deque(mark._replace(position=self._position) for mark in self._marks)

    def _release(self) -> None:
        held, self._held = self._held, []
        for chunk in held:
            self._on_chunk(chunk._replace(recorded=False))

    def _marked(self, chunk: SpokenChunk) -> SpokenChunk:
        """Return the chunk with the recordings that begin and end in it once they were delayed."""
        first, self._position = self._position, self._position + len(chunk.samples)
        delay = self._impairer.delay_samples if self._impairer is not None else 0
        if chunk.ended is not None:
            self._marks.append(_Mark(first + delay, ended=chunk.ended))
        if chunk.started is not None:
            saying, offset = chunk.started
            self._marks.append(_Mark(first + offset + delay, started=saying))
        started: tuple[Saying, int] | None = None
        ended: str | None = None
        while self._marks and self._marks[0].position < self._position:
            mark = self._marks[0]
            if mark.started is not None and started is None:
                started = mark.started, max(0, mark.position - first)
                self._hear(mark.started.speech_dbfs)
            elif mark.ended is not None and ended is None and started is None:
                ended = mark.ended
                self._hear(None)
            else:
                break  # the next chunk tells of it
            self._marks.popleft()
        return chunk._replace(started=started, ended=ended)

    def _hear(self, speech_dbfs: float | None) -> None:
        if self._impairer is not None:
            self._impairer.speech.known_dbfs = speech_dbfs

    def _note_impairments(self) -> None:
        fields = msgspec.to_builtins(self.impairments) if self.impairments is not None else {}
        self._note("impairments", {"active": self.impairments is not None, **fields})
