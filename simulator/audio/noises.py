"""Noise as loops of 30 s whose root mean square is exactly 1: white, pink, babble of six voices, or a recording.

A loop has no seam: white and pink noise are periodic by their making, voices wrap around, a recording is faded into its
own beginning. The same name and seed give the same loop.
"""

from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from simulator.audio.audio_files import load_recording
from simulator.audio.impairments import NOISES, PINK, WHITE
from simulator.audio.pcm import to_float
from simulator.audio.recordings import Role, project_recordings, recording
from simulator.errors import UnknownName, UnreadableRecording
from simulator.resources import is_file
from simulator.units import SAMPLE_RATE_HZ

LOOP_SAMPLES: Final = 30 * SAMPLE_RATE_HZ
_LOWEST_PINK_HZ: Final = 20.0
_FADE_SAMPLES: Final = SAMPLE_RATE_HZ // 50
_BABBLE_ROLES: Final = (Role.MONOLOGUE, Role.LONG_STORY, Role.INTERRUPTION)

Noise = NDArray[np.float32]


def noise_loop(name: str, seed: int) -> Noise:
    """Return a noise by its name, or a recording as one, by its name or path. Takes a moment.

    Raises UnknownName, UnreadableRecording.
    """
    if name not in NOISES:
        return _scaled(_seamless(to_float(load_recording(_path(name)))), name)
    random = np.random.Generator(np.random.PCG64(seed))
    match name:
        case str() if name == WHITE:
            loop = random.standard_normal(LOOP_SAMPLES)
        case str() if name == PINK:
            loop = _pink(random)
        case _:
            loop = _babble(random)
    return _scaled(loop, name)


def _pink(random: np.random.Generator) -> NDArray[np.float64]:
    """Noise whose power falls by 3 dB an octave from 20 Hz on; nothing below."""
    spectrum = np.fft.rfft(random.standard_normal(LOOP_SAMPLES))
    frequencies = np.fft.rfftfreq(LOOP_SAMPLES, 1 / SAMPLE_RATE_HZ)
    heard = frequencies >= _LOWEST_PINK_HZ
    spectrum[heard] /= np.sqrt(frequencies[heard])
    spectrum[~heard] = 0
    return np.fft.irfft(spectrum, LOOP_SAMPLES)


def _babble(random: np.random.Generator) -> NDArray[np.float64]:
    """All voices of the program's recordings at once, equally loud, each beginning anywhere in what it says."""
    said: dict[str, list[NDArray[np.float32]]] = {}
    for each in project_recordings():
        if each.role in _BABBLE_ROLES:
            said.setdefault(each.voice, []).append(to_float(load_recording(each.path)))
    loop = np.zeros(LOOP_SAMPLES)
    for _, pieces in sorted(said.items()):
        voice = np.resize(np.concatenate(pieces), LOOP_SAMPLES).astype(np.float64)
        loop += np.roll(voice / np.sqrt(np.mean(voice * voice)), int(random.integers(LOOP_SAMPLES)))
    return loop


def _seamless(samples: NDArray[np.float32]) -> NDArray[np.float64]:
    """Fade the last 20 ms of a recording into its first, with the power kept."""
    loop = samples.astype(np.float64)
    if len(loop) < 4 * _FADE_SAMPLES:
        return loop
    turn = np.linspace(0, np.pi / 2, _FADE_SAMPLES)
    body, tail = loop[:-_FADE_SAMPLES], loop[-_FADE_SAMPLES:]
    body[:_FADE_SAMPLES] = body[:_FADE_SAMPLES] * np.sin(turn) + tail * np.cos(turn)
    return body


def _scaled(loop: NDArray[np.float64], name: str) -> Noise:
    root_mean_square = float(np.sqrt(np.mean(loop * loop)))
    if not root_mean_square:
        raise UnreadableRecording(f"The noise {name} is silent: take another recording.")
    return (loop / root_mean_square).astype(np.float32)


def _path(name: str) -> Path:
    """Return where the recording of a noise lies."""
    path = Path(name).expanduser()
    if is_file(path):
        return path
    try:
        return recording(name).path
    except UnknownName as error:
        kinds = ", ".join(NOISES)
        raise UnknownName(f"There is no noise “{name}”: use {kinds}, a recording's name or an audio file.") from error
