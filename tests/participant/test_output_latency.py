"""The agent's heard position counts what was measured of the output device, and the record says so."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from simulator.audio.devices import Device
from simulator.audio.latencies import FILE_NAME, keep_latency
from simulator.audio.playout import PlaybackStarted, Playout
from simulator.audio.streams import OutputStream
from simulator.participant.output_latency import OutputLatency
from simulator.units import NS_PER_MS
from tests.audio.loudspeaker import of_kind, tone
from tests.audio.portaudio import FakePortAudio, install
from tests.audio.test_round_trip import measured

HEADSET = Device("Headset", "ALSA", 1, 0, 48_000, is_default_input=False, is_default_output=False)


class Rig:
    """A device that says it is 80 ms late by its clock, and 60 ms by its latency."""

    def __init__(self, fake: FakePortAudio, microphone: Device | None) -> None:
        self.fake = fake
        self.playout = Playout()
        self.notes: list[tuple[str, dict[str, Any]]] = []
        self.latency = OutputLatency(lambda kind, fields: self.notes.append((kind, dict(fields))), lambda: microphone)
        self.output = OutputStream(self.playout, None, lambda: None, asyncio.get_running_loop())
        self.latency.correct(self.output)

    def late_ms(self, dac_s: float = 10.08) -> float:
        """Play one block, and return how late it is heard."""
        name = str(self.playout.blocks)
        self.playout.add(name, tone(1, 480), 0)
        self.playout.item_complete(name)
        self.fake.stream.call(dac_s=dac_s)
        started = of_kind(self.playout.progress(), PlaybackStarted)[-1]
        return round((started.dac_ns - started.handed_ns) / NS_PER_MS, 3)


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PARTICIPANT_SIMULATOR_CONFIG", str(tmp_path))
    return tmp_path / FILE_NAME


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakePortAudio:
    return install(monkeypatch)


async def test_a_device_that_was_never_measured_is_believed(config: Path, fake: FakePortAudio) -> None:
    rig = Rig(fake, HEADSET)
    assert rig.late_ms() == 80
    assert rig.output.state().dac_source == "dac"
    assert rig.latency.told(rig.output) == {"latency_from": "reported", "latency_ms": 60}


async def test_a_measured_device_is_as_late_as_was_measured_and_the_record_says_so(
    config: Path, fake: FakePortAudio
) -> None:
    """A round trip of 130 ms with 60 and 20 ms reported: the output is 50 ms later than it says."""
    keep_latency(config, measured(output="Card"))
    rig = Rig(fake, HEADSET)
    assert rig.late_ms() == 130
    assert rig.output.state().dac_source == "measured"
    assert rig.latency.told(rig.output) == {
        "latency_from": "measured",
        "latency_ms": 110,
        "latency_offset_ms": 50,
        "round_trip_ms": 130,
        "round_trip_spread_ms": 0.5,
        "measured_with": "Headset",
        "measured_at": "2026-12-01T10:00:00+01:00",
    }


async def test_what_was_measured_with_the_microphone_in_use_goes_first(config: Path, fake: FakePortAudio) -> None:
    keep_latency(config, measured(output="Card"))
    keep_latency(config, measured(output="Card", input="Desk", round_trip_ms=90.0))
    rig = Rig(fake, HEADSET)
    assert rig.latency.told(rig.output)["measured_with"] == "Headset"
    fake.streams.clear()
    assert Rig(fake, None).late_ms() == 90


async def test_a_figure_that_was_not_the_one_measured_is_left_as_it_is(config: Path, fake: FakePortAudio) -> None:
    """Measured by the device's clock; where that says nothing, its latency is all there is."""
    keep_latency(config, measured(output="Card"))
    rig = Rig(fake, HEADSET)
    assert rig.late_ms(dac_s=0) == 60
    assert rig.output.state().dac_source == "latency"


async def test_nothing_is_heard_before_it_is_handed(config: Path, fake: FakePortAudio) -> None:
    """15 ms measured, 60 and 20 reported: the output takes 11.25 ms, 48.75 less than it says."""
    keep_latency(config, measured(output="Card", round_trip_ms=15.0))
    rig = Rig(fake, HEADSET)
    assert rig.late_ms() == 31.25
    assert rig.late_ms(dac_s=10.04) == 0


async def test_a_damaged_file_is_a_problem_of_the_record_and_the_device_is_believed(
    config: Path, fake: FakePortAudio
) -> None:
    config.write_text("{")
    rig = Rig(fake, HEADSET)
    assert rig.late_ms() == 80
    ((kind, fields),) = rig.notes
    assert kind == "problem"
    assert (fields["whose"], fields["code"]) == ("environment", "latencies_unreadable")
