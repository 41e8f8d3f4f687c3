"""The audio devices of this computer, chosen by name and host API.

PortAudio freezes its list when it is loaded and its indices drift, so devices are listed in a short-lived process
(`python -P -m simulator.audio.devices` prints JSON) and an index is looked up only to open a stream at once. A device
that appeared later is known here only after `reinitialise`, for which every stream must be closed.
"""

import dataclasses
import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from simulator.audio.as_child import child_environment, end_with_the_parent
from simulator.audio.stream_state import Channel
from simulator.errors import AudioUnavailable, DeviceUnavailable, SimulatorError

LIST_TIMEOUT_S: Final = 20
"""Bluetooth and network devices can take seconds to answer."""

_UNTIL_STDIN_CLOSES: Final = "--until-stdin-closes"

Direction = Literal["input", "output"]
DIRECTIONS: Final[tuple[Direction, ...]] = ("input", "output")


_NOT_BACK: Final = "The sound system did not come back after its devices were listed anew: restart the program."
_restarting = threading.Lock()
"""Held by the thread that is starting PortAudio anew."""

_LOOPS: Final = (
    "monitor of",
    ".monitor",
    "stereo mix",
    "stereomix",
    "what u hear",
    "loopback",
    "blackhole",
    "soundflower",
)
"""What systems call a source that records what the computer plays."""


@dataclass(frozen=True, slots=True)
class Device:
    """One audio device as PortAudio describes it; name and host API together are what it is chosen by."""

    name: str
    host_api: str
    max_input_channels: int
    max_output_channels: int
    default_rate_hz: int
    is_default_input: bool
    is_default_output: bool

    def can(self, direction: Direction) -> bool:
        """Tell whether it records ("input") or plays ("output")."""
        return (self.max_input_channels if direction == "input" else self.max_output_channels) > 0

    def records_what_is_played(self) -> bool:
        """Tell whether it is a monitor: a source that gives back what the computer plays, by what systems call one."""
        name = self.name.casefold().replace("_", " ")
        return self.can("input") and any(word in name for word in _LOOPS)

    def hint(self, direction: Direction) -> str | None:
        """Return what to know before choosing it, in one sentence; None where there is nothing."""
        if direction == "input" and self.records_what_is_played():
            return "This records what the computer plays, the agent included: it is no microphone."
        if direction == "output" and any(word in self.name.casefold() for word in ("hdmi", "displayport")):
            return "This is a screen's output: it is heard only if the screen has loudspeakers."
        return None


@dataclass(frozen=True, slots=True)
class Choice:
    """Which device is wanted: by name, and by host API where several offer it; without a name, the default.

    And which of its channels: see `Channel`.
    """

    name: str | None = None
    host_api: str | None = None
    channel: Channel = None

    def among(self, devices: Sequence[Device], direction: Direction) -> Device:
        """Return the device that is meant. Raises DeviceUnavailable, or AudioUnavailable where there is no default."""
        if self.name is not None:
            return find(self.name, self.host_api, direction=direction, among=devices)
        return default_of(devices, direction)


def default_of(devices: Sequence[Device], direction: Direction) -> Device:
    """Return the system's default device; for a monitor, the first microphone that is none.

    Raises AudioUnavailable where nothing records, or plays.
    """
    usable = [device for device in devices if device.can(direction)]
    flag = "is_default_input" if direction == "input" else "is_default_output"
    default = next((device for device in usable if getattr(device, flag)), None)
    if default is not None and direction == "input" and default.records_what_is_played():
        default = next((device for device in usable if not device.records_what_is_played()), default)
    if default is not None:
        return default
    if direction == "output":
        raise AudioUnavailable(
            "This computer has no loudspeaker that PortAudio can see: sessions go on silently (silent clock), "
            "and all else works. To hear the agent plug one in, or start a sound server, and look again (F4)."
        )
    raise AudioUnavailable(
        "This computer has no microphone that PortAudio can see: plug one in, or start a sound server, and try again."
    )


def list_devices(within_s: float = LIST_TIMEOUT_S) -> list[Device]:
    """Return the devices present now, listed by a process of its own. May take seconds: call it off the loop.

    Raises AudioUnavailable if PortAudio is missing or does not answer in time. No device at all is an empty list.
    """
    command = [sys.executable, "-P", "-m", "simulator.audio.devices", _UNTIL_STDIN_CLOSES]
    reading, writing = os.pipe()  # its end tells a child that hangs that its parent has gone
    try:
        listing = subprocess.run(
            command,
            env=child_environment(),
            stdin=reading,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=within_s,
            check=False,
        )
        answer = json.loads(listing.stdout)
    except subprocess.TimeoutExpired as error:
        raise AudioUnavailable(
            f"The sound system did not list its devices within {within_s:g} s: restart it, or unplug a device "
            "that hangs."
        ) from error
    except ValueError as error:
        raise AudioUnavailable(
            "The audio devices could not be listed: see the log for what PortAudio said.", details=listing.stderr
        ) from error
    finally:
        os.close(reading)
        os.close(writing)
    if "error" in answer:
        raise AudioUnavailable(answer["error"], details=answer["details"])
    return [Device(**device) for device in answer["devices"]]


def find(name: str, host_api: str | None = None, *, direction: Direction, among: Sequence[Device]) -> Device:
    """Return the device of this name that records or plays; upper and lower case only matter to tell two apart.

    Where several host APIs offer it, the default device's host API goes first. Raises DeviceUnavailable.
    """
    usable = [device for device in among if device.can(direction) and host_api in (None, device.host_api)]
    matching = [device for device in usable if device.name == name]
    matching = matching or [device for device in usable if device.name.casefold() == name.casefold()]
    if not matching:
        what = "microphone" if direction == "input" else "output device"
        names = ", ".join(f"“{name}”" for name in dict.fromkeys(device.name for device in usable))
        name = name if host_api is None else f"{name} ({host_api})"
        raise DeviceUnavailable(
            f"There is no {what} “{name}”; there is {names}: choose one of these, or plug it in."
            if names
            else f"There is no {what} “{name}”, and no other one: plug one in, or start a sound server."
        )
    preferred = {device.host_api for device in among if device.is_default_input or device.is_default_output}
    return next((device for device in matching if device.host_api in preferred), matching[0])


def portaudio() -> Any:
    """Return the `sounddevice` module. Raises AudioUnavailable where PortAudio cannot be loaded."""
    try:
        import sounddevice
    except (ImportError, OSError) as error:
        raise AudioUnavailable(
            "The PortAudio library is missing, so nothing can be played or recorded: install it "
            "(Debian and Ubuntu: sudo apt install libportaudio2).",
            details=str(error),
        ) from error
    return sounddevice


def devices_here() -> list[Device]:
    """Return the devices as this process's PortAudio saw them when it was started.

    Raises AudioUnavailable, also while another thread is starting PortAudio anew: it must be left alone until then.
    """
    sounddevice = portaudio()
    if _restarting.locked():
        raise AudioUnavailable(
            "The sound system hangs while its devices are listed anew: restart the sound server, or unplug a device "
            "that hangs."
        )
    try:
        host_apis = sounddevice.query_hostapis()
        default_input, default_output = sounddevice.default.device
        devices = list(sounddevice.query_devices())
    except sounddevice.PortAudioError as error:
        raise AudioUnavailable(_NOT_BACK, details=str(error)) from error
    return [
        Device(
            name=device["name"],
            host_api=host_apis[device["hostapi"]]["name"],
            max_input_channels=device["max_input_channels"],
            max_output_channels=device["max_output_channels"],
            default_rate_hz=round(device["default_samplerate"]),
            is_default_input=index == default_input,
            is_default_output=index == default_output,
        )
        for index, device in enumerate(devices)
    ]


def chosen_here(choice: Choice, direction: Direction) -> Device | None:
    """Return the device that is meant as this process knows it; None is the default, looked up as it is opened.

    Raises AudioUnavailable or DeviceUnavailable.
    """
    return None if choice.name is None else choice.among(devices_here(), direction)


def index_here(device: Device | None, direction: Direction) -> tuple[int, Device]:
    """Return this process's index of a device, or of the default one for None, and what it is.

    Raises AudioUnavailable if there is no device for that direction, DeviceUnavailable if this one is not there.
    """
    known = devices_here()
    choice = Choice() if device is None else Choice(device.name, device.host_api)
    found = choice.among(known, direction)
    return known.index(found), found


def reinitialise() -> None:
    """Let PortAudio list its devices anew. Every stream of this process must be closed, and no other thread in it.

    Raises AudioUnavailable where PortAudio does not come back.
    """
    sounddevice = portaudio()
    with _restarting:
        try:
            if sounddevice._initialized:  # not where it failed to come back the last time
                sounddevice._terminate()
            sounddevice._initialize()
        except sounddevice.PortAudioError as error:
            raise AudioUnavailable(_NOT_BACK, details=str(error)) from error


def main() -> int:
    """Print the devices, or what is missing, as one line of JSON."""
    if _UNTIL_STDIN_CLOSES in sys.argv:
        end_with_the_parent()
    try:
        answer: dict[str, Any] = {"devices": [dataclasses.asdict(device) for device in devices_here()]}
    except SimulatorError as error:
        answer = {"error": str(error), "details": error.details}
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.stdout.write(json.dumps(answer, ensure_ascii=False) + "\n")
    return 3 if "error" in answer else 0


if __name__ == "__main__":
    sys.exit(main())
