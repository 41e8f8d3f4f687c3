"""A form drawn from a table of fields (ui/models/form_fields.py): what it holds can be read and set by name."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QFormLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSpinBox,
    QWidget,
)

from ui.models.form_fields import FormField
from ui.theme import SPACE_PX
from ui.widgets.row_editor import RowEditor

IMAGE_FILTER = "Images (*.png *.jpg *.jpeg)"


class Form(QWidget):
    """One widget a field, with its label."""

    changed = Signal()
    chosen = Signal(str, str)
    """Another of the choices of a field: its name, and the choice."""

    def __init__(self, fields: Sequence[FormField], name: str, label_px: int = 0) -> None:
        """`label_px` is the least width of the labels, so that forms below each other are in line."""
        super().__init__()
        self._read: dict[str, Callable[[], Any]] = {}
        self._write: dict[str, Callable[[Any], None]] = {}
        self.fields: dict[str, QWidget] = {}
        self._form = QFormLayout(self)
        self._form.setContentsMargins(0, 0, 0, 0)
        self._form.setSpacing(SPACE_PX)
        self._form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.DontWrapRows)
        self._form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for field in fields:
            widget = _MAKERS[field.kind](self, field)
            widget.setAccessibleName(f"{name}: {field.label}")
            widget.setToolTip(field.tip)
            self.fields[field.name] = widget
            label = QLabel(field.label if field.kind != "yes" else "")
            label.setMinimumWidth(label_px)
            label.setBuddy(widget)
            self._form.addRow(label, widget)
        self.set_values({field.name: field.default for field in fields})

    @property
    def values(self) -> dict[str, Any]:
        """What the fields hold, by name."""
        return {name: read() for name, read in self._read.items()}

    def set_values(self, values: dict[str, Any]) -> None:
        """Fill fields; those that are not named keep what they hold."""
        for name, value in values.items():
            if name in self._write:
                self._write[name](value)

    @property
    def first_field(self) -> QWidget | None:
        """Where the cursor goes: to what is written rather than to a picker, whose list Space would open."""
        fields = list(self.fields.values())
        written = (field for field in fields if not isinstance(field, QComboBox))
        return next(written, fields[0] if fields else None)

    def set_label(self, name: str, text: str) -> None:
        """Give a field another label; it is hidden where that is empty."""
        self._form.setRowVisible(self.fields[name], bool(text))
        label = self._form.labelForField(self.fields[name])
        if isinstance(label, QLabel):
            label.setText(text)

    def _add_line(self, field: FormField) -> QLineEdit:
        line = QLineEdit()
        line.textChanged.connect(self.changed)
        self._read[field.name] = line.text
        self._write[field.name] = lambda value: line.setText(str(value))
        return line

    def _add_text(self, field: FormField) -> QPlainTextEdit:
        text = self._written(3)
        self._read[field.name] = text.toPlainText
        self._write[field.name] = lambda value: text.setPlainText(str(value))
        return text

    def _add_lines(self, field: FormField) -> QPlainTextEdit:
        text = self._written(4)
        text.enter_breaks = True
        text.setPlaceholderText(field.tip)
        self._read[field.name] = lambda: [line.strip() for line in text.toPlainText().splitlines() if line.strip()]
        self._write[field.name] = lambda value: text.setPlainText("\n".join(map(str, value)))
        return text

    def _written(self, lines: int) -> "EnterText":
        text = EnterText()
        text.setFixedHeight(text.fontMetrics().lineSpacing() * lines + 12)
        text.setTabChangesFocus(True)
        text.textChanged.connect(self.changed)
        return text

    def _add_whole(self, field: FormField) -> QSpinBox:
        number = QSpinBox()
        # As tall as the fields of text beside it, which the style sheet pads.
        number.setMinimumHeight(QLineEdit().sizeHint().height())
        number.setRange(field.low, field.high)
        number.setSuffix(field.suffix)
        number.valueChanged.connect(lambda: self.changed.emit())
        self._read[field.name] = number.value
        self._write[field.name] = lambda value: number.setValue(int(value))
        return number

    def _add_yes(self, field: FormField) -> QCheckBox:
        box = QCheckBox(field.label)
        box.toggled.connect(lambda: self.changed.emit())
        self._read[field.name] = box.isChecked
        self._write[field.name] = lambda value: box.setChecked(bool(value))
        return box

    def _add_choice(self, field: FormField) -> QComboBox:
        picker = QComboBox()
        for choice in field.choices:
            picker.addItem(field.words.get(choice, choice), choice)
        picker.setEditable(field.kind == "pick")
        picker.setMinimumContentsLength(8)
        picker.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)

        def read() -> str:
            text = picker.currentText()
            place = picker.findText(text, Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchCaseSensitive)
            return text if place < 0 else str(picker.itemData(place))

        def write(value: Any) -> None:
            picker.setCurrentText(field.words.get(str(value), str(value)))

        write(field.default)
        picker.currentTextChanged.connect(lambda _text: self.chosen.emit(field.name, read()))
        picker.currentTextChanged.connect(lambda _text: self.changed.emit())
        self._read[field.name] = read
        self._write[field.name] = write
        return picker

    def _add_table(self, field: FormField) -> RowEditor:
        table = RowEditor(field.columns)
        return self._join(table, field)

    def _add_pictures(self, field: FormField) -> RowEditor:
        table = RowEditor(field.columns, add_words="Add images…")
        table.add_requested.disconnect()

        def taken(names: list[str]) -> None:
            for name in names:
                table.add_row((name, Path(name).stem.replace("_", " ")))

        table.add_requested.connect(lambda: ask_images(table, taken))
        return self._join(table, field)

    def _join(self, table: RowEditor, field: FormField) -> RowEditor:
        table.changed.connect(self.changed)
        self._read[field.name] = lambda: table.rows
        self._write[field.name] = table.set_rows
        return table

    def _add_images(self, field: FormField) -> QPushButton:
        button = QPushButton()
        paths: list[Path] = []

        def write(names: Iterable[Any]) -> None:
            paths[:] = [Path(name) for name in names]
            button.setText(", ".join(path.name for path in paths) or "None: attach…")
            self.changed.emit()

        def ask() -> None:
            if paths:
                write([])
            else:
                ask_images(button, write)

        button.clicked.connect(ask)
        self._read[field.name] = lambda: list(paths)
        self._write[field.name] = write
        return button


class EnterText(QPlainTextEdit):
    """A few lines of text: Shift+Enter breaks the line, Enter is left to the panel unless `enter_breaks`."""

    enter_breaks = False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave Enter to the panel."""
        plain = not event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and plain and not self.enter_breaks:
            event.ignore()
        else:
            super().keyPressEvent(event)


def ask_images(parent: QWidget, take: Callable[[list[str]], None]) -> None:
    """Let the user choose PNG and JPEG files."""
    dialog = QFileDialog(parent.window(), "Images that the agent is to see", "", IMAGE_FILTER)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.filesSelected.connect(take)
    dialog.open()


_MAKERS: dict[str, Callable[[Form, FormField], QWidget]] = {
    "line": Form._add_line,
    "text": Form._add_text,
    "lines": Form._add_lines,
    "whole": Form._add_whole,
    "yes": Form._add_yes,
    "choice": Form._add_choice,
    "pick": Form._add_choice,
    "images": Form._add_images,
    "table": Form._add_table,
    "pictures": Form._add_pictures,
}
