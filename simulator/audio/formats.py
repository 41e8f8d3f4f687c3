"""The forms in which a device may be opened, the best one first, and its samples turned into ours and back.

24 kHz mono is asked for first, as it needs no conversion; then 24 kHz with more channels, then the rate at which the
device runs by itself, then every other rate in use. PortAudio turns sample formats into each other, so int16 is nearly
always taken; the others are tried where it is refused.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from simulator.audio.conversion import can_convert
from simulator.audio.devices import Device, Direction
from simulator.audio.pcm import FULL_SCALE, to_int16
from simulator.audio.stream_state import Channel
from simulator.errors import DeviceUnavailable
from simulator.units import BLOCK_MS, SAMPLE_RATE_HZ

_FULL_SCALES: Final = {"int16": FULL_SCALE, "float32": 1, "int32": 2**31}
SAMPLE_TYPES: Final = tuple(_FULL_SCALES)

_USUAL_RATES_HZ: Final = (48_000, 44_100, 96_000, 32_000, 16_000, 88_200, 192_000, 22_050, 11_025, 8_000)
_MOST_CHANNELS: Final = 8
"""A device that says it has more is often a sound server's, which makes as many as are asked for."""

Samples = NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class StreamFormat:
    """One form in which a device may be opened."""

    rate_hz: int
    channels: int
    sample_type: str

    @property
    def block_frames(self) -> int:
        """Frames in a block of 20 ms, or as near to it as the rate allows."""
        return round(self.rate_hz * BLOCK_MS / 1000)

    def __str__(self) -> str:
        return f"{self.rate_hz} Hz, {self.channels} channels, {self.sample_type}"


def formats(direction: Direction, device: Device, channel: Channel, sample_type: str) -> Iterator[StreamFormat]:
    """Give the forms to try, the best one first. Raises DeviceUnavailable where the device has no such channel."""
    counts = _channel_counts(direction, device, channel)
    rates_hz = dict.fromkeys((SAMPLE_RATE_HZ, device.default_rate_hz, *_USUAL_RATES_HZ))
    return (
        StreamFormat(rate_hz, count, sample_type) for rate_hz in rates_hz if can_convert(rate_hz) for count in counts
    )


def rates_text() -> str:
    """Return all rates that are tried, in kHz, for a sentence."""
    rates_khz = [f"{rate_hz / 1000:g}" for rate_hz in sorted((SAMPLE_RATE_HZ, *_USUAL_RATES_HZ))]
    return f"{', '.join(rates_khz[:-1])} and {rates_khz[-1]} kHz"


def _channel_counts(direction: Direction, device: Device, channel: Channel) -> list[int]:
    most = device.max_input_channels if direction == "input" else device.max_output_channels
    if isinstance(channel, int) and not 1 <= channel <= most:
        what = "microphone" if direction == "input" else "output device"
        have = "1 channel" if most == 1 else f"{most} channels"
        raise DeviceUnavailable(
            f"The {what} “{device.name}” has {have}, so there is no channel {channel}: choose one of these."
        )
    several = min(2, most)
    match channel:
        case None:
            wanted = [1, several, most]
        case "mix":
            wanted = [most if most <= _MOST_CHANNELS else several, several, most]
        case _:
            # Mono would be what the system makes of all channels. The output's is a pair.
            last = channel if direction == "input" else min(channel + 1, most)
            wanted = [max(several, last), most]
    return list(dict.fromkeys(wanted))


def captured(data: NDArray[Any], channel: Channel) -> Samples:
    """Return what a microphone gave, of shape (frames, channels) in any of `SAMPLE_TYPES`, as mono samples."""
    if channel == "mix":
        samples = data.mean(axis=1, dtype=np.float64)
    else:
        samples = data[:, channel - 1 if channel is not None else 0]
        if data.dtype == np.int16:
            return samples
    return to_int16(samples / _FULL_SCALES[data.dtype.name])


def play(samples: Samples, data: NDArray[Any], channel: Channel) -> None:
    """Write mono samples into what a device is given: on every channel, or on the pair that begins with `channel`."""
    if isinstance(channel, int):
        data[:] = 0
        data = data[:, channel - 1 : channel + 1]
    scaled = samples if data.dtype == np.int16 else samples * (_FULL_SCALES[data.dtype.name] / FULL_SCALE)
    data[:] = scaled[:, np.newaxis]
