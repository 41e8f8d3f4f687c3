"""Where the agent's voice goes: an output device, or the silent clock where there is none."""

import asyncio
from collections.abc import Callable
from typing import Final

from simulator.audio.devices import devices_here, find
from simulator.audio.opening import opened_in_time
from simulator.audio.playout import Playout
from simulator.audio.streams import Output, OutputStream, SilentOutput, StreamState
from simulator.errors import DeviceUnavailable, EnvironmentFault

SILENT_CLOCK: Final = SilentOutput.NAME
NO_DEVICE: Final = "none"


class Loudspeaker:
    """Plays a playout. Belongs to the loop; opening a device happens on a thread, as it may take long.

    `on_wake` is called in the loop after each block; `on_lost` is told in one sentence when the device went away and
    the silent clock took its place.
    """

    def __init__(self, on_wake: Callable[[], None], on_lost: Callable[[str], None]) -> None:
        self._on_wake = on_wake
        self._on_lost = on_lost
        self._output: Output | None = None
        self._device: str | None = None
        self._opening = asyncio.Lock()
        self.playout = Playout()
        self.name = SILENT_CLOCK
        self.lack: str | None = None
        """Why there is no sound, in one sentence; None where there is, or where none is wanted."""

    @property
    def output(self) -> Output | None:
        """What plays now; None while it is closed."""
        return self._output

    @property
    def state(self) -> StreamState | None:
        """How the output is doing; None while it is closed."""
        return self._output.state() if self._output is not None else None

    async def choose(self, device: str | None) -> None:
        """Play on this device from now on; None means the default, "none" the silent clock.

        Raises AudioUnavailable or DeviceUnavailable if it will not open; the silent clock plays then.
        """
        async with self._opening:
            self._device = device
            playing = self._output is not None
            await self._open(self.playout)
            if not playing:
                self.close()
            if self.lack is not None:
                raise DeviceUnavailable(self.lack)

    async def open(self, playout: Playout) -> None:
        """Begin to play `playout`. A device that will not open is replaced by the silent clock, and `lack` says so."""
        async with self._opening:
            await self._open(playout)

    async def _open(self, playout: Playout) -> None:
        self.close()
        self.playout = playout
        self.lack = None
        loop = asyncio.get_running_loop()
        output: Output
        try:
            if self._device == NO_DEVICE:
                output = self._silent(loop)
            else:
                output = await opened_in_time(
                    lambda: self._open_device(playout, loop), "The output device", lambda late: late.close()
                )
        except EnvironmentFault as fault:
            self.lack = str(fault)
            output = self._silent(loop)
        self._output = output
        self.name = output.state().name

    def close(self) -> None:
        """End. What the device has queued is dropped."""
        output = self._taken_out()
        if output is not None:
            output.close()

    async def end(self) -> None:
        """The same beside the loop, as a device may take its time."""
        output = self._taken_out()
        if output is not None:
            await asyncio.to_thread(output.close)

    def _taken_out(self) -> Output | None:
        # Before it is closed: a wake that is still on its way must not take it for a device that went away.
        output, self._output = self._output, None
        return output

    def _silent(self, loop: asyncio.AbstractEventLoop) -> SilentOutput:
        clock = SilentOutput(self.playout, self._woken, loop)
        clock.start()
        return clock

    def _open_device(self, playout: Playout, loop: asyncio.AbstractEventLoop) -> OutputStream:
        device = None if self._device is None else find(self._device, direction="output", among=devices_here())
        stream = OutputStream(playout, device, self._woken, loop)
        stream.start()
        return stream

    def _woken(self) -> None:
        output = self._output
        if output is None:
            return
        if not self._replaced(output.state()):
            self._on_wake()

    def look(self) -> None:
        """See whether the output stands still: it wakes nobody then. To be called a few times a second."""
        if self._output is not None:
            self._replaced(self._output.state())

    def _replaced(self, state: StreamState) -> bool:
        """Put the silent clock in the place of an output that went away."""
        if state.alive and state.fault is None:
            return False
        self.close()
        self.lack = f"The output device “{state.name}” stopped playing: choose it again, or another one."
        self._output = self._silent(asyncio.get_running_loop())
        self.name = SILENT_CLOCK
        self._on_lost(self.lack)
        return True
