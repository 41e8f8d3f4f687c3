"""`devices`: the microphones and loudspeakers that this computer has."""

import argparse
import dataclasses
from typing import TYPE_CHECKING

from simulator.cli.exits import Exit
from simulator.cli.output import result, result_json
from simulator.cli.parser import Commands

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.audio.devices import Device


def add_command(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "devices", help="list the audio devices", description="Lists the audio devices, as the window offers them."
    )
    parser.add_argument("--json", action="store_true", help="print the list as JSON")
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace) -> int:
    """Print the devices. Raises AudioUnavailable where PortAudio is missing."""
    from simulator.audio.devices import DIRECTIONS, list_devices

    devices = list_devices()
    if arguments.json:
        hints = [{f"{direction}_hint": device.hint(direction) for direction in DIRECTIONS} for device in devices]
        result_json([dataclasses.asdict(device) | hint for device, hint in zip(devices, hints, strict=True)])
        return Exit.DONE
    _print("Microphones", [device for device in devices if device.can("input")], "is_default_input")
    _print("Output devices", [device for device in devices if device.can("output")], "is_default_output")
    return Exit.DONE


def _print(title: str, devices: "Sequence[Device]", is_default: str) -> None:
    result(f"{title}:")
    if not devices:
        result("  none")
    for device in devices:
        default = ", the default" if getattr(device, is_default) else ""
        result(f"  {device.name}  ({device.host_api}, {device.default_rate_hz} Hz{default})")
