"""Who can speak: the voices that installed packages bring, and the names by which sessions ask for them.

hibari-tts brings one voice inside its package and uses others that its user has fetched with it; py-nanotts (the extra
`voices`) brings two English ones, which its pitch makes into more. A name gets the first of its voices that is there,
so that everything works with one voice as well. Nothing is fetched here.
"""

from __future__ import annotations

import importlib
import importlib.util
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import soxr

from simulator.engine import pcm

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

_LOG = logging.getLogger(__name__)

ALWAYS_THERE = "heart"
_HIBARI_GAIN = 1.4
_PICO_RATE_HZ = 16_000
_PICO_VOLUME = 0.3  # as loud as the other; at 1 it clips


class OneVoice(Protocol):
    """One voice. Not for two threads at once."""

    def speak(self, text: str, speed: float) -> NDArray[np.float32]:
        """The text at 24 kHz, -1 to 1; empty where there is nothing to pronounce."""
        ...


class Hibari:
    """A voice of hibari-tts, 10 to 30 ms a sentence."""

    def __init__(self, name: str) -> None:
        self._model: Any = importlib.import_module("hibari").Hibari(name)

    def speak(self, text: str, speed: float) -> NDArray[np.float32]:
        return np.asarray(self._model(text, speed=speed, seed=0), np.float32) * np.float32(_HIBARI_GAIN)

    def sentences(self, text: str) -> list[str]:
        """The text in pieces that are spoken at once."""
        return list(self._model.split_sentences(text))


class Pico:
    """A voice of py-nanotts, 20 to 60 ms a sentence, higher or lower than it came."""

    def __init__(self, language: str, pitch: float) -> None:
        self._model: Any = importlib.import_module("py_nanotts").NanoTTS()
        self._options = {"voice": language, "pitch": pitch, "volume": _PICO_VOLUME}

    def speak(self, text: str, speed: float) -> NDArray[np.float32]:
        samples = np.frombuffer(self._model.speak(text, speed=speed, **self._options), "<i2")
        audio = samples.astype(np.float32) / np.float32(32768)
        return np.asarray(soxr.resample(audio, _PICO_RATE_HZ, pcm.SAMPLE_RATE_HZ), np.float32)


@dataclass(frozen=True, slots=True)
class _Choice:
    """A voice that may be there."""

    is_there: Callable[[], bool]
    make: Callable[[], OneVoice]


def _hibari(name: str) -> _Choice:
    return _Choice(lambda: _has_hibari(name), lambda: Hibari(name))


def _pico(language: str, pitch: float) -> _Choice:
    return _Choice(has_more_voices, lambda: Pico(language, pitch))


def _has_hibari(name: str) -> bool:
    """Whether this voice lies in the package or was fetched by its user."""
    voices: Any = importlib.import_module("hibari.voices")
    try:
        return Path(voices.voice_path(name, download_missing=False)).is_file()
    except (FileNotFoundError, ValueError):
        return False


def has_more_voices() -> bool:
    """Whether the extra `voices` is installed."""
    return importlib.util.find_spec("py_nanotts") is not None


_US, _GB = "en-US", "en-GB"
# What sessions ask for by the vendor's names and by those of the packages, each as near to it as there is.
_CHOICES: dict[str, tuple[_Choice, ...]] = {
    "alloy": (_hibari("kore"), _pico(_GB, 0.9)),
    "ash": (_hibari("fenrir"), _pico(_US, 0.7)),
    "ballad": (_hibari("fable"), _pico(_GB, 0.75)),
    "cedar": (_hibari("fenrir"), _pico(_US, 0.8)),
    "coral": (_hibari("kore"), _pico(_US, 1.1)),
    "echo": (_hibari("fenrir"), _pico(_US, 0.75)),
    "sage": (_hibari("emma"), _pico(_GB, 1.1)),
    "shimmer": (_hibari("emma"), _pico(_GB, 1.2)),
    "verse": (_hibari("fable"), _pico(_GB, 0.8)),
    "en-US": (_pico(_US, 1.0),),
    "en-GB": (_pico(_GB, 1.0),),
    **{name: (_hibari(name),) for name in ("emma", "fenrir", "fable", "kore")},
}


class Voices:
    """The voices of one process, each made when it is first asked for. For one thread."""

    def __init__(self) -> None:
        self._by_name: dict[str, OneVoice] = {}
        self._usual: Hibari | None = None

    @property
    def usual(self) -> Hibari:
        """The voice that is always there."""
        if self._usual is None:
            self._usual = Hibari(ALWAYS_THERE)
        return self._usual

    def named(self, name: str) -> OneVoice:
        """The voice for a name; the usual one for a name that has none."""
        if name not in _CHOICES:
            return self.usual
        if name not in self._by_name:
            choice = next((choice for choice in _CHOICES[name] if choice.is_there()), None)
            if choice is None:
                _LOG.warning(
                    "The voice “%s” is not installed, and the usual one speaks for it. "
                    "To install more voices: pip install 'participant-simulator[voices]'",
                    name,
                )
            self._by_name[name] = self.usual if choice is None else choice.make()
        return self._by_name[name]
