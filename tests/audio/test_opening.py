"""A device that takes for ever to open costs a sentence, never the session, and is never left open unseen."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from typing import Any

import numpy as np
import pytest

from simulator.audio.devices import Choice
from simulator.audio.opening import opened_in_time
from simulator.audio.sources import Chunk
from simulator.audio.streams import StreamState
from simulator.engines.children import child_environment
from simulator.errors import DeviceUnavailable
from simulator.participant import voice as voice_module
from simulator.participant.messages import VoiceKind
from simulator.participant.microphone_filter import MicrophoneFilter
from simulator.participant.voice import Voice


class _Device:
    """Opens when it is let, and knows whether it is open."""

    def __init__(self) -> None:
        self.may_open, self.closed = threading.Event(), threading.Event()

    def open(self) -> "_Device":
        self.may_open.wait()
        return self

    def close(self) -> None:
        self.closed.set()


async def test_what_opens_too_late_is_refused_and_closed_again() -> None:
    device = _Device()
    with pytest.raises(DeviceUnavailable, match=r"The microphone did not open within 0\.05 s"):
        await opened_in_time(device.open, "The microphone", _Device.close, within_s=0.05)
    device.may_open.set()
    assert await asyncio.to_thread(device.closed.wait, 10)


async def test_what_opens_after_a_cancellation_is_closed_again() -> None:
    device = _Device()
    opening = asyncio.create_task(opened_in_time(device.open, "The microphone", _Device.close))
    await asyncio.sleep(0)
    opening.cancel()
    await asyncio.wait([opening])
    device.may_open.set()
    assert await asyncio.to_thread(device.closed.wait, 10)


async def test_what_opens_in_time_stays_open_and_what_fails_says_why() -> None:
    device = _Device()
    device.may_open.set()
    assert await opened_in_time(device.open, "The microphone", _Device.close) is device
    assert not device.closed.is_set()

    def refuse() -> _Device:
        raise DeviceUnavailable("It is busy.")

    with pytest.raises(DeviceUnavailable, match="It is busy"):
        await opened_in_time(refuse, "The microphone", _Device.close)


_HANGS = """
import asyncio, threading
from simulator.engines.children import child_environment
from simulator.errors import DeviceUnavailable
from simulator.audio.devices import Choice
from simulator.audio.opening import leave, opened_in_time

async def main():
    try:
        await opened_in_time(threading.Event().wait, "The microphone", print, within_s=0.01)
    except DeviceUnavailable as error:
        print(error)

asyncio.run(main())
leave(2)
raise SystemExit("This is not reached: the end of Python would take the library away under the thread.")
"""


def test_a_process_is_left_past_a_device_that_hangs() -> None:
    run = subprocess.run(
        [sys.executable, "-c", _HANGS], env=child_environment(), capture_output=True, text=True, timeout=20, check=False
    )
    assert (run.returncode, run.stderr) == (2, "")
    assert run.stdout.startswith("The microphone did not open within 0.01 s")


async def test_silence_chosen_while_the_microphone_opens_is_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    device = _Device()

    class SlowMicrophone:
        def __init__(self, *_: Any, **__: Any) -> None:
            pass

        def start(self) -> None:
            device.open()

        async def heard(self) -> None:
            pass

        def state(self) -> StreamState:
            return StreamState("slow", 0, 0, True, None, 0, "latency", 24_000)

        async def chunks(self) -> AsyncIterator[Chunk]:
            while not device.closed.is_set():
                await asyncio.sleep(0)
                yield Chunk(np.zeros(480, dtype=np.int16), 0, 0, 0)

        def close(self) -> None:
            device.close()

    monkeypatch.setattr(voice_module, "MicrophoneSource", SlowMicrophone)
    voice = Voice(
        lambda chunk: None, lambda sentence: None, MicrophoneFilter(lambda kind, fields: None), lambda sentence: None
    )
    voice.start()
    microphone = asyncio.create_task(voice.choose_device(Choice()))
    await asyncio.sleep(0)
    silence = asyncio.create_task(voice.choose_silence())
    await asyncio.sleep(0)
    device.may_open.set()
    await asyncio.gather(microphone, silence)
    assert voice.kind is VoiceKind.SILENCE
    assert device.closed.is_set()
    voice.close()
