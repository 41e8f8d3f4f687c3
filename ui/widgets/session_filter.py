"""Which sessions the table shows: words typed, and pickers of what there is. Everything that is given must hold."""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Final

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from ui.models.plain import line
from ui.models.session_rows import HASH_DIGITS, SessionRow, Wanted, days, letter
from ui.theme import SPACE_PX, Theme

_TYPING_PAUSE_MS: Final = 120
_HALF_TYPED_MS: Final = 800
_FIRST_WORDS: Final = 48
"""Characters of a text of instructions beside its hash."""
_NO_DAY: Final = "“{}” is no day, and is left out: write 2026-12-01, a month (2026-12) or a year (2026)."
_TURNED_ROUND: Final = "The first day lies behind the last one: no session can match."
_DAY_TIP: Final = "{} day: 2026-12-01, or a month (2026-12) or a year"


class SessionFilter(QWidget):
    """A line of fields; `changed` comes while one types."""

    changed = Signal(Wanted)
    left = Signal()
    """Enter or the arrow down in the words: on to the table."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.words = QLineEdit()
        self.words.setPlaceholderText("Filter: words of instructions, questions, answers, names…  ( / )")
        self.words.setToolTip("Every word must occur, in any of them; “two words” in quotation marks stay together.")
        self.words.setAccessibleName("Filter")
        self.words.setClearButtonEnabled(True)
        self.words.returnPressed.connect(self.left)
        self.engine, self.study, self.instructions = (
            _picker(name, everything, width)
            for name, everything, width in (
                ("Engine", "All engines", 140),
                ("Study", "All studies", 140),
                ("Instructions", "All instructions", 160),
            )
        )
        self.since, self.until = _day_field("from", "The first"), _day_field("until", "The last")
        self.clear_button = QPushButton("Show all")
        self.clear_button.setAutoDefault(False)
        self.clear_button.clicked.connect(self.clear)
        self.problem = QLabel()
        self.problem.setTextFormat(Qt.TextFormat.PlainText)
        self.problem.hide()
        row = QHBoxLayout()
        row.setSpacing(2 * SPACE_PX)
        row.addWidget(self.words, 1)
        for widget in (self.engine, self.study, self.instructions, self.since, self.until, self.clear_button):
            row.addWidget(widget)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(SPACE_PX)
        rows.addLayout(row)
        rows.addWidget(self.problem, 0, Qt.AlignmentFlag.AlignRight)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_TYPING_PAUSE_MS)
        self._pause.timeout.connect(self._tell)
        for field in (self.words, self.since, self.until):
            field.textChanged.connect(self._pause.start)
        for picker in (self.engine, self.study, self.instructions):
            picker.currentIndexChanged.connect(self._tell)
        # A day that is being typed is none yet.
        self._half_typed = QTimer(self)
        self._half_typed.setSingleShot(True)
        self._half_typed.setInterval(_HALF_TYPED_MS)
        self._half_typed.timeout.connect(self.problem.show)
        self._told = Wanted()
        self._show_possible()

    @property
    def wanted(self) -> Wanted:
        """What the fields say. A day that is none yet is left out."""
        engine, study, instructions = (
            str(picker.currentData() or "") for picker in (self.engine, self.study, self.instructions)
        )
        since, until = self._day(self.since, 0), self._day(self.until, 1)
        return Wanted(self.words.text(), engine, study, instructions, since, until)

    @property
    def is_typed_into(self) -> bool:
        """Whether one of its fields has the focus."""
        return any(field.hasFocus() for field in (self.words, self.since, self.until))

    def clear(self) -> None:
        """Show all sessions."""
        for field in (self.words, self.since, self.until):
            field.clear()
        for picker in (self.engine, self.study, self.instructions):
            picker.setCurrentIndex(0)
        self._tell()

    def offer(self, rows: Sequence[SessionRow], versions: dict[str, int]) -> None:
        """Offer what there is to choose from; what is chosen stays chosen."""
        _fill(self.engine, {row.engine: row.engine for row in rows})
        studies = [row.session.facts.study for row in rows if row.session.facts.study]
        _fill(self.study, {each: line(each, 60) for each in studies})
        counts = dict.fromkeys(versions, 0)
        for row in rows:
            for digest in set(row.hashes):
                counts[digest] = counts.get(digest, 0) + 1
        texts = {digest: text for row in rows for digest, text in _texts(row)}
        names = {
            digest: f"{letter(number)}   {digest[:HASH_DIGITS]}   {line(texts.get(digest, ''), _FIRST_WORDS)}".rstrip()
            for digest, number in versions.items()
        }
        _fill(self.instructions, {each: f"{name}   ({counts[each]})" for each, name in names.items()}, ordered=False)

    @staticmethod
    def _day(field: QLineEdit, end: int) -> date | None:
        try:
            return days(field.text())[end] if field.text().strip() else None
        except (ValueError, OverflowError):
            return None

    def _show_problem(self, wanted: Wanted) -> None:
        """Say what is wrong with the days, and frame the field."""
        problem = ""
        for field, day in ((self.since, wanted.since), (self.until, wanted.until)):
            wrong = bool(field.text().strip()) and day is None
            field.setStyleSheet(f"QLineEdit {{ border-color: {self._theme.colours.error}; }}" if wrong else "")
            if wrong:
                problem = _NO_DAY.format(line(field.text().strip(), 20))
        if wanted.since is not None and wanted.until is not None and wanted.since > wanted.until:
            problem = _TURNED_ROUND
        self.problem.setText(problem)
        self.problem.setStyleSheet(f"color: {self._theme.colours.error};")
        if problem:
            self._half_typed.start()
        else:
            self._half_typed.stop()
            self.problem.hide()

    def _tell(self) -> None:
        self._pause.stop()
        wanted = self.wanted
        self._show_problem(wanted)
        if wanted != self._told:
            self._told = wanted
            self.changed.emit(wanted)
        self._show_possible()

    def _show_possible(self) -> None:
        typed = any(field.text() for field in (self.words, self.since, self.until))
        self.clear_button.setEnabled(typed or self.wanted != Wanted())


def _texts(row: SessionRow) -> Iterable[tuple[str, str]]:
    return zip(row.hashes, row.session.facts.instructions, strict=True)


def _picker(name: str, everything: str, width_px: int) -> QComboBox:
    picker = QComboBox()
    picker.setAccessibleName(name)
    picker.addItem(everything, "")
    picker.setFixedWidth(width_px)
    picker.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    picker.view().setTextElideMode(Qt.TextElideMode.ElideRight)
    return picker


def _fill(picker: QComboBox, choices: dict[str, str], *, ordered: bool = True) -> None:
    """Offer `choices`: value and words. One that is chosen and gone stays, so that nothing else appears unasked."""
    wanted = dict(choices)
    chosen = str(picker.currentData() or "")
    if chosen and chosen not in wanted:
        wanted[chosen] = picker.currentText()
    pairs = sorted(wanted.items(), key=lambda pair: pair[1].casefold()) if ordered else list(wanted.items())
    offered = [(str(picker.itemData(place)), picker.itemText(place)) for place in range(1, picker.count())]
    if pairs == offered:
        return
    picker.blockSignals(True)
    while picker.count() > 1:
        picker.removeItem(1)
    for value, words in pairs:
        picker.addItem(words, value)
    picker.setCurrentIndex(max(0, picker.findData(chosen)))
    picker.blockSignals(False)
    picker.view().setMinimumWidth(max(picker.width(), picker.view().sizeHintForColumn(0) + 4 * SPACE_PX))


def _day_field(placeholder: str, which: str) -> QLineEdit:
    field = QLineEdit()
    field.setPlaceholderText(placeholder)
    field.setToolTip(_DAY_TIP.format(which))
    field.setAccessibleName(which + " day")
    field.setFixedWidth(96)
    return field
