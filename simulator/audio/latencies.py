"""What was measured of pairs of devices, and kept in a file: how late they are beyond what they report."""

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

import msgspec

from simulator.errors import StorageFault, UnreadableFile

FILE_NAME: Final = "latencies.json"

_NAMES_OF_ANY: Final = ("default", "pulse", "pipewire", "primary sound", "sound mapper")
"""What names hold that stand for whichever device the system has chosen at the time."""


class RoundTrip(msgspec.Struct, frozen=True, kw_only=True):
    """The round trip of an output device and a microphone, measured by chirps through a cable or a room."""

    output: str
    output_host_api: str
    input: str
    input_host_api: str
    measured_at: str
    """Local date and time with offset, ISO 8601."""
    round_trip_ms: float
    """Median time from when the device asks for a sample to when the program has it back."""
    spread_ms: float
    """The largest minus the smallest."""
    chirps: int
    """How many came back."""
    chirps_played: int
    snr_db: float
    """Median match of a chirp against what matches by chance; 99 where nothing does."""
    reported_output_ms: float
    """What the output device says of itself, the conversion of its rate included."""
    reported_input_ms: float
    output_source: Literal["dac", "latency"]
    """Where the output's figure comes from."""
    output_rate_hz: int
    input_rate_hz: int

    @property
    def output_ms(self) -> float:
        """How long the output takes, from when it asks for a sample to when that is heard.

        Which of the two devices is to blame for what they did not report cannot be told from a round trip: it is
        counted as the output's. Where both say more than it takes, each is believed in proportion.
        """
        reported_ms = self.reported_output_ms + self.reported_input_ms
        if self.round_trip_ms >= reported_ms:
            return self.round_trip_ms - self.reported_input_ms
        return max(0.0, self.round_trip_ms) * self.reported_output_ms / reported_ms

    @property
    def output_offset_ms(self) -> float:
        """How much later the output is than it says; negative where it is earlier."""
        return self.output_ms - self.reported_output_ms

    def sentences(self) -> str:
        """Return what was measured and what follows from it, a sentence a line."""
        differs_ms = self.output_offset_ms
        told = (
            f"“{self.output}” to “{self.input}”: round trip {self.round_trip_ms:.1f} ms (median of {self.chirps} of "
            f"{self.chirps_played} chirps, spread {self.spread_ms:.1f} ms, SNR {self.snr_db:.0f} dB).\n"
            f"The devices report {self.reported_output_ms:.1f} ms for the output and {self.reported_input_ms:.1f} ms "
            f"for the microphone.\n"
            f"Sessions with this output count {self.output_ms:.1f} ms until the agent is heard from now on, "
            f"{abs(differs_ms):.1f} ms {'more' if differs_ms >= 0 else 'less'} than it says."
        )
        if any(name in self.output.casefold() for name in _NAMES_OF_ANY):
            told += f"\n“{self.output}” is whichever device the system has chosen: measure again when that is another."
        return told


class _File(msgspec.Struct):
    measured: list[RoundTrip] = []


def load_latencies(path: Path) -> list[RoundTrip]:
    """Return what was measured, the newest last; nothing where there is no file. Raises UnreadableFile."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=_File).measured
    except FileNotFoundError:
        return []
    except (OSError, msgspec.MsgspecError) as error:
        raise UnreadableFile(
            f"The measured latencies in {path} cannot be read: delete the file, and measure again.", details=str(error)
        ) from error


def keep_latency(path: Path, measured: RoundTrip) -> None:
    """Add a measurement to the file; an older one of the same pair goes. Raises UnreadableFile or StorageFault."""
    others = [each for each in load_latencies(path) if _pair(each) != _pair(measured)]
    partial = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(msgspec.json.format(msgspec.json.encode(_File([*others, measured]))) + b"\n")
        partial.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise StorageFault(
            f"The measured latency could not be kept in {path.parent}: check the folder's space and rights.",
            details=str(error),
        ) from error


def latency_of(
    measured: Sequence[RoundTrip], output: tuple[str, str], microphone: tuple[str, str] | None
) -> RoundTrip | None:
    """Return what is known of an output: with this microphone, else the newest with any.

    Devices are given by name and host API.
    """
    of_output = [each for each in measured if (each.output, each.output_host_api) == output]
    of_pair = [each for each in of_output if (each.input, each.input_host_api) == microphone]
    return next(reversed([*of_output, *of_pair]), None)


def _pair(measured: RoundTrip) -> tuple[str, str, str, str]:
    return measured.output, measured.output_host_api, measured.input, measured.input_host_api
