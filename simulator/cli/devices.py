"""`devices`: the microphones and loudspeakers that this computer has, and how late a pair of them is."""

import argparse
import asyncio
import dataclasses
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from simulator.cli.exits import Exit
from simulator.cli.output import result, result_json, say
from simulator.cli.parser import Commands
from simulator.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.audio.devices import Device


def add_command(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "devices",
        help="list the audio devices, or measure their latency",
        description="Lists the audio devices, as the window offers them. With --latency it plays ten short chirps on a "
        "loudspeaker, looks for them at a microphone, through a cable or the room, and keeps what it measured: live "
        "sessions with these devices use it from then on.",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--latency", action="store_true", help="measure the round trip of a loudspeaker and a microphone"
    )
    for direction, what in (("output", "loudspeaker"), ("input", "microphone")):
        parser.add_argument(f"--{direction}", metavar="NAME", help=f"the {what} to measure; default: the system's")
        parser.add_argument(f"--{direction}-host-api", metavar="NAME", help="its host API, where several have it")
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace) -> int:
    """Print the devices, or their latency. Raises AudioUnavailable, DeviceUnavailable, UsageError or StorageFault."""
    if arguments.latency:
        return _measure(arguments)
    from simulator.audio.devices import DIRECTIONS, list_devices

    if any((arguments.output, arguments.output_host_api, arguments.input, arguments.input_host_api)):
        raise UsageError("--output and --input say which devices to measure: add --latency.")
    devices = list_devices()
    if arguments.json:
        hints = [{f"{direction}_hint": device.hint(direction) for direction in DIRECTIONS} for device in devices]
        result_json([dataclasses.asdict(device) | hint for device, hint in zip(devices, hints, strict=True)])
        return Exit.DONE
    _print("Microphones", [device for device in devices if device.can("input")], "is_default_input")
    _print("Output devices", [device for device in devices if device.can("output")], "is_default_output")
    return Exit.DONE


def _measure(arguments: argparse.Namespace) -> int:
    from simulator.audio.devices import Choice
    from simulator.audio.latencies import FILE_NAME, keep_latency
    from simulator.audio.latency_probe import measure
    from simulator.engines.profiles import config_folder

    microphone = Choice(arguments.input, arguments.input_host_api)
    loudspeaker = Choice(arguments.output, arguments.output_host_api)
    on_open = partial(say, "Ten chirps are played: be silent for eight seconds.")
    measured = asyncio.run(measure(microphone, loudspeaker, on_open))
    keep_latency(config_folder() / FILE_NAME, measured)
    if arguments.json:
        told = {"output_ms": round(measured.output_ms, 2), "output_offset_ms": round(measured.output_offset_ms, 2)}
        result_json(msgspec.to_builtins(measured) | told)
    else:
        result(measured.sentences())
    return Exit.DONE


def _print(title: str, devices: "Sequence[Device]", is_default: str) -> None:
    result(f"{title}:")
    if not devices:
        result("  none")
    for device in devices:
        default = ", the default" if getattr(device, is_default) else ""
        result(f"  {device.name}  ({device.host_api}, {device.default_rate_hz} Hz{default})")
