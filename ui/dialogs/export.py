"""Export of a record: which forms, to which folder; the program's own command writes them in a process of its own."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from ui.child_answer import ChildAnswer
from ui.child_process import python_command
from ui.settings import WindowSettings
from ui.theme import SPACE_PX

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
_VOICES: Final = ("wav", "flac")
_FORMS_KEY, _FOLDER_KEY = "export_forms", "export_folder"
_FIRST_FORMS: Final = "wav,csv,audacity,textgrid,elan,html"


class Exported(msgspec.Struct, frozen=True):
    """What `export --json` prints."""

    files: list[str]
    notes: list[str]


class ExportDialog(QDialog):
    """Exports one record. Open it with `open()`; `command` replaces the program in tests."""

    def __init__(
        self,
        record: Path,
        settings: WindowSettings,
        parent: QWidget | None = None,
        *,
        command: Sequence[str] | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export the session")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._record, self._settings = record, settings
        self._child = ChildAnswer([*(command or python_command("simulator")), "export"], self)
        self._child.answered.connect(self._done)
        chosen = settings.text(_FORMS_KEY, _FIRST_FORMS).split(",")
        self.boxes: dict[str, QCheckBox] = {}
        grid = QGridLayout()
        grid.setHorizontalSpacing(6 * SPACE_PX)
        for place, (form, words) in enumerate(FORMS.items()):
            box = self.boxes[form] = QCheckBox(words)
            box.setChecked(form in chosen)
            box.toggled.connect(self._show_possible)
            grid.addWidget(box, place // 2, place % 2)
        self.redacted = QCheckBox("For a bug report: a copy without voices, words and names")
        self.redacted.toggled.connect(self._show_possible)
        self.folder = QLineEdit(settings.text(_FOLDER_KEY) or str(Path.home()))
        self.folder.setAccessibleName("Folder to export to")
        self.folder.textChanged.connect(self._show_possible)
        browse = QPushButton("Browse…")
        browse.setAutoDefault(False)
        browse.clicked.connect(self._ask_folder)
        place_row = QHBoxLayout()
        place_row.addWidget(QLabel("To the folder"))
        place_row.addWidget(self.folder, 1)
        place_row.addWidget(browse)
        self.outcome = QLabel()
        self.outcome.setTextFormat(Qt.TextFormat.PlainText)
        self.outcome.setWordWrap(True)
        self.outcome.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.export_button = buttons.addButton("Export", QDialogButtonBox.ButtonRole.ActionRole)
        self.export_button.setDefault(True)
        self.export_button.clicked.connect(self.export)
        self.show_button = buttons.addButton("Show the folder", QDialogButtonBox.ButtonRole.ActionRole)
        self.show_button.setEnabled(False)
        self.show_button.clicked.connect(
            lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(self.folder.text().strip()))
        )
        buttons.rejected.connect(self.reject)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(5 * SPACE_PX, 5 * SPACE_PX, 5 * SPACE_PX, 4 * SPACE_PX)
        rows.setSpacing(3 * SPACE_PX)
        rows.addLayout(grid)
        rows.addWidget(self.redacted)
        rows.addLayout(place_row)
        rows.addWidget(self.outcome, 1)
        rows.addWidget(buttons)
        self.setMinimumWidth(620)
        self._show_possible()

    @property
    def forms(self) -> list[str]:
        """What is to be written, by the names of the command."""
        return [form for form, box in self.boxes.items() if box.isChecked() and box.isEnabled()]

    def export(self) -> None:
        """Write the files; the dialog stays and tells what came of it."""
        folder = self.folder.text().strip()
        self._settings.set_text(_FOLDER_KEY, folder)
        self._settings.set_text(_FORMS_KEY, ",".join(form for form, box in self.boxes.items() if box.isChecked()))
        further = [f"--to={','.join(self.forms)}"] if self.forms else []
        if self.redacted.isChecked():
            further.append("--redacted")
        self._child.ask(str(self._record), *further, f"--out={folder}", "--json")
        self.outcome.setText("Writing…")
        self._show_possible()

    def done(self, result: int) -> None:
        """Close; an export that goes on is ended, and leaves no half file."""
        self._child.stop_and_wait()
        super().done(result)

    def _done(self, output: bytes, code: int, said: str) -> None:
        try:
            exported = msgspec.json.decode(output, type=Exported)
        except msgspec.DecodeError:
            lines = said.strip().splitlines()
            self.outcome.setText(lines[-1] if lines else f"The export ended with exit code {code}: see the terminal.")
        else:
            names = "\n".join(Path(name).name for name in exported.files)
            self.outcome.setText("\n".join([f"Written: {len(exported.files)} files", names, *exported.notes]))
            self.show_button.setEnabled(True)
        self._show_possible()

    def _show_possible(self) -> None:
        redacted = self.redacted.isChecked()
        for form in _VOICES:
            self.boxes[form].setEnabled(not redacted)
        ready = bool(self.forms or redacted) and bool(self.folder.text().strip())
        self.export_button.setEnabled(ready and not self._child.waiting)

    def _ask_folder(self) -> None:
        dialog = QFileDialog(self, "Export to the folder", self.folder.text())
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.folder.setText)
        dialog.open()
