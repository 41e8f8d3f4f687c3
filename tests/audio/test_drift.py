"""An hour in seconds: a microphone whose clock runs fast by 100 millionths and an output whose clock runs slow by as
much. After it they are 360 ms away from the session's clock, and 720 ms from each other."""

from types import SimpleNamespace
from typing import Any, Final

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.audio import device_stream
from simulator.audio.lanes import CapturedTrack, HandedTrack
from simulator.audio.playout import AudioHanded, Playout
from simulator.audio.ring import BlockTimeRing, SampleRing
from simulator.audio.streams import InputStream, OutputStream
from simulator.participant.recorder import HeardTrack
from simulator.units import BLOCK_SAMPLES, NS_PER_S, SAMPLE_RATE_HZ
from tests.audio.portaudio import FakeStream, install

HOUR_S: Final = 3_600
START_NS: Final = 1_000 * NS_PER_S
CLICK: Final = 20_000
QUEUE_S: Final = 0.06
"""What the output device queues."""


class Clock:
    """The session's clock, as the streams read it, and a loop that nobody waits in."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now_ns = START_NS
        monkeypatch.setattr(device_stream, "time", SimpleNamespace(monotonic_ns=lambda: self.now_ns))
        self.loop: Any = SimpleNamespace(call_soon_threadsafe=lambda callback: None)


class Device:
    """Calls its stream's callback every 20 ms of its own clock, a few ms late."""

    def __init__(self, clock: Clock, stream: FakeStream, ppm: float, seed: int) -> None:
        self._clock = clock
        self._stream = stream
        self._speed = 1 + ppm / 1e6
        late_s = np.random.default_rng(seed).exponential(0.002, 1000)
        self._late_s = np.minimum(late_s, 0.015).tolist()
        self.blocks = 0

    @property
    def due_s(self) -> float:
        """When the next block begins, in seconds of the session."""
        return self.blocks * BLOCK_SAMPLES / SAMPLE_RATE_HZ / self._speed

    def session_s(self, sample: int) -> float:
        """When the device's clock comes to this sample."""
        return sample / SAMPLE_RATE_HZ / self._speed

    def call(self) -> None:
        """Give or take a block."""
        called_s = self.due_s + self._late_s[self.blocks % len(self._late_s)]
        self._clock.now_ns = START_NS + round(called_s * NS_PER_S)
        own_s = 500 + called_s * self._speed
        begun_s = 500 + self.due_s * self._speed
        self._stream.call(own_s, begun_s + QUEUE_S, begun_s - BLOCK_SAMPLES / SAMPLE_RATE_HZ)
        self.blocks += 1


class Session:
    """Both devices, and the record's two channels."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, ppm: float) -> None:
        self.clock = Clock(monkeypatch)
        portaudio = install(monkeypatch)
        self.ring, self.playout = SampleRing(SAMPLE_RATE_HZ), Playout()
        self.times = BlockTimeRing(64)
        InputStream(self.ring, self.times, None, lambda: None, self.clock.loop)
        OutputStream(self.playout, None, lambda: None, self.clock.loop)
        self._said = portaudio.streams[0].block
        self.microphone = Device(self.clock, portaudio.streams[0], ppm, seed=1)
        self.output = Device(self.clock, portaudio.streams[1], -ppm, seed=2)
        self.captured, self.handed = CapturedTrack(START_NS), HandedTrack(START_NS)
        self.heard = HeardTrack(self._write)
        self.written = 0
        self.clicks: tuple[list[int], list[int]] = ([], [])
        """Where each channel of the record has its clicks."""
        self.said_at_s: list[float] = []
        self.handed_at_s: list[float] = []
        self._chunk = np.zeros(BLOCK_SAMPLES, dtype=np.int16)

    def speak(self) -> None:
        """Let the microphone hear its next block: 20 ms, with a click every ten seconds."""
        self._said[:] = 0
        if self.microphone.blocks % 500 == 250:
            self._said[0] = CLICK
            self.said_at_s.append(self.microphone.session_s((self.microphone.blocks - 1) * BLOCK_SAMPLES))
        self.microphone.call()
        self.ring.read_into(self._chunk)
        block = self.times.block_of(self.ring.read_samples - 1)
        assert block is not None
        self.heard.place(0, *self.captured.place(self._chunk, block.ended_ns))

    def play(self) -> None:
        """Let the output take its next block."""
        self.output.call()
        for event in self.playout.progress():
            if isinstance(event, AudioHanded):
                if event.samples[0] == CLICK:
                    self.handed_at_s.append((event.handed_ns - START_NS) / NS_PER_S)
                self.heard.place(1, *self.handed.place(event))

    def _write(self, samples: NDArray[np.int16]) -> None:
        for channel in (0, 1):
            clicks = self.written + np.flatnonzero(samples[:, channel] > CLICK // 2)
            self.clicks[channel].extend(clicks.tolist())
        self.written += len(samples)


def test_the_record_stays_with_its_stamps_and_the_positions_with_the_ear_over_an_hour(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session = Session(monkeypatch, ppm=100)
    # The agent speaks for an hour without a pause, and so quietly that samples may be slipped: a click in ten seconds.
    reply = np.zeros(10 * SAMPLE_RATE_HZ, dtype=np.int16)
    reply[0] = CLICK
    worst_audible_s = 0.0
    while session.microphone.due_s < HOUR_S:
        if session.microphone.due_s <= session.output.due_s:
            session.speak()
        else:
            if session.playout.pending_samples() < SAMPLE_RATE_HZ:
                session.playout.add("a", reply, session.clock.now_ns)
            session.play()
            if session.output.blocks % 50 == 0:
                worst_audible_s = max(worst_audible_s, audible_error_s(session))
                session.heard.write_until(round((session.output.due_s - 0.5) * SAMPLE_RATE_HZ))
    session.heard.finish(HOUR_S * SAMPLE_RATE_HZ)
    assert worst_audible_s < 0.005
    for clicks, at_s in zip(session.clicks, (session.said_at_s, session.handed_at_s), strict=True):
        assert len(clicks) == len(at_s) >= 359
        assert np.abs(np.array(clicks) / SAMPLE_RATE_HZ - at_s).max() < 0.005
    # Every sample that was captured is there for the engine.
    assert session.ring.read_samples == session.microphone.blocks * BLOCK_SAMPLES
    assert session.ring.overwritten_samples == 0


def audible_error_s(session: Session) -> float:
    """How far what is said to be audible now is from what the device plays now."""
    played_s = (session.clock.now_ns - START_NS) / NS_PER_S - QUEUE_S
    audible = session.playout.audible_samples("a", session.clock.now_ns)
    begun = session.playout.handed_to_device - session.playout.handed_samples("a")
    return abs(session.output.session_s(begun + audible) - played_s)
