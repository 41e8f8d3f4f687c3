"""A stand-in for PortAudio: opens what a test lets it open, and lets the test be the device's clock."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.audio import device_stream
from simulator.audio.devices import Device

INVALID_RATE, INVALID_CHANNELS, INVALID_SAMPLES = -9997, -9998, -9994
DEVICE_UNAVAILABLE, UNANTICIPATED = -9985, -9999

CARD = Device("Card", "ALSA", 2, 2, 48_000, is_default_input=True, is_default_output=True)

Refusal = Callable[[int, int, str], int | None]
"""PortAudio's code for a rate, a number of channels and a sample type; None: it opens."""


class PortAudioError(Exception):
    """As sounddevice raises it: a text and PortAudio's code."""


class FakeStream:
    """An open stream, whose callback a test calls."""

    def __init__(self, form: tuple[int, int, str], blocksize: int, callback: Any) -> None:
        self.samplerate, self.channels, self.dtype = float(form[0]), form[1], form[2]
        self.latency = 0.06
        self._callback = callback
        self.block = np.zeros((blocksize, self.channels), dtype=self.dtype)

    def start(self) -> None:
        """Begin: the test calls."""

    def call(self, current_s: float = 10.0, dac_s: float = 10.08, adc_s: float = 9.98) -> NDArray[Any]:
        """Call the callback as PortAudio does, and return the block."""
        times = SimpleNamespace(currentTime=current_s, outputBufferDacTime=dac_s, inputBufferAdcTime=adc_s)
        self._callback(self.block, len(self.block), times, False)
        return self.block

    def abort(self) -> None:
        """Stop."""

    def close(self) -> None:
        """Stop for good."""


class FakePortAudio:
    """Stands in for the `sounddevice` module."""

    PortAudioError = PortAudioError

    def __init__(self, refusal: Refusal) -> None:
        self.refusal = refusal
        self.tried: list[tuple[int, int, str]] = []
        self.streams: list[FakeStream] = []
        self.InputStream = self.OutputStream = self._open

    def _open(
        self, *, samplerate: int, channels: int, dtype: str, blocksize: int, callback: Any, **_: object
    ) -> FakeStream:
        form = (samplerate, channels, dtype)
        self.tried.append(form)
        code = self.refusal(*form)
        if code is not None:
            raise PortAudioError("refused", code)
        stream = FakeStream(form, blocksize, callback)
        self.streams.append(stream)
        return stream

    @property
    def stream(self) -> FakeStream:
        """The stream that was opened."""
        (stream,) = self.streams
        return stream


def install(
    monkeypatch: pytest.MonkeyPatch, refusal: Refusal = lambda *form: None, device: Device = CARD
) -> FakePortAudio:
    """Put a stand-in with one device in PortAudio's place."""
    fake = FakePortAudio(refusal)
    monkeypatch.setattr(device_stream, "portaudio", lambda: fake)
    monkeypatch.setattr(device_stream, "index_here", lambda chosen, direction: (0, device))
    return fake


def only(rate_hz: int, channels: int, sample_type: str = "int16") -> Refusal:
    """Refuse everything but this form, with the code that a device gives."""

    def refusal(asked_hz: int, asked_channels: int, asked_type: str) -> int | None:
        if asked_type != sample_type:
            return INVALID_SAMPLES
        if asked_hz != rate_hz:
            return INVALID_RATE
        return None if asked_channels == channels else INVALID_CHANNELS

    return refusal
