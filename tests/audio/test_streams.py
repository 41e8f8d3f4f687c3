"""The ends of the audio path: the silent clock keeps the same contract as a real device, and a real device is given
exactly what was added, recorded from the monitor of a sound server."""

import json
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.audio.fades import FADE_SAMPLES
from simulator.audio.streams import DeviceClock
from simulator.units import NS_PER_MS, NS_PER_S
from tests.audio.fidelity import difference_db, voice_at
from tests.audio.stream_programs import CUT, WHOLE, voice
from tests.rig.sound import SoundServer, recorded
from tests.rig.sound import sound_server as sound_server_of_its_own

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 60


class Sink:
    """A sink of its own for one test, at the rate that needs no resampling, and the environment that chooses it."""

    def __init__(self, server: SoundServer, name: str) -> None:
        self.server = server
        self.name = name
        self.monitor = f"{name}.monitor"
        self.env = server.env | {"PULSE_SINK": name, "PULSE_SOURCE": self.monitor}


@pytest.fixture
def sink(sound_server: SoundServer) -> Iterator[Sink]:
    name = f"sink_{uuid.uuid4().hex[:8]}"
    options = ("norewinds=1", "rate=24000", "channels=1", "format=s16le")
    module = sound_server.pactl("load-module", "module-null-sink", f"sink_name={name}", *options).strip()
    yield Sink(sound_server, name)
    sound_server.pactl("unload-module", module)


@pytest.fixture(params=["silent", pytest.param("device", marks=pytest.mark.sound)])
def output_kind(request: pytest.FixtureRequest) -> str:
    """Either output: what is asked of one is asked of the other."""
    return str(request.param)


@pytest.fixture
def output_env(output_kind: str, request: pytest.FixtureRequest) -> dict[str, str] | None:
    """The environment in which that output works."""
    return request.getfixturevalue("sink").env if output_kind == "device" else None


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "tests.audio.stream_programs", *arguments]


def run(env: dict[str, str] | None, *arguments: str) -> dict[str, Any]:
    answer = subprocess.run(
        command(*arguments), env=env, cwd=ROOT, stdout=subprocess.PIPE, text=True, timeout=TIMEOUT_S, check=True
    )
    return json.loads(answer.stdout.splitlines()[-1])  # type: ignore[no-any-return]


def test_an_output_plays_an_item_to_its_end_and_stops_at_a_cut(
    output_kind: str, output_env: dict[str, str] | None
) -> None:
    result = run(output_env, "plays", output_kind)
    assert [event["item_id"] for event in result["started"]] == ["whole", "cut"]
    assert [(event["item_id"], event["handed_samples"]) for event in result["ended"]] == [("whole", 12_000)]
    assert result["gaps"] == 0
    (heard,) = result["heard"]
    assert heard["received_samples"] == 48_000
    assert 12_000 <= heard["handed_samples"] < 48_000
    assert heard["begun"]
    assert result["handed_later"] == heard["handed_samples"]


def test_an_output_says_when_the_last_sound_was_handed_and_when_it_leaves_the_device(
    output_kind: str, output_env: dict[str, str] | None
) -> None:
    result = run(output_env, "plays", output_kind)
    last = result["last_sound"]
    assert last["handed_ns"] >= result["started"][1]["handed_ns"]
    assert last["dac_ns"] > last["handed_ns"]
    assert last["dac_ns"] - last["handed_ns"] < NS_PER_S


def test_an_output_wakes_the_loop_once_a_block_and_ends_for_good_when_closed(
    output_kind: str, output_env: dict[str, str] | None
) -> None:
    result = run(output_env, "plays", output_kind)
    running, closed = result["running"], result["closed"]
    assert running["alive"]
    assert running["fault"] is None
    assert running["rate_hz"] == 24_000
    assert running["callbacks"] - 5 <= result["wakes"] <= closed["callbacks"]
    assert not closed["alive"]
    assert result["callbacks_after_close"] == 0


def test_an_exception_in_the_callback_is_reported_and_playing_goes_on(
    output_kind: str, output_env: dict[str, str] | None
) -> None:
    result = run(output_env, "survives_a_fault", output_kind)
    assert result == {"fault": "RuntimeError: broken on purpose", "alive": True}


def recording(sink: Sink) -> AbstractContextManager[list[bytes]]:
    """Record what the sink plays, from before the block until it ends; what was recorded is complete after it."""
    line = sink.server.command("pacat", "--record", f"--device={sink.monitor}", "--latency-msec=20")
    return recorded(line, sink.server.env)


def starts_of(piece: NDArray[np.int16], heard: NDArray[np.int16]) -> list[int]:
    """Where `piece` lies in `heard`, sample for sample."""
    windows = np.lib.stride_tricks.sliding_window_view(heard, 64)
    starts = np.flatnonzero((windows == piece[:64]).all(axis=1)).tolist()
    return [start for start in starts if np.array_equal(heard[start : start + len(piece)], piece)]


@pytest.mark.sound
def test_the_loudspeaker_gets_exactly_what_was_handed_and_after_a_cut_a_fade_and_silence(sink: Sink) -> None:
    with recording(sink) as pieces:
        result = run(sink.env, "plays", "device")
    heard = np.frombuffer(b"".join(pieces), dtype="<i2").astype(np.int16)
    (whole_at,) = starts_of(WHOLE, heard)
    handed = result["heard"][0]["handed_samples"]
    (cut_at,) = starts_of(CUT[:handed], heard)
    assert not heard[:whole_at].any()
    assert not heard[whole_at + 12_000 : cut_at].any()
    assert not heard[cut_at + handed + FADE_SAMPLES :].any()
    assert len(heard) > cut_at + handed + 4_800


@pytest.mark.sound
def test_a_real_stream_gives_its_latency_and_dac_times(sink: Sink) -> None:
    result = run(sink.env, "plays", "device")
    assert 20 <= result["running"]["latency_ns"] / NS_PER_MS <= 200
    assert result["running"]["dac_source"] in ("dac", "latency")
    # The stream's clock and its latency agree on how far ahead of the sound the blocks are asked for.
    ahead_ms = (result["started"][0]["dac_ns"] - result["started"][0]["handed_ns"]) / NS_PER_MS
    assert 0 < ahead_ms < 500


@pytest.mark.sound
@pytest.mark.usefixtures("sound_server")
def test_a_device_that_goes_while_playing_is_noticed() -> None:
    """Its sound server is taken away: where another sink is left, the server would move the stream there."""
    with sound_server_of_its_own() as server:
        program = subprocess.Popen(
            command("loses_its_device"), env=server.env, cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        assert program.stdout is not None
        assert program.stdout.readline() == "playing\n"
        os.kill(server.pid, signal.SIGTERM)
        output, _ = program.communicate(timeout=TIMEOUT_S)
    assert program.returncode == 0
    assert 0 < json.loads(output)["handed"] < 60 * 24_000


@pytest.mark.sound
def test_the_microphone_gives_what_is_said_into_it_sample_for_sample(sink: Sink) -> None:
    speech = voice(0.5, seed=9)
    with subprocess.Popen(
        command("records", "72000"), env=sink.env, cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "recording\n"
        say = sink.server.command("pacat", "--playback", f"--device={sink.name}", "--latency-msec=50")
        subprocess.run(say, env=sink.server.env, input=speech.astype("<i2").tobytes(), timeout=30, check=True)
        output, _ = program.communicate(timeout=TIMEOUT_S)
    result = json.loads(output)
    heard = np.array(result["heard"], dtype=np.int16)
    (start,) = starts_of(speech, heard)
    assert not heard[:start].any()
    assert not heard[start + len(speech) :].any()
    assert result["positions"] == [number * 480 for number in range(len(result["positions"]))]
    assert all(late_ns >= 0 for late_ns in result["lateness_ns"])
    assert result["lost"] == 0
    assert result["state"]["rate_hz"] == 24_000


RATES_HZ = (8_000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 88_200, 96_000, 192_000)


@pytest.mark.sound
def test_what_is_played_on_a_card_of_any_rate_is_recorded_from_it_within_60_db(
    sound_server: SoundServer, tmp_path: Path
) -> None:
    options = ("norewinds=1", "channels=2", "format=s16le")
    sinks = [
        sound_server.pactl("load-module", "module-null-sink", f"sink_name=rate_{rate_hz}", f"rate={rate_hz}", *options)
        for rate_hz in RATES_HZ
    ]
    states = run(sound_server.env, "loops", str(tmp_path), *map(str, RATES_HZ))
    for sink in sinks:
        sound_server.pactl("unload-module", sink.strip())
    differences = {}
    for rate_hz in RATES_HZ:
        for state in states[str(rate_hz)].values():
            assert (state["rate_hz"], state["channels"], state["fault"]) == (rate_hz, 2, None)
            assert state["conversion_delay_ns"] == 50 * NS_PER_S // min(rate_hz, 24_000)
        spoken = voice_at(24_000, 0.5, 0.4 * min(rate_hz, 24_000))
        differences[rate_hz], _ = difference_db(spoken, np.load(tmp_path / f"{rate_hz}.npy"))
    assert {rate_hz: db for rate_hz, db in differences.items() if db > -60} == {}


@pytest.mark.sound
def test_a_computer_without_a_loudspeaker_gets_one_sentence(sound_server: SoundServer) -> None:
    result = run(sound_server.env | {"PULSE_SERVER": "unix:/nowhere"}, "opens")
    assert result["error"] == "AudioUnavailable"
    assert "has no loudspeaker" in result["sentence"]


def test_a_stream_clock_is_translated_by_the_most_punctual_callback() -> None:
    clock = DeviceClock()
    clock.measure(10.0, 50 * NS_PER_S + 4 * NS_PER_MS)
    clock.measure(10.02, 50 * NS_PER_S + 21 * NS_PER_MS)
    # The second callback ran 1 ms after the stream took its time, the first one 4 ms.
    assert clock.monotonic_ns(10.1) == 50 * NS_PER_S + 101 * NS_PER_MS
    clock.measure(10.04, 50 * NS_PER_S + 55 * NS_PER_MS)
    # The third one came late; it may be the clocks' drift by 300 millionths of the 34 ms since the second.
    assert clock.monotonic_ns(10.1) - (50 * NS_PER_S + 101 * NS_PER_MS) == 34 * NS_PER_MS * 300 // 1_000_000


def test_a_stream_clock_that_jumps_is_measured_anew() -> None:
    clock = DeviceClock()
    clock.measure(1000.0, 50 * NS_PER_S)
    clock.measure(10.0, 51 * NS_PER_S)
    assert clock.monotonic_ns(10.5) == 51 * NS_PER_S + 500 * NS_PER_MS


def test_a_clock_that_was_never_measured_translates_nothing() -> None:
    with pytest.raises(ValueError, match="never measured"):
        DeviceClock().monotonic_ns(1.0)
