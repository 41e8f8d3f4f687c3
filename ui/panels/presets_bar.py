"""The presets of responses: choose, save, rename, delete."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QInputDialog, QMenu, QPushButton, QWidget

from simulator.errors import SimulatorError
from ui.models.presets import Presets
from ui.theme import SPACE_PX
from ui.widgets.response_fields import Picker

_PLACEHOLDER = "Presets"


class PresetsBar(QWidget):
    """A list of presets, and what can be done with them."""

    chosen = Signal(object)
    """The response of a preset is to be shown."""
    said = Signal(str, str)
    """A sentence for the user, and the colour role that it takes."""

    def __init__(self, presets: Presets, present: Callable[[], dict[str, Any]]) -> None:
        super().__init__()
        self._presets = presets
        self._present = present
        self.picker = Picker()
        self.picker.setAccessibleName("Presets of responses")
        self.picker.setMinimumWidth(110)
        self.picker.activated.connect(self._choose)
        self.save_button = QPushButton("Save…")
        self.save_button.setToolTip(f"Keep this response as a preset, in {presets.path}.")
        self.save_button.clicked.connect(self.ask_save)
        menu = QMenu(self)
        self.rename_action = menu.addAction("Rename…", self.ask_rename)
        self.delete_action = menu.addAction("Delete", self.delete)
        self.more_button = QPushButton("More")
        self.more_button.setMenu(menu)
        self.more_button.setProperty("role", "menu")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE_PX)
        row.addWidget(self.picker)
        row.addWidget(self.save_button)
        row.addWidget(self.more_button)
        self._list("")

    @property
    def name(self) -> str:
        """The preset that was chosen or saved last; empty for none."""
        return self.picker.currentText() if self.picker.currentIndex() > 0 else ""

    def tell_complaint(self) -> None:
        """Say what of the file could not be read."""
        if self._presets.complaint:
            self.said.emit(self._presets.complaint, "warning")

    def ask_save(self) -> None:
        """Ask for a name and keep the response under it."""
        self._ask("Keep this response under the name", self.name, self.save)

    def save(self, name: str) -> None:
        """Keep the response under a name; one that another preset has is not taken."""
        name = name.strip()
        if name in self._presets.names and name != self.name:
            self.said.emit(f"There is a preset called “{name}” already: choose it before you save over it.", "error")
            return
        self._do(lambda: self._presets.save(name, self._present()), name, f"Saved as “{name}”.")

    def ask_rename(self) -> None:
        """Ask for another name of the chosen preset."""
        self._ask(f"Another name for “{self.name}”", self.name, self.rename)

    def rename(self, new: str) -> None:
        """Give the chosen preset another name."""
        old = self.name
        self._do(lambda: self._presets.rename(old, new), new.strip(), f"“{old}” is now called “{new.strip()}”.")

    def delete(self) -> None:
        """Remove the chosen preset."""
        name = self.name
        self._do(lambda: self._presets.delete(name), "", f"“{name}” was deleted; the form still holds it.")

    def _ask(self, question: str, text: str, then: Callable[[str], None]) -> None:
        dialog = QInputDialog(self.window())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle("Presets")
        dialog.setLabelText(question)
        dialog.setTextValue(text)
        dialog.textValueSelected.connect(then)
        dialog.open()

    def _do(self, deed: Callable[[], None], chosen: str, sentence: str) -> None:
        try:
            deed()
        except SimulatorError as error:
            self.said.emit(str(error), "error")
            return
        self._list(chosen)
        self.said.emit(sentence, "passed")

    def _choose(self, row: int) -> None:
        self._enable()
        if row > 0:
            self.chosen.emit(self._presets.response(self.name))

    def _list(self, chosen: str) -> None:
        self.picker.clear()
        self.picker.addItems([_PLACEHOLDER, *self._presets.names])
        names = self._presets.names
        self.picker.setCurrentIndex(names.index(chosen) + 1 if chosen in names else 0)
        self._enable()

    def _enable(self) -> None:
        for action in (self.rename_action, self.delete_action):
            action.setEnabled(bool(self.name))
