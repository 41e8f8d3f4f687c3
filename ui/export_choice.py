"""The forms and the folder of the last export, remembered between starts; the next one is offered the same.

A redacted copy is remembered in nothing: it goes to others, and the next export must not follow it there with voices
and words.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from PySide6.QtCore import QStandardPaths

from ui.models.exports import FORMS, own_folder
from ui.settings import WindowSettings

_FORMS_KEY: Final = "export_forms"
_FOLDER_KEY: Final = "export_folder"


class ExportChoice:
    """What was chosen last; the first time all forms, in the user's documents."""

    def __init__(self, settings: WindowSettings) -> None:
        self._settings = settings

    @property
    def forms(self) -> list[str]:
        """The forms, by the names of the command."""
        chosen = self._settings.text(_FORMS_KEY, ",".join(FORMS)).split(",")
        return [form for form in FORMS if form in chosen]

    def folder_of(self, session: str) -> Path:
        """A folder of the session's name, beside that of the session that was exported last."""
        return own_folder(Path(self._settings.text(_FOLDER_KEY) or _documents()), session)

    def remember(self, forms: Iterable[str], folder: Path, session: str) -> None:
        """These forms of `session` are written to `folder`."""
        self._settings.set_text(_FORMS_KEY, ",".join(forms))
        self._settings.set_text(_FOLDER_KEY, str(folder.parent if folder.name == session else folder))


def _documents() -> str:
    """Where the user's documents lie."""
    documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    return documents if Path(documents).is_dir() else str(Path.home())
