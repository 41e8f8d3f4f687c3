"""Who writes a session: a lock of the system on its file of events, which ends with its process however that ends.

It keeps a session that still goes on from being compressed or deleted. It does not keep anybody from reading: on
Windows, where a lock does, it lies far behind the end of the file.
"""

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_FAR_BEHIND: Final = 1 << 62
_TRY_EVERY_S: Final = 0.005


def take(descriptor: int, patience_s: float = 0.2) -> bool:
    """Take the lock of an open file; False where another process, or another file of this one, keeps it.

    The patience is for those who only look (`is_held`) and have it for a moment. A file system that knows no locks
    gives it to everybody.
    """
    until_s = time.monotonic() + patience_s
    while not _taken(descriptor):
        if time.monotonic() >= until_s:
            return False
        time.sleep(_TRY_EVERY_S)
    return True


def is_held(path: Path) -> bool:
    """Whether a process has the lock of a file; False where the file is not there."""
    try:
        descriptor = _opened(path)
    except OSError:
        return False
    try:
        return not take(descriptor, 0.0)
    finally:
        with contextlib.suppress(OSError):
            os.close(descriptor)


@contextlib.contextmanager
def holding(path: Path) -> Iterator[bool]:
    """Hold the lock of a file; False where another keeps it, or has deleted the file meanwhile. Raises OSError."""
    descriptor = _opened(path)
    try:
        yield take(descriptor) and _is_at(path, descriptor)
    finally:
        os.close(descriptor)


def _opened(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR)
    except OSError:  # a file that may not be written can be locked, and deleted, all the same
        return os.open(path, os.O_RDONLY)


def _is_at(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _taken(descriptor: int) -> bool:
    if sys.platform == "win32":
        import msvcrt

        at = os.lseek(descriptor, 0, os.SEEK_CUR)
        try:
            os.lseek(descriptor, _FAR_BEHIND, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        except OSError:
            return True
        finally:
            os.lseek(descriptor, at, os.SEEK_SET)
        return True
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True
