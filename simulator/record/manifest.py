"""The manifest of a session's folder: what lies in it, and the SHA-256 by which a change would show."""

import hashlib
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from simulator.errors import UnreadableFile
from simulator.record.atomic import write_whole
from simulator.record.folder import MANIFEST, files_of

FORMAT: Final = "participant-simulator/session"
FORMAT_VERSION: Final = 1
CHANGED: Final = "was changed"
_BLOCK_BYTES: Final = 1 << 20


class ManifestFile(msgspec.Struct, frozen=True):
    """One file, named from the folder on with `/`."""

    name: str
    bytes: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What lies in the folder of a finished session."""

    format: str = FORMAT
    format_version: int = FORMAT_VERSION
    program: str
    """Version of the program that finished the session."""
    finished_at: str
    """Date and time of day, UTC."""
    started_at: str | None
    duration_s: float
    """Of what the events tell."""
    entries: int
    ended: str | None
    """Why the session ended; None: its process was killed."""
    problems: list[str]
    """What was found to be wrong when it was finished, a sentence each."""
    files: list[ManifestFile]


def write_manifest(folder: Path, told: dict[str, Any]) -> Manifest:
    """Look at each file, and write the manifest with what else is `told`. Raises OSError."""
    files = [
        ManifestFile(path.relative_to(folder).as_posix(), path.stat().st_size, sha256(path))
        for path in files_of(folder)
    ]
    manifest = Manifest(files=files, **told)
    write_whole(folder / MANIFEST, msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")
    return manifest


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a folder. Raises UnreadableFile where there is none, or one of a later format."""
    path = folder / MANIFEST
    try:
        text = path.read_bytes()
        stated = msgspec.json.decode(text)
        version = stated.get("format_version") if isinstance(stated, dict) else None
        if isinstance(version, int) and version > FORMAT_VERSION:
            raise UnreadableFile(
                f"{path} has format version {version}, and this program reads up to {FORMAT_VERSION}. Use a newer one."
            )
        return msgspec.json.decode(text, type=Manifest)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise UnreadableFile(f"{path} is no manifest of a session.", str(error)) from error
    except (OSError, ValueError) as error:  # ValueError: a path that no system has
        reason = getattr(error, "strerror", None) or error
        raise UnreadableFile(f"The manifest {path} cannot be read: {reason}.") from error


def changes(folder: Path, wanted: Callable[[], bool] = lambda: True) -> Iterator[tuple[str, str]]:
    """Yield each file that is not as the manifest says, and what became of it, such as `CHANGED`.

    Raises UnreadableFile; takes a second a GB, and ends as soon as it is no longer `wanted`. Nothing outside of the
    folder is looked at, and of what is new only what belongs to a session.
    """
    manifest = read_manifest(folder)
    for file in manifest.files:
        what = _became(folder, file, wanted)
        if not wanted():
            return
        if what:
            yield file.name, what
    listed = {_composed(file.name) for file in manifest.files}
    try:
        there = [path.relative_to(folder).as_posix() for path in files_of(folder)]
    except OSError as error:
        raise UnreadableFile(f"The folder {folder} cannot be read: {error.strerror or error}.") from error
    yield from ((name, "is new") for name in there if _composed(name) not in listed)


def _became(folder: Path, file: ManifestFile, wanted: Callable[[], bool]) -> str:
    """Return what became of a file; nothing where it is as it was."""
    path = folder / file.name
    try:
        if not path.resolve().is_relative_to(folder.resolve()) or (path.exists() and not path.is_file()):
            return "is no file of a session"
        same = path.stat().st_size == file.bytes and sha256(path, wanted) == file.sha256
    except FileNotFoundError:
        return "is not there any more"
    except (OSError, ValueError) as error:  # ValueError: a name that no system has
        return f"cannot be read ({getattr(error, 'strerror', None) or error})"
    return "" if same else CHANGED


def _composed(name: str) -> str:
    """Return a name in the one form of its letters: some systems keep another than they were given."""
    return unicodedata.normalize("NFC", name)


def sha256(path: Path, wanted: Callable[[], bool] = lambda: True) -> str:
    """Return the SHA-256 of a file in hexadecimal, or of its beginning where no more is `wanted`. Raises OSError."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while wanted() and (block := file.read(_BLOCK_BYTES)):
            digest.update(block)
    return digest.hexdigest()
