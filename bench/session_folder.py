"""A folder for the sessions of a benchmark, which a process of their own finishes after their end."""

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from simulator.record.finishing import is_finished

_LONGEST_S: Final = 120


@contextmanager
def session_folder(prefix: str) -> Iterator[str]:
    """Give a folder, and remove it once its sessions are finished. Raises TimeoutError where one never is."""
    with tempfile.TemporaryDirectory(prefix=prefix) as folder:
        yield folder
        deadline_s = time.monotonic() + _LONGEST_S
        for session in Path(folder).iterdir():
            while session.is_dir() and not is_finished(session):
                if time.monotonic() > deadline_s:
                    raise TimeoutError(f"The session in {session} was not finished within {_LONGEST_S} s.")
                time.sleep(0.1)
