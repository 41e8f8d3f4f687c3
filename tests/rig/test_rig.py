"""The rig itself: what PortAudio sees, and that what is played is heard."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

import numpy as np
import psutil
import pytest

from tests.rig.display import Display
from tests.rig.sound import SoundServer

ROOT: Final = Path(__file__).resolve().parent.parent.parent

LIST_DEVICES = """
import json, sounddevice
print(json.dumps([[d["name"], d["max_input_channels"], d["max_output_channels"]] for d in sounddevice.query_devices()]))
"""

# A second of 440 Hz at half of full scale, through PortAudio's callback interface.
PLAY_SINE = """
import numpy, sounddevice
t = numpy.arange(24000) / 24000
sine = (16384 * numpy.sin(2 * numpy.pi * 440 * t)).astype("int16")
sounddevice.play(sine, samplerate=24000, device="pulse", blocking=True)
"""


@pytest.mark.sound
def test_portaudio_sees_the_sound_server_in_both_directions_and_nothing_else(sound_server: SoundServer) -> None:
    answer = subprocess.run(
        [sys.executable, "-P", "-c", LIST_DEVICES], env=sound_server.env, capture_output=True, timeout=30, check=True
    )
    devices = json.loads(answer.stdout)
    assert {name for name, _, _ in devices} == {"pulse", "default"}
    assert all(inputs > 0 and outputs > 0 for _, inputs, outputs in devices)


@pytest.mark.sound
def test_a_sine_played_by_portaudio_comes_back_from_the_monitor(sound_server: SoundServer) -> None:
    heard = _record_while_playing(sound_server, sound_server.speaker_monitor, PLAY_SINE)
    assert _frequency_hz(heard) == pytest.approx(440, abs=2)
    assert np.abs(heard.astype(int)).max() == pytest.approx(16384, rel=0.05)


@pytest.mark.sound
def test_what_is_said_into_the_microphone_is_what_its_source_gives(sound_server: SoundServer) -> None:
    sine = (8192 * np.sin(2 * np.pi * 300 * np.arange(24000) / 24000)).astype("<i2")
    say = sound_server.command("pacat", "--playback", f"--device={sound_server.microphone_input}")
    with _recording(sound_server, sound_server.microphone) as recorder:
        assert recorder.stdout is not None
        recorder.stdout.read(4800)
        subprocess.run(say, env=sound_server.env, input=sine.tobytes(), timeout=30, check=True)
        heard = np.frombuffer(recorder.stdout.read(2 * 24000), "<i2")
        recorder.terminate()
    assert _frequency_hz(heard) == pytest.approx(300, abs=2)


@pytest.mark.window
def test_a_qt_program_gets_a_window_on_the_display(x_display: Display) -> None:
    program = (
        "from PySide6.QtWidgets import QApplication, QWidget\n"
        "app = QApplication([])\n"
        "window = QWidget(); window.show()\n"
        "size = app.primaryScreen().size()\n"
        "print(app.platformName(), window.isVisible(), size.width(), size.height())\n"
    )
    answer = subprocess.run(
        [sys.executable, "-P", "-c", program], env=x_display.env, capture_output=True, text=True, timeout=30, check=True
    )
    assert answer.stdout.split() == ["xcb", "True", "1920", "1080"]


@pytest.mark.sound
@pytest.mark.window
@pytest.mark.usefixtures("sound_server", "x_display")
def test_the_servers_do_not_outlive_a_test_run_that_is_killed() -> None:
    program = (
        "import sys\n"
        "from tests.rig.display import x_display\n"
        "from tests.rig.sound import sound_server\n"
        "with sound_server() as sound, x_display() as display:\n"
        "    print(sound.pid, display.pid, flush=True)\n"
        "    sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as run:
        assert run.stdout is not None
        servers = [psutil.Process(int(pid)) for pid in run.stdout.readline().split()]
        run.kill()
        run.wait(10)
    assert len(servers) == 2
    _, alive = psutil.wait_procs(servers, timeout=10)
    assert alive == []


def _recording(server: SoundServer, source: str) -> "subprocess.Popen[bytes]":
    command = server.command("pacat", "--record", f"--device={source}", "--latency-msec=20")
    return subprocess.Popen(command, env=server.env, stdout=subprocess.PIPE)


def _record_while_playing(
    server: SoundServer, source: str, program: str
) -> "np.ndarray[tuple[int], np.dtype[np.int16]]":
    """Return what `source` gave from before the program started until after it ended."""
    with _recording(server, source) as recorder:
        assert recorder.stdout is not None
        first = recorder.stdout.read(4800)
        subprocess.run([sys.executable, "-P", "-c", program], env=server.env, timeout=30, check=True)
        recorder.terminate()
        return np.frombuffer(first + recorder.stdout.read(), "<i2")


def _frequency_hz(heard: "np.ndarray[tuple[int], np.dtype[np.int16]]") -> float:
    """Return the strongest frequency of what was heard."""
    spectrum = np.abs(np.fft.rfft(heard * np.hanning(heard.size)))
    return float(np.argmax(spectrum) * 24000 / heard.size)
