"""Export of a record: which forms, to which folder; the program's own command writes them in a process of its own.

A folder of the session's name is offered, in the folder that was exported to last: what is written of one session
lies together, and apart from that of others.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

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
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from ui.child_answer import ChildAnswer
from ui.child_process import python_command
from ui.dialogs.fitting import fit_height
from ui.export_choice import ExportChoice
from ui.models.exports import FORMS, outcome, own_folder
from ui.models.plain import line, tip
from ui.models.replay import name_of
from ui.settings import WindowSettings
from ui.theme import SPACE_PX
from ui.widgets.elided_label import ElidedLabel

_VOICES: Final = ("wav", "flac")
_LISTED_LINES: Final = 6
"""Files in sight at a time: there may be dozens, and the buttons have to stay on the screen."""


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
        self._record, self._choice = record, ExportChoice(settings)
        self._session = name_of(record)
        self._written_to = Path()
        self._child = ChildAnswer([*(command or python_command("simulator")), "export"], self)
        self._child.answered.connect(self._done)
        self._build()
        self._lay_out()
        self._show_possible()

    def _build(self) -> None:
        self.name = ElidedLabel(line(self._session))
        self.name.setStyleSheet("font-size: 13pt; font-weight: 600;")
        self.name.setToolTip(tip(str(self._record)))
        chosen = self._choice.forms
        self.boxes: dict[str, QCheckBox] = {}
        for form, words in FORMS.items():
            box = self.boxes[form] = QCheckBox(words)
            box.setChecked(form in chosen)
            box.toggled.connect(self._show_possible)
        self.redacted = QCheckBox("For a bug report: a copy without voices, words and names")
        self.redacted.toggled.connect(self._show_possible)
        self.folder = QLineEdit(str(self._choice.folder_of(self._session)))
        self.folder.setAccessibleName("Folder to export to")
        self.folder.textChanged.connect(self._show_possible)
        self.outcome = QLabel()
        self.outcome.setTextFormat(Qt.TextFormat.PlainText)
        self.outcome.setWordWrap(True)
        self.outcome.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.files = QPlainTextEdit()
        self.files.setReadOnly(True)
        self.files.setAccessibleName("Files that were written")
        self.files.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.files.setFixedHeight((_LISTED_LINES + 1) * self.files.fontMetrics().lineSpacing())
        self.files.hide()

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(6 * SPACE_PX)
        for place, box in enumerate(self.boxes.values()):
            grid.addWidget(box, place // 2, place % 2)
        browse = QPushButton("Browse…")
        browse.setAutoDefault(False)
        browse.clicked.connect(self._ask_folder)
        place_row = QHBoxLayout()
        place_row.addWidget(QLabel("To the folder"))
        place_row.addWidget(self.folder, 1)
        place_row.addWidget(browse)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.export_button = buttons.addButton("Export", QDialogButtonBox.ButtonRole.ActionRole)
        self.export_button.setDefault(True)
        self.export_button.clicked.connect(self.export)
        self.show_button = buttons.addButton("Show the folder", QDialogButtonBox.ButtonRole.ActionRole)
        self.show_button.setEnabled(False)
        self.show_button.clicked.connect(self._show_folder)
        buttons.rejected.connect(self.reject)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(5 * SPACE_PX, 5 * SPACE_PX, 5 * SPACE_PX, 4 * SPACE_PX)
        rows.setSpacing(3 * SPACE_PX)
        rows.addWidget(self.name)
        rows.addLayout(grid)
        rows.addWidget(self.redacted)
        rows.addLayout(place_row)
        rows.addWidget(self.outcome)
        rows.addWidget(self.files)
        rows.addStretch(1)
        rows.addWidget(buttons)
        self.setMinimumWidth(620)

    @property
    def forms(self) -> list[str]:
        """What is to be written, by the names of the command."""
        return [form for form, box in self.boxes.items() if box.isChecked() and box.isEnabled()]

    def export(self) -> None:
        """Write the files; the dialog stays and tells what came of it."""
        folder = self.folder.text().strip()
        self._written_to = Path(folder)
        if not self.redacted.isChecked():
            self._choice.remember(self.forms, self._written_to, self._session)
        further = [f"--to={','.join(self.forms)}"] if self.forms else []
        if self.redacted.isChecked():
            further.append("--redacted")
        self._child.ask(str(self._record), *further, f"--out={folder}", "--json")
        self.outcome.setText("Writing…")
        self.files.hide()
        self._show_possible()

    def done(self, result: int) -> None:
        """Close; an export that goes on is ended, and leaves no half file."""
        self._child.stop_and_wait()
        super().done(result)

    def _done(self, output: bytes, code: int, said: str) -> None:
        exported = outcome(output, code, said)
        if isinstance(exported, str):
            self.outcome.setText(exported)
        else:
            self.outcome.setText("\n".join([f"✓  {exported.sentence(self._written_to)}", *exported.notes]))
            self.files.setPlainText("\n".join(Path(name).name for name in exported.files))
            self.files.show()
            self.show_button.setEnabled(True)
        self._show_possible()
        fit_height(self)

    def _show_folder(self) -> None:
        if QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._written_to))):
            self.show_button.setText("Handed to the file manager")
        else:
            self.show_button.setText("No file manager was found")

    def _show_possible(self) -> None:
        redacted = self.redacted.isChecked()
        for form in _VOICES:
            self.boxes[form].setEnabled(not redacted)
        ready = bool(self.forms or redacted) and bool(self.folder.text().strip())
        self.export_button.setEnabled(ready and not self._child.waiting)

    def _ask_folder(self) -> None:
        dialog = QFileDialog(self, "Export into a folder in", str(Path(self.folder.text().strip()).parent))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda name: self.folder.setText(str(own_folder(Path(name), self._session))))
        dialog.open()
