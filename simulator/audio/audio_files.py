"""Reading people's audio files: whatever libsndfile reads, at any rate, with any number of channels, as 24 kHz mono.

A file is read in pieces, so that memory holds no more than what comes out of it. What would be heard as something
else than what was recorded is refused in a sentence.
"""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from simulator.audio.pcm import to_int16
from simulator.audio.resample import resample, resample_pieces
from simulator.errors import UnreadableRecording
from simulator.resources import is_file, system_name
from simulator.units import SAMPLE_RATE_HZ

if TYPE_CHECKING:
    import soundfile

LONGEST_S: Final = 3600
"""Longer recordings are refused: an hour takes 173 MB of memory."""
_PIECE_S: Final = 10
_MOST_CLIPPED: Final = 0.01
"""Of a file of floating point; what is lossily compressed goes a little beyond full scale where it was loud."""
_RATES_HZ: Final = range(1_000, 1_000_001)

Samples = NDArray[np.int16]
Channels = NDArray[np.float32]


def load_recording(path: Path) -> Samples:
    """Return a recording as 24 kHz mono, the mean of its channels.

    Raises UnreadableRecording with a sentence for a file that is missing, no audio, damaged, empty or too long. May
    take seconds.
    """
    with _opened(path) as file:
        mono = (piece.mean(axis=1, dtype=np.float32) for piece in _pieces(path, file))
        loud, read = 0, []
        for piece in resample_pieces(mono, file.samplerate, SAMPLE_RATE_HZ):
            loud += int(np.count_nonzero(np.abs(piece) > 1))
            read.append(to_int16(piece))
    samples = np.concatenate(read)
    if loud > len(samples) * _MOST_CLIPPED:
        share = f"{loud / len(samples):.0%}"
        raise UnreadableRecording(
            f"{path.name} is louder than full scale in {share} of its samples, and would clip: export it more quietly."
        )
    return samples


def as_recording(channels: Channels, rate_hz: int) -> Samples:
    """Mix channels of shape (n, channels) down to 24 kHz mono."""
    return to_int16(resample(channels.mean(axis=1, dtype=np.float32), rate_hz, SAMPLE_RATE_HZ))


def read_audio(path: Path) -> tuple[Channels, int]:
    """Return an audio file's samples, of shape (n, channels) with n > 0, and their rate. Raises UnreadableRecording."""
    with _opened(path) as file:
        return np.concatenate(list(_pieces(path, file))), file.samplerate


def audio_suffixes() -> frozenset[str]:
    """Return the suffixes of files that may hold audio, in small letters; {} where libsndfile is missing."""
    try:
        import soundfile
    except (ImportError, OSError):
        return frozenset()
    known = {f".{name.lower()}" for name in soundfile.available_formats()}
    return frozenset(known | {".aif", ".aifc", ".oga", ".opus", ".wave", ".snd"}) - {".raw"}


@contextlib.contextmanager
def _opened(path: Path) -> Iterator["soundfile.SoundFile"]:
    """Open a file, and say in a sentence what is wrong with it, here or while it is read."""
    try:
        import soundfile
    except (ImportError, OSError) as error:
        raise UnreadableRecording(
            "Recordings cannot be read, because libsndfile is missing: install it (Debian and Ubuntu: sudo apt install "
            "libsndfile1).",
            details=str(error),
        ) from error
    if not is_file(path):
        raise UnreadableRecording(f"There is no recording {path}: check the name.")
    try:
        with soundfile.SoundFile(system_name(path)) as file:
            _check(path, file)
            yield file
    except (soundfile.LibsndfileError, OSError, TypeError) as error:  # TypeError: a headerless file, by its suffix
        raise UnreadableRecording(
            f"{path.name} cannot be read as audio: use a WAV, FLAC, OGG or MP3 file.", details=str(error)
        ) from error


def _check(path: Path, file: "soundfile.SoundFile") -> None:
    if file.samplerate not in _RATES_HZ:
        raise UnreadableRecording(
            f"{path.name} says that it has {file.samplerate} samples a second, which no recording has: export it again."
        )
    if file.frames > LONGEST_S * file.samplerate:
        minutes = round(file.frames / file.samplerate / 60)
        raise UnreadableRecording(
            f"{path.name} lasts {minutes // 60} h {minutes % 60} min: cut out what is to be said, an hour at most."
        )


def _pieces(path: Path, file: "soundfile.SoundFile") -> Iterator[Channels]:
    """Give the samples in pieces of shape (n, channels). What a header promises and the file lacks is left out."""
    rate_hz, position = file.samplerate, 0
    while len(piece := file.read(_PIECE_S * rate_hz, dtype="float32", always_2d=True)):
        unheard = np.flatnonzero(~np.isfinite(piece).all(axis=1))
        if unheard.size:
            at_s = (position + int(unheard[0])) / rate_hz
            raise UnreadableRecording(
                f"{path.name} holds values that are no numbers, first at {at_s:.2f} s: export it again, as 16 bits."
            )
        position += len(piece)
        if position > LONGEST_S * rate_hz:
            raise UnreadableRecording(f"{path.name} lasts over an hour: cut out what is to be said.")
        yield piece
    if not position:
        raise UnreadableRecording(f"{path.name} holds no audio: record it again.")
