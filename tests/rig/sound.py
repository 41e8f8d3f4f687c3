"""A private PulseAudio server with null devices, seen by PortAudio through ALSA's pulse plugin.

    program under test ── plays ──► sink `speaker` ── `speaker.monitor` ──► what a test hears
    what a test says ──► sink `microphone_input` ──► source `microphone` ── records ──► program under test

PortAudio reads its environment when it is loaded and then sees the devices `pulse` and `default`, so the program runs
in a process of its own with `SoundServer.env`; PULSE_SINK and PULSE_SOURCE choose among several devices.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.rig.errors import RigUnavailable
from tests.rig.server import running

RATE_HZ: Final = 48_000
START_TIMEOUT_S: Final = 20

# Only these two devices: the system's own configuration lists cards that may not exist, and complains about them.
_ALSA_CONFIGURATION: Final = """\
pcm.pulse { type pulse hint { show on description "PulseAudio" } }
ctl.pulse { type pulse }
pcm.!default { type pulse hint { show on description "Default" } }
ctl.!default { type pulse }
"""

# norewinds: without it a null sink stalls callbacks for a second after the start.
_MODULES: Final = (
    f"module-null-sink sink_name=speaker norewinds=1 rate={RATE_HZ}",
    f"module-null-sink sink_name=microphone_input norewinds=1 rate={RATE_HZ}",
    "module-remap-source source_name=microphone master=microphone_input.monitor",
)


@dataclass(frozen=True, slots=True)
class SoundServer:
    """A running server: its process id, and the environment in which programs find it and nothing else."""

    pid: int
    env: dict[str, str]
    speaker: str = "speaker"
    speaker_monitor: str = "speaker.monitor"
    microphone: str = "microphone"
    microphone_input: str = "microphone_input"

    def pactl(self, *arguments: str) -> str:
        """Run one `pactl` command and return what it printed, for example to load a sink or take one away."""
        command = ["pactl", *arguments]
        return subprocess.run(command, env=self.env, check=True, capture_output=True, text=True, timeout=10).stdout

    def command(self, program: str, *arguments: str) -> Sequence[str]:
        """Return the command line of `paplay` or `parecord` for raw PCM16 mono at 24 kHz."""
        return [program, "--raw", "--format=s16le", "--rate=24000", "--channels=1", *arguments]


class Plug:
    """A device that can be plugged in and out: PortAudio sees it by its name while its own sound server runs.

    It records and plays at 24 kHz mono, so that nothing is converted: what is played into `input` is what it records,
    and what is played on it is recorded from `output.monitor`.
    """

    def __init__(self, server: SoundServer, name: str) -> None:
        """Name it in the server's list of devices; it is not plugged in yet."""
        self.name = name
        self._folder = Path(server.env["ALSA_CONFIG_PATH"]).parent / name
        self._folder.mkdir()
        self._socket = self._folder / "native"
        self.env = server.env | {
            "XDG_RUNTIME_DIR": str(self._folder),
            "PULSE_RUNTIME_PATH": str(self._folder),
            "PULSE_STATE_PATH": str(self._folder / "state"),
            "PULSE_SERVER": f"unix:{self._socket}",
        }
        self._running = ExitStack()
        hint = f'hint {{ show on description "{name}" }}'
        with Path(server.env["ALSA_CONFIG_PATH"]).open("a") as configuration:
            configuration.write(f'pcm.{name} {{ type pulse server "unix:{self._socket}" {hint} }}\n')

    def plug_in(self) -> "subprocess.Popen[bytes]":
        """Let it appear, and return its server."""
        rate = "norewinds=1 rate=24000 channels=1 format=s16le"
        modules = (
            f"module-null-sink sink_name=output {rate}",
            f"module-null-sink sink_name=input {rate}",
            "module-remap-source source_name=microphone master=input.monitor",
        )
        log = self._running.enter_context((self._folder / "pulseaudio.log").open("w"))
        process = self._running.enter_context(running(_command(self._socket, modules), env=self.env, output=log))
        _wait_until_it_answers(process, self.env, Path(log.name))
        for kind, chosen in (("sink", "output"), ("source", "microphone")):
            subprocess.run(["pactl", f"set-default-{kind}", chosen], env=self.env, check=True, timeout=10)
        return process

    def unplug(self) -> None:
        """Let it vanish."""
        self._running.close()


@contextmanager
def recorded(command: Sequence[str], env: Mapping[str, str], first_bytes: int = 4800) -> Iterator[list[bytes]]:
    """Record by a command from before the block, where `first_bytes` are there, until it ends; whole after it."""
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE) as recorder:
        stdout = recorder.stdout
        assert stdout is not None
        pieces = [stdout.read(first_bytes)]
        # Read all the time: a full pipe would make the recorder lose audio.
        reader = threading.Thread(target=lambda: pieces.append(stdout.read()))
        reader.start()
        try:
            yield pieces
        finally:
            recorder.terminate()
            reader.join()


@contextmanager
def sound_server() -> Iterator[SoundServer]:
    """Run a server for the length of the block. Raises RigUnavailable with the reason where none can run."""
    _require()
    with tempfile.TemporaryDirectory(prefix="sound-") as folder:
        env = _environment(Path(folder))
        with (
            (Path(folder) / "pulseaudio.log").open("w") as log,
            running(_command(Path(folder) / "run" / "native", _MODULES), env=env, output=log) as process,
        ):
            _wait_until_it_answers(process, env, Path(log.name))
            yield SoundServer(process.pid, env)


def _require() -> None:
    if not sys.platform.startswith("linux"):
        raise RigUnavailable(f"the sound server of the tests is PulseAudio on Linux, and this is {sys.platform}")
    missing = [program for program in ("pulseaudio", "pactl", "parecord") if shutil.which(program) is None]
    if missing:
        raise RigUnavailable(f"no {', '.join(missing)} on this machine (Debian: pulseaudio, pulseaudio-utils)")


def _environment(folder: Path) -> dict[str, str]:
    (folder / "asound.conf").write_text(_ALSA_CONFIGURATION)
    (folder / "run").mkdir(mode=0o700)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PULSE_", "ALSA_"))}
    return kept | {
        "XDG_RUNTIME_DIR": str(folder / "run"),
        "PULSE_RUNTIME_PATH": str(folder / "run"),
        "PULSE_STATE_PATH": str(folder / "state"),
        "PULSE_COOKIE": str(folder / "cookie"),
        "PULSE_SERVER": f"unix:{folder / 'run' / 'native'}",
        "ALSA_CONFIG_PATH": str(folder / "asound.conf"),
    }


def _command(socket: Path, modules: Sequence[str]) -> list[str]:
    protocol = f"module-native-protocol-unix socket={socket} auth-anonymous=1 auth-cookie-enabled=0"
    options = "--daemonize=no --exit-idle-time=-1 -n --system=false --use-pid-file=no --realtime=no --high-priority=no"
    loads = [part for module in (protocol, *modules) for part in ("-L", module)]
    return ["pulseaudio", *options.split(), "--log-target=stderr", *loads]


def _wait_until_it_answers(process: "subprocess.Popen[bytes]", env: dict[str, str], log: Path) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while process.poll() is None and time.monotonic() < deadline:
        answer = subprocess.run(["pactl", "info"], env=env, capture_output=True, timeout=10, check=False)
        if answer.returncode == 0:
            return
        time.sleep(0.05)
    raise RigUnavailable(f"PulseAudio did not start: {log.read_text().strip() or 'it said nothing'}")
