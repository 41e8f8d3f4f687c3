"""What the devices page tries: a level, a tone, and what was said played back, each by a process of its own."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.audio.levels import dbfs_peak
from simulator.audio.trial import TONE_HZ, TONE_S, tone
from simulator.units import SAMPLE_RATE_HZ
from tests.rig.sound import Plug, SoundServer
from tests.rig.sound import sound_server as sound_server_of_its_own

COMMAND = [sys.executable, "-P", "-m", "simulator.audio.trial"]
RAW = ["--raw", "--format=s16le", "--rate=24000", "--channels=1"]
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def headset(sound_server: SoundServer) -> Iterator[Plug]:
    """A device that is plugged in."""
    with sound_server_of_its_own() as server:
        plug = Plug(server, "headset")
        plug.plug_in()
        yield plug
        plug.unplug()


def trial(plug: Plug, do: str, name: str = "headset") -> "subprocess.Popen[bytes]":
    named = [name, "ALSA", None]
    question = json.dumps({"do": do, "input": named, "output": named})
    return subprocess.Popen(
        [*COMMAND, question],
        env=plug.env | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def lines(process: "subprocess.Popen[bytes]") -> Iterator[dict[str, Any]]:
    assert process.stdout is not None
    return map(json.loads, process.stdout)


def test_the_tone_is_soft_and_begins_and_ends_without_a_click() -> None:
    samples = tone()
    assert dbfs_peak(samples) == pytest.approx(-20, abs=0.1)
    assert abs(int(samples[0])) < 10
    assert abs(int(samples[-1])) < 50
    spectrum = np.abs(np.fft.rfft(samples))
    assert np.argmax(spectrum) * SAMPLE_RATE_HZ / len(samples) == pytest.approx(TONE_HZ, abs=1)


@pytest.mark.sound
def test_the_tone_is_heard_at_the_chosen_loudspeaker(headset: Plug) -> None:
    with subprocess.Popen(
        ["parecord", *RAW, "--device=output.monitor"], env=headset.env, stdout=subprocess.PIPE
    ) as recorder:
        assert recorder.stdout is not None
        heard = [recorder.stdout.read(960)]
        reading = threading.Thread(target=lambda: heard.append(recorder.stdout.read()))  # type: ignore[union-attr]
        reading.start()
        with trial(headset, "tone") as process:
            told = list(lines(process))
        recorder.terminate()
        reading.join()
    assert told[-1] == {"state": "done"}
    assert {"opened": "headset", "rate_hz": 24_000, "channels": 1} in told
    samples = np.frombuffer(b"".join(heard), dtype="<i2")
    sound = samples[np.flatnonzero(samples)]
    assert len(sound) / SAMPLE_RATE_HZ == pytest.approx(TONE_S, abs=0.1)


@pytest.mark.sound
def test_the_level_of_the_chosen_microphone_is_told_until_nobody_listens(headset: Plug, tmp_path: Path) -> None:
    spoken = tmp_path / "speech.raw"
    spoken.write_bytes(np.full(60 * SAMPLE_RATE_HZ, 3_277, dtype="<i2").tobytes())
    player = subprocess.Popen(["paplay", *RAW, "--device=input", str(spoken)], env=headset.env)
    try:
        with trial(headset, "level") as process:
            level = next(line["level"] for line in lines(process) if line.get("level", [-120])[0] > -60)
            assert process.stdin is not None
            process.stdin.close()
            assert process.wait(10) == 0
    finally:
        player.terminate()
        player.wait()
    assert level[1] == pytest.approx(-20, abs=0.1)


@pytest.mark.sound
def test_what_was_said_is_played_back(headset: Plug) -> None:
    with trial(headset, "repeat") as process:
        states = [line["state"] for line in lines(process) if "state" in line]
    assert states == ["recording", "playing", "done"]


@pytest.mark.sound
def test_a_device_that_is_not_there_is_said_in_one_sentence(headset: Plug) -> None:
    with trial(headset, "level", "webcam") as process:
        last = list(lines(process))[-1]
        assert process.wait(10) == 3
    assert last["error"].startswith("There is no microphone “webcam (ALSA)”; there is “")
