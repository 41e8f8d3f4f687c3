"""The loudspeaker's end: a device that is being closed is no device that went away."""

import asyncio
import threading

from simulator.audio.devices import Choice
from simulator.audio.playout import Playout
from simulator.audio.streams import SilentOutput
from simulator.participant.loudspeaker import NO_DEVICE, Loudspeaker


class SlowToClose(SilentOutput):
    """Closes when `may_close` is set, and wakes the loop meanwhile, as a device's last callback does."""

    closing: threading.Event
    may_close: threading.Event

    def close(self) -> None:
        self._stop.set()
        self._waker.wake()
        self.closing.set()
        self.may_close.wait(10)
        super().close()


class SlowLoudspeaker(Loudspeaker):
    """Plays on an output that is slow to close."""

    def __init__(self, lost: list[str]) -> None:
        super().__init__(lambda: None, lost.append)
        self.closing = threading.Event()
        self.may_close = threading.Event()

    def _silent(self, loop: asyncio.AbstractEventLoop) -> SilentOutput:
        output = SlowToClose(self.playout, self._woken, loop)
        output.closing, output.may_close = self.closing, self.may_close
        output.start()
        return output


async def test_a_wake_while_the_device_is_closed_is_no_lost_device() -> None:
    lost: list[str] = []
    loudspeaker = SlowLoudspeaker(lost)
    loudspeaker.may_close.set()
    await loudspeaker.choose_device(Choice(NO_DEVICE))
    loudspeaker.may_close.clear()
    loudspeaker.closing.clear()
    await loudspeaker.open(Playout())
    ending = asyncio.create_task(loudspeaker.end())
    await asyncio.to_thread(loudspeaker.closing.wait, 10)
    woken = asyncio.Event()
    asyncio.get_running_loop().call_soon(woken.set)
    await woken.wait()
    assert not ending.done()
    loudspeaker.may_close.set()
    await ending
    assert lost == []
    assert loudspeaker.state is None
    assert loudspeaker.lack is None
