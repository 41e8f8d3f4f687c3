"""The matrix of checks as a table: a row a check, a column a turn-detection mode; all of it, or a share of its rows."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from ui.checks_feed import ChecksFeed
from ui.models.checks_model import FINISHED, CellKey, CheckInfo
from ui.panels.check_cells import KEY, NAME_LEFT_PX, ROW_PX, CellDelegate
from ui.theme import Theme, ui_font


class CheckTable(QTableWidget):
    """Shows the cells of the feed's model; `share` is (which, of how many) parts of the rows, counted from the top."""

    record_requested = Signal(object)
    """The key of a finished cell that was clicked or activated."""

    def __init__(
        self, theme: Theme, feed: ChecksFeed, share: tuple[int, int] = (0, 1), parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._feed = feed
        self._share = share
        self._delegate = CellDelegate(theme, feed, self)
        self.keys: list[CellKey] = []
        """The keys of all cells of the model, row by row."""
        self.setAccessibleName("Checks by turn detection")
        self.setItemDelegate(self._delegate)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.verticalHeader().setDefaultSectionSize(ROW_PX)
        self.verticalHeader().hide()
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.horizontalHeader().setHighlightSections(False)
        self.itemClicked.connect(self._ask_for_record)
        self.itemActivated.connect(self._ask_for_record)

    def refresh(self) -> None:
        """Show the present state of the cells."""
        if self.keys != self._feed.model.all_keys():
            self.keys = self._feed.model.all_keys()
            self._make_rows()
        self.viewport().update()

    def set_scale(self, scale: float, row_px: int) -> None:
        """Draw signs and words so many times as large as usual, in rows of this height."""
        self._delegate.scale = scale
        # Qt forgets a font that was set when it polishes the widget for its style sheet.
        self.setStyleSheet(
            f"* {{ font-size: {ui_font(scale).pointSizeF():.1f}pt; }}"
            f" QHeaderView::section {{ padding-left: {round(NAME_LEFT_PX * scale)}px; }}"
        )
        self.verticalHeader().setDefaultSectionSize(row_px)
        self.resizeColumnToContents(0)

    def scale_for(self, width_px: int, height_px: int) -> float:
        """Return the largest scale at which all rows of the table, and each verdict, have room in an area."""
        model = self._feed.model
        names = [check.id for check in model.checks]
        return min(
            height_px / (ROW_PX * (1 + len(self._checks()))),
            width_px / self._delegate.natural_width(names, len(model.modes)),
        )

    def _checks(self) -> list[CheckInfo]:
        """The checks of this share."""
        checks = self._feed.model.checks
        number, of = self._share
        rows = -(-len(checks) // of)
        return checks[number * rows : (number + 1) * rows]

    def _make_rows(self) -> None:
        model, checks = self._feed.model, self._checks()
        self.clear()
        self.clearSpans()
        self.setRowCount(len(checks))
        self.setColumnCount(1 + len(model.modes))
        self.setHorizontalHeaderLabels(["Check", *model.modes])
        header = self.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        for row, check in enumerate(checks):
            name = QTableWidgetItem(check.id)
            name.setFlags(Qt.ItemFlag.ItemIsEnabled)
            name.setToolTip(check.description)
            self.setItem(row, 0, name)
            modes = model.modes if check.per_turn_detection else (None,)
            for column, mode in enumerate(modes, start=1):
                item = QTableWidgetItem()
                item.setData(KEY, (check.id, mode))
                item.setToolTip(check.description)
                self.setItem(row, column, item)
            if not check.per_turn_detection and len(model.modes) > 1:
                self.setSpan(row, 1, 1, len(model.modes))

    def _ask_for_record(self, item: QTableWidgetItem) -> None:
        key = item.data(KEY)
        cell = self._feed.model.cells.get(key) if key is not None else None
        if cell is not None and cell.state in FINISHED and cell.record is not None:
            self.record_requested.emit(key)
