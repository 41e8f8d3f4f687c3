"""How devices that are missing are looked for: which, how often, and what is said where they cannot be taken back."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from simulator.audio.devices import Choice, Device, Direction
from simulator.errors import AudioUnavailable, DeviceUnavailable
from simulator.participant import device_return
from simulator.participant.device_return import DeviceReturn
from simulator.participant.loudspeaker import NO_DEVICE, Loudspeaker
from simulator.participant.microphone_filter import MicrophoneFilter
from simulator.participant.voice import Voice

HEADSET = Choice("Headset", "ALSA")


class Rig:
    """A computer whose devices come back when the test says so, and whose audio library can hang."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.looked_for: list[Mapping[Direction, Choice]] = []
        self.back: asyncio.Queue[set[Direction]] = asyncio.Queue()
        self.listed = 0
        self.hangs = False
        self.notes: list[str] = []

        async def opens_again(wanted: Mapping[Direction, Choice]) -> set[Direction]:
            self.looked_for.append(dict(wanted))
            return await self.back.get()

        async def nobody_inside(within_s: float) -> bool:
            return not self.hangs

        def reinitialise() -> None:
            self.listed += 1

        def chosen_here(choice: Choice, direction: Direction) -> None:
            raise DeviceUnavailable(f"There is no “{choice.name}”.")

        monkeypatch.setattr(device_return, "opens_again", opens_again)
        monkeypatch.setattr(device_return, "nobody_inside", nobody_inside)
        monkeypatch.setattr(device_return, "reinitialise", reinitialise)
        for module in ("voice", "loudspeaker"):
            monkeypatch.setattr(f"simulator.participant.{module}.chosen_here", chosen_here)
        monkeypatch.setattr(device_return, "_RETRY_S", 0.01)
        self.voice = Voice(lambda _: None, lambda _: None, MicrophoneFilter(self._note), lambda _: None)
        self.loudspeaker = Loudspeaker(lambda: None, lambda sentence: None)
        self.devices = DeviceReturn(self.voice, self.loudspeaker, self._note, lambda lost: None, lambda back: None)

    def _note(self, kind: str, fields: Mapping[str, object]) -> None:
        self.notes.append(kind)

    async def until(self, condition: Any) -> None:
        """Let the loop run until the condition holds."""
        async with asyncio.timeout(10):
            while not condition():  # noqa: ASYNC110 - what is waited for tells nobody
                await asyncio.sleep(0.001)


@pytest.fixture
async def rig(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Rig]:
    rig = Rig(monkeypatch)
    yield rig
    await rig.devices.close()
    rig.voice.close()
    rig.loudspeaker.close()


async def test_what_was_chosen_and_is_not_there_is_looked_for_and_nothing_else(rig: Rig) -> None:
    with pytest.raises(DeviceUnavailable, match="no “Headset”"):
        await rig.devices.choose(HEADSET, "output")
    await rig.until(lambda: rig.looked_for == [{"output": HEADSET}])
    rig.voice.start()
    with pytest.raises(DeviceUnavailable):
        await rig.devices.choose(HEADSET, "input")
    await rig.until(lambda: rig.looked_for[-1] == {"output": HEADSET, "input": HEADSET})
    await rig.devices.choose(Choice(NO_DEVICE), "output")
    await rig.voice.choose_silence()
    rig.devices.seek()
    assert rig.devices.missing == {}


async def test_a_default_that_was_never_there_is_not_looked_for(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """A computer without sound must not start a process every two seconds."""

    def none(choice: Choice, direction: Direction) -> None:
        raise AudioUnavailable("This computer has no loudspeaker.")

    monkeypatch.setattr("simulator.participant.loudspeaker.chosen_here", none)
    with pytest.raises(DeviceUnavailable):
        await rig.devices.choose(Choice(), "output")
    assert rig.loudspeaker.lack is not None
    assert rig.devices.missing == {}
    assert rig.looked_for == []


async def test_a_device_that_opens_elsewhere_and_not_here_is_tried_less_and_less_often(rig: Rig) -> None:
    with pytest.raises(DeviceUnavailable):
        await rig.devices.choose(HEADSET, "output")
    before = rig.listed
    for count in (1, 2, 3):
        rig.back.put_nowait({"output"})
        await rig.until(lambda count=count: len(rig.looked_for) == count + 1)
    assert rig.listed == before + 3
    assert rig.devices.lack is None
    assert "devices.reopened" not in rig.notes


@pytest.mark.parametrize(("is_known", "at_most_s"), [(True, 3), (False, 20)])
async def test_a_list_that_hangs_holds_up_a_device_that_is_known_for_a_moment_only(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, is_known: bool, at_most_s: float
) -> None:
    """The one that hangs may be another one."""
    waited_s: list[float] = []
    headset = Device("Headset", "ALSA", 1, 1, 48_000, is_default_input=False, is_default_output=False)

    def list_devices(within_s: float) -> list[Device]:
        waited_s.append(within_s)
        raise AudioUnavailable("The sound system did not list its devices.")

    monkeypatch.setattr(device_return, "list_devices", list_devices)
    monkeypatch.setattr(device_return, "devices_here", lambda: [headset] if is_known else [])
    monkeypatch.setattr(Loudspeaker, "device", "one that is open")
    assert await rig.devices._unknown(HEADSET, "output") is None
    assert waited_s == [at_most_s]


async def test_an_audio_library_that_hangs_is_not_started_anew_and_that_is_said(rig: Rig) -> None:
    with pytest.raises(DeviceUnavailable):
        await rig.devices.choose(HEADSET, "output")
    before = rig.listed
    rig.hangs = True
    rig.back.put_nowait({"output"})
    await rig.until(lambda: rig.devices.lack is not None)
    assert "restart the program" in (rig.devices.lack or "")
    assert rig.listed == before
    rig.hangs = False
    rig.back.put_nowait({"output"})
    await rig.until(lambda: rig.devices.lack is None)
    assert rig.listed == before + 1
