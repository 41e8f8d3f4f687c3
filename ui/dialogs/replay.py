"""How a recorded session is replayed: which engine, which times, which turn detection and which instructions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from simulator.engines.profiles import EMBEDDED, load_profiles
from simulator.errors import SimulatorError
from simulator.participant.messages import ConnectionState, Status
from simulator.profile.agent_spec import AgentSpec
from simulator.record.replay.deeds import By, Plan
from ui.background import Background
from ui.dialogs.address import AddressDialog
from ui.dialogs.engines import EnginesDialog
from ui.dialogs.fitting import fit_height
from ui.models.conformance import Conformance
from ui.models.plain import line, tip
from ui.models.replay import (
    TIMES,
    ReplayChoice,
    changes_instructions,
    name_of,
    summary,
    tools_of,
    turn_detections,
)
from ui.panels.pickers import EnginePicker, Picker
from ui.theme import SPACE_PX, Theme
from ui.widgets.elided_label import ElidedLabel
from ui.widgets.instructions_choice import InstructionsChoice

_MOST_LACKS: Final = 4
_LATER: Final = "Guidance of the study's parts stands below them; any other change comes as recorded."
_NOTHING: Final = "There is nothing to replay: nobody spoke, and nothing was pushed."
_IN_SESSION: Final = "⚠  A session is open: it has to end before a replay can begin."


@dataclass(frozen=True, slots=True)
class Offered:
    """What the window has to choose from."""

    engines: Sequence[str]
    engine: str
    """The one in the window's picker."""
    conformance: Conformance
    specification: AgentSpec
    instructions: str
    """The operator's own, for the live session."""
    typed: str | None
    """What was typed here before for the same record."""
    faults: Sequence[str]
    """Rules that the embedded engine is to break."""
    impaired: str
    """What is done to the participant's voice at present, in a line; empty: nothing."""
    by: By


class ReplayDialog(QDialog):
    """Reads the record in the background, then offers how to replay it. Open it with `open()`."""

    chosen = Signal(object, object)
    """The Plan, and the ReplayChoice."""
    typed = Signal(str)
    """Instructions that were typed here, told as the dialog closes."""
    disconnect_requested = Signal()
    engines_changed = Signal()
    """The file of engines was edited."""

    def __init__(
        self, theme: Theme, record: Path, offered: Offered, read: Callable[[Path], Plan], parent: QWidget | None = None
    ) -> None:
        """`read` makes a plan of the record; it is called in a thread and raises SimulatorError."""
        super().__init__(parent)
        self.setWindowTitle("Replay against an engine")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._theme, self._offered = theme, offered
        self._plan: Plan | None = None
        self._in_session = False
        self._build(record)
        self._lay_out()
        self.replay_button.setDefault(True)  # not before it lies in the dialog
        self._show_faults()
        self._show_possible()
        self._background = Background(self)
        self._background.run(partial(read, record), self._take)

    @property
    def choice(self) -> ReplayChoice:
        """What is chosen; to be asked for once the record was read."""
        assert self._plan is not None
        by: By = "clock" if self.times["clock"].isChecked() else "replies"
        turn_detection = dict(self.turn_detection_picker.currentData())
        return ReplayChoice(self.engine_picker.engine, turn_detection, self.instructions.text, by)

    def show_status(self, status: Status) -> None:
        """Say whether a session is open, which keeps a replay from beginning."""
        in_session = status.connection is not ConnectionState.IDLE
        if in_session is not self._in_session:
            self._in_session = in_session
            self._show_possible()

    def accept(self) -> None:
        """Tell what was chosen."""
        if self.replay_button.isEnabled():
            self.chosen.emit(self._plan, self.choice)
            super().accept()

    def done(self, result: int) -> None:
        """Close; what was typed is told, to be there the next time."""
        if self._plan is not None and (typed := self.instructions.typed) is not None:
            self.typed.emit(typed)
        super().done(result)

    def _build(self, record: Path) -> None:
        name = ElidedLabel(line(name_of(record)))
        name.setStyleSheet("font-size: 13pt; font-weight: 600;")
        name.setToolTip(tip(str(record)))
        self.name = name
        self.summary = _text("Reading…")
        self.summary.setProperty("role", "muted")
        self.lacks = _text()
        self.lacks.hide()
        self.engine_picker = EnginePicker(self._theme)
        self.engine_picker.setFixedWidth(240)
        self.engine_picker.offer(list(self._offered.engines), self._offered.engine)
        self.engine_picker.show_conformance(self._offered.conformance)
        self.engine_picker.engine_chosen.connect(self._show_faults)
        self.engine_picker.address_requested.connect(self._ask_address)
        self.engine_picker.edit_requested.connect(self._edit_engines)
        self.faults = _text()
        self.turn_detection_picker = Picker("Turn detection", 240)
        self.instructions = InstructionsChoice(self._theme)
        self.instructions.resized.connect(self._show_later)
        self.later = _text(_LATER)
        self.later.setProperty("role", "muted")
        self.later.hide()
        group = QButtonGroup(self)
        self.times: dict[By, QRadioButton] = {}
        for by, (words, _) in TIMES.items():
            button = self.times[by] = QRadioButton(words)
            button.setChecked(by == self._offered.by)
            group.addButton(button)
        self.message = _text()
        self.message.setStyleSheet(f"color: {self._theme.colours.warning};")
        self.disconnect_button = QPushButton("Disconnect")
        self.disconnect_button.setAutoDefault(False)
        self.disconnect_button.clicked.connect(self.disconnect_requested)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.replay_button = self.buttons.addButton("Replay", QDialogButtonBox.ButtonRole.AcceptRole)
        self.replay_button.setProperty("role", "primary")
        self.buttons.button(QDialogButtonBox.StandardButton.Cancel).setAutoDefault(False)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(3 * SPACE_PX)
        grid.setVerticalSpacing(2 * SPACE_PX)
        grid.setColumnStretch(1, 1)
        pickers: tuple[tuple[str, QComboBox, QLabel | None], ...] = (
            ("Engine", self.engine_picker, self.faults),
            ("Turn detection", self.turn_detection_picker, None),
        )
        for words, picker, below in pickers:
            row = grid.rowCount()
            grid.addWidget(_label(words, picker), row, 0)
            grid.addWidget(picker, row, 1, Qt.AlignmentFlag.AlignLeft)
            if below is not None:
                grid.addWidget(below, row + 1, 1)
        row = grid.rowCount()
        grid.addWidget(_label("Instructions", self.instructions.as_recorded), row, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(self.instructions, row, 1)
        grid.addWidget(self.later, row + 1, 1)
        timing = QVBoxLayout()
        timing.setSpacing(SPACE_PX // 2)
        for by, (_, explained) in TIMES.items():
            meant = _text(explained)
            meant.setProperty("role", "muted")
            meant.setIndent(5 * SPACE_PX)
            timing.addWidget(self.times[by])
            timing.addWidget(meant)
            timing.addSpacing(SPACE_PX)
        first = self.times[next(iter(TIMES))]
        grid.addWidget(_label("Timing", first), grid.rowCount(), 0, Qt.AlignmentFlag.AlignTop)
        grid.addLayout(timing, grid.rowCount() - 1, 1)
        told = QHBoxLayout()
        told.addWidget(self.message, 1)
        told.addWidget(self.disconnect_button, 0, Qt.AlignmentFlag.AlignTop)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(5 * SPACE_PX, 5 * SPACE_PX, 5 * SPACE_PX, 4 * SPACE_PX)
        rows.setSpacing(2 * SPACE_PX)
        for widget in (self.name, self.summary, self.lacks):
            rows.addWidget(widget)
        rows.addSpacing(2 * SPACE_PX)
        rows.addLayout(grid)
        rows.addLayout(told)
        rows.addWidget(self.buttons)
        self.setFixedWidth(600)

    def _take(self, plan: Plan | None, error: Exception | None) -> None:
        """Show what was read of the record."""
        if isinstance(error, SimulatorError):
            self.summary.hide()
            self.lacks.setText(f"✕  {error}")
            self.lacks.setStyleSheet(f"color: {self._theme.colours.error};")
            self.lacks.show()
            fit_height(self)
            return
        if error is not None:
            raise error
        assert plan is not None
        self._plan = plan
        self.summary.setText(summary(plan) if plan.acts else _NOTHING)
        self._show_lacks(plan)
        for words, wire in turn_detections(plan, self._offered.specification):
            self.turn_detection_picker.addItem(words, wire)
        self.instructions.show_texts(plan.settings.instructions, self._offered.instructions, self._offered.typed)
        self.turn_detection_picker.widen_list()
        self._show_possible()
        self.replay_button.setFocus()  # it was not to be had while only Cancel was

    def _show_lacks(self, plan: Plan) -> None:
        unknown = tools_of(plan, self._offered.specification)[1]
        lacks = [*plan.lacks]
        if unknown:
            lacks.append(f"The specification in force has no tool {', '.join(map(line, unknown))}: it is not declared.")
        if self._offered.impaired:
            lacks.append(f"The voice is impaired once more, as it is now: {self._offered.impaired}.")
        shown = (
            lacks if len(lacks) <= _MOST_LACKS else [*lacks[: _MOST_LACKS - 1], f"{len(lacks) - _MOST_LACKS + 1} more."]
        )
        self.lacks.setText("\n".join(f"⚠  {lack}" for lack in shown))
        self.lacks.setToolTip(tip("\n".join(lacks)) if len(shown) < len(lacks) else "")
        self.lacks.setStyleSheet(f"color: {self._theme.colours.warning};")
        self.lacks.setVisible(bool(lacks))

    def _show_later(self) -> None:
        """Say what becomes of instructions that were sent later on, where others are chosen for the beginning."""
        changes = self._plan is not None and changes_instructions(self._plan)
        self.later.setVisible(changes and self.instructions.these.isChecked())
        fit_height(self)

    def _show_faults(self) -> None:
        count = len(self._offered.faults) if self.engine_picker.engine == EMBEDDED else 0
        self.faults.setText(f"⚠  Breaks {count} rule{'s' * (count != 1)} on purpose: {', '.join(self._offered.faults)}")
        self.faults.setStyleSheet(f"color: {self._theme.colours.warning};")
        self.faults.setVisible(count > 0)
        fit_height(self)

    def _show_possible(self) -> None:
        ready = self._plan is not None and bool(self._plan.acts)
        choices = (self.engine_picker, self.turn_detection_picker, self.instructions, *self.times.values())
        for each in choices:
            each.setEnabled(ready)
        self.replay_button.setEnabled(ready and not self._in_session)
        self.message.setText(_IN_SESSION if self._in_session else "")
        self.message.setVisible(self._in_session)
        self.disconnect_button.setVisible(self._in_session)
        fit_height(self)

    def _ask_address(self) -> None:
        dialog = AddressDialog(self)
        dialog.address_given.connect(self._take_engine)
        dialog.open()

    def _edit_engines(self) -> None:
        dialog = EnginesDialog(self._theme, self.engine_picker.engine, self)
        dialog.engines_changed.connect(lambda saved: self._take_engine(saved or self.engine_picker.engine))
        dialog.engines_changed.connect(lambda _saved: self.engines_changed.emit())
        dialog.open()

    def _take_engine(self, engine: str) -> None:
        try:
            names = [profile.name for profile in load_profiles()]
        except SimulatorError:
            names = list(self._offered.engines)
        self.engine_picker.offer(names, engine)
        self.engine_picker.show_conformance(self._offered.conformance)
        self._show_faults()


def _text(words: str = "") -> QLabel:
    label = QLabel(words)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    return label


def _label(words: str, buddy: QWidget) -> QLabel:
    label = QLabel(words)
    label.setProperty("role", "muted")
    label.setBuddy(buddy)
    return label
