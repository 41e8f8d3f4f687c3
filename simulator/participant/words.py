"""The participant's own words, recognised on this computer, whatever engine the session is with.

The session's record is the source: the turns are cut out of what was sent, and the words come back into it as notes
`recognised {item_id, text, from_sample, to_sample, model, ms}`, beside whatever the engine transcribes itself. One turn
is recognised at a time, in a process of its own; where that falls behind, old turns are left out, and it is said.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from simulator.audio.pcm import samples_to_bytes
from simulator.errors import EnvironmentFault
from simulator.participant.recogniser import Recogniser, RecogniserMissing
from simulator.participant.spoken_turns import Samples, SpokenTurn, SpokenTurns
from simulator.record.entries import Entry, Track
from simulator.speech.models import INSTALL, EarsMissingError, find_model, is_installed
from simulator.units import NS_PER_S

Note = Callable[[str, Mapping[str, object]], None]

_NOT_INSTALLED: Final = f"The participant's words are not recognised here. {INSTALL}"
_BEHIND_NS: Final = 10 * NS_PER_S
_MOST_WAITING: Final = 20
_MOST_FAILURES: Final = 3


class _Waiting(NamedTuple):
    turn: SpokenTurn
    session: int
    since_ns: int


class Words:
    """Recognises the turns of one session after the other. Belongs to the loop. `note` adds to the session's record."""

    def __init__(self, note: Note) -> None:
        self._note = note
        self._turns = SpokenTurns()
        self._recogniser: Recogniser | None = None
        self._model: str | None = None
        self._waiting: deque[_Waiting] = deque()
        self._working: asyncio.Task[None] | None = None
        self._missing: str | None = None
        self._failures = 0
        self._session = 0
        self.on = False

    async def choose(self, on: bool, model: str | None) -> None:
        """Recognise from now on or no longer, with this model (a folder or a name; None: that of the extra `ears`).

        Raises EnvironmentFault where a model that was named is not there; then nothing changes. Where the extra is not
        installed, `lack` says so.
        """
        if on and model is not None:
            try:
                find_model(model)
            except EarsMissingError as error:
                raise EnvironmentFault(str(error)) from error
        if (on, model) != (self.on, self._model) or self._missing is not None:
            await self.close()
            self.on, self._model, self._failures = on, model, 0
            self._missing = _NOT_INSTALLED if on and not is_installed(model) else None

    @property
    def lack(self) -> str | None:
        """Why words are missing at present, in one sentence."""
        if not self.on:
            return None
        if self._missing is not None:
            return self._missing
        late = [each for each in self._waiting if time.monotonic_ns() - each.since_ns > _BEHIND_NS]
        if not late:
            return None
        turns = "1 turn waits" if len(self._waiting) == 1 else f"{len(self._waiting)} turns wait"
        return f"The recognition of words is behind: {turns} for it. A smaller model is faster."

    # ---- from the record

    def begin(self) -> None:
        """A session begins: positions count from 0 again, and nobody waits for words of the one before."""
        self._turns = SpokenTurns()
        self._waiting.clear()
        self._session += 1

    def heard(self, track: Track, samples: Samples) -> None:
        """Take what was written to a lane of the record."""
        self._turns.heard(track, samples)

    def entry(self, entry: Entry) -> None:
        """Take an entry of the record."""
        turn = self._turns.take(entry)
        if not self.on or self._missing is not None:
            return
        if turn is not None:
            self._waiting.append(_Waiting(turn, self._session, time.monotonic_ns()))
        if turn is not None or (self._turns.speaking and self._recogniser is None):
            self._work()

    async def settle(self, within_s: float) -> None:
        """Wait for the words of what was said, but no longer."""
        if self._working is not None:
            await asyncio.wait([self._working], timeout=within_s)

    async def close(self) -> None:
        """Stop, and forget what waits."""
        self._waiting.clear()
        if self._working is not None:
            self._working.cancel()
            await asyncio.wait([self._working])
        if self._recogniser is not None:
            await self._recogniser.stop()
            self._recogniser = None

    # ---- the work

    def _work(self) -> None:
        if self._working is None or self._working.done():
            self._working = asyncio.get_running_loop().create_task(self._recognise())

    async def _recognise(self) -> None:
        if self._recogniser is None:
            self._recogniser = Recogniser(self._model)
        try:
            await self._recogniser.warm_up()
            while self._waiting:
                while len(self._waiting) > _MOST_WAITING:
                    self._lose(self._waiting.popleft(), "The recognition of words was too far behind.")
                await self._recognise_one(self._recogniser, self._waiting[0])
        except RecogniserMissing as fault:
            self._missing = str(fault)
            self._waiting.clear()

    async def _recognise_one(self, recogniser: Recogniser, each: _Waiting) -> None:
        try:
            found = await recogniser.words(samples_to_bytes(each.turn.samples))
        except RecogniserMissing:
            raise
        except EnvironmentFault as fault:
            self._failures += 1
            self._lose(each, str(fault))
            if self._failures == _MOST_FAILURES:
                raise RecogniserMissing(f"{fault} It is not tried again.", fault.details) from fault
        else:
            self._failures = 0
            turn = each.turn
            place = {"item_id": turn.item_id, "from_sample": turn.from_sample, "to_sample": turn.to_sample}
            self._tell(each, {**place, "text": found.text, "model": found.model, "ms": found.ms})
        finally:
            if self._waiting and self._waiting[0] is each:  # else another session emptied it meanwhile
                self._waiting.popleft()

    def _lose(self, each: _Waiting, sentence: str) -> None:
        self._tell(each, {"item_id": each.turn.item_id, "error": sentence})

    def _tell(self, each: _Waiting, fields: Mapping[str, object]) -> None:
        if each.session == self._session:
            self._note("recognised", fields)
