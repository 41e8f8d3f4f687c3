"""A private X server, for tests that need a real window."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tests.rig.errors import RigUnavailable
from tests.rig.server import running


@dataclass(frozen=True, slots=True)
class Display:
    """A running X server: its process id, its name (`:3`), and the environment for programs that shall use it."""

    pid: int
    name: str
    env: dict[str, str]


@contextmanager
def x_display(width: int = 1920, height: int = 1080) -> Iterator[Display]:
    """Run an X server for the length of the block. Raises RigUnavailable with the reason where none can run."""
    if not sys.platform.startswith("linux") or shutil.which("Xvfb") is None:
        raise RigUnavailable("no Xvfb on this machine (Debian: xvfb)")
    reader, writer = os.pipe()
    command = ["Xvfb", "-displayfd", str(writer), "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp"]
    with os.fdopen(reader) as numbers, running(command, output=subprocess.DEVNULL, pass_fds=[writer]) as process:
        os.close(writer)
        number = numbers.readline().strip()
        if not number:
            raise RigUnavailable(f"Xvfb did not start (exit code {process.wait(5)})")
        name = f":{number}"
        env = {key: value for key, value in os.environ.items() if key != "WAYLAND_DISPLAY"}
        yield Display(process.pid, name, env | {"DISPLAY": name, "QT_QPA_PLATFORM": "xcb"})
