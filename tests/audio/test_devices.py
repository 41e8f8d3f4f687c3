"""Devices by name, and what is said where there are none."""

import os
import signal
import subprocess
import sys
import threading
from types import SimpleNamespace

import psutil
import pytest

from simulator.audio import devices
from simulator.audio.devices import Device, find, list_devices
from simulator.engines.children import child_environment
from simulator.errors import AudioUnavailable, DeviceUnavailable
from tests.rig.sound import SoundServer, sound_server


def device(name: str, host_api: str = "ALSA", inputs: int = 0, outputs: int = 2, default: bool = False) -> Device:
    return Device(name, host_api, inputs, outputs, 48_000, default and inputs > 0, default and outputs > 0)


def test_a_device_is_found_by_name_whatever_its_case() -> None:
    speakers = device("Speakers")
    assert find("speakers", direction="output", among=[device("Headset"), speakers]) is speakers


def test_upper_and_lower_case_tell_two_devices_apart() -> None:
    lower = device("usb")
    assert find("usb", direction="output", among=[device("USB"), lower]) is lower


def test_of_two_host_apis_the_default_one_goes_first_and_either_can_be_chosen() -> None:
    offered = [
        device("Speakers", "MME"),
        device("Speakers", "WASAPI"),
        device("Headset", "WASAPI", default=True),
    ]
    assert find("Speakers", direction="output", among=offered).host_api == "WASAPI"
    assert find("Speakers", "MME", direction="output", among=offered).host_api == "MME"


def test_a_device_that_only_plays_is_no_microphone() -> None:
    offered = [device("Speakers"), device("Webcam", inputs=1, outputs=0)]
    with pytest.raises(DeviceUnavailable, match="There is no microphone “Speakers”; there is “Webcam”"):
        find("Speakers", direction="input", among=offered)


def test_with_no_device_at_all_the_sentence_says_what_to_do() -> None:
    with pytest.raises(DeviceUnavailable, match="plug one in, or start a sound server"):
        find("Speakers", direction="output", among=[])


WITHOUT_PORTAUDIO = """
import ctypes.util, sys
ctypes.util.find_library = lambda name: None
sys.platform = "linux"
from simulator.audio import devices
sys.exit(devices.main())
"""


def test_without_portaudio_the_sentence_names_the_package() -> None:
    answer = subprocess.run(
        [sys.executable, "-c", WITHOUT_PORTAUDIO], capture_output=True, text=True, timeout=60, check=False
    )
    if '"devices"' in answer.stdout:
        pytest.skip("the wheel of sounddevice brings PortAudio on this system")
    assert answer.returncode == 3
    assert "libportaudio2" in answer.stdout
    assert len(answer.stdout.splitlines()) == 1


PURE_MODULES = """
import sys
from simulator.audio import pcm, levels, peaks, playout, resample, ring, streams, sources, devices
print([name for name in ("sounddevice", "soundfile", "soxr", "_sounddevice") if name in sys.modules])
"""


def test_no_audio_library_is_loaded_before_it_is_used() -> None:
    answer = subprocess.run(
        [sys.executable, "-c", PURE_MODULES], capture_output=True, text=True, timeout=60, check=True
    )
    assert answer.stdout.strip() == "[]"


def test_a_listing_that_fails_is_one_sentence_with_details_for_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess([], -11, stdout="", stderr="Segmentation fault")

    monkeypatch.setattr(subprocess, "run", broken)
    with pytest.raises(AudioUnavailable, match="could not be listed") as caught:
        list_devices()
    assert caught.value.details == "Segmentation fault"


def test_a_sound_system_that_hangs_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def hanging(command: list[str], timeout: float, **_: object) -> None:
        raise subprocess.TimeoutExpired(command, timeout)

    monkeypatch.setattr(subprocess, "run", hanging)
    with pytest.raises(AudioUnavailable, match="within 20 s"):
        list_devices()


@pytest.mark.sound
def test_the_devices_of_a_sound_server_are_listed_by_a_process_of_their_own(
    sound_server: SoundServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in sound_server.env.items():
        monkeypatch.setenv(name, value)
    listed = list_devices()
    assert {device.name for device in listed} == {"pulse", "default"}
    (default,) = [device for device in listed if device.is_default_output]
    assert default.is_default_input
    assert default.can("input")
    assert default.can("output")
    assert default.host_api == "ALSA"


@pytest.mark.sound
def test_a_list_that_hangs_ends_with_whoever_asked_for_it(sound_server: SoundServer) -> None:
    asking = "from simulator.audio.devices import list_devices; print(flush=True); list_devices()"
    with sound_server_of_its_own() as server:
        os.kill(server.pid, signal.SIGSTOP)
        try:
            with subprocess.Popen(
                [sys.executable, "-c", asking], env=child_environment() | server.env, stdout=subprocess.PIPE
            ) as parent:
                assert parent.stdout is not None
                parent.stdout.readline()
                while not (children := psutil.Process(parent.pid).children()):
                    assert parent.poll() is None
                parent.kill()
                assert psutil.wait_procs(children, timeout=10)[1] == []
        finally:
            os.kill(server.pid, signal.SIGCONT)


sound_server_of_its_own = sound_server


class RestartingPortAudio:
    """Stands in for the `sounddevice` module: starting anew takes until it may be done."""

    class PortAudioError(Exception):
        """As it is raised by every call before the start."""

    def __init__(self) -> None:
        self._initialized = 1
        self.starts, self.may_start = threading.Event(), threading.Event()
        self.default = SimpleNamespace(device=(-1, -1))

    def _terminate(self) -> None:
        self._initialized -= 1

    def _initialize(self) -> None:
        self.starts.set()
        self.may_start.wait(10)
        self._initialized += 1

    def query_hostapis(self) -> list[object]:
        if not self._initialized:
            raise self.PortAudioError("not initialised")
        return []

    def query_devices(self) -> list[object]:
        return []


def test_an_audio_library_that_is_being_started_anew_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    library = RestartingPortAudio()
    monkeypatch.setattr(devices, "portaudio", lambda: library)
    starting = threading.Thread(target=devices.reinitialise)
    starting.start()
    assert library.starts.wait(10)
    with pytest.raises(AudioUnavailable, match="hangs while its devices are listed anew"):
        devices.devices_here()
    library.may_start.set()
    starting.join()
    assert devices.devices_here() == []


def test_an_audio_library_that_did_not_come_back_is_told_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    library = RestartingPortAudio()
    library._initialized = 0
    monkeypatch.setattr(devices, "portaudio", lambda: library)
    with pytest.raises(AudioUnavailable, match="did not come back"):
        devices.devices_here()
