"""The log: every event both ways, filtered as you type, with the JSON of the selected one beside it."""

import msgspec
from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QObject, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFontMetrics,
    QGuiApplication,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from simulator.record.entries import Direction, Entry
from ui.models.log_model import Column, LogModel, Show
from ui.panels.log_menu import EDIT_KEY, LogMenu
from ui.panels.log_table import LogTable, RowDelegate
from ui.record_view import RecordView
from ui.theme import ROW_HEIGHT_PX, SPACE_PX, Theme, ui_font
from ui.widgets.copied import say_copied
from ui.widgets.json_view import JsonView

_TYPING_PAUSE_MS = 120
_COUNT_PAUSE_MS = 250
_NARROW_PX = 560
"""Below this width of the table the sizes are left to the inspector."""


_EMPTY = "No events yet.\nConnect (F5), then Talk (Space): everything sent and received appears here."
_EMPTY_RECORD = "This record holds no events."


class LogPanel(QWidget):
    """Table and inspector. Follows the newest row of the live session while it is in sight, whatever takes room."""

    entry_selected = Signal(Entry)
    """The user went to a row."""

    def __init__(self, theme: Theme, view: RecordView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = LogModel(view)
        self._view = view
        self._theme = theme
        self._told = True
        self._at_end = True
        """Whether the last row was in sight when the user last scrolled."""
        self._problems = 0
        self._build_filter()
        self._build_table()
        self.inspector = JsonView(theme)
        self.copy_button = QPushButton("Copy as JSON")
        self.copy_button.setToolTip("Copy the selected event (Ctrl+C).")
        self.copy_button.clicked.connect(self.copy_selected)
        self.copy_button.setEnabled(False)
        self.again_button = QPushButton("Send again…")
        self.again_button.setToolTip(f"Edit the selected event and send it again ({EDIT_KEY}).")
        self.again_button.clicked.connect(self.menu.edit)
        self._lay_out()
        self._show_count()

    @property
    def view(self) -> RecordView:
        """The record that is shown."""
        return self._view

    def set_view(self, view: RecordView) -> None:
        """Show another record: the live one at its end, a saved one from its beginning, as the timeline does."""
        self._view = view
        self.menu.show_record(bool(view.title))
        self.again_button.setText("Edit a copy…" if view.title else "Send again…")
        self.again_button.setToolTip(
            f"Put a copy of the selected event into Compose ({EDIT_KEY}): from there it goes to the live session."
            if view.title
            else f"Edit the selected event and send it again ({EDIT_KEY})."
        )
        self.model.set_view(view)
        self._show_count()
        self._show_entry(None)
        self._show_outset()

    def take_new(self) -> None:
        """Show the entries that the view gained; nothing while hidden."""
        if not self.isVisible():
            return
        self.model.take_new()
        if self._problems != self._view.problems:
            # A note may have judged rows that were painted before it came.
            self._problems = self._view.problems
            self._delegate.forget()
        if self._at_end and not self._view.title:
            self.table.scrollToBottom()
        if self.table.isHidden():
            self._show_count()
        elif not self._counting.isActive():
            self._counting.start()

    def show_seq(self, seq: int) -> None:
        """Select the row of an entry; a filter that hides it is lifted."""
        self.model.take_new()
        if self.model.row_of(seq) is None:
            self._lift_filter(seq)
        row = self.model.row_of(seq)
        if row is not None:
            self._told = False
            self._select(row)
            self._told = True

    def show_problems(self) -> None:
        """Let through nothing but problems."""
        self.filter_field.clear()
        self.show_picker.setCurrentText(Show.PROBLEMS)
        self._apply_filter()
        self.table.scrollToTop()
        if self.model.rowCount():
            self._select(0)

    def focus_filter(self) -> None:
        """Put the cursor into the filter."""
        self.filter_field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.filter_field.selectAll()

    def selected_entries(self) -> list[Entry]:
        """Return the selected entries in order."""
        rows = sorted(index.row() for index in self.table.selectionModel().selectedRows())
        return [entry for entry in map(self.model.entry_at, rows) if entry is not None]

    def copy_selected(self) -> None:
        """Copy the selected entries as JSON, one a line."""
        entries = self.selected_entries()
        if not entries:
            return
        if len(entries) == 1:
            text = msgspec.json.format(msgspec.json.encode(entries[0]), indent=2).decode()
        else:
            text = "\n".join(msgspec.json.encode(entry).decode() for entry in entries)
        QGuiApplication.clipboard().setText(text)
        say_copied(self.copy_button)

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what came while hidden."""
        super().showEvent(event)
        QTimer.singleShot(0, self, self.take_new)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Share the width of the table out anew when it changes: the size goes first, then the type is shortened."""
        if event.type() == QEvent.Type.Resize and watched is self.table.viewport():
            width = self.table.viewport().width()
            self.table.setColumnHidden(Column.SIZE, width < _NARROW_PX)
            self.table.setColumnWidth(Column.TYPE, min(self._type_px, int(width * 0.38)))
        return super().eventFilter(watched, event)

    def _build_filter(self) -> None:
        self.filter_field = QLineEdit()
        self.filter_field.setPlaceholderText("Filter: words in type, text or ids   /")
        self.filter_field.setAccessibleName("Filter of the log")
        self.filter_field.setClearButtonEnabled(True)
        self.show_picker = QComboBox()
        self.show_picker.setAccessibleName("Kinds of rows")
        self.show_picker.addItems([str(show) for show in Show])
        self.audio_box = QCheckBox("Audio")
        self.audio_box.setToolTip("Show the events that carry audio, some fifty a second.")
        self.count = QLabel()
        self.count.setProperty("role", "muted")
        # A label that changes costs a layout of the whole panel: not in every frame.
        self._counting = QTimer(self)
        self._counting.setSingleShot(True)
        self._counting.setInterval(_COUNT_PAUSE_MS)
        self._counting.timeout.connect(self._show_count)
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(_TYPING_PAUSE_MS)
        self._typing.timeout.connect(self._apply_filter)
        self.filter_field.textChanged.connect(self._typing.start)
        self.filter_field.returnPressed.connect(self._leave_filter)
        self.show_picker.currentIndexChanged.connect(self._apply_filter)
        self.audio_box.toggled.connect(self._apply_filter)

    def _build_table(self) -> None:
        table = LogTable(self._theme)
        table.setModel(self.model)
        table.setAccessibleName("Log")
        self._delegate = RowDelegate(self._theme, table, self.model)
        table.setItemDelegate(self._delegate)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setTabKeyNavigation(False)
        table.setFont(ui_font())
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(ROW_HEIGHT_PX - 2)
        table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        header = table.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setHighlightSections(False)
        header.setStretchLastSection(False)
        metrics = QFontMetrics(ui_font())
        header.setMinimumSectionSize(20)
        for column, sample in ((Column.TIME, "00:00.000"), (Column.DIRECTION, "◀"), (Column.SIZE, "00.0 kB")):
            table.setColumnWidth(column, metrics.horizontalAdvance(sample) + 16)
        self._type_px = metrics.horizontalAdvance("input_audio_buffer.speech_started") + 16
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(Column.GIST, QHeaderView.ResizeMode.Stretch)
        table.viewport().installEventFilter(self)
        # Rows come, and bars above the log come and go: the end moves, and the last row is to stay in sight.
        bar = table.verticalScrollBar()
        bar.rangeChanged.connect(self._keep_to_the_end)
        bar.valueChanged.connect(self._note_place)
        table.selectionModel().currentRowChanged.connect(self._current_changed)
        table.selectionModel().selectionChanged.connect(self._delegate.show_selection)
        self.table = table
        self.menu = LogMenu(table, self.selected_entries, self.copy_selected)
        self.model.modelReset.connect(self._keep_columns)

    def _lay_out(self) -> None:
        bar = QHBoxLayout()
        bar.setContentsMargins(2 * SPACE_PX, SPACE_PX, 2 * SPACE_PX, SPACE_PX)
        bar.setSpacing(2 * SPACE_PX)
        bar.addWidget(self.filter_field, 1)
        bar.addWidget(self.show_picker)
        bar.addWidget(self.audio_box)
        bar.addWidget(self.count)
        left = QWidget()
        rows = QVBoxLayout(left)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addLayout(bar)
        self.empty = QLabel()
        self.empty.setProperty("role", "muted")
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty.setWordWrap(True)
        rows.addWidget(self.empty, 1)
        rows.addWidget(self.table, 1)
        right = self._beside = QWidget()
        right.hide()
        inspector = QVBoxLayout(right)
        inspector.setContentsMargins(SPACE_PX, SPACE_PX, SPACE_PX, SPACE_PX)
        inspector.setSpacing(SPACE_PX)
        inspector.addWidget(self.inspector, 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(SPACE_PX)
        buttons.addStretch(1)
        buttons.addWidget(self.again_button)
        buttons.addWidget(self.copy_button)
        inspector.addLayout(buttons)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.addWidget(left)
        self.splitter.addWidget(right)
        self.splitter.setStretchFactor(0, 3)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes([460, 300])
        self.splitter.setChildrenCollapsible(True)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.splitter)
        self.setFocusProxy(self.table)

    def _apply_filter(self) -> None:
        self._typing.stop()
        selected = self._selected_entry()
        self.model.set_filter(
            self.filter_field.text(), Show(self.show_picker.currentText()), self.audio_box.isChecked()
        )
        row = None if selected is None else self.model.row_of(selected.seq)
        if row is not None:
            self._told = False
            self._select(row)
            self._told = True
        else:
            self._show_outset()
        self._show_count()

    def _show_outset(self) -> None:
        """Go where a record is looked at first."""
        if self._view.title:
            self.table.scrollToTop()
        else:
            self.table.scrollToBottom()
            self._at_end = True

    def _keep_to_the_end(self, _low: int, high: int) -> None:
        if self._at_end and not self._view.title:
            self.table.verticalScrollBar().setValue(high)

    def _note_place(self, value: int) -> None:
        self._at_end = value >= self.table.verticalScrollBar().maximum()

    def _leave_filter(self) -> None:
        """Go to the first row that the filter lets through."""
        self._apply_filter()
        if not self.table.currentIndex().isValid() and self.model.rowCount():
            self._select(0)
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def _lift_filter(self, seq: int) -> None:
        for widget in (self.filter_field, self.show_picker, self.audio_box):
            if widget is self.filter_field:
                self.filter_field.clear()
            elif widget is self.show_picker:
                self.show_picker.setCurrentText(Show.EVERYTHING)
            else:
                self.audio_box.setChecked(True)
            self._apply_filter()
            if self.model.row_of(seq) is not None:
                return

    def _select(self, row: int) -> None:
        index = self.model.index(row, Column.TYPE)
        flags = QItemSelectionModel.SelectionFlag
        self.table.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
        self.table.scrollTo(index, QAbstractItemView.ScrollHint.EnsureVisible)

    def _selected_entry(self) -> Entry | None:
        index = self.table.currentIndex()
        return self.model.entry_at(index.row()) if index.isValid() else None

    def _current_changed(self, current: QModelIndex, _previous: QModelIndex) -> None:
        entry = self.model.entry_at(current.row()) if current.isValid() else None
        self._show_entry(entry)
        if entry is not None and self._told:
            self.entry_selected.emit(entry)

    def _show_entry(self, entry: Entry | None) -> None:
        self.copy_button.setEnabled(entry is not None)
        self._beside.setVisible(entry is not None)
        self.again_button.setVisible(entry is not None and entry.direction is Direction.SENT)
        if entry is None:
            return
        shown = dict(entry.event)
        if entry.raw_text is not None:
            shown["(raw text)"] = entry.raw_text
        if entry.problem is not None:
            shown = {"(problem)": entry.problem, **shown}
        if entry.audio is not None:
            shown["(audio)"] = msgspec.to_builtins(entry.audio)
        self.inspector.show_value(shown, f"#{entry.seq}  {entry.type}")

    def _show_count(self) -> None:
        rows, total = self.model.rowCount(), self.model.total
        self.count.setText(f"{rows:,} of {total:,}")
        self._show_emptiness(rows, total)

    def _show_emptiness(self, rows: int, total: int) -> None:
        self.empty.setVisible(rows == 0)
        self.table.setVisible(rows > 0)
        if total == 0:
            self.empty.setText(_EMPTY_RECORD if self._view.title else _EMPTY)
        else:
            self.empty.setText("No event passes the filter.")

    def _keep_columns(self) -> None:
        self.copy_button.setEnabled(False)
