"""Where the agent's voice goes: an output device, or the silent clock where there is none."""

import asyncio
import contextlib
import time
from collections.abc import Callable
from typing import Final

from simulator.audio.devices import Choice, chosen_here
from simulator.audio.fades import VoiceShape
from simulator.audio.opening import all_closed, opened_in_time, takes_long
from simulator.audio.playout import Playout
from simulator.audio.streams import Output, OutputStream, SilentOutput, StreamState
from simulator.errors import DeviceUnavailable, EnvironmentFault

SILENT_CLOCK: Final = SilentOutput.NAME
NO_DEVICE: Final = "none"

_STILL_OPENING: Final = (
    "The output device takes long to begin: the agent is not heard until it does. Nothing needs to be done if it is "
    "Bluetooth; else see whether the sound server hangs, or choose another device."
)


class Loudspeaker:
    """Plays a playout. Belongs to the loop; opening a device happens on a thread, as it may take long.

    `on_wake` is called in the loop after each block; `on_lost` is told in one sentence when the device went away and
    the silent clock took its place; `correct` sets an opened device's times right.
    """

    def __init__(
        self,
        on_wake: Callable[[], None],
        on_lost: Callable[[str], None],
        correct: Callable[[OutputStream], None] = lambda stream: None,
    ) -> None:
        self._on_wake = on_wake
        self._on_lost = on_lost
        self._correct = correct
        self._shape = VoiceShape()
        self._output: Output | None = None
        self._wanted = Choice()
        self._playing = False
        self._was_open = False
        """Whether the device that is wanted was open once: only then does it count as missing, or if it has a name."""
        self._untried = False
        self._detached = False
        self._begun_s: float | None = None
        """When opening the device began, as long as it did not ask for a block."""
        self._awaited: tuple[int, asyncio.Future[int]] | None = None
        self.opening = asyncio.Lock()
        """Held while the output changes."""
        self.playout = Playout()
        self.name = SILENT_CLOCK
        self.lack: str | None = None
        """Why there is no sound, in one sentence; None where there is, or where none is wanted."""

    @property
    def output(self) -> Output | None:
        """What plays now; None while it is closed."""
        return self._output

    @property
    def volume_db(self) -> float:
        """How much louder the agent is played than it was received."""
        return self._shape.volume.db

    @volume_db.setter
    def volume_db(self, db: float) -> None:
        self._shape.volume.db = db

    @property
    def device(self) -> OutputStream | None:
        """The device that is open; None while it is closed, or the silent clock plays."""
        return self._output if isinstance(self._output, OutputStream) else None

    @property
    def state(self) -> StreamState | None:
        """How the output is doing; None while it is closed."""
        return self._output.state() if self._output is not None else None

    @property
    def missing(self) -> Choice | None:
        """The device that is wanted and not there."""
        known = self._was_open or self._wanted.name is not None
        return self._wanted if self.lack is not None and known else None

    @property
    def slow(self) -> str | None:
        """That the device takes long to begin, in one sentence: it is not given up yet."""
        device = self.device
        if device is not None and device.state().callbacks:
            self._begun_s = None
        return _STILL_OPENING if takes_long(self._begun_s) else None

    async def choose_device(self, choice: Choice) -> None:
        """Play on this device from now on; the name "none" is the silent clock.

        Raises DeviceUnavailable if it will not open; the silent clock plays then, and `resume` tries again.
        """
        async with self.opening:
            self.want(choice)
            await self._open()
            if self.lack is not None:
                raise DeviceUnavailable(self.lack)

    def want(self, choice: Choice) -> None:
        """Have `resume` open this device. The caller holds `opening`."""
        self._wanted, self._was_open, self._untried = choice, False, True

    async def open(self, playout: Playout) -> None:
        """Begin to play `playout`. A device that will not open is replaced by the silent clock, and `lack` says so."""
        async with self.opening:
            self._close()
            self.playout, self._playing = playout, True
            await self._open()

    def detach(self, at_ns: int) -> OutputStream | None:
        """Take the open device out, to be closed by the caller at `at_ns`; it is to come back with `resume`.

        The caller holds `opening`. The playout waits meanwhile: nothing is handed, so nothing is lost.
        """
        output = self.device
        if output is None:
            return None
        self._output = self._begun_s = None
        self._detached = True
        self._awaited = at_ns, asyncio.get_running_loop().create_future()
        return output

    async def resume(self) -> "asyncio.Future[int] | None":
        """Open the device that is wanted, whether it was detached or missing, and go on where the playout is.

        The caller holds `opening`. What is returned is done when the device asks for its first block: with the time
        since it was detached, in nanoseconds. None where it did not open, and while nothing is to be played.
        """
        if self._detached or self._untried or self.missing is not None:
            await self._open()
        if self.lack is not None:
            self._awaited = None
        return self._awaited[1] if self._awaited is not None else None

    async def _open(self) -> None:
        """Open what is wanted; where nothing is played at present, only to see that it opens."""
        lack: str | None = None
        self._detached = self._untried = False
        if self.device is not None:
            await self._finish()  # some devices open only once
        output: Output
        try:
            if self._wanted.name == NO_DEVICE:
                output = self._stand_in()
            else:
                output = await self._open_device()
                self._was_open = True
        except EnvironmentFault as fault:
            lack = str(fault)
            output = self._stand_in()
        # Not before: while it is being opened, what is lacking still is.
        self.lack = lack
        self._output = output
        self.name = output.state().name
        if not self._playing:
            self._close()

    def close(self) -> None:
        """End. What the device has queued is dropped."""
        self._playing = False
        self._close()

    async def end(self) -> None:
        """The same beside the loop, as a device may take its time."""
        self._playing = False
        output = self._taken_out()
        if output is not None:
            with contextlib.suppress(EnvironmentFault):  # one that hangs is closed whenever it can be
                await opened_in_time(output.close, "The output device", lambda _: None)

    async def _finish(self) -> None:
        """Close the device after what it has queued was played, for what was handed was heard."""
        output, self._output = self.device, None
        if output is not None:
            with contextlib.suppress(EnvironmentFault):
                await opened_in_time(output.finish, "The output device", lambda _: None)

    def _close(self) -> None:
        output = self._taken_out()
        if output is not None:
            output.close()

    def _taken_out(self) -> Output | None:
        # Before it is closed: a wake that is still on its way must not take it for a device that went away.
        output, self._output = self._output, None
        self._begun_s = None
        return output

    def _stand_in(self) -> SilentOutput:
        self._close()
        self.playout.interrupted()
        return self._silent(asyncio.get_running_loop())

    def _silent(self, loop: asyncio.AbstractEventLoop) -> SilentOutput:
        clock = SilentOutput(self.playout, self._woken, loop)
        clock.start()
        return clock

    async def _open_device(self) -> OutputStream:
        """Return the device that is wanted, which plays. A silent clock in its place plays until it is open."""
        playout, wanted, loop = self.playout, self._wanted, asyncio.get_running_loop()
        self._begun_s = begun_s = time.monotonic()
        await all_closed()

        def close(late: OutputStream) -> None:
            late.close()

        def make() -> OutputStream:
            device = chosen_here(wanted, "output")
            return OutputStream(playout, device, self._woken, loop, channel=wanted.channel, shape=self._shape)

        stream = await opened_in_time(make, "The output device", close)
        self._correct(stream)
        self._close()
        self._begun_s = begun_s
        playout.interrupted()

        def start() -> OutputStream:
            stream.start()
            return stream

        return await opened_in_time(start, "The output device", close)

    def _woken(self) -> None:
        output = self._output
        if output is None:
            return
        if self._awaited is not None and isinstance(output, OutputStream):
            (since_ns, first_block), self._awaited = self._awaited, None
            if not first_block.done():
                first_block.set_result(time.monotonic_ns() - since_ns)
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
        self.lack = _why_lost(state)
        self._output = self._stand_in()
        self.name = SILENT_CLOCK
        self._on_lost(self.lack)
        return True


def _why_lost(state: StreamState) -> str:
    if state.fault is not None:
        return (
            f"Playing on “{state.name}” failed in the program itself ({state.fault}): choose it again, and report it "
            "if it comes back."
        )
    return (
        f"The output device “{state.name}” has gone, so the agent is not heard: plug it in again or choose another one."
    )
