"""Files that are there whole or not at all, whatever happens to the program."""

import contextlib
import os
import sys
from pathlib import Path


def part_of(path: Path) -> Path:
    """Return where a file is made before it takes its name. What a killed process left there is overwritten."""
    return path.with_name(f".{path.name}.part")


def put_in_place(path: Path) -> None:
    """Give the file at `part_of(path)` its name, once its content is on the disk. Raises OSError."""
    part = part_of(path)
    with part.open("rb+") as file:
        os.fsync(file.fileno())
    part.replace(path)
    sync_folder(path.parent)


def write_whole(path: Path, content: bytes) -> None:
    """Write or replace a file in one go. Raises OSError, and leaves what was there."""
    part = part_of(path)
    try:
        part.write_bytes(content)
        put_in_place(path)
    except OSError:
        with contextlib.suppress(OSError):  # the fault that is raised says more
            part.unlink(missing_ok=True)
        raise


def sync_folder(folder: Path) -> None:
    """Let names that were given or taken survive a power failure, where the system can be asked to."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError:  # a file system that knows no such thing; the names are as safe as it makes them
        pass
    finally:
        os.close(descriptor)
