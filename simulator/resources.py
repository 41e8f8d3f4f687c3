"""Where the files that come with the program lie: icons, recorded voices, sample studies.

An installed copy has them in `simulator/_data/`; a checkout (and an editable install of one) in `assets/` and
`fixtures/` beside the packages.
"""

from pathlib import Path
from typing import Final

from simulator.errors import UnknownName

_PACKAGE: Final = Path(__file__).resolve().parent
_ROOT: Final = _PACKAGE / "_data" if (_PACKAGE / "_data").is_dir() else _PACKAGE.parent


def asset_path(name: str) -> Path:
    """Return the path of an icon or other asset; `name` is relative to `assets/`. Raises UnknownName."""
    return _existing(_ROOT / "assets", name, "asset")


def fixture_path(name: str) -> Path:
    """Return the path of a recording, study or other fixture; `name` is relative to `fixtures/`. Raises UnknownName."""
    return _existing(_ROOT / "fixtures", name, "fixture")


def fixtures_dir() -> Path:
    """Return the folder of the fixtures, for listing them."""
    return _ROOT / "fixtures"


def _existing(folder: Path, name: str, kind: str) -> Path:
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()) or not path.exists():
        raise UnknownName(f"There is no {kind} called “{name}”; see the files in {folder}.")
    return path
