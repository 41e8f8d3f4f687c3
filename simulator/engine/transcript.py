"""The words of one turn, followed while it is spoken.

The turn is recognised again and again as it grows: at each pause, and every few seconds of speech without one. What two
readings in a row agree on is settled, and the next reading has to begin with it: so words once told never change. A
long turn is read in pieces, split at its pauses, or at a quiet place where there is none, lest each reading cost more
than the last.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from simulator.engine import pcm
from simulator.engine.end_of_turn import Words
from simulator.speech.splitting import LONGEST_PIECE_BYTES, quiet_place
from simulator.speech.whisper import LONGEST_S, Ending, Recognised, text_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.engine.ears import Ears

_PIECE_BYTES = 6_000 * pcm.BYTES_PER_MS  # at a pause after so much, a new piece begins

assert LONGEST_S * 1000 * pcm.BYTES_PER_MS > LONGEST_PIECE_BYTES


class Transcript:
    """Follows one turn. All of it on the event loop.

    Attributes:
        settled: the words that will not change any more; the whole text begins with them.
        text: all words as read last.
    """

    def __init__(self, ears: Ears, on_settled: Callable[[], None]) -> None:
        """Has heard nothing yet.

        Args:
            on_settled: called whenever `settled` has grown.
        """
        self.settled = ""
        self.text = ""
        self._ending: Ending | None = None
        self._ears = ears
        self._on_settled = on_settled
        self._pieces = ""  # the text of the pieces that are done
        self._done_bytes = 0
        self._read_bytes = 0
        self._agreed: tuple[str, ...] = ()  # tokens of the present piece that are settled
        self._last: tuple[str, ...] = ()
        self._asked = 0
        self._work: asyncio.Task[None] | None = None

    def hear(self, audio: bytes, *, pausing: bool, asks_ending: bool = False) -> None:
        """Reads the turn as far as it has come, in the background; a later call makes this one superfluous.

        Args:
            audio: the turn from its beginning.
            pausing: nobody speaks at its end.
            asks_ending: `now` will be asked what speaks for an end there.
        """
        self._begin(audio, pausing=pausing, asks_ending=asks_ending)

    async def now(self) -> Words:
        """The words of all that was heard so far.

        Raises:
            EarsMissingError: words cannot be recognised here.
        """
        if self._work is not None:
            await asyncio.shield(self._work)
        return Words(self.text, self._ending)

    async def finished(self, audio: bytes, speech_bytes: int) -> str:
        """The words of the whole turn, which is over; all of it is settled.

        Args:
            audio: the turn.
            speech_bytes: where its speech ends; nothing more is read when that much was.

        Raises:
            EarsMissingError: words cannot be recognised here.
        """
        await self.now()
        if self._read_bytes < speech_bytes:
            self._begin(audio, pausing=True, last=True)
            await self.now()
        self._settle(self.text)
        return self.text

    def drop(self) -> None:
        """Nobody wants the words any more."""
        if self._work is not None:
            self._work.cancel()

    def _begin(self, audio: bytes, *, pausing: bool, asks_ending: bool = False, last: bool = False) -> None:
        self._asked += 1
        work = self._read(audio, self._asked, self._work, pausing=pausing, asks_ending=asks_ending, last=last)
        self._work = asyncio.get_running_loop().create_task(work)
        # Whoever waits for it gets the exception; where nobody waits, none is lost.
        self._work.add_done_callback(lambda task: task.cancelled() or task.exception())

    async def _read(
        self,
        audio: bytes,
        asked: int,
        before: asyncio.Task[None] | None,
        *,
        pausing: bool,
        asks_ending: bool,
        last: bool,
    ) -> None:
        if before is not None:
            await asyncio.wait([before])
        if asked != self._asked and not last:
            return
        while len(audio) - self._done_bytes > LONGEST_PIECE_BYTES:
            end = quiet_place(audio, self._done_bytes + LONGEST_PIECE_BYTES)
            self._end_piece(await self._ears.recognise(audio[self._done_bytes : end], self._agreed), end)
        piece = audio[self._done_bytes :]
        found = await self._ears.recognise(piece, self._agreed, asks_ending=asks_ending)
        self._read_bytes = len(audio)
        self._ending = found.ending
        self.text = _joined(self._pieces, found.text)
        if pausing and len(piece) > _PIECE_BYTES:
            self._end_piece(found, len(audio))
            return
        self._agreed = _agreed(self._last, found.tokens, len(self._agreed))
        self._last = found.tokens
        self._settle(_joined(self._pieces, text_of(self._agreed).strip()))

    def _end_piece(self, found: Recognised, end: int) -> None:
        self._pieces = self.text = _joined(self._pieces, found.text)
        self._done_bytes = self._read_bytes = end
        self._agreed = self._last = ()
        self._settle(self._pieces)

    def _settle(self, text: str) -> None:
        if len(text) > len(self.settled):
            self.settled = text
            self._on_settled()


def _agreed(last: tuple[str, ...], now: tuple[str, ...], known: int) -> tuple[str, ...]:
    """The tokens that both readings begin with, up to a word's end; `known` of them at least."""
    count = 0
    while count < min(len(last), len(now)) and last[count] == now[count]:
        count += 1
    # A word is whole when the next one begins with a space.
    while count > known and not (count < len(now) and now[count].startswith("Ġ")):
        count -= 1
    return now[: max(known, count)]


def _joined(before: str, after: str) -> str:
    return f"{before} {after}".strip()
