"""A recorded voice that is said again: its speeches when they are asked for, and between them its own room tone.

The tape gives sample after sample for as long as anybody asks, and knows no clock: whoever takes a block says when its
first sample is captured, and a speech begins with the sample that is captured at its time. The room tone is what was
recorded after the speech, or before the first one; where the wait is longer than it was then, it goes on backwards and
forwards in turn. Into a speech the tone is faded over the 5 ms before it, so that the speech itself is as it was.
Where the speech comes in the recording's own time not a sample is changed, and digital silence stays what it is.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.units import NS_PER_S, SAMPLE_RATE_HZ, samples_to_ns

FADE_SAMPLES: Final = SAMPLE_RATE_HZ * 5 // 1000
LONGEST_TONE_SAMPLES: Final = 30 * SAMPLE_RATE_HZ

_PIECE_SAMPLES: Final = 10 * SAMPLE_RATE_HZ
_RISE: Final = 0.5 - 0.5 * np.cos(np.pi * (np.arange(FADE_SAMPLES) + 0.5) / FADE_SAMPLES)

Samples = NDArray[np.int16]
Read = Callable[[int, int], Samples]
"""Gives so many samples from a position of the recording on; zeros where there is nothing. Called in threads."""


class Speech(NamedTuple):
    """Where a speech lies in the recording."""

    first_sample: int
    samples: int

    @property
    def end(self) -> int:
        """The position behind it."""
        return self.first_sample + self.samples


class SpeechBegan(NamedTuple):
    """A speech, by its number from 0, begins: its first sample is captured at `at_ns`."""

    speech: int
    at_ns: int


class SpeechEnded(NamedTuple):
    """A speech, by its number, ended: what follows it is captured from `at_ns` on."""

    speech: int
    at_ns: int


class TapeFailed(NamedTuple):
    """The recording cannot be read any more: silence takes the place of what is missing."""

    error: Exception


TapeEvent = SpeechBegan | SpeechEnded | TapeFailed


class Tape:
    """The recording from `first_sample` up to `end`, with its speeches in order. Belongs to the loop.

    With `whole` it is said in one go, from its first sample on, as soon as it is started. `on_event` is called while
    the block that holds the moment is taken. What will be heard is read ahead in a thread.
    """

    def __init__(
        self,
        read: Read,
        first_sample: int,
        end: int,
        speeches: Sequence[Speech],
        on_event: Callable[[TapeEvent], None],
        *,
        whole: bool = False,
    ) -> None:
        self._read = read
        self._on_event = on_event
        self._speeches = list(speeches)
        self._passages = [Speech(first_sample, end - first_sample)] if whole else self._speeches
        """What is said without a break."""
        starts = [*(each.first_sample for each in self._passages), end]
        ends = [first_sample, *(each.end for each in self._passages)]
        self._gaps = [(first, max(first, last)) for first, last in zip(ends, starts, strict=True)]
        """What lies before the first passage, and behind each."""
        self._edges = deque(
            edge
            for number, each in enumerate(speeches)
            for edge in (_Edge(each.first_sample, number, begins=True), _Edge(each.end - 1, number, begins=False))
        )
        self.passed: list[SpeechBegan | SpeechEnded] = []
        """What began and ended in the block that was taken last."""
        self._tone = _Tone(np.zeros(0, dtype=np.int16))
        self._ready: _Passage | None = None
        """The passage that comes next."""
        self._starts_ns: int | None = None
        self._running: _Passage | None = None
        self._faded = FADE_SAMPLES
        self._reading: set[asyncio.Task[None]] = set()

    @property
    def speaking(self) -> bool:
        """Whether a speech is being said, or has been asked for."""
        return self._running is not None or self._starts_ns is not None

    async def prepare(self) -> None:
        """Read the first tone and the beginning of the first speech. Raises what `read` does."""
        self._tone = _Tone(await asyncio.to_thread(self._read_tone, 0))
        await self._make_ready(0)

    def start(self, at_ns: int) -> None:
        """Have the next speech begin with the sample captured at this time, or with the next one where that is over.

        Only while none is said or asked for.
        """
        self._starts_ns = at_ns

    def take(self, count: int, first_ns: int) -> Samples:
        """Return the next samples, the first of which is captured at this time."""
        block = np.zeros(count, dtype=np.int16)
        self.passed = []
        filled = 0
        while filled < count:
            if self._running is None:
                filled = self._fill_tone(block, filled, first_ns)
            else:
                filled = self._fill_speech(self._running, block, filled, first_ns)
        return block

    def close(self) -> None:
        """Read no more."""
        for task in self._reading:
            task.cancel()

    # ---- blocks

    def _fill_tone(self, block: Samples, filled: int, first_ns: int) -> int:
        """Fill with tone up to where the speech's lead-in begins, if it does in this block."""
        ready, starts_ns, until = self._ready, self._starts_ns, len(block)
        if ready is not None and starts_ns is not None:
            starts = max(filled, round((starts_ns - first_ns) * SAMPLE_RATE_HZ / NS_PER_S))
            lead_in = min(ready.lead_in, starts - filled)
            if starts - lead_in < until:
                until = starts - lead_in
                ready.skip(ready.lead_in - lead_in)
                self._running, self._ready, self._starts_ns = ready, None, None
                self._faded = 0 if self._tone.sounds else FADE_SAMPLES
                self._read_meanwhile(self._make_ready(ready.number + 1))
        block[filled:until] = self._tone.take(until - filled)
        return until

    def _fill_speech(self, running: "_Passage", block: Samples, filled: int, first_ns: int) -> int:
        position = running.position
        samples = running.take(len(block) - filled)
        fading = min(len(samples), FADE_SAMPLES - self._faded)
        if fading:
            rise = _RISE[self._faded : self._faded + fading]
            samples[:fading] = np.rint(samples[:fading] * rise + self._tone.take(fading) * (1 - rise))
            self._faded += fading
        until = filled + len(samples)
        block[filled:until] = samples
        self._tell(position, running.position, first_ns + samples_to_ns(filled))
        if not running.left:
            self._running, self._tone = None, _Tone(running.tone)
        elif running.wants_more:
            running.being_read = True
            self._read_meanwhile(self._read_on(running))
        return until

    def _tell(self, position: int, until: int, at_ns: int) -> None:
        """Tell what begins and ends from one position of the recording up to another; the first one is at `at_ns`."""
        while self._edges and self._edges[0].position < until:
            edge = self._edges.popleft()
            since = max(0, edge.position - position)
            if edge.begins:
                event: SpeechBegan | SpeechEnded = SpeechBegan(edge.speech, at_ns + samples_to_ns(since))
            else:
                event = SpeechEnded(edge.speech, at_ns + samples_to_ns(since + 1))
            self.passed.append(event)
            self._on_event(event)

    # ---- reading

    def _read_meanwhile(self, reading: Coroutine[Any, Any, None]) -> None:
        async def read() -> None:
            try:
                await reading
            except Exception as error:
                self._on_event(TapeFailed(error))

        task = asyncio.get_running_loop().create_task(read())
        self._reading.add(task)
        task.add_done_callback(self._reading.discard)

    async def _make_ready(self, number: int) -> None:
        """Read the beginning of a passage, and the tone behind it."""
        if number < len(self._passages):
            gap_first, gap_end = self._gaps[number]
            ready = _Passage(number, self._passages[number], min(FADE_SAMPLES, gap_end - gap_first))
            await self._read_on(ready)
            ready.tone = await asyncio.to_thread(self._read_tone, number + 1)
            self._ready = ready

    async def _read_on(self, passage: "_Passage") -> None:
        passage.add(await asyncio.to_thread(self._read, *passage.unread))

    def _read_tone(self, gap: int) -> Samples:
        first, end = self._gaps[gap]
        return self._read(first, min(end - first, LONGEST_TONE_SAMPLES))


class _Edge(NamedTuple):
    """The first sample of a speech, or its last one."""

    position: int
    speech: int
    begins: bool


class _Tone:
    """A stretch of room tone without end: forwards, then backwards, and so on."""

    def __init__(self, samples: Samples) -> None:
        self._samples = samples
        self._at = 0

    @property
    def sounds(self) -> bool:
        """Whether there is any tone."""
        return len(self._samples) > 0

    def take(self, count: int) -> Samples:
        """Return the next samples; silence where there is no tone."""
        length = len(self._samples)
        if not length:
            return np.zeros(count, dtype=np.int16)
        places = (self._at + np.arange(count)) % (2 * length)
        self._at = (self._at + count) % (2 * length)
        return self._samples[np.where(places < length, places, 2 * length - 1 - places)]


class _Passage:
    """What is said without a break, with its lead-in, read in pieces of 10 s."""

    def __init__(self, number: int, said: Speech, lead_in: int) -> None:
        self.number = number
        self.lead_in = lead_in
        self.left = said.samples + lead_in
        self.tone: Samples = np.zeros(0, dtype=np.int16)
        """What follows it."""
        self.being_read = False
        self._unread = said.first_sample - lead_in
        self._end = said.end
        self._pieces: deque[Samples] = deque()
        self._overdue = 0
        """Samples that were not there when their time came."""

    @property
    def position(self) -> int:
        """Where its next sample lies in the recording."""
        return self._end - self.left

    @property
    def unread(self) -> tuple[int, int]:
        """The next piece to be read: its first sample, and how many."""
        return self._unread, min(_PIECE_SAMPLES, self._end - self._unread)

    @property
    def wants_more(self) -> bool:
        """Whether the next piece is to be read now."""
        return self._unread < self._end and len(self._pieces) < 2 and not self.being_read

    def add(self, samples: Samples) -> None:
        """The next piece was read."""
        self._unread += len(samples)
        self.being_read = False
        late = min(self._overdue, len(samples))
        self._overdue -= late
        if late < len(samples):
            self._pieces.append(samples[late:])

    def skip(self, count: int) -> None:
        """Leave out its first samples."""
        while count > 0:
            count -= len(self.take(count))

    def take(self, count: int) -> Samples:
        """Return its next samples, at most so many: as many as lie in a piece. Silence for what is not read yet."""
        count = min(count, self.left)
        if self._pieces:
            piece = self._pieces[0]
            taken = piece[:count].copy()
            if len(taken) < len(piece):
                self._pieces[0] = piece[count:]
            else:
                self._pieces.popleft()
        else:
            taken = np.zeros(count, dtype=np.int16)
            self._overdue += count
        self.left -= len(taken)
        return taken
