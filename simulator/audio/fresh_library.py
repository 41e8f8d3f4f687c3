"""A fresh PortAudio beside one in which a thread is stuck for good, on Linux.

A sound server that is killed while a stream starts may leave PortAudio waiting for ever: its own thread ends with a
lock that the starting one needs. It cannot be started anew then, and no thread can be taken out of it. What can be
done: a copy of the library is loaded, which shares nothing with the first, and used from now on. The first one stays
loaded, as its threads are in it until the process ends; one of them that runs in circles goes on doing so.
"""

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from simulator.audio.devices import portaudio, reinitialise
from simulator.errors import AudioUnavailable

_left: Final[list[Any]] = []
"""The libraries that were left behind: without a reference they would be unloaded under their threads."""


def use_fresh_library() -> None:
    """Let everything that is opened from now on be opened by a fresh copy, whose devices are those of now.

    Streams of the copy before go on and can be closed. Raises AudioUnavailable where no copy can be loaded.
    """
    sounddevice = portaudio()
    with tempfile.TemporaryDirectory(prefix="portaudio-") as folder:
        try:
            fresh = sounddevice._ffi.dlopen(shutil.copy(_loaded(), folder))
        except OSError as error:
            raise AudioUnavailable(
                "The sound system hangs, and its library cannot be loaded once more: restart the program.",
                details=str(error),
            ) from error
    _left.append(sounddevice._lib)
    sounddevice._lib, sounddevice._initialized = fresh, 0
    reinitialise()


def _loaded() -> Path:
    """Return the file of the library that is loaded. Raises OSError where that is not known."""
    if sys.platform.startswith("linux"):
        for line in Path("/proc/self/maps").read_text().splitlines():
            path = Path(line.split(maxsplit=5)[-1])
            if "libportaudio" in path.name and path.is_file():
                return path
    raise FileNotFoundError("the library's file is not known on this system")
