"""The fields of a response's form: one editor for each kind, which reads and shows the field's value."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QHeaderView,
    QLineEdit,
    QPlainTextEdit,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from simulator.profile.response_parameters import Field, Kind
from ui.theme import ROW_HEIGHT_PX, SPACE_PX, Theme, mono_font
from ui.widgets.json_view import JsonHighlighter

_MOST_ROWS_SHOWN = 5
Changed = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Offers:
    """What is offered in fields whose choices are no constants."""

    theme: Theme
    tools: tuple[str, ...]
    voices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Editor:
    """A widget, and the way to its value."""

    widget: QWidget
    read: Callable[[], Any]
    write: Callable[[Any], None]
    offer_tools: Callable[[tuple[str, ...]], None] | None = None
    """Offer other names of tools, where the field is one of tools."""


class Picker(QComboBox):
    """A drop-down list that the wheel scrolls past, unless it has the cursor."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Change the choice only where that is meant."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class PlainText(QPlainTextEdit):
    """Some lines of text, in just the characters that were typed."""

    def __init__(self, lines: int) -> None:
        super().__init__()
        self.setTabChangesFocus(True)
        self.setFixedHeight(self.fontMetrics().lineSpacing() * lines + 12)


def plain_text(editor: QPlainTextEdit) -> str:
    """Return the text of an editor with its no-break spaces, which Qt's own way replaces."""
    return editor.document().toRawText().replace("\u2029", "\n").replace("\u2028", "\n")


class PairsTable(QTableWidget):
    """Names and values, with an empty row at the end to type into."""

    edited = Signal()

    def __init__(self) -> None:
        super().__init__(0, 2)
        self.setHorizontalHeaderLabels(["Name", "Value"])
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT_PX)
        header = self.horizontalHeader()
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.resizeSection(0, 140)
        self.setTabKeyNavigation(False)
        self.setEditTriggers(QTableWidget.EditTrigger.AllEditTriggers)
        self.itemChanged.connect(self._item_changed)
        self.show_pairs([])

    def pairs(self) -> list[tuple[str, str]]:
        """Return the rows that are not empty."""
        rows = [(self._text(row, 0), self._text(row, 1)) for row in range(self.rowCount())]
        return [(name, value) for name, value in rows if name or value]

    def show_pairs(self, pairs: list[tuple[str, str]]) -> None:
        """Show other rows."""
        self.blockSignals(True)
        self.setRowCount(0)
        for pair in [*pairs, ("", "")]:
            self._add(*pair)
        self.blockSignals(False)
        self._fit()
        self.edited.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Remove the row with Delete."""
        if event.key() == Qt.Key.Key_Delete and self.currentRow() >= 0:
            self.removeRow(self.currentRow())
            self._end_with_empty_row()
            self.edited.emit()
        else:
            super().keyPressEvent(event)

    def _item_changed(self) -> None:
        self._end_with_empty_row()
        self.edited.emit()

    def _end_with_empty_row(self) -> None:
        last = self.rowCount() - 1
        if last < 0 or self._text(last, 0) or self._text(last, 1):
            self.blockSignals(True)
            self._add("", "")
            self.blockSignals(False)
        self._fit()

    def _add(self, name: str, value: str) -> None:
        row = self.rowCount()
        self.insertRow(row)
        self.setItem(row, 0, QTableWidgetItem(name))
        self.setItem(row, 1, QTableWidgetItem(value))

    def _text(self, row: int, column: int) -> str:
        item = self.item(row, column)
        return item.text() if item is not None else ""

    def _fit(self) -> None:
        rows = min(max(self.rowCount(), 2), _MOST_ROWS_SHOWN)
        self.setFixedHeight(self.horizontalHeader().sizeHint().height() + rows * ROW_HEIGHT_PX + 4)


class Ticks(QWidget):
    """Some of several choices."""

    ticked = Signal()

    def __init__(self, choices: tuple[str, ...], columns: int) -> None:
        super().__init__()
        self._columns = columns
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(4 * SPACE_PX)
        self._grid.setVerticalSpacing(SPACE_PX)
        self._grid.setColumnStretch(columns, 1)
        self.boxes: dict[str, QCheckBox] = {}
        self.offer(choices)

    def offer(self, choices: tuple[str, ...]) -> None:
        """Offer these choices; those that were ticked stay so."""
        chosen = self.chosen()
        for box in self.boxes.values():
            box.hide()
            box.deleteLater()
        self.boxes = {choice: QCheckBox(choice) for choice in choices}
        for place, (choice, box) in enumerate(self.boxes.items()):
            box.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # Space stays the talk key
            box.setChecked(choice in chosen)
            box.toggled.connect(lambda: self.ticked.emit())
            self._grid.addWidget(box, place // self._columns, place % self._columns)

    def chosen(self) -> list[str]:
        """Return the ticked choices in their order."""
        return [choice for choice, box in self.boxes.items() if box.isChecked()]

    def show_chosen(self, chosen: list[str]) -> None:
        """Tick these and no others."""
        for choice, box in self.boxes.items():
            box.setChecked(choice in chosen)


def make_editor(field: Field, offers: Offers, changed: Changed) -> Editor:
    """Return an editor that calls `changed` whenever its value does."""
    return _MAKERS[field.kind](field, offers, changed)


def _choice(field: Field, _offers: Offers, changed: Changed) -> Editor:
    picker = Picker()
    picker.addItems(list(field.choices))
    picker.currentIndexChanged.connect(lambda: changed())
    return Editor(picker, picker.currentText, picker.setCurrentText)


def _suggested(field: Field, offers: Offers, changed: Changed) -> Editor:
    return _typed_or_chosen(field.choices or offers.voices, changed)


def _tool(_field: Field, offers: Offers, changed: Changed) -> Editor:
    picker = _typed_or_chosen(offers.tools, changed)
    return Editor(picker.widget, picker.read, picker.write, partial(_offer_again, picker))


def _typed_or_chosen(choices: tuple[str, ...], changed: Changed) -> Editor:
    picker = Picker()
    picker.setEditable(True)
    picker.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
    picker.addItems(list(choices))
    picker.currentTextChanged.connect(lambda: changed())
    return Editor(picker, picker.currentText, picker.setCurrentText)


def _offer_again(editor: Editor, choices: tuple[str, ...]) -> None:
    assert isinstance(editor.widget, Picker)
    text = editor.read()
    editor.widget.clear()
    editor.widget.addItems(list(choices))
    editor.write(text)


def _several(field: Field, _offers: Offers, changed: Changed) -> Editor:
    ticks = Ticks(field.choices, columns=2)
    ticks.ticked.connect(changed)
    return Editor(ticks, ticks.chosen, ticks.show_chosen)


def _tools(_field: Field, offers: Offers, changed: Changed) -> Editor:
    ticks = Ticks(offers.tools, columns=2)
    ticks.ticked.connect(changed)
    return Editor(ticks, ticks.chosen, ticks.show_chosen, ticks.offer)


def _line(field: Field, _offers: Offers, changed: Changed) -> Editor:
    line = QLineEdit()
    line.setPlaceholderText(field.example)
    line.textChanged.connect(lambda: changed())
    return Editor(line, line.text, line.setText)


def _text(field: Field, _offers: Offers, changed: Changed) -> Editor:
    text = PlainText(lines=3)
    text.setPlaceholderText(field.example)
    text.textChanged.connect(changed)
    return Editor(text, partial(plain_text, text), text.setPlainText)


def _json(field: Field, offers: Offers, changed: Changed) -> Editor:
    text = PlainText(lines=5)
    text.setFont(mono_font(0.9))
    text.setPlaceholderText(field.example)
    JsonHighlighter(text.document(), offers.theme)
    text.textChanged.connect(changed)
    return Editor(text, partial(plain_text, text), text.setPlainText)


def _pairs(_field: Field, _offers: Offers, changed: Changed) -> Editor:
    table = PairsTable()
    table.edited.connect(changed)
    return Editor(table, table.pairs, table.show_pairs)


_MAKERS: Final[dict[Kind, Callable[[Field, Offers, Changed], Editor]]] = {
    Kind.CHOICE: _choice,
    Kind.SUGGESTED: _suggested,
    Kind.SEVERAL: _several,
    Kind.LINE: _line,
    Kind.WHOLE: _line,
    Kind.TEXT: _text,
    Kind.LINES: _text,
    Kind.PAIRS: _pairs,
    Kind.JSON: _json,
    Kind.TOOLS: _tools,
    Kind.TOOL: _tool,
}
