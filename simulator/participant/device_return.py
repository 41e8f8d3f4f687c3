"""Devices that come and go while the process runs: listed anew, taken back, without ending a session.

A device that is missing is looked for by a process of its own (`audio/device_watch`). PortAudio knows a device that
appeared after its start only when it is started anew, for which every stream must be closed: what is open is closed,
opened again and goes on where it was. The microphone's hole is filled with silence, the playout waits meanwhile, and
the record says how long either was away.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from simulator.audio.device_watch import opens_again
from simulator.audio.devices import LIST_TIMEOUT_S, Choice, Direction, devices_here, list_devices, reinitialise
from simulator.audio.fresh_library import use_fresh_library
from simulator.audio.opening import give_up_those_inside, nobody_inside, opened_in_time, stuck_for_s, takes_long
from simulator.errors import DeviceUnavailable, EnvironmentFault
from simulator.participant.loudspeaker import NO_DEVICE, Loudspeaker
from simulator.participant.voice import Voice
from simulator.units import NS_PER_MS

_HANGS_S: Final = 2.0
"""So long is waited for a device that hangs in the audio library, which then cannot be started anew."""
_STUCK_S: Final = 10.0
"""A device that hangs for this long, while another process can open it, hangs for good."""
_LISTS_KNOWN_S: Final = 3.0
"""So long is waited for a list in which a device that is known here may have changed: another one may hang in it."""
_FIRST_BLOCK_S: Final = 5.0
_RETRY_S: Final = 2.0
_LONGEST_RETRY_S: Final = 30.0
_STAYS_S: Final = 5.0
"""A device that came back and is gone before that is looked for less and less often."""

_HANGS: Final = (
    "The device is there again, but this computer's sound system hangs in it as it was: if this stays so, disconnect "
    "and restart the program."
)

_STILL_LISTING: Final = (
    "The sound system takes long to list its devices: what was chosen is opened when it has. If this stays so, restart "
    "the sound server, or unplug a device that hangs."
)

GapSamples = asyncio.Future[int]


class DeviceReturn:
    """Looks after the devices of a voice and a loudspeaker. Belongs to the loop.

    `note` writes into the record; `on_lost` is told in one sentence of a device that did not come back after all,
    `on_back` of a missing one that did.
    """

    def __init__(
        self,
        voice: Voice,
        loudspeaker: Loudspeaker,
        note: Callable[[str, Mapping[str, object]], None],
        on_lost: Callable[[str], None],
        on_back: Callable[[Direction], None],
    ) -> None:
        self._voice = voice
        self._loudspeaker = loudspeaker
        self._note = note
        self._on_lost = on_lost
        self._on_back = on_back
        self._sought: dict[Direction, Choice] = {}
        self._seeking: asyncio.Task[None] | None = None
        self._ending: set[asyncio.Task[None]] = set()
        self._reopening = False
        self._listing_s: float | None = None
        """When listing the devices for a choice began, or starting PortAudio anew."""
        self._back_s = -_STAYS_S
        self._wait_s = _RETRY_S
        self.lack: str | None = None
        """Why a device that is there again is not taken back, in one sentence."""
        self._reports: set[asyncio.Task[None]] = set()

    @property
    def slow(self) -> str | None:
        """That the sound system takes long to list its devices, in one sentence."""
        return _STILL_LISTING if takes_long(self._listing_s) else None

    @property
    def missing(self) -> dict[Direction, Choice]:
        """The devices that are wanted and not there."""
        missing: dict[Direction, Choice] = {}
        if self._voice.missing is not None:
            missing["input"] = self._voice.missing
        if self._loudspeaker.missing is not None:
            missing["output"] = self._loudspeaker.missing
        return missing

    async def choose(self, choice: Choice, direction: Direction) -> None:
        """Open another microphone or output device. Raises AudioUnavailable or DeviceUnavailable; then it is missing.

        Where nothing is open, the devices are simply listed anew. What is open is interrupted only if the one that is
        wanted appeared or changed since.
        """
        end = self._voice if direction == "input" else self._loudspeaker
        try:
            why = await self._unknown(choice, direction)
            if why is None or not await self.reopen(why, {direction: choice}):
                await end.choose_device(choice)
            elif end.lack is not None:
                raise DeviceUnavailable(end.lack)
        finally:
            self.seek()

    async def _unknown(self, choice: Choice, direction: Direction) -> str | None:
        """Return why the devices must be listed anew before this one is opened; None: they need not be."""
        if choice.name == NO_DEVICE:
            return None
        if self._voice.microphone is None and self._loudspeaker.device is None:
            return "another device was chosen"
        try:
            known = choice.among(await asyncio.to_thread(devices_here), direction)
        except EnvironmentFault:
            known = None
        within_s = LIST_TIMEOUT_S if known is None else _LISTS_KNOWN_S
        self._listing_s = time.monotonic()
        try:
            now = choice.among(await asyncio.to_thread(list_devices, within_s), direction)
        except EnvironmentFault:
            return None  # opening it will say so
        finally:
            self._listing_s = None
        return None if now == known else f"“{now.name}” appeared"

    def seek(self) -> None:
        """Look for what is missing, and for nothing else."""
        if self._reopening or (self._seeking is not None and asyncio.current_task() is self._seeking):
            return  # whoever reopens looks at what is missing afterwards
        missing = self.missing
        if missing == self._sought and (not missing or (self._seeking is not None and not self._seeking.done())):
            return
        self._stop()
        self._sought = missing
        if missing:
            self._seeking = asyncio.create_task(self._take_back(missing))

    def _stop(self) -> None:
        self.lack = None
        if self._seeking is not None:
            self._seeking.cancel()
            self._ending.add(self._seeking)
            self._seeking.add_done_callback(self._ending.discard)
            self._seeking = None

    async def close(self) -> None:
        """Look for nothing any more; returns when the process that looked is gone."""
        self._stop()
        if self._ending:
            await asyncio.wait(self._ending)

    async def _take_back(self, missing: dict[Direction, Choice]) -> None:
        if time.monotonic() - self._back_s < _STAYS_S:
            await self._wait()  # it came back and went away at once: each time costs the others a gap
        else:
            self._wait_s = _RETRY_S
        while missing:
            found = await opens_again(missing)
            done = await self.reopen("a device came back")
            self.lack = None if done else _HANGS
            missing = self._sought = self.missing
            if not done or found & set(missing):
                await self._wait()  # it opens elsewhere and not here: the audio library may hang in what went away
            else:
                self._back_s = time.monotonic()

    async def _wait(self) -> None:
        await asyncio.sleep(self._wait_s)
        self._wait_s = min(2 * self._wait_s, _LONGEST_RETRY_S)

    async def reopen(self, why: str, wanted: Mapping[Direction, Choice] = MappingProxyType({})) -> bool:
        """Start PortAudio anew, with what is open closed and opened again, and open what was missing.

        What is `wanted` takes the place of what was. Returns False where a device that hangs forbids it; one that hangs
        for good is left behind in its library, and a fresh one is used.
        """
        async with self._voice.choosing, self._loudspeaker.opening:
            free = await nobody_inside(_HANGS_S)
            if not free and stuck_for_s() < _STUCK_S:
                return False
            self._reopening = True
            try:
                await self._reopen(why, wanted, reinitialise if free else _leave_behind)
            finally:
                self._reopening = False
        if asyncio.current_task() is not self._seeking:
            self.seek()
        return True

    async def _reopen(self, why: str, wanted: Mapping[Direction, Choice], list_anew: Callable[[], None]) -> None:
        before = {direction: choice for direction, choice in self.missing.items() if direction not in wanted}
        began_ns = time.monotonic_ns()
        microphone, output = self._voice.detach(), self._loudspeaker.detach(began_ns)

        if "input" in wanted:
            self._voice.want(wanted["input"])
        if "output" in wanted:
            self._loudspeaker.want(wanted["output"])

        def start_anew() -> None:
            if output is not None:
                output.finish()
            if microphone is not None:
                microphone.finish()
            list_anew()

        self._listing_s = time.monotonic()
        with contextlib.suppress(EnvironmentFault):  # then nothing opens below, and each says why
            try:
                await opened_in_time(start_anew, "The sound system", lambda _: None)
            finally:
                self._listing_s = None
        first_block = await self._loudspeaker.resume()
        first_sample = await self._voice.resume()
        missing = self.missing
        for direction, lack in (("input", self._voice.lack), ("output", self._loudspeaker.lack)):
            if direction in missing and direction not in {*before, *wanted} and lack is not None:
                self._on_lost(lack)
        for direction in before.keys() - missing.keys():
            name = self._voice.name if direction == "input" else self._loudspeaker.name
            self._note("device.returned", {"direction": direction, "name": name})
            self._on_back(direction)
        if microphone is not None or output is not None:
            report = self._report(
                why, first_sample if microphone is not None else None, first_block if output is not None else None
            )
            task = asyncio.create_task(report)
            self._reports.add(task)
            task.add_done_callback(self._reports.discard)

    async def _report(self, why: str, first_sample: GapSamples | None, first_block: GapSamples | None) -> None:
        """Note how long the devices were away, once both are there."""
        fields: dict[str, object] = {"why": why}
        with contextlib.suppress(TimeoutError, asyncio.CancelledError):
            async with asyncio.timeout(_FIRST_BLOCK_S):
                if first_block is not None:
                    fields["loudspeaker_ms"] = round(await first_block / NS_PER_MS, 1)
                if first_sample is not None:
                    fields["microphone_silence_samples"] = await first_sample
        self._note("devices.reopened", fields)


def _leave_behind() -> None:
    """Use a fresh library, and forget the threads that are stuck in the one before."""
    use_fresh_library()
    give_up_those_inside()
