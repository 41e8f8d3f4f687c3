"""The files that a study names: they lie in its folder or below, and nothing in a study reaches further."""

from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Final

from simulator.errors import UnreadableFile
from simulator.resources import is_file

AUDIO_SUFFIXES: Final = (".wav", ".flac", ".ogg", ".mp3", ".aif", ".aiff", ".opus")


class Folder:
    """The folder of a study file. Its files' paths are absolute: another process, elsewhere, reads them."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self._real = path.resolve()

    def file(self, name: str) -> Path | None:
        """Return the path of a file in the folder or below, None where there is none of that name.

        Raises UnreadableFile where the name leads out of the folder: by an absolute path, by `..` or by a link.
        """
        if _leads_out(name):
            raise _outside(name)
        beside = self.path / name
        if not is_file(beside):
            return None
        if not beside.resolve().is_relative_to(self._real):
            raise _outside(name)
        return beside

    def name_of(self, path: Path) -> str | None:
        """Return how the study names a file, with `/` on every system; None where it lies outside of the folder."""
        try:
            return path.resolve().relative_to(self._real).as_posix()
        except ValueError:
            return None


def is_recording_name(name: str) -> bool:
    """Whether a name may be one of the program's or the user's recordings, and not the path of a file."""
    return not any(sign in name for sign in "/\\:") and not name.lower().endswith(AUDIO_SUFFIXES)


def _leads_out(name: str) -> bool:
    """Whether a name is absolute or climbs, as any system would read it: a study is taken from one to another."""
    windows, posix = PureWindowsPath(name), PurePosixPath(name)
    return bool(windows.drive or windows.root or posix.is_absolute() or ".." in windows.parts or ".." in posix.parts)


def _outside(name: str) -> UnreadableFile:
    return UnreadableFile(f"“{name}” lies outside of the study's folder: put the file beside the study or below it.")
