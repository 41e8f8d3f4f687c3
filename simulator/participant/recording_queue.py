"""The recordings of a folder, said one after the other."""

import asyncio
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from simulator.audio.audio_files import audio_suffixes
from simulator.errors import SimulatorError, UnreadableRecording, UsageError
from simulator.participant.recordings import Recording, open_recording
from simulator.resources import is_folder

_MOST: Final = 10_000


def folder_called(name: str) -> Path | None:
    """Return the folder that a name or path stands for; None where it is that of a recording."""
    path = Path(os.path.expanduser(name))  # noqa: PTH111 - pathlib raises for an unknown user
    return path if is_folder(path) else None


def recordings_in(folder: Path) -> list[Path]:
    """Return the audio files of a folder in the order of their names, numbers by their value.

    Hidden files and folders in it are left out. Raises UnreadableRecording.
    """
    suffixes = audio_suffixes()
    try:
        paths = [
            path
            for path in folder.iterdir()
            if path.suffix.lower() in suffixes and not path.name.startswith(".") and path.is_file()
        ]
    except OSError as error:
        raise UnreadableRecording(f"The folder {folder} cannot be read: {error.strerror}.") from error
    if not paths:
        raise UnreadableRecording(f"The folder {folder} holds no audio file: put WAV, FLAC, OGG or MP3 files into it.")
    if len(paths) > _MOST:
        raise UnreadableRecording(f"The folder {folder} holds {len(paths)} audio files: at most {_MOST} can be said.")
    return sorted(paths, key=_natural)


class RecordingQueue:
    """Gives the recordings of a folder in turn, and after the last one the first again. Belongs to the loop.

    The next one is read while one is said. `on_unreadable` is told in a sentence of a file that is left out.
    """

    def __init__(self, folder: Path, on_unreadable: Callable[[str], None]) -> None:
        self._folder = folder
        self._on_unreadable = on_unreadable
        self._paths: list[Path] = []
        self._place = 0
        self._taken = False
        """The recording at the place is being said, or was."""
        self._ready: Recording | None = None
        self._reading: asyncio.Task[None] | None = None

    @property
    def name(self) -> str:
        """The folder, and the recording of it that is said or comes next."""
        return f"{self._folder.name or self._folder}: {self.place}"

    @property
    def place(self) -> str:
        """The recording that is said or comes next, and how many there are."""
        if self.at_end:
            return f"all {len(self._paths)} said"
        return f"{self._place + 1} of {len(self._paths)} {self._paths[self._place].name}"

    @property
    def at_end(self) -> bool:
        """Whether all of them were said, so that the next one is the first again."""
        return self._place >= len(self._paths)

    @property
    def at_last(self) -> bool:
        """Whether the last one was taken."""
        return self.at_end or (self._taken and self._place == len(self._paths) - 1)

    async def begin(self) -> None:
        """List the folder and read its first recording. Raises UnreadableRecording where none can be read."""
        self._paths = await asyncio.to_thread(recordings_in, self._folder)
        await self._read(0)
        if self._ready is None:
            raise UnreadableRecording(f"None of the audio files in {self._folder} can be read: take another folder.")

    def take(self) -> Recording:
        """Return the next recording, which begins to be said. Raises UsageError where it is not there yet."""
        recording = self._ready
        if recording is None and self._reading is None:
            raise UsageError(f"None of the audio files in {self._folder} can be read any more: take another folder.")
        if recording is None:
            raise UsageError("The next recording of the folder is still being read: press again in a moment.")
        if self.at_end:
            self._place = 0
        self._ready, self._taken = None, True
        self._reading = asyncio.get_running_loop().create_task(self._read_on(self._place + 1))
        return recording

    def said(self) -> None:
        """What was taken was said to its end, or stopped."""
        if self._taken:
            self._taken = False
            self._place += 1

    def close(self) -> None:
        """Read nothing any more."""
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None

    async def _read_on(self, place: int) -> None:
        await self._read(place)
        self._reading = None

    async def _read(self, place: int) -> None:
        """Read the recording at a place, or the next one; those that cannot be read are told of and left out."""
        while self._paths:
            index = place % len(self._paths)
            path = self._paths[index]
            try:
                self._ready = await asyncio.to_thread(open_recording, str(path))
            except SimulatorError as error:
                del self._paths[index]
                self._place -= index < self._place
                self._on_unreadable(f"{error} It is left out of the folder's recordings.")
            else:
                return


def _natural(path: Path) -> list[int | str]:
    """Return by what a name is sorted: 9.wav comes before 10.wav."""
    parts = re.split(r"(\d+)", path.name.casefold())
    return [int(part) if place % 2 else part for place, part in enumerate(parts)]
