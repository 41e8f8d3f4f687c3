"""What a study lets the participant say: recordings and texts, ready before their turn comes."""

import asyncio
from collections.abc import Iterable
from typing import Final

from simulator.audio.synthesis import Synthesiser, check_voice
from simulator.errors import SimulatorError
from simulator.participant.recordings import Recording, open_named, spoken_text
from simulator.participant.voice import Voice
from simulator.study.steps import Say

_MOST_KEPT: Final = 200


class Sayings:
    """Says recordings and texts with the participant's voice. Belongs to the loop."""

    def __init__(self, voice: Voice) -> None:
        self._voice = voice
        self._synthesiser = Synthesiser()
        self._ready: dict[Say, Recording] = {}
        self._preparing: asyncio.Task[None] | None = None

    async def prepare(self, sayings: Iterable[Say]) -> None:
        """Make ready what will be said, in this order: the first at once, the others while it is said.

        Raises SimulatorError for a recording that cannot be read, a voice or a text that cannot be spoken.
        """
        wanted = list(dict.fromkeys(sayings))
        for each in wanted:
            if each.recording:
                await asyncio.to_thread(open_named, each.recording)
            else:
                check_voice(each.voice)
        self._forget()
        if wanted:
            await self.made(wanted[0])
            self._preparing = asyncio.create_task(self._make_all(wanted[1:_MOST_KEPT]))

    async def say(self, saying: Say) -> None:
        """Say it, and return when it was said. Raises SimulatorError as `prepare` does."""
        await self._voice.speak(await self.made(saying))

    async def close(self) -> None:
        """End the synthesiser."""
        self._forget()
        await self._synthesiser.close()

    def _forget(self) -> None:
        if self._preparing is not None:
            self._preparing.cancel()
            self._preparing = None
        self._ready.clear()

    async def _make_all(self, wanted: list[Say]) -> None:
        for each in wanted:
            try:
                await self.made(each)
            except SimulatorError:
                continue  # told when its turn comes

    async def made(self, saying: Say) -> Recording:
        """Return what will be heard. Raises SimulatorError as `prepare` does."""
        made = self._ready.get(saying)
        if made is None:
            if saying.recording:
                made = await asyncio.to_thread(open_named, saying.recording)
            else:
                made = spoken_text(saying.text, await self._synthesiser.speak(saying.text, saying.voice))
            if len(self._ready) < _MOST_KEPT:
                self._ready[saying] = made
        return made
