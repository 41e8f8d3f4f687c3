"""One step in a form: its kind, its fields, when it begins; what is wrong is said while it is typed."""

from typing import Any

import msgspec
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFrame,
    QLabel,
    QPlainTextEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from simulator.errors import SimulatorError, UsageError
from simulator.profile.wording import OWN_WORDING, Wording
from simulator.study.step_forms import LONGEST_AFTER_S
from simulator.study.steps import Step, When
from ui.models.form_fields import FormField, number
from ui.models.step_kind import StepKind
from ui.models.step_kinds import KINDS, kind_of, told
from ui.theme import SPACE_PX, Theme, mono_font
from ui.widgets.form import Form

_WHEN = {
    When.NOW: "at once",
    When.AFTER_REPLY: "after the agent's reply",
    When.DURING_REPLY: "during the agent's reply",
}
_TIMING = (
    FormField(
        "when",
        "Begins",
        "choice",
        _WHEN[When.NOW],
        choices=tuple(_WHEN.values()),
        tip="When the study is played by time: once the step before is done.",
    ),
    FormField(
        "after_s",
        "Seconds of it",
        "line",
        "",
        tip="Seconds of the reply that are heard first, or after its end. Empty: 1 during the reply, 0 after it.",
    ),
    FormField("at_s", "Not before (s)", "line", "", tip="Seconds after the start of the study; empty: at any time."),
)
_LABEL_PX = 100


class StepDialog(QDialog):
    """Edits a step; `done_with` tells the new one. Open it with `open()`."""

    done_with = Signal(object)

    def __init__(
        self, theme: Theme, step: Step, title: str, parent: QWidget | None = None, wording: Wording = OWN_WORDING
    ) -> None:
        """`wording` is whose words a question is put in, where it is shown what the agent is told."""
        super().__init__(parent)
        self._wording = wording
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(560, 620)
        self._theme = theme
        self._before = step
        self._step: Step | None = step
        kind = kind_of(step.action)
        self._kinds = [*KINDS] if kind in KINDS else [kind]
        self.kind_picker = QComboBox()
        self.kind_picker.setAccessibleName("Kind of step")
        self.kind_picker.addItems([each.name for each in self._kinds])
        self.kind_picker.setMaxVisibleItems(len(self._kinds))
        self.kind_picker.setCurrentIndex(self._kinds.index(kind))
        self.kind_picker.currentIndexChanged.connect(lambda _place: self._change_kind())
        self.tip = QLabel()
        self.tip.setProperty("role", "muted")
        self.tip.setWordWrap(True)
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self.timing = Form(_TIMING, "Timing", _LABEL_PX)
        at = f"{step.at_s:g}" if step.at_s else ""
        after = "" if step.after_s is None else f"{step.after_s:g}"
        self.timing.set_values({"when": _WHEN[step.when], "after_s": after, "at_s": at})
        self.timing.changed.connect(self._check)
        self.told = QPlainTextEdit()
        self.told.setReadOnly(True)
        self.told.setFont(mono_font(0.9))
        self.told.setTabChangesFocus(True)
        self.told.setAccessibleName("What the agent is told")
        self.told.setFixedHeight(self.told.fontMetrics().lineSpacing() * 5 + 12)
        self.told_title = QLabel("What the agent is told")
        self.told_title.setProperty("role", "muted")
        self.message = QLabel()
        self.message.setWordWrap(True)
        self.message.setTextFormat(Qt.TextFormat.PlainText)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self._lay_out()
        self._show_kind(kind, kind.values(step.action))
        if self.form.first_field is not None:
            self.form.first_field.setFocus()

    def accept(self) -> None:
        """Tell the step, unless something is wrong with it."""
        if self._step is None:
            return
        self.done_with.emit(self._step)
        super().accept()

    @property
    def _kind(self) -> StepKind:
        return self._kinds[self.kind_picker.currentIndex()]

    def _change_kind(self) -> None:
        """Show the fields of another kind; those of the same name keep what they hold."""
        kept = self.form.values
        kind = self._kind
        fields = {field.name: field for field in kind.fields}
        old = {field.name: field.kind for field in self._shown.fields}
        same = {name: value for name, value in kept.items() if name in fields and old.get(name) == fields[name].kind}
        chosen = {
            name: value
            for name, value in same.items()
            if fields[name].kind != "choice" or value in fields[name].choices
        }
        self._show_kind(kind, chosen)

    def _show_kind(self, kind: StepKind, values: dict[str, Any]) -> None:
        self._shown = kind
        self.form = Form(kind.fields, kind.name, _LABEL_PX)
        self.form.set_values(values)
        self.form.changed.connect(self._check)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 2 * SPACE_PX, 0)
        column.addWidget(self.form)
        column.addStretch(1)
        self._scroll.setWidget(page)
        self.tip.setText(kind.tip)
        self._check()

    def _check(self) -> None:
        """Make the step of what is typed, or say what is wrong."""
        try:
            values = self.timing.values
            at_s = number(values["at_s"], "“Not before”") if values["at_s"].strip() else 0
            if not 0 <= at_s <= 24 * 3600:
                raise UsageError("“Not before” must lie between 0 seconds and a day.")
            when = next(each for each, words in _WHEN.items() if words == values["when"])
            after_s = _after(values["after_s"], when)
            before = self._before.action if kind_of(self._before.action) is self._shown else None
            action = self._shown.action(self.form.values, before)
            self._step = msgspec.structs.replace(
                self._before, action=action, when=when, at_s=float(at_s), after_s=after_s
            )
        except SimulatorError as error:
            self._step = None
            self._say(str(error), "error")
        else:
            text = told(self._step.action, self._wording)
            self.told.setPlainText(text)
            self.told.setVisible(bool(text))
            self.told_title.setVisible(bool(text))
            self._say("", "text_muted")
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(self._step is not None)

    def _say(self, text: str, role: str) -> None:
        self.message.setText(f"✕  {text}" if text else "")
        self.message.setStyleSheet(f"color: {getattr(self._theme.colours, role)};")

    def _lay_out(self) -> None:
        rows = QVBoxLayout(self)
        rows.setContentsMargins(5 * SPACE_PX, 5 * SPACE_PX, 5 * SPACE_PX, 4 * SPACE_PX)
        rows.setSpacing(2 * SPACE_PX)
        rows.addWidget(self.kind_picker)
        rows.addWidget(self.tip)
        rows.addWidget(self._scroll, 1)
        rows.addWidget(self.timing)
        rows.addWidget(self.told_title)
        rows.addWidget(self.told)
        rows.addWidget(self.message)
        rows.addWidget(self.buttons)


def _after(text: str, when: When) -> float | None:
    """Return how many seconds of the reply, or after it; None where it goes without saying. Raises UsageError."""
    if when is When.NOW or not text.strip():
        return None
    after_s = float(number(text, "“Seconds of it”"))
    if not 0 <= after_s <= LONGEST_AFTER_S:
        raise UsageError(f"“Seconds of it” must lie between 0 and {LONGEST_AFTER_S:g}.")
    return after_s
