"""The sessions of a project in a table: found, opened, compared. Non-modal: open it with `show()`.

It knows no file: it is given rows, and says what is wanted.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Final

from PySide6.QtCore import QEvent, QItemSelection, QItemSelectionModel, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QHBoxLayout,
    QLabel,
    QMenu,
    QProgressBar,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from simulator.record.sessions import age
from ui.models.session_rows import HEADERS, Column, SessionRow, Wanted
from ui.models.session_table_model import SessionTableModel
from ui.theme import SPACE_PX, Theme
from ui.widgets.session_details import SessionDetails
from ui.widgets.session_filter import SessionFilter
from ui.widgets.sessions_view import SessionsView

_ASCENDING: Final = Qt.SortOrder.AscendingOrder
_ANOTHER: Final = "Another folder…"
_TWO: Final = "Select two sessions (Ctrl+click, or Shift and the arrows) to compare them."
_ONE: Final = "Select one session."
_SOME: Final = "Select a session."


class SessionTableDialog(QDialog):
    """Table, filter, and the answers and instructions of the selected session."""

    folder_chosen = Signal(str)
    """A folder of the picker: its path, empty for the user's records."""
    another_folder_requested = Signal()
    read_requested = Signal()
    cancel_requested = Signal()
    open_requested = Signal(Path)
    compare_requested = Signal(Path, Path)
    replay_requested = Signal(Path)
    export_requested = Signal(Path)
    folder_requested = Signal(Path)
    delete_requested = Signal(list)
    """Folders of sessions."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setWindowTitle("Sessions")
        self.resize(1240, 740)
        self._theme = theme
        self.model = SessionTableModel()
        self._selected: tuple[list[Path], Path | None] = ([], None)
        self._chosen: list[SessionRow] | None = None
        self._told_quietly = False
        self._build_top()
        self._build_table()
        self._build_progress()
        self._build_buttons()
        self._lay_out()
        self.model.modelAboutToBeReset.connect(self._remember_selection)
        self.model.modelReset.connect(self._restore_selection)
        self.filter.changed.connect(self._filter_changed)
        self.filter.left.connect(self._enter_table)
        self.filter.words.installEventFilter(self)
        theme.changed.connect(self._recolour)
        self._recolour()
        self._show_possible()

    @property
    def chosen(self) -> list[SessionRow]:
        """The selected sessions, in the order of the table."""
        if self._chosen is None:
            places = sorted(index.row() for index in self.table.selectionModel().selectedRows())
            self._chosen = [row for row in map(self.model.row_at, places) if row is not None]
        return self._chosen

    def show_folders(self, folders: Sequence[tuple[str, str]], current: str) -> None:
        """Offer folders (path and name; an empty path: the user's records), one of which is shown."""
        self.folders.blockSignals(True)
        self.folders.clear()
        for path, name in folders:
            self.folders.addItem(name, path)
            self.folders.setItemData(self.folders.count() - 1, path, Qt.ItemDataRole.ToolTipRole)
        self.folders.addItem(_ANOTHER, None)
        self.folders.setCurrentIndex(max(0, self.folders.findData(current)))
        self.folders.setToolTip(current or folders[0][1])
        self.folders.blockSignals(False)

    def begin(self) -> None:
        """Reading begins: rows come, some perhaps those that are there already."""
        self._failure = ""
        self.progress.setRange(0, 0)
        self.progress.show()
        self.cancel_button.show()
        self.read_button.setEnabled(False)
        self._show_state()

    def take(self, rows: Iterable[SessionRow], done: int, of: int) -> None:
        """Show sessions that were read."""
        self.progress.setRange(0, of)
        self.progress.setValue(done)
        self.model.add(rows)
        self._show_state()

    def end(self, folders: Iterable[Path] | None, failure: str = "") -> None:
        """Reading ended: sessions in other folders than these are gone (None: it did not come to the end)."""
        self._failure = failure
        if folders is not None:
            self.model.keep(folders)
        self.progress.hide()
        self.cancel_button.hide()
        self.read_button.setEnabled(True)
        self.filter.offer(self.model.rows, self.model.versions)
        self._select_any()
        self._show_state()
        self.columns.share(self.width())
        if not self.filter.is_typed_into:
            self.table.setFocus()

    def forget(self, folder: Path) -> None:
        """A session was deleted."""
        self.model.keep(row.session.folder for row in self.model.rows if row.session.folder != folder)
        self.filter.offer(self.model.rows, self.model.versions)
        self._show_state()

    def tell(self, sentence: str, *, quiet: bool = False) -> None:
        """Say what went wrong, or quietly what was done, until the next thing is done; nothing where it is empty."""
        self._told_quietly = quiet
        self.told.setText(sentence if quiet or not sentence else f"✕  {sentence}")
        self.told.setVisible(bool(sentence))
        self._recolour()

    def clear(self) -> None:
        """Show no session: another folder is read."""
        self.model.keep(())
        self._show_state()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give names more room in a wider window, until the user sets the widths."""
        super().resizeEvent(event)
        self.columns.share(self.width())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Lead from the filter into the table by the arrow down."""
        if watched is self.filter.words and event.type() == QEvent.Type.KeyPress:
            assert isinstance(event, QKeyEvent)
            if event.key() == Qt.Key.Key_Down:
                self._enter_table()
                return True
        return super().eventFilter(watched, event)

    def _build_top(self) -> None:
        self._failure = ""
        self.folders = QComboBox()
        self.folders.setAccessibleName("Folder of the sessions")
        self.folders.setMinimumWidth(320)
        self.folders.activated.connect(self._folder_activated)
        self.read_button = _button("Read again", "F5", "Look for new sessions", self.read_requested.emit)
        self.filter = SessionFilter(self._theme)
        self.count = QLabel()
        self.count.setProperty("role", "muted")

    def _build_table(self) -> None:
        self.table = table = SessionsView(self.model, self._theme)
        self.columns = table.columns
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.customContextMenuRequested.connect(self._open_menu)
        table.activated.connect(self._open)
        table.selectionModel().selectionChanged.connect(self._selection_changed)
        self.empty = QLabel()
        self.empty.setProperty("role", "muted")
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty.setWordWrap(True)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.empty)
        self.stack.addWidget(table)
        self.details = SessionDetails(self._theme)

    def _build_progress(self) -> None:
        self.progress = QProgressBar()
        self.progress.setFixedWidth(180)
        self.progress.setAccessibleName("Sessions read")
        self.progress.setFormat("%v of %m")
        self.cancel_button = _button("Stop reading", "", "", self.cancel_requested.emit)
        self.progress.hide()
        self.cancel_button.hide()
        self.told = QLabel()
        self.told.setTextFormat(Qt.TextFormat.PlainText)
        self.told.setWordWrap(True)
        self.told.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.told.hide()

    def _build_buttons(self) -> None:
        self.open_button = _button("Open", "Enter", "Show it in the main window", self._open)
        self.open_button.setProperty("role", "primary")
        self.compare_button = _button("Compare two", "C", _TWO, self._compare)
        self.replay_button = _button("Replay…", "R", "Play it against an engine", self._replay)
        self.export_button = _button("Export…", "X", "Write it for other programs", self._export)
        self.folder_button = _button("Show the folder", "F", "Where its files lie", self._show_folder)
        self.delete_button = _button("Delete…", "Del", "Delete it for good", self._delete)
        self.delete_button.setProperty("role", "danger")
        self._keys: list[tuple[str, str, QPushButton]] = [
            ("Open", "Return", self.open_button),
            ("Compare", "C", self.compare_button),
            ("Replay against an engine…", "R", self.replay_button),
            ("Export…", "X", self.export_button),
            ("Show the folder", "F", self.folder_button),
            ("Delete…", "Del", self.delete_button),
        ]
        for _, key, button in self._keys[1:]:  # Enter is the table's own
            self._add_key(self.table, key, button.click)
        self._add_key(self, "F5", self.read_button.click)
        for key in ("/", "Ctrl+F"):
            self._add_key(self.stack, key, self._enter_filter)

    def _add_key(self, place: QWidget, key: str, do: Callable[[], None]) -> None:
        action = QAction(place)
        action.setShortcut(QKeySequence(key))
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        action.setAutoRepeat(False)
        action.triggered.connect(lambda _checked=False: do())
        place.addAction(action)

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(2 * SPACE_PX)
        top.addWidget(QLabel("Sessions in"))
        top.addWidget(self.folders)
        top.addWidget(self.read_button)
        top.addStretch(1)
        top.addWidget(self.progress)
        top.addWidget(self.cancel_button)
        top.addWidget(self.count)
        self.splitter = QSplitter(Qt.Orientation.Vertical)
        self.splitter.addWidget(self.stack)
        self.splitter.addWidget(self.details)
        self.splitter.setStretchFactor(0, 3)
        self.splitter.setStretchFactor(1, 1)
        self._sizes = [480, 160]
        self.splitter.setSizes(self._sizes)
        self.splitter.setCollapsible(0, False)
        close_button = _button("Close", "", "", self.reject)
        foot = QHBoxLayout()
        foot.setSpacing(2 * SPACE_PX)
        for _, _, button in self._keys:
            foot.addWidget(button)
        foot.addStretch(1)
        foot.addWidget(close_button)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(3 * SPACE_PX, 3 * SPACE_PX, 3 * SPACE_PX, 3 * SPACE_PX)
        rows.setSpacing(2 * SPACE_PX)
        rows.addLayout(top)
        rows.addWidget(self.filter)
        rows.addWidget(self.splitter, 1)
        rows.addWidget(self.told)
        rows.addLayout(foot)
        self.table.setFocus()

    def _folder_activated(self, place: int) -> None:
        path = self.folders.itemData(place)
        if path is None:
            self.another_folder_requested.emit()
        else:
            self.folder_chosen.emit(path)

    def _filter_changed(self, wanted: Wanted) -> None:
        self.model.set_filter(wanted)
        self._select_any()
        self._show_state()

    def _enter_table(self) -> None:
        if self.model.rowCount():
            self._select_any()
            self.table.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _select_any(self) -> None:
        """Select the first session where none is. The table's own way looks at the keys held: Shift opened it."""
        if self.model.rowCount() and not self.chosen:
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.table.selectionModel().setCurrentIndex(self.model.index(0, 0), flags)

    def _enter_filter(self) -> None:
        self.filter.words.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.filter.words.selectAll()

    def _remember_selection(self) -> None:
        current = self.model.row_at(self.table.currentIndex().row())
        self._selected = (
            [row.session.folder for row in self.chosen],
            None if current is None else current.session.folder,
        )

    def _restore_selection(self) -> None:
        folders, current = self._selected
        selection = QItemSelection()
        last_column = self.model.columnCount() - 1
        for first, last in _runs(place for place in map(self.model.place_of, folders) if place is not None):
            selection.select(self.model.index(first, 0), self.model.index(last, last_column))
        chooser = self.table.selectionModel()
        place_of_current = self.model.place_of(current) if current is not None else None
        if place_of_current is not None:
            index = self.model.index(place_of_current, 0)
            chooser.setCurrentIndex(index, QItemSelectionModel.SelectionFlag.NoUpdate)
        chooser.select(selection, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        self._selection_changed()

    def _selection_changed(self) -> None:
        self._chosen = None
        self._show_possible()
        self._show_details()

    def _recolour(self) -> None:
        colours = self._theme.colours
        self.told.setStyleSheet(f"QLabel {{ color: {colours.text_muted if self._told_quietly else colours.error}; }}")
        self._show_details()

    def _show_details(self) -> None:
        self.details.show_rows(self.chosen, self.model.versions)

    def _show_possible(self) -> None:
        count = len(self.chosen)
        for button in (self.open_button, self.replay_button, self.export_button, self.folder_button):
            button.setEnabled(count == 1)
        self.compare_button.setEnabled(count == 2)
        self.delete_button.setEnabled(count > 0)

    def _show_state(self) -> None:
        shown, total = self.model.rowCount(), len(self.model.rows)
        self.count.setText(f"{shown:,} of {total:,} sessions" if shown != total else f"{total:,} sessions")
        self.stack.setCurrentWidget(self.table if shown else self.empty)
        if not shown and not self.details.isHidden():
            self._sizes = self.splitter.sizes()
            self.details.hide()
        elif shown and self.details.isHidden():
            self.details.show()
            self.splitter.setSizes(self._sizes)
        if self._failure:
            self.empty.setText(self._failure)
        elif total:
            self.empty.setText("No session matches.\n“Show all” takes the filter away.")
        elif self.progress.isVisibleTo(self):
            self.empty.setText("Reading…")
        elif self.folders.currentData():
            self.empty.setText("There are no sessions in this folder.")
        else:
            self.empty.setText("No sessions yet.\nConnect (F5 in the main window): each session is recorded.")

    def _open_menu(self, place: QPoint) -> None:
        menu = QMenu(self.table)
        menu.setToolTipsVisible(True)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        why = {self.compare_button: _TWO, self.delete_button: _SOME}
        for name, key, button in self._keys:
            shown = QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)
            action = menu.addAction(f"{name}\t{shown}")
            action.setEnabled(button.isEnabled())
            action.setToolTip("" if button.isEnabled() else why.get(button, _ONE))
            action.triggered.connect(button.click)
        menu.addSeparator()
        orders = menu.addMenu("Sort by")
        for column in Column:
            orders.addAction(HEADERS[column]).triggered.connect(partial(self._sort_by, column))
        menu.popup(self.table.viewport().mapToGlobal(place))

    def _sort_by(self, column: Column) -> None:
        """Put the rows in the order of a column, or in the other one where they are in it already."""
        header = self.table.horizontalHeader()
        is_ascending = header.sortIndicatorSection() == column and header.sortIndicatorOrder() is _ASCENDING
        self.table.sortByColumn(column, Qt.SortOrder.DescendingOrder if is_ascending else _ASCENDING)

    def _open(self) -> None:
        if len(self.chosen) == 1:
            self.open_requested.emit(self.chosen[0].session.folder)

    def _compare(self) -> None:
        if len(self.chosen) == 2:
            older, newer = sorted(self.chosen, key=lambda row: age(row.session))
            self.compare_requested.emit(older.session.folder, newer.session.folder)

    def _replay(self) -> None:
        self.replay_requested.emit(self.chosen[0].session.folder)

    def _export(self) -> None:
        self.export_requested.emit(self.chosen[0].session.folder)

    def _show_folder(self) -> None:
        self.folder_requested.emit(self.chosen[0].session.folder)

    def _delete(self) -> None:
        self.delete_requested.emit([row.session.folder for row in self.chosen])


def _runs(places: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last of each run of consecutive numbers."""
    for _, run in groupby(enumerate(sorted(places)), key=lambda pair: pair[1] - pair[0]):
        numbers = [place for _, place in run]
        yield numbers[0], numbers[-1]


def _button(text: str, key: str, tip: str, do: Callable[[], None]) -> QPushButton:
    button = QPushButton(f"{text}  {key}" if key else text)
    button.setToolTip(tip)
    button.setAutoDefault(False)
    button.clicked.connect(lambda _checked=False: do())
    return button
