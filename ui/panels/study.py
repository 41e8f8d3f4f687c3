"""Quick pushes: what the study tells the agent, sent by hand. Deck and runner come into this panel later."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QFormLayout,
    QFrame,
    QLabel,
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QPushButton,
    QSpinBox,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from simulator.errors import SimulatorError
from simulator.participant.messages import ConnectionState, Status
from ui.models.pushes import PUSHES, QUESTION_EXAMPLES, PushField, PushKind, preview, push_key
from ui.theme import SPACE_PX, Theme, mono_font

NOT_CONNECTED = "Connect first (F5): a push needs a session."


class StudyPanel(QFrame):
    """A list of kinds, the form of the chosen one, what the agent will be told, and the button that pushes it."""

    push_requested = Signal(object)
    """A Push, Ask or RequestReply command."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "panel")
        self._theme = theme
        self._connected = False
        self.kinds = QListWidget()
        self.kinds.setAccessibleName("Kinds of push")
        self.kinds.addItems([f"{push_key(row)[-1]}  {kind.name}" for row, kind in enumerate(PUSHES)])
        for row, kind in enumerate(PUSHES):
            self.kinds.item(row).setToolTip(f"{kind.tip}  {push_key(row)}")
        self.kinds.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.kinds.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.forms = [PushForm(kind) for kind in PUSHES]
        self._stack = QStackedWidget()
        for form in self.forms:
            self._stack.addWidget(form)
            form.changed.connect(self._show_preview)
        self.told = QPlainTextEdit()
        self.told.setReadOnly(True)
        self.told.setFont(mono_font(0.9))
        self.told.setAccessibleName("What the agent is told")
        self.told.setTabChangesFocus(True)
        self.push_button = QPushButton("Push  ⏎")
        self.push_button.clicked.connect(self.push)
        self.reason = QLabel(NOT_CONNECTED)
        self.reason.setWordWrap(True)
        self.reason.setProperty("role", "muted")
        self._lay_out()
        self.kinds.currentRowChanged.connect(self._show_form)
        self.kinds.itemDoubleClicked.connect(self.push)
        self.kinds.setCurrentRow(0)
        theme.changed.connect(self._show_preview)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Push with Enter, wherever in the panel the cursor is: fields let that key through."""
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
        elif not event.isAutoRepeat():
            self.push()

    def choose(self, row: int) -> None:
        """Show the form of a kind and put the cursor into it."""
        self.kinds.setCurrentRow(row)
        first = self.forms[row].first_field
        (first or self.push_button).setFocus(Qt.FocusReason.ShortcutFocusReason)

    def show_status(self, status: Status) -> None:
        """Allow pushing while there is a session."""
        connected = status.connection is ConnectionState.CONNECTED
        if connected != self._connected:
            self._connected = connected
            self._show_preview()

    def show_sent(self, error: str | None) -> None:
        """Say what became of the last push."""
        self._say(error or "Pushed.", "error" if error else "passed")

    def push(self) -> None:
        """Push the chosen kind with the values of its form."""
        if not self._connected:
            self._say(NOT_CONNECTED, "text_muted")
            return
        form = self.forms[self.kinds.currentRow()]
        try:
            command = form.command()
        except SimulatorError as error:
            self._say(str(error), "error")
            return
        self._say("Sent; waiting for it to take effect…", "text_muted")
        self.push_requested.emit(command)

    def _lay_out(self) -> None:
        heading = QLabel("STUDY")
        heading.setProperty("role", "heading")
        told = QLabel("What the agent is told")
        told.setProperty("role", "muted")
        self._fit_list()
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * SPACE_PX, 2 * SPACE_PX, 2 * SPACE_PX, 2 * SPACE_PX)
        column.setSpacing(2 * SPACE_PX)
        column.addWidget(heading)
        column.addWidget(self.kinds)
        column.addWidget(self._stack)
        column.addWidget(self.push_button)
        column.addWidget(self.reason)
        column.addWidget(told)
        column.addWidget(self.told, 1)

    def _fit_list(self) -> None:
        height = self.kinds.sizeHintForRow(0) * len(PUSHES) + 2 * self.kinds.frameWidth() + 2
        self.kinds.setFixedHeight(height)

    def _show_form(self, row: int) -> None:
        for place, form in enumerate(self.forms):
            # A stack is as high as its highest page, unless the others do not count.
            form.setSizePolicy(form.sizePolicy().horizontalPolicy(), _policy(place == row))
        self._stack.setCurrentIndex(row)
        self._stack.setVisible(bool(PUSHES[row].fields))
        self._show_preview()

    def _show_preview(self) -> None:
        form = self.forms[self.kinds.currentRow()]
        try:
            self.told.setPlainText(preview(form.command()))
            ready, why = True, ""
        except SimulatorError as error:
            ready, why = False, str(error)
        self.push_button.setEnabled(ready and self._connected)
        if not self._connected:
            self._say(NOT_CONNECTED, "text_muted")
        elif why:
            self._say(why, "error")
        else:
            self._say(PUSHES[self.kinds.currentRow()].tip, "text_muted")

    def _say(self, text: str, role: str) -> None:
        self.reason.setText(text)
        self.reason.setStyleSheet(f"color: {getattr(self._theme.colours, role)};")
        self.push_button.setToolTip(text)


class PushForm(QWidget):
    """The fields of a kind of push."""

    changed = Signal()

    def __init__(self, kind: PushKind) -> None:
        super().__init__()
        self.kind = kind
        self._read: dict[str, Callable[[], Any]] = {}
        self.fields: dict[str, QWidget] = {}
        self._form = QFormLayout(self)
        self._form.setContentsMargins(0, 0, 0, 0)
        self._form.setSpacing(SPACE_PX)
        self._form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.DontWrapRows)
        self._form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for field in kind.fields:
            widget = _MAKERS[field.kind](self, field)
            widget.setAccessibleName(f"{kind.name}: {field.label}")
            widget.setToolTip(field.tip)
            self.fields[field.name] = widget
            self._form.addRow(field.label if field.kind != "yes" else "", widget)

    @property
    def first_field(self) -> QWidget | None:
        """Where the cursor goes: to what is written rather than to a picker, whose list Space would open."""
        fields = list(self.fields.values())
        written = (field for field in fields if not isinstance(field, QComboBox))
        return next(written, fields[0] if fields else None)

    def command(self) -> Any:
        """Return the command of the present values. Raises SimulatorError."""
        return self.kind.command({name: read() for name, read in self._read.items()})

    def _add_line(self, field: PushField) -> QLineEdit:
        line = QLineEdit(str(field.default))
        line.textChanged.connect(self.changed)
        self._read[field.name] = line.text
        return line

    def _add_text(self, field: PushField) -> QPlainTextEdit:
        text = _EnterText(str(field.default))
        text.setFixedHeight(text.fontMetrics().lineSpacing() * 3 + 12)
        text.setTabChangesFocus(True)
        text.textChanged.connect(self.changed)
        self._read[field.name] = text.toPlainText
        return text

    def _add_whole(self, field: PushField) -> QSpinBox:
        number = QSpinBox()
        number.setRange(0, 24 * 3600)
        number.setValue(int(field.default))
        number.valueChanged.connect(lambda: self.changed.emit())
        self._read[field.name] = number.value
        return number

    def _add_yes(self, field: PushField) -> QCheckBox:
        box = QCheckBox(field.label)
        box.setChecked(bool(field.default))
        box.toggled.connect(lambda: self.changed.emit())
        self._read[field.name] = box.isChecked
        return box

    def _add_choice(self, field: PushField) -> QComboBox:
        picker = QComboBox()
        picker.addItems(list(field.choices))
        picker.setCurrentText(str(field.default))
        picker.currentTextChanged.connect(self._show_example)
        self._read[field.name] = picker.currentText
        return picker

    def _add_images(self, field: PushField) -> QPushButton:
        button = QPushButton("None: attach…")
        paths: list[Path] = list(field.default)
        self._read[field.name] = partial(list, paths)

        def chosen(names: list[str]) -> None:
            paths[:] = [Path(name) for name in names]
            button.setText(", ".join(path.name for path in paths) or "None: attach…")
            self._read[field.name] = partial(list, paths)
            self.changed.emit()

        def ask() -> None:
            if paths:
                chosen([])
                return
            dialog = QFileDialog(self.window(), "Images that the agent is to see", "", "Images (*.png *.jpg *.jpeg)")
            dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            dialog.filesSelected.connect(chosen)
            dialog.open()

        button.clicked.connect(ask)
        return button

    def _show_example(self, component: str) -> None:
        """Fill in an example of a question of this component, and name its details."""
        question, label, details = QUESTION_EXAMPLES[component]
        for name, text in (("question", question), ("details", details)):
            line = self.fields[name]
            assert isinstance(line, QLineEdit)
            line.setText(text)
        self._form.setRowVisible(self.fields["details"], bool(label))
        title = self._form.labelForField(self.fields["details"])
        if isinstance(title, QLabel):
            title.setText(label)
        self.changed.emit()


class _EnterText(QPlainTextEdit):
    """A few lines of text: Shift+Enter breaks the line, Enter is left to the panel."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if (
            event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        ):
            event.ignore()
        else:
            super().keyPressEvent(event)


_MAKERS: dict[str, Callable[[PushForm, PushField], QWidget]] = {
    "line": PushForm._add_line,
    "text": PushForm._add_text,
    "whole": PushForm._add_whole,
    "yes": PushForm._add_yes,
    "choice": PushForm._add_choice,
    "images": PushForm._add_images,
}


def _policy(counts: bool) -> Any:
    from PySide6.QtWidgets import QSizePolicy

    return QSizePolicy.Policy.Preferred if counts else QSizePolicy.Policy.Ignored
