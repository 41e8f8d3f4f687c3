"""The audio of a record: WAV while it is written, FLAC once its session was finished, and read in one way.

A file opens as far as it goes: a WAV up to its last whole frame, whatever length its header gives, a FLAC up to the
first frame that does not decode.
"""

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Self

import numpy as np
from numpy.typing import NDArray

from simulator.errors import UnreadableRecording
from simulator.record.entries import LATEST_NS, Track
from simulator.record.folder import record_file
from simulator.record.wav import CHANNELS, HEADER_BYTES, flac_path, is_header, track_path
from simulator.resources import system_name
from simulator.units import BYTES_PER_SAMPLE, SAMPLE_RATE_HZ, ns_to_samples

if TYPE_CHECKING:
    import soundfile

BLOCK_FRAMES: Final = 1 << 12
_MOST_FRAMES: Final = ns_to_samples(LATEST_NS)

Samples = NDArray[np.int16]


def audio(path: Path, track: Track) -> Samples:
    """Return the samples of a track of a record or session folder: shape (n,), or (n, 2) for `Track.HEARD`.

    They are mapped from a file, which the system may forget again; a FLAC is decoded into a temporary one first, which
    takes some seconds an hour. `TrackFile` reads pieces at once. Empty where the record has no such track. Raises
    UnreadableRecording where the file is not of this program.
    """
    with TrackFile(path, track) as file:
        return file.all()


class TrackFile:
    """One track, to be read piece by piece from wherever it is wanted. Context manager; belongs to one thread."""

    def __init__(self, path: Path, track: Track) -> None:
        """Open a track of a record or session folder; one that is not there has no frames. Raises as `audio`."""
        record = record_file(path)
        self.channels = CHANNELS[track]
        self.path: Path | None = None
        """The file; None where there is none."""
        self._flac: soundfile.SoundFile | None = None
        self._wav: BinaryIO | None = None
        self._frames = 0
        # In this order a session may be finished meanwhile: its FLAC is there before its WAV goes.
        for candidate, opened in ((track_path(record, track), self._open_wav), (flac_path(record, track), self._open)):
            try:
                opened(candidate)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise UnreadableRecording(f"{candidate} cannot be read: {error.strerror or error}.") from error
            self.path = candidate
            break

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def frames(self) -> int:
        """How many samples each channel has, by the file's own word: a damaged FLAC may give fewer."""
        return self._frames

    def read(self, first: int, count: int) -> Samples:
        """Return frames `[first, first + count)`, fewer at the end or at damage: shape (n,) or (n, 2)."""
        first = min(max(first, 0), self.frames)
        count = min(max(count, 0), self.frames - first)
        if self._flac is None:
            return self._shaped(self._from_wav(first, count))
        parts: list[Samples] = []
        try:
            self._flac.seek(first)
            parts.extend(self._decoded(self._flac, count))
        except RuntimeError:  # what libsndfile raises where a file is damaged, and forever after
            self._flac.close()
            self._flac = self._opened_again()
        return self._shaped(np.concatenate(parts) if parts else self._none())

    def blocks(self, frames: int = BLOCK_FRAMES) -> Iterator[Samples]:
        """Yield the whole track from the beginning in pieces of at most so many frames."""
        if self._flac is None:
            for first in range(0, self.frames, frames):
                yield self._shaped(self._from_wav(first, min(frames, self.frames - first)))
            return
        at = 0
        with self._opened_again() as flac, contextlib.suppress(RuntimeError):
            for block in self._decoded(flac, self.frames, frames):
                at += len(block)
                yield self._shaped(block)
            return
        # Damaged, where the whole piece is lost: what comes before it in small ones.
        with self._opened_again() as flac, contextlib.suppress(RuntimeError):
            flac.seek(at)
            for block in self._decoded(flac, min(frames, self.frames - at)):
                yield self._shaped(block)

    def all(self) -> Samples:
        """Return the whole track, mapped from a file; it outlives this object."""
        if self._wav is not None:
            return self._shaped(self._mapped(self._wav, HEADER_BYTES, self.frames))
        # Unnamed where the system can, gone with the last use of it at the latest.
        with tempfile.TemporaryFile(prefix="participant-simulator-") as decoded:
            frames = 0
            try:
                for block in self.blocks():
                    decoded.write(block.astype("<i2", copy=False).tobytes())
                    frames += len(block)
                decoded.flush()
            except OSError as error:
                reason = error.strerror or error
                raise UnreadableRecording(f"There is no room to decode {self.path}: {reason}.") from error
            return self._shaped(self._mapped(decoded, 0, frames))

    def close(self) -> None:
        """Close the file. What was read stays."""
        for file in (self._flac, self._wav):
            if file is not None:
                file.close()

    def _mapped(self, file: Any, offset: int, frames: int) -> Samples:
        if not frames:
            return self._none()
        return np.memmap(file, dtype="<i2", mode="r", offset=offset, shape=(frames, self.channels))

    def _from_wav(self, first: int, count: int) -> Samples:
        """Read, and not map: what was read of a mapped file counts as this process's memory for a long time."""
        if self._wav is None:
            return self._none()
        frame_bytes = self.channels * BYTES_PER_SAMPLE
        self._wav.seek(HEADER_BYTES + first * frame_bytes)
        data = self._wav.read(count * frame_bytes)
        whole = len(data) - len(data) % frame_bytes
        return np.frombuffer(data[:whole], dtype="<i2").reshape(-1, self.channels)

    def _none(self) -> Samples:
        return np.empty((0, self.channels), dtype="<i2")

    def _shaped(self, samples: Samples) -> Samples:
        return samples if self.channels > 1 else samples[:, 0]

    def _open_wav(self, path: Path) -> None:
        file = path.open("rb")
        if not is_header(file.read(HEADER_BYTES), self.channels):
            file.close()
            raise UnreadableRecording(f"{path} is not the audio of a record.")
        self._wav = file
        self._frames = (path.stat().st_size - HEADER_BYTES) // (self.channels * BYTES_PER_SAMPLE)

    def _open(self, path: Path) -> None:
        path.stat()  # libsndfile does not tell a missing file from a broken one
        try:
            file = open_flac(path)
        except RuntimeError as error:
            raise UnreadableRecording(f"{path} is not the audio of a record.", str(error)) from error
        if (file.channels, file.samplerate, file.subtype) != (self.channels, SAMPLE_RATE_HZ, "PCM_16"):
            file.close()
            raise UnreadableRecording(f"{path} is not the audio of a record.")
        self._flac, self._frames, self.path = file, int(file.frames), path
        if self._frames > _MOST_FRAMES:  # its header does not know, or lies
            self._frames = sum(map(len, self.blocks()))

    def _opened_again(self) -> "soundfile.SoundFile":
        assert self.path is not None
        try:
            return open_flac(self.path)
        except RuntimeError as error:
            raise UnreadableRecording(f"{self.path} cannot be read any more.", str(error)) from error

    def _decoded(self, flac: "soundfile.SoundFile", count: int, block_frames: int = BLOCK_FRAMES) -> Iterator[Samples]:
        """Yield what decodes from here on. Raises RuntimeError at damage."""
        while count > 0:
            block: Samples = flac.read(min(block_frames, count), dtype="int16", always_2d=True)
            if not len(block):
                return
            count -= len(block)
            yield block


def cut_off(file: Path, reached: int, told: int, used: str = "opens") -> str:
    """Return in a sentence that an audio file holds `reached` samples of those that it, or its record, tells of.

    `used` says what is done with it up to there.
    """
    reached_s, told_s = reached / SAMPLE_RATE_HZ, told / SAMPLE_RATE_HZ
    return f"{file.name} is damaged or was cut off: it {used} up to {reached_s:.1f} s of {told_s:.1f} s."


def open_flac(path: Path) -> "soundfile.SoundFile":
    """Open a FLAC to be read from its beginning. Raises RuntimeError, as every reading from it does at damage."""
    import soundfile

    class Sequential(soundfile.SoundFile):  # type: ignore[misc]  # it says nothing of its types
        """Does not seek after each read to where it is, which looks for a frame behind damage that comes later."""

        def seekable(self) -> bool:
            return False

    return Sequential(system_name(path))
