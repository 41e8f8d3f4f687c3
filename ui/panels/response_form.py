"""The form of a response, made from the table of parameters: a row each, open while the parameter is to be sent."""

from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFormLayout, QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from simulator.profile.response_checks import Complaint
from simulator.profile.response_parameters import PARAMETERS, Field, Group, Kind
from simulator.profile.response_values import FURTHER, start_values
from ui.theme import SPACE_PX, Theme, mono_font
from ui.widgets.response_fields import Editor, Offers, make_editor

_FURTHER_FIELD = Field("json", Kind.JSON, example='{"temperature": 0.8}')
_FURTHER_NOTE = "Any other parameters, as a JSON object: to see what the engine makes of them."
_INDENT_PX = 24


class ResponseForm(QFrame):
    """Rows under headings that say who understands them, and a field for what no table knows."""

    changed = Signal()

    def __init__(self, offers: Offers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "form")
        self._filling = False
        self.rows: dict[str, ParameterRow] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * SPACE_PX, SPACE_PX, 2 * SPACE_PX, 2 * SPACE_PX)
        column.setSpacing(SPACE_PX)
        for groups, parameters in groupby(PARAMETERS, key=lambda parameter: parameter.groups):
            column.addLayout(_heading([str(group) for group in Group if group in groups]))
            for parameter in parameters:
                self._add(column, ParameterRow(parameter.name, parameter.note, parameter.fields, offers, self._edited))
        column.addLayout(_heading(["unknown here"]))
        self._add(column, ParameterRow(FURTHER, _FURTHER_NOTE, (_FURTHER_FIELD,), offers, self._edited))
        column.addStretch(1)

    def values(self) -> dict[str, dict[str, Any]]:
        """Return what is filled in."""
        return {name: row.values() for name, row in self.rows.items() if row.box.isChecked()}

    def show_values(self, values: Mapping[str, Mapping[str, Any]]) -> None:
        """Fill in these values, and send nothing else."""
        self._filling = True
        for name, row in self.rows.items():
            given = values.get(name)
            row.show_values(start_of(name) if given is None else given)
            row.box.setChecked(given is not None)
        self._filling = False
        self.changed.emit()

    def offer_tools(self, to_declare: tuple[str, ...], to_force: tuple[str, ...]) -> None:
        """Offer other tools: those that a response can declare, and those that it can be told to call."""
        self._filling = True
        for row, names in (("tools", to_declare), ("tool_choice", to_force)):
            for editor in self.rows[row].editors.values():
                if editor.offer_tools is not None:
                    editor.offer_tools(names)
        self._filling = False

    def show_complaints(self, complaints: Iterable[Complaint], theme: Theme) -> None:
        """Say at each row what is to be said of it."""
        by_row: dict[str, list[Complaint]] = {name: [] for name in self.rows}
        for complaint in complaints:
            name = complaint.path.partition(".")[0].partition("[")[0]
            by_row[name if name in by_row and self.rows[name].box.isChecked() else FURTHER].append(complaint)
        for name, row in self.rows.items():
            row.show_complaints(by_row[name], theme)

    def _add(self, column: QVBoxLayout, row: "ParameterRow") -> None:
        self.rows[row.name] = row
        column.addWidget(row)

    def _edited(self) -> None:
        if not self._filling:
            self.changed.emit()


class ParameterRow(QWidget):
    """A tick with the parameter's name, and its fields while it is ticked."""

    def __init__(
        self, name: str, note: str, fields: tuple[Field, ...], offers: Offers, changed: Callable[[], None]
    ) -> None:
        super().__init__()
        self.name = name
        self._changed = changed
        self._fields = fields
        self.box = QCheckBox("further parameters" if name == FURTHER else name)
        self.box.setFont(mono_font())
        self.box.setToolTip(note)
        self.note = QLabel(note)
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        self.note.setWordWrap(True)
        self.note.setProperty("role", "muted")
        self.note.setToolTip(note)
        self.complaint = QLabel()
        self.complaint.setWordWrap(True)
        self.editors: dict[str, Editor] = {}
        self._form = QFormLayout()
        self._form.setSpacing(SPACE_PX)
        self._form.setContentsMargins(0, 0, 0, 0)
        self._form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for field in fields:
            self._add_field(field, offers)
        self._body = QFrame()
        body = QVBoxLayout(self._body)
        body.setContentsMargins(_INDENT_PX, 0, 0, 2 * SPACE_PX)
        body.setSpacing(SPACE_PX)
        body.addLayout(self._form)
        body.addWidget(self.complaint)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_PX)
        self.note.setContentsMargins(_INDENT_PX, 0, 0, 0)
        column.addWidget(self.box)
        column.addWidget(self.note)
        column.addWidget(self._body)
        self._body.hide()
        self.complaint.hide()
        self.show_values(start_of(name))
        self.box.toggled.connect(self._toggled)

    def values(self) -> dict[str, Any]:
        """Return what the fields hold, those out of sight too."""
        return {name: editor.read() for name, editor in self.editors.items()}

    def show_values(self, values: Mapping[str, Any]) -> None:
        """Fill in the fields."""
        for name, value in values.items():
            self.editors[name].write(value)
        self._show_fields()

    def add_widget(self, widget: QWidget) -> None:
        """Put something below the fields that helps to fill them in."""
        self._form.addRow(widget)

    def show_complaints(self, complaints: list[Complaint], theme: Theme) -> None:
        """Say what is to be said of the parameter."""
        wrong = any(complaint.wrong for complaint in complaints)
        colour = theme.colours.error if wrong else theme.colours.warning
        lines = [f"{'✕' if complaint.wrong else '⚠'} {self._told(complaint)}" for complaint in complaints]
        self.complaint.setText("\n".join(lines))
        self.complaint.setStyleSheet(f"color: {colour};")
        self.complaint.setVisible(bool(lines))

    def _told(self, complaint: Complaint) -> str:
        inner = complaint.path.removeprefix(self.name).lstrip(".")
        return f"{inner}: {complaint.sentence}" if inner else complaint.sentence

    def _add_field(self, field: Field, offers: Offers) -> None:
        editor = make_editor(field, offers, self._edited)
        editor.widget.setAccessibleName(f"{self.name}: {field.label or field.name}")
        policy = editor.widget.sizePolicy()
        editor.widget.setSizePolicy(QSizePolicy.Policy.Expanding, policy.verticalPolicy())
        self.editors[field.name] = editor
        if field.label:
            self._form.addRow(field.label, editor.widget)
        else:
            self._form.addRow(editor.widget)

    def _toggled(self, ticked: bool) -> None:
        self._body.setVisible(ticked)
        self._changed()

    def _edited(self) -> None:
        self._show_fields()
        self._changed()

    def _show_fields(self) -> None:
        chosen = self.editors["choice"].read() if "choice" in self.editors else ""
        for field in self._fields:
            if field.shown_for and field.name in self.editors:
                self._form.setRowVisible(self.editors[field.name].widget, chosen in field.shown_for)


def start_of(name: str) -> dict[str, Any]:
    """Return what a row holds at first."""
    return {"json": ""} if name == FURTHER else start_values(name)


def _heading(chips: list[str]) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setContentsMargins(0, 2 * SPACE_PX, 0, 0)
    row.setSpacing(SPACE_PX)
    for text in chips:
        chip = QLabel(text)
        chip.setProperty("role", "chip")
        row.addWidget(chip)
    row.addStretch(1)
    return row
