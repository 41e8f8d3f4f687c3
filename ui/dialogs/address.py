"""Asks for the address of an engine that has no name yet."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QLineEdit, QVBoxLayout, QWidget

from simulator.engines.profiles import resolve
from simulator.errors import KeyMissing, SimulatorError


class AddressDialog(QDialog):
    """One field; the address is checked before it is taken. Open it with `open()`."""

    address_given = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Address of an engine")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.field = QLineEdit("ws://127.0.0.1:")
        self.field.setAccessibleName("Address")
        self.field.setMinimumWidth(420)
        self.message = QLabel("An address that starts with ws:// or wss://. For keys and headers use “Edit engines…”.")
        self.message.setWordWrap(True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        for widget in (self.field, self.message, buttons):
            column.addWidget(widget)

    def accept(self) -> None:
        """Take the address, or say what is wrong with it."""
        address = self.field.text().strip()
        try:
            if "://" not in address:
                self.message.setText("An address starts with ws:// or wss://.")
                return
            resolve(address)
        except KeyMissing:
            pass
        except SimulatorError as error:
            self.message.setText(str(error))
            return
        self.address_given.emit(address)
        super().accept()
