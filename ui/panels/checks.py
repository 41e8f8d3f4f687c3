"""The conformance checks: a matrix by turn-detection mode, and beside it why the chosen cell is what it is."""

from collections.abc import Iterable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from ui.checks_feed import ChecksFeed
from ui.colours import State
from ui.models.checks_model import FINISHED, UNDER_WAY, CellKey, CellState, ChecksModel
from ui.panels.check_cells import KEY, STATES
from ui.panels.check_detail import detail_html, paragraph
from ui.panels.check_table import CheckTable
from ui.theme import SPACE_PX, Theme

_LEAST_DETAIL_PANE_PX = 240
_REPEATS = (1, 2, 3, 5, 10, 20, 50)
_JOBS = (1, 2, 4, 8, 15)

NO_REPORT = "There is no report of this engine yet: run the checks."


def why_not_compared(reports: int) -> str:
    """Return why so many reports of an engine cannot be compared; nothing where they can."""
    if reports == 1:
        return "There is one report of this engine: run the checks again to compare."
    return "" if reports else NO_REPORT


class ChecksPanel(QWidget):
    """Run all, run the selected, stop; a click on a finished cell asks for its record."""

    run_requested = Signal(list)
    """Keys of the cells to run."""
    record_requested = Signal(object)
    """The key of a cell whose record is to be shown."""
    report_requested = Signal()
    save_requested = Signal()
    compare_requested = Signal()
    summary_changed = Signal(str)
    """What the tab says: how many cells, how many failed."""

    def __init__(self, theme: Theme, feed: ChecksFeed, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._feed = feed
        self._build()
        self._lay_out()
        feed.changed.connect(self.refresh)
        theme.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the present state of the cells."""
        self.table.refresh()
        running = self._feed.running
        self.run_all_button.setEnabled(bool(self.table.keys) and not running)
        self.run_selected_button.setEnabled(bool(self.selected_keys()) and not running)
        self.stop_button.setEnabled(running)
        self.table.setVisible(bool(self.table.keys))
        self.empty.setVisible(not self.table.keys)
        self._show_summary()
        self._show_detail()

    @property
    def repeat(self) -> int:
        """How often each check is to run."""
        return int(self.repeat_box.currentData())

    @property
    def jobs(self) -> int:
        """How many checks are to run side by side."""
        return int(self.jobs_box.currentData())

    def show_reports(self, count: int) -> None:
        """Say how many reports about the engine there are: one can be read, two compared."""
        self.report_button.setEnabled(count > 0)
        self.report_button.setToolTip("The report of the last run against this engine." if count else NO_REPORT)
        self.compare_action.setEnabled(count > 1)
        self.compare_action.setToolTip(why_not_compared(count))

    def selected_keys(self) -> list[CellKey]:
        """Return the keys of the selected cells, in the order of the matrix."""
        found = {item.data(KEY) for item in self.table.selectedItems() if item.data(KEY) is not None}
        return [key for key in self.table.keys if key in found]

    @property
    def current_key(self) -> CellKey | None:
        """The cell whose detail is shown."""
        item = self.table.currentItem()
        key = item.data(KEY) if item is not None else None
        return key if isinstance(key, tuple) else None

    def _build(self) -> None:
        self.run_all_button = QPushButton("Run all")
        self.run_all_button.setProperty("role", "primary")
        self.run_all_button.setToolTip("Run every check against the chosen engine; a live session goes on meanwhile.")
        self.run_all_button.clicked.connect(lambda: self.run_requested.emit(self.table.keys))
        self.run_selected_button = QPushButton("Run selected")
        self.run_selected_button.clicked.connect(lambda: self.run_requested.emit(self.selected_keys()))
        self.stop_button = QPushButton("Stop")
        self.stop_button.setProperty("role", "danger")
        self.stop_button.clicked.connect(self._feed.stop)
        self.repeat_box = _count_box("Runs of each check", "run", "runs", _REPEATS, 1)
        self.repeat_box.setToolTip("How often each check runs: n of N must pass.")
        self.jobs_box = _count_box("Side by side", "at once", "at once", _JOBS, 4)
        self.jobs_box.setToolTip("How many checks run side by side. On a slow computer fewer are surer.")
        self.report_button = QPushButton("Report")
        menu = QMenu(self.report_button)
        menu.setToolTipsVisible(True)
        self.open_action = menu.addAction("&Open in the browser", self.report_requested.emit)
        self.save_action = menu.addAction("&Save…", self.save_requested.emit)
        self.compare_action = menu.addAction("&Compare with an earlier one…", self.compare_requested.emit)
        self.report_button.setMenu(menu)
        self.show_reports(0)
        self.summary = QLabel()
        self.summary.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.table: CheckTable = CheckTable(self._theme, self._feed)
        self.table.itemSelectionChanged.connect(self._selection_changed)
        self.table.currentItemChanged.connect(lambda *_: self._show_detail())
        self.table.record_requested.connect(self.record_requested)
        self.detail = QTextBrowser()
        self.detail.setAccessibleName("Why")
        self.detail.setOpenLinks(False)
        self.detail.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.detail.setMinimumWidth(_LEAST_DETAIL_PANE_PX)
        self.record_button = QPushButton("Show its record")
        self.record_button.clicked.connect(lambda: self.record_requested.emit(self.current_key))
        self.empty = QLabel("Looking for the checks of this build…")
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty.setProperty("role", "muted")

    def _lay_out(self) -> None:
        bar = QHBoxLayout()
        bar.setContentsMargins(2 * SPACE_PX, SPACE_PX, 2 * SPACE_PX, SPACE_PX)
        bar.setSpacing(2 * SPACE_PX)
        for button in (self.run_all_button, self.run_selected_button, self.stop_button):
            bar.addWidget(button)
        bar.addSpacing(SPACE_PX)
        bar.addWidget(self.repeat_box)
        bar.addWidget(self.jobs_box)
        bar.addSpacing(SPACE_PX)
        bar.addWidget(self.summary, 1)
        bar.addWidget(self.report_button)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.empty, 1)
        column.addWidget(self.table, 1)
        right = QWidget()
        detail = QVBoxLayout(right)
        detail.setContentsMargins(SPACE_PX, SPACE_PX, SPACE_PX, SPACE_PX)
        detail.setSpacing(SPACE_PX)
        detail.addWidget(self.detail, 1)
        detail.addWidget(self.record_button, 0, Qt.AlignmentFlag.AlignRight)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.addWidget(left)
        self.splitter.addWidget(right)
        self.splitter.setStretchFactor(0, 3)
        self.splitter.setStretchFactor(1, 2)
        self.splitter.setSizes([470, 330])
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addLayout(bar)
        outer.addWidget(self.splitter, 1)
        self.setFocusProxy(self.table)

    def _selection_changed(self) -> None:
        self.run_selected_button.setEnabled(bool(self.selected_keys()) and not self._feed.running)
        self._show_detail()

    def _show_summary(self) -> None:
        parts = summary_of(self._feed.model)
        self.summary.setText("   ".join(short for short, _ in parts) or ("Not run yet" if self.table.keys else ""))
        words = ", ".join(words for _, words in parts)
        self.summary.setToolTip(words)
        self.summary.setAccessibleName(words)
        failed = self._feed.model.count(CellState.FAILED)
        self.summary_changed.emit(f"Checks {len(self.table.keys)}" + (f"  ✕ {failed}" if failed else ""))

    def _show_detail(self) -> None:
        key = self.current_key
        cell = self._feed.model.cells.get(key) if key is not None else None
        self.record_button.setVisible(cell is not None and cell.state in FINISHED and cell.record is not None)
        if key is None or cell is None:
            self.detail.setHtml(paragraph("Choose a cell to see why it is what it is.", self._theme.colours.text_muted))
            return
        described = next((check.description for check in self._feed.model.checks if check.id == key[0]), "")
        html = detail_html(self._theme, key, cell, described)
        if html != self.detail.property("shown"):
            self.detail.setProperty("shown", html)
            self.detail.setHtml(html)


def summary_of(model: ChecksModel) -> list[tuple[str, str]]:
    """Return how many cells are in which state: each with its sign, and in words."""
    parts = [
        (f"{STATES[state].sign} {model.count(state)}", f"{model.count(state)} {state.value}")
        for state in (CellState.PASSED, CellState.FAILED, CellState.INCONCLUSIVE)
        if model.count(state)
    ]
    under_way = sum(model.count(state) for state in UNDER_WAY)
    if under_way:
        parts.append((f"{State.QUEUED.sign} {under_way}", f"{under_way} to go"))
    return parts


def _count_box(name: str, one: str, several: str, counts: Iterable[int], chosen: int) -> QComboBox:
    """Return a picker of counts: its data is the count."""
    box = QComboBox()
    box.setAccessibleName(name)
    for count in counts:
        box.addItem(f"{count} {one if count == 1 else several}", count)
    box.setCurrentIndex(box.findData(chosen))
    box.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return box
