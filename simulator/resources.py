"""Where files lie: those that come with the program (icons, recorded voices, sample studies), and the user's own.

An installed copy has them in `simulator/_data/`; a checkout (and an editable install of one) in `assets/` and
`fixtures/` beside the packages.
"""

import os
import sys
from pathlib import Path
from typing import Final

import platformdirs

from simulator.errors import UnknownName

APPLICATION: Final = "participant-simulator"
"""The name of the user's folders."""

_PACKAGE: Final = Path(__file__).resolve().parent
_ROOT: Final = _PACKAGE / "_data" if (_PACKAGE / "_data").is_dir() else _PACKAGE.parent


def asset_path(name: str) -> Path:
    """Return the path of an icon or other asset; `name` is relative to `assets/`. Raises UnknownName."""
    folder = _ROOT / "assets"
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()) or not path.exists():
        raise UnknownName(f"There is no asset called “{name}”; see the files in {folder}.")
    return path


def fixtures_dir() -> Path:
    """Return the folder of the fixtures, for listing them."""
    return _ROOT / "fixtures"


def data_folder() -> Path:
    """Return the folder for records, reports and recordings; PARTICIPANT_SIMULATOR_DATA overrides the platform's."""
    override = os.environ.get("PARTICIPANT_SIMULATOR_DATA")
    return Path(override) if override else platformdirs.user_data_path(APPLICATION, appauthor=False)


def is_file(path: Path | str) -> bool:
    """Whether a user's path is a file. One that no system takes (too long, with a NUL) is none, and raises nothing."""
    return os.path.isfile(path)  # noqa: PTH113 - pathlib raises for such paths before Python 3.14


def system_name(path: Path) -> str | bytes:
    """Return a path for a library that encodes texts itself: where names of files are bytes, they need be no text."""
    return str(path) if sys.platform == "win32" else os.fsencode(path)


def is_folder(path: Path | str) -> bool:
    """Whether a user's path is a folder, as `is_file`."""
    return os.path.isdir(path)  # noqa: PTH112 - as above


def exists(path: Path | str) -> bool:
    """Whether a user's path is there, as `is_file`."""
    return os.path.exists(path)  # noqa: PTH110 - as above
