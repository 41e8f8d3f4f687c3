"""The round trip of a pair of devices: chirps are found wherever they come back, and nowhere else."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.audio.latencies import FILE_NAME, RoundTrip, keep_latency, latency_of, load_latencies
from simulator.audio.round_trip import CHIRPS, Samples, answers, places, train
from simulator.cli import main
from simulator.errors import UnreadableFile
from tests.rig.sound import SoundServer

ROOT = Path(__file__).resolve().parents[2]


def room(late_samples: int, *, level: float = 1.0, noise: float = 0.0, seconds: float = 8) -> Samples:
    """What a microphone hears whose first sample was captured when the train began."""
    heard = np.random.default_rng(5).normal(0, noise, round(seconds * 24_000)) if noise else np.zeros(8 * 24_000)
    played = train() * level
    begins = max(0, late_samples)
    played = played[begins - late_samples :]
    heard[begins : begins + len(played)] += played
    return np.clip(np.rint(heard), -32_768, 32_767).astype(np.int16)


@pytest.mark.parametrize("late_samples", [-2_000, 0, 7, 480, 2_400, 24_000, 47_900])
def test_every_chirp_is_found_to_the_sample_however_late(late_samples: int) -> None:
    found = answers(room(late_samples), [float(place) for place in places()])
    assert [answer.late_samples for answer in found] == [late_samples] * CHIRPS


@pytest.mark.parametrize(("level", "noise"), [(0.3, 300), (0.05, 100), (0.02, 100)])
def test_noise_of_the_room_moves_the_answer_by_a_tenth_of_a_millisecond_at_most(level: float, noise: float) -> None:
    """The softest chirps have an amplitude of 200, two times that of the noise."""
    found = answers(room(3_000, level=level, noise=noise), [float(place) for place in places()])
    assert len(found) == CHIRPS
    assert all(abs(answer.late_samples - 3_000) <= 2.4 for answer in found)
    assert all(16 < answer.snr_db < 60 for answer in found)


def test_an_echo_of_the_room_is_not_taken_for_the_sound_itself() -> None:
    heard = room(1_200) // 2 + room(1_200 + 600) // 4 + room(1_200 + 5_000) // 5
    found = answers(heard, [float(place) for place in places()])
    assert [answer.late_samples for answer in found] == [1_200] * CHIRPS


@pytest.mark.parametrize("noise", [0, 1, 1_000, 8_000])
def test_where_nothing_comes_back_nothing_is_found(noise: float) -> None:
    heard = room(0, level=0, noise=noise)
    assert len(answers(heard, [float(place) for place in places()])) <= 1


def test_speech_is_no_answer() -> None:
    """A voice of many harmonics that rises and falls, as loud as the chirps."""
    at_s = np.arange(8 * 24_000) / 24_000
    pitch = 2 * np.pi * np.cumsum(140 + 40 * np.sin(2 * np.pi * 1.3 * at_s)) / 24_000
    voice = sum(np.sin(number * pitch) / number for number in range(1, 25)) * (1 + np.sin(2 * np.pi * 4 * at_s))
    heard = np.rint(2_000 * np.asarray(voice)).astype(np.int16)
    assert len(answers(heard, [float(place) for place in places()])) < 5


def test_chirps_that_were_lost_are_left_out_and_the_others_count() -> None:
    heard = room(2_400, noise=10)
    for place in places()[3:6]:
        heard[place + 2_400 - 200 : place + 2_400 + 1_500] = 0
    found = answers(heard, [float(place) for place in places()])
    assert [answer.late_samples for answer in found] == [2_400] * 7


def test_a_recording_that_is_too_short_holds_nothing() -> None:
    assert answers(np.zeros(100, dtype=np.int16), [float(place) for place in places()]) == []


def measured(**changed: Any) -> RoundTrip:
    fields: dict[str, Any] = {
        "output": "Speaker",
        "output_host_api": "ALSA",
        "input": "Headset",
        "input_host_api": "ALSA",
        "measured_at": "2026-12-01T10:00:00+01:00",
        "round_trip_ms": 130.0,
        "spread_ms": 0.5,
        "chirps": 10,
        "chirps_played": 10,
        "snr_db": 40.0,
        "reported_output_ms": 60.0,
        "reported_input_ms": 20.0,
        "output_source": "dac",
        "output_rate_hz": 24_000,
        "input_rate_hz": 24_000,
    }
    return RoundTrip(**fields | changed)


def test_what_the_devices_did_not_report_is_counted_as_the_outputs() -> None:
    """130 ms, of which 60 and 20 were reported: the output takes 110 ms, 50 more than it says."""
    assert measured().output_ms == 110
    assert measured().output_offset_ms == 50


def test_a_person_reads_what_was_measured_and_what_follows() -> None:
    assert measured().sentences().splitlines() == [
        "“Speaker” to “Headset”: round trip 130.0 ms (median of 10 of 10 chirps, spread 0.5 ms, SNR 40 dB).",
        "The devices report 60.0 ms for the output and 20.0 ms for the microphone.",
        "Sessions with this output count 110.0 ms until the agent is heard from now on, 50.0 ms more than it says.",
    ]


@pytest.mark.parametrize(("name", "warned"), [("default", True), ("Primary Sound Driver", True), ("Speaker", False)])
def test_a_name_that_stands_for_any_device_is_warned_of(name: str, warned: bool) -> None:
    assert ("measure again" in measured(output=name).sentences()) is warned


def test_devices_to_measure_are_named_only_where_something_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["devices", "--output", "Speaker"]) == 3
    assert "add --latency" in capsys.readouterr().err


def test_devices_that_report_too_much_are_believed_in_proportion() -> None:
    """40 ms where 60 and 20 were reported: three quarters of it are the output's."""
    assert measured(round_trip_ms=40.0).output_ms == 30
    assert measured(round_trip_ms=40.0).output_offset_ms == -30
    assert measured(round_trip_ms=-1.0).output_ms == 0


def test_measurements_are_kept_one_a_pair_and_found_by_the_pair_or_the_output(tmp_path: Path) -> None:
    path = tmp_path / "new" / FILE_NAME
    assert load_latencies(path) == []
    for each in (measured(round_trip_ms=1.0), measured(), measured(input="Desk"), measured(output="Hall")):
        keep_latency(path, each)
    known = load_latencies(path)
    assert len(known) == 3
    assert latency_of(known, ("Speaker", "ALSA"), ("Headset", "ALSA")) == measured()
    assert latency_of(known, ("Speaker", "ALSA"), None) == measured(input="Desk")
    assert latency_of(known, ("Speaker", "ALSA"), ("Unknown", "ALSA")) == measured(input="Desk")
    assert latency_of(known, ("Speaker", "WASAPI"), None) is None


def test_a_damaged_file_is_said_to_be_damaged_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    path.write_text("no JSON")
    with pytest.raises(UnreadableFile, match="delete the file"):
        load_latencies(path)
    with pytest.raises(UnreadableFile):
        keep_latency(path, measured())
    assert path.read_text() == "no JSON"


def devices_latency(env: dict[str, str], *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "simulator", "devices", "--latency", *arguments],
        env=env,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.sound
@pytest.mark.parametrize("direction", ["output", "input"])
def test_a_device_that_is_not_there_is_told_and_no_chirps(sound_server: SoundServer, direction: str) -> None:
    running = devices_latency(sound_server.env, f"--{direction}", "Nowhere")
    _, told = running.communicate(timeout=60)
    assert running.returncode == 3
    (sentence,) = [line for line in told.splitlines() if not line.startswith("ALSA lib")]
    assert "“Nowhere”; there is" in sentence


@pytest.mark.sound
def test_a_longer_way_is_measured_as_longer_and_kept_and_a_broken_one_is_told(
    sound_server: SoundServer, tmp_path: Path
) -> None:
    """Three pairs at once: from loudspeaker to microphone 100 ms, 300 ms, and no way at all."""
    running = []
    modules = []
    try:
        for number, latency_ms in enumerate((100, 300, None)):
            for name in (f"out_{number}", f"in_{number}"):
                sink = ("norewinds=1", "rate=24000", "channels=1", "format=s16le")
                modules.append(sound_server.pactl("load-module", "module-null-sink", f"sink_name={name}", *sink))
            if latency_ms is not None:
                way = (f"source=out_{number}.monitor", f"sink=in_{number}", f"latency_msec={latency_ms}")
                modules.append(sound_server.pactl("load-module", "module-loopback", *way))
            env = sound_server.env | {
                "PULSE_SINK": f"out_{number}",
                "PULSE_SOURCE": f"in_{number}.monitor",
                "PARTICIPANT_SIMULATOR_CONFIG": str(tmp_path / str(number)),
            }
            running.append(devices_latency(env, "--json"))
        short, long, broken = [(*each.communicate(timeout=60), each.returncode) for each in running]
    finally:
        for module in reversed(modules):
            sound_server.pactl("unload-module", module.strip())
    results = [json.loads(each[0]) for each in (short, long)]
    # The server's ways are as long as was asked for, and longer on a busy computer; its devices add some tens of ms.
    assert results[0]["round_trip_ms"] > 90
    assert results[1]["round_trip_ms"] > max(290, results[0]["round_trip_ms"])
    assert all(5 <= each["chirps"] <= each["chirps_played"] == 10 for each in results)
    assert all(each["round_trip_ms"] < 1_000 for each in results)
    for number, result in enumerate(results):
        (kept,) = load_latencies(tmp_path / str(number) / FILE_NAME)
        assert kept.round_trip_ms == result["round_trip_ms"]
    told = "Ten chirps are played: be silent for eight seconds."
    assert [each[1].splitlines().count(told) for each in (short, long, broken)] == [1, 1, 1]
    assert broken[2] == 3
    assert broken[1].splitlines()[-1].startswith("No click came back: ")
    assert not (tmp_path / "2" / FILE_NAME).exists()
