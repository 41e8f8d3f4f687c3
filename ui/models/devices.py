"""The sound devices as the window offers them. No Qt here."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from simulator.participant.messages import ChooseOutput

Direction = Literal["input", "output"]

Channel = int | Literal["mix"] | None
"""Which channel of a device, counted from 1; "mix": the mean of all; None: no choice was made."""

SILENT = "none"
"""The name that stands for the silent clock."""


class Device(msgspec.Struct, frozen=True):
    """One device of `devices --json`; it is chosen by its name and host API."""

    name: str
    host_api: str = ""
    max_input_channels: int = 0
    max_output_channels: int = 0
    default_rate_hz: int = 0
    is_default_input: bool = False
    is_default_output: bool = False
    input_hint: str | None = None
    """What to know before choosing it as the microphone."""
    output_hint: str | None = None

    def channels(self, direction: Direction) -> int:
        """Return how many channels it records or plays; 0: it does not."""
        return self.max_input_channels if direction == "input" else self.max_output_channels

    def is_default(self, direction: Direction) -> bool:
        """Return whether it is the system's default."""
        return self.is_default_input if direction == "input" else self.is_default_output

    def hint(self, direction: Direction) -> str | None:
        """Return what to know before choosing it."""
        return self.input_hint if direction == "input" else self.output_hint


@dataclass(frozen=True, slots=True)
class Devices:
    """All devices of this computer."""

    known: tuple[Device, ...] = ()

    def of(self, direction: Direction) -> list[Device]:
        """Return those that record, or play: the default first, then in the system's order."""
        usable = [device for device in self.known if device.channels(direction)]
        return sorted(usable, key=lambda device: not device.is_default(direction))

    def once(self, direction: Direction) -> list[Device]:
        """Return each name once, for a short list: where several host APIs offer it, the default's."""
        usable = self.of(direction)
        preferred = {device.host_api for device in self.known if device.is_default_input or device.is_default_output}
        named: dict[str, Device] = {}
        for device in sorted(usable, key=lambda device: device.host_api not in preferred):
            named.setdefault(device.name, device)
        return [device for device in usable if named[device.name] is device]


@dataclass(frozen=True, slots=True)
class Output:
    """Where the agent's voice is played: a device by name and host API, the default (no name), or nowhere."""

    name: str | None = None
    host_api: str | None = None
    channel: int | None = None
    """The first of the pair of channels that plays; None: all."""

    def command(self) -> ChooseOutput:
        """Return the command that chooses it."""
        return ChooseOutput(id=0, device=self.name, host_api=self.host_api, channel=self.channel)

    @property
    def key(self) -> str:
        """A text by which the choice is remembered; empty for the default."""
        return named_key(self.name, self.host_api, self.channel)


def output_from_key(key: str) -> Output:
    """Return the output that `key` stands for."""
    name, host_api, channel = name_from_key(key)
    return Output(name, host_api, channel if isinstance(channel, int) else None)


def named_key(name: str | None, host_api: str | None, channel: Channel = None) -> str:
    """Return a name, a host API and a channel as one text."""
    parts = [name or "", host_api or "", "" if channel is None else str(channel)]
    return "\t".join(parts).rstrip("\t")


def name_from_key(key: str) -> tuple[str | None, str | None, Channel]:
    """Return the name, the host API and the channel of such a text."""
    name, host_api, channel = [*key.split("\t"), "", ""][:3]
    number = int(channel) if channel.isdigit() else None
    return name or None, host_api or None, "mix" if channel == "mix" else number


def completed(name: str, host_api: str | None, among: Sequence[Device]) -> str | None:
    """Return the host API of a device that was remembered without one."""
    return host_api or next((device.host_api or None for device in among if device.name == name), None)
