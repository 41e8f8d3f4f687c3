"""What a session is exported as, where to, and what came of it, in words. No Qt here."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

FORMS: Final = {
    "wav": "WAV, stereo and separate voices",
    "flac": "FLAC, stereo and separate voices",
    "csv": "CSV: events, turns, answers, latencies, measures",
    "audacity": "Labels for Audacity",
    "textgrid": "TextGrid for Praat",
    "elan": "Annotations for ELAN",
    "html": "Page to read and listen to (HTML)",
}
"""What `export --to` writes, and how it is offered."""
_SHORT: Final = {
    "wav": "WAV",
    "flac": "FLAC",
    "csv": "CSV",
    "audacity": "Audacity labels",
    "textgrid": "TextGrid",
    "elan": "ELAN",
    "html": "an HTML page",
}


class Exported(msgspec.Struct, frozen=True):
    """What `export --json` prints."""

    files: list[str]
    notes: list[str]

    def sentence(self, folder: Path) -> str:
        """Say how many files were written to `folder`."""
        count = len(self.files)
        return f"{count} file{'s' * (count != 1)} written to {folder}"


def outcome(output: bytes, code: int, said: str) -> Exported | str:
    """Return what a child that exports printed, or the sentence that says why it wrote nothing."""
    try:
        return msgspec.json.decode(output, type=Exported)
    except msgspec.DecodeError:
        lines = said.strip().splitlines()
        return lines[-1] if lines else f"The export ended with exit code {code}: see the terminal."


def own_folder(parent: Path, session: str) -> Path:
    """The session's own folder in `parent`, which may be it already."""
    return parent if parent.name == session else parent / session


def listed(forms: Sequence[str]) -> str:
    """Name forms in a few words."""
    words = [_SHORT[form] for form in forms]
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))
