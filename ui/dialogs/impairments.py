"""What is done to the participant's voice on its way to the engine: noise, lost blocks, a delay; at once."""

from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from simulator.audio.impairments import Impairments
from ui.models.impairing import FIELDS, LEVELS, impairments_of, values_of
from ui.models.voices import AUDIO_SUFFIXES
from ui.theme import SPACE_PX, Theme
from ui.widgets.form import Form

_SETTLED_MS = 300
"""So long after the last change it is told: a path that is being typed is none yet."""
_ABOUT = (
    "To explore how robust an engine is. What is done holds until it is changed or the program ends, and stands in the "
    "record, which holds the voice as it was sent. Noise goes on while the voice is muted or the talk key is up."
)


class ImpairmentsDialog(QDialog):
    """A form. Open it with `open()`; `settle` says what became of the last change."""

    changed = Signal(object)
    """The Impairments that are wanted; None: none."""

    def __init__(self, theme: Theme, impairments: Impairments | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setWindowTitle("Impairments of the voice")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.form = Form(FIELDS, "Impairments")
        self.form.set_values(values_of(impairments))
        self._told = impairments
        self._settling = QTimer(self)
        self._settling.setSingleShot(True)
        self._settling.setInterval(_SETTLED_MS)
        self._settling.timeout.connect(self._tell)
        about = QLabel(_ABOUT)
        about.setWordWrap(True)
        about.setProperty("role", "muted")
        self.message = QLabel()
        self.message.setWordWrap(True)
        self.message.setTextFormat(Qt.TextFormat.PlainText)
        self.message.setAccessibleName("What is done to the voice")
        self.recording_button = QPushButton("Noise from a file…")
        self.recording_button.clicked.connect(self._ask_recording)
        self.nothing_button = QPushButton("Nothing")
        self.nothing_button.setToolTip("Do nothing to the voice any more.")
        self.nothing_button.clicked.connect(lambda: self.form.set_values(values_of(None)))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        for button in (self.recording_button, self.nothing_button):
            buttons.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
        for each in buttons.findChildren(QPushButton):
            each.setAutoDefault(False)  # Enter in a field closes nothing
        column = QVBoxLayout(self)
        column.setSpacing(2 * SPACE_PX)
        column.addWidget(about)
        column.addWidget(self.form)
        column.addWidget(self.message)
        column.addWidget(buttons)
        self.setMinimumWidth(460)
        self.form.chosen.connect(self._chosen)
        self.form.changed.connect(self._settling.start)
        self.settle(None)

    def settle(self, error: str | None) -> None:
        """Say what is done to the voice, or why it is not."""
        now = self._told.words if self._told is not None else ""
        self.message.setText(error or (f"Now: {now}." if now else "Now: nothing."))
        colours = self._theme.colours
        self.message.setStyleSheet(f"color: {colours.error if error else colours.warning if now else colours.text};")

    def done(self, result: int) -> None:
        """Close, with the last change told."""
        if self._settling.isActive():
            self._tell()
        super().done(result)

    def _tell(self) -> None:
        self._settling.stop()
        wanted = impairments_of(self.form.values)
        self._told = wanted if wanted.active else None
        self.changed.emit(self._told)

    def _chosen(self, field: str, choice: str) -> None:
        if field == "unit":
            self.form.set_values({"noise_db": LEVELS[choice]})

    def _ask_recording(self) -> None:
        patterns = " ".join(f"*{suffix}" for suffix in sorted(AUDIO_SUFFIXES))
        dialog = QFileDialog(self, "A recording as the noise", "", f"Audio ({patterns});;All files (*)")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda name: self.form.set_values({"noise": str(Path(name).resolve())}))
        dialog.open()
